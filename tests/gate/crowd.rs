//! Many at once against one daemon: each ends with its own turn's code, and nothing is left.

use std::collections::HashSet;
use std::fs;
use std::time::{Duration, Instant};

use super::summary;
use crate::support::{Running, at, daemon, seen};

/// As many as the daemon has room for.
const CROWD: usize = 64;

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

#[test]
fn sixty_four_runs_at_once() {
    let daemon = daemon("approval");
    let begun = Instant::now();
    let mut running: Vec<Running> = (0..CROWD)
        .map(|index| {
            let (options, ..) = nth(index);
            let arguments = ["run", "--json", "--summary", "-"]
                .iter()
                .chain(options)
                .chain(&["go"]);
            at(&daemon, arguments).start()
        })
        .collect();
    let (mut threads, mut memory) = (0, 0);
    while running.iter_mut().any(Running::is_running) {
        for one in &running {
            threads = threads.max(figure(one, "Threads:").unwrap_or(0));
            memory = memory.max(figure(one, "VmHWM:").unwrap_or(0));
        }
        assert!(
            begun.elapsed() < Duration::from_secs(120),
            "somebody waits for ever"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!((1..=40).contains(&threads), "{threads} threads");
    assert!((1..=100 * 1024).contains(&memory), "{memory} KiB");
    let mut sessions = HashSet::new();
    for (index, running) in running.into_iter().enumerate() {
        let (_, code, answer) = nth(index);
        let ran = running.wait().exits(code);
        let summary = summary(&ran);
        assert_eq!(summary["exit_code"], code, "{ran:#?}");
        let own = summary["session_id"].as_str().unwrap();
        assert!(sessions.insert(own.to_owned()), "{own} twice");
        if let Some(answer) = answer {
            assert!(
                summary["answer"].as_str().unwrap().starts_with(answer),
                "{summary}"
            );
        } else {
            assert_eq!(summary["reason"], "interrupted");
        }
        let events = ran.out_objects();
        let events = &events[..events.len() - 1];
        assert!(
            events.iter().all(|event| event["session_id"] == *own),
            "{ran:#?}"
        );
        assert_eq!(
            ran.err_objects()
                .iter()
                .filter(|line| line.get("error").is_some())
                .count(),
            usize::from(code != 0)
        );
    }
    assert_eq!(seen(&daemon, "POST", "/turns"), CROWD);
    assert!(
        at(&daemon, ["list", "--json"])
            .run()
            .out_objects()
            .is_empty(),
        "a session is left"
    );
}
