//! Nothing panics and nothing raw comes out, whatever the events hold.

use super::*;
use crate::report::testing::recordings;
use proptest::prelude::*;

/// Whether a terminal takes all of it for text.
fn is_harmless(text: &str) -> bool {
    let hidden = [
        '\u{202e}',
        '\u{2066}',
        '\u{200b}',
        '\u{feff}',
        '\u{2028}',
        '\u{e0041}',
    ];
    !text
        .chars()
        .any(|c| (c.is_control() && c != '\n' && c != '\t') || hidden.contains(&c))
}

#[test]
fn every_recording_is_shown_at_every_verbosity() {
    for name in recordings() {
        let lines = recording(&name);
        for verbosity in -1..=2 {
            for width in [0, 20, 80, 132] {
                let text = printed(&lines, verbosity, Palette::plain(), width);
                assert!(is_harmless(&text), "{name} {verbosity} {width}");
                assert!(
                    !text.contains("\n\n\n") && !text.starts_with('\n'),
                    "{name} {verbosity}"
                );
            }
            let text = printed(&lines, verbosity, Palette::coloured(), 80);
            let plain = printed(&lines, verbosity, Palette::plain(), 80);
            assert_eq!(without_colour(&text), plain, "{name} {verbosity}");
        }
    }
}

/// The text without the sequences that a palette may use.
fn without_colour(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let mut out = parts.next().unwrap().to_owned();
    for part in parts {
        let (codes, rest) = part.split_once('m').unwrap();
        assert!(
            codes
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b';'),
            "{codes:?}"
        );
        out.push_str(rest);
    }
    out
}

#[test]
fn b36_what_a_model_writes_does_not_drive_the_terminal() {
    let attack = r"\u001b]0;x\u0007\u001b[2J\r\u009b31m\u202e\u2028\ufeff";
    let call = format!(
        r#"{{"turn_id":"t1","tool_call_id":"c","name":"na\nme{attack}","input":{{"path":"{attack}"}}}}"#
    );
    let done = format!(
        r#"{{"tool_call_id":"c","ok":false,"output":"{attack}\n{attack}","diff":"+{attack}"}}"#
    );
    let end = format!(
        r#"{{"turn_id":"t1","reason":"{attack}","completion":{{"verification":"{attack}","met":["{attack}"],"touched_protected":["{attack}"]}}}}"#
    );
    let lines = [
        event(
            1,
            "turn.started",
            &format!(r#"{{"turn_id":"t1","text":"{attack}"}}"#),
        ),
        event(
            2,
            "message.delta",
            &format!(r#"{{"turn_id":"t1","text":"{attack}x"}}"#),
        ),
        event(
            3,
            "message.reasoning",
            &format!(r#"{{"turn_id":"t1","text":"{attack}x"}}"#),
        ),
        event(4, "tool.requested", &call),
        event(5, "tool.completed", &done),
        event(
            6,
            &format!("new.{attack}"),
            &format!(r#"{{"x":"{attack}"}}"#),
        ),
        event(7, "turn.completed", &end),
    ];
    for verbosity in -1..=2 {
        let text = printed(&lines, verbosity, Palette::plain(), 80);
        assert!(is_harmless(&text), "{verbosity}: {text:?}");
    }
    let text = printed(&lines, 0, Palette::plain(), 80);
    assert!(
        text.contains(r"\x1b]0;x\x07\x1b[2J\r\u{9b}31m\u{202e}\u{2028}\u{feff}x"),
        "{text}"
    );
    assert!(text.contains(r"na\nme\x1b]0;x"), "{text}");
}

#[test]
fn payloads_of_any_shape_are_survived() {
    let huge = u64::MAX;
    let payloads = [
        "null".to_owned(),
        "[]".to_owned(),
        "{}".to_owned(),
        r#"{"items":null}"#.to_owned(),
        r#"{"band":99,"fraction":1e300}"#.to_owned(),
        r#"{"band":0,"fraction":-1}"#.to_owned(),
        r#"{"tool_call_id":"none","ok":false}"#.to_owned(),
        format!(
            r#"{{"tool_call_id":"x","ok":true,"added":{huge},"removed":{huge},"files":{huge},"lines":{huge},"duration_ms":{huge},"exit_code":{},"diff":"@"}}"#,
            i64::MIN
        ),
        format!(r#"{{"kind":"rounds","done":{huge},"total":{huge}}}"#),
        format!(r#"{{"kind":"files","done":{huge}}}"#),
        r#"{"kind":"arguments","done":1}"#.to_owned(),
        r#"{"kind":"whatever","done":1}"#.to_owned(),
        format!(
            r#"{{"turn_id":"t","usage":{{"input_tokens":{huge},"output_tokens":{huge},"context_tokens":{huge}}}}}"#
        ),
        r#"{"approval_id":"a","decision":"perhaps"}"#.to_owned(),
        r#"{"turn_id":"t","tool_call_id":"x","name":"","input":[1]}"#.to_owned(),
        format!(r#"{{"id":"s","context_window":{}}}"#, 0),
    ];
    for verbosity in -1..=2 {
        let (mut human, _) = human(verbosity, Palette::coloured(), 1);
        for payload in payloads.iter().chain(payloads.iter().rev()) {
            for kind in EventKind::KNOWN {
                let line = event(1, kind.as_str(), payload);
                human.event(&Event::parse(&line).unwrap()).unwrap();
                human.idle().unwrap();
            }
        }
        human.end(None).unwrap();
    }
}

#[test]
fn what_is_remembered_is_bounded() {
    let (mut human, _) = human(0, Palette::plain(), 80);
    for number in 0..2000 {
        let call = format!(
            r#"{{"turn_id":"t","tool_call_id":"c{number}","name":"{}","input":{{"command":"{}"}}}}"#,
            "n".repeat(999),
            "x".repeat(9999)
        );
        human
            .event(&Event::parse(&event(1, "tool.requested", &call)).unwrap())
            .unwrap();
        let announced =
            format!(r#"{{"kind":"arguments","tool_call_id":"a{number}","name":"n","done":1}}"#);
        human
            .event(&Event::parse(&event(1, "progress", &announced)).unwrap())
            .unwrap();
    }
    assert_eq!(
        (human.turn.calls.len(), human.turn.announced.len()),
        (500, 500)
    );
    let longest = human
        .turn
        .calls
        .iter()
        .map(|call| call.subject.as_ref().unwrap().len());
    assert_eq!(longest.max(), Some(4096));
}

proptest! {
    #[test]
    fn arbitrary_text_is_harmless_everywhere(texts in prop::collection::vec(any::<String>(), 1..6)) {
        let mut lines = Vec::new();
        for text in &texts {
            let text = serde_json::to_string(text).unwrap();
            lines.push(event(1, "turn.started", &format!(r#"{{"turn_id":{text},"text":{text}}}"#)));
            lines.push(event(2, "message.delta", &format!(r#"{{"turn_id":{text},"text":{text}}}"#)));
            lines.push(event(2, "message.reasoning", &format!(r#"{{"turn_id":{text},"text":{text}}}"#)));
            lines.push(event(3, "tool.requested", &format!(r#"{{"turn_id":"t","tool_call_id":{text},"name":{text},"input":{{"command":{text}}}}}"#)));
            lines.push(event(4, "tool.approval_required", &format!(r#"{{"approval_id":{text},"tool_call_id":{text},"tool":{text},"command":{text},"boundary_crossed":{text},"reason":{text}}}"#)));
            lines.push(event(5, "tool.approval_resolved", &format!(r#"{{"approval_id":{text},"decision":{text}}}"#)));
            lines.push(event(6, "tool.completed", &format!(r#"{{"tool_call_id":{text},"output":{text},"diff":{text}}}"#)));
            lines.push(event(7, "plan.updated", &format!(r#"{{"items":[{{"id":1,"text":{text},"status":{text},"blocked":{text}}}]}}"#)));
            lines.push(event(8, "session.error", &format!(r#"{{"code":{text},"message":{text}}}"#)));
            lines.push(event(9, "turn.steered", &format!(r#"{{"text":{text}}}"#)));
            lines.push(event(10, "turn.completed", &format!(r#"{{"turn_id":"t","reason":{text},"completion":{{"met":[{text}],"unmet":[{text}]}}}}"#)));
        }
        for verbosity in [-1, 0, 2] {
            let text = printed(&lines, verbosity, Palette::plain(), 40);
            prop_assert!(is_harmless(&text), "{:?}", text);
        }
    }
}

#[test]
fn no_text_acts_as_a_workflow_command() {
    let capture = Capture::default();
    let options = HumanOptions {
        palette: Palette::plain(),
        verbosity: 2,
        width: Box::new(|| 80),
        show_status: false,
        workflow_safe: true,
    };
    let mut human = Human::new(Box::new(capture.clone()), console(false).0, options);
    let mut tell = |text: &str| {
        let text = serde_json::to_string(text).unwrap();
        let payload = format!(r#"{{"turn_id":"t","text":{text}}}"#);
        let line = event(1, "message.delta", &payload);
        human.event(&Event::parse(&line).unwrap()).unwrap();
        human.idle().unwrap();
    };
    // A command in pieces, one after a line break, one inside a line.
    for piece in ["::err", "or::a\n :", ":stop\nb #", "#[add-mask]c"] {
        tell(piece);
    }
    human.end(None).unwrap();
    let text = capture.text();
    assert!(
        text.contains(":\\x3aerror::a\n :\\x3astop\nb ##\\x5badd-mask]c"),
        "{text}"
    );
}
