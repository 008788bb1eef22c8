//! Recordings through the simulated daemon: every turn comes out as it was recorded, byte for byte.

#![allow(clippy::unwrap_used)]

#[path = "support/raw.rs"]
mod raw;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use dcodectl::protocol::{Event, EventKind};
use dcodectl::simulate::{Daemon, Options, Replay, Source, Speed};
use raw::{End, Raw, create, decide, exchange, submit, wait_for_state};
use serde_json::Value;

fn recording(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/recordings/sse")
        .join(name)
}

fn daemon(replay: Replay, speed: Speed) -> Daemon {
    Daemon::start(Options {
        source: Source::Replay(replay),
        speed,
        ..Options::default()
    })
    .unwrap()
}

fn data_lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix("data: "));
    lines.map(str::to_owned).collect()
}

/// Type and payload of the events of each completed turn.
fn recorded_turns(path: &Path) -> Vec<Vec<(EventKind, String)>> {
    let mut turns: Vec<Vec<(EventKind, String)>> = Vec::new();
    let mut inside = false;
    for line in data_lines(path) {
        let event = Event::parse(&line).unwrap();
        let kind = event.kind.clone();
        if kind == EventKind::TurnStarted {
            turns.push(Vec::new());
            inside = true;
        }
        let late = !inside && kind == EventKind::SessionError;
        if let Some(turn) = turns.last_mut()
            && (inside || late)
        {
            turn.push((kind.clone(), event.payload_json().to_owned()));
        }
        inside &= kind != EventKind::TurnCompleted;
    }
    turns
}

fn text_of(payload: &str, member: &str) -> String {
    let value: Value = serde_json::from_str(payload).unwrap();
    value[member].as_str().unwrap_or_default().to_owned()
}

/// Plays the next turn and compares it, answering each question as it was answered then.
fn play_and_compare(
    path: &Path,
    daemon: &Daemon,
    id: &str,
    stream: &mut Raw,
    turn: &[(EventKind, String)],
) {
    let prompt = text_of(&turn[0].1, "text");
    assert_eq!(submit(daemon.socket(), id, &prompt).status(), 202);
    for (index, (kind, payload)) in turn.iter().enumerate() {
        let line = stream.event().unwrap();
        let event = Event::parse(&line).unwrap();
        assert_eq!(
            (&event.kind, event.session_id.as_ref()),
            (kind, id),
            "{}",
            path.display()
        );
        assert_eq!(event.payload_json(), payload, "{}", path.display());
        if *kind == EventKind::ToolApprovalRequired {
            let answer = turn[index + 1..]
                .iter()
                .find(|(kind, _)| *kind == EventKind::ToolApprovalResolved);
            let decision = text_of(&answer.unwrap().1, "decision");
            // A question that an earlier grant answers is over before this comes.
            decide(
                daemon.socket(),
                id,
                &text_of(payload, "approval_id"),
                &decision,
            );
        }
    }
    wait_for_state(daemon.socket(), id, "idle");
}

#[test]
fn every_completed_turn_is_played_byte_for_byte() {
    let workspace = tempfile::tempdir().unwrap();
    let mut played = 0;
    for entry in fs::read_dir(recording("")).unwrap() {
        let path = entry.unwrap().path();
        let turns = recorded_turns(&path);
        let completed = |turn: &Vec<(EventKind, String)>| {
            turn.iter()
                .any(|(kind, _)| *kind == EventKind::TurnCompleted)
        };
        if turns.is_empty() || !turns.iter().all(completed) {
            continue;
        }
        let replay = Replay::load(&path).unwrap();
        assert_eq!(replay.turns(), turns.len());
        let daemon = daemon(replay, Speed::Instant);
        let id = create(daemon.socket(), workspace.path());
        let mut stream = Raw::open_stream(daemon.socket(), &id, "?from=2");
        // Once more from the first, when they have run out.
        for turn in turns.iter().chain(turns.first()) {
            play_and_compare(&path, &daemon, &id, &mut stream, turn);
            played += 1;
        }
    }
    assert!(played > 150, "{played}");
}

#[test]
fn a_turn_without_an_end_ends_the_stream_and_the_session() {
    let workspace = tempfile::tempdir().unwrap();
    for name in [
        "daemon-sigkill.sse",
        "deleted-mid-turn.sse",
        "slow-reader-dropped.sse",
    ] {
        let path = recording(name);
        let daemon = daemon(Replay::load(&path).unwrap(), Speed::Instant);
        let id = create(daemon.socket(), workspace.path());
        let mut stream = Raw::open_stream(daemon.socket(), &id, "?from=2");
        submit(daemon.socket(), &id, "x");
        let mut events = 0;
        let end = loop {
            match stream.event() {
                Ok(_) => events += 1,
                Err(end) => break end,
            }
        };
        assert_eq!(end, End::Orderly);
        assert!(events > 0 && events < data_lines(&path).len());
        let session = exchange(daemon.socket(), "GET", &format!("/v1/sessions/{id}"), "");
        assert_eq!(session.code(), "session_not_found");
    }
}

#[test]
fn an_answer_replaces_the_recorded_one_and_the_rest_plays_as_recorded() {
    let workspace = tempfile::tempdir().unwrap();
    let replay = Replay::load(recording("approval-allow.sse")).unwrap();
    let daemon = daemon(replay, Speed::Instant);
    let id = create(daemon.socket(), workspace.path());
    let mut stream = Raw::open_stream(daemon.socket(), &id, "");
    submit(daemon.socket(), &id, "x");
    let mut tools = 0;
    for _ in 0..2 {
        let events = stream.events_until("tool.approval_required");
        tools += events
            .iter()
            .filter(|event| event["type"] == "tool.completed")
            .count();
        let asked = &events.last().unwrap()["payload"]["approval_id"];
        let answer = decide(daemon.socket(), &id, asked.as_str().unwrap(), "deny");
        assert_eq!(answer.status(), 204);
        let resolved = stream.json_event().unwrap();
        assert_eq!(resolved["payload"]["decision"], "deny");
    }
    let rest = stream.events_until("turn.completed");
    tools += rest
        .iter()
        .filter(|event| event["type"] == "tool.completed")
        .count();
    assert_eq!(tools, 2);
}

#[test]
fn recorded_pauses_are_divided_by_the_speed() {
    let workspace = tempfile::tempdir().unwrap();
    let replay = Replay::load(recording("steer-delivered.sse")).unwrap();
    let daemon = daemon(replay, Speed::Times(4.0));
    let id = create(daemon.socket(), workspace.path());
    let mut stream = Raw::open_stream(daemon.socket(), &id, "");
    let start = Instant::now();
    submit(daemon.socket(), &id, "x");
    stream.events_until("turn.completed");
    // The command in it took a second.
    assert!(start.elapsed() >= Duration::from_millis(250));
    assert!(start.elapsed() < Duration::from_secs(5));
}

/// Case D06: a record file holds one `seq` twice.
#[test]
fn d06_a_record_file_is_played_in_its_own_order() {
    let event = |seq: u64, kind: &str, payload: &str| {
        format!(
            r#"{{"seq":{seq},"session_id":"a","type":"{kind}","at":"2026-12-01T05:00:00Z","payload":{payload}}}"#
        )
    };
    let record = [
        event(1, "session.created", "{}"),
        event(2, "turn.started", r#"{"turn_id":"t7","text":"old"}"#),
        event(3, "session.renamed", r#"{"name":"x"}"#),
        event(
            3,
            "message.delta",
            r#"{"turn_id":"t7","text":"a","n":1.10}"#,
        ),
        event(4, "turn.completed", r#"{"turn_id":"t7","reason":"done"}"#),
    ]
    .join("\n");
    let workspace = tempfile::tempdir().unwrap();
    let daemon = daemon(Replay::parse(&record).unwrap(), Speed::Instant);
    let id = create(daemon.socket(), workspace.path());
    let mut stream = Raw::open_stream(daemon.socket(), &id, "?from=2");
    submit(daemon.socket(), &id, "new <b>");
    let payloads: Vec<String> = (0..4)
        .map(|_| {
            Event::parse(&stream.event().unwrap())
                .unwrap()
                .payload_json()
                .to_owned()
        })
        .collect();
    assert_eq!(
        payloads,
        [
            r#"{"turn_id":"t7","text":"new \u003cb\u003e"}"#,
            r#"{"name":"x"}"#,
            r#"{"turn_id":"t7","text":"a","n":1.10}"#,
            r#"{"turn_id":"t7","reason":"done"}"#,
        ]
    );
}

#[test]
fn what_is_no_recording_is_refused_with_a_reason() {
    let table = [
        ("", "the recording holds no turn"),
        ("# Notes\n", "line 1 belongs to no event stream"),
        ("data: {}\n\n", "line 1: not an event"),
        (
            "{\"seq\":1,\"type\":\"session.created\"}\n",
            "holds no turn",
        ),
    ];
    for (text, expected) in table {
        let error = Replay::parse(text).unwrap_err();
        assert!(error.contains(expected), "{text}: {error}");
    }
    let error = Replay::load("/nowhere/x.sse").unwrap_err();
    assert!(error.starts_with("cannot read /nowhere/x.sse: "), "{error}");
}
