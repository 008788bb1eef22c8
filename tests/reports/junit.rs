//! What an independent reader finds in a report for test runners.

use super::*;

fn results() -> Vec<Row> {
    let met = |name| case("criteria", name, None);
    let skipped = case("criteria", "criteria", Some(("Skipped", "none_declared")));
    vec![
        ("done", vec![], 0, vec![met("lint"), met("tests")]),
        (
            "protected-touched",
            vec![],
            0,
            vec![met("lint"), met("tests")],
        ),
        (
            "protected-touched",
            vec!["--forbid-protected"],
            18,
            vec![
                met("lint"),
                met("tests"),
                case("gate", "forbid-protected", Some(("Failure", "gate"))),
            ],
        ),
        ("tools", vec![], 0, vec![met("tests")]),
        (
            "unverified",
            vec![],
            10,
            vec![
                met("lint"),
                case("criteria", "tests", Some(("Skipped", "unavailable"))),
            ],
        ),
        (
            "incomplete",
            vec![],
            11,
            vec![
                met("lint"),
                case("criteria", "tests", Some(("Failure", "unmet"))),
            ],
        ),
        ("weird-output", vec![], 0, vec![skipped.clone()]),
        (
            "approval",
            vec!["--on-approval=allow"],
            0,
            vec![skipped.clone()],
        ),
        (
            "unchecked",
            vec!["--require-verified"],
            17,
            vec![
                skipped,
                case("gate", "require-verified", Some(("Failure", "gate"))),
            ],
        ),
    ]
}

/// Turns that end otherwise.
fn no_results() -> Vec<Row> {
    let error = |name| vec![case("turn", name, Some(("Error", name)))];
    vec![
        ("error", vec![], 16, error("error")),
        ("error-silent", vec![], 16, error("error")),
        ("max-iterations", vec![], 12, error("max_iterations")),
        (
            "max-iterations",
            vec!["--accept=max_iterations"],
            0,
            vec![case("turn", "max_iterations", Some(("Error", "done")))],
        ),
        ("repeat-loop", vec![], 13, error("repeat_loop")),
        ("max-tokens", vec![], 14, error("max_tokens")),
        (
            "approval",
            vec!["--on-approval=fail"],
            20,
            vec![case(
                "turn",
                "interrupted",
                Some(("Error", "approval_needed")),
            )],
        ),
    ]
}

#[test]
fn a_junit_reader_finds_a_case_a_criterion() {
    let table: Vec<Row> = results().into_iter().chain(no_results()).collect();
    let files = Files::new();
    let mut expected = Vec::new();
    for (number, (scenario, options, code, cases)) in table.iter().enumerate() {
        let name = format!("{number}.xml");
        let report = files.report("junit", &name);
        let mut arguments = options.clone();
        arguments.push(&report);
        let ran = run(scenario, &arguments).exits(*code);
        expected.push((scenario, ran, cases, files.path(&name)));
    }
    let paths: Vec<&Path> = expected.iter().map(|(.., path)| path.as_path()).collect();
    let Some(read) = read(&paths) else { return };
    for ((scenario, ran, expected, _), file) in expected.iter().zip(&read) {
        let suites = file["suites"].as_array().unwrap();
        assert_eq!(suites.len(), 1, "{scenario}");
        let suite = &suites[0];
        assert_eq!(&cases(suite), *expected, "{scenario}: {ran:#?}");
        assert_eq!(suite["counts"], counts(expected), "{scenario}");
        assert_eq!(file["counts"], suite["counts"], "{scenario}");
        assert_eq!(property(suite, "exit_code"), [ran.code().to_string()]);
        assert_eq!(property(suite, "prompt_sha256")[0].len(), 64);
        let protected = usize::from(**scenario == "protected-touched");
        assert_eq!(property(suite, "touched_protected").len(), protected);
    }
    let reasons: Vec<String> = read
        .iter()
        .map(|file| property(&file["suites"][0], "reason").concat())
        .collect();
    assert_eq!(reasons[3..6], ["done", "unverified", "incomplete"]);
    let accepted = property(&read[12]["suites"][0], "accepted");
    assert_eq!(accepted, ["true"]);
    let gate = property(&read[2]["suites"][0], "gate.forbid-protected");
    assert_eq!(gate, ["failed"]);
}

/// The cases that the end of a turn must have, by a rule of its own.
fn expected_cases(end: Option<&TurnCompleted>) -> Vec<Value> {
    let Some(end) = end else {
        return vec![case("turn", "unfinished", Some(("Error", "unfinished")))];
    };
    let reason = end.reason.clone().unwrap();
    match reason {
        StopReason::Done | StopReason::Unverified | StopReason::Incomplete => {}
        other => {
            return vec![case(
                "turn",
                other.as_str(),
                Some(("Error", other.as_str())),
            )];
        }
    }
    let Some(done) = &end.completion else {
        assert_eq!(reason, StopReason::Done);
        return vec![case(
            "criteria",
            "criteria",
            Some(("Skipped", "none_declared")),
        )];
    };
    let of = |names: &[String], outcome| {
        names
            .iter()
            .map(|name| case("criteria", name, outcome))
            .collect::<Vec<_>>()
    };
    let mut cases = of(&done.met, None);
    cases.extend(of(&done.unmet, Some(("Failure", "unmet"))));
    cases.extend(of(&done.unavailable, Some(("Skipped", "unavailable"))));
    if reason == StopReason::Incomplete && done.unmet.is_empty() {
        cases.push(case("turn", "incomplete", Some(("Failure", "incomplete"))));
    }
    cases
}

/// How each turn of a log ended.
fn ends(lines: &[String]) -> Vec<Option<TurnCompleted>> {
    let mut ends: Vec<Option<TurnCompleted>> = Vec::new();
    for line in lines {
        match Event::parse(line).unwrap().payload() {
            Payload::TurnStarted(_) => ends.push(None),
            Payload::TurnCompleted(end) => match ends.last_mut() {
                Some(last) => *last = Some(end.clone()),
                None => ends.push(Some(end.clone())),
            },
            _ => {}
        }
    }
    ends
}

#[test]
fn render_reports_every_turn_of_every_recording() {
    let files = Files::new();
    let folder = recording("done-tools");
    let mut expected = Vec::new();
    for entry in fs::read_dir(folder.parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        let lines = data_lines(&path);
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let junit = files.report("junit", &name);
        let markdown = files.report("markdown", "all.md");
        dcodectl(["render", "-", &junit, &markdown, "-q"])
            .stdin(lines.join("\n"))
            .run()
            .exits(0)
            .err("");
        expected.push((files.path(&name), ends(&lines)));
    }
    let turns: usize = expected.iter().map(|(_, ends)| ends.len()).sum();
    assert!(turns > 90, "{turns}");
    // Appended: every turn of every recording is in the one file.
    assert_eq!(files.text("all.md").matches("\n## ").count(), turns);
    let paths: Vec<&Path> = expected.iter().map(|(path, _)| path.as_path()).collect();
    let Some(read) = read(&paths) else { return };
    for ((path, ends), file) in expected.iter().zip(&read) {
        let suites = file["suites"].as_array().unwrap();
        let found: Vec<Vec<Value>> = suites.iter().map(cases).collect();
        let ends: Vec<Vec<Value>> = ends
            .iter()
            .map(|end| expected_cases(end.as_ref()))
            .collect();
        assert_eq!(found, ends, "{}", path.display());
        for suite in suites {
            assert_eq!(suite["counts"], counts(&cases(suite)));
            assert_eq!(property(suite, "exit_code"), [""; 0]);
        }
    }
}

#[test]
fn submit_and_wait_report_as_run_does() {
    let files = Files::new();
    let daemon = daemon("incomplete");
    let id = support::create(&daemon);
    let mut texts = Vec::new();
    for command in [["submit", &id, "x"].to_vec(), ["wait", &id].to_vec()] {
        let (junit, markdown) = (
            files.report("junit", "x.xml"),
            files.report("markdown", "x.md"),
        );
        let reports = ["-q", &junit, &markdown];
        at(&daemon, command.iter().chain(&reports)).run().exits(11);
        texts.push(files.text("x.xml"));
    }
    assert_eq!(texts[0], texts[1]);
    let markdown = files.text("x.md");
    assert_eq!(
        markdown.matches("\n## ◆ incomplete\n").count(),
        2,
        "{markdown}"
    );
    assert_eq!(
        markdown.matches("| `tests` | ✗ unmet |").count(),
        2,
        "{markdown}"
    );
}

#[test]
fn what_xml_forbids_is_dropped_and_the_rest_is_read_back() {
    let hostile = "a\0\u{8}\u{1b}[1m<b> & \"c\" 'd' ]]>\n\t\u{fffe}\u{9b}\u{202e}é🚀";
    let kept = "a[1m<b> & \"c\" 'd' ]]>\n\t\u{9b}\u{202e}é🚀";
    let quoted = json!(hostile).to_string();
    let end = format!(
        r#"{{"turn_id":"t1","reason":"incomplete","completion":{{"verification":"failed","met":[{quoted}],"unmet":[{quoted}],"touched_protected":[{quoted}]}}}}"#
    );
    let error = format!(r#"{{"code":"auth","message":{quoted}}}"#);
    let daemon = playing(
        &[
            ("turn.started", r#"{"turn_id":"t1","text":"x"}"#),
            ("session.error", &error),
            ("turn.completed", &end),
        ],
        |_| {},
    );
    let files = Files::new();
    let report = files.report("junit", "x.xml");
    at(&daemon, ["run", "x", &report]).run().exits(11);
    let Some(read) = read(&[&files.path("x.xml")]) else {
        return;
    };
    let suite = &read[0]["suites"][0];
    let expected = [
        case("criteria", kept, None),
        case("criteria", kept, Some(("Failure", "unmet"))),
    ];
    assert_eq!(cases(suite), expected);
    assert_eq!(property(suite, "touched_protected"), [kept]);
    assert_eq!(property(suite, "session_error"), [format!("auth: {kept}")]);
}
