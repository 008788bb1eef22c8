//! Traps about when a turn is over and what its end says.

use std::time::Duration;

use crate::support::{
    at, create, daemon, daemon_with, kinds, playing, recording, replaying, until,
};
use dcodectl::simulate::Speed;

const STARTED: (&str, &str) = ("turn.started", r#"{"turn_id":"t1","text":"x"}"#);

fn end(reason: &str) -> String {
    format!(
        r#"{{"turn_id":"t1","reason":"{reason}","usage":{{"input_tokens":1,"output_tokens":1}}}}"#
    )
}

#[test]
fn trap_01_the_end_of_a_stream_is_not_the_end_of_the_turn() {
    let slow_reader = daemon("drop");
    let ran = at(&slow_reader, ["run", "--json", "x"]).run().exits(0);
    assert_eq!(kinds(&ran.stdout).last().unwrap(), "turn.completed");
    assert_eq!(ran.stderr, "");

    let deleted = daemon("silence");
    let id = create(&deleted);
    let running = at(&deleted, ["submit", &id, "x"]).start();
    until("the turn runs", || {
        at(&deleted, ["show", &id]).run().stdout.contains("running")
    });
    at(&deleted, ["close", &id]).run().exits(0).out("").err("");
    running
        .wait()
        .exits(75)
        .err_has("went away before the turn's end was seen");
}

#[test]
fn trap_02_the_end_is_taken_from_the_zero_chunk_and_not_from_the_connection() {
    // The simulated daemon keeps the connection open after it, as the real one does.
    let daemon = daemon("drop");
    let ran = at(&daemon, ["run", "-o", "answer", "x"]).run().exits(0);
    ran.out("Finished, although the stream was dropped. \n")
        .err("")
        .within(Duration::from_secs(20));
}

#[test]
fn trap_03_the_t1_of_the_carried_history_is_not_ours() {
    let daemon = replaying(&recording("multi-turn"), |_| {});
    let first = create(&daemon);
    at(&daemon, ["submit", &first, "the same"]).run().exits(0);
    let id = at(&daemon, ["create", "--resume", &first]).run().exits(0);
    let id = id.stdout.trim_end();
    let ran = at(&daemon, ["submit", id, "--json", "the same"]).run();
    let objects = ran.exits(0).err("").out_objects();
    assert_eq!(objects[0]["type"], "turn.started");
    assert_eq!(objects[0]["payload"]["text"], "the same");
    let carried = at(&daemon, ["tail", id, "--no-follow", "--json"]).run();
    let ours = objects[0]["seq"].as_u64().unwrap();
    let carried = carried.exits(0).out_objects();
    let old = carried.iter().find(|event| event["type"] == "turn.started");
    assert!(old.unwrap()["seq"].as_u64().unwrap() < ours);
}

#[test]
fn trap_04_a_lost_correction_is_reported_after_the_end() {
    let daemon = daemon_with("late-error", |options| options.speed = Speed::Times(2.0));
    let id = create(&daemon);
    let ran = at(&daemon, ["submit", &id, "--json", "x"]).run().exits(0);
    assert_eq!(kinds(&ran.stdout).last().unwrap(), "turn.completed");
    let tail = || at(&daemon, ["tail", &id, "--no-follow", "--json"]).run();
    until("the notice", || {
        kinds(&tail().stdout).last().unwrap() == "session.error"
    });
    // It is no turn's: the last turn is still the one that ended done.
    at(&daemon, ["wait", &id, "-o", "answer"])
        .run()
        .exits(0)
        .out("Nothing to change here. \n")
        .err("");
}

#[test]
fn trap_09_a_call_may_never_complete() {
    let ran = at(&daemon("repeat-loop"), ["run", "x"]).run().exits(13);
    ran.err_has("repeat_loop")
        .out_has("not run: the third identical call in a row");
    let ran = at(
        &daemon("approval"),
        ["run", "--summary", "-", "-o", "ndjson", "x"],
    )
    .run();
    let objects = ran.exits(0).out_objects();
    let of = |kind: &str| objects.iter().filter(|one| one["type"] == kind).count();
    assert_eq!((of("tool.requested"), of("tool.completed")), (1, 0));
    assert_eq!(objects.last().unwrap()["exit_code"], 0);
}

#[test]
fn trap_10_ok_is_not_the_commands_success() {
    let ran = at(&daemon("tools"), ["run", "x"]).run().exits(0);
    ran.err("").out_has("exit 1").out_has("exit 0");
}

#[test]
fn trap_15_done_without_a_completion_is_no_pass_and_an_old_completion_no_news() {
    let unchecked = at(
        &daemon("unchecked"),
        ["run", "--summary", "-", "--json", "x"],
    )
    .run();
    let summary = unchecked.exits(0).err("").out_objects().pop().unwrap();
    assert!(summary["completion"].is_null());
    at(&daemon("unchecked"), ["run", "x"])
        .run()
        .exits(0)
        .err("")
        .out_has("nothing was checked");

    let daemon = replaying(&recording("completion-stale"), |_| {});
    let id = create(&daemon);
    let codes: Vec<i32> = (0..4)
        .map(|_| at(&daemon, ["submit", &id, "x"]).run().code())
        .collect();
    assert_eq!(codes, [0, 15, 16, 0]);
}

#[test]
fn trap_16_the_seal_is_random_when_criteria_are_unmet_and_unavailable() {
    for seal in ["failed", "unavailable"] {
        let end = format!(
            r#"{{"turn_id":"t1","reason":"incomplete","completion":{{"verification":"{seal}","met":["a"],"unmet":["b"],"unavailable":["c"]}}}}"#
        );
        let daemon = playing(&[STARTED, ("turn.completed", &end)], |_| {});
        let ran = at(&daemon, ["run", "x"]).run().exits(11);
        ran.err(
            "dcodectl: note: incomplete: unmet: b; could not be run: c; met: a (exit code 11)\n",
        )
        .out_has("unmet");
    }
}

#[test]
fn trap_12_a_data_line_can_be_megabytes_long() {
    let text = "ab".repeat(2_500_000);
    let delta = format!(r#"{{"turn_id":"t1","text":"{text}"}}"#);
    let end = end("done");
    let events = [STARTED, ("message.delta", &delta), ("turn.completed", &end)];
    let daemon = playing(&events, |_| {});
    let ran = at(&daemon, ["run", "-o", "answer", "x"]).run().exits(0);
    assert_eq!(ran.stdout.len(), text.len() + 1);
    assert_eq!(ran.stderr, "");
}

#[test]
fn trap_19_silence_is_not_a_hang() {
    let daemon = daemon_with("error", |options| {
        options.ping_interval = Duration::from_millis(100);
    });
    let ran = at(&daemon, ["run", "x"]).run().exits(16);
    assert!(
        ran.stderr.starts_with("dcodectl: error: ") && ran.stderr.contains("error: auth: "),
        "{ran:#?}"
    );
    assert!(!ran.stderr.contains("reconnect"), "{ran:#?}");
    // Quiet for longer than the daemon's own retries would take, pings shortened with it.
    let daemon = daemon_with("slow", |options| {
        options.ping_interval = Duration::from_millis(50);
        options.speed = Speed::Times(9.0);
    });
    crate::support::inside::inside(&daemon, ["run", "-o", "answer", "x"])
        .timeouts(|timeouts| timeouts.silence = Duration::from_millis(500))
        .limits(|limits| limits.quiet = Duration::from_millis(200))
        .run()
        .exits(0)
        .out("All 240 tests pass. \n")
        .err("");
}

#[test]
fn trap_22_any_string_may_hold_terminal_escapes() {
    let daemon = daemon("weird-output");
    let id = create(&daemon);
    let ran = at(&daemon, ["-v", "submit", &id, "x"]).run().exits(0);
    let harmless = |text: &str| {
        !text
            .chars()
            .any(|c| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c))
    };
    assert!(harmless(&ran.stdout) && harmless(&ran.stderr), "{ran:#?}");
    for command in ["tail", "wait"] {
        let mut arguments = vec![command, id.as_str()];
        arguments.extend((command == "tail").then_some("--no-follow"));
        let ran = at(&daemon, arguments).run().exits(0);
        assert!(harmless(&ran.stdout) && harmless(&ran.stderr), "{ran:#?}");
    }
    let raw = at(&daemon, ["wait", &id, "--json"]).run().exits(0);
    raw.out_has("\\u001b]0;owned").out_has("\u{202e}");
}

#[test]
fn trap_23_text_repeated_by_a_model_retry_is_kept_as_streamed() {
    let ran = at(&daemon("retry-repeats-text"), ["run", "-o", "answer", "x"]).run();
    ran.exits(0).err("").out(
        "The parser splits an empty string The parser splits an empty string into one empty item. \n",
    );
}

#[test]
fn trap_24_a_compactions_from_seq_is_no_sequence_number() {
    let compacted = r#"{"from_seq":900,"to_seq":1200,"messages":3,"kept":1}"#;
    let end = end("done");
    let events = [
        STARTED,
        ("session.compacted", compacted),
        ("turn.completed", &end),
    ];
    let daemon = playing(&events, |_| {});
    let ran = at(&daemon, ["run", "--summary", "-", "--json", "x"]).run();
    let objects = ran.exits(0).err("").out_objects();
    let numbers: Vec<u64> = objects[..3]
        .iter()
        .map(|event| event["seq"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, [2, 3, 4]);
    assert_eq!(
        (&objects[3]["first_seq"], &objects[3]["last_seq"]),
        (&2.into(), &4.into())
    );
}
