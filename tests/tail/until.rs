//! `--until turn|idle`, `--no-follow`, readers that leave.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;
use std::time::Duration;

use dcodectl::simulate::Speed;
use rustix::process::Signal;

use super::{EVENTS, numbers, played, turns};
use crate::support::paced::{STARTED, paced};
use crate::support::process::spawn;
use crate::support::{HANG, at, create, daemon, daemon_with, is_busy, seen, until, wait_for};

#[test]
fn until_turn_ends_at_the_next_end_with_its_code() {
    let cases = [
        ("done", 0, ""),
        ("unverified", 10, "dcodectl: note: unverified"),
        ("max_tokens", 14, "dcodectl: error: max_tokens"),
        (
            "from_tomorrow",
            19,
            "dcodectl: error: the turn ended with a stop reason",
        ),
    ];
    for (reason, code, text) in cases {
        let daemon = turns(&[("t1", "repeat_loop"), ("t2", reason), ("t3", "error")]);
        let id = create(&daemon);
        played(&daemon, &id);
        let tail = at(&daemon, ["tail", &id, "--until", "turn", "--json"]).start();
        until("the tail", || seen(&daemon, "GET", "/events") == 1);
        played(&daemon, &id);
        // The end that was met at the start is not the awaited one; it is printed all the same.
        let ran = tail.wait().exits(code);
        assert_eq!(
            numbers(&ran.stdout),
            (1..=1 + 2 * EVENTS).collect::<Vec<_>>()
        );
        assert_eq!(ran.err_objects().len(), usize::from(code != 0), "{ran:#?}");
        // From a number on: the first end at or after it, whatever came later.
        played(&daemon, &id);
        let from = |seq: u64| {
            at(
                &daemon,
                [
                    "tail",
                    &id,
                    "--from",
                    &seq.to_string(),
                    "--until",
                    "turn",
                    "--json",
                ],
            )
            .run()
        };
        assert_eq!(
            numbers(&from(1).exits(13).stdout),
            (1..=1 + EVENTS).collect::<Vec<_>>()
        );
        let end = 1 + 2 * EVENTS;
        for start in [2 + EVENTS, end] {
            let ran = from(start).exits(code);
            assert_eq!(numbers(&ran.stdout), (start..=end).collect::<Vec<_>>());
        }
        assert_eq!(
            numbers(&from(end + 1).exits(16).stdout).len() as u64,
            EVENTS
        );
        // For people the same code, told as after a wait.
        let ran = at(
            &daemon,
            ["tail", &id, "--from", &end.to_string(), "--until", "turn"],
        )
        .run();
        let ran = ran.exits(code).out_has(reason);
        assert!(ran.stderr.starts_with(text), "{ran:#?}");
    }
}

#[test]
fn until_idle_prints_everything_and_has_the_last_turns_code() {
    let daemon = turns(&[("t1", "max_tokens"), ("t2", "incomplete")]);
    let id = create(&daemon);
    let line = ["tail", &id, "--until", "idle", "--json"];
    assert_eq!(
        numbers(&at(&daemon, line).run().exits(0).err("").stdout),
        [1]
    );
    played(&daemon, &id);
    let ran = at(&daemon, line).run().exits(14);
    assert_eq!(numbers(&ran.stdout).len() as u64, 1 + EVENTS);
    played(&daemon, &id);
    let ran = at(&daemon, line).run().exits(11);
    assert_eq!(numbers(&ran.stdout).len() as u64, 1 + 2 * EVENTS);
    assert_eq!(ran.err_objects()[0]["notice"]["code"], "incomplete");
    // From behind the last end no turn is read at all.
    let last = (2 + 2 * EVENTS).to_string();
    at(&daemon, ["tail", &id, "--until", "idle", "--from", &last])
        .run()
        .exits(0)
        .out("")
        .err("");
    let slow = paced(
        &[
            STARTED,
            (
                1500,
                "turn.completed",
                r#"{"turn_id":"t1","reason":"error"}"#,
            ),
        ],
        |_| {},
    );
    let id = create(&slow);
    at(&slow, ["submit", "--detach", &id, "x"]).run().exits(0);
    let ran = at(&slow, ["tail", &id, "--until", "idle", "--json"])
        .run()
        .exits(16);
    assert_eq!(numbers(&ran.stdout), [1, 2, 3]);
    assert!(!is_busy(&slow));
}

#[test]
fn a_session_that_goes_away_before_the_awaited_end_is_75() {
    let daemon = daemon("silence");
    for (when, running) in [("turn", true), ("idle", true), ("turn", false)] {
        let id = create(&daemon);
        if running {
            at(&daemon, ["submit", "--detach", &id, "x"]).run().exits(0);
        }
        let streams = seen(&daemon, "GET", "/events");
        let tail = at(&daemon, ["tail", &id, "--until", when, "--json"]).start();
        until("the tail", || seen(&daemon, "GET", "/events") > streams);
        at(&daemon, ["close", &id]).run().exits(0);
        let ran = tail.wait().exits(75);
        assert!(numbers(&ran.stdout).first().is_none_or(|seq| *seq == 1));
        ran.err_has("went away before the turn's end was seen");
    }
}

#[test]
fn a_signal_ends_a_tail_and_leaves_the_turn_alone() {
    let daemon = daemon("silence");
    let id = create(&daemon);
    at(&daemon, ["submit", "--detach", &id, "x"]).run().exits(0);
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        for options in [&[][..], &["--until", "turn"]] {
            let streams = seen(&daemon, "GET", "/events");
            let tail = at(&daemon, ["tail", &id, "--json"].iter().chain(options)).start();
            until("the tail", || seen(&daemon, "GET", "/events") > streams);
            tail.signal(signal);
            tail.wait().exits(code).err_has(r#""code":"signal""#);
        }
    }
    assert_eq!(seen(&daemon, "POST", "/interrupt"), 0);
    assert!(is_busy(&daemon));
}

/// Reads one line and leaves; gives the code and stderr.
fn first_line(daemon: &dcodectl::simulate::Daemon, arguments: &[&str]) -> (String, i32, String) {
    let mut child = spawn(at(daemon, arguments), Stdio::piped());
    let mut line = String::new();
    let mut reader = BufReader::with_capacity(1, child.stdout.take().unwrap());
    reader.read_line(&mut line).unwrap();
    drop(reader);
    let status = wait_for(&mut child, HANG).expect("it ends when its reader leaves");
    let mut stderr = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut stderr)
        .unwrap();
    (line, status.code().unwrap_or(-1), stderr)
}

#[test]
fn b23_a_reader_that_leaves_is_an_ending() {
    let delta = format!(r#"{{"turn_id":"t1","text":"{}"}}"#, "x".repeat(2000));
    let mut events = vec![("turn.started", r#"{"turn_id":"t1"}"#)];
    events.extend([("message.delta", delta.as_str()); 300]);
    events.push(("turn.completed", r#"{"turn_id":"t1","reason":"done"}"#));
    let long = crate::support::playing(&events, |_| {});
    // A long history, and a stream that is quiet when the reader leaves.
    let quiet = daemon_with("silence", |options| options.speed = Speed::Instant);
    for daemon in [&long, &quiet] {
        let id = create(daemon);
        at(daemon, ["submit", "--detach", &id, "x"]).run().exits(0);
        for (options, code) in [
            (&[][..], 0),
            (&["--count", "100000"], 0),
            (&["--until", "turn"], 141),
            (&["--until", "idle"], 141),
        ] {
            let line = ["tail", &id, "--json"]
                .iter()
                .chain(options)
                .copied()
                .collect::<Vec<_>>();
            let (line, got, stderr) = first_line(daemon, &line);
            assert!(
                line.starts_with(r#"{"seq":1,"#) && line.ends_with("}\n"),
                "{line}"
            );
            assert_eq!((got, stderr.as_str()), (code, ""), "{options:?}");
        }
    }
    // Every session, too.
    let (line, code, stderr) = first_line(&quiet, &["tail", "--all", "--json"]);
    assert!(line.ends_with("}\n"), "{line}");
    assert_eq!((code, stderr.as_str()), (0, ""));
}

#[test]
fn no_follow_ends_with_what_there_is() {
    let daemon = daemon("silence");
    let id = create(&daemon);
    at(&daemon, ["submit", "--detach", &id, "x"]).run().exits(0);
    let ran = at(&daemon, ["tail", &id, "--no-follow", "--json"])
        .run()
        .exits(0)
        .err("");
    assert!(ran.took < Duration::from_secs(20), "{ran:#?}");
    let read = numbers(&ran.stdout);
    assert_eq!(read, (1..=read.len() as u64).collect::<Vec<_>>());
    at(
        &daemon,
        ["tail", &id, "--no-follow", "--from", "5000", "--json"],
    )
    .run()
    .exits(0)
    .out("")
    .err("");
    at(&daemon, ["tail", &id, "--no-follow"])
        .run()
        .exits(0)
        .err("")
        .out_has("Let me think about this.");
}

#[test]
fn an_idle_session_whose_last_turn_has_no_end_is_no_success() {
    let events = [
        ("turn.started", r#"{"turn_id":"t1"}"#),
        ("message.delta", r#"{"turn_id":"t1","text":"x"}"#),
    ];
    // The recording has no end, so the simulated session goes away with it; what is resumed from it
    // is idle and has the cut-off turn.
    let daemon = crate::support::playing(&events, |_| {});
    let id = crate::support::create(&daemon);
    crate::support::at(&daemon, ["submit", &id, "--detach", "x"])
        .run()
        .exits(0);
    crate::support::until("the session's end", || {
        crate::support::at(&daemon, ["show", &id]).run().code() == 30
    });
    let resumed = crate::support::at(&daemon, ["create", "--resume", &id])
        .run()
        .exits(0);
    let resumed = resumed.stdout.trim_end().to_owned();
    crate::support::at(&daemon, ["tail", &resumed, "--until", "idle", "--json"])
        .run()
        .exits(75)
        .out_has("message.delta")
        .err_has("no end");
}
