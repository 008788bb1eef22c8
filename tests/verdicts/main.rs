//! From the end of a turn, or of what can be known of it, to code, text and summary: they agree.

#![allow(clippy::unwrap_used, clippy::pedantic)]

#[path = "../support/mod.rs"]
mod support;

mod doubt;
mod reasons;

use std::fs;
use std::time::Duration;

use dcodectl::simulate::{Act, Daemon, PathIs};
use serde_json::Value;
use support::{Ran, Run, at, playing};

/// Generous for what takes milliseconds on an idle machine.
const SOON: Duration = Duration::from_secs(6);

fn suffix(end: &str) -> PathIs {
    PathIs::Suffix(end.to_owned())
}

fn answer(status: u16, content_type: &str, body: &str) -> Act {
    let (content_type, body) = (content_type.to_owned(), body.to_owned());
    Act::Answer {
        status,
        content_type,
        body,
    }
}

/// A daemon whose turns end with this reason at once.
fn ending(reason: &str) -> Daemon {
    let end = format!(r#"{{"turn_id":"t1","reason":"{reason}"}}"#);
    playing(
        &[
            ("turn.started", r#"{"turn_id":"t1"}"#),
            ("turn.completed", &end),
        ],
        |_| {},
    )
}

/// Runs a turn with a summary, and gives both.
fn summarised(daemon: &Daemon, arguments: &[&str]) -> (Ran, Value) {
    summarised_as(daemon, arguments, |run| run)
}

/// The same, with something else about the run.
fn summarised_as(
    daemon: &Daemon,
    arguments: &[&str],
    change: impl FnOnce(Run) -> Run,
) -> (Ran, Value) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("summary.json");
    let options = ["--summary", file.to_str().unwrap()];
    let (command, rest) = arguments.split_first().unwrap();
    let run = at(daemon, [command].into_iter().chain(&options).chain(rest));
    let ran = change(run).run();
    let summary = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    (ran, summary)
}
