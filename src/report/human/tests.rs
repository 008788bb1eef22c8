//! What people see of the recordings, and that nothing else ever comes out.

mod golden;
mod live;
mod safety;
mod turns;

use super::*;
use crate::report::ConsoleOptions;
use crate::report::testing::{Capture, recording};

/// A console whose stderr is kept.
fn console(status: bool) -> (SharedConsole, Capture) {
    let capture = Capture::default();
    let options = ConsoleOptions {
        json: false,
        quiet: false,
        status,
        shared: true,
        palette: Palette::plain(),
        width: Box::new(|| 80),
        workflow_safe: false,
    };
    (
        SharedConsole::new(Box::new(capture.clone()), options),
        capture,
    )
}

/// A reporter of the given verbosity and what it prints.
fn human(verbosity: i8, palette: Palette, width: usize) -> (Human, Capture) {
    let capture = Capture::default();
    let options = HumanOptions {
        palette,
        verbosity,
        width: Box::new(move || width),
        show_status: false,
        workflow_safe: false,
    };
    let human = Human::new(Box::new(capture.clone()), console(false).0, options);
    (human, capture)
}

/// What is printed for these events.
fn printed(lines: &[String], verbosity: i8, palette: Palette, width: usize) -> String {
    let (mut human, capture) = human(verbosity, palette, width);
    for line in lines {
        human.event(&Event::parse(line).unwrap()).unwrap();
    }
    human.end(None).unwrap();
    capture.text()
}

/// What is printed for a recording, from the line after its (scripted) prompt on.
fn after_prompt(name: &str, verbosity: i8) -> String {
    let text = printed(&recording(name), verbosity, Palette::plain(), 80);
    let (_, after) = text.split_once("❯ ").unwrap();
    after.split_once("\n\n").unwrap().1.to_owned()
}

/// An event as text; the payload is JSON.
fn event(seq: u64, kind: &str, payload: &str) -> String {
    format!(
        r#"{{"seq":{seq},"session_id":"s1","type":"{kind}","at":"2026-12-01T05:04:07.7Z","payload":{payload}}}"#
    )
}
