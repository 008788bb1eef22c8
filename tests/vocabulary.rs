//! Every payload of every recording decodes into its typed form, and the typed form holds every
//! field of it: written back it is the same JSON.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use dcodectl::protocol::{Event, Payload};
use serde::Serialize;
use serde_json::Value;

/// The data lines of a recorded stream.
fn data_lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path)
        .unwrap()
        .lines()
        .filter_map(|line| line.strip_prefix("data: ").map(str::to_owned))
        .collect()
}

/// The typed payload as JSON again.
fn written_back(payload: &Payload<'_>) -> Value {
    fn json(value: &impl Serialize) -> Value {
        // Through text, as a raw `input` is only written as itself by the text serialiser.
        serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
    }
    match payload {
        Payload::SessionCreated(payload) => json(payload),
        Payload::SessionResumed(payload) => json(payload),
        Payload::SessionRenamed(payload) => json(payload),
        Payload::SessionCompacted(payload) => json(payload),
        Payload::SessionError(payload) => json(payload),
        Payload::ContextBand(payload) => json(payload),
        Payload::TurnStarted(payload) => json(payload),
        Payload::MessageDelta(payload) | Payload::MessageReasoning(payload) => json(payload),
        Payload::ToolRequested(payload) => json(payload),
        Payload::ApprovalRequired(payload) => json(payload),
        Payload::ApprovalResolved(payload) => json(payload),
        Payload::ToolCompleted(payload) => json(payload),
        Payload::PlanUpdated(payload) => json(payload),
        Payload::Progress(payload) => json(payload),
        Payload::TurnSteered(payload) => json(payload),
        Payload::TurnCompleted(payload) => json(payload),
        Payload::Unknown => panic!("unknown type"),
        Payload::Malformed(why) => panic!("{why}"),
    }
}

#[test]
fn every_recorded_payload_is_known_to_the_last_field() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings/sse");
    let (mut files, mut events) = (0, 0);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        files += 1;
        for line in data_lines(&path) {
            let event = Event::parse(&line).unwrap();
            assert!(event.kind.is_known(), "{}: {line}", path.display());
            let raw: Value = serde_json::from_str(event.payload_json()).unwrap();
            let typed = written_back(event.payload());
            assert_eq!(typed, raw, "{} seq {}", path.display(), event.seq);
            events += 1;
        }
    }
    assert!(
        files > 75 && events > 1800,
        "{files} files, {events} events"
    );
}
