//! The signals that stop a turn.

use std::fs;
use std::time::{Duration, Instant};

use dcodectl::simulate::{Act, Fault};
use rustix::process::Signal;

use super::{SIGNALS, SOON, sessions, silence, suffix, summary};
use crate::support::process::deletes;
use crate::support::{self, at, create, daemon, daemon_with, is_busy, seen, until};

#[test]
fn b01_interrupt_during_a_turn_exits_130() {
    let daemon = daemon_with("slow", |_| {});
    let id = create(&daemon);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("summary.json");
    let arguments = ["submit", &id, "--summary", file.to_str().unwrap(), "go"];
    let running = at(&daemon, arguments).start();
    until("the command to run", || is_busy(&daemon));
    let begun = Instant::now();
    running.signal(Signal::INT);
    let ran = running.wait().exits(130).out_has("interrupted");
    assert!(begun.elapsed() < SOON, "{ran:#?}");
    ran.err("dcodectl: error: stopped by INT; the turn ended: interrupted (exit code 130)\n");
    assert_eq!(seen(&daemon, "POST", "/interrupt"), 1);
    let summary = summary(&file);
    assert_eq!(summary["exit_code"], 130);
    assert_eq!(summary["exit_name"], "signal");
    assert_eq!(summary["reason"], "interrupted");
    assert!(!is_busy(&daemon));
    assert_eq!(sessions(&daemon), 1, "submit leaves the session");
}

#[test]
fn b20_term_and_hup_stop_the_turn_of_submit() {
    for (signal, code, name) in SIGNALS {
        let daemon = daemon("silence");
        let id = create(&daemon);
        let running = at(&daemon, ["submit", "--json", &id, "go"]).start();
        until("the turn", || is_busy(&daemon));
        running.signal(signal);
        let ran = running.wait().exits(code);
        assert!(support::ends_with_the_turn(&ran.stdout), "{ran:#?}");
        let error = &ran.err_objects()[0]["error"];
        assert_eq!(error["code"], "signal", "{ran:#?}");
        assert_eq!(error["exit_code"], code, "{ran:#?}");
        let message = error["message"].as_str().unwrap();
        assert!(
            message.starts_with(&format!("stopped by {name};")),
            "{ran:#?}"
        );
        assert_eq!(seen(&daemon, "POST", "/interrupt"), 1);
        assert!(!is_busy(&daemon));
    }
}

#[test]
fn run_closes_its_session_after_each_signal() {
    for (signal, code, _) in SIGNALS {
        let daemon = daemon("silence");
        let running = at(&daemon, ["run", "go"]).start();
        until("the turn", || is_busy(&daemon));
        running.signal(signal);
        running
            .wait()
            .exits(code)
            .err_has("the turn ended: interrupted");
        assert_eq!(seen(&daemon, "POST", "/interrupt"), 1);
        assert_eq!((deletes(&daemon), sessions(&daemon)), (1, 0));
    }
}

#[test]
fn run_that_keeps_its_session_names_it_after_a_signal() {
    let daemon = daemon("silence");
    let running = at(&daemon, ["run", "--keep", "go"]).start();
    until("the turn", || is_busy(&daemon));
    running.signal(Signal::INT);
    running.wait().exits(130).err_has("is kept");
    assert_eq!((deletes(&daemon), sessions(&daemon)), (0, 1));
}

#[test]
fn an_unanswered_submit_is_given_a_second_and_then_interrupted() {
    for lost in [true, false] {
        let daemon = daemon("silence");
        daemon.add_fault(if lost {
            silence("POST", suffix("/turns"))
        } else {
            Fault::new(
                "POST",
                suffix("/turns"),
                Act::DelayAnswer(Duration::from_secs(4)),
            )
        });
        let running = at(&daemon, ["run", "go"]).start();
        until("the submit", || seen(&daemon, "POST", "/turns") == 1);
        let begun = Instant::now();
        running.signal(Signal::INT);
        let ran = running.wait().exits(130).err_has("stopped by INT");
        let took = begun.elapsed();
        assert!(
            took >= Duration::from_secs(1) && took < SOON,
            "{took:?} {ran:#?}"
        );
        assert_eq!(seen(&daemon, "POST", "/interrupt"), 1, "lost: {lost}");
        assert_eq!((deletes(&daemon), sessions(&daemon)), (1, 0));
    }
}

#[test]
fn an_open_question_is_stopped_like_anything_else() {
    for (signal, code, _) in SIGNALS {
        let daemon = daemon("approval");
        let arguments = ["run", "--on-approval", "leave", "go"];
        let running = at(&daemon, arguments).start();
        until("the question", || is_busy(&daemon));
        running.signal(signal);
        let ran = running.wait().exits(code);
        ran.err_has("the turn ended: interrupted");
        assert_eq!(seen(&daemon, "POST", "/interrupt"), 1);
        assert_eq!((deletes(&daemon), sessions(&daemon)), (1, 0));
    }
}

#[test]
fn an_interrupt_that_is_never_answered_is_given_up() {
    let daemon = daemon("silence");
    daemon.add_fault(silence("POST", suffix("/interrupt")));
    let running = at(&daemon, ["run", "go"]).start();
    until("the turn", || is_busy(&daemon));
    let begun = Instant::now();
    running.signal(Signal::INT);
    let ran = running.wait().exits(130);
    let took = begun.elapsed();
    // 1 s for the interrupt, 5 s for the turn.
    assert!(
        took >= Duration::from_secs(6) && took < Duration::from_secs(15),
        "{took:?}"
    );
    ran.err_has("could not be interrupted and may still run");
    assert_eq!(seen(&daemon, "POST", "/interrupt"), 1);
    // What answers nothing to an interrupt may still take the session's close.
    assert_eq!(deletes(&daemon), 1);
}

#[test]
fn an_interrupt_that_is_refused_still_lets_run_close_its_session() {
    let daemon = daemon("silence");
    daemon.add_fault(Fault::new(
        "POST",
        suffix("/interrupt"),
        Act::Answer {
            status: 500,
            content_type: "application/json".to_owned(),
            body: r#"{"code":"internal","message":"broken"}"#.to_owned(),
        },
    ));
    let running = at(&daemon, ["run", "go"]).start();
    until("the turn", || is_busy(&daemon));
    running.signal(Signal::INT);
    running
        .wait()
        .exits(130)
        .within(SOON)
        .err_has("stopped by INT");
    assert_eq!((deletes(&daemon), sessions(&daemon)), (1, 0));
}

#[test]
fn the_second_signal_leaves_at_once() {
    for (signal, code, _) in SIGNALS {
        let daemon = daemon("silence");
        daemon.add_fault(silence("POST", suffix("/interrupt")));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("summary.json");
        let arguments = ["run", "--summary", file.to_str().unwrap(), "go"];
        let running = at(&daemon, arguments).start();
        until("the turn", || is_busy(&daemon));
        running.signal(Signal::INT);
        until("the interrupt", || seen(&daemon, "POST", "/interrupt") == 1);
        let begun = Instant::now();
        running.signal(signal);
        running.wait().exits(code).err("");
        assert!(begun.elapsed() < Duration::from_secs(3));
        assert_eq!(fs::read_to_string(&file).unwrap(), "");
        assert_eq!(deletes(&daemon), 0);
    }
}

#[test]
fn no_daemon_is_interrupted_twice_by_different_signals_of_one_moment() {
    let daemon = daemon("silence");
    let running = at(&daemon, ["submit", &create(&daemon), "go"]).start();
    until("the turn", || is_busy(&daemon));
    running.signal(Signal::INT);
    running.signal(Signal::TERM);
    let ran = running.wait();
    assert!([130, 143].contains(&ran.code()), "{ran:#?}");
    assert!(seen(&daemon, "POST", "/interrupt") <= 1);
}
