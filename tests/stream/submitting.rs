//! The submit: refused as busy, somebody else's, unanswered.

use std::time::Duration;

use dcodectl::simulate::{Act, Fault, PathIs, Speed};

use super::{long_turn, nth_stream, numbers, playing, short, small_turn, wire};
use crate::support::inside::inside;
use crate::support::{at, create, daemon, daemon_with, kinds, seen, until};

fn busy() -> Act {
    wire::refusal(409, "turn_already_active")
}

#[test]
fn a_409_after_the_last_turns_end_is_only_a_lag() {
    let daemon = daemon("done");
    let id = create(&daemon);
    at(&daemon, ["submit", &id, "x"]).run().exits(0);
    for detached in [false, true] {
        let before = seen(&daemon, "POST", "/turns");
        for nth in 1..=3 {
            daemon.add_fault(wire::on_submits(busy()).only(nth));
        }
        let mut arguments = vec!["submit", &id, "--json", "x"];
        arguments.extend(detached.then_some("--detach"));
        let ran = at(&daemon, arguments).run().exits(0).err("");
        assert_eq!(seen(&daemon, "POST", "/turns"), before + 4);
        if detached {
            let from = ran.out_objects()[0]["from"].as_u64().unwrap();
            let from = from.to_string();
            let tail = at(
                &daemon,
                ["tail", &id, "--from", &from, "--no-follow", "--json"],
            )
            .run();
            assert_eq!(kinds(&tail.stdout)[0], "turn.started");
        } else {
            assert_eq!(kinds(&ran.stdout)[0], "turn.started");
        }
        until("idle again", || {
            at(&daemon, ["show", &id]).run().stdout.contains("idle")
        });
    }
}

#[test]
fn a_409_that_lasts_is_31_and_not_a_storm() {
    let daemon = daemon("done");
    let id = create(&daemon);
    daemon.add_fault(wire::on_submits(busy()));
    for arguments in [
        vec!["submit", &id, "x"],
        vec!["submit", &id, "x", "--detach"],
    ] {
        let before = seen(&daemon, "POST", "/turns");
        let ran = inside(&daemon, arguments).run().exits(31).out("");
        ran.err_has(&format!(
            "dcodectl: error: a turn already runs in session {id}"
        ))
        .err_has(&format!("  hint: dcodectl wait {id}\n"));
        assert!(retried_with_pauses(
            seen(&daemon, "POST", "/turns") - before
        ));
    }
}

/// Retried, but not as fast as the daemon answers.
fn retried_with_pauses(posts: usize) -> bool {
    (3..=51).contains(&posts)
}

#[test]
fn b40_a_409_while_another_turn_runs_is_31_at_once() {
    let daemon = daemon("silence");
    let id = create(&daemon);
    at(&daemon, ["submit", &id, "--detach", "x"]).run().exits(0);
    for arguments in [
        vec!["submit", &id, "x"],
        vec!["submit", &id, "x", "--detach"],
    ] {
        let before = seen(&daemon, "POST", "/turns");
        let ran = at(&daemon, arguments).run().exits(31).out("");
        ran.err_has("a turn already runs in session");
        assert_eq!(seen(&daemon, "POST", "/turns"), before + 1);
    }
    assert_eq!(seen(&daemon, "POST", "/interrupt"), 0);
}

#[test]
fn somebody_elses_turn_with_the_same_text_is_not_ours() {
    // It ends with another code, just before ours is accepted.
    let theirs = [
        wire::event(2, "turn.started", r#"{"turn_id":"t1","text":"x"}"#),
        wire::event(
            3,
            "turn.completed",
            r#"{"turn_id":"t1","reason":"max_tokens"}"#,
        ),
    ];
    let ours = [
        wire::event(4, "turn.started", r#"{"turn_id":"t2","text":"x"}"#),
        wire::event(5, "turn.completed", r#"{"turn_id":"t2","reason":"done"}"#),
    ];
    let body =
        |events: &[String]| -> String { events.iter().map(|event| wire::frame(event)).collect() };
    let daemon = daemon("silence");
    let id = create(&daemon);
    daemon.add_fault(wire::session_is(&id, "idle", 1, Some(1)).only(1));
    daemon.add_fault(wire::session_is(&id, "idle", 3, Some(1)));
    daemon.add_fault(nth_stream(1, wire::stream(body(&theirs), false)));
    daemon.add_fault(nth_stream(2, wire::stream(body(&theirs[1..]), false)));
    daemon.add_fault(nth_stream(3, wire::stream(body(&ours), false)));
    daemon.add_fault(wire::on_submits(busy()).only(1));
    let ran = at(&daemon, ["submit", &id, "--json", "x"])
        .run()
        .exits(0)
        .err("");
    assert_eq!(numbers(&ran.stdout), [4, 5]);
}

#[test]
fn a_lost_202_is_made_up_for_by_the_stream() {
    let daemon = playing(&long_turn(3), |options| options.speed = Speed::Instant);
    let id = create(&daemon);
    // The daemon handles the submit at once, and its answer comes after the client gave up on it.
    let lost = wire::on_submits(Act::DelayAnswer(Duration::from_millis(900)));
    daemon.add_fault(lost);
    let ran = inside(&daemon, ["submit", &id, "--json", "x"])
        .timeouts(|timeouts| timeouts.head = Duration::from_millis(200))
        .run()
        .exits(0)
        .err("");
    assert_eq!(numbers(&ran.stdout), (2..=6).collect::<Vec<_>>());
    let ran = inside(&daemon, ["submit", &id, "--json", "--detach", "x"])
        .timeouts(|timeouts| timeouts.head = Duration::from_millis(200))
        .run()
        .exits(0)
        .err("");
    ran.out(&format!("{{\"session_id\":\"{id}\",\"from\":7}}\n"));
    // Only the GETs were repeated.
    assert_eq!(seen(&daemon, "POST", "/turns"), 2);
}

#[test]
fn a_lost_202_without_a_turn_is_75() {
    let daemon = daemon("done");
    let id = create(&daemon);
    daemon.add_fault(wire::on_submits(Act::Raw(Vec::new())));
    for arguments in [
        vec!["submit", &id, "x"],
        vec!["submit", &id, "x", "--detach"],
        vec!["run", "x"],
    ] {
        let before = seen(&daemon, "POST", "/turns");
        let ran = inside(&daemon, arguments)
            .limits(short)
            .run()
            .exits(75)
            .out("");
        ran.err_has("its answer never came")
            .err_has("look at the session before sending it again");
        assert_eq!(seen(&daemon, "POST", "/turns"), before + 1);
    }
    // Nothing that was opened by `run` is left.
    let sessions = at(&daemon, ["list", "--json"]).run().out_objects();
    assert_eq!(sessions.len(), 1);
}

#[test]
fn a_lost_202_of_a_daemon_that_went_away_is_75_and_not_69() {
    for detached in [true, false] {
        let daemon = daemon("done");
        let id = create(&daemon);
        daemon.add_fault(wire::on_submits(Act::Silence));
        let mut arguments = vec!["submit", &id, "x"];
        arguments.extend(detached.then_some("--detach"));
        let running = inside(&daemon, arguments).limits(short).start();
        until("the submit", || seen(&daemon, "POST", "/turns") == 1);
        daemon.stop();
        running
            .wait()
            .exits(75)
            .out("")
            .err_has("dcodectl: error: ");
    }
}

#[test]
fn every_other_lost_answer_is_75_and_not_repeated() {
    let daemon = daemon("silence");
    let id = create(&daemon);
    at(&daemon, ["submit", &id, "--detach", "x"]).run().exits(0);
    let lost = |path: &str| Fault::new("POST", PathIs::Suffix(path.into()), Act::Raw(Vec::new()));
    for path in [
        "/steer",
        "/interrupt",
        "/undo",
        "/name",
        "/sessions",
        "/t1-0",
    ] {
        daemon.add_fault(lost(path));
    }
    daemon.add_fault(Fault::new("DELETE", PathIs::Any, Act::Raw(Vec::new())));
    for arguments in [
        vec!["steer", &id, "left"],
        vec!["interrupt", &id],
        vec!["undo", &id],
        vec!["rename", &id, "n"],
        vec!["create"],
        vec!["approve", &id, "t1-0"],
        vec!["close", &id],
    ] {
        let not_reads = || {
            let requests = daemon.requests();
            requests
                .iter()
                .filter(|request| request.method != "GET")
                .count()
        };
        let before = not_reads();
        at(&daemon, &arguments)
            .run()
            .exits(75)
            .out("")
            .err_has("its answer never came");
        assert_eq!(not_reads(), before + 1, "{arguments:?}");
    }
}

#[test]
fn a_session_that_goes_away_before_the_submit_is_30() {
    let daemon = daemon_with("done", |options| options.speed = Speed::Instant);
    let id = create(&daemon);
    daemon.add_fault(Fault::on_streams(wire::refusal(404, "session_not_found")));
    at(&daemon, ["submit", &id, "x"])
        .run()
        .exits(30)
        .out("")
        .err(&format!(
            "dcodectl: error: session {id} went away; nothing was submitted (exit code 30)\n"
        ));
    assert_eq!(seen(&daemon, "POST", "/turns"), 0);
}

#[test]
fn a_turn_without_text_in_its_start_is_ours() {
    let mut turn = small_turn();
    turn[0] = wire::event(2, "turn.started", r#"{"turn_id":"t1"}"#);
    let body: String = turn.iter().map(|event| wire::frame(event)).collect();
    let daemon = daemon("silence");
    daemon.add_fault(nth_stream(1, wire::stream(&body, true)));
    let ran = at(&daemon, ["run", "-o", "answer", "x"]).run();
    ran.exits(0).out("Yes.\n").err("");
}
