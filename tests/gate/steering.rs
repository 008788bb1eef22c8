//! `steer --confirm`: whether a correction has reached the model.

use std::time::Duration;

use dcodectl::simulate::{Act, Fault, PathIs, Speed};
use rustix::process::Signal;

use super::submitted;
use crate::support::paced::{STARTED, paced};
use crate::support::{at, create, daemon, daemon_with, is_busy, seen, until};

#[test]
fn b41_a_correction_that_is_delivered() {
    for json in [false, true] {
        let daemon = daemon_with("steering", |options| options.speed = Speed::Times(1.0));
        let id = create(&daemon);
        submitted(&daemon, &id, "rename it");
        until("the command", || {
            let ran = at(&daemon, ["tail", &id, "--no-follow", "--json"]).run();
            ran.stdout.contains("tool.requested")
        });
        let mut arguments = vec!["steer", &id, "--confirm", "keep the old name"];
        arguments.extend(json.then_some("--json"));
        let ran = at(&daemon, arguments).run().exits(0).err("");
        ran.out(&if json {
            format!("{{\"session_id\":\"{id}\"}}\n")
        } else {
            String::new()
        });
        let events = at(
            &daemon,
            [
                "tail",
                &id,
                "--no-follow",
                "--type",
                "turn.steered",
                "--json",
            ],
        )
        .run();
        assert_eq!(
            events.out_objects()[0]["payload"]["text"],
            "keep the old name"
        );
        assert_eq!(seen(&daemon, "POST", "/steer"), 1);
        at(&daemon, ["wait", &id, "-o", "answer"])
            .run()
            .exits(0)
            .out("Renamed, with your correction. \n");
    }
}

#[test]
fn b41_a_correction_in_the_last_round_is_lost() {
    let events = [
        STARTED,
        (
            10,
            "message.delta",
            r#"{"turn_id":"t1","text":"Nearly there. "}"#,
        ),
        (
            2500,
            "turn.completed",
            r#"{"turn_id":"t1","reason":"done"}"#,
        ),
    ];
    for json in [false, true] {
        let daemon = paced(&events, |_| {});
        let id = create(&daemon);
        submitted(&daemon, &id, "x");
        let mut arguments = vec!["steer", &id, "--confirm", "left"];
        arguments.extend(json.then_some("--json"));
        let ran = at(&daemon, arguments).run().exits(32).out("");
        assert!(!is_busy(&daemon), "it ends with the turn");
        if json {
            let error = &ran.err_objects()[0]["error"];
            assert_eq!(
                (&error["code"], &error["exit_code"]),
                (&"no_active_turn".into(), &32.into())
            );
        } else {
            ran.err_has("the turn ended before it reached the model")
                .err_has("  hint: ");
        }
        // Without --confirm the 202 is all there is.
        submitted(&daemon, &id, "x");
        at(&daemon, ["steer", &id, "left"])
            .run()
            .exits(0)
            .out("")
            .err("");
    }
}

#[test]
fn a_correction_that_the_daemon_refuses() {
    let blocked = daemon("approval");
    let id = create(&blocked);
    submitted(&blocked, &id, "x");
    until("the question", || {
        at(&blocked, ["show", &id]).run().stdout.contains("blocked")
    });
    at(&blocked, ["steer", &id, "--confirm", "left"])
        .run()
        .exits(32)
        .out("")
        .err_has("dcodectl: error: ");
    let idle = daemon("done");
    let id = create(&idle);
    at(&idle, ["steer", &id, "--confirm", "left"])
        .run()
        .exits(32)
        .out("")
        .err_has("dcodectl: error: ");
    at(&idle, ["steer", "nobody", "--confirm", "left"])
        .run()
        .exits(30)
        .out("")
        .err_has("nobody");
    at(&idle, ["steer", &id, "--confirm", " "])
        .run()
        .exits(2)
        .out("")
        .err_has("the text is empty");
}

#[test]
fn a_session_that_goes_away_before_the_delivery_is_75() {
    let daemon = daemon("silence");
    let id = create(&daemon);
    submitted(&daemon, &id, "x");
    let running = at(&daemon, ["steer", &id, "--confirm", "left"]).start();
    until("the correction", || seen(&daemon, "POST", "/steer") == 1);
    at(&daemon, ["close", &id]).run().exits(0);
    let ran = running.wait().exits(75).out("");
    ran.err_has("whether it reached the model was not seen")
        .err_has("went away");
}

#[test]
fn an_answer_that_never_comes_is_75() {
    let daemon = daemon("silence");
    let id = create(&daemon);
    submitted(&daemon, &id, "x");
    daemon.add_fault(Fault::new(
        "POST",
        PathIs::Suffix("/steer".into()),
        Act::LoseAnswer,
    ));
    let ran = at(&daemon, ["steer", &id, "--confirm", "left"])
        .run()
        .exits(75)
        .out("");
    ran.err_has("its answer never came");
    assert_eq!(seen(&daemon, "POST", "/steer"), 1);
}

#[test]
fn a_signal_leaves_the_turn_alone() {
    let daemon = daemon("silence");
    let id = create(&daemon);
    submitted(&daemon, &id, "x");
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let before = seen(&daemon, "POST", "/steer");
        let running = at(&daemon, ["steer", &id, "--confirm", "left"]).start();
        until("the correction", || {
            seen(&daemon, "POST", "/steer") > before
        });
        running.signal(signal);
        let ran = running.wait().exits(code).out("");
        assert!(ran.took < Duration::from_secs(20), "{ran:#?}");
        ran.err_has("stopped by ");
    }
    assert_eq!(seen(&daemon, "POST", "/interrupt"), 0);
    assert!(is_busy(&daemon));
}
