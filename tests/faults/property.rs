//! One run through the proxy, and what must hold whatever went wrong on the way.

use std::fmt::Write as _;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use dcodectl::client::Timeouts;
use dcodectl::follow::Limits;
use dcodectl::simulate::{Daemon, Options, Source, Speed};
use serde_json::Value;

use crate::proxy::Proxy;
use crate::schedule::{Command, Schedule};
use crate::story::TEXT;
use crate::support::inside::{RunningInside, inside};
use crate::support::{Ran, Running, at, create};

/// The longest that a run may take: every bound below, one after the other, and then some for a
/// busy machine.
const LONGEST: Duration = Duration::from_secs(30);

/// How long a head or a stream's next byte may take. Nothing mild takes that long, however busy the
/// machine; a stall does.
const fn patience(mild: bool) -> Duration {
    Duration::from_millis(if mild { 15_000 } else { 250 })
}

fn limits(limits: &mut Limits) {
    limits.quiet = Duration::from_millis(400);
    limits.reconnect = Duration::from_millis(1500);
    limits.first_pause = Duration::from_millis(2);
    limits.longest_pause = Duration::from_millis(20);
    limits.lag = Duration::from_millis(300);
    limits.question = Duration::from_millis(5);
    limits.stop_turn = Duration::from_secs(2);
    limits.late_turn = Duration::from_secs(1);
}

/// What one run did, for the sums at the end.
#[derive(Debug, Clone, Copy)]
pub struct Done {
    pub code: i32,
    pub mild: bool,
    pub took: Duration,
}

/// Runs the schedule of a seed; fails with the seed and everything that happened.
pub fn check(seed: u64) -> Result<Done, String> {
    let schedule = Schedule::of(seed);
    let daemon = daemon(&schedule);
    let id = (schedule.command != Command::Run).then(|| create(&daemon));
    let proxy = Proxy::start(schedule.clone(), daemon);
    let folder = tempfile::tempdir().unwrap();
    let summary = folder.path().join("summary");
    let mut arguments: Vec<String> = match (&id, schedule.command) {
        (Some(id), Command::Submit) => ["submit", id, "--", TEXT].map(str::to_owned).into(),
        (Some(id), Command::Wait) => ["wait", id].map(str::to_owned).into(),
        (Some(id), _) => ["tail", id, "--until", "turn", "--from", "1"]
            .map(str::to_owned)
            .into(),
        (None, _) => ["run", "--", TEXT].map(str::to_owned).into(),
    };
    if schedule.command != Command::Tail {
        arguments.splice(1..1, ["--summary".into(), summary.display().to_string()]);
        if let Some(bound) = schedule.timeout {
            let bound = format!("{}s", bound.as_secs());
            arguments.splice(1..1, ["--timeout".into(), bound]);
        }
    }
    arguments.insert(0, "--json".into());
    let submit_first = schedule.command == Command::Wait;
    let submit = || {
        let id = id.as_deref().unwrap();
        let arguments = ["submit", "--detach", id, "--", TEXT];
        let ran = at(&proxy.shared.daemon, arguments).run();
        // The daemon may have been restarted already.
        let restarted = proxy.shared.ledger.restarted.load(Relaxed);
        assert!(ran.code() == 0 || restarted, "{ran:#?}");
    };
    if submit_first {
        submit();
    }
    let started = Started::of(&proxy, &arguments);
    if schedule.command == Command::Tail {
        submit();
    }
    let ran = match started {
        Started::Inside(running) => running.wait(),
        Started::Binary(running) => running.wait(),
    };
    let summary = std::fs::read_to_string(summary).ok();
    judge(&schedule, &proxy, &ran, summary.as_deref())
        .map(|()| Done {
            code: ran.code(),
            mild: schedule.mild,
            took: ran.took,
        })
        .map_err(|why| report(&why, &proxy, &ran))
}

/// The command, running in one way or the other.
enum Started {
    Inside(RunningInside),
    Binary(Running),
}

impl Started {
    fn of(proxy: &Proxy, arguments: &[String]) -> Self {
        let daemon = &proxy.shared.daemon;
        if proxy.shared.schedule.binary {
            let run = at(daemon, arguments).env("DCODE_SOCKET", proxy.socket());
            return Self::Binary(run.start());
        }
        let run = inside(daemon, arguments).env("DCODE_SOCKET", proxy.socket());
        let patience = patience(proxy.shared.schedule.mild);
        let timeouts = |timeouts: &mut Timeouts| {
            (timeouts.head, timeouts.silence) = (patience, patience);
        };
        Self::Inside(run.limits(limits).timeouts(timeouts).start())
    }
}

fn daemon(schedule: &Schedule) -> Daemon {
    let options = Options {
        source: Source::Replay(schedule.story.replay()),
        speed: Speed::Times(1.0),
        retention: schedule.retention,
        ping_interval: schedule.ping,
        reader_queue: schedule.reader_queue,
        approval_timeout: Duration::from_millis(400),
        ..Options::default()
    };
    Daemon::start(options).unwrap()
}

fn report(why: &str, proxy: &Proxy, ran: &Ran) -> String {
    let shared = &proxy.shared;
    let mut text = format!("seed {}: {why}\n", shared.schedule.seed);
    let _ = writeln!(text, "exit {} after {:?}", ran.code(), ran.took);
    let _ = writeln!(
        text,
        "{:?}, mild: {}, retention {}, queue {}, timeout {:?}, {} events, code {}, asks: {}",
        shared.schedule.command,
        shared.schedule.mild,
        shared.schedule.retention,
        shared.schedule.reader_queue,
        shared.schedule.timeout,
        shared.schedule.story.events.len(),
        shared.schedule.story.code,
        shared.schedule.story.asks
    );
    for line in shared.ledger.story.lock().unwrap().iter() {
        let _ = writeln!(text, "  {line}");
    }
    let lines = ran.stdout.lines();
    let starts = lines.map(|line| line.chars().take(9).collect::<String>());
    let _ = writeln!(text, "  out: {}", starts.collect::<Vec<_>>().join(" "));
    for line in ran.stderr.lines() {
        let _ = writeln!(text, "  err: {line}");
    }
    text
}

/// What must hold.
fn judge(
    schedule: &Schedule,
    proxy: &Proxy,
    ran: &Ran,
    summary: Option<&str>,
) -> Result<(), String> {
    let code = ran.code();
    ensure(ran.took < LONGEST, "it took too long")?;
    let allowed = allowed(schedule, proxy, ran);
    ensure(
        allowed.contains(&code),
        &format!("only {allowed:?} are allowed"),
    )?;
    output(schedule, proxy, ran)?;
    errors(schedule, ran)?;
    if let Some(text) = summary {
        let summary: Value =
            serde_json::from_str(text).map_err(|error| format!("summary: {error}: {text:?}"))?;
        ensure(
            summary["exit_code"] == code,
            "the summary says another code",
        )?;
    } else {
        ensure(schedule.command == Command::Tail, "there is no summary")?;
    }
    Ok(())
}

fn ensure(holds: bool, what: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what.to_owned()) }
}

/// The exit codes that what was done allows.
fn allowed(schedule: &Schedule, proxy: &Proxy, ran: &Ran) -> Vec<i32> {
    let ledger = &proxy.shared.ledger;
    let mut codes = vec![schedule.story.code];
    // A machine so busy that the bounds of the client are reached may do to it what a fault does.
    if ledger.harsh.load(Relaxed) || ran.took >= patience(schedule.mild) {
        codes.push(75);
        // Once a submit was written or an event read, "no daemon answers" would be a lie.
        if ran.stdout.is_empty() && !ledger.submitted.load(Relaxed) {
            codes.push(69);
        }
    }
    if ledger.garbage.load(Relaxed) {
        codes.push(76);
    }
    if schedule.retention <= schedule.story.events.len() + 1 {
        codes.push(36);
    }
    if schedule.timeout.is_some() {
        codes.push(124);
    }
    // Nothing was submitted or seen yet: then it is a plain refusal.
    if ledger.restarted.load(Relaxed) && ran.stdout.is_empty() {
        codes.push(30);
    }
    if is_closed(schedule, proxy) {
        codes.push(0);
    }
    codes
}

/// Whether what happened looks to a tail as if somebody had closed the session.
fn is_closed(schedule: &Schedule, proxy: &Proxy) -> bool {
    schedule.command == Command::Tail && proxy.shared.ledger.closed.load(Relaxed)
}

/// stdout is the log, or a gapless beginning of it.
fn output(schedule: &Schedule, proxy: &Proxy, ran: &Ran) -> Result<(), String> {
    let log = proxy.shared.ledger.log.lock().unwrap();
    let text = &ran.stdout;
    ensure(text.is_empty() || text.ends_with('\n'), "half a line")?;
    let mut expected = if schedule.command == Command::Tail {
        1
    } else {
        2
    };
    let mut last = String::new();
    for (index, line) in text.lines().enumerate() {
        let event: Value =
            serde_json::from_str(line).map_err(|error| format!("no JSON: {error}: {line}"))?;
        let seq = event["seq"].as_u64().unwrap_or_default();
        let trimmed = schedule.command == Command::Wait
            && index == 0
            && seq > expected
            && ran.stderr.contains("events_trimmed");
        if trimmed {
            expected = seq;
        }
        ensure(seq == expected, &format!("{expected} is due, not {seq}"))?;
        ensure(
            log.get(&seq).is_some_and(|known| known == line),
            &format!("event {seq} is not as the daemon sent it"),
        )?;
        expected += 1;
        last = event["type"].as_str().unwrap_or_default().to_owned();
    }
    let whole = last == "turn.completed";
    let code = ran.code();
    if code == 0 && is_closed(schedule, proxy) {
        return ensure(expected > 1, "events were known, yet none was read");
    }
    if code == schedule.story.code {
        return ensure(whole, "the end of the turn is not in it");
    }
    ensure(
        !whole || code == 124,
        "the end was seen, yet the code is not the turn's",
    )
}

/// stderr is objects, and its error is the one that the code stands for.
fn errors(schedule: &Schedule, ran: &Ran) -> Result<(), String> {
    let mut told = Vec::new();
    for line in ran.stderr.lines() {
        let object: Value =
            serde_json::from_str(line).map_err(|error| format!("stderr: {error}: {line}"))?;
        let (error, notice) = (&object["error"], &object["notice"]);
        ensure(
            error.is_object() != notice.is_object(),
            "neither error nor notice",
        )?;
        if error.is_object() {
            told.push(error["exit_code"].as_i64().unwrap_or_default());
        }
    }
    let code = ran.code();
    let calm = matches!(code, 0 | 10 | 11);
    let expected: Vec<i64> = if calm { vec![] } else { vec![code.into()] };
    ensure(told == expected, &format!("errors told: {told:?}"))?;
    let count = ran.stderr.matches("\"reconnecting\"").count();
    let back = ran.stderr.matches("\"reconnected\"").count();
    ensure(count <= back + 1, "an outage is told more than once")?;
    ensure(
        !(schedule.mild && count > 0),
        "an outage, though every connection brought an event",
    )
}
