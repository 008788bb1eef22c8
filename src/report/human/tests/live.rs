//! What depends on pauses: the status line, and how to answer a question.

use super::*;
use crate::report::testing::screen;

/// Both streams on one terminal.
fn terminal() -> (Human, Capture) {
    let (console, capture) = console(true);
    let options = HumanOptions {
        palette: Palette::plain(),
        verbosity: 0,
        width: Box::new(|| 80),
        show_status: true,
        workflow_safe: false,
    };
    let human = Human::new(Box::new(capture.clone()), console, options);
    (human, capture)
}

fn play(human: &mut Human, name: &str, pause: bool) {
    for line in recording(name) {
        human.event(&Event::parse(&line).unwrap()).unwrap();
        if pause {
            human.idle().unwrap();
        }
    }
    human.end(None).unwrap();
}

#[test]
fn the_status_line_leaves_no_trace_whatever_is_printed() {
    for name in [
        "done-tools",
        "done-parallel",
        "done-progress",
        "context-bands-compaction",
    ] {
        let (mut human, capture) = terminal();
        play(&mut human, name, true);
        let (mut unseen, expected) = terminal();
        play(&mut unseen, name, false);
        let shown = capture.text();
        assert!(
            shown.contains("\r\x1b[K"),
            "{name}: a status line was drawn"
        );
        let expected: Vec<String> = expected.text().split('\n').map(str::to_owned).collect();
        assert_eq!(screen(&shown), expected, "{name}");
    }
}

#[test]
fn the_status_line_says_what_runs_and_stays_off_an_open_line() {
    let (mut human, capture) = terminal();
    let mut send = |line: String| {
        human.event(&Event::parse(&line).unwrap()).unwrap();
        // Longer than the pace of drawing.
        std::thread::sleep(std::time::Duration::from_millis(110));
        human.idle().unwrap();
        screen(&capture.text()).pop().unwrap()
    };
    assert_eq!(
        send(event(1, "turn.started", r#"{"turn_id":"t1","text":"x"}"#)),
        "0 s · the model is at work"
    );
    let progress = r#"{"kind":"rounds","done":1999,"total":2000}"#;
    assert_eq!(
        send(event(2, "progress", progress)),
        "0 s · round 2000 of 2000 · the model is at work"
    );
    let request =
        r#"{"turn_id":"t1","tool_call_id":"c","name":"bash","input":{"command":"make\nall"}}"#;
    assert_eq!(
        send(event(3, "tool.requested", request)),
        r"0 s · round 2000 of 2000 · bash make\nall"
    );
    let question = r#"{"approval_id":"t1-0","tool_call_id":"c","tool":"bash"}"#;
    assert_eq!(
        send(event(4, "tool.approval_required", question)),
        "0 s · round 2000 of 2000 · waiting for an answer to t1-0@4"
    );
    assert_eq!(
        send(event(
            5,
            "message.delta",
            r#"{"turn_id":"t1","text":"Half a "}"#
        )),
        "Half a"
    );
    assert_eq!(
        send(event(
            6,
            "turn.completed",
            r#"{"turn_id":"t1","reason":"done"}"#
        )),
        ""
    );
}

#[test]
fn how_to_answer_is_said_at_a_pause_and_once() {
    let (mut human, capture) = human(0, Palette::plain(), 80);
    let question = r#"{"approval_id":"t1-0","tool":"bash","command":"rm -rf \u001b[2J","boundary_crossed":"rule:command","reason":"it matches"}"#;
    let question = event(13, "tool.approval_required", question);
    human.event(&Event::parse(&question).unwrap()).unwrap();
    human.idle().unwrap();
    human.idle().unwrap();
    let expected = "  ? bash asks: rule:command  t1-0@13
      rm -rf \\x1b[2J
      it matches
      → dcodectl approve s1 t1-0@13
      → dcodectl deny s1 t1-0@13
";
    assert_eq!(capture.text(), expected);
    let answer = event(
        14,
        "tool.approval_resolved",
        r#"{"approval_id":"t1-0","decision":"allow_session"}"#,
    );
    human.event(&Event::parse(&answer).unwrap()).unwrap();
    human.end(None).unwrap();
    assert_eq!(
        capture.text(),
        format!("{expected}  ✓ allowed (allow_session)\n")
    );
}

#[test]
fn text_appears_at_the_pause_after_it() {
    let (mut human, capture) = human(0, Palette::plain(), 80);
    for (text, shown) in [
        ("One", "One"),
        (" two\\r", "One two"),
        ("\\nthree ", "One two\nthree"),
    ] {
        let line = event(
            1,
            "message.delta",
            &format!(r#"{{"turn_id":"t1","text":"{text}"}}"#),
        );
        human.event(&Event::parse(&line).unwrap()).unwrap();
        human.idle().unwrap();
        assert_eq!(capture.text(), shown);
    }
}

#[test]
fn a_lost_reader_is_reported() {
    struct Gone;
    impl Write for Gone {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let options = HumanOptions {
        palette: Palette::plain(),
        verbosity: 0,
        width: Box::new(|| 0),
        show_status: true,
        workflow_safe: false,
    };
    let mut human = Human::new(Box::new(Gone), console(true).0, options);
    let line = event(1, "turn.started", r#"{"turn_id":"t1","text":"x"}"#);
    human.event(&Event::parse(&line).unwrap()).unwrap();
    assert_eq!(human.idle().unwrap_err().kind(), io::ErrorKind::BrokenPipe);
}
