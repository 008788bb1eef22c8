//! `wait --for turn|idle|approval`.

use std::time::Duration;

use dcodectl::simulate::Speed;
use rustix::process::Signal;

use super::submitted;
use crate::support::paced::{STARTED, paced};
use crate::support::{at, create, daemon, daemon_with, is_busy, seen, until};

#[test]
fn idle_is_0_once_no_turn_runs_however_it_ended() {
    for reason in ["done", "error", "from_tomorrow"] {
        let end = format!(r#"{{"turn_id":"t1","reason":"{reason}"}}"#);
        let events = [STARTED, (1500, "turn.completed", end.as_str())];
        let daemon = paced(&events, |_| {});
        let id = create(&daemon);
        // Never had one, runs one, had one.
        at(&daemon, ["wait", &id, "--for", "idle"])
            .run()
            .exits(0)
            .out("")
            .err("");
        submitted(&daemon, &id, "x");
        let ran = at(&daemon, ["wait", &id, "--for", "idle", "--json"])
            .run()
            .exits(0)
            .out("")
            .err("");
        assert!(!is_busy(&daemon), "{ran:#?}");
        at(&daemon, ["wait", &id, "--for", "idle"])
            .run()
            .exits(0)
            .out("")
            .err("");
    }
}

#[test]
fn idle_waits_for_a_blocked_turn_too() {
    let daemon = daemon("approval");
    let id = create(&daemon);
    submitted(&daemon, &id, "x");
    until("the question", || {
        at(&daemon, ["show", &id]).run().stdout.contains("blocked")
    });
    let streams = seen(&daemon, "GET", "/events");
    let mut running = at(&daemon, ["wait", &id, "--for", "idle"]).start();
    until("the stream", || {
        seen(&daemon, "GET", "/events") > streams || !running.is_running()
    });
    assert!(running.is_running());
    at(&daemon, ["deny", &id, "t1-0"]).run().exits(0);
    running.wait().exits(0).out("").err("");
}

#[test]
fn idle_that_does_not_come() {
    let daemon = daemon("silence");
    let id = create(&daemon);
    submitted(&daemon, &id, "x");
    let ran = at(&daemon, ["wait", &id, "--for", "idle", "--timeout", "1s"])
        .run()
        .exits(124)
        .out("");
    assert!(
        ran.took >= Duration::from_secs(1) && ran.took < Duration::from_secs(5),
        "{ran:#?}"
    );
    ran.err_has("--timeout 1s reached, waiting for the session to be idle; last event: seq ");
    let waits = |target: &'static str| {
        let before = seen(&daemon, "GET", "/events");
        let running = at(&daemon, ["wait", &id, "--for", target]).start();
        until("the stream", || seen(&daemon, "GET", "/events") > before);
        running
    };
    for (target, code) in [("idle", 130), ("approval", 130)] {
        let running = waits(target);
        running.signal(Signal::INT);
        running
            .wait()
            .exits(code)
            .out("")
            .err_has("dcodectl: error: ");
    }
    let (idle, approval) = (waits("idle"), waits("approval"));
    at(&daemon, ["close", &id]).run().exits(0);
    for running in [idle, approval] {
        running.wait().exits(75).out("").err_has("went away");
    }
    for target in ["turn", "idle", "approval"] {
        at(&daemon, ["wait", "nobody", "--for", target])
            .run()
            .exits(30)
            .out("")
            .err_has("no session nobody");
    }
    assert_eq!(seen(&daemon, "POST", "/interrupt"), 0);
}

#[test]
fn approval_is_0_once_a_question_is_open_and_shows_it() {
    let daemon = daemon_with("approval", |options| options.speed = Speed::Times(1.0));
    let id = create(&daemon);
    submitted(&daemon, &id, "x");
    // It waits for the question, then finds it open.
    let ran = at(&daemon, ["wait", &id, "--for", "approval", "--json"])
        .run()
        .exits(0)
        .err("");
    assert_eq!(ran.out_objects()[0]["approval_id"], "t1-0");
    let shown = at(&daemon, ["approvals", &id, "--json"]).run().exits(0);
    ran.out(&shown.stdout);
    let shown = at(&daemon, ["approvals", &id]).run().exits(0);
    at(&daemon, ["wait", &id, "--for", "approval"])
        .run()
        .exits(0)
        .err("")
        .out(&shown.stdout);
    assert_eq!(seen(&daemon, "POST", "/t1-0"), 0, "it is left to others");
    assert_eq!(seen(&daemon, "POST", "/interrupt"), 0);
    at(&daemon, ["deny", &id, "t1-0"]).run().exits(0);
    at(&daemon, ["wait", &id]).run().exits(0);
}

#[test]
fn approval_without_a_turn_or_whose_turn_ends_first() {
    let never = daemon("done");
    let id = create(&never);
    for json in [&[][..], &["--json"]] {
        let ran = at(
            &never,
            ["wait", &id, "--for", "approval"].iter().chain(json),
        )
        .run();
        ran.exits(32).out("").err_has("no question is open");
    }
    at(&never, ["submit", &id, "x"]).run().exits(0);
    at(&never, ["wait", &id, "--for", "approval"])
        .run()
        .exits(32)
        .out("")
        .err_has("no question is open");
    for (reason, code) in [
        ("done", 32),
        ("unverified", 10),
        ("max_tokens", 14),
        ("from_tomorrow", 19),
    ] {
        let end = format!(r#"{{"turn_id":"t1","reason":"{reason}"}}"#);
        let daemon = paced(&[STARTED, (1500, "turn.completed", end.as_str())], |_| {});
        let id = create(&daemon);
        submitted(&daemon, &id, "x");
        let ran = at(&daemon, ["wait", &id, "--for", "approval"])
            .run()
            .exits(code)
            .out("");
        ran.err_has(if code == 32 {
            "no question is open"
        } else {
            reason
        });
    }
}

#[test]
fn approval_that_does_not_come_and_one_that_answers_itself() {
    let daemon = daemon("silence");
    let id = create(&daemon);
    submitted(&daemon, &id, "x");
    let ran = at(
        &daemon,
        ["wait", &id, "--for", "approval", "--timeout", "1s"],
    )
    .run();
    let ran = ran.exits(124).out("").err_has("--timeout 1s reached");
    assert!(ran.took >= Duration::from_secs(1), "{ran:#?}");
    ran.err_has("the turn is left to the daemon");
    // Resolved by an earlier allow_session, 200 ms before the end: no question for anybody.
    let ask = r#"{"approval_id":"t1-0","turn_id":"t1","tool_call_id":"c","tool":"bash","command":"x","boundary_crossed":"rule:command"}"#;
    let events = [
        STARTED,
        (1500, "tool.approval_required", ask),
        (
            0,
            "tool.approval_resolved",
            r#"{"approval_id":"t1-0","decision":"allow_session"}"#,
        ),
        (200, "turn.completed", r#"{"turn_id":"t1","reason":"done"}"#),
    ];
    let daemon = paced(&events, |_| {});
    let id = create(&daemon);
    submitted(&daemon, &id, "x");
    at(&daemon, ["wait", &id, "--for", "approval"])
        .run()
        .exits(32)
        .out("")
        .err_has("no question is open");
}

#[test]
fn turn_is_what_wait_does_by_itself() {
    let daemon = daemon("unverified");
    let id = create(&daemon);
    at(&daemon, ["wait", &id, "--for", "turn"])
        .run()
        .exits(32)
        .out("")
        .err_has("never had a turn");
    at(&daemon, ["submit", &id, "x"]).run().exits(10);
    let by_name = at(&daemon, ["wait", &id, "--for", "turn", "--json"])
        .run()
        .exits(10);
    let ran = at(&daemon, ["wait", &id, "--json"])
        .run()
        .exits(10)
        .out(&by_name.stdout);
    ran.err(&by_name.stderr);
    let accepting = ["wait", &id, "--for", "turn", "--accept", "unverified"];
    at(&daemon, accepting)
        .run()
        .exits(0)
        .err_has("dcodectl: note: unverified");
}
