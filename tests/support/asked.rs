//! What the binary and the daemon are asked.

use dcodectl::simulate::Daemon;

use super::{at, dcodectl};

/// The names of the commands, from the help: two spaces before, an explanation behind.
pub fn commands() -> Vec<String> {
    let page = dcodectl(["--help"]).run().exits(0).err("").stdout;
    let (list, _) = page.split_once("\nGlobal options").unwrap();
    let names = list.lines().filter_map(|line| {
        let (name, _) = line.strip_prefix("  ")?.split_once(' ')?;
        Some(name.to_owned())
    });
    names.collect()
}

/// Whether a turn runs, or waits for an answer, in some session.
pub fn is_busy(daemon: &Daemon) -> bool {
    let ran = at(daemon, ["list", "--json"]).run();
    ran.stdout.contains(r#""state":"running""#) || ran.stdout.contains(r#""state":"blocked""#)
}

/// Whether nobody has left a session open.
pub fn has_no_session(daemon: &Daemon) -> bool {
    let ran = at(daemon, ["list", "--json"]).run().exits(0);
    ran.out_objects().is_empty()
}

/// The requests of one kind that the daemon saw.
pub fn seen(daemon: &Daemon, method: &str, suffix: &str) -> usize {
    daemon
        .requests()
        .iter()
        .filter(|seen| seen.method == method && seen.path().ends_with(suffix))
        .count()
}
