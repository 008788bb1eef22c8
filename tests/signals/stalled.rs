//! Signals while something holds the command up that is not the turn.

use std::process::Stdio;
use std::time::{Duration, Instant};

use dcodectl::simulate::PathIs;
use rustix::process::Signal;

use super::{SIGNALS, SOON, sessions, silence};
use crate::support::process::{deletes, ends, long_turn, signal, spawn};
use crate::support::{self, at, create, daemon, is_busy, seen, until};

#[test]
fn a_signal_while_the_session_is_being_closed_counts() {
    let daemon = daemon("done");
    daemon.add_fault(silence("DELETE", PathIs::Any));
    let running = at(&daemon, ["run", "go"]).start();
    until("the close", || deletes(&daemon) == 1);
    running.signal(Signal::TERM);
    let ran = running.wait().exits(143).out_has("done").within(SOON);
    ran.err_has("stopped by TERM; the turn ended: done");
    assert_eq!(seen(&daemon, "POST", "/interrupt"), 0, "the turn had ended");
}

#[test]
fn a_stalled_stdout_delays_no_signal() {
    for (kind, code, name) in SIGNALS {
        for format in ["ndjson", "human", "answer"] {
            let daemon = long_turn();
            let child = spawn(at(&daemon, ["-o", format, "run", "go"]), Stdio::piped());
            // The turn has ended, the session is closed, and stdout holds everything up.
            until("the close", || deletes(&daemon) == 1);
            let begun = Instant::now();
            signal(&child, kind);
            let stderr = ends(child, code);
            assert!(begun.elapsed() < SOON, "{stderr}");
            let expected = format!("stopped by {name}");
            assert!(
                stderr.contains(&expected) || stderr.contains("stopped by a signal"),
                "{stderr}"
            );
            assert_eq!(seen(&daemon, "POST", "/interrupt"), 0, "the turn had ended");
        }
    }
}

#[test]
fn a_stalled_stdout_delays_no_signal_during_the_turn() {
    let text = "x".repeat(300_000);
    let delta = format!(r#"{{"turn_id":"t1","text":"{text}"}}"#);
    let ask = r#"{"approval_id":"t1-0","turn_id":"t1","tool_call_id":"c","tool":"bash","command":"x","boundary_crossed":"rule:command"}"#;
    let asks = [
        ("turn.started", r#"{"turn_id":"t1"}"#),
        ("message.delta", delta.as_str()),
        ("tool.approval_required", ask),
        ("turn.completed", r#"{"turn_id":"t1","reason":"done"}"#),
    ];
    let daemon = support::playing(&asks, |_| {});
    let arguments = ["run", "--json", "--on-approval", "leave", "go"];
    let child = spawn(at(&daemon, arguments), Stdio::piped());
    until("the question", || is_busy(&daemon));
    let begun = Instant::now();
    signal(&child, Signal::INT);
    let stderr = ends(child, 130);
    assert!(begun.elapsed() < SOON, "{stderr}");
    assert!(
        stderr.contains("stopped by INT; the turn ended"),
        "{stderr}"
    );
    assert_eq!(seen(&daemon, "POST", "/interrupt"), 1);
    assert_eq!((deletes(&daemon), sessions(&daemon)), (1, 0));
}

#[test]
fn a_stalled_stdout_delays_no_signal_of_other_commands() {
    let daemon = long_turn();
    let id = create(&daemon);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.ndjson");
    let log = file.to_str().unwrap();
    at(&daemon, ["submit", "--events", log, &id, "go"])
        .run()
        .exits(0);
    let cases: [&[&str]; 4] = [
        &["tail", "--json", &id],
        &["tail", "--no-follow", &id],
        &["wait", &id],
        &["render", log],
    ];
    for arguments in cases {
        let mut child = spawn(at(&daemon, arguments), Stdio::piped());
        std::thread::sleep(Duration::from_millis(150));
        assert!(
            child.try_wait().unwrap().is_none(),
            "{arguments:?} waits for its reader"
        );
        let begun = Instant::now();
        signal(&child, Signal::TERM);
        let stderr = ends(child, 143);
        assert!(begun.elapsed() < SOON, "{stderr}");
        assert!(stderr.contains("stopped by"), "{arguments:?}: {stderr}");
    }
}
