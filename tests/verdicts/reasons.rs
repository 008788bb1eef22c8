//! Turns that end: every reason, accepted or not.

use dcodectl::exit::Exit;
use dcodectl::protocol::StopReason;
use serde_json::Value;

use super::{SOON, ending, summarised, summarised_as};
use crate::support::{at, daemon, kinds, playing, seen};

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
    // In no shape of the protocol.
    const ODD: &str = r#"{"turn_id":7}"#;
    for end in [
        r#"{"turn_id":"t1"}"#,
        r#"{"turn_id":"t1","reason":null}"#,
        ODD,
    ] {
        let events = [
            ("turn.started", r#"{"turn_id":"t1"}"#),
            ("turn.completed", end),
        ];
        let daemon = playing(&events, |_| {});
        let (ran, summary) = summarised_as(&daemon, &["run", "--json", "go"], |run| {
            if end == ODD {
                run.odd("turn.completed")
            } else {
                run
            }
        });
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
fn an_outcome_stays_accepted_where_something_else_decides() {
    let daemon = ending("unverified");
    let line = |more: &[&'static str]| [&["run", "--accept", "unverified", "go"], more].concat();
    for (more, code) in [
        (&["--require-verified"][..], 17),
        (&["--events", "/dev/full"], 74),
    ] {
        let (ran, summary) = summarised(&daemon, &line(more));
        ran.exits(code);
        assert_eq!(summary["accepted"], true, "{more:?}: {summary}");
        assert_eq!(summary["exit_code"], code);
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
