//! `tail`: history, then live, until the session is closed.

use std::time::Duration;

use super::{long_turn, numbers, playing, short, wire};
use crate::support::inside::inside;
use crate::support::{at, create, daemon, seen, until};
use dcodectl::simulate::{Act, Fault, PathIs};

#[test]
fn history_comes_first_then_what_happens_and_a_close_ends_it() {
    let daemon = playing(&long_turn(20), |_| {});
    let id = create(&daemon);
    at(&daemon, ["submit", &id, "x"]).run().exits(0);
    let tail = inside(&daemon, ["tail", &id, "--json"]).start();
    until("the history", || tail.out.text().contains("turn.completed"));
    at(&daemon, ["submit", &id, "x"]).run().exits(0);
    until("the second turn", || {
        tail.out.text().matches("turn.completed").count() == 2
    });
    at(&daemon, ["close", &id]).run().exits(0);
    let ran = tail.wait().exits(0).err("");
    assert_eq!(numbers(&ran.stdout), (1..=45).collect::<Vec<_>>());
}

#[test]
fn no_follow_prints_what_there_is_also_while_a_turn_runs() {
    let daemon = daemon("silence");
    let id = create(&daemon);
    let ran = at(&daemon, ["tail", &id, "--no-follow", "--json"]).run();
    assert_eq!(numbers(&ran.exits(0).err("").stdout), [1]);
    at(&daemon, ["submit", &id, "--detach", "x"]).run().exits(0);
    let ran = at(&daemon, ["tail", &id, "--no-follow", "--json"]).run();
    let read = numbers(&ran.exits(0).err("").stdout);
    assert_eq!(read, (1..=read.len() as u64).collect::<Vec<_>>());
    assert!(read.len() > 10);
}

#[test]
fn no_follow_that_could_not_print_all_is_no_success() {
    let daemon = daemon("done");
    let id = create(&daemon);
    at(&daemon, ["submit", &id, "x"]).run().exits(0);
    // Three events, an orderly end, and then the session is gone.
    daemon.add_fault(Fault::on_streams(Act::EndStreamAfterEvents(3)));
    let gone = wire::refusal(404, "session_not_found");
    let path = PathIs::Exactly(format!("/v1/sessions/{id}"));
    daemon.add_fault(Fault::new("GET", path, gone).only(2));
    let ran = at(&daemon, ["tail", &id, "--no-follow", "--json"]).run();
    let ran = ran
        .exits(75)
        .err_has(&format!("session {id} went away before seq "));
    assert_eq!(numbers(&ran.stdout), [1, 2, 3]);
}

#[test]
fn an_orderly_end_before_the_404_is_a_close_even_if_the_session_lingers() {
    let daemon = daemon("done");
    let id = create(&daemon);
    daemon.add_fault(Fault::on_streams(Act::EndStreamAfterEvents(1)).only(1));
    let gone = wire::refusal(404, "session_not_found");
    daemon.add_fault(Fault::on_streams(gone).only(2));
    let ran = at(&daemon, ["tail", &id, "--json"]).run();
    assert_eq!(numbers(&ran.exits(0).err("").stdout), [1]);
}

#[test]
fn a_lost_stream_is_taken_up_again() {
    let daemon = daemon("cut");
    let id = create(&daemon);
    let tail = inside(&daemon, ["tail", &id, "--json"])
        .limits(short)
        .start();
    until("the tail", || seen(&daemon, "GET", "/events") == 1);
    at(&daemon, ["submit", &id, "--json", "x"]).run().exits(0);
    until("the end", || tail.out.text().contains("turn.completed"));
    at(&daemon, ["close", &id]).run().exits(0);
    let read = numbers(&tail.wait().exits(0).stdout);
    assert_eq!(read, (1..=read.len() as u64).collect::<Vec<_>>());
}

#[test]
fn a_silent_stream_is_opened_again() {
    let daemon = daemon("stall");
    let ran = inside(&daemon, ["run", "--json", "x"])
        .timeouts(|timeouts| timeouts.silence = Duration::from_millis(300))
        .limits(short)
        .run();
    let read = numbers(&ran.exits(0).stdout);
    assert_eq!(read, (2..2 + read.len() as u64).collect::<Vec<_>>());
    assert_eq!(seen(&daemon, "GET", "/events"), 2);
}

#[test]
fn an_unknown_session_is_30() {
    let daemon = daemon("done");
    for command in ["tail", "wait", "show"] {
        let ran = at(&daemon, [command, "nope"]).run().exits(30);
        ran.out("")
            .err_has("no session nope")
            .err_has("  hint: dcodectl list\n");
    }
}
