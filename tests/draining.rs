//! A reader of stdout that does not read: the daemon is read all the same, and nothing is lost.

#[path = "support/flood.rs"]
mod flood;
mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use flood::Flood;
use rustix::process::Signal;
use support::process::{signal, spawn};
use support::wired::Wired;

/// More than stays in memory.
const ID: &str = "120000-700";
const EVENTS: u64 = 120_000;

fn tail(flood: &Flood) -> Wired {
    let run = support::dcodectl(["tail", ID, "--json", "--from", "1", "--until", "turn"]);
    let run = run.env("DCODE_SOCKET", flood.socket());
    spawn(run.env("TMPDIR", flood.folder()), Stdio::piped())
}

/// The most memory the process has ever had, in KiB.
#[cfg(target_os = "linux")]
fn peak(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).expect("a status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.expect("a peak").trim().trim_end_matches(" kB");
    number.parse().expect("a number")
}

/// Waits until the daemon is rid of its events, while nobody reads stdout.
fn stall(flood: &Flood) {
    let start = Instant::now();
    while flood.sent() < EVENTS {
        assert!(
            start.elapsed() < Duration::from_mins(2),
            "stuck at {}",
            flood.sent()
        );
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_reader_that_stalls_in_the_middle_gets_every_event_in_order_and_once() {
    let flood = Flood::start(64);
    let mut child = tail(&flood);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let text = flood::text(ID);
    for seq in 1..=EVENTS {
        if seq == 1000 {
            stall(&flood);
            #[cfg(target_os = "linux")]
            assert!(peak(&child) < 96 * 1024, "{} KiB", peak(&child));
            // The file has no name, so that it cannot be left behind.
            let names = fs::read_dir(flood.folder()).unwrap().count();
            assert_eq!(names, 1, "the socket alone");
        }
        let line = lines.next().unwrap().unwrap();
        assert_eq!(line, flood::event(ID, seq, &text), "event {seq}");
    }
    assert!(lines.next().is_none());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_signal_does_not_wait_for_a_reader_that_stalls() {
    let flood = Flood::start(64);
    let mut child = tail(&flood);
    stall(&flood);
    let start = Instant::now();
    signal(&child, Signal::TERM);
    assert_eq!(child.wait().unwrap().code(), Some(143));
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
}
