//! Streams that end, break or cannot be opened again.

use std::time::Duration;

use dcodectl::simulate::{Act, Fault, Speed};

use super::{long_turn, nth_stream, numbers, playing, short, small_turn, wire};
use crate::support::inside::inside;
use crate::support::{at, create, daemon, daemon_with, kinds, seen, until};

#[test]
fn b09_failed_reconnects_do_not_end_a_wait() {
    let failures = [
        Act::Reset,
        wire::refusal(500, "internal"),
        Act::Answer {
            status: 502,
            content_type: "text/html".into(),
            body: "<html>Bad Gateway</html>".into(),
        },
    ];
    for failure in failures {
        let daemon = daemon_with("cut", |options| options.speed = Speed::Instant);
        for nth in [2, 3] {
            daemon.add_fault(Fault::on_streams(failure.clone()).only(nth));
        }
        let ran = at(&daemon, ["run", "--json", "x"]).run().exits(0);
        let read = numbers(&ran.stdout);
        assert_eq!(read, (2..2 + read.len() as u64).collect::<Vec<_>>());
        assert_eq!(kinds(&ran.stdout).last().unwrap(), "turn.completed");
        let codes: Vec<_> = ran
            .err_objects()
            .iter()
            .map(|object| object["notice"]["code"].clone())
            .collect();
        assert_eq!(codes, ["reconnecting", "reconnected"]);
    }
}

#[test]
fn b09_nor_does_a_first_connection_that_fails_once_the_session_was_seen() {
    let daemon = daemon("done");
    let id = create(&daemon);
    at(&daemon, ["submit", &id, "x"]).run().exits(0);
    for (nth, command) in [(1, "wait"), (2, "wait"), (1, "tail")] {
        let id = id.clone();
        let before = seen(&daemon, "GET", "/events");
        daemon.add_fault(Fault::on_streams(Act::Reset).only(nth));
        let mut arguments = vec![command, id.as_str(), "-o", "ndjson"];
        arguments.extend((command == "tail").then_some("--no-follow"));
        let ran = at(&daemon, arguments).run().exits(0);
        assert_eq!(kinds(&ran.stdout).last().unwrap(), "turn.completed");
        assert!(seen(&daemon, "GET", "/events") > before + 1);
    }
}

#[test]
fn an_orderly_end_in_the_middle_is_only_a_pause() {
    let daemon = daemon("drop");
    let id = create(&daemon);
    let ran = at(&daemon, ["submit", &id, "--json", "x"])
        .run()
        .exits(0)
        .err("");
    let read = numbers(&ran.stdout);
    assert_eq!(read, (2..2 + read.len() as u64).collect::<Vec<_>>());
    assert_eq!(seen(&daemon, "GET", "/events"), 2);
    // The session was asked before the second connection.
    assert!(seen(&daemon, "GET", &id) >= 2);
}

#[test]
fn orderly_ends_after_every_few_events_are_survived() {
    let daemon = playing(&long_turn(60), |options| {
        let few = Fault::on_streams(Act::EndStreamAfterEvents(7));
        options.faults.push(few);
    });
    let ran = at(&daemon, ["run", "--json", "x"]).run().exits(0).err("");
    assert_eq!(numbers(&ran.stdout), (2..=63).collect::<Vec<_>>());
}

#[test]
fn d04_a_daemon_that_stops_leaves_the_outcome_unknown() {
    let daemon = daemon("silence");
    let id = create(&daemon);
    let running = inside(&daemon, ["submit", &id, "x"]).limits(short).start();
    until("the turn", || running.out.text().contains("Let me think"));
    daemon.stop();
    let ran = running.wait().exits(75);
    ran.err_has("dcodectl: note: the stream is lost after seq ")
        .err_has("not regained within 600ms; the turn's end was not seen")
        .err_has(&format!("  hint: it may still run: dcodectl wait {id}"));
}

#[test]
fn a_daemon_that_is_restarted_has_forgotten_the_session() {
    let daemon = daemon("restart");
    let ran = at(&daemon, ["run", "x"]).run().exits(75);
    ran.err_has("went away before the turn's end was seen");
    let daemon = daemon_with("restart", |options| options.speed = Speed::Instant);
    let id = create(&daemon);
    let tail = at(&daemon, ["tail", &id, "--json"]).start();
    until("the tail", || seen(&daemon, "GET", "/events") > 0);
    at(&daemon, ["submit", &id, "--detach", "x"])
        .run()
        .exits(0)
        .out("");
    // No orderly end: the session was not closed.
    tail.wait()
        .exits(75)
        .err_has(&format!("session {id} is gone"));
}

#[test]
fn a_session_that_goes_away_is_75_while_waiting_and_0_while_tailing() {
    let daemon = daemon("silence");
    let id = create(&daemon);
    let submit = at(&daemon, ["submit", &id, "x"]).start();
    until("the turn", || {
        at(&daemon, ["show", &id]).run().stdout.contains("running")
    });
    let wait = at(&daemon, ["wait", &id]).start();
    let tail = at(&daemon, ["tail", &id]).start();
    until("all three read", || seen(&daemon, "GET", "/events") >= 4);
    let closed = std::time::Instant::now();
    at(&daemon, ["close", &id]).run().exits(0).out("").err("");
    for running in [submit, wait] {
        let ran = running.wait().exits(75);
        ran.err(&format!(
            "dcodectl: error: session {id} went away before the turn's end was seen (exit code 75)\n  hint: it was closed, or the daemon restarted; to go on from its record: dcodectl run --resume {id} -- TEXT\n"
        ));
    }
    tail.wait().exits(0).err("").out_has("Let me think");
    assert!(closed.elapsed() < Duration::from_secs(6));
}

#[test]
fn a_stream_that_is_open_again_is_no_longer_lost() {
    // The first stream breaks off, the second is open but has nothing to say for longer than a lost
    // stream is tried for, the end comes after that.
    let daemon = daemon_with("silence", |options| options.speed = Speed::Instant);
    let id = create(&daemon);
    for nth in [1, 2, 3] {
        daemon.add_fault(nth_stream(nth, wire::stream(b"", false)));
    }
    let running = inside(&daemon, ["submit", &id, "--json", "x"])
        .limits(|limits| {
            short(limits);
            limits.quiet = Duration::from_secs(30);
        })
        .start();
    until("the turn", || running.out.text().contains("think"));
    let cut = || {
        daemon.cut_streams();
        let before = seen(&daemon, "GET", "/events");
        until("a new stream", || seen(&daemon, "GET", "/events") > before);
    };
    cut();
    // Without an event in between, this one counts as an outage.
    cut();
    let begun = std::time::Instant::now();
    until("longer than the limit", || {
        begun.elapsed() > Duration::from_millis(900)
    });
    at(&daemon, ["interrupt", &id]).run().exits(0);
    running.wait().exits(15).out_has("turn.completed");
}

#[test]
fn a_hole_is_filled_by_asking_again() {
    let turn = small_turn();
    let holed = format!("{}{}", wire::frame(&turn[0]), wire::frame(&turn[2]));
    let rest = format!("{}{}", wire::frame(&turn[1]), wire::frame(&turn[2]));
    let daemon = daemon("silence");
    daemon.add_fault(nth_stream(1, wire::stream(&holed, true)));
    daemon.add_fault(nth_stream(2, wire::stream(&rest, true)));
    let ran = at(&daemon, ["run", "--json", "x"]).run().exits(0).err("");
    assert_eq!(numbers(&ran.stdout), [2, 3, 4]);
    let targets: Vec<_> = daemon
        .requests()
        .into_iter()
        .filter(|request| request.path().ends_with("/events"))
        .map(|request| request.target.split_once('?').unwrap().1.to_owned())
        .collect();
    assert_eq!(targets, ["from=2", "from=3"]);
}

#[test]
fn a_hole_that_stays_ends_the_command_with_its_range() {
    let [start, ..] = small_turn();
    let late = wire::event(7, "turn.completed", r#"{"turn_id":"t1","reason":"done"}"#);
    let (first, again) = (
        wire::frame(&start) + &wire::frame(&late),
        wire::frame(&late),
    );
    let daemon = daemon("silence");
    let id = create(&daemon);
    daemon.add_fault(nth_stream(1, wire::stream(&first, false)));
    daemon.add_fault(nth_stream(2, wire::stream(&again, false)));
    let ran = at(&daemon, ["submit", &id, "--json", "x"]).run().exits(36);
    assert_eq!(numbers(&ran.stdout), [2]);
    let error = &ran.err_objects()[0]["error"];
    assert_eq!(
        (&error["code"], &error["exit_code"]),
        (&"events_expired".into(), &36.into())
    );
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("events 3 to 6 are missing"), "{message}");

    // A reading of the past meets it too, and names it.
    daemon.add_fault(wire::session_is(&id, "idle", 7, Some(2)));
    daemon.add_fault(nth_stream(1, wire::stream(&first, false)));
    daemon.add_fault(nth_stream(2, wire::stream(&again, false)));
    at(&daemon, ["wait", &id])
        .run()
        .exits(36)
        .out("")
        .err_has("events 3 to 6 are missing");
}

#[test]
fn a_line_that_is_no_event_is_a_protocol_error() {
    let ran = at(&daemon("garbage"), ["run", "x"]).run().exits(76);
    ran.err_has("the stream holds a line after seq ")
        .err_has("dcodectl ping");
}
