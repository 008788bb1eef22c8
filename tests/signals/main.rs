//! Signals at every point of a command's life: what is stopped, what is closed, how it ends.

#![allow(clippy::unwrap_used, clippy::pedantic)]

#[path = "../support/mod.rs"]
mod support;

mod elsewhere;
mod stalled;
mod turns;

use std::fs;
use std::time::Duration;

use dcodectl::simulate::{Act, Daemon, Fault, PathIs};
use rustix::process::Signal;
use serde_json::Value;
use support::at;

/// The signals that stop a command, with the exit of each and its name in messages.
const SIGNALS: [(Signal, i32, &str); 3] = [
    (Signal::INT, 130, "INT"),
    (Signal::TERM, 143, "TERM"),
    (Signal::HUP, 129, "HUP"),
];

/// What an idle machine allows a signal's stop with an answering daemon, tripled.
const SOON: Duration = Duration::from_secs(6);

fn silence(method: &str, path: PathIs) -> Fault {
    Fault::new(method, path, Act::Silence)
}

fn suffix(end: &str) -> PathIs {
    PathIs::Suffix(end.to_owned())
}

/// How many sessions the daemon has.
fn sessions(daemon: &Daemon) -> usize {
    at(daemon, ["list", "--json"]).run().out_objects().len()
}

/// The summary a command wrote.
fn summary(path: &std::path::Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}
