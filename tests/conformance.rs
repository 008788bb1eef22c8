//! The simulated daemon held against the recorded exchanges of a real one: same status line, same
//! headers in the same order, same framing, same JSON keys and types, same error code and message.
//!
//! Every recorded exchange is reachable. What differs in value only (ids, times, paths, the version)
//! is not compared; bodies of megabytes, left out of the recordings, are made up again.

#![allow(clippy::unwrap_used)]

#[path = "support/raw.rs"]
mod raw;
#[path = "support/recorded.rs"]
mod recorded;

use std::fs;
use std::path::Path;
use std::time::Duration;

use dcodectl::simulate::{Daemon, Options, Replay, Source, Speed, scenario};
use raw::{Answer, End, Framing, Head, Raw, create, decide, exchange, submit, wait_for_state};
use recorded::{exchanges, numberless, recordings, shape, split_head, with_id};
use serde_json::Value;
use tempfile::TempDir;

/// A simulated daemon in the state that a recording was made in.
struct Stage {
    daemon: Daemon,
    workspace: TempDir,
    /// The session the recording is about.
    id: String,
}

impl Stage {
    fn new(name: &str, change: impl FnOnce(&mut Options)) -> Self {
        let mut options = Options {
            source: Source::Scenario(scenario(name).unwrap()),
            speed: Speed::Instant,
            ..Options::default()
        };
        change(&mut options);
        let workspace = tempfile::tempdir().unwrap();
        fs::write(workspace.path().join("file"), "").unwrap();
        let daemon = Daemon::start(options).unwrap();
        let id = create(daemon.socket(), workspace.path());
        Self {
            daemon,
            workspace,
            id,
        }
    }

    fn socket(&self) -> &Path {
        self.daemon.socket()
    }

    fn turn(&self, state: &str) {
        assert_eq!(submit(self.socket(), &self.id, "x").status(), 202);
        wait_for_state(self.socket(), &self.id, state);
    }

    fn delete(&self) {
        let path = format!("/v1/sessions/{}", self.id);
        assert_eq!(exchange(self.socket(), "DELETE", &path, "").status(), 204);
    }

    fn undo(&self) {
        let path = format!("/v1/sessions/{}/undo", self.id);
        assert_eq!(exchange(self.socket(), "POST", &path, "").status(), 200);
    }

    fn more_sessions(&self, count: usize) {
        for _ in 0..count {
            create(self.socket(), self.workspace.path());
        }
    }
}

/// A daemon in the state that the recording was made in.
fn stage(name: &str) -> Stage {
    let stage = Stage::new(scenario_of(name), |options| configure(name, options));
    prepare(name, &stage);
    stage
}

fn scenario_of(name: &str) -> &'static str {
    match name {
        "session-get-running"
        | "steer-202"
        | "turns-already-active"
        | "undo-while-running"
        | "interrupt-204" => "slow",
        "approval-answered-too-soon" => "approval-too-soon",
        "approval-expired" => "approval-expires",
        "undo-some-refused" => "undo-refused",
        name if name.contains("-blocked") || name.starts_with("approval-") => "approval",
        _ => "done",
    }
}

fn configure(name: &str, options: &mut Options) {
    match name {
        // Played at once, the turn would be over before the request.
        name if scenario_of(name) == "slow" => options.speed = Speed::Times(1.0),
        "approval-answered-too-soon" => options.early_answer_window = Duration::from_millis(300),
        "events-expired" | "session-get-trimmed" => options.retention = 10,
        "sessions-create-max-sessions" => options.max_sessions = 1,
        "name-no-record" | "sessions-create-resume-no-record" => options.keep_records = false,
        "undo-after-turn-without-changes" => {
            let replay = Replay::load(recordings().join("sse/undo.sse")).unwrap();
            options.source = Source::Replay(replay);
        }
        _ => {}
    }
}

fn prepare(name: &str, stage: &Stage) {
    match name {
        "approval-answered-too-soon" => {
            let mut stream = Raw::open_stream(stage.socket(), &stage.id, "");
            submit(stage.socket(), &stage.id, "x");
            stream.events_until("tool.approval_required");
        }
        "approval-already-resolved" => {
            stage.turn("blocked");
            decide(stage.socket(), &stage.id, "t1-0", "allow");
        }
        name if scenario_of(name) == "slow" => stage.turn("running"),
        name if name.contains("-blocked") => stage.turn("blocked"),
        name if name.starts_with("approval-") && name.ends_with("-204") => stage.turn("blocked"),
        "approval-expired"
        | "events-expired"
        | "session-get-trimmed"
        | "undo-all-restored"
        | "undo-some-refused" => stage.turn("idle"),
        "session-delete-twice"
        | "turns-closed-session"
        | "name-closed-204"
        | "sessions-create-resume"
        | "sessions-list-empty" => stage.delete(),
        "name-oversized-record" | "sessions-create-resume-oversized-record" => {
            submit(stage.socket(), &stage.id, &"x".repeat(9 << 20));
            wait_for_state(stage.socket(), &stage.id, "idle");
        }
        "sessions-list" => stage.more_sessions(2),
        "sessions-list-many-chunked" => stage.more_sessions(20),
        "undo-twice" => {
            stage.turn("idle");
            stage.undo();
        }
        // The third recorded turn changes nothing.
        "undo-after-turn-without-changes" => (0..3).for_each(|_| stage.turn("idle")),
        _ => {}
    }
}

/// The bytes to send: ids and the workspace replaced, bodies that were left out made up again.
fn request(stage: &Stage, recorded: &[u8]) -> Vec<u8> {
    let id = &stage.id;
    if !recorded.windows(4).any(|four| four == b"\r\n\r\n") {
        return recorded.to_vec();
    }
    let end = recorded
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .unwrap()
        + 4;
    let length = Head::parse(&split_head(recorded).0).framing();
    let mut head = recorded[..end].to_vec();
    if let Ok(text) = std::str::from_utf8(&head) {
        head = with_id(text, id).into_bytes();
    }
    let body = &recorded[end..];
    let Framing::Length(length) = length else {
        return [&head, body].concat();
    };
    if body.starts_with(b"[body of") {
        let filler = |rest: usize| "A".repeat(length - rest);
        let image = String::from_utf8_lossy(&head).contains("10000066");
        let body = if image {
            let (start, end) = (r#"{"images":[{"data":""#, r#"""#);
            // Base64 comes in fours; blanks fill up the rest.
            let data = filler(start.len() + end.len() + 2);
            let data = &data[..data.len() / 4 * 4];
            let json = format!("{start}{data}{end}}}]}}");
            let blanks = " ".repeat(length - json.len());
            json + &blanks
        } else {
            format!("{{\"text\":\"{}\"}}", filler(11))
        };
        assert_eq!(body.len(), length);
        return [&head, body.as_bytes()].concat();
    }
    let body = &body[..length];
    let Ok(text) = std::str::from_utf8(body) else {
        return [&head, body].concat();
    };
    let workspace = stage.workspace.path().to_str().unwrap();
    let last = workspace.rsplit('/').next().unwrap();
    let body = with_id(text, id)
        .replace("/../ws", &format!("/../{last}"))
        .replace("/tmp/ws", workspace);
    let head = String::from_utf8(head).unwrap().replace(
        &format!("Content-Length: {length}"),
        &format!("Content-Length: {}", body.len()),
    );
    (head + &body).into_bytes()
}

/// Compares an answer with the recorded one.
fn compare(name: &str, id: &str, method: &str, recorded: &[u8], answer: &Answer) {
    let (head, body) = split_head(recorded);
    let expected = Head::parse(&with_id(&head, id));
    assert_eq!(answer.head.status_line, expected.status_line, "{name}");
    let names = |head: &Head| -> Vec<String> {
        head.headers.iter().map(|(name, _)| name.clone()).collect()
    };
    assert_eq!(names(&answer.head), names(&expected), "{name}");
    for header in [
        "Content-Type",
        "Allow",
        "Location",
        "Connection",
        "X-Content-Type-Options",
    ] {
        assert_eq!(
            answer.head.header(header),
            expected.header(header),
            "{name}"
        );
    }
    let body = match expected.framing() {
        _ if method == "HEAD" => return,
        Framing::Length(length) => &body[..length],
        Framing::Chunked => {
            let size = body.split(|&byte| byte == b'\r').next().unwrap();
            let size = usize::from_str_radix(std::str::from_utf8(size).unwrap(), 16).unwrap();
            let start = body.iter().position(|&byte| byte == b'\n').unwrap() + 1;
            &body[start..start + size]
        }
        Framing::Bare => body.strip_suffix(b"\n").unwrap_or(body),
    };
    if expected.header("Content-Type") != Some("application/json") {
        let body = with_id(&String::from_utf8_lossy(body), id);
        assert_eq!(String::from_utf8_lossy(&answer.body), body, "{name}");
        return;
    }
    assert_eq!(answer.body.last(), Some(&b'\n'), "{name}");
    let expected: Value = serde_json::from_slice(body).unwrap();
    let actual = answer.json();
    assert_eq!(shape(&actual), shape(&expected), "{name}");
    assert_eq!(actual["code"], expected["code"], "{name}");
    let message = expected["message"].as_str().unwrap_or_default();
    if !message.contains('/') {
        let actual = actual["message"].as_str().unwrap_or_default();
        assert_eq!(
            numberless(actual),
            numberless(&with_id(message, id)),
            "{name}"
        );
    }
}

/// A stream is compared up to its first event, and in the way it ends.
fn compare_stream(name: &str, stage: &Stage, recorded: &[u8], raw: &mut Raw) {
    let (head, body) = split_head(recorded);
    let answer = Answer {
        head: raw.head(),
        body: Vec::new(),
    };
    compare(name, &stage.id, "HEAD", recorded, &answer);
    assert_eq!(Head::parse(&head).framing(), Framing::Chunked, "{name}");
    let data = String::from_utf8_lossy(body);
    if let Some(line) = data.lines().find_map(|line| line.strip_prefix("data: ")) {
        let expected: Value = serde_json::from_str(line).unwrap();
        let event = raw.json_event().unwrap();
        assert_eq!(shape(&event), shape(&expected), "{name}");
        assert_eq!(event["type"], expected["type"], "{name}");
    }
    let end = match name {
        "stream-end-session-deleted" => {
            stage.delete();
            End::Orderly
        }
        "stream-end-daemon-sigterm" => {
            stage.daemon.stop();
            End::Abrupt
        }
        "stream-end-daemon-sigkill" => {
            stage.daemon.kill();
            End::Abrupt
        }
        _ => return,
    };
    assert_eq!(raw.event().unwrap_err(), end, "{name}");
    assert_eq!(data.ends_with("0\r\n\r\n"), end == End::Orderly, "{name}");
    if end == End::Orderly {
        // The connection is still good.
        assert_eq!(raw.request("GET", "/health", "").status(), 200, "{name}");
    }
}

fn hold_against(path: &Path) {
    let name = path.file_stem().unwrap().to_str().unwrap();
    let stage = stage(name);
    let mut raw = Raw::connect(stage.socket());
    for (number, exchange) in exchanges(path).iter().enumerate() {
        if number > 0 && name == "approval-answered-too-soon" {
            wait_for_state(stage.socket(), &stage.id, "blocked");
        }
        let bytes = request(&stage, &exchange.request);
        let method = String::from_utf8_lossy(&bytes[..4]).trim().to_owned();
        let all_sent = raw.send(&bytes);
        let (head, _) = split_head(&exchange.response);
        if head.contains("text/event-stream") {
            compare_stream(name, &stage, &exchange.response, &mut raw);
            continue;
        }
        let answer = raw.answer(&method);
        compare(name, &stage.id, &method, &exchange.response, &answer);
        let closes = head.contains("Connection: close") || head.starts_with("HTTP/1.0");
        assert!(all_sent || closes, "{name}");
        assert!(!closes || raw.is_closed(), "{name}");
    }
}

/// Holds every recording whose name starts with one of the words against the daemon.
fn hold_all(wanted: impl Fn(&str) -> bool) {
    let mut held = 0;
    for entry in fs::read_dir(recordings().join("http")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        if wanted(name.split('-').next().unwrap()) {
            hold_against(&path);
            held += 1;
        }
    }
    assert!(held > 0);
}

#[test]
fn approvals() {
    hold_all(|group| group == "approval");
}

#[test]
fn events_and_streams() {
    hold_all(|group| matches!(group, "events" | "stream"));
}

#[test]
fn names() {
    hold_all(|group| group == "name");
}

#[test]
fn sessions() {
    hold_all(|group| matches!(group, "session" | "sessions"));
}

#[test]
fn turns() {
    hold_all(|group| group == "turns");
}

#[test]
fn steer_interrupt_and_undo() {
    hold_all(|group| matches!(group, "steer" | "interrupt" | "undo"));
}

#[test]
fn transport() {
    let elsewhere = [
        "approval",
        "events",
        "stream",
        "name",
        "session",
        "sessions",
        "turns",
        "steer",
        "interrupt",
        "undo",
    ];
    hold_all(|group| !elsewhere.contains(&group));
}
