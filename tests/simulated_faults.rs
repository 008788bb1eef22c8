//! Misbehaviour of the simulated daemon on demand.

#![allow(clippy::unwrap_used)]

#[path = "support/raw.rs"]
mod raw;

use std::path::Path;
use std::time::{Duration, Instant};

use dcodectl::simulate::{Act, Daemon, Fault, Options, PathIs, Source, Speed, scenario};
use raw::{End, Raw, create, exchange, submit};

fn daemon(name: &str, faults: Vec<Fault>) -> Daemon {
    Daemon::start(Options {
        source: Source::Scenario(scenario(name).unwrap()),
        speed: Speed::Instant,
        faults,
        ..Options::default()
    })
    .unwrap()
}

fn any_workspace() -> &'static Path {
    Path::new("/tmp")
}

/// Plays one turn and returns the raw chunks of its stream, up to `turn.completed`.
fn chunks(daemon: &Daemon) -> Vec<Vec<u8>> {
    let id = create(daemon.socket(), any_workspace());
    let mut stream = Raw::open_stream(daemon.socket(), &id, "");
    submit(daemon.socket(), &id, "x");
    let mut chunks: Vec<Vec<u8>> = Vec::new();
    loop {
        chunks.push(stream.chunk().unwrap());
        let tail: Vec<u8> = chunks
            .iter()
            .rev()
            .take(400)
            .rev()
            .flatten()
            .copied()
            .collect();
        let text = String::from_utf8_lossy(&tail);
        if text.contains("turn.completed") && (text.ends_with("\n\n") || text.ends_with("\r\n\r\n"))
        {
            return chunks;
        }
    }
}

#[test]
fn answers_can_be_replaced_by_number() {
    let busy = Act::Answer {
        status: 409,
        content_type: "application/json".into(),
        body: "{\"code\":\"turn_already_active\",\"message\":\"busy\"}".into(),
    };
    let turns = PathIs::Suffix("/turns".into());
    let daemon = daemon("done", vec![Fault::new("POST", turns, busy).only(1)]);
    let id = create(daemon.socket(), any_workspace());
    assert_eq!(
        submit(daemon.socket(), &id, "x").code(),
        "turn_already_active"
    );
    assert_eq!(submit(daemon.socket(), &id, "y").status(), 202);
    let seen = daemon.requests();
    assert_eq!(seen.len(), 3);
    assert_eq!(seen[1].body, b"{\"text\":\"x\"}");
    assert_eq!(
        (seen[2].method.as_str(), seen[2].path()),
        ("POST", &*format!("/v1/sessions/{id}/turns"))
    );
}

#[test]
fn requests_can_go_unanswered_in_several_ways() {
    let path = |name: &str| PathIs::Exactly(format!("/v1/sessions/{name}"));
    let daemon = daemon(
        "done",
        vec![
            Fault::new("GET", path("reset"), Act::Reset),
            Fault::new("GET", path("raw"), Act::Raw(b"220 ready\r\n".to_vec())),
            Fault::new("GET", path("silence"), Act::Silence),
            Fault::new("GET", path("head"), Act::HeadOnly),
            Fault::new("GET", path("late"), Act::Delay(Duration::from_millis(150))),
            Fault::new(
                "GET",
                path("held"),
                Act::DelayAnswer(Duration::from_millis(150)),
            ),
        ],
    );
    let send = |name: &str| {
        let mut raw = Raw::connect(daemon.socket());
        raw.send(format!("GET /v1/sessions/{name} HTTP/1.1\r\nHost: d\r\n\r\n").as_bytes());
        raw
    };
    assert!(send("reset").is_closed());
    assert_eq!(send("raw").rest(), b"220 ready\r\n");
    let (mut silent, mut head) = (send("silence"), send("head"));
    for late in ["late", "held"] {
        let start = Instant::now();
        assert_eq!(send(late).answer("GET").status(), 404);
        assert!(start.elapsed() >= Duration::from_millis(150));
    }
    assert_eq!(head.head().status(), 200);
    daemon.stop();
    assert!(silent.is_closed() && head.is_closed());
}

#[test]
fn streams_can_be_cut_after_so_many_bytes_each() {
    let daemon = daemon(
        "tools",
        vec![Fault::on_streams(Act::CutStreamAfterBytes(1000))],
    );
    let id = create(daemon.socket(), any_workspace());
    submit(daemon.socket(), &id, "x");
    let (mut last, mut connections) = (0, 0);
    'reconnect: loop {
        connections += 1;
        let mut stream = Raw::open_stream(daemon.socket(), &id, &format!("?from={}", last + 1));
        loop {
            match stream.json_event() {
                Ok(event) => {
                    last += 1;
                    assert_eq!(event["seq"], last);
                    if event["type"] == "turn.completed" {
                        break 'reconnect;
                    }
                }
                Err(end) => {
                    assert_eq!(end, End::Abrupt);
                    break;
                }
            }
        }
    }
    assert!(connections > 5, "{connections}");
}

#[test]
fn an_answer_can_be_lost_and_a_stream_can_hang_in_a_line() {
    let turns = PathIs::Suffix("/turns".into());
    let daemon = daemon(
        "done",
        vec![
            Fault::new("POST", turns, Act::LoseAnswer).first(1),
            Fault::on_streams(Act::StallStreamAfterBytes(700)).only(1),
        ],
    );
    let id = create(daemon.socket(), any_workspace());
    let mut stalled = Raw::open_stream(daemon.socket(), &id, "");
    let mut stream = Raw::open_stream(daemon.socket(), &id, "");
    let mut raw = Raw::connect(daemon.socket());
    raw.send(
        format!(
            "POST /v1/sessions/{id}/turns HTTP/1.1\r\nHost: d\r\nContent-Length: 2\r\n\r\n{{}}"
        )
        .as_bytes(),
    );
    assert!(raw.is_closed());
    // The turn was begun all the same.
    stream.events_until("turn.completed");
    let mut bytes = 0;
    while bytes < 700 {
        bytes += stalled.chunk().unwrap().len();
    }
    assert_eq!(bytes, 700);
    daemon.stop();
    assert_eq!(stalled.chunk().unwrap_err(), End::Abrupt);
}

#[test]
fn streams_can_end_in_order_after_so_many_events() {
    let daemon = daemon(
        "done",
        vec![Fault::on_streams(Act::EndStreamAfterEvents(3)).only(1)],
    );
    let id = create(daemon.socket(), any_workspace());
    submit(daemon.socket(), &id, "x");
    let mut stream = Raw::open_stream(daemon.socket(), &id, "");
    for seq in 1..=3 {
        assert_eq!(stream.json_event().unwrap()["seq"], seq);
    }
    assert_eq!(stream.event().unwrap_err(), End::Orderly);
    assert_eq!(stream.request("GET", "/health", "").status(), 200);
    Raw::open_stream(daemon.socket(), &id, "?from=4").events_until("turn.completed");
}

#[test]
fn streams_can_be_written_in_other_legal_ways() {
    let usual = chunks(&daemon("weird-output", vec![])).len();
    let all = chunks(&daemon(
        "weird-output",
        vec![
            Fault::on_streams(Act::CrLf),
            Fault::on_streams(Act::NoSpace),
            Fault::on_streams(Act::TwoDataLines),
        ],
    ));
    assert_eq!(all.len(), usual);
    let text = String::from_utf8(all[0].clone()).unwrap();
    assert!(
        text.starts_with("id:1\r\ndata:{\r\ndata:\"seq\":1,"),
        "{text}"
    );
    assert!(text.ends_with("}\r\n\r\n"), "{text}");
    let single = chunks(&daemon(
        "weird-output",
        vec![Fault::on_streams(Act::SingleBytes)],
    ));
    assert!(single.iter().all(|chunk| chunk.len() == 1));
}

#[test]
fn the_scenario_cut_breaks_off_in_a_line_and_goes_on() {
    let daemon = daemon("cut", vec![]);
    let id = create(daemon.socket(), any_workspace());
    let mut stream = Raw::open_stream(daemon.socket(), &id, "");
    submit(daemon.socket(), &id, "x");
    let mut last = 0;
    let end = loop {
        match stream.json_event() {
            Ok(event) => last = event["seq"].as_u64().unwrap(),
            Err(end) => break end,
        }
    };
    assert_eq!(end, End::Abrupt);
    let mut stream = Raw::open_stream(daemon.socket(), &id, &format!("?from={}", last + 1));
    let rest = stream.events_until("turn.completed");
    assert_eq!(rest[0]["seq"], last + 1);
}

#[test]
fn the_scenarios_drop_and_restart_end_streams_as_their_causes_do() {
    for (name, expected, status) in [("drop", End::Orderly, 200), ("restart", End::Abrupt, 404)] {
        let daemon = daemon(name, vec![]);
        let id = create(daemon.socket(), any_workspace());
        let mut stream = Raw::open_stream(daemon.socket(), &id, "");
        submit(daemon.socket(), &id, "x");
        let end = loop {
            match stream.json_event() {
                Ok(event) => assert_ne!(event["type"], "turn.completed"),
                Err(end) => break end,
            }
        };
        assert_eq!(end, expected, "{name}");
        let session = exchange(daemon.socket(), "GET", &format!("/v1/sessions/{id}"), "");
        assert_eq!(session.status(), status, "{name}");
    }
}

#[test]
fn the_scenario_silence_pings_on_and_stall_does_not() {
    for (name, pings) in [("silence", true), ("stall", false)] {
        let daemon = Daemon::start(Options {
            source: Source::Scenario(scenario(name).unwrap()),
            speed: Speed::Instant,
            ping_interval: Duration::from_millis(40),
            ..Options::default()
        })
        .unwrap();
        let id = create(daemon.socket(), any_workspace());
        let mut stream = Raw::open_stream(daemon.socket(), &id, "");
        submit(daemon.socket(), &id, "x");
        std::thread::sleep(Duration::from_millis(400));
        daemon.cut_streams();
        let mut tail = Vec::new();
        while let Ok(chunk) = stream.chunk() {
            tail.push(chunk);
        }
        let pinged = tail
            .iter()
            .rev()
            .take(3)
            .all(|chunk| chunk == b": ping\n\n");
        assert_eq!(pinged, pings, "{name}");
        // Stalled or not, a new stream shows how it really stands.
        let mut fresh = Raw::open_stream(daemon.socket(), &id, "");
        if pings {
            exchange(
                daemon.socket(),
                "POST",
                &format!("/v1/sessions/{id}/interrupt"),
                "",
            );
        }
        fresh.events_until("turn.completed");
    }
}

#[test]
fn the_scenario_garbage_sends_a_line_that_is_not_json() {
    let text: Vec<u8> = chunks(&daemon("garbage", vec![])).concat();
    let text = String::from_utf8(text).unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix("data: "));
    let bad = lines.filter(|line| serde_json::from_str::<serde_json::Value>(line).is_err());
    assert_eq!(bad.count(), 1);
}

#[test]
fn the_scenarios_refuse_and_not_http_serve_nobody() {
    let silent = daemon("refuse", vec![]);
    let mut raw = Raw::connect(silent.socket());
    raw.send(b"GET /health HTTP/1.1\r\nHost: d\r\n\r\n");
    std::thread::sleep(Duration::from_millis(100));
    silent.stop();
    assert!(raw.is_closed());
    let other = daemon("not-http", vec![]);
    let mut raw = Raw::connect(other.socket());
    raw.send(b"GET /health HTTP/1.1\r\nHost: d\r\n\r\n");
    assert!(raw.some().starts_with(b"SSH-2.0-"));
}
