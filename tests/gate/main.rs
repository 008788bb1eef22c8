//! What a merge gate asks for beyond the stop reason: caps and bounds, programs that answer,
//! waiting for others, corrections that arrive.

#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod caps;
mod crowd;
mod excluded;
mod program_ends;
mod programs;
mod steering;
mod wait_for;
mod wait_idle;

use serde_json::Value;

/// The summary that `--summary -` made the last line of stdout.
fn summary(ran: &support::Ran) -> Value {
    let last = ran.out_objects().pop().unwrap();
    assert_eq!(last["schema_version"], 1, "{ran:#?}");
    last
}

/// Starts a turn that nobody of this command line follows.
#[track_caller]
fn submitted(daemon: &dcodectl::simulate::Daemon, id: &str, text: &str) {
    let ran = support::at(daemon, ["submit", "--detach", id, text]).run();
    ran.exits(0).out("").err("");
}
