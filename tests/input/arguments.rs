//! Arguments: durations, outputs, and how wrong ones are told.

use crate::support::{at, create, daemon, dcodectl};

#[test]
fn durations_are_whole_hours_minutes_and_seconds() {
    let daemon = daemon("done");
    for duration in ["90s", "10m", "1h30m", "2h", "1h1m1s", "1m30s"] {
        at(&daemon, ["run", "-o", "answer", "--timeout", duration, "x"])
            .run()
            .exits(0)
            .err("");
    }
    for duration in [
        "",
        "5",
        "0",
        "0s",
        "0h0m",
        "-5s",
        "1.5s",
        "1 m",
        " 1m",
        "1d",
        "5ms",
        "s",
        "m5",
        "1m1h",
        "1s1s",
        "5S",
        "1e3s",
        "99999999999999999999s",
        "１s",
    ] {
        for arguments in [
            vec![
                "run".to_owned(),
                format!("--timeout={duration}"),
                "x".into(),
            ],
            vec!["list".to_owned(), format!("--connect-timeout={duration}")],
            vec!["ping".to_owned(), format!("--wait={duration}")],
            vec![
                "simulate".to_owned(),
                format!("--approval-timeout={duration}"),
                "--list".into(),
            ],
        ] {
            let ran = at(&daemon, &arguments).run().exits(2).out("");
            ran.err_has("90s").err_has("10m").err_has("1h30m");
        }
    }
}

#[test]
fn wrong_arguments_are_one_object_under_json() {
    for arguments in [
        vec!["--json"],
        vec!["--json", "nonsense"],
        vec!["nonsense", "--json"],
        vec!["submit", "--json"],
        vec!["submit", "s", "-ondjson"],
        vec!["-o", "ndjson", "submit", "s", "x", "y"],
        vec!["--output=ndjson", "show"],
        vec!["-qo", "ndjson", "show"],
        vec!["show", "--output", "ndjson"],
        vec!["run", "--timeout", "5", "x", "--json"],
        vec!["run", "-fix", "--json"],
        vec!["help", "nonsense", "--json"],
        vec!["--json", "-o", "human", "list"],
        vec!["--json", "approve", "s", "a", "perhaps"],
        vec!["--json", "simulate", "nonsense"],
    ] {
        let ran = dcodectl(&arguments).run().exits(2).out("");
        let objects = ran.err_objects();
        assert_eq!(objects.len(), 1, "{arguments:?} {ran:#?}");
        let error = &objects[0]["error"];
        assert_eq!(
            (&error["code"], &error["exit_code"]),
            (&"usage".into(), &2.into())
        );
        assert!(!error["message"].as_str().unwrap().is_empty());
    }
    // Behind the two dashes it is a text.
    let ran = dcodectl(["submit", "--", "--json"]).run().exits(2).out("");
    assert!(ran.stderr.starts_with("dcodectl: error: "), "{ran:#?}");
}

#[test]
fn json_beside_another_output_is_refused_wherever_they_stand() {
    let daemon = daemon("done");
    let id = create(&daemon);
    let before = daemon.requests().len();
    for output in ["human", "answer"] {
        for arguments in [
            vec!["--json", "-o", output, "wait", &id],
            vec!["--json", "wait", &id, "-o", output],
            vec!["-o", output, "wait", &id, "--json"],
            vec!["wait", &id, "--json", "-o", output],
        ] {
            let ran = at(&daemon, &arguments).run().exits(2).out("");
            let message = ran.err_objects()[0]["error"]["message"].clone();
            assert_eq!(message, "--json is --output ndjson: give one of them");
        }
    }
    assert_eq!(daemon.requests().len(), before);
    at(&daemon, ["--json", "list", "-o", "ndjson"])
        .run()
        .exits(0)
        .err("");
}

#[test]
fn the_answer_alone_is_for_what_has_one() {
    let daemon = daemon("done");
    let id = create(&daemon);
    let before = daemon.requests().len();
    for arguments in [
        vec!["list"],
        vec!["show", &id],
        vec!["create"],
        vec!["tail", &id],
        vec!["undo", &id],
        vec!["approvals", &id],
        vec!["ping"],
        vec!["close", &id],
        vec!["help"],
        vec!["simulate", "--list"],
        vec!["steer", &id, "x"],
        vec!["rename", &id, "x"],
    ] {
        let mut arguments = arguments;
        arguments.extend(["-o", "answer"]);
        at(&daemon, &arguments)
            .run()
            .exits(2)
            .out("")
            .err_has("--output answer is for run, submit, wait and render");
    }
    assert_eq!(daemon.requests().len(), before);
    at(
        &daemon,
        ["submit", &id, "x", "-o", "answer", "--summary", "-"],
    )
    .run()
    .exits(2)
    .out("")
    .err_has("both want stdout");
}

#[test]
fn a_detached_submit_takes_none_of_the_gates_options() {
    let daemon = daemon("done");
    let id = create(&daemon);
    for option in [
        vec!["--accept", "unverified"],
        vec!["--timeout", "5s"],
        vec!["--events", "e"],
        vec!["--summary", "s"],
        vec!["--on-approval", "deny"],
    ] {
        let mut arguments = vec!["submit", &id, "x", "--detach"];
        arguments.extend(option);
        let ran = at(&daemon, &arguments).run().exits(2).out("");
        ran.err_has("--detach");
    }
    let ran = at(&daemon, ["submit", &id, "x", "--detach", "--json"])
        .run()
        .exits(0)
        .err("");
    ran.out(&format!("{{\"session_id\":\"{id}\",\"from\":2}}\n"));
}

#[test]
fn alone_it_shows_its_short_help_on_stderr() {
    let ran = dcodectl::<_, &str>([]).run().exits(2).out("");
    ran.err_has("Usage: dcodectl")
        .err_has("submit")
        .err_has("simulate");
    let ran = dcodectl(["-q"]).run().exits(2).out("");
    ran.err_has("Usage: dcodectl");
}

#[test]
fn a_duration_that_cannot_be_one_names_the_forms() {
    for value in ["-5s", "5124095576030430h", "0s", "5", "1.5s"] {
        for option in ["--timeout", "--idle-timeout", "--heartbeat", "--wait-idle"] {
            crate::support::dcodectl(["submit", "s", "x", option, value])
                .run()
                .exits(2)
                .out("")
                .err_has("90s, 10m or 1h30m")
                .err_has("dcodectl submit --help");
        }
    }
}

#[test]
fn no_two_outputs_share_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("same");
    let file = file.to_str().unwrap();
    for other in [["--summary", file], ["--report", &format!("junit={file}")]] {
        crate::support::dcodectl(["run", "x", "--events", file, other[0], other[1]])
            .run()
            .exits(2)
            .out("")
            .err_has("two outputs");
    }
    crate::support::dcodectl(["run", "x", "--events", "-"])
        .run()
        .exits(2)
        .out("")
        .err_has("--events takes a file");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn no_spelling_hides_that_two_outputs_share_a_file() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::create_dir(path("real")).unwrap();
    symlink("real", path("link")).unwrap();
    symlink("nothing-yet", path("dangling")).unwrap();
    std::fs::write(path("one"), "kept").unwrap();
    std::fs::hard_link(path("one"), path("other")).unwrap();
    let pairs = [
        ("new", "./new"),
        ("new", "real/../new"),
        ("real/new", "link/new"),
        ("nothing-yet", "dangling"),
        ("one", "other"),
    ];
    for (one, other) in pairs {
        for (one, other) in [(one, other), (other, one)] {
            let report = format!("markdown={}", path(other));
            crate::support::dcodectl(["run", "x", "--events", &path(one), "--report", &report])
                .run()
                .exits(2)
                .out("")
                .err_has("two outputs");
        }
    }
    let report = format!("markdown={}", path("new"));
    crate::support::dcodectl(["run", "x", "--report", "github", "--report", &report])
        .env("GITHUB_OUTPUT", path("./new"))
        .run()
        .exits(2)
        .err_has("two outputs");
    assert_eq!(std::fs::read_to_string(path("one")).unwrap(), "kept");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 5);
    // A device takes what several write to it, and files that only look alike are two.
    let report = format!("junit={}", path("real/new"));
    let rest = ["--summary=/dev/null", "--events=/dev/null", "--report"];
    crate::support::dcodectl(["run", "x"].iter().chain(&rest).chain(&[report.as_str()]))
        .env("DCODE_SOCKET", path("no-daemon"))
        .run()
        .exits(69);
}

#[test]
fn what_is_read_is_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("input");
    let input = input.to_str().unwrap();
    let twin = folder.path().join("./twin");
    let twin = twin.to_str().unwrap();
    let text = "{\"seq\":1,\"type\":\"x\"}\n";
    std::fs::write(input, text).unwrap();
    std::fs::hard_link(input, twin).unwrap();
    let (junit, markdown) = (format!("junit={twin}"), format!("markdown={input}"));
    let lines: [(&[&str], bool); 7] = [
        (&["run", "--file", input, "--events", twin], false),
        (&["submit", "s", "--file", input, "--summary", input], false),
        (&["run", "x", "--image", input, "--report", &junit], false),
        (&["run", "-", "--report", &markdown], true),
        (&["render", input, "--report", &junit], false),
        (&["render", input, "--report", &markdown], false),
        (&["render", "-", "--report", &junit], true),
    ];
    for (line, from_stdin) in lines {
        let stdin = if from_stdin { input } else { "/dev/null" };
        let said = ended(line, stdin, 2);
        assert!(said.contains("is to be read and to be written"), "{said}");
        assert_eq!(std::fs::read_to_string(input).unwrap(), text, "{line:?}");
    }
    // A stdin that is not read may be any file.
    let socket = folder.path().join("no-daemon");
    let socket = socket.to_str().unwrap();
    ended(
        &["run", "x", "--report", &junit, "--socket", socket],
        input,
        69,
    );
}

/// What a command line says on stderr that ends with this code; stdin comes from a file.
fn ended(line: &[&str], stdin: &str, code: i32) -> String {
    use std::process::Stdio;
    let run = crate::support::dcodectl(line);
    let stdin = std::fs::File::open(stdin).unwrap();
    let child = run.spawn(stdin, Stdio::piped(), Stdio::piped());
    crate::support::process::ends(child, code)
}

#[test]
fn json_may_be_asked_for_twice() {
    crate::support::dcodectl(["--json", "help", "environment", "--json"])
        .run()
        .exits(0)
        .err("")
        .out_objects();
}
