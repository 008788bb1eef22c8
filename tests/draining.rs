//! A reader of stdout that does not read: the daemon is read all the same, and nothing is lost.
//!
//! With `DCODECTL_SOAK` set at full size: a million events, a minute's sleep, 4 GiB of disk. That takes some minutes.

#[path = "support/flood.rs"]
mod flood;
mod support;

use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use flood::Flood;
use rustix::process::Signal;
use support::process::{signal, spawn};
use support::wired::Wired;

/// Whether `DCODECTL_SOAK` asks for the sizes that are promised, instead of ones that go beyond what stays in memory.
fn soaks() -> bool {
    env::var_os("DCODECTL_SOAK").is_some()
}

/// A session of so many events of about 820 bytes each.
fn session(events: u64) -> String {
    format!("{events}-700")
}

/// More than stays in memory.
fn many() -> u64 {
    if soaks() { 1_000_000 } else { 120_000 }
}

fn tail(flood: &Flood, id: &str, folder: &Path) -> Wired {
    let run = support::dcodectl(["tail", id, "--json", "--from", "1", "--until", "turn"]);
    let run = run.env("DCODE_SOCKET", flood.socket());
    spawn(run.env("TMPDIR", folder), Stdio::piped())
}

/// The most memory the process has ever had, in KiB.
#[cfg(target_os = "linux")]
fn peak(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).expect("a status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.expect("a peak").trim().trim_end_matches(" kB");
    number.parse().expect("a number")
}

/// Waits for something of the daemon, while nobody reads stdout.
fn stall(until: impl Fn() -> bool) {
    let start = Instant::now();
    while !until() {
        let bound = Duration::from_mins(if soaks() { 20 } else { 2 });
        assert!(start.elapsed() < bound, "nothing happens");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_reader_that_stalls_in_the_middle_gets_every_event_in_order_and_once() {
    let flood = Flood::start(64);
    let (events, id) = (many(), session(many()));
    let mut child = tail(&flood, &id, flood.folder());
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let text = flood::text(&id);
    for seq in 1..=events {
        if seq == events / 2 {
            // The daemon is rid of all of them, however long this takes.
            stall(|| flood.sent() == events);
            if soaks() {
                thread::sleep(Duration::from_mins(1));
            }
            #[cfg(target_os = "linux")]
            assert!(peak(&child) < 96 * 1024, "{} KiB", peak(&child));
            // The file has no name, so that it cannot be left behind.
            let names = fs::read_dir(flood.folder()).unwrap().count();
            assert_eq!(names, 1, "the socket alone");
        }
        let line = lines.next().unwrap().unwrap();
        assert_eq!(line, flood::event(&id, seq, &text), "event {seq}");
    }
    assert!(lines.next().is_none());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// What waits for its reader goes into memory and then into a file; where that takes no more the daemon has to hold the
/// rest, and what it does not hold any longer is told.
#[test]
fn what_neither_side_can_hold_is_36_and_all_before_it_is_printed() {
    // A disk that is written at full speed may hold the client up as well.
    let patience = Duration::from_secs(if soaks() { 60 } else { 3 });
    let flood = Flood::that_goes_on_after(patience, 64);
    // The file takes 4 GiB. Without a folder for it there is none, which comes to the same more quickly.
    let (events, folder) = if soaks() {
        (6_000_000, flood.folder().to_owned())
    } else {
        (120_000, flood.folder().join("none"))
    };
    let id = session(events);
    let mut child = tail(&flood, &id, &folder);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let text = flood::text(&id);
    assert_eq!(lines.next().unwrap().unwrap(), flood::event(&id, 1, &text));
    stall(|| flood.first() > 1);
    #[cfg(target_os = "linux")]
    assert!(peak(&child) < 96 * 1024, "{} KiB", peak(&child));
    let mut last = 1;
    for (seq, line) in (2..).zip(lines) {
        assert_eq!(line.unwrap(), flood::event(&id, seq, &text), "event {seq}");
        last = seq;
    }
    // All that is promised to wait has waited.
    let waited = last * flood::event(&id, last, &text).len() as u64;
    let promised = if soaks() { 4 << 30 } else { 60 << 20 };
    assert!(waited > promised, "{waited} bytes");
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(36), "{stderr}");
    let missing = format!(
        "events {} to {} are missing",
        last + 1,
        events - flood::RETENTION
    );
    assert!(stderr.contains(&missing), "{missing}: {stderr}");
    let names = fs::read_dir(flood.folder()).unwrap().count();
    assert_eq!(names, 1, "the socket alone");
}

#[test]
fn a_signal_does_not_wait_for_a_reader_that_stalls() {
    let flood = Flood::start(64);
    let mut child = tail(&flood, &session(120_000), flood.folder());
    stall(|| flood.sent() == 120_000);
    let start = Instant::now();
    signal(&child, Signal::TERM);
    assert_eq!(child.wait().unwrap().code(), Some(143));
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
}
