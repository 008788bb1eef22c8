//! Outputs that fail: readers that leave, full disks, files that cannot be opened, pipes that nobody
//! empties. What is lost is said once; what awaits a turn goes on to its end.

#![allow(clippy::unwrap_used, clippy::pedantic)]

#[path = "../support/mod.rs"]
mod support;

mod disks;
mod pipes;
mod readers;

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

/// Generous for what takes milliseconds on an idle machine.
const SOON: Duration = Duration::from_secs(6);

fn json(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text:?}"))
}
