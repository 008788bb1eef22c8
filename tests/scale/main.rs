//! Many at once: every session of a busy daemon in one tail, and hundreds who wait for a turn.

#![allow(clippy::unwrap_used, clippy::pedantic, clippy::print_stdout)]

#[path = "../support/raw.rs"]
mod raw;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use dcodectl::simulate::{Daemon, Options, Replay, Source, Speed};
use rustix::process::{Pid, Signal, kill_process};

use support::{HANG, Running, at, seen};

const SESSIONS: usize = 64;

/// Fragments of each turn, and the pause before each.
const FRAGMENTS: usize = 100;
const PAUSE_MILLISECONDS: usize = 12;

/// A debug build reads 64 streams in less than a third of it.
const MOST_MEMORY_KIB: u64 = 64 * 1024;

/// A daemon that plays these events, `(milliseconds since the start, type, payload)`.
fn playing(events: &[(usize, &str, String)], speed: Speed) -> Daemon {
    let lines = events.iter().map(|(at, kind, payload)| {
        let (seconds, rest) = (at / 1000, at % 1000);
        format!(
            r#"{{"seq":1,"session_id":"s","type":"{kind}","at":"2026-12-01T05:00:{seconds:02}.{rest:03}Z","payload":{payload}}}"#
        )
    });
    let replay = Replay::parse(&lines.collect::<Vec<_>>().join("\n")).unwrap();
    Daemon::start(Options {
        source: Source::Replay(replay),
        speed,
        max_sessions: SESSIONS,
        approval_timeout: HANG,
        ..Options::default()
    })
    .unwrap()
}

fn started(text: &str) -> String {
    format!(r#"{{"turn_id":"t1","text":"{text}"}}"#)
}

fn completed(reason: &str) -> String {
    format!(r#"{{"turn_id":"t1","reason":"{reason}"}}"#)
}

/// The most memory that a process has held, in KiB, where the system tells.
fn peak_memory(id: u32) -> u64 {
    if !cfg!(target_os = "linux") {
        return 0;
    }
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let number = line.unwrap().split_whitespace().nth(1);
    number.unwrap().parse().unwrap()
}

/// Submits to all of them at about the same time.
fn submit_to_all(socket: &Path, ids: &[String]) {
    thread::scope(|scope| {
        for some in ids.chunks(8) {
            scope.spawn(move || {
                for id in some {
                    assert_eq!(raw::submit(socket, id, "x").status(), 202);
                }
            });
        }
    });
}

/// Session and number of a line; the daemon's form is known.
fn session_and_number(line: &str) -> (String, u64) {
    let event: serde_json::Value = serde_json::from_str(line).unwrap();
    let session = event["session_id"].as_str().unwrap().to_owned();
    (session, event["seq"].as_u64().unwrap())
}

#[test]
fn one_tail_reads_sixty_four_busy_sessions_evenly_and_whole() {
    let mut events = vec![(0, "turn.started", started("x"))];
    let fragment = format!(r#"{{"turn_id":"t1","text":"{}"}}"#, "y".repeat(300));
    events.extend((0..FRAGMENTS).map(|index| {
        (
            index * PAUSE_MILLISECONDS,
            "message.delta",
            fragment.clone(),
        )
    }));
    events.push((
        FRAGMENTS * PAUSE_MILLISECONDS,
        "turn.completed",
        completed("done"),
    ));
    let daemon = playing(&events, Speed::Times(1.0));
    let ids: Vec<String> = (0..SESSIONS)
        .map(|_| raw::create(daemon.socket(), Path::new("/tmp")))
        .collect();
    let tail = at(&daemon, ["tail", "--all", "--json"]);
    let mut tail = tail.spawn(Stdio::null(), Stdio::piped(), Stdio::piped());
    let mut lines = BufReader::new(tail.stdout.take().unwrap()).lines();
    let begun = Instant::now();
    submit_to_all(daemon.socket(), &ids);
    let each = FRAGMENTS + 3;
    let mut read: BTreeMap<String, u64> = BTreeMap::new();
    let mut slowest_at_half = usize::MAX;
    for (count, line) in lines.by_ref().take(SESSIONS * each).enumerate() {
        let (session, seq) = session_and_number(&line.unwrap());
        let last = read.entry(session).or_default();
        *last += 1;
        assert_eq!(seq, *last, "in order, and nothing twice");
        if count == SESSIONS * each / 2 {
            assert_eq!(read.len(), SESSIONS);
            slowest_at_half = read.values().min().copied().unwrap() as usize;
        }
    }
    assert!(read.values().all(|last| *last == each as u64), "{read:?}");
    assert!(
        slowest_at_half >= each / 6,
        "one had only {slowest_at_half} of {each}"
    );
    let (memory, took) = (peak_memory(tail.id()), begun.elapsed());
    println!("slowest at half: {slowest_at_half} of {each}; {memory} KiB; {took:?}");
    assert!(memory < MOST_MEMORY_KIB, "{memory} KiB");
    kill_process(Pid::from_child(&tail), Signal::TERM).unwrap();
    assert!(lines.next().is_none(), "more than there was");
    let ended = tail.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(143));
    let told = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(support::objects(&told).len(), 1, "{told}");
    assert!(told.contains(r#""exit_code":143"#), "{told}");
}

/// A turn that a question holds until it is answered.
fn held(reason: &str) -> [(usize, &'static str, String); 4] {
    let asked = r#"{"approval_id":"t1-0","turn_id":"t1","tool_call_id":"c","tool":"shell","boundary_crossed":"network"}"#;
    let resolved = r#"{"approval_id":"t1-0","decision":"allow"}"#;
    [
        (0, "turn.started", started("x")),
        (0, "tool.approval_required", asked.to_owned()),
        // Later than anything answers by itself.
        (100, "tool.approval_resolved", resolved.to_owned()),
        (100, "turn.completed", completed(reason)),
    ]
}

#[test]
fn two_hundred_waits_each_get_the_code_of_their_turn() {
    let reasons = [
        ("done", 0),
        ("incomplete", 11),
        ("max_tokens", 14),
        ("from_tomorrow", 19),
    ];
    let events: Vec<_> = reasons
        .iter()
        .flat_map(|(reason, _)| held(reason))
        .collect();
    let daemon = playing(&events, Speed::Instant);
    let socket = daemon.socket();
    // The nth session is in its nth turn.
    let mut sessions = Vec::new();
    for turn in 0..reasons.len() {
        let id = raw::create(socket, Path::new("/tmp"));
        for number in 0..=turn {
            assert_eq!(raw::submit(socket, &id, "x").status(), 202);
            raw::wait_for_state(socket, &id, "blocked");
            if number < turn {
                assert_eq!(raw::decide(socket, &id, "t1-0", "allow").status(), 204);
                raw::wait_for_state(socket, &id, "idle");
            }
        }
        sessions.push(id);
    }
    let waits: Vec<(Running, i32)> = (0..200)
        .map(|index| {
            let (_, code) = reasons[index % reasons.len()];
            let id = &sessions[index % reasons.len()];
            (at(&daemon, ["wait", id, "--json"]).start(), code)
        })
        .collect();
    let begun = Instant::now();
    // Each reads what there is, and then follows.
    while seen(&daemon, "GET", "/events") < 2 * waits.len() {
        assert!(begun.elapsed() < HANG, "they do not all follow");
        thread::sleep(Duration::from_millis(10));
    }
    let released = Instant::now();
    for id in &sessions {
        assert_eq!(raw::decide(socket, id, "t1-0", "allow").status(), 204);
    }
    for (wait, code) in waits {
        let ran = wait.wait().exits(code);
        assert_eq!(ran.out_objects().len(), 4);
        let calm = matches!(code, 0 | 11);
        assert_eq!(
            ran.err_objects().iter().all(|line| line["error"].is_null()),
            calm
        );
    }
    let took = released.elapsed();
    println!(
        "all started after {:?}, all ended after {took:?}",
        released - begun
    );
    assert!(took < Duration::from_secs(20), "{took:?}");
}
