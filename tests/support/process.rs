//! Processes wired by hand: a stdout that nobody reads, a full disk, a named pipe.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::thread;

use dcodectl::simulate::Daemon;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::{Pid, Signal, kill_process};

use super::wired::Wired;
use super::{HANG, Run, wait_for};

/// A file whose disk is full.
pub fn full() -> File {
    File::options().write(true).open("/dev/full").unwrap()
}

/// A named pipe in a folder.
pub fn fifo(folder: &Path) -> PathBuf {
    let path = folder.join("fifo");
    mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    path
}

/// Starts it with this stdout. A pipe is read by whoever takes it from the child, else by nobody.
pub fn spawn(run: Run, stdout: impl Into<Stdio>) -> Wired {
    run.spawn(Stdio::null(), stdout, Stdio::piped())
}

/// Starts it with a stdout that nobody reads and a stdin that stays open.
pub fn spawn_open(run: Run) -> Wired {
    run.spawn(Stdio::piped(), Stdio::piped(), Stdio::piped())
}

/// Waits for its end, and gives what is on stderr.
#[track_caller]
pub fn ends(child: Wired, code: i32) -> String {
    let (status, stderr) = end_of(child);
    assert_eq!(status.code(), Some(code), "{stderr}");
    stderr
}

/// Waits for its end, and gives how it ended and what is on stderr.
#[track_caller]
pub fn end_of(mut child: Wired) -> (ExitStatus, String) {
    let mut pipe = child.stderr.take().unwrap();
    let reading = thread::spawn(move || {
        let mut text = String::new();
        pipe.read_to_string(&mut text).unwrap();
        text
    });
    let status = wait_for(&mut child, HANG);
    let stderr = reading.join().unwrap();
    let status = status.unwrap_or_else(|| panic!("it hangs: {stderr}"));
    (status, stderr)
}

/// Reads one line of its stdout and closes it.
pub fn one_line(child: &mut Wired) {
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert!(line.ends_with('\n'), "{line}");
}

/// Sends a signal.
pub fn signal(child: &Wired, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// How many sessions were asked to be deleted.
pub fn deletes(daemon: &Daemon) -> usize {
    let requests = daemon.requests();
    requests
        .iter()
        .filter(|seen| seen.method == "DELETE")
        .count()
}

/// A daemon whose turns are more than a pipe holds.
pub fn long_turn() -> Daemon {
    let text = "x".repeat(300_000);
    let delta = format!(r#"{{"turn_id":"t1","text":"{text}"}}"#);
    let events = [
        ("turn.started", r#"{"turn_id":"t1"}"#),
        ("message.delta", delta.as_str()),
        ("turn.completed", r#"{"turn_id":"t1","reason":"done"}"#),
    ];
    super::playing(&events, |_| {})
}
