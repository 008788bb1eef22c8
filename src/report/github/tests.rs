//! Annotations and outputs as the runner reads them.

use proptest::prelude::*;

use super::*;
use crate::protocol::{Completion, Seal};
use crate::report::testing::{Capture, recording};
use crate::report::{ConsoleOptions, GateVerdict, Palette};

fn console(json: bool) -> (SharedConsole, Capture) {
    let capture = Capture::default();
    let options = ConsoleOptions {
        json,
        quiet: true,
        status: false,
        shared: false,
        palette: Palette::plain(),
        width: Box::new(|| 80),
        workflow_safe: true,
    };
    let console = SharedConsole::new(Box::new(capture.clone()), options);
    (console, capture)
}

fn report(lines: &[String], verdict: Option<&Verdict>) -> (String, String) {
    let (err, annotations) = console(true);
    let output = Capture::default();
    let mut github = GitHub::new(err, Some(Box::new(output.clone())));
    for line in lines {
        github.event(&Event::parse(line).unwrap()).unwrap();
    }
    github.end(verdict).unwrap();
    (annotations.text(), output.text())
}

/// The outputs as the runner reads the file.
fn read_outputs(text: &str) -> Vec<(String, String)> {
    let mut outputs = Vec::new();
    let mut lines = text.split('\n');
    while let Some(line) = lines.next().filter(|line| !line.is_empty()) {
        let (name, delimiter) = line.split_once("<<").unwrap();
        let value: Vec<&str> = lines
            .by_ref()
            .take_while(|line| *line != delimiter)
            .collect();
        outputs.push((name.to_owned(), value.join("\n")));
    }
    assert_eq!(lines.next(), None);
    outputs
}

fn output(text: &str, name: &str) -> String {
    let outputs = read_outputs(text);
    let found = outputs.into_iter().find(|(known, _)| known == name);
    found.unwrap_or_else(|| panic!("no output {name}")).1
}

#[test]
fn what_was_measured_is_annotated_and_set() {
    let (annotations, outputs) = report(&recording("incomplete-touched-protected"), None);
    assert_eq!(
        annotations,
        "::error title=dcode%3A incomplete::criteria: 1 met, 1 unmet\n\
         ::error title=criterion unmet::lint\n\
         ::warning file=a.txt,title=protected path written by the session::a.txt\n\
         ::warning file=sub/x_test.txt,title=protected path written by the session::sub/x_test.txt\n"
    );
    assert_eq!(output(&outputs, "reason"), "incomplete");
    assert_eq!(output(&outputs, "unmet"), r#"["lint"]"#);
    assert_eq!(output(&outputs, "exit_code"), "");
    let protected = output(&outputs, "touched_protected");
    assert_eq!(protected, r#"["a.txt","sub/x_test.txt"]"#);
}

#[test]
fn the_level_follows_the_exit() {
    let table = [
        (0, "done", "done", false, "notice"),
        (10, "unverified", "unverified", false, "warning"),
        (0, "done", "incomplete", true, "warning"),
        (11, "incomplete", "incomplete", false, "error"),
        (17, "not_verified", "done", false, "error"),
        (124, "timeout", "interrupted", false, "error"),
    ];
    for (exit_code, exit_name, reason, accepted, level) in table {
        let verdict = Verdict {
            exit_code,
            exit_name: exit_name.into(),
            accepted,
            reason: Some(reason.into()),
            ..Verdict::default()
        };
        let (annotations, outputs) = report(&[], Some(&verdict));
        let start = format!("::{level} title=dcode%3A ");
        assert!(annotations.starts_with(&start), "{annotations}");
        assert_eq!(output(&outputs, "exit_code"), exit_code.to_string());
    }
}

#[test]
fn a_turn_never_seen_is_an_error_and_an_empty_log_nothing() {
    assert_eq!(report(&[], None), (String::new(), String::new()));
    let verdict = Verdict {
        exit_code: 69,
        exit_name: "unreachable".into(),
        ..Verdict::default()
    };
    let (annotations, _) = report(&[], Some(&verdict));
    let expected = "::error title=dcode%3A unreachable::the end of the turn was not seen\n";
    assert_eq!(annotations, expected);
}

#[test]
fn long_lists_are_cut() {
    let names: Vec<String> = (0..30).map(|number| format!("c{number}")).collect();
    let verdict = Verdict {
        reason: Some(StopReason::Incomplete),
        completion: Some(Completion {
            verification: None,
            met: Vec::new(),
            unmet: names,
            unavailable: Vec::new(),
            touched_protected: Vec::new(),
        }),
        exit_code: 11,
        exit_name: "incomplete".into(),
        ..Verdict::default()
    };
    let (annotations, _) = report(&[], Some(&verdict));
    assert_eq!(annotations.matches("::error ").count(), 10);
    assert!(annotations.ends_with("… and 21 more\n"));
}

/// Whether the runner reads a line as a command of ours, with properties of ours.
fn is_ours(line: &str) -> bool {
    let Some((command, rest)) = line[2..].split_once(' ') else {
        return false;
    };
    let properties = rest
        .split_once("::")
        .map_or("", |(properties, _)| properties);
    let known = |property: &str| {
        let name = property.split('=').next();
        name.is_some_and(|name| ["title", "file"].contains(&name))
    };
    ["error", "warning", "notice"].contains(&command)
        && properties.split(',').all(known)
        && !line.contains("##[")
        && !line.chars().any(char::is_control)
}

proptest! {
    #[test]
    fn no_text_becomes_a_command_or_an_output(text in "([:#\\[\\]%,<= \n\r]|[a-c]|\\PC){0,40}|(?s).{0,20}") {
        // An unknown reason leaves the lists aside: how it ended, the gate, the path.
        for (reason, lines) in [(text.as_str(), 3), ("incomplete", 5)] {
            let verdict = Verdict {
                session_id: Some(text.clone()),
                reason: Some(StopReason::from(reason)),
                exit_code: 18,
                exit_name: "protected_touched".into(),
                message: Some(text.clone()),
                model: Some(text.clone()),
                completion: Some(Completion {
                    verification: Some(Seal::from(text.as_str())),
                    met: vec![text.clone()],
                    unmet: vec![text.clone()],
                    unavailable: vec![text.clone()],
                    touched_protected: vec![text.clone()],
                }),
                gates: vec![GateVerdict { name: text.clone(), passed: false, message: Some(text.clone()) }],
                ..Verdict::default()
            };
            let (annotations, outputs) = report(&[], Some(&verdict));
            prop_assert_eq!(annotations.lines().count(), lines);
            for line in annotations.lines() {
                prop_assert!(is_ours(line), "{}", line);
            }
            prop_assert_eq!(read_outputs(&outputs).len(), 27);
            let shown = crate::report::visible(&text).into_owned();
            prop_assert_eq!(output(&outputs, "model"), shown);
            // Lists are JSON, and read back as they were, with nothing in them that hides.
            let list = |name: &str| -> Vec<String> {
                let value = output(&outputs, name);
                assert_eq!(crate::report::visible(&value), value);
                serde_json::from_str(&value).unwrap()
            };
            let all = vec![text.clone()];
            prop_assert_eq!(list("touched_protected"), all.clone());
            prop_assert_eq!(list("failed_gates"), all.clone());
            prop_assert_eq!(list("unmet"), if lines == 5 { all } else { Vec::new() });
        }
    }
}
