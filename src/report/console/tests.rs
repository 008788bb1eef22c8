//! What a person and a script read on stderr.

use std::cell::Cell;

use super::*;
use crate::report::testing::{Capture, screen};

fn console(json: bool, quiet: bool, width: usize) -> (SharedConsole, Capture) {
    let capture = Capture::default();
    let options = ConsoleOptions {
        json,
        quiet,
        status: true,
        shared: true,
        palette: Palette::plain(),
        width: Box::new(move || width),
        workflow_safe: false,
    };
    let console = SharedConsole::new(Box::new(capture.clone()), options);
    (console, capture)
}

#[test]
fn people_read_lines() {
    let (console, capture) = console(false, false, 80);
    console.notice("reconnected", "the stream\x1b[2J was\nlost");
    console.error("unreachable", 69, "no daemon", Some("start it"));
    console.error("usage", 2, "no\rTEXT", None);
    console.block("Allow?\n");
    assert_eq!(
        capture.text(),
        "dcodectl: note: the stream\\x1b[2J was\\nlost\n\
         dcodectl: error: no daemon\n  hint: start it\n\
         dcodectl: error: no\\rTEXT\nAllow?\n"
    );
}

#[test]
fn b25_scripts_read_objects_and_nothing_else() {
    let (console, capture) = console(true, false, 80);
    console.status(Some("working".into()));
    console.notice("reconnected", "a\n\"b\"");
    console.block("Allow?\n");
    console.error("timeout", 124, "late", None);
    console.error("usage", 2, "what", Some("that"));
    console.clear();
    let text = capture.text();
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(
        text.lines().nth(1),
        Some(r#"{"error":{"code":"timeout","exit_code":124,"message":"late"}}"#)
    );
    assert_eq!(lines[0]["notice"]["message"], "a\n\"b\"");
    assert_eq!(lines[2]["error"]["hint"], "that");
}

#[test]
fn quiet_silences_notices_and_not_errors() {
    for json in [false, true] {
        let (console, capture) = console(json, true, 80);
        console.notice("x", "y");
        assert_eq!(capture.text(), "");
        console.heartbeat("heartbeat", "still here");
        assert_eq!(capture.text().lines().count(), 1);
        console.error("x", 1, "y", None);
        assert!(!capture.text().is_empty());
    }
}

#[test]
fn the_status_line_leaves_no_trace() {
    let (console, capture) = console(false, false, 24);
    console.status(Some("round 1 · 日本語日本語日本語日本語".into()));
    assert_eq!(screen(&capture.text()), ["round 1 · 日本語日本語…"]);
    console.status(Some("short\n\x1b]0;x\x07".into()));
    assert_eq!(screen(&capture.text()), ["short\\n\\x1b]0;x\\x07"]);
    console.notice("x", "kept");
    console.status(Some("again".into()));
    console.status(Some("again".into()));
    console.status(None);
    console.clear();
    assert_eq!(screen(&capture.text()), ["dcodectl: note: kept", ""]);
    assert!(!capture.text().contains("again\r\r\x1b[Kagain"));
}

#[test]
fn a_status_line_that_a_narrower_terminal_broke_is_erased_in_all_its_rows() {
    let (console, capture) = console(false, false, 30);
    console.status(Some("twenty-two columns wide".into()));
    let width = Rc::new(Cell::new(30));
    let asked = width.clone();
    console.0.borrow_mut().options.width = Box::new(move || asked.get());
    let erased = |columns| {
        width.set(30);
        console.status(Some("twenty-two columns wide".into()));
        let before = capture.text().len();
        width.set(columns);
        console.clear();
        capture.text()[before..].to_owned()
    };
    assert_eq!(erased(30), "\r\x1b[K");
    assert_eq!(erased(24), "\r\x1b[K");
    assert_eq!(erased(20), "\r\x1b7\x1b[B\x1b[K\x1b8\r\x1b[K");
    let two = "\x1b[B\x1b[K".repeat(2);
    assert_eq!(erased(10), format!("\r\x1b7{two}\x1b8\r\x1b[K"));
    assert_eq!(erased(0), "\r\x1b[K");
}

#[test]
fn a_notice_begins_on_its_own_line() {
    let (console, capture) = console(false, false, 80);
    console.set_open_line(true);
    console.notice("x", "one");
    console.notice("x", "two");
    assert_eq!(
        capture.text(),
        "\ndcodectl: note: one\ndcodectl: note: two\n"
    );
}

#[test]
fn a_message_stands_apart_from_a_text_that_is_over() {
    let (console, capture) = console(false, false, 80);
    console.set_text_over();
    console.notice("x", "one");
    console.error("x", 1, "two", None);
    assert_eq!(
        capture.text(),
        "\ndcodectl: note: one\ndcodectl: error: two\n"
    );
}

#[test]
fn a_prompt_stands_until_it_is_answered() {
    let (console, capture) = console(false, false, 80);
    console.status(Some("working".into()));
    console.prompt("allow? ");
    console.status(Some("working".into()));
    console.remind();
    assert_eq!(screen(&capture.text()), ["allow? "]);
    console.notice("x", "reconnected");
    console.remind();
    let text = capture.text();
    assert!(text.ends_with("allow? \ndcodectl: note: reconnected\nallow? "));
    // The line break was echoed by the terminal.
    console.unprompt(true);
    console.clear();
    assert_eq!(capture.text(), text);
    console.prompt("allow? ");
    console.unprompt(false);
    console.remind();
    assert_eq!(capture.text(), text + "allow? \n");
}

#[test]
fn a_stderr_that_is_gone_is_nobodys_failure() {
    struct Gone;
    impl Write for Gone {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }
    }
    let (_, _) = console(false, false, 0);
    let options = ConsoleOptions {
        json: false,
        quiet: false,
        status: true,
        shared: true,
        palette: Palette::coloured(),
        width: Box::new(|| 0),
        workflow_safe: false,
    };
    let console = SharedConsole::new(Box::new(Gone), options);
    console.status(Some("x".into()));
    console.error("x", 1, "y", None);
}

#[test]
fn no_text_acts_as_a_workflow_command() {
    for json in [false, true] {
        let (console, capture) = console(json, false, 80);
        console.0.borrow_mut().options.workflow_safe = true;
        console.notice("x", "y ##[error]z");
        console.error("x", 1, "::error::y", Some("##[error]"));
        console.block("::error::x\n");
        assert!(!capture.text().contains("##["), "{}", capture.text());
        assert!(!capture.text().contains("\n::"), "{}", capture.text());
        console.annotate("::notice::ours");
        assert!(capture.text().ends_with("\n::notice::ours\n"));
    }
}
