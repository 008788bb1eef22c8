//! Full disks, and files that cannot be opened.

use std::fs;
use std::process::Stdio;

use serde_json::Value;

use super::json;
use crate::support::process::{deletes, ends, full, spawn};
use crate::support::{self, at, create, daemon, dcodectl, ends_with_the_turn, seen};

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
    // Only plain success has nothing to say.
    let message = json(&file)["message"].to_string();
    assert!(message.contains("/dev/full cannot be written"), "{message}");
    let line = ["run", "--summary", file.to_str().unwrap(), "go"];
    ends(spawn(at(&daemon, line), full()), 74);
    let message = json(&file)["message"].to_string();
    assert!(message.contains("stdout could not be written"), "{message}");
}

#[test]
fn a_stderr_that_takes_nothing_changes_nothing() {
    let daemon = daemon("error");
    let child = at(&daemon, ["run", "go"]).spawn(Stdio::null(), Stdio::piped(), full());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(16), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("error"));
}

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
            let ran = ran.err_has("\n  hint: mkdir -p /nowhere/at\n");
            assert_eq!(ran.stderr.lines().count(), 2, "{ran:#?}");
        }
        // A folder that is there needs no making, and of a file that is a folder more is not known.
        for file in ["/proc/nothing", "/"] {
            let ran = at(&daemon, ["run", "go", option, file]).run().exits(74);
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
