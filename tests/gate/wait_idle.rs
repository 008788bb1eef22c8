//! `submit --wait-idle`: somebody else's turn is waited for, and our own is still our own.

use std::time::Duration;

use dcodectl::simulate::Daemon;
use rustix::process::Signal;
use serde_json::{Value, json};

use super::{submitted, summary};
use crate::support::paced::{STARTED, paced};
use crate::support::{Running, at, create, daemon, is_busy, seen, until, wire};

/// A daemon whose first turn of a session takes so long and ends `max_tokens`; the next is `done`.
fn busy_for(milliseconds: u64) -> Daemon {
    let events = [
        STARTED,
        (
            milliseconds,
            "turn.completed",
            r#"{"turn_id":"t1","reason":"max_tokens"}"#,
        ),
        (0, "turn.started", r#"{"turn_id":"t2"}"#),
        (300, "message.delta", r#"{"turn_id":"t2","text":"Mine."}"#),
        (10, "turn.completed", r#"{"turn_id":"t2","reason":"done"}"#),
    ];
    paced(&events, |_| {})
}

#[test]
fn b40_somebody_elses_turn_is_waited_for_in_growing_pauses() {
    let daemon = busy_for(2000);
    let id = create(&daemon);
    submitted(&daemon, &id, "theirs");
    at(&daemon, ["submit", &id, "mine"])
        .run()
        .exits(31)
        .out("")
        .err_has("a turn already runs");
    let before = seen(&daemon, "POST", "/turns");
    let ran = at(
        &daemon,
        ["submit", "--wait-idle", "30s", "--json", &id, "mine"],
    )
    .run()
    .exits(0)
    .err("");
    let events = ran.out_objects();
    assert_eq!(events[0]["payload"]["text"], "mine");
    assert_eq!(events.last().unwrap()["payload"]["turn_id"], "t2");
    let posts = seen(&daemon, "POST", "/turns") - before;
    assert!((2..=16).contains(&posts), "{posts} tries in 2 s");
}

#[test]
fn b40_three_refusals_while_a_turn_runs_then_one_accepted_submit() {
    let daemon = busy_for(1);
    let id = create(&daemon);
    // The last event is not the end of a turn, so that a refusal is no lag.
    daemon.add_fault(wire::on_submits(wire::refusal(409, "turn_already_active")).first(3));
    let opened = wire::event(1, "context.band", r#"{"band":1,"fraction":0.5}"#);
    let band = dcodectl::simulate::Act::Raw(wire::stream(wire::frame(&opened), true));
    for nth in [2, 4, 6] {
        daemon.add_fault(dcodectl::simulate::Fault::on_streams(band.clone()).only(nth));
    }
    let ran = at(
        &daemon,
        [
            "submit",
            "--wait-idle",
            "5s",
            "--json",
            "--summary",
            "-",
            &id,
            "x",
        ],
    )
    .run();
    let ran = ran.exits(14);
    assert_eq!(seen(&daemon, "POST", "/turns"), 4);
    assert_eq!(summary(&ran)["exit_code"], 14);
    assert!(
        ran.took >= Duration::from_millis(50 + 100 + 200),
        "{ran:#?}"
    );
}

#[test]
fn b40_the_other_turn_has_the_same_text() {
    for detached in [false, true] {
        let daemon = busy_for(1500);
        let id = create(&daemon);
        submitted(&daemon, &id, "same");
        let mut arguments = vec!["submit", "--wait-idle", "30s", "--json", &id, "same"];
        arguments.extend(detached.then_some("--detach"));
        let ran = at(&daemon, arguments).run().exits(0).err("");
        let objects = ran.out_objects();
        let from = if detached {
            &objects[0]["from"]
        } else {
            &objects[0]["seq"]
        };
        let rest = at(
            &daemon,
            [
                "tail",
                &id,
                "--from",
                &from.to_string(),
                "--until",
                "turn",
                "--json",
            ],
        )
        .run();
        let first = &rest.exits(0).out_objects()[0];
        assert_eq!(
            (&first["type"], &first["payload"]["turn_id"]),
            (&"turn.started".into(), &"t2".into())
        );
    }
}

#[test]
fn the_wait_has_an_end() {
    let daemon = daemon("silence");
    let id = create(&daemon);
    submitted(&daemon, &id, "theirs");
    for detached in [false, true] {
        let before = seen(&daemon, "POST", "/turns");
        let mut arguments = vec!["submit", "--wait-idle", "1s", &id, "mine"];
        arguments.extend(detached.then_some("--detach"));
        let ran = at(&daemon, arguments).run().exits(31).out("");
        assert!(
            ran.took >= Duration::from_secs(1) && ran.took < Duration::from_secs(10),
            "{ran:#?}"
        );
        ran.err_has("a turn already runs in session")
            .err_has("  hint: dcodectl wait");
        let posts = seen(&daemon, "POST", "/turns") - before;
        assert!((2..=12).contains(&posts), "{posts} tries in 1 s");
    }
    // Whatever else ends it: the turn that runs is somebody else's.
    let bounded = [
        "submit",
        "--wait-idle",
        "1h",
        "--timeout",
        "1s",
        &id,
        "mine",
    ];
    at(&daemon, bounded)
        .run()
        .exits(124)
        .out("")
        .err_has("waiting for the turn to start");
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let before = seen(&daemon, "POST", "/turns");
        let running = at(&daemon, ["submit", "--wait-idle", "1h", &id, "mine"]).start();
        until("some tries", || {
            seen(&daemon, "POST", "/turns") >= before + 2
        });
        running.signal(signal);
        running
            .wait()
            .exits(code)
            .out("")
            .err_has("no turn was seen to start");
    }
    assert_eq!(seen(&daemon, "POST", "/interrupt"), 0);
    assert!(is_busy(&daemon));
}

/// Waiting for others has a bound of its own: theirs may well be quiet.
#[test]
fn the_idle_bound_begins_with_our_own_turn() {
    let daemon = busy_for(3500);
    let id = create(&daemon);
    submitted(&daemon, &id, "theirs");
    let arguments = [
        "submit",
        "--wait-idle",
        "60s",
        "--idle-timeout",
        "2s",
        "-o",
        "answer",
        &id,
        "mine",
    ];
    let ran = at(&daemon, arguments).run().exits(0).err("").out("Mine.\n");
    assert!(ran.took > Duration::from_secs(2), "{ran:#?}");
}

/// The reasons of eight turns, one after the other, with their codes.
const REASONS: [(&str, i32); 8] = [
    ("done", 0),
    ("unverified", 10),
    ("incomplete", 11),
    ("max_iterations", 12),
    ("repeat_loop", 13),
    ("max_tokens", 14),
    ("interrupted", 15),
    ("error", 16),
];

/// A daemon whose turns end with these reasons.
fn eight_turns() -> Daemon {
    let payloads = REASONS.iter().enumerate().map(|(index, (reason, _))| {
        let turn = format!("t{}", index + 1);
        let end = json!({"turn_id": turn, "reason": reason});
        (json!({"turn_id": turn}).to_string(), end.to_string())
    });
    let payloads: Vec<(String, String)> = payloads.collect();
    let events = payloads.iter().flat_map(|(start, end)| {
        [
            (0, "turn.started", start.as_str()),
            (150, "turn.completed", end.as_str()),
        ]
    });
    paced(&events.collect::<Vec<_>>(), |_| {})
}

#[test]
fn eight_processes_share_a_session_and_each_gets_its_own_code() {
    let daemon = eight_turns();
    let id = create(&daemon);
    let texts: Vec<String> = (0..8).map(|nth| format!("from process {nth}")).collect();
    let start = |text: &String| {
        let line = ["submit", "--wait-idle", "50s", "--json", &id, text];
        at(&daemon, line).start()
    };
    let running: Vec<Running> = texts.iter().map(start).collect();
    let codes = running.into_iter().map(|running| running.wait().code());
    let codes: Vec<i32> = codes.collect();
    let log = at(&daemon, ["tail", &id, "--no-follow", "--json"]).run();
    let log = log.exits(0).out_objects();
    let ends: Vec<(&Value, &Value)> = log
        .windows(2)
        .filter(|pair| pair[0]["type"] == "turn.started")
        .map(|pair| (&pair[0]["payload"]["text"], &pair[1]["payload"]["reason"]))
        .collect();
    assert_eq!(ends.len(), 8, "each was accepted once: {ends:?}");
    for (text, code) in texts.iter().zip(codes) {
        let (_, reason) = ends.iter().find(|(theirs, _)| *theirs == text).unwrap();
        let (_, expected) = REASONS.iter().find(|(name, _)| *reason == name).unwrap();
        assert_eq!(code, *expected, "{text}: {ends:?}");
    }
    let posts = seen(&daemon, "POST", "/turns");
    assert!(posts < 8 * 40, "{posts} tries are a storm");
}
