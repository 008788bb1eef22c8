//! stdout is the result and stderr is everything else, in every format and whatever happens.

#![allow(clippy::unwrap_used)]

mod support;

use dcodectl::exit::Exit;
use dcodectl::simulate::Speed;
use support::{at, create, dcodectl, ends_with_the_turn, kinds};

/// The commands that can be run against any daemon with a session, under `--json`.
fn json_lines<'a>(id: &'a str, log: &'a str) -> Vec<(u8, Vec<&'a str>)> {
    let mut lines = vec![
        (0, vec!["run", "Fix it"]),
        (0, vec!["submit", id, "Fix it"]),
        (0, vec!["submit", "--detach", id, "Fix it"]),
        (0, vec!["wait", id]),
        (0, vec!["tail", "--no-follow", id]),
        (0, vec!["create"]),
        (0, vec!["list"]),
        (0, vec!["show", id]),
        (0, vec!["approvals", id]),
        (0, vec!["rename", id, "A name"]),
        (0, vec!["interrupt", id]),
        (0, vec!["undo", id]),
        (0, vec!["ping"]),
        (0, vec!["render", log]),
        (0, vec!["help", "exit-codes"]),
        (0, vec!["help", "environment"]),
        (0, vec!["simulate", "--list"]),
        (0, vec!["close", id]),
    ];
    lines.extend([
        (2, vec!["show", ""]),
        (2, vec!["run"]),
        (2, vec![]),
        (30, vec!["show", "no-such-session"]),
        (34, vec!["approve", id, "t1-0"]),
        (32, vec!["steer", id, "Stop"]),
    ]);
    // The session has to be there for the refusals.
    let close = lines
        .iter()
        .position(|(_, line)| line[..1] == ["close"])
        .unwrap();
    let close = lines.remove(close);
    lines.push(close);
    lines
}

#[test]
fn b24_no_environment_puts_an_escape_into_json() {
    let log = support::recording("done-tools");
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("log.ndjson");
    std::fs::write(&file, support::data_lines(&log).join("\n")).unwrap();
    let daemon = support::daemon("done");
    let id = create(&daemon);
    for (code, line) in json_lines(&id, file.to_str().unwrap()) {
        let ran = at(&daemon, line.iter().chain(&["--json", "-vv"]))
            .env("CLICOLOR_FORCE", "1")
            .env("FORCE_COLOR", "1")
            .run()
            .exits(i32::from(code));
        assert!(!ran.stdout.contains('\x1b'), "{line:?}: {ran:#?}");
        assert!(!ran.stderr.contains('\x1b'), "{line:?}: {ran:#?}");
        let (out, err) = (ran.out_objects(), ran.err_objects());
        assert!(code == 0 || out.is_empty(), "{line:?}: {ran:#?}");
        let errors = err.iter().filter(|one| one["error"].is_object()).count();
        assert_eq!(errors, usize::from(code != 0), "{line:?}: {ran:#?}");
        // The option counts in front of the command, too.
        let ran = at(&daemon, ["--json"].iter().chain(&line)).run();
        ran.out_objects();
        ran.err_objects();
    }
}

#[test]
fn b25_b26_whatever_happens_every_line_is_an_object() {
    let table = [
        // Reconnects, an approval that is refused, what this version does not know, warnings.
        ("cut", 0, "reconnect"),
        ("drop", 0, "reconnect"),
        ("approval", 0, "approval_denied"),
        ("unknown-event", 0, ""),
        ("late-error", 0, ""),
        ("weird-output", 0, ""),
        ("unverified", 10, "unverified"),
        ("error", 16, "error"),
        ("unknown-reason", 19, "unknown_reason"),
        ("garbage", 76, "protocol"),
        ("not-http", 76, "protocol"),
    ];
    for (scenario, code, named) in table {
        let daemon = support::daemon(scenario);
        for verbosity in [None, Some("-v"), Some("-vv")] {
            let arguments = ["run", "--json", "Fix it"].into_iter().chain(verbosity);
            let ran = at(&daemon, arguments).run();
            let ran = ran.exits(code);
            ran.out_objects();
            let err = ran.err_objects();
            let shown = |one: &serde_json::Value| {
                one["notice"]["code"] == named || one["error"]["code"] == named
            };
            let detail = named == "reconnect" && verbosity.is_none();
            assert!(
                named.is_empty() || detail || err.iter().any(shown),
                "{scenario} {verbosity:?}: {ran:#?}"
            );
        }
    }
}

#[test]
fn the_answer_is_all_that_an_answer_is() {
    for (scenario, code, answer) in [
        ("done", 0, None),
        (
            "incomplete",
            11,
            Some("I could not make tests/test_parser.py pass. \n"),
        ),
        (
            "unverified",
            10,
            Some("The test command is not installed here, so I could not verify the change. \n"),
        ),
        ("error", 16, Some("")),
        ("max-iterations", 12, Some("")),
        ("unknown-reason", 19, Some("")),
    ] {
        let daemon = support::daemon(scenario);
        for more in ["-v", "-vv", "-q"] {
            let ran = at(&daemon, ["run", "-o", "answer", more, "Fix it"])
                .run()
                .exits(code);
            match answer {
                Some(answer) => assert_eq!(ran.stdout, answer, "{scenario}: {ran:#?}"),
                None => assert_eq!(ran.stdout.matches('\n').count(), 1, "{ran:#?}"),
            }
            if ran.stdout.is_empty() && more != "-q" {
                ran.err_has("no answer is printed: the turn ended ");
            }
        }
    }
}

/// B21 as far as it needs no heartbeat: what is said on the way goes to stderr.
#[test]
fn b21_notices_on_the_way_stay_out_of_the_answer() {
    let daemon = support::daemon("approval");
    let ran = at(&daemon, ["run", "-o", "answer", "Clean up"])
        .run()
        .exits(0);
    let ran = ran.out("I was not allowed to remove build/, so it is still there. \n");
    ran.err_has("dcodectl: note: denied t1-0@");
    let daemon = support::daemon("cut");
    let ran = at(&daemon, ["run", "-o", "answer", "-v", "Fix it"])
        .run()
        .exits(0);
    assert_eq!(ran.stdout.lines().count(), 1, "{ran:#?}");
    ran.err_has("dcodectl: note: ");
}

#[test]
fn b27_a_turn_is_over_at_its_end_and_not_at_a_step() {
    for (scenario, code, rounds) in [("tools", 0, 8), ("incomplete", 11, 5)] {
        let daemon = support::daemon(scenario);
        let ran = at(&daemon, ["run", "--json", "Fix it"]).run().exits(code);
        assert!(ends_with_the_turn(&ran.stdout), "{ran:#?}");
        let kinds = kinds(&ran.stdout);
        assert_eq!(kinds.first().unwrap(), "turn.started");
        let count = |kind: &str| kinds.iter().filter(|one| *one == kind).count();
        assert_eq!(count("tool.requested"), count("tool.completed"));
        let rounds_seen = ran.stdout.matches("\"kind\":\"rounds\"").count();
        assert_eq!(rounds_seen, rounds, "{ran:#?}");
    }
    // Sent back twice: the last of its three texts alone.
    let daemon = support::daemon("incomplete");
    let ran = at(&daemon, ["run", "-o", "answer", "Fix it"])
        .run()
        .exits(11);
    ran.out("I could not make tests/test_parser.py pass. \n");
}

#[test]
fn b38_create_prints_the_id_and_nothing_else() {
    let daemon = support::daemon("done");
    let ran = at(&daemon, ["create", "--workspace", "."])
        .run()
        .exits(0)
        .err("");
    let id = ran.stdout.strip_suffix('\n').unwrap();
    assert!(
        !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric()),
        "{ran:#?}"
    );
    at(&daemon, ["show", id]).run().exits(0).err("").out_has(id);
    let ran = at(&daemon, ["create", "--json"]).run().exits(0).err("");
    let objects = ran.out_objects();
    assert_eq!(objects.len(), 1, "{ran:#?}");
    assert_eq!(objects[0]["state"], "idle");
}

#[test]
fn b42_a_prompt_that_begins_with_a_dash_stands_behind_two() {
    let daemon = support::daemon("done");
    let id = create(&daemon);
    for text in ["- fix x", "--help me", "-v", "--"] {
        let ran = at(&daemon, ["submit", "--json", &id, "--", text])
            .run()
            .exits(0);
        assert_eq!(ran.out_objects()[0]["payload"]["text"], text, "{ran:#?}");
    }
    for text in ["- fix x", "--help me", "-x"] {
        let ran = at(&daemon, ["submit", &id, text]).run().exits(2).out("");
        let hint = ran.stderr.lines().find(|line| line.contains("hint: "));
        let hint = hint.unwrap_or_else(|| panic!("no hint: {ran:#?}"));
        assert!(hint.contains(" -- "), "{ran:#?}");
        assert!(!hint.contains("--help"), "{ran:#?}");
    }
    assert_eq!(support::seen(&daemon, "POST", "/turns"), 4);
}

#[test]
fn help_exit_codes_is_the_one_table_in_both_formats() {
    let ran = dcodectl(["help", "exit-codes"]).run().exits(0).err("");
    for (line, exit) in ran.stdout.lines().zip(Exit::ALL) {
        let mut words = line.split_whitespace();
        assert_eq!(words.next().unwrap(), exit.number().to_string());
        assert_eq!(words.next().unwrap(), exit.name());
        assert!(line.ends_with(exit.sentence()), "{line}");
    }
    let ran = dcodectl(["--json", "help", "exit-codes"])
        .run()
        .exits(0)
        .err("");
    let objects = ran.out_objects();
    assert_eq!(objects.len(), Exit::ALL.len());
    assert!(objects.iter().zip(Exit::ALL).all(|(object, exit)| {
        object["code"] == exit.number() && object["name"] == exit.name()
    }));
}

#[test]
fn a_slow_turn_shows_what_there_is_while_it_runs() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    let daemon = support::daemon_with("slow", |options| options.speed = Speed::Times(1.0));
    let run = at(&daemon, ["run", "Fix it"]);
    let mut child = run.spawn(Stdio::null(), Stdio::piped(), Stdio::null());
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "❯ Fix it");
    assert!(child.try_wait().unwrap().is_none(), "it is over already");
    rustix::process::kill_process(
        rustix::process::Pid::from_child(&child),
        rustix::process::Signal::INT,
    )
    .unwrap();
    assert!(lines.count() > 1);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
