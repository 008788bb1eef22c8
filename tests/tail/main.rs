//! `tail`: where it ends, what it prints, how far it got, and several sessions at once.

#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod cursor;
mod filters;
mod several;
mod until;

use dcodectl::simulate::Daemon;

/// A daemon whose turns are these, one after the other: `(id, reason)`; each says so, too.
fn turns(list: &[(&str, &str)]) -> Daemon {
    let mut events = Vec::new();
    for (id, reason) in list {
        events.push(("turn.started", format!(r#"{{"turn_id":"{id}"}}"#)));
        events.push((
            "message.delta",
            format!(r#"{{"turn_id":"{id}","text":"Said in {id}.\n"}}"#),
        ));
        events.push((
            "tool.requested",
            format!(r#"{{"turn_id":"{id}","tool_call_id":"c","name":"read","input":{{}}}}"#),
        ));
        events.push((
            "tool.completed",
            r#"{"tool_call_id":"c","ok":true,"output":"x","truncated":false}"#.to_owned(),
        ));
        events.push((
            "turn.completed",
            format!(r#"{{"turn_id":"{id}","reason":"{reason}"}}"#),
        ));
    }
    let borrowed: Vec<(&str, &str)> = events
        .iter()
        .map(|(kind, payload)| (*kind, payload.as_str()))
        .collect();
    support::playing(&borrowed, |_| {})
}

/// No event.
const NONE: [u64; 0] = [];

/// The events of one turn of [`turns`].
const EVENTS: u64 = 5;

/// The sequence numbers of an NDJSON text.
fn numbers(ndjson: &str) -> Vec<u64> {
    support::objects(ndjson)
        .iter()
        .map(|event| event["seq"].as_u64().unwrap())
        .collect()
}

/// Plays a turn to its end.
#[track_caller]
fn played(daemon: &Daemon, id: &str) {
    support::at(daemon, ["submit", "--detach", id, "x"])
        .run()
        .exits(0)
        .out("")
        .err("");
    support::until("the turn's end", || !support::is_busy(daemon));
}
