//! `--max-rounds`, `--idle-timeout`, `--heartbeat`.

use std::thread;
use std::time::Duration;

use dcodectl::simulate::Speed;
use serde_json::Value;

use super::summary;
use crate::support::paced::{STARTED, paced};
use crate::support::{at, create, daemon, daemon_with, has_no_session, is_busy, playing, seen};

fn rounds(done: u64) -> String {
    format!(r#"{{"turn_id":"t1","kind":"rounds","done":{done},"total":2000}}"#)
}

#[test]
fn b18_a_turn_that_passes_the_cap_is_stopped() {
    let payloads: Vec<String> = (1..=60).map(rounds).collect();
    let mut events = vec![STARTED];
    events.extend(
        payloads
            .iter()
            .map(|payload| (150, "progress", payload.as_str())),
    );
    events.push((0, "turn.completed", r#"{"turn_id":"t1","reason":"done"}"#));
    let daemon = paced(&events, |_| {});
    // The cap is this client's: it is not what --accept is about.
    let arguments = [
        "run",
        "--max-rounds",
        "3",
        "--accept",
        "max_iterations,interrupted",
        "--json",
        "--summary",
        "-",
        "go",
    ];
    let ran = at(&daemon, arguments).run().exits(12);
    let error = &ran.err_objects()[0]["error"];
    assert_eq!(
        (&error["code"], &error["exit_code"]),
        (&"max_iterations".into(), &12.into())
    );
    let message = error["message"].as_str().unwrap();
    assert!(
        message
            .starts_with("max_iterations: --max-rounds 3 was passed; the turn ended: interrupted"),
        "{message}"
    );
    let summary = summary(&ran);
    assert_eq!(summary["capped_by_client"], true);
    assert_eq!(summary["reason"], "interrupted");
    assert_eq!(
        (&summary["exit_code"], &summary["exit_name"]),
        (&12.into(), &"max_iterations".into())
    );
    assert!(
        summary["rounds"]["done"].as_u64().unwrap() >= 4,
        "{summary}"
    );
    assert_eq!(seen(&daemon, "POST", "/interrupt"), 1);
    assert!(has_no_session(&daemon));
}

#[test]
fn b18_as_many_rounds_as_the_cap_are_fine_and_one_more_is_not() {
    let payloads: Vec<String> = (1..=3).map(rounds).collect();
    let mut events = vec![("turn.started", r#"{"turn_id":"t1"}"#)];
    events.extend(
        payloads
            .iter()
            .map(|payload| ("progress", payload.as_str())),
    );
    events.push(("turn.completed", r#"{"turn_id":"t1","reason":"done"}"#));
    let daemon = playing(&events, |_| {});
    at(&daemon, ["run", "--max-rounds", "3", "go"])
        .run()
        .exits(0)
        .err("")
        .out_has("done");
    // The turn ends by itself with the round that is one too many, unless the interrupt is quicker: the code depends on
    // neither, nor on whether this client has seen it by then, and nothing that has ended is interrupted twice.
    for _ in 0..5 {
        let ran = at(
            &daemon,
            ["run", "--max-rounds", "2", "--json", "--summary", "-", "go"],
        )
        .run()
        .exits(12);
        let summary = summary(&ran);
        assert_eq!(summary["capped_by_client"], true);
        let reason = summary["reason"].as_str().unwrap();
        assert!(["done", "interrupted"].contains(&reason), "{reason}");
        ran.err_has(&format!(
            "--max-rounds 2 was passed; the turn ended: {reason}"
        ));
    }
    assert!(seen(&daemon, "POST", "/interrupt") <= 5);
}

#[test]
fn a_quiet_turn_is_stopped_and_a_ping_is_no_event() {
    let daemon = daemon_with("silence", |options| {
        options.speed = Speed::Instant;
        options.ping_interval = Duration::from_millis(50);
    });
    let ran = at(
        &daemon,
        [
            "run",
            "--idle-timeout",
            "1s",
            "--json",
            "--summary",
            "-",
            "go",
        ],
    )
    .run();
    let ran = ran.exits(124).within(Duration::from_secs(12));
    assert!(ran.took >= Duration::from_secs(1), "{ran:#?}");
    let error = &ran.err_objects()[0]["error"];
    assert_eq!(error["code"], "timeout");
    let message = error["message"].as_str().unwrap();
    assert!(
        message.starts_with(
            "--idle-timeout 1s reached, waiting for the end of the turn; last event: seq "
        ),
        "{message}"
    );
    assert!(
        message.ends_with("session: running; the turn ended: interrupted"),
        "{message}"
    );
    assert_eq!(summary(&ran)["exit_code"], 124);
    assert_eq!(seen(&daemon, "POST", "/interrupt"), 1);
    assert!(has_no_session(&daemon));
}

#[test]
fn a_wait_that_hears_nothing_leaves_the_turn_alone() {
    let daemon = daemon("silence");
    let id = create(&daemon);
    super::submitted(&daemon, &id, "go");
    let ran = at(&daemon, ["wait", &id, "--idle-timeout", "1s"])
        .run()
        .exits(124);
    ran.err_has("--idle-timeout 1s reached, waiting for the end of the turn")
        .err_has("the turn is left to the daemon")
        .out_has("Let me think");
    assert_eq!(seen(&daemon, "POST", "/interrupt"), 0);
    assert!(is_busy(&daemon));
    // A question that nobody answers is quiet, too.
    let asking = crate::support::daemon("approval");
    let arguments = [
        "run",
        "--idle-timeout",
        "1s",
        "--on-approval",
        "leave",
        "go",
    ];
    at(&asking, arguments)
        .run()
        .exits(124)
        .err_has("--idle-timeout 1s reached, waiting for approval t1-0@");
}

#[test]
fn a_turn_that_goes_on_is_never_idle() {
    let delta = r#"{"turn_id":"t1","text":"word "}"#;
    let mut events = vec![STARTED];
    events.extend([(300, "message.delta", delta); 10]);
    events.push((300, "turn.completed", r#"{"turn_id":"t1","reason":"done"}"#));
    let daemon = paced(&events, |_| {});
    let ran = at(
        &daemon,
        ["run", "--idle-timeout", "2s", "-o", "answer", "go"],
    )
    .run()
    .exits(0)
    .err("");
    assert!(ran.took > Duration::from_secs(3), "{ran:#?}");
    ran.out(&format!("{}\n", "word ".repeat(10)));
}

/// Whether the text is a heartbeat.
fn is_heartbeat(text: &str) -> bool {
    text.starts_with("still waiting after ")
        && (text.contains(" s; last event: seq ") || text.ends_with("no event yet"))
}

#[test]
fn b21_a_quiet_command_shows_that_it_lives() {
    let lines: [(&[&str], bool); 4] = [
        (&["-o", "answer"], false),
        (&["-q"], false),
        (&["-q", "--json"], true),
        (&["--json"], true),
    ];
    thread::scope(|scope| {
        for (options, json) in lines {
            scope.spawn(move || {
                // About five seconds, most of them quiet.
                let daemon = daemon_with("slow", |options| options.speed = Speed::Times(2.0));
                let rest = ["run", "--heartbeat", "1s", "go"];
                let ran = at(&daemon, options.iter().chain(&rest)).run().exits(0);
                let beats: Vec<String> = if json {
                    ran.out_objects();
                    let text = |line: &Value| {
                        assert_eq!(line["notice"]["code"], "heartbeat", "{line}");
                        line["notice"]["message"].as_str().unwrap().to_owned()
                    };
                    ran.err_objects().iter().map(text).collect()
                } else {
                    let text =
                        |line: &str| line.strip_prefix("dcodectl: note: ").unwrap().to_owned();
                    ran.stderr.lines().map(text).collect()
                };
                assert!(beats.iter().all(|text| is_heartbeat(text)), "{ran:#?}");
                assert!((3..=20).contains(&beats.len()), "{ran:#?}");
                if options.contains(&"answer") {
                    ran.out("All 240 tests pass. \n");
                }
            });
        }
    });
}

#[test]
fn b21_what_is_printed_is_a_sign_of_life_itself() {
    let delta = r#"{"turn_id":"t1","text":"word\n"}"#;
    let mut events = vec![STARTED];
    events.extend([(250, "message.delta", delta); 16]);
    events.push((0, "turn.completed", r#"{"turn_id":"t1","reason":"done"}"#));
    let daemon = paced(&events, |_| {});
    for format in ["ndjson", "human"] {
        at(&daemon, ["-o", format, "run", "--heartbeat", "3s", "go"])
            .run()
            .exits(0)
            .err("")
            .out_has("word");
    }
}

#[test]
fn b21_a_slow_create_shows_that_it_lives() {
    use dcodectl::simulate::{Act, Fault, PathIs};
    let daemon = daemon("done");
    let create = PathIs::Exactly("/v1/sessions".into());
    let late = Act::DelayAnswer(Duration::from_millis(2500));
    daemon.add_fault(Fault::new("POST", create, late));
    let ran = at(
        &daemon,
        ["run", "--heartbeat", "1s", "-q", "-o", "answer", "go"],
    )
    .run()
    .exits(0);
    let beats = ran.stderr.matches("no event yet").count();
    assert!(beats >= 2, "{ran:#?}");
    assert!(!ran.stdout.is_empty(), "{ran:#?}");
}
