//! Traps about questions.

use std::time::Duration;

use dcodectl::simulate::Daemon;

use crate::support::{at, create, daemon, daemon_with, kinds, seen, until};

/// Submits a turn and waits until its question is shown; gives its object.
fn asked(daemon: &Daemon, id: &str) -> serde_json::Value {
    at(daemon, ["submit", id, "--detach", "x"]).run().exits(0);
    question(daemon, id)
}

fn question(daemon: &Daemon, id: &str) -> serde_json::Value {
    let mut open = Vec::new();
    until("a question", || {
        open = at(daemon, ["approvals", id, "--json"]).run().out_objects();
        !open.is_empty()
    });
    open.remove(0)
}

#[test]
fn trap_05_an_answer_given_at_once_may_be_refused_falsely() {
    let daemon = daemon_with("approval-too-soon", |options| {
        options.speed = dcodectl::simulate::Speed::Instant;
        options.early_answer_window = Duration::from_millis(300);
    });
    at(&daemon, ["run", "--on-approval", "allow", "--json", "x"])
        .run()
        .exits(0)
        .err("")
        .out_has(r#""decision":"allow""#);
    assert!(
        seen(&daemon, "POST", "/t1-0") > 1,
        "no answer came too soon"
    );

    let id = create(&daemon);
    asked(&daemon, &id);
    at(&daemon, ["approve", &id, "t1-0"])
        .run()
        .exits(0)
        .out("")
        .err("");
}

#[test]
fn trap_06_a_zero_expires_at_is_not_expired() {
    let daemon = daemon("approval");
    let id = create(&daemon);
    let question = asked(&daemon, &id);
    assert_eq!(question["expires_at"], "0001-01-01T00:00:00Z");
    let shown = at(&daemon, ["approvals", &id]).run().exits(0).err("");
    assert!(
        !shown.stdout.contains("expire") && !shown.stdout.contains("0001"),
        "{shown:#?}"
    );
    at(&daemon, ["approve", &id, "t1-0"])
        .run()
        .exits(0)
        .out("")
        .err("");
    at(&daemon, ["wait", &id, "-o", "answer"])
        .run()
        .exits(0)
        .out("Removed build/ and left everything else alone. \n")
        .err("");
}

#[test]
fn trap_07_approval_ids_repeat_inside_a_turn() {
    let daemon = daemon("approval-reused-id");
    let id = create(&daemon);
    let first = asked(&daemon, &id);
    let handle = |question: &serde_json::Value| question["handle"].as_str().unwrap().to_owned();
    at(&daemon, ["approve", &id, &handle(&first)])
        .run()
        .exits(0);
    let mut second = question(&daemon, &id);
    until("the second question", || {
        second = question(&daemon, &id);
        second["handle"] != first["handle"]
    });
    assert_eq!(first["approval_id"], second["approval_id"]);
    let posts = seen(&daemon, "POST", "/t1-0");
    at(&daemon, ["approve", &id, &handle(&first)])
        .run()
        .exits(34)
        .out("")
        .err_has("is no longer the open question: nothing was sent");
    assert_eq!(seen(&daemon, "POST", "/t1-0"), posts);
    at(&daemon, ["deny", &id, &handle(&second)])
        .run()
        .exits(0)
        .out("")
        .err("");
    at(&daemon, ["wait", &id, "-o", "answer"])
        .run()
        .exits(0)
        .out("The push was not allowed. \n");
}

#[test]
fn trap_08_a_question_may_need_no_answer() {
    let daemon = daemon("approval-session");
    let ran = at(
        &daemon,
        ["run", "--on-approval", "allow_session", "--json", "x"],
    )
    .run();
    let ran = ran.exits(0).err("");
    let asked = kinds(&ran.stdout)
        .iter()
        .filter(|kind| *kind == "tool.approval_required")
        .count();
    assert_eq!(asked, 2);
    assert_eq!(seen(&daemon, "POST", "/t1-0"), 1);
}

#[test]
fn trap_18_steering_and_submitting_are_refused_while_blocked() {
    let daemon = daemon("approval");
    let id = create(&daemon);
    asked(&daemon, &id);
    at(&daemon, ["steer", &id, "left"])
        .run()
        .exits(32)
        .out("")
        .err_has("no turn is running");
    at(&daemon, ["submit", &id, "more"])
        .run()
        .exits(31)
        .out("")
        .err_has(&format!("a turn already runs in session {id}"));
    at(&daemon, ["undo", &id])
        .run()
        .exits(0)
        .out("nothing to undo\n")
        .err("");
}
