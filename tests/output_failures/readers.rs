//! Readers that leave.

use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use dcodectl::simulate::{Act, Daemon, Fault, PathIs};

use super::{SOON, json};
use crate::support::process::{deletes, ends, one_line, spawn, spawn_open};
use crate::support::{
    at, create, daemon, daemon_with, ends_with_the_turn, is_busy, objects, seen, until,
};

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
fn a_reader_that_left_while_something_is_awaited_ends_the_command() {
    let refuses = daemon("refuse");
    let done = daemon("done");
    let cases: [(&Daemon, &[&str], i32); 6] = [
        (&refuses, &["submit", "s", "go"], 141),
        (&refuses, &["wait", "s"], 141),
        (&refuses, &["list"], 0),
        (&refuses, &["ping", "--wait", "1h"], 0),
        (&done, &["run", "-"], 141),
        (&done, &["render", "-"], 0),
    ];
    for (daemon, arguments, code) in cases {
        let mut child = spawn_open(at(daemon, arguments));
        let stdin = child.stdin.take();
        thread::sleep(Duration::from_millis(50));
        let begun = Instant::now();
        drop(child.stdout.take());
        assert_eq!(ends(child, code), "", "{arguments:?}");
        assert!(begun.elapsed() < SOON, "{arguments:?}");
        drop(stdin);
    }
    assert!(done.requests().is_empty());
}

#[test]
fn a_reader_that_left_while_the_session_is_created() {
    let daemon = daemon("done");
    daemon.add_fault(Fault::new(
        "POST",
        PathIs::Suffix("/v1/sessions".to_owned()),
        Act::DelayAnswer(Duration::from_millis(300)),
    ));
    let mut child = spawn(at(&daemon, ["run", "go"]), Stdio::piped());
    until("the create", || seen(&daemon, "POST", "/v1/sessions") == 1);
    drop(child.stdout.take());
    assert_eq!(ends(child, 141), "");
    assert_eq!(seen(&daemon, "POST", "/turns"), 0);
    assert_eq!(deletes(&daemon), 1);
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

#[test]
fn a_summary_on_a_stdout_without_a_reader_is_no_file() {
    let daemon = daemon("done");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let child = spawn(at(&daemon, ["run", "--summary", "-", "go"]), writer);
    assert_eq!(ends(child, 141), "");
}
