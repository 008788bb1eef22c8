//! Several sessions, and every session.

use std::time::Duration;

use dcodectl::simulate::{Fault, PathIs};
use serde_json::Value;

use super::{EVENTS, played, turns};
use crate::support::inside::inside;
use crate::support::{at, create, objects, seen, until, wire};

/// The sequence numbers of one session's events.
fn of(ndjson: &str, id: &str) -> Vec<u64> {
    objects(ndjson)
        .iter()
        .filter(|event| event["session_id"] == *id)
        .map(|event| event["seq"].as_u64().unwrap())
        .collect()
}

#[test]
fn several_sessions_are_one_stream() {
    let daemon = turns(&[("t1", "error")]);
    let (a, b) = (create(&daemon), create(&daemon));
    played(&daemon, &a);
    let tail = inside(&daemon, ["tail", &a, &b, &a, "--json"]).start();
    until("the history", || {
        of(&tail.out.text(), &a).len() as u64 == 1 + EVENTS
    });
    played(&daemon, &b);
    played(&daemon, &a);
    until("what is live", || {
        let text = tail.out.text();
        of(&text, &b).len() as u64 == 1 + EVENTS && of(&text, &a).len() as u64 == 1 + 2 * EVENTS
    });
    at(&daemon, ["close", &a]).run().exits(0);
    played(&daemon, &b);
    until("the rest", || {
        of(&tail.out.text(), &b).len() as u64 == 1 + 2 * EVENTS
    });
    at(&daemon, ["close", &b]).run().exits(0);
    // Named twice, printed once; the reasons of the turns are nobody's code here.
    let ran = tail.wait().exits(0).err("");
    assert_eq!(
        of(&ran.stdout, &a),
        (1..=1 + 2 * EVENTS).collect::<Vec<_>>()
    );
    assert_eq!(
        of(&ran.stdout, &b),
        (1..=1 + 2 * EVENTS).collect::<Vec<_>>()
    );
}

#[test]
fn one_that_fails_is_named_and_the_rest_goes_on() {
    let daemon = turns(&[("t1", "done")]);
    let (good, bad) = (create(&daemon), create(&daemon));
    played(&daemon, &good);
    // One is unknown, one speaks no protocol: the code is that of the first failure.
    let path = PathIs::Exactly(format!("/v1/sessions/{bad}/events"));
    daemon.add_fault(Fault::new("GET", path, wire::json(404, "page not found")));
    let ran = at(
        &daemon,
        ["tail", "nobody", &bad, &good, "--no-follow", "--json"],
    )
    .run()
    .exits(30);
    assert_eq!(of(&ran.stdout, &good), (1..=1 + EVENTS).collect::<Vec<_>>());
    let errors = ran.err_objects();
    let message = |line: &Value| line["error"]["message"].as_str().unwrap().to_owned();
    assert_eq!(errors.len(), 2, "{ran:#?}");
    assert!(message(&errors[0]).starts_with("nobody: "), "{ran:#?}");
    assert_eq!(
        (
            &errors[0]["error"]["code"],
            &errors[0]["error"]["exit_code"]
        ),
        (&"session_not_found".into(), &30.into())
    );
    assert!(
        message(&errors[1]).starts_with(&format!("{bad}: ")),
        "{ran:#?}"
    );
    assert_eq!(errors[1]["error"]["exit_code"], 76);
    let ran = at(&daemon, ["tail", &bad, "nobody", "--no-follow"]).run();
    // What is wrong with a name is found before any stream is.
    ran.exits(30)
        .out("")
        .err_has("dcodectl: error: nobody: ")
        .err_has(&format!("dcodectl: error: {bad}: "));
    // It also goes on live.
    let tail = inside(&daemon, ["tail", &bad, &good, "--json"]).start();
    until("the failure", || tail.err.text().contains(&bad));
    played(&daemon, &good);
    until("the second turn", || {
        of(&tail.out.text(), &good).len() as u64 == 1 + 2 * EVENTS
    });
    at(&daemon, ["close", &good]).run().exits(0);
    tail.wait().exits(76);
}

#[test]
fn count_and_type_are_about_the_whole() {
    let daemon = turns(&[("t1", "done")]);
    let (a, b) = (create(&daemon), create(&daemon));
    played(&daemon, &a);
    played(&daemon, &b);
    let ran = at(
        &daemon,
        ["tail", &a, &b, "--type", "turn.*", "--count", "3", "--json"],
    )
    .run();
    let kinds: Vec<String> = crate::support::kinds(&ran.exits(0).err("").stdout);
    assert_eq!(kinds.len(), 3);
    assert!(
        kinds.iter().all(|kind| kind.starts_with("turn.")),
        "{kinds:?}"
    );
}

#[test]
fn all_has_the_sessions_there_are_and_those_that_come() {
    let daemon = turns(&[("t1", "done")]);
    at(&daemon, ["tail", "--all", "--no-follow", "--json"])
        .run()
        .exits(0)
        .out("")
        .err("");
    let first = create(&daemon);
    played(&daemon, &first);
    let ran = at(&daemon, ["tail", "--all", "--no-follow", "--json"])
        .run()
        .exits(0)
        .err("");
    assert_eq!(
        of(&ran.stdout, &first),
        (1..=1 + EVENTS).collect::<Vec<_>>()
    );
    let tail = inside(&daemon, ["tail", "--all", "--json"])
        .limits(|limits| limits.reconnect = Duration::from_millis(700))
        .start();
    let all_of = |id: &str| {
        until("its events", || {
            of(&tail.out.text(), id).len() as u64 == 1 + EVENTS
        });
    };
    all_of(&first);
    let second = create(&daemon);
    played(&daemon, &second);
    all_of(&second);
    // A session that is closed ends nothing: another one may come.
    at(&daemon, ["close", &first]).run().exits(0);
    at(&daemon, ["close", &second]).run().exits(0);
    let third = create(&daemon);
    played(&daemon, &third);
    all_of(&third);
    assert_eq!(tail.err.text(), "");
    daemon.stop();
    let ran = tail.wait().exits(75).err_has(&format!("{third}: "));
    for id in [&first, &second, &third] {
        assert_eq!(of(&ran.stdout, id), (1..=1 + EVENTS).collect::<Vec<_>>());
    }
}

#[test]
fn all_does_not_wait_for_ever_for_a_daemon_that_is_gone() {
    for sessions in [0, 1] {
        let daemon = turns(&[("t1", "done")]);
        if sessions == 1 {
            create(&daemon);
        }
        let tail = inside(&daemon, ["tail", "--all", "--json"])
            .limits(|limits| limits.reconnect = Duration::from_millis(700))
            .start();
        until("a second look", || {
            seen(&daemon, "GET", "/v1/sessions") >= 2
        });
        daemon.stop();
        let ran = tail.wait();
        let code = if sessions == 1 { 75 } else { 69 };
        assert_eq!(ran.code(), code, "{ran:#?}");
        let errors = ran.err_objects();
        assert!(
            errors.iter().any(|line| line["error"]["exit_code"] == code),
            "{ran:#?}"
        );
    }
}

#[test]
fn people_see_whose_each_line_is() {
    let daemon = turns(&[("t1", "done")]);
    let (a, b) = (create(&daemon), create(&daemon));
    played(&daemon, &a);
    played(&daemon, &b);
    let ran = at(&daemon, ["tail", &a, &b, "--no-follow"])
        .run()
        .exits(0)
        .err("");
    for line in ran.stdout.lines() {
        assert!(
            [&a, &b]
                .iter()
                .any(|id| line.starts_with(&format!("{id} │ "))),
            "{line:?}"
        );
    }
    for id in [&a, &b] {
        let said = format!("{id} │ Said in t1.");
        assert!(
            ran.stdout.lines().any(|line| line.starts_with(&said)),
            "{ran:#?}"
        );
    }
    // One session alone needs no such mark.
    let alone = at(&daemon, ["tail", &a, "--no-follow"])
        .run()
        .exits(0)
        .err("");
    assert!(
        !alone.stdout.contains('│') && alone.stdout.contains("Said in t1."),
        "{alone:#?}"
    );
}
