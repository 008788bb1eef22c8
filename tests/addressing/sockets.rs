//! Which socket, and what is said when nobody answers there.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::time::Duration;

use dcodectl::simulate::{Act, Fault, PathIs};

use crate::support::inside::inside;
use crate::support::{create, daemon, dcodectl};

#[test]
fn b45_dead_sockets_are_69_and_named() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    drop(UnixListener::bind(path("stale")).unwrap());
    fs::write(path("file"), "").unwrap();
    fs::create_dir(path("directory")).unwrap();
    for (name, why) in [
        ("missing", "no such file"),
        ("stale", "connection refused"),
        ("file", "it is a file, not a socket"),
        ("directory", "it is a directory, not a socket"),
        ("file/socket", "a part of the path is not a directory"),
    ] {
        let socket = path(name);
        for arguments in [vec!["list"], vec!["submit", "s", "x"], vec!["run", "x"]] {
            let ran = dcodectl(&arguments).env("DCODE_SOCKET", &socket).run();
            ran.exits(69)
                .out("")
                .err_has(&format!("no daemon answers at {}: {why}", socket.display()))
                .err_has("  hint: ")
                .err_has("daemon")
                .within(Duration::from_secs(3));
        }
    }
}

#[test]
fn b45_a_listener_that_resets_each_request_is_69_for_what_changes_nothing() {
    let daemon = daemon("done");
    let id = create(&daemon);
    daemon.add_fault(Fault::new("", PathIs::Any, Act::Reset));
    for command in [
        vec!["list"],
        vec!["show", &id],
        vec!["ping"],
        vec!["submit", &id, "x"],
    ] {
        inside(&daemon, command)
            .run()
            .exits(69)
            .out("")
            .err_has(&daemon.socket().display().to_string())
            .within(Duration::from_secs(3));
    }
}

#[test]
fn b45_another_users_socket_or_peer_is_77() {
    let daemon = daemon("done");
    let own = rustix::process::geteuid().as_raw();
    // The listener runs as us; so we are somebody else. Unless the listener is root, whom all may trust.
    if own != 0 {
        inside(&daemon, ["list"])
            .uid(own + 1)
            .run()
            .exits(77)
            .out("")
            .err_has(&format!(
                "served by uid {own}, not by uid {} or root",
                own + 1
            ));
    }
    inside(&daemon, ["list"])
        .uid(0)
        .run()
        .exits(0)
        .out_has("no live sessions")
        .err("");
}

#[test]
fn b45_a_socket_of_mode_000_is_77_but_for_root() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("s");
    let daemon = crate::support::daemon_with("done", |options| options.socket = Some(path.clone()));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    let ran = inside(&daemon, ["list"]).run();
    if rustix::process::geteuid().is_root() {
        ran.exits(0).err("");
    } else {
        ran.exits(77).out("").err_has("permission denied");
    }
}

#[test]
fn b46_an_over_long_path_is_a_usage_error() {
    let long = format!("/{}", "x".repeat(119));
    let limit = if cfg!(target_os = "macos") { 103 } else { 107 };
    let ran = dcodectl(["list"])
        .env("DCODE_SOCKET", &long)
        .run()
        .exits(2)
        .out("");
    ran.err_has("120 bytes")
        .err_has(&limit.to_string())
        .err_has("DCODE_SOCKET");
    let ran = dcodectl(["list", "--socket", &long]).run().exits(2).out("");
    ran.err_has("120 bytes").err_has("--socket");
}

#[test]
fn without_a_choice_every_default_path_is_named_with_its_reason() {
    let place = tempfile::tempdir().unwrap();
    let runtime = place.path().join("run");
    fs::create_dir(&runtime).unwrap();
    fs::set_permissions(&runtime, fs::Permissions::from_mode(0o700)).unwrap();
    let daemon = crate::support::daemon_with("done", |options| {
        options.socket = Some(runtime.join("dcode.sock"));
    });
    // Found by its default place; an empty DCODE_SOCKET counts as unset.
    let ran = dcodectl(["ping", "--json"])
        .env("XDG_RUNTIME_DIR", &runtime)
        .env("DCODE_SOCKET", "")
        .run()
        .exits(0)
        .err("");
    assert_eq!(
        ran.out_objects()[0]["socket"],
        daemon.socket().to_str().unwrap()
    );
    // A directory that others may write in is not trusted, and the note says why.
    fs::set_permissions(&runtime, fs::Permissions::from_mode(0o777)).unwrap();
    let ran = dcodectl(["ping"])
        .env("XDG_RUNTIME_DIR", &runtime)
        .run()
        .exits(77)
        .out("");
    ran.err_has("others may write in its directory")
        .err_has("no such file");
}

#[test]
fn a_daemon_that_never_answers_is_left_after_the_heads_bound() {
    let daemon = daemon("refuse");
    inside(&daemon, ["list"])
        .timeouts(|timeouts| timeouts.head = Duration::from_millis(200))
        .run()
        .exits(69)
        .out("")
        .err_has("no answer within 200ms");
    inside(&daemon, ["create"])
        .timeouts(|timeouts| timeouts.head = Duration::from_millis(200))
        .run()
        .exits(75)
        .out("")
        .err_has("its answer never came");
    let other = crate::support::daemon("not-http");
    inside(&other, ["list"])
        .run()
        .exits(76)
        .out("")
        .err_has("does not speak HTTP");
}
