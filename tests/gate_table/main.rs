//! Every stop reason with every shape of a completion, every list of accepted outcomes and every
//! choice of gates: code, summary and text.
//!
//! What is right is said once, in [`rule`], from the contract and without the program's help.

#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod checks;
mod rule;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use checks::{check_lines, check_objects, check_summary};
use dcodectl::simulate::Daemon;
use rule::{REASONS, accept_lists, expected, gate_choices, options, shapes};
use serde_json::{Value, json};
use support::inside::inside;
use support::{at, create, is_busy, playing, until};

/// A daemon whose turns end like this at once.
fn ending(reason: Option<&str>, completion: &Value) -> Daemon {
    let mut end = json!({"turn_id": "t1"});
    if let Some(reason) = reason {
        end["reason"] = reason.into();
    }
    if !completion.is_null() {
        end["completion"] = completion.clone();
    }
    let end = end.to_string();
    let events = [
        ("turn.started", r#"{"turn_id":"t1"}"#),
        ("message.delta", r#"{"turn_id":"t1","text":"Yes."}"#),
        ("turn.completed", end.as_str()),
    ];
    playing(&events, |_| {})
}

/// All rows of one reason and one completion, through `wait` inside this process.
fn check_all(kind: (Option<&str>, u8), shape: &str, completion: &Value) -> usize {
    let daemon = ending(kind.0, completion);
    let id = create(&daemon);
    at(&daemon, ["submit", "--detach", &id, "go"])
        .run()
        .exits(0)
        .out("")
        .err("");
    until("the turn's end", || !is_busy(&daemon));
    let mut rows = 0;
    for accept in accept_lists(kind.0) {
        for gates in gate_choices() {
            let row = format!("{:?}, {shape}, --accept {accept:?}, {gates:?}", kind.0);
            let mut arguments: Vec<String> = ["wait", &id, "--json", "--summary", "-"]
                .map(str::to_owned)
                .into();
            arguments.extend(options(&accept, gates));
            let ran = inside(&daemon, arguments).run();
            let right = expected(kind, completion, &accept, gates);
            assert_eq!(ran.code(), i32::from(right.code), "{row}: {ran:#?}");
            let mut stdout = ran.out_objects();
            let summary = stdout.pop().unwrap();
            assert_eq!(stdout.last().unwrap()["type"], "turn.completed", "{row}");
            check_summary(&row, &summary, kind.0, completion, &right);
            check_objects(&row, &ran.err_objects(), &right);
            rows += 1;
        }
    }
    rows
}

/// Does the work for every reason and completion, a few at a time.
fn for_each(work: impl Fn((Option<&'static str>, u8), usize, &str, &Value) + Sync) {
    let all: Vec<_> = REASONS
        .iter()
        .flat_map(|&reason| shapes().into_iter().map(move |shape| (reason, shape)))
        .collect();
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some((reason, (shape, completion))) =
                    all.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    let index = REASONS.iter().position(|kind| kind == reason).unwrap();
                    work(*reason, index, shape, completion);
                }
            });
        }
    });
}

#[test]
fn every_combination_has_the_code_the_summary_and_the_text_of_the_contract() {
    let rows = AtomicUsize::new(0);
    for_each(|kind, _, shape, completion| {
        rows.fetch_add(check_all(kind, shape, completion), Ordering::Relaxed);
    });
    // Eight reasons can be accepted and have four lists; the other two have three.
    assert_eq!(rows.into_inner(), (8 * 4 + 2 * 3) * 4 * shapes().len());
}

/// The same rule through the built binary and `run`, one row of each reason and completion.
#[test]
fn a_sample_through_the_binary_for_people() {
    for_each(|kind, index, shape, completion| {
        let position = index * 5
            + shapes()
                .iter()
                .position(|(name, _)| *name == shape)
                .unwrap();
        let lists = accept_lists(kind.0);
        let accept = &lists[position % lists.len()];
        let gates = gate_choices().nth(position / 3 % 4).unwrap();
        let right = expected(kind, completion, accept, gates);
        let row = format!("{:?}, {shape}, --accept {accept:?}, {gates:?}", kind.0);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("summary.json");
        let mut arguments = vec![
            "run".to_owned(),
            "--summary".to_owned(),
            file.to_str().unwrap().to_owned(),
        ];
        arguments.extend(options(accept, gates));
        arguments.push("go".to_owned());
        let daemon = ending(kind.0, completion);
        let ran = at(&daemon, arguments).run();
        assert_eq!(ran.code(), i32::from(right.code), "{row}: {ran:#?}");
        let ran = ran.out_has("Yes.");
        check_lines(&row, &ran.stderr, &right);
        let summary = std::fs::read_to_string(&file).unwrap();
        let summary = serde_json::from_str(&summary).unwrap();
        check_summary(&row, &summary, kind.0, completion, &right);
    });
}

/// The daemon counts the whole session: a later turn that writes nothing is refused again.
#[test]
fn d07_touched_protected_stays_in_later_turns_of_the_session() {
    let completion =
        r#"{"verification":"passed","met":["test"],"touched_protected":["tests/conftest.py"]}"#;
    let first = format!(r#"{{"turn_id":"t1","reason":"done","completion":{completion}}}"#);
    let second = format!(r#"{{"turn_id":"t2","reason":"done","completion":{completion}}}"#);
    let wrote = r#"{"tool_call_id":"c","ok":true,"output":"","truncated":false,"files":1,"added":1,"diff":"@@ -1,1 +1,1 @@ tests/conftest.py\n-a\n+b"}"#;
    let events = [
        ("turn.started", r#"{"turn_id":"t1"}"#),
        (
            "tool.requested",
            r#"{"turn_id":"t1","tool_call_id":"c","name":"edit","input":{"path":"tests/conftest.py"}}"#,
        ),
        ("tool.completed", wrote),
        ("turn.completed", first.as_str()),
        ("turn.started", r#"{"turn_id":"t2"}"#),
        (
            "message.delta",
            r#"{"turn_id":"t2","text":"Nothing to do."}"#,
        ),
        ("turn.completed", second.as_str()),
    ];
    let daemon = playing(&events, |_| {});
    let id = create(&daemon);
    for turn in ["first", "second"] {
        let arguments = [
            "submit",
            "--forbid-protected",
            "--summary",
            "-",
            "--json",
            &id,
            turn,
        ];
        let ran = at(&daemon, arguments).run().exits(18);
        let error = &ran.err_objects()[0]["error"];
        assert_eq!(
            (&error["code"], &error["exit_code"]),
            (&"protected_touched".into(), &18.into())
        );
        let message = error["message"].as_str().unwrap();
        assert!(
            message.contains("in this session, though not necessarily by this turn"),
            "{message}"
        );
        assert!(message.contains("tests/conftest.py"), "{message}");
        let summary = ran.out_objects().pop().unwrap();
        let changed = u64::from(turn == "first");
        assert_eq!(
            (&summary["exit_code"], &summary["changes"]["files"]),
            (&18.into(), &changed.into())
        );
    }
    at(&daemon, ["submit", &id, "without the gate"])
        .run()
        .exits(0)
        .err("");
}
