//! Many at once against one daemon: each ends with its own turn's code, and nothing is left.

use std::collections::HashSet;
use std::fs;
use std::time::{Duration, Instant};

use super::summary;
use crate::support::{Ran, Running, at, daemon, seen};

/// As many as the daemon has room for.
const CROWD: usize = 64;

/// Far longer than it takes.
const PATIENCE: Duration = Duration::from_mins(2);

/// The options of the nth, its code, and how its answer begins (`None`: it has none).
fn nth(index: usize) -> (&'static [&'static str], i32, Option<&'static str>) {
    match index % 4 {
        0 => (&["--on-approval", "allow"], 0, Some("Removed build/")),
        1 => (&["--on-approval", "deny"], 0, Some("I was not allowed")),
        2 => (&["--on-approval", "fail"], 20, None),
        _ => (
            &["--on-approval", "exec:echo allow", "--require-verified"],
            17,
            Some("Removed build/"),
        ),
    }
}

/// A figure of a process, in its own unit; `None` if it has ended.
fn figure(running: &Running, name: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{}/status", running.id())).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Waits until all have ended; gives the most threads and the most memory (KiB) of any.
fn watch(running: &mut [Running]) -> (u64, u64) {
    let begun = Instant::now();
    let (mut threads, mut memory) = (0, 0);
    while running.iter_mut().any(Running::is_running) {
        for one in &*running {
            threads = threads.max(figure(one, "Threads:").unwrap_or(0));
            memory = memory.max(figure(one, "VmHWM:").unwrap_or(0));
        }
        assert!(begun.elapsed() < PATIENCE, "somebody waits for ever");
        std::thread::sleep(Duration::from_millis(20));
    }
    (threads, memory)
}

/// The nth has what it asked for and nobody else's; gives its session.
fn check(index: usize, ran: Ran) -> String {
    let (_, code, answer) = nth(index);
    let ran = ran.exits(code);
    let summary = summary(&ran);
    assert_eq!(summary["exit_code"], code, "{ran:#?}");
    match answer {
        Some(start) => {
            let answer = summary["answer"].as_str().unwrap();
            assert!(answer.starts_with(start), "{summary}");
        }
        None => assert_eq!(summary["reason"], "interrupted"),
    }
    let own = &summary["session_id"];
    let objects = ran.out_objects();
    let (_, events) = objects.split_last().unwrap();
    let ours = events.iter().all(|event| event["session_id"] == *own);
    assert!(ours, "{ran:#?}");
    let stderr = ran.err_objects();
    let errors = stderr.iter().filter(|line| line.get("error").is_some());
    assert_eq!(errors.count(), usize::from(code != 0), "{ran:#?}");
    own.as_str().unwrap().to_owned()
}

#[test]
fn sixty_four_runs_at_once() {
    let daemon = daemon("approval");
    let start = |index| {
        let (options, ..) = nth(index);
        let line = ["run", "--json", "--summary", "-"];
        at(&daemon, line.iter().chain(options).chain(&["go"])).start()
    };
    let mut running: Vec<Running> = (0..CROWD).map(start).collect();
    let (threads, memory) = watch(&mut running);
    assert!((1..=40).contains(&threads), "{threads} threads");
    assert!((1..=100 * 1024).contains(&memory), "{memory} KiB");
    let mut sessions = HashSet::new();
    for (index, running) in running.into_iter().enumerate() {
        let own = check(index, running.wait());
        assert!(sessions.insert(own), "a session was shared");
    }
    assert_eq!(seen(&daemon, "POST", "/turns"), CROWD);
    let left = at(&daemon, ["list", "--json"]).run().out_objects();
    assert!(left.is_empty(), "{left:?}");
}
