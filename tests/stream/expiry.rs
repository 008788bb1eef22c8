//! Events that the daemon no longer holds.

use super::{long_turn, nth_stream, numbers, playing, short, small_turn, wire};
use crate::support::inside::inside;
use crate::support::{at, create, daemon, until};
use dcodectl::simulate::{Act, Fault};

#[test]
fn tail_begins_with_the_oldest_event_held() {
    let daemon = playing(&long_turn(40), |options| options.retention = 10);
    let id = create(&daemon);
    at(&daemon, ["submit", &id, "--detach", "x"]).run().exits(0);
    until("the end", || {
        at(&daemon, ["show", &id]).run().stdout.contains("idle")
    });
    let ran = at(&daemon, ["tail", &id, "--json", "--no-follow"]).run();
    let ran = ran.exits(0).err("");
    assert_eq!(numbers(&ran.stdout), (34..=43).collect::<Vec<_>>());
    let ran = at(&daemon, ["tail", &id, "--from", "5", "--json"]).run();
    let error = &ran.exits(36).out("").err_objects()[0]["error"];
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("events 5 to 33 are missing"), "{message}");
    let ran = at(&daemon, ["tail", &id, "--from", "33", "--no-follow"]).run();
    ran.exits(36).out("").err_has("event 33 is missing");
    let ran = at(
        &daemon,
        ["tail", &id, "--from", "42", "--no-follow", "--json"],
    )
    .run();
    assert_eq!(numbers(&ran.exits(0).err("").stdout), [42, 43]);
    let ran = at(&daemon, ["tail", &id, "--from", "99", "--no-follow"]).run();
    ran.exits(0).out("").err("");
}

#[test]
fn retention_that_passes_a_reader_is_36_and_names_what_is_gone() {
    let daemon = daemon("silence");
    let id = create(&daemon);
    let start = wire::frame(&small_turn()[0]);
    daemon.add_fault(nth_stream(1, wire::stream(&start, false)));
    let gone = wire::refusal(410, "events_expired");
    daemon.add_fault(Fault::on_streams(gone).only(2));
    let session = wire::session_is(&id, "running", 1, Some(1));
    daemon.add_fault(session.only(1));
    daemon.add_fault(wire::session_is(&id, "running", 400, Some(300)));
    let ran = at(&daemon, ["submit", &id, "--json", "x"]).run().exits(36);
    assert_eq!(numbers(&ran.stdout), [2]);
    let error = &ran.err_objects()[0]["error"];
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("events 3 to 299 are missing"), "{message}");
    assert!(
        error["hint"]
            .as_str()
            .unwrap()
            .contains("--event-retention")
    );
}

#[test]
fn a_410_for_what_is_held_is_asked_again() {
    let daemon = daemon("silence");
    let id = create(&daemon);
    let turn = small_turn();
    daemon.add_fault(nth_stream(1, wire::stream(wire::frame(&turn[0]), false)));
    let gone = wire::refusal(410, "events_expired");
    daemon.add_fault(Fault::on_streams(gone).only(2));
    let rest = wire::frame(&turn[1]) + &wire::frame(&turn[2]);
    daemon.add_fault(nth_stream(3, wire::stream(&rest, true)));
    let ran = at(&daemon, ["submit", &id, "--json", "x"]).run().exits(0);
    assert_eq!(numbers(&ran.stdout), [2, 3, 4]);
}

#[test]
fn an_old_daemon_names_no_first_seq() {
    let daemon = daemon("done");
    let id = create(&daemon);
    daemon.add_fault(wire::session_is(&id, "idle", 1, None).only(1));
    let ran = at(&daemon, ["submit", &id, "-o", "answer", "x"]).run();
    ran.exits(0).out_has("all ten tests pass").err("");
    let through = numbers(
        &at(&daemon, ["tail", &id, "--no-follow", "--json"])
            .run()
            .stdout,
    );
    let last = *through.last().unwrap();
    daemon.add_fault(wire::session_is(&id, "idle", last, None));
    for command in [
        vec!["wait", &id, "--json"],
        vec!["tail", &id, "--no-follow", "--json"],
    ] {
        let ran = at(&daemon, command).run().exits(0).err("");
        assert_eq!(numbers(&ran.stdout).last(), Some(&last));
    }
    // Retention has passed: only the text of the 410 would say how far.
    let gone = Act::Answer {
        status: 410,
        content_type: "application/json".into(),
        body: r#"{"code":"events_expired","message":"the earliest available is 9"}"#.into(),
    };
    daemon.add_fault(Fault::on_streams(gone));
    for command in ["wait", "tail"] {
        let ran = inside(&daemon, [command, &id]).limits(short).run();
        ran.exits(36).out("").err_has("dcodectl: error: ");
    }
}
