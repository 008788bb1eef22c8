//! Outputs that fail: readers that leave, full disks, files that cannot be opened, pipes that nobody
//! empties. What is lost is said once; what awaits a turn goes on to its end.

#![allow(clippy::unwrap_used)]

mod support;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use dcodectl::simulate::Daemon;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use support::{
    HANG, Run, at, create, daemon, daemon_with, dcodectl, ends_with_the_turn, is_busy, objects,
    seen, until, wait_for,
};

/// Generous for what takes milliseconds on an idle machine.
const SOON: Duration = Duration::from_secs(6);

fn full() -> File {
    File::options().write(true).open("/dev/full").unwrap()
}

fn fifo(folder: &Path) -> PathBuf {
    let path = folder.join("fifo");
    mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    path
}

fn spawn(run: Run, stdout: impl Into<Stdio>) -> Child {
    let mut command = run.into_command();
    command
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Its end, with what is on stderr.
#[track_caller]
fn ends(mut child: Child, code: i32) -> String {
    let mut pipe = child.stderr.take().unwrap();
    let reading = thread::spawn(move || {
        let mut text = String::new();
        pipe.read_to_string(&mut text).unwrap();
        text
    });
    let status = wait_for(&mut child, HANG);
    let stderr = reading.join().unwrap();
    let status = status.unwrap_or_else(|| panic!("it hangs: {stderr}"));
    assert_eq!(status.code(), Some(code), "{stderr}");
    stderr
}

fn deletes(daemon: &Daemon) -> usize {
    let requests = daemon.requests();
    requests
        .iter()
        .filter(|seen| seen.method == "DELETE")
        .count()
}

fn json(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text:?}"))
}

// Readers that leave.

#[test]
fn a_reader_that_left_a_quiet_stream_ends_every_follower() {
    for format in ["human", "ndjson", "answer"] {
        let daemon = daemon("silence");
        let id = create(&daemon);
        let commands: [(&[&str], i32); 4] = [
            (&["submit", &id, "go"], 141),
            (&["wait", &id], 141),
            (&["tail", &id], 0),
            (&["run", "go"], 141),
        ];
        for (arguments, code) in commands {
            if format == "answer" && arguments[0] == "tail" {
                continue;
            }
            let streams = seen(&daemon, "GET", "/events");
            let line: Vec<&str> = [&["-o", format], arguments].concat();
            let mut child = spawn(at(&daemon, line), Stdio::piped());
            until("the stream", || {
                seen(&daemon, "GET", "/events") > streams && is_busy(&daemon)
            });
            let begun = Instant::now();
            drop(child.stdout.take());
            assert_eq!(ends(child, code), "", "{format} {arguments:?}");
            assert!(begun.elapsed() < SOON, "{format} {arguments:?}");
        }
        assert_eq!(
            seen(&daemon, "POST", "/interrupt"),
            1,
            "run alone stops its turn"
        );
        assert_eq!(deletes(&daemon), 1, "and closes its session");
        assert!(is_busy(&daemon), "the other turn is the daemon's");
    }
}

#[test]
fn b23_a_reader_that_takes_one_line_and_leaves() {
    let daemon = daemon("long-answer");
    let id = create(&daemon);
    at(&daemon, ["submit", &id, "go"]).run().exits(0);
    for (arguments, code) in [(["tail", "--json", &id].as_slice(), 0), (&["tail", &id], 0)] {
        let mut child = spawn(at(&daemon, arguments), Stdio::piped());
        one_line(&mut child);
        assert_eq!(ends(child, code), "", "{arguments:?}");
    }
    let quiet = self::daemon("silence");
    let id = create(&quiet);
    let mut child = spawn(at(&quiet, ["submit", "--json", &id, "go"]), Stdio::piped());
    one_line(&mut child);
    assert_eq!(ends(child, 141), "");
}

/// Reads one line of its stdout and closes it.
fn one_line(child: &mut Child) {
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert!(line.ends_with('\n'), "{line}");
}

#[test]
fn a_reader_that_left_before_the_start_is_no_message_either() {
    let daemon = daemon("done");
    let id = create(&daemon);
    let cases: [(&[&str], i32); 6] = [
        (&["list"], 0),
        (&["show", &id], 0),
        (&["help", "exit-codes"], 0),
        (&["--help"], 0),
        (&["tail", "--no-follow", &id], 0),
        (&["--json", "interrupt", &id], 0),
    ];
    for (arguments, code) in cases {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let child = spawn(at(&daemon, arguments), writer);
        assert_eq!(ends(child, code), "", "{arguments:?}");
    }
    assert_eq!(
        seen(&daemon, "POST", "/interrupt"),
        1,
        "what was asked for is done"
    );
}

#[test]
fn with_a_file_the_command_goes_on_unprinted() {
    for (scenario, code) in [("done", 0), ("unverified", 10), ("error", 16)] {
        for option in ["--events", "--summary"] {
            let daemon = daemon(scenario);
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("file");
            let (reader, writer) = std::io::pipe().unwrap();
            drop(reader);
            let arguments = ["--json", "run", option, file.to_str().unwrap(), "go"];
            let stderr = ends(spawn(at(&daemon, arguments), writer), code);
            assert_eq!(stderr.is_empty(), code == 0, "{stderr}");
            assert_eq!(seen(&daemon, "POST", "/interrupt"), 0);
            if option == "--events" {
                assert!(ends_with_the_turn(&fs::read_to_string(&file).unwrap()));
            } else {
                assert_eq!(json(&file)["exit_code"], code);
            }
        }
    }
}

#[test]
fn the_events_go_on_when_the_reader_leaves_in_the_middle() {
    let daemon = daemon_with("tools", |_| {});
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("events.ndjson");
    let arguments = ["--json", "run", "--events", file.to_str().unwrap(), "go"];
    let mut child = spawn(at(&daemon, arguments), Stdio::piped());
    one_line(&mut child);
    assert_eq!(ends(child, 0), "");
    let events = fs::read_to_string(&file).unwrap();
    assert!(ends_with_the_turn(&events));
    let first = objects(&events)[0]["seq"].as_u64().unwrap();
    for (index, event) in objects(&events).iter().enumerate() {
        assert_eq!(event["seq"], first + index as u64);
    }
}

// Full disks.

#[test]
fn a_full_disk_under_stdout_is_said_once_and_the_turn_goes_on() {
    for (scenario, code) in [("done", 74), ("unverified", 10), ("error", 16)] {
        for format in ["human", "ndjson", "answer"] {
            let daemon = daemon(scenario);
            let stderr = ends(
                spawn(at(&daemon, ["-o", format, "run", "go"]), full()),
                code,
            );
            let silent = scenario == "error" && format == "answer";
            let said = stderr.matches("stdout could not be written").count();
            assert_eq!(said, usize::from(!silent), "{scenario} {format}: {stderr}");
            assert_eq!(seen(&daemon, "POST", "/interrupt"), 0);
            assert_eq!(deletes(&daemon), 1);
        }
    }
}

#[test]
fn a_full_disk_under_stdout_fails_every_other_command() {
    let daemon = daemon("undo-refused");
    let id = create(&daemon);
    at(&daemon, ["submit", &id, "go"]).run();
    let log = support::recording("done-tools");
    let cases: [(&[&str], i32); 11] = [
        (&["list"], 74),
        (&["show", &id], 74),
        (&["create"], 74),
        (&["ping"], 74),
        (&["tail", "--no-follow", &id], 74),
        (&["tail", &id], 74),
        (&["help", "exit-codes"], 74),
        (&["--version"], 74),
        (&["simulate", "--list"], 74),
        (&["undo", &id], 21),
        (&["--json", "close", &id, "nobody"], 30),
    ];
    for (arguments, code) in cases {
        let stderr = ends(spawn(at(&daemon, arguments), full()), code);
        let said = stderr.matches("stdout could not be written").count();
        assert_eq!(said, 1, "{arguments:?}: {stderr}");
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.ndjson");
    fs::write(&file, support::data_lines(&log).join("\n")).unwrap();
    let stderr = ends(
        spawn(dcodectl(["render", file.to_str().unwrap()]), full()),
        74,
    );
    assert_eq!(
        stderr.matches("stdout could not be written").count(),
        1,
        "{stderr}"
    );
}

#[test]
fn a_full_disk_under_a_file_is_said_once_and_the_rest_is_written() {
    for option in ["--events", "--summary"] {
        for (scenario, code) in [("done", 74), ("incomplete", 11), ("max-tokens", 14)] {
            let daemon = daemon(scenario);
            let ran = at(&daemon, ["--json", "run", option, "/dev/full", "go"]).run();
            let ran = ran.exits(code).err_has("/dev/full cannot be written");
            assert_eq!(ran.stderr.matches("/dev/full").count(), 1, "{ran:#?}");
            assert!(ends_with_the_turn(&ran.stdout), "{ran:#?}");
            assert_eq!(seen(&daemon, "POST", "/interrupt"), 0);
        }
    }
    let daemon = daemon("done");
    let ran = at(
        &daemon,
        ["run", "--accept", "done", "--events", "/dev/full", "go"],
    )
    .run();
    ran.exits(74).out_has("done").err_has("no storage space");
}

#[test]
fn the_summary_knows_of_a_full_disk_under_the_events() {
    let daemon = daemon("done");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("summary.json");
    let arguments = [
        "run",
        "--events",
        "/dev/full",
        "--summary",
        file.to_str().unwrap(),
        "go",
    ];
    at(&daemon, arguments)
        .run()
        .exits(74)
        .out_has("done")
        .err_has("/dev/full");
    assert_eq!(json(&file)["exit_code"], 74);
    assert_eq!(json(&file)["reason"], "done");
}

#[test]
fn a_stderr_that_takes_nothing_changes_nothing() {
    let daemon = daemon("error");
    let mut command = at(&daemon, ["run", "go"]).into_command();
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(full());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(16), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("error"));
}

// Files that cannot be opened.

#[test]
fn a_file_that_cannot_be_opened_fails_before_anything_is_sent() {
    let daemon = daemon("done");
    for option in ["--events", "--summary"] {
        for command in [
            ["run", "go"].as_slice(),
            &["submit", "s", "go"],
            &["wait", "s"],
        ] {
            let arguments = [command, &[option, "/nowhere/at/all"]].concat();
            let ran = at(&daemon, arguments).run().exits(74).out("");
            let ran = ran.err_has("dcodectl: error: /nowhere/at/all cannot be written");
            assert_eq!(ran.stderr.lines().count(), 1, "{ran:#?}");
        }
    }
    assert!(daemon.requests().is_empty());
}

#[test]
fn the_summary_tells_of_an_events_file_that_cannot_be_opened() {
    let daemon = daemon("done");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("summary.json");
    fs::write(&file, "stale and longer than what comes ".repeat(200)).unwrap();
    let summary = file.to_str().unwrap();
    let arguments = [
        "run",
        "--events",
        "/nowhere/at/all",
        "--summary",
        summary,
        "go",
    ];
    at(&daemon, arguments)
        .run()
        .exits(74)
        .out("")
        .err_has("/nowhere/at/all");
    let object = json(&file);
    assert_eq!(
        (&object["exit_code"], &object["session_id"]),
        (&74.into(), &Value::Null)
    );
    assert!(daemon.requests().is_empty());
}

#[test]
fn stale_files_are_emptied_before_anything_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    let (events, summary) = (folder.path().join("e"), folder.path().join("s"));
    for file in [&events, &summary] {
        fs::write(file, "stale").unwrap();
    }
    let (events_text, summary_text) = (events.to_str().unwrap(), summary.to_str().unwrap());
    let arguments = [
        "run",
        "--events",
        events_text,
        "--summary",
        summary_text,
        "go",
    ];
    let nobody = dcodectl(arguments).env("DCODE_SOCKET", "/nowhere/at/all.sock");
    nobody.run().exits(69).out("").err_has("dcodectl: error: ");
    assert_eq!(fs::read_to_string(&events).unwrap(), "");
    assert_eq!(json(&summary)["exit_code"], 69);
}

// Pipes that nobody empties.

/// Too much for a pipe to hold.
fn long_turn() -> Daemon {
    let text = "x".repeat(300_000);
    let delta = format!(r#"{{"turn_id":"t1","text":"{text}"}}"#);
    let events = [
        ("turn.started", r#"{"turn_id":"t1"}"#),
        ("message.delta", delta.as_str()),
        ("turn.completed", r#"{"turn_id":"t1","reason":"done"}"#),
    ];
    support::playing(&events, |_| {})
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
fn a_summary_on_a_stdout_without_a_reader_is_no_file() {
    let daemon = daemon("done");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let child = spawn(at(&daemon, ["run", "--summary", "-", "go"]), writer);
    assert_eq!(ends(child, 141), "");
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
