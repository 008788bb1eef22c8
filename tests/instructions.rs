//! What an event costs, in instructions: hardly moved by what else the machine does, so that a check can hold it.
//!
//! Needs valgrind and a release build (`cargo test --release --test instructions`).

#[path = "support/flood.rs"]
mod flood;
mod support;

use std::io::Write;
use std::process::{Command, Stdio};

use flood::Flood;
use support::programs::{skipped, there_is};

/// Of an event of about 225 bytes.
const SMALL: f64 = 3200.0;

/// Of a byte of events of 1 MiB, which is full of escapes here. Checking that it is JSON is most of it.
const LARGE: f64 = 3.3;

/// Instructions of a whole tail of the session.
fn count(flood: &Flood, id: &str) -> f64 {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(support::binary())
        .args(["tail", id, "--json", "--from", "1", "--until", "turn"])
        .arg("--socket")
        .arg(flood.socket())
        .stdout(Stdio::null())
        .output()
        .expect("valgrind");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let number = text.split("Collected : ").nth(1);
    let number = number.and_then(|rest| rest.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).expect(&text)
}

#[test]
fn an_event_costs_no_more_than_it_may() {
    // Nobody's lack: the same test is there in the other profile.
    if cfg!(debug_assertions) {
        return skipped("this is no release build");
    }
    if !there_is("valgrind") {
        return;
    }
    let flood = Flood::start(64);
    let small = (count(&flood, "60000-100") - count(&flood, "10000-100")) / 50_000.0;
    let large = (count(&flood, "24-1048576") - count(&flood, "4-1048576")) / (20.0 * 1_048_576.0);
    let _ = writeln!(
        std::io::stderr(),
        "{small:.0} instructions a small event, {large:.2} a byte of large ones"
    );
    assert!(small <= SMALL, "{small}");
    assert!(large <= LARGE, "{large}");
}
