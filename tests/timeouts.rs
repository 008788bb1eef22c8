//! `--timeout` in every phase of a command: never early, never late, and it says what was waited for.

#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::os::unix::net::UnixListener;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use dcodectl::simulate::{Act, Daemon, Fault, PathIs, Speed};
use serde_json::Value;
use support::process::{fifo, spawn, spawn_open};
use support::{
    HANG, Ran, at, create, daemon, daemon_with, dcodectl, is_busy, seen, until, wait_for,
};

/// What every test here gives as `--timeout`.
const BOUND: Duration = Duration::from_secs(1);

/// Half a second late on an idle machine; three times that is let pass.
const LATE: Duration = Duration::from_millis(3 * 1500);

fn silence(method: &str, end: &str) -> Fault {
    Fault::new(method, PathIs::Suffix(end.to_owned()), Act::Silence)
}

/// Asserts code and time, and that the message says this; gives the summary.
#[track_caller]
fn timed_out(ran: Ran, extra: Duration, text: &str) -> Ran {
    let (took, late) = (ran.took, LATE + 3 * extra);
    let ran = ran
        .exits(124)
        .err_has("--timeout 1s reached, ")
        .err_has(text);
    assert!(took >= BOUND && took < late, "{took:?} {ran:#?}");
    assert_eq!(
        ran.stderr.matches("--timeout 1s reached").count(),
        1,
        "{ran:#?}"
    );
    ran
}

/// Runs a command line with the bound and a summary.
fn bounded(daemon: &Daemon, arguments: &[&str]) -> (Ran, Value) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("summary.json");
    let options = ["--timeout", "1s", "--summary", file.to_str().unwrap()];
    let (command, rest) = arguments.split_first().unwrap();
    let ran = at(daemon, [command].into_iter().chain(&options).chain(rest)).run();
    let text = fs::read_to_string(&file).unwrap();
    let summary: Value =
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e} {text} {ran:#?}"));
    assert_eq!(summary["exit_code"], 124, "{ran:#?}");
    assert_eq!(summary["exit_name"], "timeout");
    (ran, summary)
}

#[test]
fn b19_a_daemon_that_accepts_and_never_answers() {
    let daemon = daemon("refuse");
    let cases: [(&[&str], &str); 3] = [
        (&["run", "go"], "waiting for the session to be created"),
        (&["submit", "s", "go"], "waiting for the daemon's answer"),
        (&["wait", "s"], "waiting for the daemon's answer"),
    ];
    thread::scope(|scope| {
        for (arguments, text) in cases {
            let daemon = &daemon;
            scope.spawn(move || {
                let (ran, summary) = bounded(daemon, arguments);
                timed_out(ran, Duration::ZERO, text).out("");
                assert_eq!(summary["turn_id"], Value::Null);
            });
        }
    });
}

#[test]
fn b19_a_connection_that_is_never_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("full.sock");
    let listener = UnixListener::bind(&path).unwrap();
    rustix::net::listen(&listener, 0).unwrap();
    // Fills the queue: the next connection waits.
    let _first = std::os::unix::net::UnixStream::connect(&path).unwrap();
    let arguments = [
        "run",
        "--timeout",
        "1s",
        "--socket",
        path.to_str().unwrap(),
        "go",
    ];
    let ran = dcodectl(arguments).run();
    timed_out(ran, Duration::ZERO, "waiting for").out("");
}

#[test]
fn b19_a_head_without_a_body() {
    let daemon = daemon("done");
    let id = create(&daemon);
    daemon.add_fault(Fault::new("GET", PathIs::Suffix(id.clone()), Act::HeadOnly));
    let (ran, _) = bounded(&daemon, &["submit", &id, "go"]);
    timed_out(ran, Duration::ZERO, "waiting for the daemon's answer").out("");
    assert_eq!(seen(&daemon, "POST", "/turns"), 0);
}

#[test]
fn b19_a_stream_without_a_byte() {
    stalled_stream(0, "waiting for the turn to start");
}

#[test]
fn b19_a_stream_that_stops_in_the_middle_of_a_line() {
    stalled_stream(500, "waiting for the end of the turn");
}

fn stalled_stream(bytes: usize, text: &str) {
    // The state is asked for within a quarter of a second, which a busy machine may not answer in: not each time.
    for last in [false, false, true] {
        let stall = Fault::on_streams(Act::StallStreamAfterBytes(bytes));
        let daemon = daemon_with("silence", |options| options.faults = vec![stall]);
        let (ran, summary) = bounded(&daemon, &["run", "--json", "go"]);
        // The interrupt is answered, but the turn's end cannot be read: 2 s more.
        let ran = timed_out(ran, Duration::from_secs(2), text);
        assert!(ran.took >= BOUND + Duration::from_secs(2), "{ran:#?}");
        let ran = ran.err_has("the turn was interrupted");
        assert_eq!(ran.out_objects().is_empty(), bytes == 0, "{ran:#?}");
        assert_eq!(summary["reason"], Value::Null);
        assert_eq!(seen(&daemon, "POST", "/interrupt"), 1);
        assert_eq!(daemon.requests().last().unwrap().method, "DELETE");
        if last || !ran.stderr.contains("session: no answer from the daemon") {
            ran.err_has("session: running");
            break;
        }
    }
}

#[test]
fn b19_a_submit_that_is_not_answered() {
    let daemon = daemon("silence");
    daemon.add_fault(silence("POST", "/turns"));
    let (ran, _) = bounded(&daemon, &["run", "go"]);
    let extra = Duration::from_secs(2);
    timed_out(ran, extra, "waiting for the turn to start").out("");
    assert_eq!(
        seen(&daemon, "POST", "/interrupt"),
        1,
        "it may have been taken"
    );
}

#[test]
fn b19_an_interrupt_that_is_not_answered() {
    let daemon = daemon("silence");
    daemon.add_fault(silence("POST", "/interrupt"));
    let (ran, _) = bounded(&daemon, &["run", "go"]);
    let ran = timed_out(
        ran,
        Duration::from_millis(500),
        "waiting for the end of the turn",
    );
    assert!(ran.took >= BOUND + Duration::from_millis(500), "{ran:#?}");
    ran.err_has("could not be interrupted and may still run");
    assert_eq!(seen(&daemon, "POST", "/interrupt"), 1);
}

#[test]
fn b19_a_close_that_is_not_answered() {
    let daemon = daemon("silence");
    daemon.add_fault(Fault::new("DELETE", PathIs::Any, Act::Silence));
    let (ran, summary) = bounded(&daemon, &["run", "go"]);
    let ran = timed_out(ran, Duration::from_secs(1), "the turn ended: interrupted");
    ran.err_has("is not closed: the daemon does not answer");
    assert_eq!(summary["reason"], "interrupted");
}

#[test]
fn b19_a_stdout_that_nobody_reads() {
    thread::scope(|scope| {
        for format in ["ndjson", "human", "answer"] {
            scope.spawn(move || {
                let daemon = support::process::long_turn();
                let arguments = ["run", "-o", format, "--timeout", "1s", "go"];
                let begun = Instant::now();
                let mut child = spawn(at(&daemon, arguments), Stdio::piped());
                let status = wait_for(&mut child, HANG).expect("it hangs");
                let took = begun.elapsed();
                let stderr = std::io::read_to_string(child.stderr.take().unwrap()).unwrap();
                assert_eq!(status.code(), Some(124), "{stderr}");
                assert!(took >= BOUND && took < LATE, "{took:?}");
                assert!(
                    stderr.contains("waiting for the reader of stdout"),
                    "{stderr}"
                );
                assert!(stderr.contains("the turn ended: done"), "{stderr}");
            });
        }
    });
}

#[test]
fn b19_a_prompt_that_never_comes() {
    let daemon = daemon("done");
    let begun = Instant::now();
    let mut child = spawn_open(at(&daemon, ["run", "--timeout", "1s", "-"]));
    let open = child.stdin.take();
    let status = wait_for(&mut child, HANG).expect("it hangs");
    let took = begun.elapsed();
    drop(open);
    let stderr = std::io::read_to_string(child.stderr.take().unwrap()).unwrap();
    assert_eq!(status.code(), Some(124), "{stderr}");
    assert!(took >= BOUND && took < LATE, "{took:?}");
    assert!(stderr.contains("waiting for the end of stdin"), "{stderr}");
    let folder = tempfile::tempdir().unwrap();
    let prompt = fifo(folder.path());
    let (ran, _) = bounded(&daemon, &["run", "--file", prompt.to_str().unwrap()]);
    timed_out(ran, Duration::ZERO, "waiting for the prompt's file").out("");
    assert!(daemon.requests().is_empty());
}

#[test]
fn b19_a_named_pipe_for_the_events_that_nobody_opens() {
    let daemon = daemon("done");
    let folder = tempfile::tempdir().unwrap();
    let events = fifo(folder.path());
    let (ran, _) = bounded(
        &daemon,
        &["run", "--events", events.to_str().unwrap(), "go"],
    );
    timed_out(
        ran,
        Duration::ZERO,
        "waiting for a file to be opened for writing",
    )
    .out("");
    assert!(daemon.requests().is_empty(), "nothing is sent before");
}

#[test]
fn b15_waiting_for_a_person_is_named_as_such() {
    let daemon = daemon("approval");
    let (ran, summary) = bounded(&daemon, &["run", "--on-approval", "leave", "go"]);
    let ran = timed_out(ran, Duration::ZERO, "waiting for approval t1-0@");
    ran.err_has(" since ").err_has("session: blocked");
    assert_eq!(summary["reason"], "interrupted");
    assert_eq!(summary["approvals"][0]["approval_id"], "t1-0");
}

#[test]
fn b16_the_message_names_the_last_event_its_age_and_the_state() {
    let daemon = daemon("silence");
    let id = create(&daemon);
    let ran = at(&daemon, ["submit", "--json", "--timeout", "1s", &id, "go"]).run();
    let ran = timed_out(ran, Duration::ZERO, "waiting for the end of the turn");
    let events = ran.out_objects();
    // The interrupted turn's end comes after the last event that the message can know of.
    let last = &events[events.len() - 2];
    let (seq, kind) = (&last["seq"], last["type"].as_str().unwrap());
    let error = &ran.err_objects()[0]["error"];
    assert_eq!(error["code"], "timeout");
    assert_eq!(error["exit_code"], 124);
    let message = error["message"].as_str().unwrap();
    let named = format!("last event: seq {seq} ({kind}), ");
    assert!(message.contains(&named), "{named} {message}");
    assert!(
        message.contains(" s ago; session: running; the turn ended: interrupted"),
        "{message}"
    );
}

#[test]
fn a_wait_that_times_out_leaves_the_turn_alone() {
    let daemon = daemon("silence");
    let id = create(&daemon);
    at(&daemon, ["submit", "--detach", &id, "go"])
        .run()
        .exits(0);
    let (ran, summary) = bounded(&daemon, &["wait", &id]);
    let ran = timed_out(ran, Duration::ZERO, "waiting for the end of the turn");
    ran.err_has("the turn is left to the daemon");
    assert_eq!(summary["reason"], Value::Null);
    assert_eq!(seen(&daemon, "POST", "/interrupt"), 0);
    assert!(is_busy(&daemon));
}

/// The turn ends by itself while the daemon is being asked what it is doing.
#[test]
fn a_turn_that_ends_just_after_the_bound_still_timed_out() {
    let daemon = daemon_with("slow", |options| options.speed = Speed::Times(9.0));
    let id = create(&daemon);
    let asked = PathIs::Suffix(id.clone());
    daemon.add_fault(Fault::new("GET", asked, Act::Silence).only(2));
    let (ran, _) = bounded(&daemon, &["submit", &id, "go"]);
    timed_out(ran, Duration::ZERO, "waiting for the end of the turn").err_has("the turn ended: ");
}

/// The stop that a question caused is bounded, too.
#[test]
fn the_bound_also_holds_while_a_question_stops_the_turn() {
    let daemon = daemon("approval");
    daemon.add_fault(silence("POST", "/interrupt"));
    let (ran, _) = bounded(&daemon, &["run", "--on-approval", "fail", "go"]);
    timed_out(
        ran,
        Duration::from_millis(500),
        "waiting for approval t1-0@",
    );
    assert_eq!(seen(&daemon, "POST", "/interrupt"), 1);
}

#[test]
fn a_timeout_that_is_not_reached_changes_nothing() {
    let daemon = daemon("unverified");
    let ran = at(&daemon, ["run", "--timeout", "1h", "go"]).run();
    ran.exits(10)
        .out_has("unverified")
        .err_has("dcodectl: note: unverified");
    until("the session's end", || !is_busy(&daemon));
}
