//! `create`, `list`, `show`, `close`, `rename`, `undo`, `ping`.

use std::time::Duration;

use dcodectl::simulate::{Act, Fault, PathIs};

use crate::support::inside::inside;
use crate::support::{at, create, daemon, daemon_with, dcodectl, seen, wire};

#[test]
fn list_and_show_repeat_the_daemons_json() {
    let daemon = daemon("done");
    at(&daemon, ["list", "--json"])
        .run()
        .exits(0)
        .out("")
        .err("");
    let id = create(&daemon);
    let body = format!(
        "{{ \"id\" : \"{id}\",\n\"state\":\"idle\",\"mode\":\"tomorrow\",\"big\":12345678901234567890,\"last_seq\":1.0e0}}"
    );
    let strange = body.replace("1.0e0", "1");
    daemon.add_fault(wire::on_session(&id, wire::json(200, &strange)));
    let path = PathIs::Exactly("/v1/sessions".into());
    daemon.add_fault(Fault::new(
        "GET",
        path,
        wire::json(200, &format!("[{strange},\n{strange}]")),
    ));
    let line = strange.replace('\n', " ");
    at(&daemon, ["show", &id, "--json"])
        .run()
        .exits(0)
        .err("")
        .out(&format!("{line}\n"));
    at(&daemon, ["list", "--json"])
        .run()
        .exits(0)
        .err("")
        .out(&format!("{line}\n{line}\n"));
}

#[test]
fn create_passes_its_options_on() {
    let daemon = daemon("done");
    let id = create(&daemon);
    at(&daemon, ["submit", &id, "x"]).run().exits(0);
    let arguments = [
        "create",
        "--model",
        "claude-x",
        "--sandbox",
        "read-only",
        "--resume",
        &id,
        "--json",
    ];
    let ran = at(&daemon, arguments).run().exits(0).err("");
    let session = &ran.out_objects()[0];
    assert_eq!(
        (&session["model"], &session["sandbox_mode"]),
        (&"claude-x".into(), &"read-only".into())
    );
    assert!(session["last_seq"].as_u64().unwrap() > 5);
    for (arguments, code) in [
        (["create", "--resume", "nope"], 30),
        (["create", "--workspace", "/does/not/exist"], 37),
        (["create", "--workspace", ""], 2),
        (["create", "--sandbox", "none"], 2),
    ] {
        let ran = at(&daemon, arguments).run().exits(code).out("");
        assert!(ran.stderr.starts_with("dcodectl: error: "), "{ran:#?}");
    }
    let full = daemon_with("done", |options| options.max_sessions = 1);
    create(&full);
    at(&full, ["create"])
        .run()
        .exits(38)
        .out("")
        .err_has("max_sessions_reached");
}

#[test]
fn close_tries_each_and_gives_the_first_failures_code() {
    let daemon = daemon("done");
    let (one, two) = (create(&daemon), create(&daemon));
    let ran = at(&daemon, ["close", &one, "nope", &two, "", "--json"])
        .run()
        .exits(30);
    assert_eq!(
        ran.stdout,
        format!("{{\"session_id\":\"{one}\"}}\n{{\"session_id\":\"{two}\"}}\n")
    );
    let codes: Vec<_> = ran
        .err_objects()
        .iter()
        .map(|object| object["error"]["exit_code"].clone())
        .collect();
    assert_eq!(codes, [30, 2]);
    at(&daemon, ["list"]).run().exits(0).err("");
    assert_eq!(at(&daemon, ["list", "--json"]).run().stdout, "");
    at(&daemon, ["close", &one])
        .run()
        .exits(30)
        .out("")
        .err_has("no session");
    at(&daemon, ["close"]).run().exits(2).out("");
}

#[test]
fn rename_names_live_and_recorded_conversations() {
    let daemon = daemon("done");
    let id = create(&daemon);
    at(&daemon, ["rename", &id, " A name\u{1} "])
        .run()
        .exits(0)
        .out("")
        .err("");
    let body = daemon.requests().pop().unwrap().body;
    assert_eq!(body, "{\"name\":\" A name\\u0001 \"}".as_bytes());
    at(&daemon, ["rename", &id, "new", "--json"])
        .run()
        .exits(0)
        .err("")
        .out(&format!("{{\"session_id\":\"{id}\",\"name\":\"new\"}}\n"));
    at(&daemon, ["rename", &id, "--clear", "--json"])
        .run()
        .exits(0)
        .err("")
        .out(&format!("{{\"session_id\":\"{id}\",\"name\":\"\"}}\n"));
    at(&daemon, ["rename", &id, "x", "--clear"])
        .run()
        .exits(2)
        .out("");
    at(&daemon, ["rename", &id, &"x".repeat(121)])
        .run()
        .exits(33)
        .out("")
        .err_has("at most 120 characters");
    at(&daemon, ["rename", &id, "--", "--clear"])
        .run()
        .exits(0)
        .out("")
        .err("");
    at(&daemon, ["close", &id]).run().exits(0);
    at(&daemon, ["rename", &id, "still there"])
        .run()
        .exits(0)
        .out("")
        .err("");
    at(&daemon, ["rename", "nope", "x"]).run().exits(30).out("");
}

#[test]
fn d01_undo_puts_back_or_says_that_there_is_nothing() {
    let daemon = daemon("undo-refused");
    let id = create(&daemon);
    at(&daemon, ["undo", &id])
        .run()
        .exits(0)
        .out("nothing to undo\n")
        .err("");
    at(&daemon, ["submit", &id, "x"]).run().exits(0);
    let ran = at(&daemon, ["undo", &id]).run().exits(21);
    ran.out_has("restored").out_has("refused").err_has("1 file");
    at(&daemon, ["submit", &id, "x"]).run().exits(0);
    let ran = at(&daemon, ["undo", &id, "--json"]).run().exits(21);
    let result = &ran.out_objects()[0];
    assert_eq!(result["refused"].as_array().unwrap().len(), 1);
    assert_eq!(result["restored"].as_array().unwrap().len(), 2);
    assert_eq!(ran.err_objects()[0]["error"]["code"], "undo_refused");
    at(&daemon, ["undo", &id, "--json"])
        .run()
        .exits(0)
        .out("{\"restored\":[],\"refused\":[]}\n")
        .err("");
}

#[test]
fn ping_says_who_answers() {
    let daemon = daemon("done");
    let ran = at(&daemon, ["ping"]).run().exits(0).err("");
    ran.out_has("dcode 0.5.1-simulated (protocol v1) at ");
    let ran = at(&daemon, ["ping", "--json"]).run().exits(0).err("");
    let pong = &ran.out_objects()[0];
    assert_eq!(
        (&pong["status"], &pong["protocol"]),
        (&"ok".into(), &"v1".into())
    );
    let version = wire::json(200, r#"{"protocol":"v2","version":"1.0.0"}"#);
    daemon.add_fault(Fault::new(
        "GET",
        PathIs::Exactly("/version".into()),
        version,
    ));
    let ran = at(&daemon, ["ping"]).run().exits(76).out("");
    ran.err_has("speaks protocol 'v2', not 'v1'")
        .err_has("  hint: ");
    // Only ping compares.
    at(&daemon, ["list"]).run().exits(0).err("");
    assert_eq!(seen(&daemon, "GET", "/version"), 3);
}

#[test]
fn ping_waits_until_a_daemon_answers_and_no_longer() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("late.sock");
    let running = dcodectl(["ping", "--wait", "30s"])
        .env("DCODE_SOCKET", &path)
        .start();
    let daemon = daemon_with("done", |options| options.socket = Some(path.clone()));
    running.wait().exits(0).err("").out_has("protocol v1");
    drop(daemon);
    let ran = dcodectl(["ping", "--wait", "1s"])
        .env("DCODE_SOCKET", &path)
        .run();
    let ran = ran.exits(69).out("").err_has("dcodectl: error: ");
    assert!(
        ran.took > Duration::from_millis(900) && ran.took < Duration::from_secs(6),
        "{ran:#?}"
    );
    // What waiting cannot mend is told at once.
    let other = crate::support::daemon("not-http");
    at(&other, ["ping", "--wait", "30s"])
        .run()
        .exits(76)
        .out("");
    let silent = crate::support::daemon("refuse");
    let ran = at(&silent, ["ping", "--wait", "1s"])
        .run()
        .exits(69)
        .out("");
    ran.err_has("no daemon answered within 1s");
    at(&silent, ["ping", "--wait", "5"])
        .run()
        .exits(2)
        .out("")
        .err_has("1h30m");
}

#[test]
fn a_daemon_that_fails_is_told_by_its_own_code() {
    let daemon = daemon("done");
    let code = |status, code| wire::refusal(status, code);
    for (status, name, exit) in [
        (500, "internal", 39),
        (418, "teapot", 39),
        (404, "session_not_found", 30),
    ] {
        let path = PathIs::Exactly("/v1/sessions".into());
        daemon.add_fault(Fault::new("GET", path, code(status, name)).only(1));
        let ran = inside(&daemon, ["list"]).run().exits(exit).out("");
        ran.err_has(&format!("the daemon refused: as told ({name})"));
    }
    daemon.add_fault(Fault::new("GET", PathIs::Any, Act::HeadOnly));
    let ran = inside(&daemon, ["list"])
        .timeouts(|timeouts| timeouts.head = Duration::from_millis(150))
        .run();
    ran.exits(69).out("").err_has("no daemon answers");
}

#[test]
fn a_workspace_keeps_the_symbolic_links_the_user_came_by() {
    let daemon = daemon("done");
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("real"), folder.path().join("link"));
    std::fs::create_dir(&real).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let workspace = |pwd: &std::path::Path| {
        let ran = at(&daemon, ["create", "--json"])
            .dir(&real)
            .env("PWD", pwd)
            .run();
        ran.exits(0).err("").out_objects()[0]["workspace"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(workspace(&link), link.to_str().unwrap());
    // A variable that leads elsewhere is not believed.
    assert_eq!(workspace(folder.path()), real.to_str().unwrap());
}

#[test]
fn an_unset_variable_resumes_nothing() {
    let daemon = daemon("done");
    for (option, hint) in [
        ("--resume", "--resume is empty"),
        ("--model", "--model is empty"),
    ] {
        at(&daemon, ["create", option, ""])
            .run()
            .exits(2)
            .out("")
            .err_has(hint);
    }
    assert_eq!(seen(&daemon, "POST", "/v1/sessions"), 0);
}

#[test]
fn a_refusal_keeps_the_daemons_own_word() {
    let daemon = daemon("done");
    let body = r#"{"code":"weird_code","message":"w"}"#;
    daemon.add_fault(Fault::new(
        "GET",
        PathIs::Exactly("/v1/sessions".into()),
        wire::json(418, body),
    ));
    let ran = at(&daemon, ["list", "--json"]).run().exits(39).out("");
    assert_eq!(ran.err_objects()[0]["error"]["code"], "weird_code");
    assert_eq!(ran.err_objects()[0]["error"]["exit_code"], 39);
}
