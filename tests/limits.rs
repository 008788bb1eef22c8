//! A machine that refuses threads, or lets no file grow: an error with a code, and no turn left
//! running behind it.

#![allow(clippy::unwrap_used, clippy::pedantic)]

mod support;

use dcodectl::simulate::Speed;
use support::{at, daemon_with, until};

#[test]
fn a_file_size_limit_is_a_failed_write() {
    let daemon = daemon_with("long-answer", |options| options.speed = Speed::Times(5.0));
    let folder = tempfile::tempdir().unwrap();
    let run = at(&daemon, ["run", "--json", "--events", "events", "x"]);
    let limited = run.behind("sh", &["-c", "ulimit -f 1; exec \"$0\" \"$@\""]);
    let ran = limited.dir(folder.path()).run().exits(74);
    let ran = ran.err_has("events cannot be written");
    ran.err_objects();
    assert!(support::ends_with_the_turn(&ran.stdout));
    until("no session", || {
        at(&daemon, ["list", "--json"]).run().stdout.is_empty()
    });
}
