//! What arrives is what was sent, however it is cut into bytes.

use std::time::Duration;

use dcodectl::simulate::{Act, Fault};

use super::{long_turn, nth_stream, numbers, playing, short, small_turn, wire};
use crate::support::inside::inside;
use crate::support::{at, create, daemon, daemon_with, kinds, seen};

#[test]
fn b28_the_stream_is_open_before_the_prompt_is_sent() {
    let daemon = playing(&long_turn(1), |options| options.max_sessions = 2);
    let id = create(&daemon);
    for _ in 0..300 {
        let ran = inside(&daemon, ["submit", &id, "-o", "answer", "x"]).run();
        ran.exits(0).out("y\n").err("");
    }
}

#[test]
fn b28_a_turn_that_ends_before_its_202_is_ours_all_the_same() {
    let daemon = playing(&long_turn(1), |options| {
        let late = Act::DelayAnswer(Duration::from_millis(300));
        options.faults.push(wire::on_submits(late));
    });
    let ran = at(&daemon, ["run", "--json", "x"]).run().exits(0).err("");
    assert_eq!(numbers(&ran.stdout), [2, 3, 4]);
}

#[test]
fn b29_cuts_lose_and_repeat_nothing() {
    let daemon = playing(&long_turn(497), |options| {
        options
            .faults
            .push(Fault::on_streams(Act::CutStreamAfterBytes(1000)));
    });
    let id = create(&daemon);
    let ran = at(&daemon, ["submit", &id, "--json", "x"]).run().exits(0);
    assert_eq!(numbers(&ran.stdout), (2..=500).collect::<Vec<_>>());
    assert_eq!(ran.stderr, "");
    let ran = at(&daemon, ["tail", &id, "--json", "--no-follow"]).run();
    let ran = ran.exits(0).err("");
    assert_eq!(numbers(&ran.stdout), (1..=500).collect::<Vec<_>>());
    // So does a reading of the past.
    let ran = at(&daemon, ["wait", &id, "--json"]).run().exits(0).err("");
    assert_eq!(numbers(&ran.stdout), (2..=500).collect::<Vec<_>>());
}

#[test]
fn b29_a_stream_that_never_brings_an_event_is_given_up() {
    let daemon = playing(&long_turn(3), |options| {
        options
            .faults
            .push(Fault::on_streams(Act::CutStreamAfterBytes(100)));
    });
    let id = create(&daemon);
    let ran = inside(&daemon, ["submit", &id, "--json", "x"])
        .limits(short)
        .run();
    let objects = ran.exits(75).out("").err_objects();
    assert_eq!(objects[0]["notice"]["code"], "reconnecting");
    let error = &objects.last().unwrap()["error"];
    assert_eq!(error["code"], "outcome_unknown");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("not regained within 600ms"), "{message}");
    assert!(message.contains("the turn's end was not seen"), "{message}");
    // Looking back meets the same.
    inside(&daemon, ["wait", &id])
        .limits(short)
        .run()
        .exits(75)
        .out("")
        .err_has("the stream was lost after seq 0 and not regained within 600ms");
    inside(&daemon, ["tail", &id])
        .limits(short)
        .run()
        .exits(75)
        .out("")
        .err_has("the stream was lost after seq 0");
}

#[test]
fn b31_crlf_streams_are_the_same_events() {
    let plain = at(&daemon("unknown-event"), ["run", "x"]).run().exits(0);
    for act in [Act::CrLf, Act::NoSpace, Act::SingleBytes, Act::TwoDataLines] {
        let daemon = daemon_with("unknown-event", |options| {
            options.speed = dcodectl::simulate::Speed::Instant;
            options.faults.push(Fault::on_streams(act));
        });
        let ran = at(&daemon, ["run", "x"]).run().exits(0).err("");
        let without_times = |text: &str| {
            let lines = text.lines().filter(|line| !line.contains(" tokens "));
            lines.collect::<Vec<_>>().join("\n")
        };
        assert_eq!(without_times(&ran.stdout), without_times(&plain.stdout));
    }
}

#[test]
fn b32_characters_may_be_split_anywhere_and_data_may_lack_its_space() {
    let mut turn = small_turn();
    turn[1] = wire::event(3, "message.delta", r#"{"turn_id":"t1","text":"a🦀b"}"#);
    let body = turn.map(|event| format!("data:{event}\n\n")).concat();
    let crab = body.find('🦀').unwrap();
    for cut in 1..4 {
        let answer = wire::stream_in_chunks(body.as_bytes(), &[crab + cut, 1, 2]);
        let daemon = daemon("silence");
        daemon.add_fault(nth_stream(1, answer));
        let ran = at(&daemon, ["run", "-o", "answer", "x"]).run();
        ran.exits(0).out("a🦀b\n").err("");
    }
    // Four chunks, one byte of the character in each.
    let answer = wire::stream_in_chunks(body.as_bytes(), &[crab + 1, 1, 1, 1]);
    let daemon = daemon("silence");
    daemon.add_fault(nth_stream(1, answer));
    at(&daemon, ["run", "-o", "answer", "x"])
        .run()
        .exits(0)
        .out("a🦀b\n");
}

#[test]
fn b33_pings_are_life() {
    let daemon = daemon_with("silence", |options| {
        options.speed = dcodectl::simulate::Speed::Instant;
        options.ping_interval = Duration::from_millis(200);
    });
    let id = create(&daemon);
    let begun = std::time::Instant::now();
    let running = inside(&daemon, ["submit", &id, "-v", "x"])
        .timeouts(|timeouts| timeouts.silence = Duration::from_millis(600))
        .limits(|limits| limits.quiet = Duration::from_millis(300))
        .start();
    crate::support::until("four silence limits", || {
        begun.elapsed() > Duration::from_millis(2400)
    });
    assert_eq!(crate::support::seen(&daemon, "GET", "/events"), 1);
    at(&daemon, ["interrupt", &id])
        .run()
        .exits(0)
        .out("")
        .err("");
    let ran = running.wait().exits(15);
    assert!(!ran.stderr.contains("stream"), "{ran:#?}");
}

#[test]
fn b33_an_idle_session_with_nothing_unread_will_not_end_its_turn() {
    let daemon = daemon_with("silence", |options| {
        options.speed = dcodectl::simulate::Speed::Instant;
        options.ping_interval = Duration::from_millis(50);
    });
    let id = create(&daemon);
    let running = inside(&daemon, ["submit", &id, "--json", "x"])
        .limits(short)
        .start();
    crate::support::until("all is read", || running.out.text().contains("think"));
    let last = numbers(&running.out.text()).pop().unwrap();
    daemon.add_fault(wire::session_is(&id, "idle", last + 20, Some(1)));
    crate::support::until("a question about the state", || {
        crate::support::seen(&daemon, "GET", &id) > 3
    });
    // Idle, but with events that were not read: they may still come.
    assert!(!running.err.text().contains("error"));
    drop(running);

    let other = create(&daemon);
    let running = inside(&daemon, ["submit", &other, "--json", "x"])
        .limits(short)
        .start();
    crate::support::until("all is read", || running.out.text().contains("think"));
    daemon.add_fault(wire::session_is(&other, "idle", 4, Some(1)));
    let ran = running.wait().exits(75);
    ran.err_has("is idle and every event was read, but the turn's end is not among them");
    for id in [id, other] {
        at(&daemon, ["close", &id]).run().exits(0);
    }
}

/// A turn with one fragment of a payload of so many bytes, and how long its line is then.
fn turn_of(bytes: usize) -> Vec<(&'static str, String)> {
    let mut events = long_turn(2);
    let frame = r#"{"turn_id":"t1","text":""}"#.len();
    let text = "z".repeat(bytes - frame);
    events[1].1 = format!(r#"{{"turn_id":"t1","text":"{text}"}}"#);
    events
}

#[test]
fn b30_a_long_line_arrives_once_and_the_next_event_too() {
    for bytes in [(64 << 10) + 1, (1 << 20) + 1, (4 << 20) + 1, 5 << 20] {
        let events = turn_of(bytes);
        let daemon = playing(&events, |_| {});
        let ran = at(&daemon, ["run", "--json", "x"]).run().exits(0).err("");
        assert_eq!(numbers(&ran.stdout), [2, 3, 4, 5]);
        assert!(ran.stdout.contains(&events[1].1), "{bytes}");
        assert_eq!(seen(&daemon, "GET", "/events"), 1);
    }
}

#[test]
fn b34_lines_at_the_edge_of_a_buffer_stay_whole() {
    let around = |size: usize| size - 1..=size + 1;
    let edges = around(16_384).chain(around(65_536)).chain([1_000_000]);
    for bytes in edges {
        // The envelope takes what is left of the line.
        let envelope = wire::event(3, "message.delta", "").len();
        let line = wire::event(3, "message.delta", &turn_of(bytes - envelope)[1].1);
        assert_eq!(line.len(), bytes);
        let mut turn = small_turn();
        turn[1] = line;
        let body: String = turn.iter().map(|event| wire::frame(event)).collect();
        let daemon = daemon("silence");
        daemon.add_fault(nth_stream(1, wire::stream(&body, true)));
        let ran = at(&daemon, ["run", "--json", "x"]).run().exits(0).err("");
        ran.out(&format!("{}\n", turn.join("\n")));
    }
}

#[test]
fn b35_numbers_keep_their_digits() {
    let big = r#"{"turn_id":"t1","big":12345678901234567890,"ratio":1.10}"#;
    let seqs = [
        9_007_199_254_740_993_u64,
        9_007_199_254_740_994,
        9_007_199_254_740_995,
    ];
    let lines = [
        wire::event(seqs[0], "turn.started", r#"{"turn_id":"t1","text":"x"}"#),
        wire::event(seqs[1], "skill.loaded", big),
        wire::event(
            seqs[2],
            "turn.completed",
            r#"{"turn_id":"t1","reason":"done"}"#,
        ),
    ];
    let daemon = daemon("silence");
    let id = create(&daemon);
    daemon.add_fault(wire::session_is(&id, "idle", seqs[0] - 1, Some(1)));
    let body: String = lines.iter().map(|line| wire::frame(line)).collect();
    daemon.add_fault(nth_stream(1, wire::stream(&body, true)));
    let ran = at(&daemon, ["submit", &id, "--json", "x"]).run().exits(0);
    ran.err("").out(&format!("{}\n", lines.join("\n")));
}

#[test]
fn d05_an_unknown_session_error_is_shown_and_the_stream_goes_on() {
    let mut events = long_turn(1);
    let error = r#"{"code":"from_tomorrow","message":"The model server says no."}"#;
    events.insert(1, ("session.error", error.to_owned()));
    let daemon = playing(&events, |_| {});
    let ran = at(&daemon, ["run", "--json", "x"]).run().exits(0);
    assert_eq!(kinds(&ran.stdout).len(), 4);
    let notice = &ran.err_objects()[0]["notice"];
    assert_eq!(
        notice["message"],
        "from_tomorrow: The model server says no."
    );
    let ran = at(&daemon, ["run", "x"]).run().exits(0);
    ran.err_has("note: from_tomorrow: The model server says no.");
}

#[test]
fn unknown_events_fields_and_reasons_pass_through() {
    let daemon = daemon("unknown-event");
    let ran = at(&daemon, ["run", "--json", "x"]).run().exits(0).err("");
    let known = kinds(&ran.stdout);
    assert!(known.contains(&"skill.loaded".into()) && known.contains(&"done.proposed".into()));
    ran.out_has("12345678901234567890")
        .out_has("1.10")
        .out_has("mood");
    let ran = at(&super::support::daemon("unknown-reason"), ["run", "x"]).run();
    ran.exits(19).err(
        "dcodectl: error: the turn ended with a stop reason this version does not know: out_of_cheese (exit code 19)\n",
    );
}
