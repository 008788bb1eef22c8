//! From the end of a turn, or of what can be known of it, to code, text and summary: they agree.

#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use dcodectl::Bounds;
use dcodectl::exit::Exit;
use dcodectl::follow::Limits;
use dcodectl::protocol::StopReason;
use dcodectl::simulate::{Act, Daemon, Fault, PathIs};
use dcodectl::streams::{Streams, Surroundings};
use serde_json::Value;
use support::{Ran, at, create, daemon, daemon_with, is_busy, kinds, playing, seen, until};

/// Generous for what takes milliseconds on an idle machine.
const SOON: Duration = Duration::from_secs(6);

fn suffix(end: &str) -> PathIs {
    PathIs::Suffix(end.to_owned())
}

fn answer(status: u16, content_type: &str, body: &str) -> Act {
    let (content_type, body) = (content_type.to_owned(), body.to_owned());
    Act::Answer {
        status,
        content_type,
        body,
    }
}

/// A daemon whose turns end with this reason at once.
fn ending(reason: &str) -> Daemon {
    let end = format!(r#"{{"turn_id":"t1","reason":"{reason}"}}"#);
    playing(
        &[
            ("turn.started", r#"{"turn_id":"t1"}"#),
            ("turn.completed", &end),
        ],
        |_| {},
    )
}

/// Runs a turn with a summary, and gives both.
fn summarised(daemon: &Daemon, arguments: &[&str]) -> (Ran, Value) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("summary.json");
    let options = ["--summary", file.to_str().unwrap()];
    let (command, rest) = arguments.split_first().unwrap();
    let ran = at(daemon, [command].into_iter().chain(&options).chain(rest)).run();
    let summary = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    (ran, summary)
}

#[test]
fn b02_b06_code_text_and_summary_agree_for_every_reason() {
    let unknown = StopReason::Other("from_tomorrow".into());
    for reason in StopReason::KNOWN.iter().chain([&unknown]) {
        let daemon = ending(reason.as_str());
        let (ran, summary) = summarised(&daemon, &["run", "go"]);
        let exit = Exit::from(reason);
        let ran = ran.exits(exit.number().into()).out_has(reason.as_str());
        assert_eq!(summary["exit_code"], exit.number(), "{ran:#?}");
        assert_eq!(summary["exit_name"], exit.name());
        assert_eq!(summary["reason"], reason.as_str());
        assert_eq!(summary["accepted"], false);
        match exit {
            Exit::Done => ran.err(""),
            Exit::Unverified | Exit::Incomplete => ran.err_has("dcodectl: note: "),
            _ => ran.err_has("dcodectl: error: ").err_has(reason.as_str()),
        };
    }
}

#[test]
fn b06_an_end_without_a_reason_is_no_success() {
    for end in [
        r#"{"turn_id":"t1"}"#,
        r#"{"turn_id":"t1","reason":null}"#,
        r#"{"turn_id":7}"#,
    ] {
        let events = [
            ("turn.started", r#"{"turn_id":"t1"}"#),
            ("turn.completed", end),
        ];
        let daemon = playing(&events, |_| {});
        let (ran, summary) = summarised(&daemon, &["run", "--json", "go"]);
        let ran = ran.exits(19).err_has("without a stop reason");
        assert_eq!(ran.err_objects()[0]["error"]["code"], "unknown_reason");
        assert_eq!(
            (&summary["exit_code"], &summary["reason"]),
            (&19.into(), &Value::Null)
        );
    }
}

#[test]
fn b02_the_error_is_on_stderr() {
    let ran = at(&daemon("error"), ["run", "go"]).run().exits(16);
    ran.out_has("error")
        .err_has("401 Unauthorized: the API key was not accepted");
    let ran = at(&daemon("error-silent"), ["run", "go"]).run().exits(16);
    ran.out_has("error").err_has("no session.error says why");
}

#[test]
fn b03_an_error_is_no_answer() {
    for (scenario, code) in [("error", 16), ("error-silent", 16), ("max-iterations", 12)] {
        let ran = at(&daemon(scenario), ["-o", "answer", "run", "go"]).run();
        ran.exits(code)
            .out("")
            .err_has("dcodectl: error: ")
            .err_has("no answer is printed");
    }
    let ran = at(&daemon("unverified"), ["-o", "answer", "run", "go"])
        .run()
        .exits(10);
    assert!(
        ran.stdout.ends_with('\n') && ran.stdout.len() > 1,
        "{ran:#?}"
    );
    ran.err_has("dcodectl: note: unverified");
}

#[test]
fn b04_an_iteration_limit_without_an_error_event_has_its_line() {
    let events = [
        ("turn.started", r#"{"turn_id":"t1"}"#),
        (
            "progress",
            r#"{"turn_id":"t1","kind":"rounds","done":7,"total":7}"#,
        ),
        (
            "turn.completed",
            r#"{"turn_id":"t1","reason":"max_iterations"}"#,
        ),
    ];
    for format in ["human", "ndjson"] {
        let ran = at(&playing(&events, |_| {}), ["-o", format, "run", "go"]).run();
        let ran = ran
            .exits(12)
            .out_has("max_iterations")
            .err_has("max_iterations");
        assert_eq!(ran.stderr.lines().count(), 1, "{ran:#?}");
        ran.err_has("(rounds: 7 of 7)");
    }
    let ran = at(&ending("max_iterations"), ["run", "go"]).run().exits(12);
    ran.out_has("max_iterations")
        .err_has("the turn reached its iteration limit (exit");
}

#[test]
fn an_accepted_outcome_exits_0_and_the_summary_tells_the_truth() {
    for reason in StopReason::KNOWN {
        let exit = Exit::from(reason);
        let daemon = ending(reason.as_str());
        let (ran, summary) = summarised(&daemon, &["run", "--json", "--accept", exit.name(), "go"]);
        let ran = ran.exits(0).out_has(reason.as_str());
        let err = ran.err_objects();
        assert_eq!(summary["reason"], reason.as_str());
        assert_eq!(summary["exit_code"], 0);
        assert_eq!(summary["accepted"], exit != Exit::Done);
        if exit == Exit::Done {
            assert!(err.is_empty(), "{ran:#?}");
        } else {
            assert_eq!(err.len(), 1, "{ran:#?}");
            assert_eq!(err[0]["notice"]["code"], exit.name(), "{ran:#?}");
            let message = err[0]["notice"]["message"].as_str().unwrap();
            assert!(message.contains("accepted"), "{ran:#?}");
        }
    }
}

#[test]
fn what_is_not_in_the_list_is_not_accepted() {
    let daemon = ending("incomplete");
    let (ran, summary) = summarised(&daemon, &["run", "--accept", "done,unverified", "go"]);
    ran.exits(11)
        .out_has("incomplete")
        .err_has("dcodectl: note: incomplete");
    assert_eq!(
        (&summary["exit_code"], &summary["accepted"]),
        (&11.into(), &false.into())
    );
    for name in [
        "unknown_reason",
        "approval_needed",
        "outcome_unknown",
        "timeout",
        "75",
        "",
    ] {
        let ran = at(&daemon, ["run", "--accept", name, "go"]).run();
        ran.exits(2).out("").err_has("dcodectl: error: ");
    }
    let quiet = self::daemon("silence");
    let arguments = ["run", "--accept", "interrupted", "--timeout", "1s", "go"];
    let ran = at(&quiet, arguments).run().exits(124);
    ran.out_has("interrupted").err_has("--timeout 1s reached");
}

#[test]
fn b09_a_stream_that_is_lost_is_taken_up_again() {
    let daemon = daemon_with("tools", |_| {});
    let id = create(&daemon);
    let cut = Fault::on_streams(Act::CutStreamAfterBytes(1500)).only(1);
    daemon.add_fault(cut);
    for nth in [2, 3] {
        daemon.add_fault(Fault::on_streams(Act::Reset).only(nth));
    }
    let ran = at(&daemon, ["submit", "--json", &id, "go"]).run().exits(0);
    let seqs: Vec<u64> = ran
        .out_objects()
        .iter()
        .map(|event| event["seq"].as_u64().unwrap())
        .collect();
    let expected: Vec<u64> = (seqs[0]..).take(seqs.len()).collect();
    assert_eq!(seqs, expected, "each once and in order");
    assert!(support::ends_with_the_turn(&ran.stdout), "{ran:#?}");
    for line in ran.err_objects() {
        assert!(line.get("notice").is_some(), "{line}");
    }
    assert!(seen(&daemon, "GET", "/events") >= 4);
}

#[test]
fn b12_a_question_nobody_can_answer_stops_nothing_for_long() {
    let asking = daemon("approval");
    let (ran, summary) = summarised(&asking, &["run", "--on-approval", "fail", "go"]);
    let ran = ran
        .exits(20)
        .within(SOON)
        .out_has("interrupted")
        .err_has("approval t1-0@");
    ran.err_has("--on-approval leave")
        .err_has("dcodectl approve");
    assert_eq!(
        (&summary["exit_code"], &summary["reason"]),
        (&20.into(), &"interrupted".into())
    );
    assert_eq!(seen(&asking, "POST", "/interrupt"), 1);
    let (ran, summary) = summarised(&daemon("approval"), &["run", "go"]);
    ran.exits(0)
        .within(SOON)
        .out_has("not allowed")
        .err_has("denied t1-0@");
    let approval = &summary["approvals"][0];
    assert_eq!(
        (&approval["decision"], &approval["by"]),
        (&"deny".into(), &"policy".into())
    );
}

#[test]
fn b14_a_late_answer_is_told() {
    let daemon = daemon("done");
    let id = create(&daemon);
    for (status, code, exit, text) in [
        (409, "approval_already_resolved", 34, "dcodectl: error: "),
        (410, "approval_expired", 35, "deadline denied it"),
    ] {
        let body = format!(r#"{{"code":"{code}","message":"too late"}}"#);
        let act = answer(status, "application/json", &body);
        daemon.add_fault(Fault::new("POST", suffix("/approvals/t1-0"), act.clone()).only(1));
        at(&daemon, ["approve", &id, "t1-0"])
            .run()
            .exits(exit)
            .out("")
            .err_has(text);
    }
}

#[test]
fn b14_a_handle_never_answers_the_next_question() {
    let daemon = daemon("approval-reused-id");
    let id = create(&daemon);
    at(&daemon, ["submit", "--detach", &id, "go"])
        .run()
        .exits(0);
    let open = || {
        let ran = at(&daemon, ["approvals", "--json", &id]).run();
        Some(ran.out_objects().first()?["handle"].as_str()?.to_owned())
    };
    until("the first question", || open().is_some());
    let first = open().unwrap();
    at(&daemon, ["deny", &id, &first])
        .run()
        .exits(0)
        .out("")
        .err("");
    until("the second question", || {
        open().is_some_and(|handle| handle != first)
    });
    let second = open().unwrap();
    assert_eq!(
        first.split('@').next(),
        second.split('@').next(),
        "the id is the same"
    );
    let before = seen(&daemon, "POST", "/approvals/t1-0");
    let ran = at(&daemon, ["approve", &id, &first])
        .run()
        .exits(34)
        .out("");
    ran.err_has("is no longer the open question: nothing was sent");
    assert_eq!(seen(&daemon, "POST", "/approvals/t1-0"), before);
    at(&daemon, ["deny", &id, &second])
        .run()
        .exits(0)
        .out("")
        .err("");
}

#[test]
fn b17_the_end_of_the_turn_ends_the_command() {
    let daemon = daemon_with("done", |options| {
        options.ping_interval = Duration::from_millis(50)
    });
    let id = create(&daemon);
    let ran = at(&daemon, ["submit", &id, "go"]).run().exits(0);
    ran.within(SOON).out_has("done").err("");
    at(&daemon, ["wait", &id])
        .run()
        .exits(0)
        .within(SOON)
        .out_has("done")
        .err("");
}

#[test]
fn d02_a_blank_text_sends_nothing() {
    let daemon = daemon("done");
    let cases: [&[&str]; 7] = [
        &["run", ""],
        &["submit", "s", ""],
        &["submit", "s", " \t\n "],
        &["submit", "--detach", "s", ""],
        &["steer", "s", " "],
        &["rename", "s", "\u{1}"],
        &["rename", "s", ""],
    ];
    for arguments in cases {
        at(&daemon, arguments)
            .run()
            .exits(2)
            .out("")
            .err_has("dcodectl: error: ");
    }
    for stdin in ["", " \n", "\n"] {
        let ran = at(&daemon, ["submit", "s", "-"]).stdin(stdin).run();
        ran.exits(2).out("").err_has("the text is empty");
    }
    assert!(daemon.requests().is_empty());
}

#[test]
fn d03_a_plain_404_is_no_missing_session() {
    let daemon = daemon("done");
    let id = create(&daemon);
    daemon.add_fault(Fault::new(
        "",
        PathIs::Any,
        answer(404, "text/plain", "404 page not found\n"),
    ));
    for arguments in [["show", &id], ["interrupt", &id], ["wait", &id]] {
        at(&daemon, arguments)
            .run()
            .exits(76)
            .out("")
            .err_has("dcodectl: error: ");
    }
}

#[test]
fn d05_an_error_of_any_code_is_shown_and_the_stream_goes_on() {
    let events = [
        ("turn.started", r#"{"turn_id":"t1"}"#),
        (
            "session.error",
            r#"{"code":"bad_request","message":"raw body"}"#,
        ),
        ("turn.completed", r#"{"turn_id":"t1","reason":"done"}"#),
    ];
    let ran = at(&playing(&events, |_| {}), ["run", "--json", "go"])
        .run()
        .exits(0);
    assert_eq!(
        kinds(&ran.stdout),
        ["turn.started", "session.error", "turn.completed"]
    );
    let err = ran.err_objects();
    assert_eq!(err.len(), 1, "{err:#?}");
    assert_eq!(err[0]["notice"]["message"], "bad_request: raw body");
    at(&playing(&events, |_| {}), ["run", "go"])
        .run()
        .exits(0)
        .out_has("done")
        .err_has("bad_request");
}

/// A writer that can be read afterwards.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The 30 s of reconnecting are shortened, so this one runs in this process.
#[test]
fn d04_a_daemon_that_goes_away_leaves_the_outcome_unknown() {
    for killed in [false, true] {
        let daemon = daemon("silence");
        let socket = daemon.socket().to_owned();
        let id = create(&daemon);
        let (out, err) = (Shared::default(), Shared::default());
        let streams = Streams::of(Box::new(out.clone()), Box::new(err.clone()));
        let arguments = ["dcodectl", "submit", "--json", &id, "go"]
            .map(Into::into)
            .to_vec();
        let running = std::thread::spawn(move || {
            let surroundings = Surroundings {
                variable: &|name| (name == "DCODE_SOCKET").then(|| socket.clone().into()),
                uid: rustix::process::geteuid().as_raw(),
            };
            let limits = Limits {
                reconnect: Duration::from_millis(400),
                ..Limits::default()
            };
            let bounds = Bounds {
                limits,
                ..Bounds::default()
            };
            dcodectl::run(arguments, &surroundings, streams, bounds, false)
        });
        until("the turn", || {
            is_busy(&daemon) && out.text().contains("turn.started")
        });
        let begun = Instant::now();
        if killed {
            daemon.kill();
        } else {
            daemon.stop();
        }
        let code = running.join().unwrap();
        let took = begun.elapsed();
        assert_eq!(code, 75, "{}", err.text());
        assert!(
            took >= Duration::from_millis(400) && took < SOON,
            "{took:?}"
        );
        assert!(!support::objects(&out.text()).is_empty());
        let last = support::objects(&err.text()).pop().unwrap();
        assert_eq!(last["error"]["exit_code"], 75);
        let message = last["error"]["message"].as_str().unwrap();
        assert!(message.contains("the turn's end was not seen"), "{message}");
    }
}
