//! SESSION: a full id, a unique prefix, or `@`.

use std::fs;
use std::os::unix::fs::symlink;

use dcodectl::simulate::{Act, Fault, PathIs};

use crate::support::{at, create, daemon, seen};

fn create_in(daemon: &dcodectl::simulate::Daemon, directory: &std::path::Path) -> String {
    let ran = at(daemon, ["create"]).dir(directory).run().exits(0).err("");
    ran.stdout.trim_end().to_owned()
}

#[test]
fn b38_create_prints_the_id_and_nothing_else() {
    let daemon = daemon("done");
    let ran = at(&daemon, ["create", "--workspace", "."])
        .run()
        .exits(0)
        .err("");
    let id = ran.stdout.strip_suffix('\n').unwrap();
    assert!(
        id.len() == 19 && id.chars().all(|c| c.is_ascii_hexdigit()),
        "{id}"
    );
    let ran = at(&daemon, ["create", "--json"]).run().exits(0).err("");
    let object = &ran.out_objects()[0];
    assert_eq!(object["workspace"], env!("CARGO_MANIFEST_DIR"));
    assert_eq!(ran.stdout.lines().count(), 1);
}

#[test]
fn a_full_id_and_a_unique_prefix_are_the_session() {
    let daemon = daemon("done");
    let id = create(&daemon);
    for typed in [id.as_str(), &id[..id.len() - 1], &id[..1]] {
        let ran = at(&daemon, ["show", typed, "--json"])
            .run()
            .exits(0)
            .err("");
        assert_eq!(ran.out_objects()[0]["id"], id.as_str());
        let ran = at(&daemon, ["interrupt", typed, "--json"])
            .run()
            .exits(0)
            .err("");
        ran.out(&format!("{{\"session_id\":\"{id}\"}}\n"));
    }
    // A whole id is the session even if it is the beginning of another one's.
    let longer = format!(r#"[{{"id":"{id}0"}},{{"id":"{id}1"}}]"#);
    daemon.add_fault(Fault::new(
        "GET",
        PathIs::Exactly("/v1/sessions".into()),
        crate::support::wire::json(200, &longer),
    ));
    at(&daemon, ["show", &id]).run().exits(0).err("");
}

#[test]
fn a_prefix_of_several_is_refused_with_their_names() {
    let daemon = daemon("done");
    let (one, two) = (create(&daemon), create(&daemon));
    let common: String = one
        .chars()
        .zip(two.chars())
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a)
        .collect();
    for command in [
        "show",
        "close",
        "undo",
        "wait",
        "tail",
        "interrupt",
        "approvals",
    ] {
        let ran = at(&daemon, [command, &common]).run().exits(2).out("");
        ran.err_has(&one)
            .err_has(&two)
            .err_has("hint: dcodectl list");
    }
    assert_eq!(
        seen(&daemon, "POST", "/interrupt") + seen(&daemon, "POST", "/undo"),
        0
    );
}

#[test]
fn at_is_the_one_session_of_this_directory() {
    let daemon = daemon("done");
    let place = tempfile::tempdir().unwrap();
    let (real, link) = (place.path().join("real"), place.path().join("link"));
    fs::create_dir_all(real.join("other")).unwrap();
    symlink(&real, &link).unwrap();
    at(&daemon, ["show", "@"])
        .dir(&real)
        .run()
        .exits(2)
        .out("")
        .err_has("no live session has the workspace")
        .err_has("  hint: dcodectl create\n");
    // Made through the link, found through the real name, and the other way round.
    let id = create_in(&daemon, &link);
    for directory in [&real, &link] {
        let ran = at(&daemon, ["show", "@", "--json"])
            .dir(directory)
            .run()
            .exits(0)
            .err("");
        assert_eq!(ran.out_objects()[0]["id"], id.as_str());
        at(&daemon, ["submit", "@", "-o", "answer", "x"])
            .dir(directory)
            .run()
            .exits(0)
            .out_has("all ten tests pass");
    }
    at(&daemon, ["show", "@"])
        .dir(real.join("other"))
        .run()
        .exits(2)
        .out("")
        .err_has(&id);
}

#[test]
fn the_workspace_keeps_its_symlinks() {
    let daemon = daemon("done");
    let place = tempfile::tempdir().unwrap();
    let (real, link) = (place.path().join("real"), place.path().join("link"));
    fs::create_dir(&real).unwrap();
    symlink(&real, &link).unwrap();
    let ran = at(&daemon, ["create", "--json", "--workspace", "link"])
        .dir(place.path())
        .run()
        .exits(0)
        .err("");
    let body = daemon.requests().pop().unwrap().body;
    let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
    let sent = body["workspace"].as_str().unwrap();
    assert!(sent.ends_with("/link"), "{sent}");
    assert_eq!(ran.out_objects()[0]["workspace"], sent);
}

#[test]
fn b39_several_sessions_here_are_never_guessed_between() {
    let daemon = daemon("done");
    let place = tempfile::tempdir().unwrap();
    let (one, two) = (
        create_in(&daemon, place.path()),
        create_in(&daemon, place.path()),
    );
    at(&daemon, ["submit", "@", "x"])
        .dir(place.path())
        .run()
        .exits(2)
        .out("")
        .err_has(&one)
        .err_has(&two)
        .err_has("hint: dcodectl list");
    assert_eq!(seen(&daemon, "POST", "/turns"), 0);
}

#[test]
fn an_empty_session_is_a_usage_error() {
    let daemon = daemon("done");
    create(&daemon);
    for arguments in [
        vec!["show", ""],
        vec!["submit", "", "x"],
        vec!["submit", "", "x", "--detach"],
        vec!["close", ""],
        vec!["tail", ""],
        vec!["wait", ""],
        vec!["steer", "", "x"],
        vec!["interrupt", ""],
        vec!["undo", ""],
        vec!["rename", "", "x"],
        vec!["approvals", ""],
        vec!["approve", "", "t1-0"],
        vec!["deny", "", "t1-0"],
    ] {
        let before = daemon.requests().len();
        let ran = at(&daemon, &arguments).run().exits(2).out("");
        ran.err_has("the session id is empty");
        assert_eq!(daemon.requests().len(), before, "{arguments:?}");
    }
}

#[test]
fn what_matches_none_is_sent_as_typed_and_encoded() {
    let daemon = daemon("done");
    create(&daemon);
    for (typed, sent) in [
        ("nope", "nope"),
        ("a/b", "a%2Fb"),
        ("../x", "..%2Fx"),
        ("..", "%2E%2E"),
        ("100%", "100%25"),
        ("a b", "a%20b"),
        ("?x=1#y", "%3Fx%3D1%23y"),
        ("ü\n", "%C3%BC%0A"),
    ] {
        let ran = at(&daemon, ["undo", typed]).run().exits(30).out("");
        ran.err_has("dcodectl: error: the daemon refused: no session");
        let request = daemon.requests().pop().unwrap();
        assert_eq!(request.target, format!("/v1/sessions/{sent}/undo"));
    }
    let ran = at(&daemon, ["approve", "nope", "../t1"]).run();
    ran.exits(30).out("");
    let request = daemon.requests().pop().unwrap();
    assert_eq!(request.target, "/v1/sessions/nope/approvals/..%2Ft1");
}

#[test]
fn d03_a_plain_404_is_not_an_unknown_session() {
    let daemon = daemon("done");
    let plain = Act::Answer {
        status: 404,
        content_type: "text/plain".into(),
        body: "404 page not found\n".into(),
    };
    daemon.add_fault(Fault::new("", PathIs::Prefix("/v1".into()), plain));
    for command in ["show", "undo", "wait", "close", "tail"] {
        let ran = at(&daemon, [command, "x"]).run().exits(76).out("");
        ran.err_has("404 text/plain");
    }
}
