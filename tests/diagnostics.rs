//! `-v`, `-vv` and `DCODECTL_LOG`: what goes on between the program and the daemon.

#![allow(clippy::unwrap_used, clippy::pedantic)]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use support::{at, daemon, dcodectl};

const PROMPT: &str = "the secret prompt";

/// The messages of the diagnostics under `--json`, one a line of stderr.
fn diagnostics(ran: &support::Ran) -> Vec<String> {
    let objects = ran.err_objects();
    let notices = objects.iter().map(|object| &object["notice"]);
    notices
        .filter(|notice| notice["code"] == "diagnostic")
        .map(|notice| notice["message"].as_str().unwrap().to_owned())
        .collect()
}

/// Whether a line begins with the seconds since the start, such as `[0.012 s] `.
fn is_timed(line: &str) -> bool {
    let time = line
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(" s] "));
    time.is_some_and(|(seconds, _)| seconds.parse::<f64>().is_ok_and(|at| at < 60.0))
}

#[test]
fn every_request_is_a_line_with_its_time_and_no_prompt() {
    let daemon = daemon("done");
    let ran = at(&daemon, ["run", "-v", "--json", PROMPT]).run().exits(0);
    let lines = diagnostics(&ran);
    assert!(lines.iter().all(|line| is_timed(line)), "{lines:#?}");
    for part in [
        "named by DCODE_SOCKET",
        "POST /v1/sessions: 201 in ",
        "/events?from=",
        "/turns: 202 in ",
        "DELETE /v1/sessions/",
    ] {
        assert!(
            lines.iter().any(|line| line.contains(part)),
            "{part}: {lines:#?}"
        );
    }
    assert!(!ran.stderr.contains(PROMPT), "{ran:#?}");
    let requests = daemon.requests().len();
    let asked = |line: &&String| {
        ["GET ", "POST ", "DELETE "]
            .iter()
            .any(|how| line.contains(how))
    };
    assert_eq!(lines.iter().filter(asked).count(), requests, "{lines:#?}");
    let ran = at(&daemon, ["run", "-vv", "--json", PROMPT]).run().exits(0);
    assert!(
        diagnostics(&ran).iter().any(|line| line.contains(PROMPT)),
        "{ran:#?}"
    );
}

#[test]
fn the_variable_says_as_much_and_leaves_stdout_alone() {
    let daemon = daemon("done");
    let plain = at(&daemon, ["run", "-o", "answer", PROMPT])
        .run()
        .exits(0)
        .err("");
    for (value, told, prompt) in [
        ("1", true, false),
        ("2", true, true),
        ("0", false, false),
        ("", false, false),
    ] {
        let ran = at(&daemon, ["run", "-o", "answer", PROMPT])
            .env("DCODECTL_LOG", value)
            .run();
        let ran = ran.exits(0).out(&plain.stdout);
        assert_eq!(
            ran.stderr.contains("dcodectl: note: ["),
            told,
            "{value:?} {ran:#?}"
        );
        assert_eq!(ran.stderr.contains(PROMPT), prompt, "{value:?} {ran:#?}");
    }
    let quiet = at(&daemon, ["run", "-q", "-o", "answer", PROMPT]).env("DCODECTL_LOG", "2");
    quiet.run().exits(0).err("");
}

#[test]
fn a_lost_stream_and_a_failure_are_lines_too() {
    let lost = daemon("cut");
    let ran = at(&lost, ["run", "--json", "x"])
        .env("DCODECTL_LOG", "1")
        .run()
        .exits(0);
    let ran = ran.err_has("the stream stopped after seq");
    assert!(
        diagnostics(&ran)
            .iter()
            .filter(|line| line.contains("/events?from="))
            .count()
            > 1,
        "{ran:#?}"
    );
    let notices = ran
        .err_objects()
        .into_iter()
        .map(|mut object| object["notice"].take());
    let told: Vec<String> = notices
        .filter(|notice| notice["code"] == "reconnect")
        .map(|notice| notice["message"].as_str().unwrap().to_owned())
        .collect();
    assert!(
        !told.is_empty() && told.iter().all(|line| is_timed(line)),
        "{told:#?}"
    );
    let ran = dcodectl(["list", "-v"])
        .env("DCODE_SOCKET", "/nowhere/x.sock")
        .run();
    ran.exits(69).err_has("GET /v1/sessions: failed after ");
}

#[test]
fn ping_explains_which_socket_it_took() {
    let here = tempfile::tempdir().unwrap();
    let daemon = support::daemon_with("done", |options| {
        options.socket = Some(here.path().join("dcode.sock"));
    });
    fs::set_permissions(here.path(), fs::Permissions::from_mode(0o700)).unwrap();
    let ran = dcodectl(["ping", "-v"])
        .env("XDG_RUNTIME_DIR", here.path())
        .run()
        .exits(0);
    let ran = ran
        .err_has("passed over after 0.")
        .err_has(" ms: no such file\n");
    let ran = ran.err_has(&format!(
        "socket {} taken after ",
        daemon.socket().display()
    ));
    let ran = ran.err_has(" ms: a daemon answers\n");
    for line in ran.stderr.lines() {
        let line = line.strip_prefix("dcodectl: note: ").unwrap();
        assert!(is_timed(line), "{ran:#?}");
    }
    // Where nobody answers the error itself has the list.
    let ran = dcodectl(["ping"])
        .env("XDG_RUNTIME_DIR", "/nowhere")
        .run()
        .exits(69);
    ran.err_has("/nowhere/dcode.sock (no such file)");
}
