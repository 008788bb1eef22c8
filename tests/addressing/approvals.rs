//! `approvals`, `approve`, `deny`.

use std::time::Duration;

use dcodectl::simulate::{Act, Daemon, Fault, PathIs, Speed};
use serde_json::Value;

use crate::support::wire;
use crate::support::{at, create, daemon, daemon_with, seen, until};

fn asked(daemon: &Daemon) -> (String, Value) {
    let id = create(daemon);
    at(daemon, ["submit", &id, "--detach", "x"]).run().exits(0);
    let mut open = Vec::new();
    until("a question", || {
        open = at(daemon, ["approvals", &id, "--json"]).run().out_objects();
        !open.is_empty()
    });
    (id, open.remove(0))
}

#[test]
fn the_open_question_is_shown_with_what_it_is_about() {
    let daemon = daemon("approval");
    let quiet = create(&daemon);
    at(&daemon, ["approvals", &quiet])
        .run()
        .exits(0)
        .out("")
        .err("");
    at(&daemon, ["approvals", &quiet, "--json"])
        .run()
        .exits(0)
        .out("")
        .err("");
    let (id, question) = asked(&daemon);
    let handle = question["handle"].as_str().unwrap();
    let (plain, seq) = handle.split_once('@').unwrap();
    assert_eq!(plain, "t1-0");
    assert_eq!(question["approval_id"], "t1-0");
    assert_eq!(question["rule"], "*rm -rf*");
    assert_eq!(question["boundary_crossed"], "rule:command");
    assert_eq!(question["input"]["command"], "rm -rf build");
    let tail = at(
        &daemon,
        ["tail", &id, "--no-follow", "--from", seq, "--json"],
    )
    .run();
    assert_eq!(tail.out_objects()[0]["type"], "tool.approval_required");
    let ran = at(&daemon, ["approvals", &id]).run().exits(0).err("");
    ran.out_has("rm -rf build")
        .out_has("*rm -rf*")
        .out_has(&format!("dcodectl approve {id} {handle}"))
        .out_has(&format!("dcodectl deny {id} {handle}"));
}

#[test]
fn a_question_that_is_no_longer_held_is_36() {
    let daemon = daemon("approval");
    let (id, question) = asked(&daemon);
    let seq: u64 = question["handle"].as_str().unwrap()[5..].parse().unwrap();
    let later = wire::event(seq + 1, "skill.loaded", "{}");
    let body = wire::stream(wire::frame(&later), true);
    daemon.add_fault(Fault::on_streams(Act::Raw(body)));
    daemon.add_fault(wire::session_is(&id, "blocked", seq + 1, Some(seq + 1)));
    at(&daemon, ["approvals", &id])
        .run()
        .exits(36)
        .out("")
        .err_has("its event is no longer held");
    at(&daemon, ["wait", &id, "--for", "approval"])
        .run()
        .exits(36)
        .out("")
        .err_has("its event is no longer held");
    // What stands open cannot be seen, so a handle is not sent.
    let before = seen(&daemon, "POST", "/t1-0");
    let handle = question["handle"].as_str().unwrap();
    at(&daemon, ["approve", &id, handle])
        .run()
        .exits(36)
        .out("");
    assert_eq!(seen(&daemon, "POST", "/t1-0"), before);
}

#[test]
fn answers_by_id_and_by_handle_with_every_decision() {
    for decision in [
        "allow",
        "allow_session",
        "allow_project",
        "allow_always",
        "deny",
    ] {
        for by_handle in [false, true] {
            let daemon = daemon("approval");
            let (id, question) = asked(&daemon);
            let approval = if by_handle {
                &question["handle"]
            } else {
                &question["approval_id"]
            };
            let approval = approval.as_str().unwrap();
            let ran = at(&daemon, ["approve", &id, approval, decision, "--json"]).run();
            ran.exits(0).err("").out(&format!(
                "{{\"session_id\":\"{id}\",\"approval_id\":\"t1-0\",\"decision\":\"{decision}\"}}\n"
            ));
            let body = daemon.requests().pop().unwrap().body;
            assert_eq!(
                String::from_utf8(body).unwrap(),
                format!("{{\"decision\":\"{decision}\"}}")
            );
        }
    }
    let daemon = daemon("approval");
    let (id, _) = asked(&daemon);
    at(&daemon, ["deny", &id, "t1-0"])
        .run()
        .exits(0)
        .out("")
        .err("");
    at(&daemon, ["approve", &id, "t1-0", "perhaps"])
        .run()
        .exits(2)
        .out("")
        .err_has("allow_session");
}

#[test]
fn b14_late_answers_are_told() {
    let expired = daemon("approval-expires");
    let (id, question) = asked(&expired);
    at(&expired, ["wait", &id]).run().exits(0);
    at(&expired, ["approve", &id, "t1-0"])
        .run()
        .exits(35)
        .out("")
        .err_has("the daemon's deadline denied it");
    let handle = question["handle"].as_str().unwrap();
    let before = seen(&expired, "POST", "/t1-0");
    at(&expired, ["approve", &id, handle])
        .run()
        .exits(34)
        .out("")
        .err_has("nothing was sent");
    assert_eq!(seen(&expired, "POST", "/t1-0"), before);

    let answered = daemon("approval");
    let (id, _) = asked(&answered);
    at(&answered, ["approve", &id, "t1-0"]).run().exits(0);
    at(&answered, ["wait", &id]).run().exits(0);
    let ran = at(&answered, ["deny", &id, "t1-0", "--json"])
        .run()
        .exits(34)
        .out("");
    let error = &ran.err_objects()[0]["error"];
    assert_eq!(error["code"], "approval_already_resolved");
    for never in ["t9-9", "t1-0@4x", "@", "x@1"] {
        at(&answered, ["approve", &id, never])
            .run()
            .exits(34)
            .out("");
    }
    at(&answered, ["approve", &id, ""])
        .run()
        .exits(2)
        .out("")
        .err_has("empty");
}

#[test]
fn a_false_early_409_is_retried_by_id_and_by_handle() {
    for by_handle in [false, true] {
        let daemon = daemon_with("approval-too-soon", |options| {
            options.speed = Speed::Instant;
            options.early_answer_window = Duration::from_millis(700);
        });
        let (id, question) = asked(&daemon);
        let approval = if by_handle {
            &question["handle"]
        } else {
            &question["approval_id"]
        };
        at(&daemon, ["approve", &id, approval.as_str().unwrap()])
            .run()
            .exits(0)
            .out("")
            .err("");
        assert!(seen(&daemon, "POST", "/t1-0") > 1, "it was not too soon");
        let ran = at(&daemon, ["wait", &id, "--json"]).run().exits(0);
        ran.out_has(r#""decision":"allow""#);
    }
}

#[test]
fn a_false_409_that_stays_is_34_after_a_second() {
    let daemon = daemon("approval");
    let (id, _) = asked(&daemon);
    let refusal = wire::refusal(409, "approval_already_resolved");
    daemon.add_fault(Fault::new("POST", PathIs::Suffix("/t1-0".into()), refusal));
    let ran = at(&daemon, ["approve", &id, "t1-0"])
        .run()
        .exits(34)
        .out("");
    assert!(ran.took > Duration::from_millis(900), "{ran:#?}");
    assert!(seen(&daemon, "POST", "/t1-0") <= 51);
}
