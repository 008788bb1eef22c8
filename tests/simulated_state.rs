//! The state of the simulated daemon: scenarios, streams, retention, records, undo.

#![allow(clippy::unwrap_used)]

#[path = "support/one.rs"]
mod one;
#[path = "support/raw.rs"]
mod raw;

use dcodectl::protocol::{Event, Payload};
use dcodectl::simulate::{Speed, scenarios};
use one::{One, count, kinds};
use raw::{End, Raw, create, decide, exchange, submit, wait_for_state};
use serde_json::Value;

/// Every scenario that ends by itself, with its stop reason.
#[test]
fn every_scenario_plays_to_its_reason_and_every_event_is_well_formed() {
    let other = |name: &str| match name {
        "unverified" | "incomplete" | "interrupted" => name.to_owned(),
        "max-iterations" | "repeat-loop" | "max-tokens" => name.replace('-', "_"),
        "error" | "error-silent" => "error".to_owned(),
        "unknown-reason" => "out_of_cheese".to_owned(),
        _ => "done".to_owned(),
    };
    let endless = [
        "cut", "drop", "restart", "silence", "stall", "garbage", "refuse", "not-http",
    ];
    for scenario in scenarios().filter(|one| !endless.contains(&one.name)) {
        // A reader on a busy machine would be let go in the middle of the longest.
        let one = One::new(scenario.name, Speed::Instant, |options| {
            options.reader_queue = 10_000;
        });
        let last = one.get().json()["last_seq"].as_u64().unwrap();
        let mut stream = one.stream(&format!("?from={}", last + 1));
        one.submit();
        let (mut seq, mut finished) = (last, false);
        while !finished {
            let line = stream.event().unwrap();
            let event = Event::parse(&line).unwrap();
            seq += 1;
            assert_eq!(event.seq, seq, "{}", scenario.name);
            match event.payload() {
                Payload::ApprovalRequired(question) => {
                    while one.decide(&question.approval_id, "allow").status() == 409
                        && one.get().json()["state"] != "idle"
                    {}
                }
                Payload::TurnCompleted(end) => {
                    let reason = end.reason.as_ref().unwrap().to_string();
                    assert_eq!(reason, other(scenario.name), "{}", scenario.name);
                    finished = true;
                }
                Payload::Malformed(why) => panic!("{}: {why}: {line}", scenario.name),
                _ => {}
            }
        }
    }
}

#[test]
fn a_deletion_ends_the_stream_without_the_end_of_the_turn() {
    let one = One::new("slow", Speed::Times(1.0), |_| {});
    let mut stream = one.stream("");
    one.submit();
    stream.events_until("tool.requested");
    let path = format!("/v1/sessions/{}", one.id);
    assert_eq!(exchange(one.socket(), "DELETE", &path, "").status(), 204);
    let end = loop {
        match stream.json_event() {
            Ok(event) => assert_ne!(event["type"], "turn.completed"),
            Err(end) => break end,
        }
    };
    assert_eq!(end, End::Orderly);
    assert_eq!(stream.request("GET", &path, "").code(), "session_not_found");
    assert_eq!(exchange(one.socket(), "DELETE", &path, "").status(), 404);
}

#[test]
fn a_slow_reader_is_let_go_in_order_and_loses_nothing() {
    let one = One::new("long-answer", Speed::Instant, |options| {
        options.reader_queue = 8;
    });
    let mut stream = one.stream("");
    one.submit();
    wait_for_state(one.socket(), &one.id, "idle");
    let last = one.get().json()["last_seq"].as_u64().unwrap();
    let mut seen = 0;
    let end = loop {
        match stream.json_event() {
            Ok(event) => {
                seen += 1;
                assert_eq!(event["seq"], seen);
            }
            Err(end) => break end,
        }
    };
    assert_eq!(end, End::Orderly);
    assert!(seen > 8 && seen < last, "{seen} of {last}");
    let mut again = one.stream(&format!("?from={}", seen + 1));
    let rest = again.events_until("turn.completed");
    assert_eq!(rest.last().unwrap()["seq"], last);
    assert_eq!(rest.len() as u64, last - seen);
}

#[test]
fn all_readers_and_a_replay_see_the_same_bytes() {
    let one = One::new("tools", Speed::Times(20.0), |_| {});
    let mut streams: Vec<Raw> = (0..10).map(|_| one.stream("")).collect();
    one.submit();
    let read = |stream: &mut Raw| -> Vec<String> {
        let mut lines = Vec::new();
        while !lines
            .last()
            .is_some_and(|line: &String| line.contains("\"turn.completed\""))
        {
            lines.push(stream.event().unwrap());
        }
        lines
    };
    let first = read(&mut streams[0]);
    for stream in &mut streams[1..] {
        assert_eq!(read(stream), first);
    }
    assert_eq!(read(&mut one.stream("?from=1")), first);
}

#[test]
fn old_events_expire_and_the_session_says_from_where_they_are_held() {
    let one = One::new("done", Speed::Instant, |options| options.retention = 10);
    one.submit();
    wait_for_state(one.socket(), &one.id, "idle");
    let session = one.get().json();
    let (first, last) = (
        session["first_seq"].as_u64().unwrap(),
        session["last_seq"].as_u64().unwrap(),
    );
    assert_eq!(last - first + 1, 10);
    let events = |from: u64| {
        let path = format!("/v1/sessions/{}/events?from={from}", one.id);
        exchange(one.socket(), "GET", &path, "")
    };
    assert_eq!(events(first - 1).code(), "events_expired");
    assert_eq!(events(0).code(), "events_expired");
    let mut stream = one.stream(&format!("?from={first}"));
    assert_eq!(stream.json_event().unwrap()["seq"], first);
}

#[test]
fn a_resumed_session_carries_the_history_renumbered() {
    let one = One::instant("approval");
    let mut stream = one.stream("?from=2");
    one.submit();
    let mut old = stream.events_until("tool.approval_required");
    one.decide("t1-0", "allow");
    old.extend(stream.events_until("turn.completed"));
    wait_for_state(one.socket(), &one.id, "idle");
    let before = one.get().json()["last_seq"].clone();
    assert_eq!(
        one.post("name", "{\"name\":\" My\\u0007 fix \"}").status(),
        204
    );
    assert_eq!(one.get().json()["last_seq"], before);

    let session = one.resume(&one.id);
    let id = session["id"].as_str().unwrap();
    let last = session["last_seq"].as_u64().unwrap();
    let mut stream = Raw::open_stream(one.socket(), id, "");
    let carried: Vec<Value> = (0..last).map(|_| stream.json_event().unwrap()).collect();
    let question = old
        .iter()
        .position(|event| event["type"] == "tool.approval_required");
    old.remove(question.unwrap());
    let mut expected = vec!["session.created", "session.resumed"];
    expected.extend(kinds(&old));
    expected.push("session.renamed");
    assert_eq!(kinds(&carried), expected);
    for (old, new) in old.iter().zip(&carried[2..]) {
        assert_eq!(old["payload"], new["payload"]);
        assert_eq!(new["session_id"], id);
    }
    let marker = &carried[1]["payload"];
    assert_eq!(marker["source_id"], one.id.as_str());
    assert_eq!(marker["turns"], 1);
    assert_eq!(marker["started_at"], "0001-01-01T00:00:00Z");
    assert_eq!(carried.last().unwrap()["payload"]["name"], "My fix");

    // Turns count from t1 again, and so do approvals.
    assert_eq!(submit(one.socket(), id, "again").status(), 202);
    let events = stream.events_until("tool.approval_required");
    assert_eq!(events[0]["payload"]["turn_id"], "t1");
    decide(one.socket(), id, "t1-0", "deny");
    stream.events_until("turn.completed");
    let chain = one.resume(id);
    let mut stream = Raw::open_stream(one.socket(), chain["id"].as_str().unwrap(), "");
    let all: Vec<Value> = (0..chain["last_seq"].as_u64().unwrap())
        .map(|_| stream.json_event().unwrap())
        .collect();
    assert_eq!(count(&all, "session.resumed"), 1);
    assert_eq!(all[1]["payload"]["turns"], 2);
}

#[test]
fn a_turn_cut_off_by_deletion_is_carried_without_its_end() {
    let one = One::new("slow", Speed::Times(1.0), |_| {});
    let mut stream = one.stream("");
    one.submit();
    stream.events_until("tool.requested");
    exchange(
        one.socket(),
        "DELETE",
        &format!("/v1/sessions/{}", one.id),
        "",
    );
    let session = one.resume(&one.id);
    let mut stream = Raw::open_stream(one.socket(), session["id"].as_str().unwrap(), "");
    let last = session["last_seq"].as_u64().unwrap();
    let carried: Vec<Value> = (0..last).map(|_| stream.json_event().unwrap()).collect();
    assert_eq!(count(&carried, "turn.started"), 1);
    assert_eq!(count(&carried, "turn.completed"), 0);
    assert_eq!(carried[1]["payload"]["turns"], 0);
}

#[test]
fn the_scenario_resumed_has_a_history_with_a_turn_of_the_same_id() {
    let one = One::instant("resumed");
    let last = one.get().json()["last_seq"].as_u64().unwrap();
    let mut stream = one.stream("");
    let carried: Vec<Value> = (0..last).map(|_| stream.json_event().unwrap()).collect();
    assert_eq!(carried[1]["type"], "session.resumed");
    assert_eq!(carried[2]["payload"]["turn_id"], "t1");
    assert_eq!(count(&carried, "turn.completed"), 1);
    one.submit();
    assert_eq!(stream.json_event().unwrap()["payload"]["turn_id"], "t1");
    // Only the first session has it.
    let other = create(one.socket(), one.workspace.path());
    let other = exchange(one.socket(), "GET", &format!("/v1/sessions/{other}"), "");
    assert_eq!(other.json()["last_seq"], 1);
}

#[test]
fn undo_speaks_of_the_last_turn_once() {
    let one = One::instant("undo-refused");
    one.submit();
    wait_for_state(one.socket(), &one.id, "idle");
    let workspace = one.workspace.path().display().to_string();
    let path = |name: &str| Value::from(format!("{workspace}/{name}"));
    let result = one.post("undo", "").json();
    assert_eq!(
        result["restored"],
        Value::from(vec![path("src/blank.py"), path("src/parser.py")])
    );
    assert_eq!(result["refused"], Value::from(vec![path("README.md")]));
    let again = one.post("undo", "");
    assert_eq!(again.body, b"{\"restored\":null,\"refused\":null}\n");
    // Nothing was ever written.
    assert_eq!(std::fs::read_dir(one.workspace.path()).unwrap().count(), 0);
}

#[test]
fn sessions_are_listed_in_order_of_creation() {
    let one = One::instant("done");
    let mut ids = vec![one.id.clone()];
    ids.extend((0..30).map(|_| create(one.socket(), one.workspace.path())));
    let list = exchange(one.socket(), "GET", "/v1/sessions", "").json();
    let listed: Vec<&str> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].as_str().unwrap())
        .collect();
    assert_eq!(listed, ids);
}
