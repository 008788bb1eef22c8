//! Sockets that are dead, stuck, closed to this user or somebody else's.

use std::fs;
use std::time::Instant;

use super::*;
use crate::error::Kind;

#[test]
fn dead_sockets_are_unreachable() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    drop(UnixListener::bind(at("stale")).unwrap());
    fs::write(at("file"), "").unwrap();
    fs::create_dir(at("directory")).unwrap();
    let cases = [
        ("missing", "no such file", "start the dcode daemon"),
        ("missing/s", "no such file", "start the dcode daemon"),
        ("file/s", "not a directory", "start the dcode daemon"),
        (
            "stale",
            "connection refused",
            "the socket file is a leftover; start the daemon",
        ),
        (
            "file",
            "it is a file, not a socket",
            "start the dcode daemon",
        ),
        (
            "directory",
            "it is a directory, not a socket",
            "start the dcode daemon",
        ),
    ];
    for (name, reason, hint) in cases {
        let client = Client::new(&at(name), own_uid(), PATIENT);
        let start = Instant::now();
        for error in [
            client.health().unwrap_err(),
            client.submit("x", &turn()).unwrap_err(),
        ] {
            assert_eq!(*error.kind(), Kind::Unreachable, "{error}");
            assert!(error.to_string().contains(reason), "{error}");
            assert!(
                error.to_string().contains(&at(name).display().to_string()),
                "{error}"
            );
            assert!(error.hint_text().unwrap().starts_with(hint), "{error:?}");
        }
        assert!(start.elapsed() < Duration::from_secs(5));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_queue_is_bounded() {
    use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, bind, listen, socket};
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s");
    let listener = socket(AddressFamily::UNIX, SocketType::STREAM, None).unwrap();
    bind(&listener, &SocketAddrUnix::new(&path).unwrap()).unwrap();
    listen(&listener, 0).unwrap();
    let _first = UnixStream::connect(&path).unwrap();
    let start = Instant::now();
    let bound = Timeouts {
        connect: SHORT,
        ..PATIENT
    };
    let error = Client::new(&path, own_uid(), bound)
        .interrupt("x")
        .unwrap_err();
    assert_eq!(*error.kind(), Kind::Unreachable, "{error}");
    assert!(
        error
            .to_string()
            .contains("no connection was accepted within 150ms"),
        "{error}"
    );
    assert!(start.elapsed() >= SHORT && start.elapsed() < Duration::from_secs(10));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_queue_is_waited_for() {
    use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, bind, listen, socket};
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s");
    let listener = socket(AddressFamily::UNIX, SocketType::STREAM, None).unwrap();
    bind(&listener, &SocketAddrUnix::new(&path).unwrap()).unwrap();
    listen(&listener, 0).unwrap();
    let _first = UnixStream::connect(&path).unwrap();
    let thread = thread::spawn(move || {
        thread::sleep(SHORT);
        let listener = UnixListener::from(listener);
        drop(listener.accept().unwrap());
        let mut stream = listener.accept().unwrap().0;
        request(&mut stream);
        stream
            .write_all(json("200 OK", r#"{"status":"ok"}"#).as_bytes())
            .unwrap();
    });
    Client::new(&path, own_uid(), PATIENT).health().unwrap();
    thread.join().unwrap();
}

/// The peer is this process; another own uid makes it somebody else's, unless it runs as root.
#[test]
fn a_peer_of_another_user_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s");
    let _listener = UnixListener::bind(&path).unwrap();
    let judge = |peer, own| connect::is_trusted_peer(peer, own);
    assert!(judge(1000, 1000) && judge(0, 1000) && judge(1000, 0));
    assert!(!judge(1001, 1000));
    let error = Client::new(
        &path,
        own_uid() + 1,
        Timeouts {
            head: SHORT,
            ..PATIENT
        },
    )
    .interrupt("x")
    .unwrap_err();
    // Root may serve anybody: as root this machine has no peer to refuse, so that the bound is met instead.
    if own_uid() == 0 {
        assert_eq!(*error.kind(), Kind::OutcomeUnknown, "{error}");
    } else {
        assert_eq!(*error.kind(), Kind::Permission, "{error}");
    }
}

/// Root may use any socket; anybody else is kept out by the mode.
#[test]
fn a_closed_mode_is_permission() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s");
    let _listener = UnixListener::bind(&path).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    let error = Client::new(
        &path,
        own_uid(),
        Timeouts {
            head: SHORT,
            ..PATIENT
        },
    )
    .health()
    .unwrap_err();
    if own_uid() == 0 {
        assert_eq!(*error.kind(), Kind::Unreachable, "{error}");
        assert!(error.to_string().contains("no answer within"), "{error}");
    } else {
        assert_eq!(*error.kind(), Kind::Permission, "{error}");
        assert!(error.to_string().ends_with("permission denied"), "{error}");
    }
}

#[test]
fn an_over_long_path_is_usage() {
    let path = PathBuf::from(format!("/tmp/{}", "x".repeat(120)));
    let error = Client::new(&path, own_uid(), PATIENT).health().unwrap_err();
    assert_eq!(*error.kind(), Kind::Usage, "{error}");
}
