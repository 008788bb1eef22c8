//! The main job on real input: recordings of real sessions, played by the simulated daemon,
//! followed by the real client, ending in the code of the played turn's reason.

#![allow(clippy::unwrap_used)]

mod support;

use dcodectl::exit::Exit;
use dcodectl::protocol::{Event, EventKind, Payload, StopReason};
use serde_json::Value;
use support::{at, data_lines, dcodectl, replaying};

/// A recorded turn: its lines from start to end, and its reason.
fn turns(lines: &[String]) -> Vec<(Vec<&str>, StopReason)> {
    let (mut turns, mut current) = (Vec::new(), Vec::new());
    for line in lines {
        let event = Event::parse(line).unwrap();
        if event.kind == EventKind::TurnStarted {
            current.clear();
        } else if current.is_empty() {
            continue;
        }
        current.push(line.as_str());
        if let Payload::TurnCompleted(end) = event.payload() {
            turns.push((std::mem::take(&mut current), end.reason.clone().unwrap()));
        }
    }
    turns
}

/// Everything of an event's own text that a simulated session does not have to change: the number,
/// the session, the time, and the prompt.
fn comparable(line: &str) -> String {
    let event = Event::parse(line).unwrap();
    match event.payload() {
        Payload::TurnStarted(started) => format!("{} {}", event.kind, started.turn_id),
        _ => format!("{} {}", event.kind, event.payload_json()),
    }
}

#[test]
fn every_recorded_turn_ends_in_its_own_code_and_keeps_its_bytes() {
    let mut played = 0;
    for path in support::recordings() {
        let lines = data_lines(&path);
        let turns = turns(&lines);
        if turns.is_empty() {
            continue;
        }
        let daemon = replaying(&path, |_| {});
        let id = support::create(&daemon);
        for (recorded, reason) in &turns {
            let ran = at(
                &daemon,
                [
                    "submit",
                    &id,
                    "-o",
                    "ndjson",
                    "--on-approval",
                    "allow",
                    "a prompt",
                ],
            )
            .run();
            let name = path.display();
            assert_eq!(
                ran.code(),
                i32::from(Exit::from(reason).number()),
                "{name} {reason}: {ran:#?}"
            );
            let expected: Vec<String> = recorded.iter().map(|line| comparable(line)).collect();
            let got: Vec<String> = ran.stdout.lines().map(comparable).collect();
            // Here questions are all answered with allow, whatever the recording answered.
            let same = |(one, other): (&String, &String)| {
                one == other
                    || one.starts_with("tool.approval_resolved")
                        && other.starts_with("tool.approval_resolved")
            };
            assert_eq!(expected.len(), got.len(), "{name} {reason}: {ran:#?}");
            assert!(
                expected.iter().zip(&got).all(same),
                "{name}: {expected:#?} {got:#?}"
            );
            played += 1;
        }
    }
    assert!(played > 90, "{played} turns played");
}

#[test]
fn simulate_replays_around_a_command_and_passes_its_code() {
    for (name, code) in [
        ("done-tools", 0),
        ("unverified", 10),
        ("incomplete", 11),
        ("max-iterations", 12),
        ("error-auth", 16),
    ] {
        let path = support::recording(name);
        let arguments = [
            "simulate",
            "--speed",
            "instant",
            "--replay",
            path.to_str().unwrap(),
            "--",
            "dcodectl",
            "run",
            "--json",
            "Fix it",
        ];
        let ran = dcodectl(arguments).run().exits(code);
        let objects = ran.out_objects();
        let lines = data_lines(&path);
        let (recorded, _) = &turns(&lines)[0];
        assert_eq!(objects.len(), recorded.len(), "{ran:#?}");
        assert_eq!(objects[0]["payload"]["text"], Value::from("Fix it"));
        ran.err_objects();
    }
}
