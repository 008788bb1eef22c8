//! INT, TERM, HUP and KILL at every point of a turn: what is left of it afterwards.

#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod points;

use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use dcodectl::simulate::{Daemon, Speed};
use points::{Point, Scene};
use rustix::process::{Pid, Signal, kill_process_group};
use support::{at, create, daemon_with, seen, until};
use tempfile::TempDir;

/// 1 + 1 + 5 + 1 s, and what a busy machine takes besides.
const GRACE: Duration = Duration::from_secs(8 + 7);

/// The signals, with the exit of each.
const SIGNALS: [(Signal, i32); 4] = [
    (Signal::INT, 130),
    (Signal::TERM, 143),
    (Signal::HUP, 129),
    (Signal::KILL, 137),
];

/// A program that never ends and has started another one; it writes its group's number down.
fn endless(folder: &Path) -> String {
    let (new, group) = (folder.join("new"), folder.join("group"));
    let script = format!(
        "sleep 300 & echo $$ >{}; mv {} {}; wait",
        new.display(),
        new.display(),
        group.display()
    );
    format!("exec:sh -c '{script}'")
}

/// How many processes of a group are not dead.
fn living(group: Pid) -> usize {
    let group = group.as_raw_nonzero().get().to_string();
    let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let processes = entries.filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok());
    let lives = |stat: &String| {
        let rest = stat.rsplit(')').next().unwrap_or_default();
        let mut fields = rest.split_whitespace();
        let (state, in_group) = (fields.next(), fields.nth(1));
        in_group == Some(group.as_str()) && state != Some("Z")
    };
    processes.filter(lives).count()
}

/// What a point needs besides the daemon.
struct Stage {
    daemon: Daemon,
    folder: TempDir,
    session: Option<String>,
}

impl Stage {
    fn new(point: &Point) -> Self {
        let daemon = daemon_with(point.scenario, |options| {
            options.speed = Speed::Instant;
            (point.set_up)(options);
        });
        let session = point.arguments.contains(&"S").then(|| create(&daemon));
        Self {
            daemon,
            folder: tempfile::tempdir().unwrap(),
            session,
        }
    }

    fn arguments(&self, point: &Point) -> Vec<String> {
        let argument = |word: &&str| match *word {
            "S" => self.session.clone().unwrap(),
            "X" => endless(self.folder.path()),
            "F" => self
                .folder
                .path()
                .join("summary")
                .to_str()
                .unwrap()
                .to_owned(),
            word => word.to_owned(),
        };
        point.arguments.iter().map(argument).collect()
    }

    /// Ends what a killed command could not end, or asserts that nothing is left of it.
    fn program(&self, ended: bool, what: &str) {
        let Ok(text) = fs::read_to_string(self.folder.path().join("group")) else {
            return;
        };
        let group = Pid::from_raw(text.trim().parse().unwrap()).unwrap();
        if ended {
            until(what, || living(group) == 0);
        } else {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// A test that fails leaves nothing behind either.
impl Drop for Stage {
    fn drop(&mut self) {
        if thread::panicking() {
            self.program(false, "");
        }
    }
}

/// Stops the command at the point, and looks at what is left.
fn kill_at(point: &Point, (signal, code): (Signal, i32)) {
    let what = format!("{} ({signal:?})", point.name);
    let stage = Stage::new(point);
    let running = at(&stage.daemon, stage.arguments(point)).start();
    let scene = Scene {
        daemon: &stage.daemon,
        running: &running,
        folder: stage.folder.path(),
    };
    until(&what, || (point.reached)(&scene));
    let begun = Instant::now();
    running.signal(signal);
    let ran = running.wait();
    let took = begun.elapsed();
    assert_eq!(ran.code(), code, "{what}: {ran:#?}");
    assert!(took < GRACE, "{what}: {took:?} {ran:#?}");
    stage.program(signal != Signal::KILL, &what);
    let daemon = &stage.daemon;
    if signal == Signal::KILL {
        // Nobody was there to stop anything; the daemon goes on, and the next client can.
        at(daemon, ["list"]).run().exits(0).err("");
        return;
    }
    let sessions = usize::from(stage.session.is_some());
    until(&format!("{what}: the rest to be gone"), || {
        let left = at(daemon, ["list", "--json"]).run().exits(0).out_objects();
        left.len() == sessions && left.iter().all(|one| one["state"] == "idle")
    });
    let interrupts = seen(daemon, "POST", "/interrupt");
    assert!(interrupts <= 1, "{what}: {interrupts} interrupts");
    // Whoever dies before the handlers are there says nothing and has sent nothing.
    let untouched = daemon
        .requests()
        .iter()
        .all(|seen| seen.method != "POST" || sessions == 1);
    assert!(
        ran.stderr.contains("stopped by") || untouched,
        "{what}: {ran:#?}"
    );
}

/// Every signal at every point, a few at a time: most of the time is waiting.
fn kill_at_each(points: &[Point]) {
    let jobs = points
        .iter()
        .flat_map(|point| SIGNALS.map(|signal| (point, signal)));
    let jobs = Mutex::new(jobs.collect::<VecDeque<_>>());
    let next = || jobs.lock().unwrap().pop_front();
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                while let Some((point, signal)) = next() {
                    kill_at(point, signal);
                }
            });
        }
    });
}

#[test]
fn b20_before_the_turn() {
    kill_at_each(&points::before_the_turn());
}

#[test]
fn b20_in_the_turn() {
    kill_at_each(&points::in_the_turn());
}

#[test]
fn b20_at_a_question_and_after_the_end() {
    let points = points::at_a_question().into_iter();
    kill_at_each(&points.chain(points::after_the_end()).collect::<Vec<_>>());
}

#[test]
fn one_signal_leaves_a_summary_however_early_it_comes() {
    let daemon = daemon_with("slow", |_| {});
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("summary.json");
    let line = ["run", "--quiet", "--summary", file.to_str().unwrap(), "go"];
    let mut handled = 0;
    // The files are opened within the first milliseconds; of a busy machine they may be many.
    for tenths in 0..2000 {
        if handled == 60 {
            break;
        }
        let _ = fs::remove_file(&file);
        let running = at(&daemon, line).start();
        thread::sleep(Duration::from_micros(100 * tenths));
        running.signal(Signal::TERM);
        // As long as the program does not listen yet it dies of it.
        if running.wait().status.code() == Some(143) {
            let text = fs::read_to_string(&file).unwrap();
            let summary: serde_json::Value = serde_json::from_str(&text).expect(&text);
            assert_eq!(summary["exit_code"], 143);
            handled += 1;
        }
    }
    assert_eq!(handled, 60);
}
