//! Following a stream: nothing lost, nothing twice, and no end but the turn's own.

#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod connections;
mod expiry;
mod integrity;
mod loss;
mod submitting;
mod tailing;
mod waiting;

use std::time::Duration;

use dcodectl::follow::Limits;
use dcodectl::simulate::{Act, Daemon, Fault};

use support::wire;

/// Bounds so short that a test sees their end.
fn short(limits: &mut Limits) {
    limits.quiet = Duration::from_millis(150);
    limits.reconnect = Duration::from_millis(600);
    limits.first_pause = Duration::from_millis(5);
    limits.longest_pause = Duration::from_millis(50);
    limits.lag = Duration::from_millis(100);
}

/// A turn's `(type, payload)` list: its start, so many one-letter fragments, its end.
fn long_turn(fragments: usize) -> Vec<(&'static str, String)> {
    let mut events = vec![("turn.started", r#"{"turn_id":"t1","text":"x"}"#.to_owned())];
    events.extend((0..fragments).map(|_| {
        let payload = r#"{"turn_id":"t1","text":"y"}"#;
        ("message.delta", payload.to_owned())
    }));
    events.push((
        "turn.completed",
        r#"{"turn_id":"t1","reason":"done"}"#.to_owned(),
    ));
    events
}

/// A daemon that plays such a list.
fn playing(
    events: &[(&str, String)],
    change: impl FnOnce(&mut dcodectl::simulate::Options),
) -> Daemon {
    let borrowed: Vec<(&str, &str)> = events
        .iter()
        .map(|(kind, payload)| (*kind, payload.as_str()))
        .collect();
    support::playing(&borrowed, change)
}

/// The sequence numbers of an NDJSON text.
fn numbers(ndjson: &str) -> Vec<u64> {
    support::objects(ndjson)
        .iter()
        .map(|event| event["seq"].as_u64().unwrap())
        .collect()
}

/// A rule on the streams, counted from now on: the nth gets this answer.
fn nth_stream(nth: usize, answer: Vec<u8>) -> Fault {
    Fault::on_streams(Act::Raw(answer)).only(nth)
}

/// A turn of session `s` from seq 2 on, as frames: start, a fragment, end.
fn small_turn() -> [String; 3] {
    [
        wire::event(2, "turn.started", r#"{"turn_id":"t1","text":"x"}"#),
        wire::event(3, "message.delta", r#"{"turn_id":"t1","text":"Yes."}"#),
        wire::event(4, "turn.completed", r#"{"turn_id":"t1","reason":"done"}"#),
    ]
}
