//! The turn that is played behind the proxy.

use dcodectl::simulate::Replay;

use crate::random::Random;

/// Each stop reason with its exit code.
const REASONS: [(&str, i32); 9] = [
    ("done", 0),
    ("done", 0),
    ("unverified", 10),
    ("incomplete", 11),
    ("max_iterations", 12),
    ("repeat_loop", 13),
    ("max_tokens", 14),
    ("error", 16),
    ("from_tomorrow", 19),
];

/// The prompt.
pub const TEXT: &str = "Fix the test; ä, 🦀 and \\ stay.";

/// A turn.
#[derive(Debug, Clone)]
pub struct Story {
    /// Type, payload, and the pause before it in milliseconds.
    pub events: Vec<(&'static str, String, u64)>,
    /// The exit code that its reason stands for.
    pub code: i32,
    /// Whether it asks a question on the way.
    pub asks: bool,
}

impl Story {
    pub fn of(random: &mut Random) -> Self {
        let started = serde_json::json!({ "turn_id": "t1", "text": TEXT }).to_string();
        let mut events = vec![("turn.started", started, 0)];
        let slow = random.chance(35);
        let count = match random.below(10) {
            0 => 0,
            1..7 => random.between(1, 20),
            _ => random.between(20, 90),
        };
        let asks = random.chance(12);
        for index in 0..count {
            let pause = if slow { random.below(3) as u64 } else { 0 };
            events.push(("message.delta", fragment(index, random), pause));
        }
        if asks {
            let at = random.between(1, events.len());
            for (offset, event) in question().into_iter().enumerate() {
                events.insert(at + offset, event);
            }
        }
        let (reason, code) = random.pick(&REASONS);
        let end = format!(
            r#"{{"turn_id":"t1","reason":"{reason}","usage":{{"input_tokens":3,"output_tokens":1}},"ratio":1.10}}"#
        );
        events.push(("turn.completed", end, 0));
        Self { events, code, asks }
    }

    /// The same as a recording.
    pub fn replay(&self) -> Replay {
        let mut at = 0;
        let lines = self.events.iter().map(|(kind, payload, pause)| {
            at += pause;
            let (seconds, rest) = (at / 1000, at % 1000);
            format!(
                r#"{{"seq":1,"session_id":"s","type":"{kind}","at":"2026-12-01T05:00:{seconds:02}.{rest:03}Z","payload":{payload}}}"#
            )
        });
        Replay::parse(&lines.collect::<Vec<_>>().join("\n")).unwrap()
    }

    /// About how many bytes its stream has.
    pub fn bytes(&self) -> usize {
        let event = |(_, payload, _): &(&str, String, u64)| payload.len() + 150;
        self.events.iter().map(event).sum()
    }
}

/// A fragment of an answer: short, of wide characters, of control characters, or long.
fn fragment(index: usize, random: &mut Random) -> String {
    let text = match random.below(20) {
        0..10 => format!("{index} "),
        10..14 => "ä🦀€".repeat(random.between(1, 12)),
        14..17 => "\u{1b}[31m\r\n\u{0}\u{2028}\u{feff}data: x\n\n".to_owned(),
        17..19 => "x".repeat(random.between(100, 5000)),
        _ => "y".repeat(random.between(5000, 40_000)),
    };
    serde_json::json!({ "turn_id": "t1", "text": text }).to_string()
}

/// A call that needs an answer, and the answer.
fn question() -> [(&'static str, String, u64); 3] {
    let requested =
        r#"{"turn_id":"t1","tool_call_id":"c","name":"shell","input":{"command":"sudo x"}}"#;
    let asked = r#"{"approval_id":"t1-0","turn_id":"t1","tool_call_id":"c","tool":"shell","command":"sudo x","boundary_crossed":"rule:command","rule":"sudo","expires_at":"0001-01-01T00:00:00Z"}"#;
    let resolved = r#"{"approval_id":"t1-0","decision":"deny"}"#;
    [
        ("tool.requested", requested.to_owned(), 0),
        ("tool.approval_required", asked.to_owned(), 0),
        ("tool.approval_resolved", resolved.to_owned(), 20),
    ]
}
