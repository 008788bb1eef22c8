//! Traps about requests and their answers.

use crate::support::{at, create, daemon, seen};

#[test]
fn trap_11_the_lists_of_an_undo_are_null_when_empty() {
    let daemon = daemon("done");
    let id = create(&daemon);
    at(&daemon, ["undo", &id])
        .run()
        .exits(0)
        .out("nothing to undo\n")
        .err("");
    at(&daemon, ["undo", &id, "--json"])
        .run()
        .exits(0)
        .out("{\"restored\":[],\"refused\":[]}\n")
        .err("");
}

#[test]
fn trap_13_from_0_is_an_error() {
    let daemon = daemon("done");
    let id = create(&daemon);
    at(&daemon, ["tail", &id, "--from", "0", "--no-follow"])
        .run()
        .exits(2)
        .out("")
        .err_has("0 is not in 1..");
    assert_eq!(seen(&daemon, "GET", "/events"), 0);
    at(
        &daemon,
        ["tail", &id, "--from", "1", "--no-follow", "--json"],
    )
    .run()
    .exits(0)
    .err("")
    .out_has(r#""seq":1,"#);
}

#[test]
fn trap_14_internal_also_answers_the_callers_mistakes() {
    let daemon = daemon("done");
    let ran = at(&daemon, ["create", "--model", "gpt-0"]).run().exits(39);
    // The daemon's own sentence is what tells.
    ran.out("").err_has("no family claims model");
    let ran = at(&daemon, ["create", "--model", "gpt-0", "--json"]).run();
    let error = &ran.exits(39).out("").err_objects()[0]["error"];
    assert_eq!(
        (&error["code"], &error["exit_code"]),
        (&"internal".into(), &39.into())
    );
}

#[test]
fn trap_17_an_absent_name_clears_it() {
    let daemon = daemon("done");
    let id = create(&daemon);
    for name in ["", "  ", "\u{1}", "\t\u{7f} "] {
        at(&daemon, ["rename", &id, name])
            .run()
            .exits(2)
            .out("")
            .err_has(&format!("dcodectl rename {id} --clear"));
    }
    at(&daemon, ["rename", &id]).run().exits(2).out("");
    assert_eq!(seen(&daemon, "POST", "/name"), 0);
    at(&daemon, ["rename", &id, "--clear"])
        .run()
        .exits(0)
        .out("")
        .err("");
    assert_eq!(seen(&daemon, "POST", "/name"), 1);
}

#[test]
fn trap_20_answers_above_2_kb_are_chunked() {
    let daemon = daemon("done");
    let ids: Vec<String> = (0..20).map(|_| create(&daemon)).collect();
    let ran = at(&daemon, ["list", "--json"]).run().exits(0).err("");
    let listed: Vec<String> = ran
        .out_objects()
        .iter()
        .map(|session| session["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(listed, ids);
}

#[test]
fn trap_21_dots_and_slashes_in_a_path_are_answered_with_a_redirect() {
    let daemon = daemon("done");
    for id in ["..", ".", "../x", "a//b", "/", "../../health"] {
        for command in [["show", id], ["undo", id], ["close", id]] {
            let ran = at(&daemon, command).run().exits(30).out("");
            assert!(ran.stderr.contains("no session"), "{ran:#?}");
        }
    }
    // None of them reached the daemon as a path of several parts.
    for request in daemon.requests() {
        let mut segments = request.path().split('/').skip(1);
        let clean = segments.all(|part| !part.is_empty() && part != "." && part != "..");
        assert!(clean, "{}", request.path());
    }
}
