//! `--on-approval exec:CMD`: what counts as an answer, and what CMD gets to see.

use std::fs;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::summary;
use crate::support::{Ran, at, daemon, seen};

const ALLOWED: &str = "Removed build/ and left everything else alone. ";
const DENIED: &str = "I was not allowed to remove build/, so it is still there. ";

/// Runs a turn with one question, answered by this command.
fn asked(command: &str) -> (Ran, String, Value) {
    let daemon = daemon("approval");
    let policy = format!("exec:{command}");
    let arguments = [
        "run",
        "--json",
        "--summary",
        "-",
        "--on-approval",
        &policy,
        "--approval-timeout",
        "20s",
        "go",
    ];
    let ran = at(&daemon, arguments).run().exits(0);
    assert_eq!(seen(&daemon, "POST", "/t1-0"), 1, "{ran:#?}");
    let requests = daemon.requests();
    let answer = requests
        .iter()
        .find(|seen| seen.path().ends_with("/t1-0"))
        .unwrap();
    let sent: Value = serde_json::from_slice(&answer.body).unwrap();
    let summary = summary(&ran);
    assert_eq!(summary["approvals"][0]["by"], "exec", "{ran:#?}");
    assert_eq!(
        summary["approvals"][0]["decision"], sent["decision"],
        "{ran:#?}"
    );
    (ran, sent["decision"].as_str().unwrap().to_owned(), summary)
}

#[test]
fn each_of_the_five_decisions_is_an_answer() {
    thread::scope(|scope| {
        for decision in [
            "allow",
            "allow_session",
            "allow_project",
            "allow_always",
            "deny",
        ] {
            scope.spawn(move || {
                let (ran, sent, summary) = asked(&format!("echo {decision}"));
                assert_eq!(sent, decision);
                assert!(ran.err_objects().is_empty(), "{ran:#?}");
                let answer = if decision == "deny" { DENIED } else { ALLOWED };
                assert_eq!(summary["answer"], answer);
            });
        }
    });
    // The line break may be missing.
    assert_eq!(asked("printf allow").1, "allow");
}

#[test]
fn the_command_is_split_like_a_shell_would_and_run_without_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (word, question) = (file("word"), file("question"));
    let script =
        r#"printf %s "$1" >"$2"; read -r line && printf %s "$line" >"$3"; cat >>"$3"; echo allow"#;
    let command =
        format!(r#"sh -c '{script}' sh "two  words; \$HOME * | \"quoted\"" {word} {question}"#);
    let (ran, sent, _) = asked(&command);
    assert_eq!(sent, "allow");
    assert!(ran.err_objects().is_empty(), "{ran:#?}");
    assert_eq!(
        fs::read_to_string(word).unwrap(),
        r#"two  words; $HOME * | "quoted""#
    );
    // The object of `approvals`, one line of it.
    let question = fs::read_to_string(question).unwrap();
    assert!(!question.contains('\n'), "{question}");
    let question: Value = serde_json::from_str(&question).unwrap();
    assert_eq!(
        (&question["approval_id"], &question["tool"]),
        (&"t1-0".into(), &"bash".into())
    );
    assert_eq!(question["rule"], "*rm -rf*");
    assert_eq!(question["input"]["command"], "rm -rf build");
    let events = ran.out_objects();
    let asked = events
        .iter()
        .find(|event| event["type"] == "tool.approval_required")
        .unwrap();
    assert_eq!(question["handle"], format!("t1-0@{}", asked["seq"]));
}

#[test]
fn whatever_is_no_answer_is_a_deny_and_says_why() {
    let cases = [
        (
            "echo yes",
            "said \"yes\\n\", which is none of the five decisions",
        ),
        ("echo ' allow'", "none of the five"),
        (r"printf 'allow\nallow\n'", "none of the five"),
        (r"printf 'allow\r\n'", "none of the five"),
        (r"printf 'allow\n\n'", "none of the five"),
        (r"printf '\377'", "none of the five"),
        ("true", "said \"\""),
        ("false", "false failed: exit status: 1"),
        ("sh -c 'echo allow; exit 3'", "sh failed: exit status: 3"),
        ("sh -c 'echo allow; kill -9 $$'", "sh failed: signal: 9"),
        ("head -c 3000000 /dev/zero", "head "),
        (
            "sh -c 'trap \"\" PIPE; echo allow; head -c 3000000 /dev/zero 2>/dev/null; true'",
            "none of the five",
        ),
        ("/nowhere/at/all --flag", "/nowhere/at/all cannot be run: "),
        ("/", "/ cannot be run: "),
    ];
    thread::scope(|scope| {
        for (command, why) in cases {
            scope.spawn(move || {
                let (ran, sent, summary) = asked(command);
                assert_eq!(sent, "deny", "{command} {ran:#?}");
                assert_eq!(summary["answer"], DENIED, "{command}");
                let err = ran.err_objects();
                let last = &err.last().unwrap()["notice"];
                assert_eq!(
                    last["code"], "approval_program_failed",
                    "{command} {ran:#?}"
                );
                let message = last["message"].as_str().unwrap();
                assert!(message.contains(why), "{command}: {message}");
                assert!(message.ends_with("is denied"), "{command}: {message}");
                assert!(message.len() < 1000, "{command}: {} bytes", message.len());
            });
        }
    });
}

#[test]
fn its_stderr_becomes_notices_that_come_before_what_follows() {
    let script = r"printf 'one\ntwo\377\n\nfour' >&2; echo allow";
    let (ran, sent, _) = asked(&format!("sh -c \"{script}\""));
    assert_eq!(sent, "allow");
    let lines: Vec<(String, String)> = ran
        .err_objects()
        .iter()
        .map(|line| {
            let text = |name: &str| line["notice"][name].as_str().unwrap().to_owned();
            (text("code"), text("message"))
        })
        .collect();
    let expected = ["one", "two\u{fffd}", "", "four"]
        .map(|text| ("approval_program".to_owned(), text.to_owned()));
    assert_eq!(lines, expected);
    // Control characters of its are shown, not obeyed; and what it says may be long.
    let daemon = daemon("approval");
    let policy = r#"exec:sh -c 'printf "\033[2J\n" >&2; head -c 200000 /dev/zero | tr "\0" Q >&2; echo allow'"#;
    let ran = at(&daemon, ["run", "--on-approval", policy, "go"])
        .run()
        .exits(0);
    assert!(!ran.stderr.contains('\u{1b}'), "{ran:#?}");
    assert_eq!(ran.stderr.matches('Q').count(), 200_000);
    ran.out_has("Removed build/");
}

#[test]
fn what_it_leaves_behind_holds_no_answer_up() {
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    // The one it leaves behind keeps its stdout and stderr open.
    let command = format!("sh -c 'sleep 40 & echo $! >{}; echo allow'", pid.display());
    let (ran, sent, _) = asked(&command);
    let left = fs::read_to_string(&pid).unwrap().trim().parse().unwrap();
    let left = rustix::process::Pid::from_raw(left).unwrap();
    let _ = rustix::process::kill_process(left, rustix::process::Signal::KILL);
    assert_eq!(sent, "allow", "{ran:#?}");
    assert!(ran.err_objects().is_empty(), "{ran:#?}");
    assert!(ran.took < Duration::from_secs(15), "{ran:#?}");
}
