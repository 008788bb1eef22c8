//! Nothing is read and nothing is asked where nobody is: stdin elsewhere, or no terminal at all.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use dcodectl::simulate::Daemon;
use serde_json::Value;

use crate::pty::{Shown, Terminal};
use crate::support::process::spawn_open;
use crate::support::{self, wait_for};

/// What is in the file that is stdin.
const UNREAD: &str = "y\ny\ny\n";

/// Runs the binary at a terminal, with a file as stdin; shows afterwards what is left of the file.
fn beside_a_file(daemon: &Daemon, arguments: &[&str]) -> Shown {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("stdin");
    fs::write(&file, UNREAD).unwrap();
    // The shell shares the file's position with the binary, so `cat` prints what was not read.
    let script = r#"exec 3<"$1"; shift; "$@" <&3; code=$?; printf 'left:'; cat <&3; exit $code"#;
    let run = support::at(daemon, arguments).env("TERM", "xterm");
    let beside = run.behind("sh", &["-c", script, "sh", file.to_str().unwrap()]);
    Terminal::run(beside.dir(directory.path()))
}

/// What is wrong with an output is seen at a terminal, too; `tests/watched.rs` has the other ways.
#[test]
fn a_wrong_line_at_a_terminal_fails_the_test() {
    let event = r#"{"seq":1,"type":"turn.started","payload":{"turn_id":"t1"}}"#;
    let daemon = support::daemon("done");
    for (line, is_wrong) in [
        (event.to_owned(), false),
        (event.replace(":1,", ":0,"), true),
    ] {
        let run = support::at(&daemon, ["run", "--json", "x"]);
        let run = run.behind("sh", &["-c", &format!("echo '{line}'")]);
        let shown = catch_unwind(AssertUnwindSafe(|| Terminal::run(run)));
        assert_eq!(shown.is_err(), is_wrong, "{line}");
    }
}

#[test]
fn b13_no_command_reads_stdin_or_asks_unless_both_ends_are_a_terminal() {
    let log = tempfile::NamedTempFile::new().unwrap();
    let log = log.path().to_str().unwrap();
    let commands: Vec<(i32, Vec<&str>)> = vec![
        (0, vec!["run", "Clean up"]),
        (0, vec!["submit", "S", "Clean up"]),
        (0, vec!["submit", "--detach", "S", "Clean up"]),
        (32, vec!["wait", "S"]),
        (0, vec!["tail", "--no-follow", "S"]),
        (0, vec!["create"]),
        (0, vec!["list"]),
        (0, vec!["show", "S"]),
        (0, vec!["close", "S"]),
        (32, vec!["steer", "S", "Stop that"]),
        (0, vec!["interrupt", "S"]),
        (0, vec!["approvals", "S"]),
        (34, vec!["approve", "S", "t1-0"]),
        (34, vec!["deny", "S", "t1-0"]),
        (0, vec!["rename", "S", "A name"]),
        (0, vec!["undo", "S"]),
        (0, vec!["ping"]),
        (0, vec!["render", log]),
        (0, vec!["simulate", "--", "true"]),
        (0, vec!["schema", "events"]),
        (0, vec!["help"]),
        (0, vec!["completions", "bash"]),
        (0, vec!["man"]),
        // A TEXT that is missing is a usage error and not a read.
        (2, vec!["run"]),
        (2, vec!["submit", "S"]),
        (2, vec!["steer", "S"]),
        (2, vec!["rename", "S"]),
        (2, vec!["run", ""]),
        (2, vec![]),
    ];
    for name in support::commands() {
        let tried = commands
            .iter()
            .any(|(_, line)| line.first() == Some(&&*name));
        assert!(tried, "{name} is not in the list");
    }
    for (code, line) in commands {
        let daemon = support::daemon("approval");
        let id = support::create(&daemon);
        let line: Vec<&str> = line
            .into_iter()
            .map(|word| if word == "S" { id.as_str() } else { word })
            .collect();
        let shown = beside_a_file(&daemon, &line).exits(code);
        let left = format!("left:{}", UNREAD.replace('\n', "\r\n"));
        assert!(shown.text.ends_with(&left), "{line:?}: {}", shown.text);
        shown.lacks("allow?").lacks("[y]es");
    }
}

#[test]
fn b11_a_stdin_that_never_ends_holds_nothing_up() {
    let daemon = support::daemon("done");
    let id = support::create(&daemon);
    let mut child = spawn_open(support::at(&daemon, ["submit", &id, "hi"]));
    // Held open, and never written to.
    let stdin = child.stdin.take();
    let status = wait_for(&mut child, Duration::from_secs(20)).expect("waits for stdin");
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(status.code(), Some(0), "{output:?}");
    assert!(!output.stdout.is_empty());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn b12_a_question_nobody_can_answer_never_blocks() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("summary.json");
    let summary = file.to_str().unwrap();
    let approvals = || {
        let object: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        object["approvals"].clone()
    };
    let daemon = support::daemon("approval");
    let run = ["run", "--summary", summary, "Clean up"];
    let ran = support::at(&daemon, run).run().exits(0);
    let ran = ran.within(Duration::from_secs(10));
    let ran = ran.err_has("dcodectl: note: denied t1-0@");
    ran.out_has("✗ bash  rm -rf build  denied, not run");
    assert_eq!(approvals()[0]["decision"], "deny");
    assert_eq!(approvals()[0]["by"], "policy");

    let fail = ["run", "--on-approval", "fail", "--summary", summary, "x"];
    let ran = support::at(&daemon, fail).run().exits(20);
    let ran = ran.within(Duration::from_secs(3));
    let ran = ran.err_has("dcodectl: error: approval t1-0@");
    ran.err_has("--on-approval leave").err_has("(exit code 20)");
    assert_eq!(support::seen(&daemon, "POST", "/interrupt"), 1);
}
