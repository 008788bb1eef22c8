//! A machine that refuses threads, or lets no file grow: an error with a code, and no turn left
//! running behind it.

#![allow(clippy::unwrap_used, clippy::pedantic)]

mod support;

use std::process::Command;

use dcodectl::simulate::Speed;
use support::{at, daemon_with, until};

#[test]
fn a_file_size_limit_is_a_failed_write() {
    let daemon = daemon_with("long-answer", |options| options.speed = Speed::Times(5.0));
    let folder = tempfile::tempdir().unwrap();
    let run = at(&daemon, ["run", "--json", "--events", "events", "x"]);
    let line = run.into_command();
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -f 1; exec \"$0\" \"$@\""])
        .arg(line.get_program())
        .args(line.get_args())
        .env_clear()
        .env("DCODE_SOCKET", daemon.socket())
        .env("PATH", std::env::var_os("PATH").unwrap())
        .current_dir(folder.path());
    let output = command.output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(74), "{stderr}");
    assert!(stderr.contains("events cannot be written"), "{stderr}");
    support::objects(&stderr);
    assert!(support::ends_with_the_turn(
        &String::from_utf8(output.stdout).unwrap()
    ));
    until("no session", || {
        at(&daemon, ["list", "--json"]).run().stdout.is_empty()
    });
}
