//! Programs that some tests need besides: demanded where `DCODECTL_TESTS_DEMAND` is set, as by CI,
//! and elsewhere their lack is said in a line that can be counted.

use std::process::{Command, Stdio};

/// Whether the program is there. If not, the test is to return: what it is about has not been tested.
#[track_caller]
pub fn there_is(program: &str) -> bool {
    let found = Command::new("sh")
        .args(["-c", "command -v \"$0\"", program])
        .stdout(Stdio::null())
        .status();
    is_there(program, found.is_ok_and(|status| status.success()))
}

/// The same of something else, which the caller looked for.
#[track_caller]
pub fn is_there(what: &str, found: bool) -> bool {
    if found {
        return true;
    }
    let demanded = std::env::var_os("DCODECTL_TESTS_DEMAND").is_some_and(|value| !value.is_empty());
    assert!(
        !demanded,
        "{what} is missing, and demanded (.ci/run installs it)"
    );
    skipped(&format!("there is no {what} (.ci/run installs it)"));
    false
}

/// Says that the test returns without having tested anything.
pub fn skipped(why: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    // Past the harness, which keeps to itself what a test that passes has printed.
    let line = format!("SKIPPED {test}: {why}\n");
    let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
}
