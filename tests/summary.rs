//! The summary's facts, each from a turn that has them.

#![allow(clippy::unwrap_used)]

mod support;

use std::fs;

use dcodectl::simulate::Speed;
use serde_json::{Value, json};
use support::{at, create, daemon, daemon_with};

/// Runs a command against a scenario and gives its summary.
#[track_caller]
fn summary(scenario: &str, arguments: &[&str], code: i32) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("summary.json");
    // At its written speed, so that a turn can be stopped on its way.
    let daemon = daemon_with(scenario, |options| options.speed = Speed::Times(1.0));
    let with_file = ["--json", "--summary", file.to_str().unwrap()];
    at(&daemon, arguments.iter().chain(&with_file))
        .run()
        .exits(code);
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

#[test]
fn the_prompt_is_known_by_its_digest() {
    // printf x | sha256sum
    let digest = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881";
    let told = summary("done", &["run", "x"], 0);
    assert_eq!(told["prompt_sha256"], digest);
    let (folder, daemon) = (tempfile::tempdir().unwrap(), daemon("done"));
    let file = folder.path().join("summary.json");
    let id = create(&daemon);
    at(&daemon, ["submit", &id, "x", "-q"]).run().exits(0);
    // Also of a turn that somebody else submitted.
    at(&daemon, ["wait", &id, "--summary", file.to_str().unwrap()])
        .run()
        .exits(0);
    let told: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(told["prompt_sha256"], digest);
    assert_eq!(told["answer"].as_str().map(str::is_empty), Some(false));
}

#[test]
fn gates_are_told_with_their_verdicts() {
    let both = ["run", "x", "--require-verified", "--forbid-protected"];
    let told = summary("protected-touched", &both, 18);
    let gates = told["gates"].as_array().unwrap();
    assert_eq!(
        gates[0],
        json!({"name":"require-verified","passed":true,"message":null})
    );
    assert_eq!(
        (&gates[1]["name"], &gates[1]["passed"]),
        (&json!("forbid-protected"), &json!(false))
    );
    let message = gates[1]["message"].as_str().unwrap();
    assert!(message.contains("tests/test_parser.py"), "{message}");
    assert_eq!(summary("done", &["run", "x"], 0)["gates"], json!([]));
}

#[test]
fn a_cap_of_this_client_is_told_apart_from_the_daemons() {
    let ours = summary("tools", &["run", "x", "--max-rounds", "2"], 12);
    assert_eq!(ours["capped_by_client"], true);
    let theirs = summary("max-iterations", &["run", "x"], 12);
    assert_eq!(theirs["capped_by_client"], false);
    assert_eq!(theirs["rounds"], json!({"done":3,"total":3}));
}

#[test]
fn a_denied_call_is_counted_and_who_denied_it_named() {
    let told = summary("approval", &["run", "x", "--on-approval", "deny"], 0);
    let bash = &told["tools"][0];
    assert_eq!(
        (&bash["name"], &bash["denied"]),
        (&json!("bash"), &json!(1))
    );
    assert_eq!(
        (&bash["requested"], &bash["completed"]),
        (&json!(1), &json!(0))
    );
    assert_eq!(told["approvals"][0]["by"], "policy");
    let told = summary("approval", &["run", "x", "--on-approval", "allow"], 0);
    assert_eq!(told["tools"][0]["denied"], 0);
    let exec = ["run", "x", "--on-approval", "exec:echo deny"];
    assert_eq!(summary("approval", &exec, 0)["approvals"][0]["by"], "exec");
}

#[test]
fn both_versions_are_named() {
    let told = summary("done", &["run", "x"], 0);
    let client = json!({"name":"dcodectl","version":env!("CARGO_PKG_VERSION")});
    assert_eq!(told["client"], client);
    assert!(told["daemon"]["version"].is_string(), "{told:#}");
}
