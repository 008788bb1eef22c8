//! How the simulated daemon comes and goes, and what it leaves behind: nothing.

#![allow(clippy::unwrap_used)]

#[path = "support/raw.rs"]
mod raw;

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use dcodectl::simulate::{Daemon, Options, PathIs, Source, Speed, scenario};
use raw::{End, Raw, create, exchange, submit};

fn daemon(name: &str) -> Daemon {
    Daemon::start(Options {
        source: Source::Scenario(scenario(name).unwrap()),
        speed: Speed::Instant,
        ..Options::default()
    })
    .unwrap()
}

fn any_workspace() -> &'static Path {
    Path::new("/tmp")
}

#[test]
fn numbers_may_start_beyond_what_a_float_can_hold() {
    let daemon = Daemon::start(Options {
        first_number: 9_007_199_254_740_993,
        speed: Speed::Instant,
        ..Options::default()
    })
    .unwrap();
    let id = create(daemon.socket(), any_workspace());
    let mut stream = Raw::open_stream(daemon.socket(), &id, "?from=9007199254740993");
    let first = stream.event().unwrap();
    assert!(first.starts_with("{\"seq\":9007199254740993,"), "{first}");
}

#[test]
fn a_slow_head_is_refused_at_its_deadline() {
    let daemon = Daemon::start(Options {
        header_deadline: Duration::from_millis(200),
        ..Options::default()
    })
    .unwrap();
    assert!(Raw::connect(daemon.socket()).is_closed());
    let mut partial = Raw::connect(daemon.socket());
    partial.send(b"GET /health HTTP/1.1\r\nHost:");
    assert!(partial.rest().starts_with(b"HTTP/1.1 400 Bad Request\r\n"));
    // An idle connection that has served a request may stay.
    let mut idle = Raw::connect(daemon.socket());
    assert_eq!(idle.request("GET", "/health", "").status(), 200);
    std::thread::sleep(Duration::from_millis(400));
    assert_eq!(idle.request("GET", "/health", "").status(), 200);
}

#[test]
fn nothing_is_left_behind() {
    let daemon = daemon("slow");
    let socket = daemon.socket().to_owned();
    let directory = socket.parent().unwrap().to_owned();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&socket), mode(&directory)), (0o700, 0o700));
    let id = create(&socket, any_workspace());
    let mut stream = Raw::open_stream(&socket, &id, "");
    let _idle = Raw::connect(&socket);
    let start = Instant::now();
    drop(daemon);
    // Not the two seconds after which threads would be given up.
    assert!(start.elapsed() < Duration::from_millis(1900));
    assert!(!directory.exists());
    while let Ok(event) = stream.event() {
        assert!(!event.contains("turn.completed"));
    }
}

#[test]
fn a_path_that_exists_is_refused_and_not_touched() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s");
    fs::write(&path, "mine").unwrap();
    let start = |path: &Path| {
        Daemon::start(Options {
            socket: Some(path.to_owned()),
            ..Options::default()
        })
    };
    assert_eq!(start(&path).err().unwrap().kind(), ErrorKind::AlreadyExists);
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    let free = directory.path().join("free");
    let daemon = start(&free).unwrap();
    assert_eq!(start(&free).err().unwrap().kind(), ErrorKind::AlreadyExists);
    drop(daemon);
    assert!(!free.exists());
    // Somebody else's file at the same path is left alone.
    let daemon = start(&free).unwrap();
    fs::remove_file(&free).unwrap();
    fs::write(&free, "theirs").unwrap();
    drop(daemon);
    assert_eq!(fs::read_to_string(&free).unwrap(), "theirs");
}

#[test]
fn a_stopped_daemon_removes_its_socket_and_a_killed_one_leaves_it() {
    let stopped = daemon("done");
    stopped.stop();
    let error = UnixStream::connect(stopped.socket()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let killed = daemon("done");
    killed.kill();
    let error = UnixStream::connect(killed.socket()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
    let directory = killed.socket().parent().unwrap().to_owned();
    drop(killed);
    assert!(!directory.exists());
}

#[test]
fn forgotten_sessions_can_be_resumed_from_their_records() {
    let daemon = daemon("done");
    let id = create(daemon.socket(), any_workspace());
    let mut stream = Raw::open_stream(daemon.socket(), &id, "");
    daemon.forget_sessions();
    assert!(matches!(stream.event(), Ok(_) | Err(End::Abrupt)));
    assert_eq!(
        submit(daemon.socket(), &id, "x").code(),
        "session_not_found"
    );
    let body = format!("{{\"workspace\":\"/tmp\",\"resume\":\"{id}\"}}");
    assert_eq!(
        exchange(daemon.socket(), "POST", "/v1/sessions", &body).status(),
        201
    );
}

#[test]
fn expectations_are_checked_at_the_end() {
    let started = |strict: bool| {
        Daemon::start(Options {
            strict,
            ..Options::default()
        })
        .unwrap()
    };
    let health = || PathIs::Exactly("/health".into());
    let met = started(true);
    met.expect("GET", health());
    exchange(met.socket(), "GET", "/health", "");
    met.finish();
    let missing = started(false);
    missing.expect("GET", health());
    assert!(catch_unwind(AssertUnwindSafe(|| missing.finish())).is_err());
    let surprised = started(true);
    exchange(surprised.socket(), "GET", "/version", "");
    assert!(catch_unwind(AssertUnwindSafe(|| surprised.finish())).is_err());
    let lenient = started(false);
    exchange(lenient.socket(), "GET", "/version", "");
    lenient.finish();
}
