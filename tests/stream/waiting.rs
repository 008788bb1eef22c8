//! `wait`: the running turn, else the last one.

use std::time::Duration;

use dcodectl::simulate::{Daemon, Fault, Speed};
use serde_json::Value;

use super::{long_turn, numbers, playing, wire};
use crate::support::inside::inside;
use crate::support::{at, create, daemon, daemon_with, kinds, seen, until};

fn resumed(daemon: &Daemon, from: &str) -> String {
    let ran = at(daemon, ["create", "--resume", from]).run().exits(0);
    ran.stdout.trim_end().to_owned()
}

/// Submits a turn and waits until it is idle again.
fn submitted(daemon: &Daemon, id: &str) {
    at(daemon, ["submit", id, "--detach", "x"])
        .run()
        .exits(0)
        .out("")
        .err("");
    until("the end", || {
        at(daemon, ["show", id]).run().stdout.contains("idle")
    });
}

#[test]
fn a_running_turn_is_followed_from_its_start() {
    let daemon = daemon("silence");
    let id = create(&daemon);
    at(&daemon, ["submit", &id, "--detach", "first"])
        .run()
        .exits(0);
    let wait = inside(&daemon, ["wait", &id, "--json"]).start();
    until("the turn", || wait.out.text().contains("think"));
    at(&daemon, ["interrupt", &id]).run().exits(0);
    let ran = wait.wait().exits(15);
    let events = ran.out_objects();
    assert_eq!(events[0]["payload"]["text"], "first");
    assert_eq!(events.last().unwrap()["payload"]["reason"], "interrupted");
    assert_eq!(ran.err_objects()[0]["error"]["code"], "interrupted");
    // Nothing but GETs: the turn was not touched.
    assert_eq!(seen(&daemon, "POST", "/interrupt"), 1);
}

#[test]
fn the_last_turn_is_reported_if_none_runs() {
    for (name, code) in [
        ("done", 0),
        ("unverified", 10),
        ("max-iterations", 12),
        ("error", 16),
    ] {
        let daemon = daemon(name);
        let id = create(&daemon);
        submitted(&daemon, &id);
        submitted(&daemon, &id);
        let ran = at(&daemon, ["wait", &id, "--summary", "-", "--json"]).run();
        let mut events = ran.exits(code).out_objects();
        let summary = events.pop().unwrap();
        assert_eq!(
            (&summary["exit_code"], &summary["turn_id"]),
            (&code.into(), &"t2".into())
        );
        assert_eq!(events[0]["type"], "turn.started");
        assert_eq!(events[0]["payload"]["turn_id"], "t2");
    }
}

#[test]
fn a_carried_turn_counts() {
    let daemon = daemon("unverified");
    let id = create(&daemon);
    submitted(&daemon, &id);
    let other = resumed(&daemon, &id);
    let ran = at(&daemon, ["wait", &other, "--json"]).run().exits(10);
    assert_eq!(ran.out_objects()[0]["session_id"], Value::from(other));
    assert_eq!(kinds(&ran.stdout).last().unwrap(), "turn.completed");
}

#[test]
fn a_carried_turn_that_was_cut_off_has_no_outcome() {
    let daemon = daemon("silence");
    let id = create(&daemon);
    at(&daemon, ["submit", &id, "--detach", "x"]).run().exits(0);
    at(&daemon, ["close", &id]).run().exits(0);
    let other = resumed(&daemon, &id);
    at(&daemon, ["wait", &other]).run().exits(75).out("").err(
        "dcodectl: error: the last turn has no end: it was cut off before the session was resumed (exit code 75)\n",
    );
}

#[test]
fn a_session_without_a_turn_is_32_whatever_else_happened_in_it() {
    let daemon = daemon("done");
    let id = create(&daemon);
    let expected = format!(
        "dcodectl: error: the session never had a turn (exit code 32)\n  hint: dcodectl submit {id} -- TEXT\n"
    );
    at(&daemon, ["wait", &id])
        .run()
        .exits(32)
        .out("")
        .err(&expected);
    // A newer daemon says more about a session than this version knows.
    let said = [
        wire::event(1, "session.created", "{}"),
        wire::event(2, "session.mode_changed", r#"{"mode":"plan"}"#),
        wire::event(
            3,
            "session.error",
            r#"{"code":"memory","message":"AGENTS.md is unreadable"}"#,
        ),
    ];
    let body: String = said.iter().map(|event| wire::frame(event)).collect();
    daemon.add_fault(Fault::on_streams(dcodectl::simulate::Act::Raw(
        wire::stream(&body, true),
    )));
    daemon.add_fault(wire::session_is(&id, "idle", 3, Some(1)));
    at(&daemon, ["wait", &id])
        .run()
        .exits(32)
        .out("")
        .err(&expected);
}

#[test]
fn a_trimmed_start_is_noted_and_an_end_no_longer_held_is_36() {
    let daemon = playing(&long_turn(40), |options| options.retention = 10);
    let id = create(&daemon);
    submitted(&daemon, &id);
    let ran = at(&daemon, ["wait", &id, "--json"]).run().exits(0);
    assert_eq!(numbers(&ran.stdout), (34..=43).collect::<Vec<_>>());
    assert_eq!(ran.err_objects()[0]["notice"]["code"], "events_trimmed");
    let ran = at(&daemon, ["wait", &id]).run().exits(0);
    ran.err(
        "dcodectl: note: the turn's first events are no longer held: it is shown from seq 34 on\n",
    );

    let daemon = daemon_with("late-error", |options| {
        options.speed = Speed::Instant;
        options.retention = 1;
    });
    let id = create(&daemon);
    submitted(&daemon, &id);
    at(&daemon, ["wait", &id])
        .run()
        .exits(36)
        .out("")
        .err_has("the end of the last turn is no longer held: the oldest event is ");
}

#[test]
fn a_running_turn_with_a_trimmed_start_is_followed_to_its_end() {
    let daemon = daemon_with("silence", |options| {
        options.speed = Speed::Instant;
        options.retention = 3;
    });
    let id = create(&daemon);
    at(&daemon, ["submit", &id, "--detach", "x"]).run().exits(0);
    let wait = inside(&daemon, ["wait", &id, "--json"]).start();
    until("the turn", || wait.out.text().contains("this. "));
    at(&daemon, ["interrupt", &id]).run().exits(0);
    let ran = wait.wait().exits(15);
    let read = numbers(&ran.stdout);
    assert!(read[0] > 2, "{ran:#?}");
    assert_eq!(
        read,
        (read[0]..read[0] + read.len() as u64).collect::<Vec<_>>()
    );
}

#[test]
fn the_state_lags_the_stream() {
    let daemon = daemon("done");
    let id = create(&daemon);
    submitted(&daemon, &id);
    let tail = at(&daemon, ["tail", &id, "--no-follow", "--json"]).run();
    let last = *numbers(&tail.stdout).last().unwrap();
    for nth in [1, 2, 3] {
        let lagging = wire::session_is(&id, "running", last, Some(1)).only(nth);
        daemon.add_fault(lagging);
    }
    let ran = at(&daemon, ["wait", &id, "-o", "answer"])
        .run()
        .exits(0)
        .err("");
    ran.out_has("all ten tests pass")
        .within(Duration::from_secs(10));
}

#[test]
fn a_turn_that_is_about_to_start_is_awaited() {
    let daemon = daemon("done");
    let id = create(&daemon);
    submitted(&daemon, &id);
    let tail = at(&daemon, ["tail", &id, "--no-follow", "--json"]).run();
    let last = *numbers(&tail.stdout).last().unwrap();
    daemon.add_fault(wire::session_is(&id, "running", last, Some(1)));
    let wait = inside(&daemon, ["wait", &id, "--json"])
        .limits(|limits| limits.lag = Duration::from_millis(100))
        .start();
    let streams = seen(&daemon, "GET", "/events");
    until("the wait for what comes", || {
        daemon
            .requests()
            .iter()
            .skip(streams)
            .any(|request| request.target.ends_with(&format!("from={}", last + 1)))
    });
    at(&daemon, ["submit", &id, "--detach", "next"])
        .run()
        .exits(0);
    let ran = wait.wait().exits(0).err("");
    assert_eq!(ran.out_objects()[0]["payload"]["text"], "next");
}

#[test]
fn questions_are_left_to_others() {
    let daemon = daemon("approval");
    let id = create(&daemon);
    at(&daemon, ["submit", &id, "--detach", "x"]).run().exits(0);
    let wait = inside(&daemon, ["wait", &id, "-o", "answer"]).start();
    until("the question", || {
        at(&daemon, ["show", &id]).run().stdout.contains("blocked")
    });
    at(&daemon, ["approve", &id, "t1-0"]).run().exits(0);
    let ran = wait.wait().exits(0).err("");
    ran.out("Removed build/ and left everything else alone. \n");
    assert_eq!(seen(&daemon, "POST", "/t1-0"), 1);
}
