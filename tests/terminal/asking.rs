//! Questions answered at the keyboard.

use std::path::Path;
use std::thread;
use std::time::Duration;

use dcodectl::simulate::{Daemon, Speed};
use serde_json::Value;

use crate::pty::{ASKED, Shown, Terminal, command, until_state};
use crate::support;

/// A run that writes a summary, started at a terminal.
fn start(daemon: &Daemon, summary: &Path) -> Terminal {
    let summary = summary.to_str().unwrap();
    Terminal::start(command(daemon, &["run", "--summary", summary, "Clean up"]))
}

/// The `(decision, by)` of every question in the summary, and the reason.
fn summarised(summary: &Path) -> (Vec<(String, String)>, Value) {
    let text = std::fs::read_to_string(summary).unwrap();
    let object: Value = serde_json::from_str(&text).unwrap();
    let word = |value: &Value| value.as_str().unwrap_or("null").to_owned();
    let approvals = object["approvals"].as_array().unwrap();
    let pairs = approvals
        .iter()
        .map(|one| (word(&one["decision"]), word(&one["by"])));
    (pairs.collect(), object["reason"].clone())
}

/// Plays a scenario, does something at its first question, and says how it ended.
fn played(scenario: &str, act: impl FnOnce(&mut Terminal, &Daemon)) -> (Shown, Summary) {
    let directory = tempfile::tempdir().unwrap();
    let summary = directory.path().join("summary.json");
    let daemon = support::daemon(scenario);
    let mut terminal = start(&daemon, &summary);
    terminal.wait_for(ASKED);
    act(&mut terminal, &daemon);
    (terminal.end(), summarised(&summary))
}

type Summary = (Vec<(String, String)>, Value);

fn by_person(decision: &str) -> Vec<(String, String)> {
    vec![(decision.to_owned(), "person".to_owned())]
}

#[test]
fn the_letters_answer() {
    let table = [
        ("y", "allow"),
        ("yes", "allow"),
        ("Y", "allow"),
        ("n", "deny"),
        ("no", "deny"),
        ("s", "allow_session"),
        ("p", "allow_project"),
        ("a", "allow_always"),
    ];
    for (typed, decision) in table {
        let (shown, (approvals, reason)) = played("approval", |terminal, _| terminal.line(typed));
        let shown = shown.exits(0);
        assert_eq!(approvals, by_person(decision), "{typed}");
        assert_eq!(reason, "done");
        let screen = shown.screen();
        let question = screen
            .iter()
            .position(|line| line.contains("allow?"))
            .unwrap();
        let outcome = match decision {
            "deny" => "  ✗ bash  rm -rf build  denied, not run",
            "allow" => "  ✓ allowed",
            _ => &format!("  ✓ allowed ({decision})"),
        };
        assert_eq!(screen[question - 2], "      rm -rf build", "{screen:#?}");
        assert_eq!(screen[question], format!("  ▸ {ASKED}{typed}"));
        assert_eq!(screen[question + 1], outcome, "{screen:#?}");
        // Whoever is asked here needs no other way to answer.
        shown.lacks("dcodectl approve").lacks("dcodectl: ");
    }
}

#[test]
fn what_is_no_answer_is_asked_again() {
    let (shown, (approvals, _)) = played("approval", |terminal, _| {
        terminal.line("maybe");
        terminal.wait_for("a letter, please: [y]es [n]o [s]ession [p]roject [a]lways ");
        terminal.line("");
        terminal.wait_for("a letter, please: [y]es [n]o [s]ession [p]roject [a]lways ");
        terminal.line("y");
    });
    assert_eq!(approvals, by_person("allow"));
    let shown = shown.exits(0);
    assert_eq!(shown.text.matches("      rm -rf build").count(), 1);
    shown.has("✓ allowed");
}

#[test]
fn an_answer_for_the_session_is_asked_for_once() {
    let (shown, (approvals, _)) = played("approval-session", |terminal, _| terminal.line("s"));
    let expected = [("allow_session", "person"), ("allow_session", "elsewhere")];
    let expected = expected.map(|(decision, by)| (decision.to_owned(), by.to_owned()));
    assert_eq!(approvals, expected);
    let shown = shown.exits(0);
    assert_eq!(shown.text.matches("allow?").count(), 1, "{}", shown.text);
}

#[test]
fn the_end_of_input_denies_one_question_and_no_other() {
    let (shown, (approvals, _)) = played("approval-session", |terminal, _| {
        terminal.control('d');
        terminal.wait_for(ASKED);
        terminal.line("y");
    });
    let expected = [("deny", "person"), ("allow", "person")];
    let expected = expected.map(|(decision, by)| (decision.to_owned(), by.to_owned()));
    assert_eq!(approvals, expected);
    let screen = shown.exits(0).screen();
    let denied = "  ✗ bash  rm -rf build  denied, not run";
    assert!(screen.iter().any(|line| line == denied), "{screen:#?}");
}

#[test]
fn what_was_typed_before_the_question_is_no_answer_to_it() {
    let directory = tempfile::tempdir().unwrap();
    let summary = directory.path().join("summary.json");
    let daemon = support::daemon_with("approval", |options| {
        options.speed = Speed::Times(0.5);
    });
    let mut terminal = start(&daemon, &summary);
    terminal.wait_for("Clean up");
    terminal.line("y");
    terminal.wait_for(ASKED);
    until_state(&daemon, "blocked");
    thread::sleep(Duration::from_millis(200));
    until_state(&daemon, "blocked");
    terminal.line("n");
    terminal.end().exits(0).has("denied, not run");
    assert_eq!(summarised(&summary).0, by_person("deny"));
}

#[test]
fn ctrl_c_at_the_question_interrupts_the_turn() {
    let (shown, (approvals, reason)) = played("approval", |terminal, _| terminal.control('c'));
    let shown = shown.exits(130);
    assert_eq!(reason, "interrupted");
    assert_eq!(
        approvals,
        [("deny".to_owned(), "elsewhere".to_owned())],
        "{shown:#?}"
    );
    let screen = shown.screen();
    // Nothing is glued to the question.
    let question = format!("  ▸ {ASKED}");
    assert!(screen.contains(&question), "{screen:#?}");
    let last = screen.iter().rfind(|line| !line.is_empty()).unwrap();
    assert_eq!(
        last,
        "dcodectl: error: stopped by INT; the turn ended: interrupted (exit code 130)"
    );
}

#[test]
fn a_question_resolved_elsewhere_is_no_longer_asked() {
    let (shown, (approvals, _)) = played("approval", |_, daemon| {
        let id = until_state(daemon, "blocked");
        let approve = ["approve", &id, "t1-0"];
        support::at(daemon, approve).run().exits(0).out("").err("");
    });
    assert_eq!(approvals, [("allow".to_owned(), "elsewhere".to_owned())]);
    let screen = shown.exits(0).screen();
    let question = screen
        .iter()
        .position(|line| line.contains("allow?"))
        .unwrap();
    assert_eq!(screen[question], format!("  ▸ {ASKED}"));
    assert_eq!(screen[question + 1], "  ✓ allowed", "{screen:#?}");
}

#[test]
fn where_stdout_is_no_page_at_the_terminal_the_question_is_whole_on_stderr() {
    let daemon = support::daemon("approval");
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("log");
    for format in ["human", "answer"] {
        let line = ["run", "-o", format, "--on-approval", "ask", "Clean up"];
        let script = r#"log=$1; shift; exec "$@" >"$log""#;
        let behind = ["-c", script, "sh", log.to_str().unwrap()];
        let mut terminal = Terminal::start(command(&daemon, &line).behind("sh", &behind));
        terminal.wait_for("? bash asks: rule:command  t1-0@");
        terminal.wait_for("    rm -rf build\r\n    reason: this command matches the rule *rm -rf*");
        terminal.wait_for(ASKED);
        terminal.line("y");
        terminal.end().exits(0);
        let log = std::fs::read_to_string(&log).unwrap();
        assert!(log.contains("Removed build/"), "{log}");
        assert!(!log.contains("allow?"), "{log}");
    }
}

#[test]
fn asking_without_somebody_to_ask_is_a_wrong_argument() {
    let daemon = support::daemon("approval");
    let run = ["run", "--on-approval", "ask", "Clean up"];
    let ran = support::at(&daemon, run).run().exits(2).out("");
    ran.err_has("--on-approval ask needs terminals");
    let json = ["run", "--json", "--on-approval", "ask", "Clean up"];
    let shown = Terminal::run(command(&daemon, &json)).exits(2);
    shown.has("\"code\":\"usage\"");
    assert_eq!(support::seen(&daemon, "POST", "/turns"), 0);
}

#[test]
fn a_prompt_typed_at_the_terminal_leaves_the_keyboard_to_the_questions() {
    let daemon = support::daemon("approval");
    let mut terminal = Terminal::start(command(&daemon, &["run", "-"]));
    terminal.line("Clean up");
    terminal.control('d');
    terminal.wait_for(ASKED);
    terminal.line("y");
    terminal.end().exits(0).has("  ✓ allowed");
}

#[test]
fn a_timeout_at_the_question_stands_on_a_line_of_its_own() {
    let daemon = support::daemon("approval");
    let run = ["run", "--timeout", "2s", "Clean up"];
    let mut terminal = Terminal::start(command(&daemon, &run));
    terminal.wait_for(ASKED);
    let screen = terminal.end().exits(124).screen();
    assert!(screen.contains(&format!("  ▸ {ASKED}")), "{screen:#?}");
    let message = "dcodectl: error: --timeout 2s reached, waiting for approval t1-0@";
    assert!(
        screen.iter().any(|line| line.starts_with(message)),
        "{screen:#?}"
    );
}

#[test]
fn a_deadline_that_answers_first_ends_the_question() {
    let daemon = support::daemon("approval-expires");
    let mut terminal = Terminal::start(command(&daemon, &["run", "Clean up"]));
    terminal.wait_for(ASKED);
    let shown = terminal.end();
    let screen = shown.screen();
    let question = screen
        .iter()
        .position(|line| line.contains("allow?"))
        .unwrap();
    assert_eq!(screen[question], format!("  ▸ {ASKED}"));
    assert!(screen[question + 1].contains("denied"), "{screen:#?}");
    shown.exits(0);
}
