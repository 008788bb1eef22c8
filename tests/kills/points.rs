//! The points of a turn at which a command is stopped.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dcodectl::simulate::{Act, Daemon, Fault, Options, PathIs, Speed};

use crate::support::{Running, at, is_busy, seen};

/// A point of a turn.
pub(super) struct Point {
    pub(super) name: &'static str,
    pub(super) scenario: &'static str,
    /// The command line; `S` stands for a session, `X` for a program that never ends.
    pub(super) arguments: &'static [&'static str],
    pub(super) set_up: fn(&mut Options),
    /// Whether the command is there.
    pub(super) reached: fn(&Scene<'_>) -> bool,
}

/// What a test can see of the command.
pub(super) struct Scene<'a> {
    pub(super) daemon: &'a Daemon,
    pub(super) running: &'a Running,
    pub(super) folder: &'a Path,
}

impl Scene<'_> {
    fn saw(&self, method: &str, suffix: &str) -> bool {
        seen(self.daemon, method, suffix) > 0
    }

    fn group_file(&self) -> PathBuf {
        self.folder.join("group")
    }
}

fn fault(options: &mut Options, method: &str, end: &str, act: Act) {
    options
        .faults
        .push(Fault::new(method, PathIs::Suffix(end.to_owned()), act));
}

/// An answer that comes while a stop still waits for it.
fn late() -> Act {
    Act::DelayAnswer(Duration::from_millis(500))
}

const RUN: &[&str] = &["run", "--json", "go"];
const SUBMIT: &[&str] = &["submit", "--json", "S", "go"];
const NOTHING: fn(&mut Options) = |_| {};

pub(super) fn before_the_turn() -> Vec<Point> {
    let point =
        |name, arguments, set_up, reached| point(name, "silence", arguments, set_up, reached);
    vec![
        point("right at the start", RUN, NOTHING, |_| true),
        point("right at the start of a submit", SUBMIT, NOTHING, |_| true),
        point("signals are handled", RUN, NOTHING, |scene| {
            handles_signals(scene.running)
        }),
        point(
            "the create is not answered yet",
            RUN,
            |options| fault(options, "POST", "/v1/sessions", late()),
            |scene| scene.saw("POST", "/v1/sessions"),
        ),
        point(
            "the create is never answered",
            RUN,
            |options| fault(options, "POST", "/v1/sessions", Act::Silence),
            |scene| scene.saw("POST", "/v1/sessions"),
        ),
        point(
            "between create and stream",
            &["run", "--summary", "F", "go"],
            |options| fault(options, "GET", "/version", Act::Silence),
            |scene| scene.saw("GET", "/version"),
        ),
        point(
            "the stream is being opened",
            RUN,
            |options| fault(options, "GET", "/events", Act::Silence),
            |scene| scene.saw("GET", "/events"),
        ),
        point(
            "the submit is taken and not answered yet",
            RUN,
            |options| fault(options, "POST", "/turns", late()),
            |scene| scene.saw("POST", "/turns"),
        ),
        point(
            "the same of a submit",
            SUBMIT,
            |options| fault(options, "POST", "/turns", late()),
            |scene| scene.saw("POST", "/turns"),
        ),
        point(
            "the submit is never answered",
            RUN,
            |options| fault(options, "POST", "/turns", Act::Silence),
            |scene| scene.saw("POST", "/turns"),
        ),
    ]
}

fn point(
    name: &'static str,
    scenario: &'static str,
    arguments: &'static [&'static str],
    set_up: fn(&mut Options),
    reached: fn(&Scene<'_>) -> bool,
) -> Point {
    Point {
        name,
        scenario,
        arguments,
        set_up,
        reached,
    }
}

/// A stream that stops after so many bytes, and stays open.
fn stalled(options: &mut Options, bytes: usize) {
    let stall = Act::StallStreamAfterBytes(bytes);
    options.faults.push(Fault::on_streams(stall));
}

/// A stream that breaks, and is refused from then on.
fn lost(options: &mut Options) {
    let cut = Fault::on_streams(Act::CutStreamAfterBytes(700));
    options.faults.push(cut.only(1));
    let refused = (2..50).map(|nth| Fault::on_streams(Act::Reset).only(nth));
    options.faults.extend(refused);
}

fn busy(scene: &Scene<'_>) -> bool {
    is_busy(scene.daemon)
}

/// Whether the daemon has said this in a session that is there: the point is one in the turn.
fn told(scene: &Scene<'_>, text: &str) -> bool {
    let tail = at(scene.daemon, ["tail", "--all", "--no-follow", "--json"]).run();
    tail.stdout.contains(text)
}

pub(super) fn in_the_turn() -> Vec<Point> {
    let paced: fn(&mut Options) = |options| options.speed = Speed::Times(0.5);
    vec![
        point(
            "the turn has started, and nobody knows",
            "silence",
            RUN,
            |options| stalled(options, 0),
            busy,
        ),
        point(
            "in the middle of a line",
            "silence",
            RUN,
            |options| stalled(options, 500),
            busy,
        ),
        point("the model thinks", "silence", RUN, paced, |scene| {
            told(scene, "message.reasoning")
        }),
        point(
            "the model speaks, a submit",
            "long-answer",
            SUBMIT,
            paced,
            |scene| told(scene, "message.delta"),
        ),
        point("a tool runs", "slow", RUN, paced, |scene| {
            told(scene, "tool.requested") && !told(scene, "tool.completed")
        }),
        point(
            "between two rounds",
            "steering",
            RUN,
            |options| options.speed = Speed::Times(0.25),
            |scene| told(scene, r#""kind":"rounds""#),
        ),
        point("the turn is quiet", "silence", SUBMIT, NOTHING, |scene| {
            told(scene, "this. ")
        }),
        point("the stream is lost", "silence", RUN, lost, |scene| {
            seen(scene.daemon, "GET", "/events") >= 2
        }),
    ]
}

pub(super) fn at_a_question() -> Vec<Point> {
    let program_runs: fn(&Scene<'_>) -> bool = |scene| scene.group_file().exists();
    vec![
        point(
            "a question is open",
            "approval",
            &["run", "--on-approval", "leave", "go"],
            NOTHING,
            |scene| told(scene, "approval_required"),
        ),
        point(
            "a question is open, a submit",
            "approval",
            &["submit", "--on-approval", "leave", "S", "go"],
            NOTHING,
            |scene| told(scene, "approval_required"),
        ),
        point(
            "a program is asked",
            "approval",
            &["run", "--on-approval", "X", "go"],
            NOTHING,
            program_runs,
        ),
        point(
            "a program is asked, a submit",
            "approval",
            &["submit", "--on-approval", "X", "S", "go"],
            NOTHING,
            program_runs,
        ),
        point(
            "an answer is on its way",
            "approval",
            &["run", "--on-approval", "allow", "go"],
            |options| fault(options, "POST", "/t1-0", Act::Silence),
            |scene| scene.saw("POST", "/t1-0"),
        ),
        point(
            "the turn is being stopped for a question",
            "approval",
            &["run", "--on-approval", "fail", "go"],
            |options| {
                // Also handled late: the turn's end may be read before the answer.
                let late = Act::Delay(Duration::from_millis(500));
                fault(options, "POST", "/interrupt", late);
            },
            |scene| scene.saw("POST", "/interrupt"),
        ),
    ]
}

pub(super) fn after_the_end() -> Vec<Point> {
    vec![point(
        "the session is being closed",
        "done",
        RUN,
        |options| fault(options, "DELETE", "", late()),
        |scene| seen(scene.daemon, "DELETE", "") > 0,
    )]
}

/// Whether the process has its handlers.
fn handles_signals(running: &Running) -> bool {
    let text = fs::read_to_string(format!("/proc/{}/status", running.id())).unwrap_or_default();
    let mask = text.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & (1 << 14) != 0)
}
