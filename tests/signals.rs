//! Signals at every point of a command's life: what is stopped, what is closed, how it ends.

#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use dcodectl::simulate::{Act, Daemon, Fault, PathIs};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use support::{
    HANG, Running, at, binary, create, daemon, daemon_with, dcodectl, is_busy, seen, until,
    wait_for,
};

/// The signals that stop a command, with the exit of each and its name in messages.
const SIGNALS: [(Signal, i32, &str); 3] = [
    (Signal::INT, 130, "INT"),
    (Signal::TERM, 143, "TERM"),
    (Signal::HUP, 129, "HUP"),
];

/// What an idle machine allows a signal's stop with an answering daemon, tripled.
const SOON: Duration = Duration::from_secs(6);

fn silence(method: &str, path: PathIs) -> Fault {
    Fault::new(method, path, Act::Silence)
}

fn suffix(end: &str) -> PathIs {
    PathIs::Suffix(end.to_owned())
}

/// How many sessions the daemon has.
fn sessions(daemon: &Daemon) -> usize {
    at(daemon, ["list", "--json"]).run().out_objects().len()
}

/// The summary a command wrote.
fn summary(path: &std::path::Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn deletes(daemon: &Daemon) -> usize {
    let requests = daemon.requests();
    requests
        .iter()
        .filter(|seen| seen.method == "DELETE")
        .count()
}

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
fn a_signal_before_the_first_answer_ends_it_with_nothing_sent() {
    for (signal, code, name) in SIGNALS {
        let daemon = daemon("refuse");
        for arguments in [
            ["run", "go"].as_slice(),
            &["submit", "s", "go"],
            &["wait", "s"],
        ] {
            let before = daemon.requests().len();
            let running = at(&daemon, arguments).start();
            settled(&running);
            running.signal(signal);
            let ran = running.wait().exits(code).out("").within(SOON);
            assert!(
                ran.stderr.contains(&format!("stopped by {name}")),
                "{ran:#?}"
            );
            assert_eq!(daemon.requests().len(), before);
        }
    }
}

/// Waits until the process handles its signals and sleeps: whatever it waits for now, it waits for
/// the daemon.
fn settled(running: &Running) {
    let status = format!("/proc/{}/status", running.id());
    let field = |name: &str| -> u64 {
        let text = fs::read_to_string(&status).unwrap();
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(name))
            .unwrap();
        u64::from_str_radix(line.trim(), 16).unwrap()
    };
    until("signals to be handled", || {
        field("SigCgt:") & (1 << 14) != 0
    });
    // The connection is made right after; nothing outside shows when it is.
    std::thread::sleep(Duration::from_millis(100));
}

#[test]
fn a_session_whose_creation_a_signal_overtook_is_closed() {
    let answer = Act::DelayAnswer(Duration::from_millis(600));
    let slow = Fault::new("POST", suffix("/v1/sessions"), answer);
    let daemon = daemon_with("done", |options| options.faults = vec![slow]);
    let running = at(&daemon, ["run", "go"]).start();
    until("the create", || seen(&daemon, "POST", "/v1/sessions") == 1);
    running.signal(Signal::TERM);
    let ran = running.wait().exits(143).out("").within(SOON);
    ran.err_has("stopped by TERM; no turn was seen to start");
    assert_eq!(seen(&daemon, "POST", "/turns"), 0);
    assert_eq!((deletes(&daemon), sessions(&daemon)), (1, 0));
}

#[test]
fn an_unanswered_create_is_given_a_second() {
    let daemon = daemon_with("done", |options| {
        options.faults = vec![silence("POST", suffix("/v1/sessions"))];
    });
    let running = at(&daemon, ["run", "go"]).start();
    until("the create", || seen(&daemon, "POST", "/v1/sessions") == 1);
    let begun = Instant::now();
    running.signal(Signal::INT);
    running.wait().exits(130).out("").err_has("stopped by INT");
    let took = begun.elapsed();
    assert!(took >= Duration::from_secs(1) && took < SOON, "{took:?}");
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
    ran.err_has("could not be interrupted and may still run")
        .err_has("is not closed: the daemon does not answer");
    assert_eq!(seen(&daemon, "POST", "/interrupt"), 1);
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
fn a_signal_while_the_session_is_being_closed_counts() {
    let daemon = daemon("done");
    daemon.add_fault(silence("DELETE", PathIs::Any));
    let running = at(&daemon, ["run", "go"]).start();
    until("the close", || deletes(&daemon) == 1);
    running.signal(Signal::TERM);
    let ran = running.wait().exits(143).out_has("done").within(SOON);
    ran.err_has("stopped by TERM; the turn ended: done");
    assert_eq!(seen(&daemon, "POST", "/interrupt"), 0, "the turn had ended");
}

/// A command whose stdout is a pipe that nobody reads.
fn stalled(mut command: Command) -> Child {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// Its end, with what is on stderr.
#[track_caller]
fn ends(mut child: Child, code: i32) -> String {
    let status = wait_for(&mut child, HANG).expect("it hangs");
    let stderr = std::io::read_to_string(child.stderr.take().unwrap()).unwrap();
    assert_eq!(status.code(), Some(code), "{stderr}");
    stderr
}

#[test]
fn a_stalled_stdout_delays_no_signal() {
    // More than a pipe holds, then quiet.
    let text = "x".repeat(300_000);
    let delta = format!(r#"{{"turn_id":"t1","text":"{text}"}}"#);
    let long = [
        ("turn.started", r#"{"turn_id":"t1"}"#),
        ("message.delta", delta.as_str()),
        ("turn.completed", r#"{"turn_id":"t1","reason":"done"}"#),
    ];
    for (kind, code, name) in SIGNALS {
        for format in ["ndjson", "human", "answer"] {
            let daemon = support::playing(&long, |_| {});
            let child = stalled(at(&daemon, ["-o", format, "run", "go"]).into_command());
            // The turn has ended, the session is closed, and stdout holds everything up.
            until("the close", || deletes(&daemon) == 1);
            let begun = Instant::now();
            signal(&child, kind);
            let stderr = ends(child, code);
            assert!(begun.elapsed() < SOON, "{stderr}");
            let expected = format!("stopped by {name}");
            assert!(
                stderr.contains(&expected) || stderr.contains("stopped by a signal"),
                "{stderr}"
            );
            assert_eq!(seen(&daemon, "POST", "/interrupt"), 0, "the turn had ended");
        }
    }
}

#[test]
fn a_stalled_stdout_delays_no_signal_during_the_turn() {
    let text = "x".repeat(300_000);
    let delta = format!(r#"{{"turn_id":"t1","text":"{text}"}}"#);
    let ask = r#"{"approval_id":"t1-0","turn_id":"t1","tool_call_id":"c","tool":"bash","command":"x","boundary_crossed":"rule:command"}"#;
    let asks = [
        ("turn.started", r#"{"turn_id":"t1"}"#),
        ("message.delta", delta.as_str()),
        ("tool.approval_required", ask),
        ("turn.completed", r#"{"turn_id":"t1","reason":"done"}"#),
    ];
    let daemon = support::playing(&asks, |_| {});
    let arguments = ["run", "--json", "--on-approval", "leave", "go"];
    let child = stalled(at(&daemon, arguments).into_command());
    until("the question", || is_busy(&daemon));
    let begun = Instant::now();
    signal(&child, Signal::INT);
    let stderr = ends(child, 130);
    assert!(begun.elapsed() < SOON, "{stderr}");
    assert!(
        stderr.contains("stopped by INT; the turn ended"),
        "{stderr}"
    );
    assert_eq!(seen(&daemon, "POST", "/interrupt"), 1);
    assert_eq!((deletes(&daemon), sessions(&daemon)), (1, 0));
}

#[test]
fn a_signal_while_the_prompt_is_awaited_is_in_the_summary() {
    let daemon = daemon("done");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("summary.json");
    let arguments = ["run", "--summary", file.to_str().unwrap(), "-"];
    let mut command = at(&daemon, arguments).into_command();
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    until("the summary to be opened", || file.exists());
    std::thread::sleep(Duration::from_millis(100));
    signal(&child, Signal::TERM);
    let stderr = ends(child, 143);
    assert!(stderr.contains("stopped by TERM"), "{stderr}");
    assert_eq!(summary(&file)["exit_code"], 143);
    assert!(daemon.requests().is_empty());
}

#[test]
fn every_other_command_leaves_at_the_first_signal() {
    let daemon = daemon("silence");
    let id = create(&daemon);
    at(&daemon, ["submit", "--detach", &id, "go"])
        .run()
        .exits(0);
    let cases: [&[&str]; 3] = [&["wait", &id], &["tail", &id], &["tail", "--json", &id]];
    for arguments in cases {
        for (kind, code, _) in SIGNALS {
            let streams = seen(&daemon, "GET", "/events");
            let running = at(&daemon, arguments).start();
            until("the stream", || seen(&daemon, "GET", "/events") > streams);
            std::thread::sleep(Duration::from_millis(50));
            running.signal(kind);
            let ran = running.wait().exits(code).within(SOON);
            assert!(!ran.stderr.is_empty(), "{ran:#?}");
        }
    }
    assert_eq!(
        seen(&daemon, "POST", "/interrupt"),
        0,
        "the turn is not theirs"
    );
    assert!(is_busy(&daemon));
}

#[test]
fn a_request_that_is_not_answered_is_left_at_the_first_signal() {
    let daemon = daemon("done");
    let id = create(&daemon);
    daemon.add_fault(silence("", PathIs::Any));
    let cases: [&[&str]; 8] = [
        &["list"],
        &["show", &id],
        &["close", &id],
        &["interrupt", &id],
        &["undo", &id],
        &["rename", &id, "name"],
        &["approve", &id, "t1-0"],
        &["ping", "--wait", "1h"],
    ];
    for arguments in cases {
        let before = daemon.requests().len();
        let running = at(&daemon, arguments).start();
        until("the request", || daemon.requests().len() > before);
        running.signal(Signal::TERM);
        let ran = running.wait().exits(143).out("").within(SOON);
        ran.err_has("stopped by a signal while waiting for the daemon's answer");
    }
}

/// The binary behind a shell that ignores signals, as `nohup` and `&` in a script do.
fn ignoring(daemon: &Daemon, signals: &str, rest: &str) -> Child {
    let script = format!("trap '' {signals}; exec \"$0\" {rest}");
    let mut command = Command::new("sh");
    command
        .args(["-c", &script])
        .arg(binary())
        .env("DCODE_SOCKET", daemon.socket())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    command.spawn().unwrap()
}

#[test]
fn a_signal_ignored_at_the_start_stays_ignored() {
    let daemon = daemon("silence");
    let child = ignoring(&daemon, "HUP INT", "run --json go");
    until("the turn", || is_busy(&daemon));
    signal(&child, Signal::HUP);
    signal(&child, Signal::INT);
    signal(&child, Signal::HUP);
    // Neither stops it: the next request of ours finds the turn still running.
    assert!(is_busy(&daemon));
    assert_eq!(seen(&daemon, "POST", "/interrupt"), 0);
    signal(&child, Signal::TERM);
    let stderr = ends(child, 143);
    assert!(stderr.contains("stopped by TERM"), "{stderr}");
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

#[test]
fn b10_a_session_deleted_by_another_client_ends_a_wait() {
    let daemon = daemon("silence");
    let id = create(&daemon);
    at(&daemon, ["submit", "--detach", &id, "go"])
        .run()
        .exits(0);
    let streams = seen(&daemon, "GET", "/events");
    let running = at(&daemon, ["wait", "--json", &id]).start();
    until("the stream", || {
        seen(&daemon, "GET", "/events") > streams + 1
    });
    let begun = Instant::now();
    at(&daemon, ["close", &id]).run().exits(0);
    let ran = running.wait().exits(75);
    assert!(begun.elapsed() < SOON, "{ran:#?}");
    assert!(!ran.out_objects().is_empty(), "{ran:#?}");
    ran.err_has("went away before the turn's end was seen");
    dcodectl(["--version"]).run().exits(0).err("");
}
