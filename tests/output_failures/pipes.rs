//! Pipes that nobody empties, or not at once.

use std::fs::File;
use std::io::Read;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::{SOON, json};
use crate::support::process::{deletes, ends, fifo, long_turn, spawn};
use crate::support::{self, HANG, at, daemon, ends_with_the_turn, objects, until, wait_for};

#[test]
fn a_stderr_that_nobody_reads_holds_nothing_up() {
    let message = "m".repeat(300_000);
    let error = format!(r#"{{"code":"auth","message":"{message}"}}"#);
    let events = [
        ("turn.started", r#"{"turn_id":"t1"}"#),
        ("session.error", error.as_str()),
        ("turn.completed", r#"{"turn_id":"t1","reason":"error"}"#),
    ];
    let daemon = support::playing(&events, |_| {});
    let begun = Instant::now();
    let mut child = spawn(at(&daemon, ["run", "--json", "go"]), Stdio::null());
    let status = wait_for(&mut child, HANG).expect("it hangs");
    assert_eq!(status.code(), Some(16));
    assert!(begun.elapsed() < SOON);
}

#[test]
fn a_named_pipe_that_nobody_opens_is_left_at_a_signal() {
    let daemon = daemon("done");
    let folder = tempfile::tempdir().unwrap();
    let (pipe, summary) = (fifo(folder.path()), folder.path().join("summary.json"));
    let arguments = [
        "run",
        "--events",
        pipe.to_str().unwrap(),
        "--summary",
        summary.to_str().unwrap(),
        "go",
    ];
    let child = spawn(at(&daemon, arguments), Stdio::piped());
    until("the summary to be opened", || summary.exists());
    thread::sleep(Duration::from_millis(100));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let stderr = ends(child, 130);
    assert!(
        stderr.contains("stopped by INT; no turn was seen to start"),
        "{stderr}"
    );
    assert_eq!(json(&summary)["exit_code"], 130);
    assert!(daemon.requests().is_empty());
}

#[test]
fn the_code_in_a_summary_that_is_written_is_the_code() {
    // More than a pipe holds: the signal comes in the middle of it.
    let delta = format!(r#"{{"turn_id":"t1","text":"{}"}}"#, "m".repeat(300_000));
    let events = [
        ("turn.started", r#"{"turn_id":"t1"}"#),
        ("message.delta", delta.as_str()),
        (
            "turn.completed",
            r#"{"turn_id":"t1","reason":"incomplete"}"#,
        ),
    ];
    let daemon = support::playing(&events, |_| {});
    let folder = tempfile::tempdir().unwrap();
    let pipe = fifo(folder.path());
    let name = pipe.to_str().unwrap();
    for is_read in [true, false] {
        let run = at(&daemon, ["run", "--quiet", "--summary", name, "go"]);
        let mut child = spawn(run, Stdio::null());
        let mut reader = File::open(&pipe).unwrap();
        let mut text = vec![0];
        reader.read_exact(&mut text).unwrap();
        kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
        if is_read {
            thread::sleep(Duration::from_millis(20));
            reader.read_to_end(&mut text).unwrap();
            let summary: serde_json::Value = serde_json::from_slice(&text).unwrap();
            assert_eq!(summary["exit_code"], 11);
            assert_eq!(ends(child, 11), "");
        } else {
            let status = wait_for(&mut child, HANG).expect("it hangs");
            assert_eq!(status.code(), Some(143));
        }
    }
}

#[test]
fn events_that_nobody_reads_delay_neither_signal_nor_timeout() {
    for bound in ["1s", "1h"] {
        let daemon = long_turn();
        let folder = tempfile::tempdir().unwrap();
        let (pipe, summary) = (fifo(folder.path()), folder.path().join("summary.json"));
        let arguments = [
            "run",
            "--timeout",
            bound,
            "--events",
            pipe.to_str().unwrap(),
            "--summary",
            summary.to_str().unwrap(),
            "go",
        ];
        let child = spawn(at(&daemon, arguments), Stdio::null());
        // Opened, so that it can be written to, and never read.
        let _reader = File::open(&pipe).unwrap();
        until("the close", || deletes(&daemon) == 1);
        if bound == "1h" {
            thread::sleep(Duration::from_millis(100));
            kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
            let stderr = ends(child, 143);
            assert!(
                stderr.contains("stopped by TERM; the turn ended: done"),
                "{stderr}"
            );
            assert_eq!(json(&summary)["exit_code"], 143);
        } else {
            let stderr = ends(child, 124);
            let expected = format!("waiting for the reader of {}", pipe.display());
            assert!(stderr.contains(&expected), "{stderr}");
            assert_eq!(json(&summary)["exit_code"], 124);
        }
    }
}

/// 141 is for stdout; events that nobody takes any more are lost, and that is said.
#[test]
fn a_reader_of_the_events_that_leaves_is_a_failed_write() {
    let daemon = long_turn();
    let folder = tempfile::tempdir().unwrap();
    let pipe = fifo(folder.path());
    let arguments = ["--json", "run", "--events", pipe.to_str().unwrap(), "go"];
    let running = at(&daemon, arguments).start();
    drop(File::open(&pipe).unwrap());
    let ran = running.wait().exits(74);
    assert!(ends_with_the_turn(&ran.stdout), "the rest is written");
    let errors = ran.err_objects();
    assert_eq!(errors.len(), 1, "{errors:#?}");
    assert_eq!(errors[0]["error"]["code"], "output_failed");
}

#[test]
fn b22_a_reader_that_begins_late_gets_everything() {
    let text = "0123456789abcdef".repeat(5 * 65_536);
    let delta = format!(r#"{{"turn_id":"t1","text":"{text}"}}"#);
    let events = [
        ("turn.started", r#"{"turn_id":"t1"}"#),
        ("message.delta", delta.as_str()),
        ("turn.completed", r#"{"turn_id":"t1","reason":"done"}"#),
    ];
    let daemon = support::playing(&events, |_| {});
    let mut child = spawn(at(&daemon, ["--json", "run", "go"]), Stdio::piped());
    until("the close", || deletes(&daemon) == 1);
    // It has nothing left to do but to be read.
    thread::sleep(Duration::from_secs(1));
    assert!(
        child.try_wait().unwrap().is_none(),
        "it waits for its reader"
    );
    let mut out = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut out)
        .unwrap();
    assert_eq!(ends(child, 0), "");
    let got = objects(&out);
    assert_eq!(got.len(), 3);
    assert_eq!(got[1]["payload"]["text"].as_str(), Some(text.as_str()));
    assert!(ends_with_the_turn(&out));
}

#[test]
fn a_summary_on_stdout_is_its_last_line() {
    let daemon = daemon("unverified");
    let ran = at(&daemon, ["--json", "run", "--summary", "-", "go"]).run();
    let ran = ran.exits(10).err_has("unverified");
    let last = ran.out_objects().pop().unwrap();
    assert_eq!(
        (&last["exit_code"], &last["schema_version"]),
        (&10.into(), &1.into())
    );
    let both = ["-o", "answer", "run", "--summary", "-", "go"];
    at(&daemon, both)
        .run()
        .exits(2)
        .out("")
        .err_has("both want stdout");
}
