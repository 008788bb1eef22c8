//! Every way the daemon can be away or mute in the middle of a turn: what it comes to, what is said
//! about it, and how long it takes.

use std::fs;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::{Duration, Instant};

use dcodectl::simulate::{Act, Daemon, Fault, Options, Source, Speed, scenario};
use rustix::process::Signal;

use super::{nth_stream, numbers, short, small_turn, wire};
use crate::support::inside::{RunningInside, inside};
use crate::support::{Ran, at, create, daemon, daemon_with, dcodectl, seen, until};

/// No test's bounds add up to more, but a busy machine takes its time.
const SOON: Duration = Duration::from_secs(10);

/// The codes of the notices on stderr, in order.
fn notices(ran: &Ran) -> Vec<String> {
    let objects = ran.err_objects();
    let codes = objects
        .iter()
        .filter_map(|line| line["notice"]["code"].as_str());
    codes.map(str::to_owned).collect()
}

/// A daemon whose turn goes on until it is interrupted, and a submit that follows it.
fn following(
    change: impl FnOnce(&mut dcodectl::follow::Limits),
) -> (Daemon, String, RunningInside) {
    let daemon = daemon_with("silence", |options| options.speed = Speed::Instant);
    let id = create(&daemon);
    let running = inside(&daemon, ["submit", &id, "--json", "x"])
        .timeouts(|timeouts| timeouts.head = Duration::from_millis(200))
        .limits(|limits| {
            short(limits);
            limits.quiet = Duration::from_secs(30);
            change(limits);
        })
        .start();
    until("the turn", || running.out.text().contains("think"));
    (daemon, id, running)
}

/// Lets the daemon be away for a while, as the client sees it.
fn away<T>(daemon: &Daemon, meanwhile: impl FnOnce(&Path) -> T) -> T {
    let socket = daemon.socket();
    let aside = socket.with_extension("aside");
    fs::rename(socket, &aside).unwrap();
    daemon.cut_streams();
    let result = meanwhile(socket);
    fs::rename(&aside, socket).unwrap();
    result
}

#[test]
fn a_socket_file_that_goes_and_comes_back_is_told_once_and_survived() {
    let (daemon, id, running) = following(|limits| limits.reconnect = Duration::from_secs(30));
    away(&daemon, |_| {
        until("the notice", || running.err.text().contains("reconnecting"));
        // Many more attempts, of which nothing more is said.
        std::thread::sleep(Duration::from_millis(400));
    });
    until("a new stream", || seen(&daemon, "GET", "/events") > 1);
    at(&daemon, ["interrupt", &id])
        .run()
        .exits(0)
        .out("")
        .err("");
    let ran = running.wait().exits(15).within(SOON);
    assert_eq!(notices(&ran), ["reconnecting", "reconnected"]);
    let ran = ran.err_has("the stream is back after ");
    let (_, after) = ran.stderr.split_once("the stream is back after ").unwrap();
    let seconds = after.split(' ').next().unwrap().parse::<f64>();
    assert!(
        seconds.is_ok_and(|after| after > 0.0 && after < 30.0),
        "{after}"
    );
    let ran = ran.err_has("no such file").err_has("trying for 30s");
    assert_eq!(
        numbers(&ran.stdout),
        (2..2 + ran.stdout.lines().count() as u64).collect::<Vec<_>>()
    );
    assert_eq!(seen(&daemon, "POST", "/turns"), 1);
}

#[test]
fn a_stream_that_is_back_and_has_nothing_to_say_is_not_lost() {
    // Whether or not the loss was worth a notice, and however often the session is asked.
    for cuts in [1, 3] {
        let (daemon, id, running) = following(|limits| limits.quiet = Duration::from_millis(100));
        for _ in 0..cuts {
            let before = seen(&daemon, "GET", "/events");
            daemon.cut_streams();
            until("a new stream", || seen(&daemon, "GET", "/events") > before);
        }
        // Longer than a lost stream is tried for.
        let asked = seen(&daemon, "GET", &id);
        until("questions", || seen(&daemon, "GET", &id) > asked + 8);
        at(&daemon, ["interrupt", &id])
            .run()
            .exits(0)
            .out("")
            .err("");
        let ran = running.wait().exits(15).within(SOON);
        let told: &[&str] = if cuts > 1 {
            &["reconnecting", "reconnected"]
        } else {
            &[]
        };
        assert_eq!(notices(&ran), told);
    }
}

#[test]
fn a_queue_that_is_full_does_not_hold_the_bound_up() {
    let (daemon, _, running) = following(|_| ());
    let begun = Instant::now();
    // A connect may take 5 s by itself; the stream is given up after 600 ms all the same.
    let ran = away(&daemon, |socket| {
        let listener = UnixListener::bind(socket).unwrap();
        rustix::net::listen(&listener, 0).unwrap();
        let _first = UnixStream::connect(socket).unwrap();
        running.wait()
    });
    assert!(begun.elapsed() < Duration::from_secs(4), "{ran:#?}");
    let ran = ran
        .exits(75)
        .err_has("not regained within 600ms; the turn's end was not seen");
    assert_eq!(ran.err_objects().last().unwrap()["error"]["exit_code"], 75);
}

#[test]
fn a_listener_that_accepts_and_does_not_answer_is_given_up() {
    let (daemon, id, running) = following(|_| ());
    daemon.add_fault(Fault::on_streams(Act::Silence));
    let begun = Instant::now();
    daemon.cut_streams();
    let ran = running.wait().exits(75);
    assert!(begun.elapsed() < Duration::from_secs(4), "{ran:#?}");
    assert_eq!(notices(&ran), ["reconnecting"]);
    ran.err_has("no answer within 200ms")
        .err_has("not regained within 600ms")
        .err_has(&format!("it may still run: dcodectl wait {id}"));
}

#[test]
fn a_daemon_that_is_stopped_for_a_while_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("s");
    let path = socket.to_str().unwrap();
    let arguments = [
        "simulate", "silence", "--speed", "instant", "--socket", path,
    ];
    let simulated = dcodectl(arguments).start();
    until("the daemon", || UnixStream::connect(&socket).is_ok());
    let at_it = |arguments: &[&str]| dcodectl(arguments).env("DCODE_SOCKET", &socket).run();
    let id = at_it(&["create"]).exits(0).err("").stdout.trim().to_owned();
    let unused = daemon("done");
    let running = inside(&unused, ["submit", &id, "--json", "x"])
        .env("DCODE_SOCKET", &socket)
        .timeouts(|timeouts| {
            timeouts.silence = Duration::from_millis(200);
            timeouts.head = Duration::from_millis(200);
        })
        .limits(|limits| {
            short(limits);
            limits.reconnect = Duration::from_secs(30);
        })
        .start();
    until("the turn", || running.out.text().contains("think"));
    simulated.signal(Signal::STOP);
    until("the notice", || running.err.text().contains("reconnecting"));
    simulated.signal(Signal::CONT);
    // Nothing new is to be read: the stream is open again, which only an event or a ping shows.
    until("an answer", || at_it(&["interrupt", &id]).code() == 0);
    let ran = running.wait().exits(15).within(SOON);
    assert_eq!(notices(&ran), ["reconnecting", "reconnected"]);

    // The contract's bounds: a timeout ends it while the daemon is stopped.
    let mut submit = dcodectl(["submit", &id, "--timeout", "1s", "x"])
        .env("DCODE_SOCKET", &socket)
        .start();
    until("the second turn", || {
        at_it(&["show", &id]).stdout.contains("running")
    });
    simulated.signal(Signal::STOP);
    assert!(submit.is_running());
    let ran = submit.wait().exits(124).within(SOON);
    ran.err_has("--timeout 1s reached, waiting for the end of the turn")
        .err_has("session: no answer from the daemon");
    simulated.signal(Signal::CONT);
    simulated.signal(Signal::TERM);
    simulated.wait().exits(143);
}

#[test]
fn a_daemon_restarted_at_the_same_place_has_forgotten_the_session() {
    let folder = tempfile::tempdir().unwrap();
    let options = || Options {
        socket: Some(folder.path().join("s")),
        source: Source::Scenario(scenario("silence").unwrap()),
        speed: Speed::Instant,
        ..Options::default()
    };
    let daemon = Daemon::start(options()).unwrap();
    let id = create(&daemon);
    let follow = |arguments: &[&str]| {
        inside(&daemon, arguments)
            .limits(|limits| limits.reconnect = Duration::from_secs(30))
            .start()
    };
    let submit = follow(&["submit", &id, "--json", "x"]);
    let tail = follow(&["tail", &id, "--json"]);
    for running in [&submit, &tail] {
        until("the turn", || running.out.text().contains("think"));
    }
    daemon.stop();
    for running in [&submit, &tail] {
        until("the notice", || running.err.text().contains("reconnecting"));
    }
    let restarted = Daemon::start(options()).unwrap();
    for (running, message) in [
        (
            submit,
            format!("session {id} went away before the turn's end was seen"),
        ),
        (
            tail,
            format!("the stream was lost, and session {id} is gone"),
        ),
    ] {
        let ran = running.wait().exits(75).within(SOON);
        assert_eq!(notices(&ran), ["reconnecting"]);
        assert_eq!(ran.err_objects()[1]["error"]["message"], *message);
    }
    restarted.finish();
}

#[test]
fn an_old_daemon_that_has_moved_on_while_reconnecting_is_36() {
    let daemon = daemon("silence");
    let id = create(&daemon);
    daemon.add_fault(nth_stream(
        1,
        wire::stream(wire::frame(&small_turn()[0]), false),
    ));
    daemon.add_fault(Fault::on_streams(wire::refusal(410, "events_expired")).only(2));
    daemon.add_fault(wire::session_is(&id, "running", 1, None));
    let ran = at(&daemon, ["submit", &id, "--json", "x"]).run().exits(36);
    assert_eq!(numbers(&ran.stdout), [2]);
    let error = &ran.err_objects()[0]["error"];
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("events from 3 on are missing"),
        "{message}"
    );
    assert!(error["hint"].as_str().unwrap().contains("--from SEQ"));
}

#[test]
fn a_connection_that_breaks_in_a_chunks_size_loses_nothing() {
    let turn = small_turn();
    let frames: Vec<String> = turn.iter().map(|event| wire::frame(event)).collect();
    for half in [
        "1",
        "1f",
        "1f\r",
        "1f\r\n",
        "1f\r\ndata: {\"seq\":3,",
        "0",
        "0\r",
        "0\r\n",
    ] {
        let mut first = wire::stream(&frames[0], false);
        first.extend(half.bytes());
        let daemon = daemon("silence");
        daemon.add_fault(nth_stream(1, first));
        daemon.add_fault(nth_stream(2, wire::stream(frames[1..].concat(), true)));
        let ran = at(&daemon, ["run", "--json", "x"]).run().exits(0).err("");
        assert_eq!(numbers(&ran.stdout), [2, 3, 4], "{half:?}");
    }
}

#[test]
fn a_session_closed_with_events_unread_is_no_success() {
    let closed = || wire::refusal(404, "session_not_found");
    let turn = small_turn();
    let start = wire::stream(wire::frame(&turn[0]), true);
    // The daemon has spoken of four events, and ends the stream after two.
    for then in [1, 2] {
        let daemon = daemon("silence");
        let id = create(&daemon);
        daemon.add_fault(wire::session_is(&id, "running", 4, Some(2)).first(then));
        daemon.add_fault(nth_stream(1, start.clone()));
        daemon.add_fault(Fault::on_streams(closed()).only(2));
        if then == 1 {
            daemon.add_fault(wire::on_session(&id, closed()));
        }
        let ran = at(&daemon, ["tail", &id, "--from", "2", "--json"]).run();
        let ran = ran.exits(75).err_has(&format!("session {id} is gone"));
        assert_eq!(numbers(&ran.stdout), [2]);
    }
    // A daemon that was away in between may have been restarted, which closes no session.
    let daemon = daemon("silence");
    let id = create(&daemon);
    daemon.add_fault(wire::session_is(&id, "running", 2, Some(2)).only(1));
    daemon.add_fault(wire::on_session(&id, Act::Reset));
    daemon.add_fault(nth_stream(1, start));
    daemon.add_fault(Fault::on_streams(closed()).only(2));
    let ran = at(&daemon, ["tail", &id, "--from", "2", "--json"]).run();
    ran.exits(75).err_has(&format!("session {id} is gone"));
}

#[test]
fn an_answer_that_could_not_be_sent_is_sent_again() {
    let daemon = daemon("approval");
    let id = create(&daemon);
    let running = inside(
        &daemon,
        ["submit", &id, "--json", "--on-approval", "allow", "x"],
    )
    .limits(|limits| {
        limits.question = Duration::from_millis(300);
        limits.first_pause = Duration::from_millis(5);
    })
    .start();
    until("the question", || {
        running.out.text().contains("approval_required")
    });
    away(&daemon, |_| std::thread::sleep(Duration::from_millis(700)));
    let ran = running.wait().exits(0).within(SOON);
    assert!(ran.stdout.contains(r#""decision":"allow""#), "{ran:#?}");
    assert_eq!(notices(&ran), ["reconnecting", "reconnected"]);
}
