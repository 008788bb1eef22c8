//! Signals before a turn is there, in other commands, and those that are ignored.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use dcodectl::simulate::{Act, Daemon, Fault, PathIs};
use rustix::process::Signal;

use super::{SIGNALS, SOON, sessions, silence, suffix, summary};
use crate::support::process::{deletes, ends, signal, spawn, spawn_open};
use crate::support::wired::Wired;
use crate::support::{Running, at, create, daemon, daemon_with, dcodectl, is_busy, seen, until};

#[test]
fn a_signal_before_the_first_answer_ends_it_with_nothing_sent() {
    for (signal, code, name) in SIGNALS {
        let daemon = daemon("refuse");
        for arguments in [
            ["run", "go"].as_slice(),
            &["submit", "s", "go"],
            &["wait", "s"],
        ] {
            let before = daemon.requests().len();
            let running = at(&daemon, arguments).start();
            settled(&running);
            running.signal(signal);
            let ran = running.wait().exits(code).out("").within(SOON);
            assert!(
                ran.stderr.contains(&format!("stopped by {name}")),
                "{ran:#?}"
            );
            assert_eq!(daemon.requests().len(), before);
        }
    }
}

/// Waits until the process handles its signals and sleeps: whatever it waits for now, it waits for
/// the daemon.
fn settled(running: &Running) {
    let status = format!("/proc/{}/status", running.id());
    let field = |name: &str| -> u64 {
        let text = fs::read_to_string(&status).unwrap();
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(name))
            .unwrap();
        u64::from_str_radix(line.trim(), 16).unwrap()
    };
    until("signals to be handled", || {
        field("SigCgt:") & (1 << 14) != 0
    });
    // The connection is made right after; nothing outside shows when it is.
    std::thread::sleep(Duration::from_millis(100));
}

#[test]
fn a_session_whose_creation_a_signal_overtook_is_closed() {
    let answer = Act::DelayAnswer(Duration::from_millis(600));
    let slow = Fault::new("POST", suffix("/v1/sessions"), answer);
    let daemon = daemon_with("done", |options| options.faults = vec![slow]);
    let running = at(&daemon, ["run", "go"]).start();
    until("the create", || seen(&daemon, "POST", "/v1/sessions") == 1);
    running.signal(Signal::TERM);
    let ran = running.wait().exits(143).out("").within(SOON);
    ran.err_has("stopped by TERM; no turn was seen to start");
    assert_eq!(seen(&daemon, "POST", "/turns"), 0);
    assert_eq!((deletes(&daemon), sessions(&daemon)), (1, 0));
}

#[test]
fn an_unanswered_create_is_given_a_second() {
    let daemon = daemon_with("done", |options| {
        options.faults = vec![silence("POST", suffix("/v1/sessions"))];
    });
    let running = at(&daemon, ["run", "go"]).start();
    until("the create", || seen(&daemon, "POST", "/v1/sessions") == 1);
    let begun = Instant::now();
    running.signal(Signal::INT);
    running.wait().exits(130).out("").err_has("stopped by INT");
    let took = begun.elapsed();
    assert!(took >= Duration::from_secs(1) && took < SOON, "{took:?}");
}

#[test]
fn a_signal_while_the_prompt_is_awaited_is_in_the_summary() {
    let daemon = daemon("done");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("summary.json");
    let arguments = ["run", "--summary", file.to_str().unwrap(), "-"];
    let child = spawn_open(at(&daemon, arguments));
    until("the summary to be opened", || file.exists());
    std::thread::sleep(Duration::from_millis(100));
    signal(&child, Signal::TERM);
    let stderr = ends(child, 143);
    assert!(stderr.contains("stopped by TERM"), "{stderr}");
    assert_eq!(summary(&file)["exit_code"], 143);
    assert!(daemon.requests().is_empty());
}

#[test]
fn every_other_command_leaves_at_the_first_signal() {
    let daemon = daemon("silence");
    let id = create(&daemon);
    at(&daemon, ["submit", "--detach", &id, "go"])
        .run()
        .exits(0);
    let cases: [&[&str]; 3] = [&["wait", &id], &["tail", &id], &["tail", "--json", &id]];
    for arguments in cases {
        for (kind, code, _) in SIGNALS {
            let streams = seen(&daemon, "GET", "/events");
            let running = at(&daemon, arguments).start();
            until("the stream", || seen(&daemon, "GET", "/events") > streams);
            std::thread::sleep(Duration::from_millis(50));
            running.signal(kind);
            let ran = running.wait().exits(code).within(SOON);
            assert!(!ran.stderr.is_empty(), "{ran:#?}");
        }
    }
    assert_eq!(
        seen(&daemon, "POST", "/interrupt"),
        0,
        "the turn is not theirs"
    );
    assert!(is_busy(&daemon));
}

#[test]
fn a_request_that_is_not_answered_is_left_at_the_first_signal() {
    let daemon = daemon("done");
    let id = create(&daemon);
    daemon.add_fault(silence("", PathIs::Any));
    let cases: [&[&str]; 8] = [
        &["list"],
        &["show", &id],
        &["close", &id],
        &["interrupt", &id],
        &["undo", &id],
        &["rename", &id, "name"],
        &["approve", &id, "t1-0"],
        &["ping", "--wait", "1h"],
    ];
    for arguments in cases {
        let before = daemon.requests().len();
        let running = at(&daemon, arguments).start();
        until("the request", || daemon.requests().len() > before);
        running.signal(Signal::TERM);
        let ran = running.wait().exits(143).out("").within(SOON);
        ran.err_has("stopped by TERM while waiting for the daemon's answer");
    }
}

/// The binary behind a shell that ignores signals, as `nohup` and `&` in a script do.
fn ignoring(daemon: &Daemon, signals: &str, rest: &str) -> Wired {
    let script = format!("trap '' {signals}; exec \"$0\" \"$@\"");
    let run = at(daemon, rest.split(' ')).behind("sh", &["-c", &script]);
    spawn(run.in_its_own_group(), Stdio::piped())
}

#[test]
fn a_signal_ignored_at_the_start_stays_ignored() {
    let daemon = daemon("silence");
    let child = ignoring(&daemon, "HUP INT", "run --json go");
    until("the turn", || is_busy(&daemon));
    signal(&child, Signal::HUP);
    signal(&child, Signal::INT);
    signal(&child, Signal::HUP);
    // Neither stops it: the next request of ours finds the turn still running.
    assert!(is_busy(&daemon));
    assert_eq!(seen(&daemon, "POST", "/interrupt"), 0);
    signal(&child, Signal::TERM);
    let stderr = ends(child, 143);
    assert!(stderr.contains("stopped by TERM"), "{stderr}");
}

#[test]
fn b10_a_session_deleted_by_another_client_ends_a_wait() {
    let daemon = daemon("silence");
    let id = create(&daemon);
    at(&daemon, ["submit", "--detach", &id, "go"])
        .run()
        .exits(0);
    let streams = seen(&daemon, "GET", "/events");
    let running = at(&daemon, ["wait", "--json", &id]).start();
    until("the stream", || {
        seen(&daemon, "GET", "/events") > streams + 1
    });
    let begun = Instant::now();
    at(&daemon, ["close", &id]).run().exits(0);
    let ran = running.wait().exits(75);
    assert!(begun.elapsed() < SOON, "{ran:#?}");
    assert!(!ran.out_objects().is_empty(), "{ran:#?}");
    ran.err_has("went away before the turn's end was seen");
    dcodectl(["--version"]).run().exits(0).err("");
}
