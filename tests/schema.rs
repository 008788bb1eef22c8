//! B48: what `schema` prints is the shape of what everything else prints. Every line and every
//! summary of all scenarios and all recordings is put to an independent validator, and so is each
//! of them with something wrong in it.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use dcodectl::exit::Exit;
use dcodectl::protocol::{
    Decision, Event, EventKind, PlanStatus, ProgressKind, SandboxMode, Seal, SessionState,
    StopReason,
};
use jsonschema::Validator;
use serde_json::{Value, json};
use support::{Ran, at, daemon, data_lines, dcodectl, replaying};

/// What the program prints, not what the source holds.
fn printed(name: &str) -> Value {
    let ran = dcodectl(["schema", name]).run().exits(0).err("");
    let schema: Value = serde_json::from_str(&ran.stdout).unwrap();
    let json = dcodectl(["schema", name, "--json"]).run().exits(0);
    assert_eq!(json.stdout, ran.stdout);
    schema
}

fn validator(name: &str) -> Validator {
    let schema = printed(name);
    assert!(jsonschema::meta::is_valid(&schema), "{name} is no schema");
    jsonschema::draft202012::new(&schema).unwrap()
}

static EVENTS: LazyLock<Validator> = LazyLock::new(|| validator("events"));
static SUMMARY: LazyLock<Validator> = LazyLock::new(|| validator("summary"));

#[track_caller]
fn holds(validator: &Validator, what: &str, value: &Value) {
    let faults: Vec<String> = validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{what}: {faults:#?}\n{value:#}");
}

#[track_caller]
fn fails(validator: &Validator, what: &str, value: &Value) {
    assert!(!validator.is_valid(value), "{what} is let through: {value}");
}

/// Puts stdout and the summary of a run to the schemas.
#[track_caller]
fn check(what: &str, ran: &Ran, summary: &PathBuf) -> Value {
    for (number, line) in ran.out_objects().iter().enumerate() {
        holds(&EVENTS, &format!("{what}, line {number}"), line);
    }
    let text = fs::read_to_string(summary).unwrap();
    let summary: Value = serde_json::from_str(&text).unwrap();
    holds(&SUMMARY, what, &summary);
    assert_eq!(summary["exit_code"], json!(ran.code()), "{what}: {ran:#?}");
    summary
}

fn scratch() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let summary = folder.path().join("summary.json");
    (folder, summary)
}

#[test]
fn b48_every_scenario_holds_to_the_schemas() {
    let (_folder, summary) = scratch();
    let mut seen = 0;
    for scenario in dcodectl::simulate::scenarios() {
        let asks = scenario.name.starts_with("approval");
        for approval in ["allow", "deny"].into_iter().take(1 + usize::from(asks)) {
            let daemon = daemon(scenario.name);
            let _ = fs::remove_file(&summary);
            let file = summary.to_str().unwrap();
            let arguments = "run --json --timeout 1s --require-verified --forbid-protected --accept max_iterations";
            let more = [
                "--on-approval",
                approval,
                "--summary",
                file,
                "Fix the parser",
            ];
            let ran = at(&daemon, arguments.split(' ').chain(more)).run();
            check(scenario.name, &ran, &summary);
            seen += 1;
        }
    }
    assert!(seen > 40, "{seen}");
}

#[test]
fn b48_every_recorded_event_holds_to_the_schema() {
    let mut seen = 0;
    for path in support::recordings() {
        let log = data_lines(&path).join("\n") + "\n";
        let ran = dcodectl(["render", "-", "--json"])
            .stdin(log.clone())
            .run()
            .exits(0);
        assert_eq!(ran.stdout, log);
        for line in ran.out_objects() {
            holds(&EVENTS, &path.display().to_string(), &line);
            seen += 1;
        }
    }
    assert!(seen > 1800, "{seen} events");
}

/// How many turns have both their start and their end in the recording.
fn whole_turns(lines: &[String]) -> usize {
    let (mut turns, mut running) = (0, false);
    for line in lines {
        match Event::parse(line).unwrap().kind {
            EventKind::TurnStarted => running = true,
            EventKind::TurnCompleted => turns += usize::from(std::mem::take(&mut running)),
            _ => {}
        }
    }
    turns
}

#[test]
fn b48_every_recorded_turn_has_a_summary_that_holds_to_the_schema() {
    let (_folder, summary) = scratch();
    let mut reasons = BTreeMap::<String, usize>::new();
    for path in support::recordings() {
        let lines = data_lines(&path);
        let turns = whole_turns(&lines);
        if turns == 0 {
            continue;
        }
        let daemon = replaying(&path, |_| {});
        let id = support::create(&daemon);
        for _ in 0..turns {
            let file = summary.to_str().unwrap();
            let ran = at(
                &daemon,
                [
                    "submit",
                    &id,
                    "a prompt",
                    "--json",
                    "--on-approval",
                    "allow",
                    "--summary",
                    file,
                ],
            )
            .run();
            let summary = check(&path.display().to_string(), &ran, &summary);
            *reasons.entry(summary["reason"].to_string()).or_default() += 1;
        }
    }
    assert_eq!(reasons.len(), StopReason::KNOWN.len(), "{reasons:?}");
}

#[test]
fn a_summary_of_no_turn_at_all_holds_to_the_schema() {
    let (folder, summary) = scratch();
    let socket = folder.path().join("nobody.sock");
    let file = summary.to_str().unwrap();
    let ran = dcodectl(["run", "--json", "x", "--summary", file])
        .env("DCODE_SOCKET", &socket)
        .run()
        .exits(69);
    let summary = check("nobody", &ran, &summary);
    assert_eq!(summary["session_id"], Value::Null);
}

/// The object at a path of keys.
fn at_path<'v>(value: &'v mut Value, path: &[&str]) -> &'v mut serde_json::Map<String, Value> {
    let object = path.iter().fold(value, |value, key| match value {
        Value::Array(items) => &mut items[0],
        value => &mut value[*key],
    });
    object.as_object_mut().unwrap()
}

/// Values of the right type that are wrong all the same.
fn wrong_values() -> Vec<(&'static str, Value)> {
    vec![
        ("schema_version", json!(2)),
        ("exit_code", json!(0)),
        ("exit_code", json!(256)),
        ("exit_name", json!("done")),
        ("exit_name", json!("nonsense")),
        ("prompt_sha256", json!("abc")),
        ("started_at", json!("yesterday")),
        ("first_seq", json!(0)),
        ("duration_ms", json!(-1)),
        ("tools", json!([{"name": "bash"}])),
        ("errors", json!([{"code": "auth"}])),
        ("approvals", json!([{"handle": "t1-0"}])),
        (
            "gates",
            json!([{"name": "", "passed": true, "message": null}]),
        ),
    ]
}

#[test]
fn a_summary_with_something_wrong_does_not_hold() {
    let (_folder, file) = scratch();
    let daemon = daemon("incomplete");
    let path = file.to_str().unwrap();
    let ran = at(
        &daemon,
        [
            "run",
            "--json",
            "x",
            "--require-verified",
            "--summary",
            path,
        ],
    )
    .run()
    .exits(11);
    let summary = check("incomplete", &ran, &file);
    let objects: [&[&str]; 8] = [
        &[],
        &["usage"],
        &["context"],
        &["completion"],
        &["changes"],
        &["rounds"],
        &["client"],
        &["daemon"],
    ];
    for path in objects {
        let keys: Vec<String> = at_path(&mut summary.clone(), path)
            .keys()
            .cloned()
            .collect();
        for key in keys {
            let mut without = summary.clone();
            at_path(&mut without, path).remove(&key);
            fails(&SUMMARY, &format!("no {path:?} {key}"), &without);
            let mut other = summary.clone();
            at_path(&mut other, path).insert(key.clone(), json!([{"no": 1.5}]));
            fails(&SUMMARY, &format!("another {path:?} {key}"), &other);
        }
        let mut more = summary.clone();
        at_path(&mut more, path).insert("more".into(), json!(1));
        fails(&SUMMARY, &format!("more in {path:?}"), &more);
    }
    for (key, value) in wrong_values() {
        let mut summary = summary.clone();
        summary[key] = value;
        fails(&SUMMARY, key, &summary);
    }
    let mut failed_gate = summary.clone();
    failed_gate["exit_code"] = json!(0);
    failed_gate["exit_name"] = json!("done");
    fails(
        &SUMMARY,
        "success with a gate that does not hold",
        &failed_gate,
    );
    failed_gate["gates"] = json!([]);
    holds(&SUMMARY, "success", &failed_gate);
}

/// One recorded event of each type.
fn samples() -> BTreeMap<String, Value> {
    let mut samples = BTreeMap::new();
    for path in support::recordings() {
        for line in data_lines(&path) {
            let event: Value = serde_json::from_str(&line).unwrap();
            let kind = event["type"].as_str().unwrap().to_owned();
            let kept: &mut Value = samples.entry(kind).or_insert(Value::Null);
            let fields =
                |event: &Value| event["payload"].as_object().map_or(0, serde_json::Map::len);
            if fields(&event) > fields(kept) {
                *kept = event;
            }
        }
    }
    samples
}

#[test]
fn an_event_with_something_wrong_does_not_hold() {
    let samples = samples();
    assert_eq!(samples.len(), EventKind::KNOWN.len());
    for (kind, event) in &samples {
        holds(&EVENTS, kind, event);
        let wrong = [
            ("seq", json!(0)),
            ("seq", json!("1")),
            ("seq", json!(1.5)),
            ("session_id", json!(7)),
            ("type", json!(null)),
            ("at", json!("today")),
            ("payload", json!([])),
            ("payload", json!("text")),
        ];
        for (key, value) in wrong {
            let mut event = event.clone();
            event[key] = value;
            fails(&EVENTS, &format!("{kind}: {key}"), &event);
        }
        for key in ["seq", "type", "payload"] {
            let mut event = event.clone();
            event.as_object_mut().unwrap().remove(key);
            fails(&EVENTS, &format!("{kind} without {key}"), &event);
        }
        for field in event["payload"].as_object().unwrap().keys() {
            if field == "input" {
                continue;
            }
            let mut event = event.clone();
            event["payload"][field] = json!([1.5]);
            fails(&EVENTS, &format!("{kind}: {field}"), &event);
        }
    }
}

#[test]
fn what_a_newer_daemon_sends_is_no_fault() {
    for (kind, mut event) in samples() {
        event["payload"]["tomorrow"] = json!({"x": [1, null]});
        event["tomorrow"] = json!(true);
        holds(&EVENTS, &kind, &event);
    }
    for event in [
        json!({"seq": 9, "type": "done.signed"}),
        json!({"seq": 9, "session_id": "s", "type": "x", "at": "2026-12-01T05:00:00-03:00", "payload": [1]}),
        json!({"seq": 9, "type": "turn.completed", "payload": {"reason": "out_of_cheese", "usage": null, "completion": {"met": null}}}),
        json!({"seq": 9, "type": "plan.updated", "payload": {"items": null}}),
    ] {
        holds(&EVENTS, "tomorrow", &event);
    }
}

#[test]
fn the_schemas_name_every_word_and_every_exit() {
    let (events, summary) = (printed("events"), printed("summary"));
    let names = summary["properties"]["exit_name"]["enum"]
        .as_array()
        .unwrap();
    for exit in Exit::ALL {
        assert!(names.contains(&json!(exit.name())), "{}", exit.name());
    }
    assert_eq!(names.len(), {
        let mut names: Vec<&str> = Exit::ALL.iter().map(|exit| exit.name()).collect();
        names.sort_unstable();
        names.dedup();
        names.len() + 1
    });
    let text = events.to_string();
    for kind in EventKind::KNOWN {
        assert!(
            text.contains(&format!("{{\"const\":\"{kind}\"}}")),
            "{kind}"
        );
    }
    let words: Vec<&str> = StopReason::KNOWN
        .iter()
        .map(StopReason::as_str)
        .chain(Seal::KNOWN.iter().map(Seal::as_str))
        .chain(Decision::KNOWN.iter().map(Decision::as_str))
        .chain(PlanStatus::KNOWN.iter().map(PlanStatus::as_str))
        .chain(ProgressKind::KNOWN.iter().map(ProgressKind::as_str))
        .chain(SandboxMode::KNOWN.iter().map(SandboxMode::as_str))
        .chain(SessionState::KNOWN.iter().map(SessionState::as_str))
        .collect();
    for word in words {
        let is_there = text
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-')
            .any(|known| known == word);
        assert!(is_there, "{word}");
    }
}
