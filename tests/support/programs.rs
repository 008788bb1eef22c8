//! Programs that some tests need besides: demanded where `DCODECTL_TESTS_DEMAND` is set, as by CI,
//! and elsewhere their lack is said in a line that can be counted.

use std::process::{Command, Stdio};

/// Whether the program is there. If not, the test is to return: what it is about has not been tested.
#[track_caller]
pub fn there_is(program: &str) -> bool {
    worked("sh", &["-c", "command -v \"$0\"", program]) || is_spared(program)
}

/// The same of a module of Python's, by its name there and as it is installed.
#[track_caller]
pub fn python_has(module: &str, package: &str) -> bool {
    let what = format!("python3 with {package}");
    worked("python3", &["-c", &format!("import {module}")]) || is_spared(&what)
}

fn worked(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    let command = command
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Says that something is not there, and `false`; where everything is demanded it panics.
#[track_caller]
fn is_spared(program: &str) -> bool {
    let demanded = std::env::var_os("DCODECTL_TESTS_DEMAND").is_some_and(|value| !value.is_empty());
    assert!(
        !demanded,
        "{program} is missing, and demanded (.ci/run installs it)"
    );
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    // Past the harness, which keeps to itself what a test that passes has printed.
    let line = format!("SKIPPED {test}: there is no {program} (.ci/run installs it)\n");
    let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
    false
}
