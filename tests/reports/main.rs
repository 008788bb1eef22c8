//! `--report`: what CI systems are told, through the built binary, read back by readers that are
//! not ours.

#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod junit;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use dcodectl::protocol::{Event, Payload, StopReason, TurnCompleted};
use serde_json::{Value, json};
use support::process::spawn;
use support::programs::is_there;
use support::{Ran, at, daemon, data_lines, dcodectl, objects, playing, recording};

/// Reads `JUnit` files by junitparser and prints what it found, one JSON array a file.
const READER: &str = r#"
import json, sys
from junitparser import JUnitXml, Failure, Error, Skipped

def outcome(case):
    results = [(type(r).__name__, r.type, r.message) for r in case.result]
    assert len(results) <= 1, results
    return list(results[0]) if results else None

for path in sys.argv[1:]:
    xml = JUnitXml.fromfile(path)
    suites = []
    for suite in xml:
        cases = [[c.classname, c.name, outcome(c)] for c in suite]
        counts = [suite.tests, suite.failures, suite.errors, suite.skipped]
        properties = [[p.name, p.value] for p in suite.properties()]
        suites.append({"name": suite.name, "cases": cases, "counts": counts, "properties": properties})
    xml_counts = [xml.tests, xml.failures, xml.errors, xml.skipped]
    print(json.dumps({"suites": suites, "counts": xml_counts}))
"#;

/// Whether junitparser is there.
static HAS_READER: LazyLock<bool> = LazyLock::new(|| {
    Command::new("python3")
        .args(["-c", "import junitparser"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
});

/// What junitparser reads in the files; `None`, and a word about it, where it is not installed.
fn read(paths: &[&Path]) -> Option<Vec<Value>> {
    if !is_there("python3 with junitparser", *HAS_READER) {
        return None;
    }
    let output = Command::new("python3")
        .args(["-c", READER])
        .args(paths)
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{error}");
    Some(objects(&String::from_utf8(output.stdout).unwrap()))
}

/// Files of one test.
struct Files {
    folder: tempfile::TempDir,
}

impl Files {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// `--report FORMAT=FILE` for a file of this test.
    fn report(&self, format: &str, name: &str) -> String {
        format!("--report={format}={}", self.path(name).display())
    }
}

fn run(scenario: &str, arguments: &[&str]) -> Ran {
    let daemon = daemon(scenario);
    at(&daemon, ["run", "Fix the parser"].iter().chain(arguments)).run()
}

/// A case as junitparser tells it, the message aside.
fn case(class: &str, name: &str, outcome: Option<(&str, &str)>) -> Value {
    let outcome = outcome.map(|(tag, kind)| json!([tag, kind]));
    json!([class, name, outcome])
}

fn cases(suite: &Value) -> Vec<Value> {
    let cases = suite["cases"].as_array().unwrap().iter().map(|case| {
        let mut case = case.clone();
        if let Some(outcome) = case[2].as_array_mut() {
            let message = outcome.pop().unwrap();
            assert_ne!(message.as_str().unwrap_or_default(), "", "{case}");
        }
        case
    });
    cases.collect()
}

fn property(suite: &Value, name: &str) -> Vec<String> {
    let all = suite["properties"].as_array().unwrap().iter();
    all.filter(|property| property[0] == name)
        .map(|property| property[1].as_str().unwrap().to_owned())
        .collect()
}

/// Whether the numbers in a suite's head are those of its cases.
fn counts(cases: &[Value]) -> Value {
    let count = |tag: &str| cases.iter().filter(|case| case[2][0] == tag).count();
    json!([
        cases.len(),
        count("Failure"),
        count("Error"),
        count("Skipped")
    ])
}

/// A scenario, options, the code, and the cases.
type Row = (&'static str, Vec<&'static str>, i32, Vec<Value>);

/// Turns that end with a result.
#[test]
fn junit_is_emptied_and_markdown_appended_before_anything_is_sent() {
    let files = Files::new();
    for name in ["x.xml", "x.md"] {
        fs::write(files.path(name), "stale").unwrap();
    }
    let (junit, markdown) = (
        files.report("junit", "x.xml"),
        files.report("markdown", "x.md"),
    );
    // Nobody answers: the reports are written all the same, and the stale one is gone.
    dcodectl(["run", "x", &junit, &markdown])
        .env("DCODE_SOCKET", files.path("none.sock"))
        .run()
        .exits(69);
    let xml = files.text("x.xml");
    assert!(xml.starts_with("<?xml") && !xml.contains("stale"), "{xml}");
    assert!(xml.contains("<error type=\"unreachable\""), "{xml}");
    assert!(files.text("x.md").starts_with("stale\n## ✗ unreachable\n"));
}

#[test]
fn a_report_that_cannot_be_opened_is_74_and_nothing_is_sent() {
    let files = Files::new();
    let daemon = daemon("done");
    fs::write(files.path("x.xml"), "stale").unwrap();
    let junit = files.report("junit", "x.xml");
    for format in ["junit", "markdown"] {
        let bad = files.report(format, "no/such/folder");
        at(&daemon, ["run", "x", &bad, &junit])
            .run()
            .exits(74)
            .out("")
            .err_has("no/such/folder cannot be written");
        assert!(files.text("x.xml").contains("output_failed"));
    }
    at(&daemon, ["run", "x", "--report", "github"])
        .env("GITHUB_OUTPUT", files.path("no/such/folder"))
        .run()
        .exits(74);
    assert!(daemon.requests().is_empty());
}

#[test]
fn wrong_reports_are_usage_errors() {
    for wrong in ["xml=x", "junit", "junit=", "markdown=-", "github=x", ""] {
        dcodectl(["run", "x", "--report", wrong])
            .run()
            .exits(2)
            .err_has("expected junit=FILE, markdown=FILE or github");
    }
    dcodectl(["submit", "s", "x", "--detach", "--report", "github"])
        .run()
        .exits(2);
}

#[test]
fn github_gets_annotations_and_outputs() {
    let files = Files::new();
    let daemon = daemon("incomplete");
    fs::write(files.path("output"), "before=1\n").unwrap();
    for json in [false, true] {
        let output = if json { "--json" } else { "-q" };
        let ran = at(&daemon, ["run", "x", "--report", "github", output])
            .env("GITHUB_ACTIONS", "true")
            .env("GITHUB_OUTPUT", files.path("output"))
            .run()
            .exits(11);
        let (commands, rest): (Vec<&str>, Vec<&str>) =
            ran.stderr.lines().partition(|line| line.starts_with("::"));
        assert_eq!(commands.len(), 2, "{ran:#?}");
        assert!(commands[0].starts_with("::error title=dcode%3A incomplete::"));
        assert_eq!(commands[1], "::error title=criterion unmet::tests");
        if json {
            for line in rest {
                let _: Value = serde_json::from_str(line).unwrap();
            }
            ran.out_objects();
        }
    }
    // Asked for twice, it is told once.
    let rest = ["--report", "github", "--report=github"];
    let ran = at(&daemon, ["run", "x"].iter().chain(&rest))
        .run()
        .exits(11);
    assert_eq!(ran.stderr.matches("::error title=dcode").count(), 1);
    let ran = at(&daemon, ["run", "x"].iter().chain(&rest))
        .env("GITHUB_OUTPUT", files.path("twice"))
        .run()
        .exits(11);
    assert_eq!(ran.stderr.matches("::error title=dcode").count(), 1);
    assert_eq!(files.text("twice").matches("\nexit_code<<").count(), 1);
    let outputs = files.text("output");
    assert!(
        outputs.starts_with("before=1\nsession_id<<dcodectl_"),
        "{outputs}"
    );
    assert!(outputs.contains("\nincomplete\n") && outputs.contains("\n[\"tests\"]\n"));
}

#[test]
fn github_without_a_file_for_outputs_annotates_only() {
    run("done", &["--report", "github", "-o", "answer"])
        .exits(0)
        .out_has("all ten tests pass")
        .err("::notice title=dcode%3A done::criteria: 2 met\n");
}

#[test]
fn no_text_acts_as_a_workflow_command() {
    let daemon = playing(
        &[
            (
                "turn.started",
                r#"{"turn_id":"t1","text":"::error::prompt"}"#,
            ),
            ("message.delta", r#"{"turn_id":"t1","text":"::"}"#),
            (
                "message.delta",
                r#"{"turn_id":"t1","text":"set-env name=A::b\n  ::add-mask::c\n##"}"#,
            ),
            ("message.delta", r#"{"turn_id":"t1","text":"[error]d\n"}"#),
            (
                "session.error",
                "{\"code\":\"x\",\"message\":\"##[error]e\u{9b}2J\"}",
            ),
            ("turn.completed", r#"{"turn_id":"t1","reason":"error"}"#),
        ],
        |_| {},
    );
    let is_command = |line: &&str| line.trim_start().starts_with("::") || line.contains("##[");
    for json in [false, true] {
        let output = if json { "ndjson" } else { "human" };
        let ran = at(&daemon, ["run", "::error::x", "-vv", "-o", output])
            .env("GITHUB_ACTIONS", "true")
            .run()
            .exits(16);
        assert_eq!(ran.stderr.lines().find(is_command), None, "{ran:#?}");
        if json {
            ran.err_objects();
        } else {
            assert_eq!(ran.stdout.lines().find(is_command), None, "{ran:#?}");
        }
    }
    // Nor does a summary that ends a page, for a workflow or for a terminal.
    let ran = at(&daemon, ["run", "\u{9b}2J", "--summary", "-"])
        .env("GITHUB_ACTIONS", "true")
        .run()
        .exits(16);
    assert_eq!(ran.stdout.lines().find(is_command), None, "{ran:#?}");
    let summary: Value = serde_json::from_str(ran.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(summary["errors"][0]["message"], "##[error]e\u{9b}2J");
    assert!(!ran.stdout.contains('\u{9b}'), "{ran:#?}");
    // Elsewhere the text is as it is.
    let ran = at(&daemon, ["run", "x"]).run().exits(16);
    assert!(ran.stdout.contains("\n::set-env name=A::b\n"), "{ran:#?}");
}

#[test]
fn with_reports_a_command_goes_on_when_the_reader_left() {
    let files = Files::new();
    let daemon = daemon("long-answer");
    let report = files.report("junit", "x.xml");
    let mut child = spawn(at(&daemon, ["run", "x", &report]), Stdio::piped());
    drop(child.stdout.take());
    let status = support::wait_for(&mut child, support::HANG).unwrap();
    assert_eq!(status.code(), Some(0));
    assert!(
        files
            .text("x.xml")
            .contains("name=\"reason\" value=\"done\"")
    );
}

#[test]
fn a_report_on_a_full_disk_is_74_and_the_summary_says_so() {
    let files = Files::new();
    let summary = format!("--summary={}", files.path("summary").display());
    run("done", &["--report", "junit=/dev/full", &summary])
        .exits(74)
        .err_has("/dev/full cannot be written");
    let summary: Value = serde_json::from_str(&files.text("summary")).unwrap();
    assert_eq!(summary["exit_code"], 74);
    assert_eq!(summary["reason"], "done");
    let log = data_lines(&recording("done-tools")).join("\n");
    dcodectl(["render", "-", "--report", "markdown=/dev/full"])
        .stdin(log)
        .run()
        .exits(74)
        .err_has("/dev/full cannot be written");
}
