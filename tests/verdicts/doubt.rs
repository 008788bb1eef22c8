//! Streams that are lost, answers that come too late, daemons that go away.

use std::time::{Duration, Instant};

use dcodectl::simulate::{Act, Fault, PathIs};

use super::{SOON, answer, suffix};
use crate::support::inside::inside;
use crate::support::{self, at, create, daemon, daemon_with, is_busy, seen, until};

#[test]
fn b09_a_stream_that_is_lost_is_taken_up_again() {
    let daemon = daemon_with("tools", |_| {});
    let id = create(&daemon);
    let cut = Fault::on_streams(Act::CutStreamAfterBytes(1500)).only(1);
    daemon.add_fault(cut);
    for nth in [2, 3] {
        daemon.add_fault(Fault::on_streams(Act::Reset).only(nth));
    }
    let ran = at(&daemon, ["submit", "--json", &id, "go"]).run().exits(0);
    let seqs: Vec<u64> = ran
        .out_objects()
        .iter()
        .map(|event| event["seq"].as_u64().unwrap())
        .collect();
    let expected: Vec<u64> = (seqs[0]..).take(seqs.len()).collect();
    assert_eq!(seqs, expected, "each once and in order");
    assert!(support::ends_with_the_turn(&ran.stdout), "{ran:#?}");
    for line in ran.err_objects() {
        assert!(line.get("notice").is_some(), "{line}");
    }
    assert!(seen(&daemon, "GET", "/events") >= 4);
}

#[test]
fn b14_a_late_answer_is_told() {
    let daemon = daemon("done");
    let id = create(&daemon);
    for (status, code, exit, text) in [
        (409, "approval_already_resolved", 34, "dcodectl: error: "),
        (410, "approval_expired", 35, "deadline denied it"),
    ] {
        let body = format!(r#"{{"code":"{code}","message":"too late"}}"#);
        let act = answer(status, "application/json", &body);
        daemon.add_fault(Fault::new("POST", suffix("/approvals/t1-0"), act.clone()).only(1));
        at(&daemon, ["approve", &id, "t1-0"])
            .run()
            .exits(exit)
            .out("")
            .err_has(text);
    }
}

#[test]
fn b14_a_handle_never_answers_the_next_question() {
    let daemon = daemon("approval-reused-id");
    let id = create(&daemon);
    at(&daemon, ["submit", "--detach", &id, "go"])
        .run()
        .exits(0);
    let open = || {
        let ran = at(&daemon, ["approvals", "--json", &id]).run();
        Some(ran.out_objects().first()?["handle"].as_str()?.to_owned())
    };
    until("the first question", || open().is_some());
    let first = open().unwrap();
    at(&daemon, ["deny", &id, &first])
        .run()
        .exits(0)
        .out("")
        .err("");
    until("the second question", || {
        open().is_some_and(|handle| handle != first)
    });
    let second = open().unwrap();
    assert_eq!(
        first.split('@').next(),
        second.split('@').next(),
        "the id is the same"
    );
    let before = seen(&daemon, "POST", "/approvals/t1-0");
    let ran = at(&daemon, ["approve", &id, &first])
        .run()
        .exits(34)
        .out("");
    ran.err_has("is no longer the open question: nothing was sent");
    assert_eq!(seen(&daemon, "POST", "/approvals/t1-0"), before);
    at(&daemon, ["deny", &id, &second])
        .run()
        .exits(0)
        .out("")
        .err("");
}

#[test]
fn b17_the_end_of_the_turn_ends_the_command() {
    let daemon = daemon_with("done", |options| {
        options.ping_interval = Duration::from_millis(50)
    });
    let id = create(&daemon);
    let ran = at(&daemon, ["submit", &id, "go"]).run().exits(0);
    ran.within(SOON).out_has("done").err("");
    at(&daemon, ["wait", &id])
        .run()
        .exits(0)
        .within(SOON)
        .out_has("done")
        .err("");
}

#[test]
fn d03_a_plain_404_is_no_missing_session() {
    let daemon = daemon("done");
    let id = create(&daemon);
    daemon.add_fault(Fault::new(
        "",
        PathIs::Any,
        answer(404, "text/plain", "404 page not found\n"),
    ));
    for arguments in [["show", &id], ["interrupt", &id], ["wait", &id]] {
        at(&daemon, arguments)
            .run()
            .exits(76)
            .out("")
            .err_has("dcodectl: error: ");
    }
}

/// The 30 s of reconnecting are shortened, so this one runs in this process.
#[test]
fn d04_a_daemon_that_goes_away_leaves_the_outcome_unknown() {
    for killed in [false, true] {
        let daemon = daemon("silence");
        let id = create(&daemon);
        let running = inside(&daemon, ["submit", "--json", &id, "go"])
            .limits(|limits| limits.reconnect = Duration::from_millis(400))
            .start();
        until("the turn", || {
            is_busy(&daemon) && running.out.text().contains("turn.started")
        });
        let begun = Instant::now();
        if killed {
            daemon.kill();
        } else {
            daemon.stop();
        }
        let ran = running.wait().exits(75);
        let took = begun.elapsed();
        assert!(
            took >= Duration::from_millis(400) && took < SOON,
            "{took:?}"
        );
        assert!(!ran.out_objects().is_empty());
        let last = ran.err_objects().pop().unwrap();
        assert_eq!(last["error"]["exit_code"], 75);
        let message = last["error"]["message"].as_str().unwrap();
        assert!(message.contains("the turn's end was not seen"), "{message}");
    }
}

#[test]
fn what_cannot_be_read_of_the_usage_does_not_hide_the_reason() {
    for usage in [r#"{"input_tokens":1.5}"#, r#""many""#, "-1", "null"] {
        let end = format!(r#"{{"turn_id":"t1","reason":"incomplete","usage":{usage}}}"#);
        let daemon = crate::support::playing(
            &[
                ("turn.started", r#"{"turn_id":"t1"}"#),
                ("turn.completed", &end),
            ],
            |_| {},
        );
        at(&daemon, ["run", "x", "-q"])
            .run()
            .exits(11)
            .out_has("incomplete");
    }
}
