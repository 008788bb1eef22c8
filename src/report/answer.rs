//! The final answer of a turn, for `$(…)`.

use std::io::{self, Write};

use super::visible::visible_lines;
use super::{Reporter, Verdict};
use crate::protocol::{Event, EventKind, Payload, ProgressKind, StopReason};

/// Gathers a turn's answer: its text after the last tool call or round.
#[derive(Debug, Clone, Default)]
pub struct AnswerText {
    text: String,
}

impl AnswerText {
    /// Nothing heard yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes one event into account. A new turn begins a new answer.
    pub fn push(&mut self, event: &Event<'_>) {
        match event.kind {
            EventKind::TurnStarted | EventKind::ToolRequested => self.text.clear(),
            EventKind::MessageDelta => {
                if let Payload::MessageDelta(delta) = event.payload() {
                    self.text.push_str(&delta.text);
                }
            }
            EventKind::Progress => {
                if let Payload::Progress(progress) = event.payload()
                    && progress.kind == ProgressKind::Rounds
                {
                    self.text.clear();
                }
            }
            _ => {}
        }
    }

    /// The answer as received, without the line breaks at its end; `None` if it is blank.
    ///
    /// Printed, it is followed by exactly one line break.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        let text = self.text.trim_end_matches(['\n', '\r']);
        (!text.trim().is_empty()).then(|| text.to_owned())
    }
}

/// Prints the final answer and nothing else.
#[derive(Debug)]
pub struct AnswerReporter<W: Write> {
    out: W,
    terminal: bool,
}

impl<W: Write> AnswerReporter<W> {
    /// Prints to `out`; what goes to a terminal is made visible, anything else stays as received.
    pub fn new(out: W, terminal: bool) -> Self {
        Self { out, terminal }
    }
}

impl<W: Write> Reporter for AnswerReporter<W> {
    fn event(&mut self, _event: &Event<'_>) -> io::Result<()> {
        Ok(())
    }

    fn idle(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self, verdict: Option<&Verdict>) -> io::Result<()> {
        if let Some(answer) = verdict.and_then(printable) {
            let answer = answer.trim_end_matches(['\n', '\r']);
            if self.terminal {
                self.out.write_all(visible_lines(answer).as_bytes())?;
            } else {
                self.out.write_all(answer.as_bytes())?;
            }
            self.out.write_all(b"\n")?;
        }
        self.out.flush()
    }
}

/// The answer, unless the turn failed: an error's text must not pass for an answer.
fn printable(verdict: &Verdict) -> Option<&str> {
    match verdict.reason.as_ref()? {
        StopReason::Done | StopReason::Unverified | StopReason::Incomplete => {
            verdict.answer.as_deref()
        }
        StopReason::Interrupted
        | StopReason::MaxIterations
        | StopReason::RepeatLoop
        | StopReason::MaxTokens
        | StopReason::Error
        | StopReason::Other(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::recording;

    fn answer_of(name: &str) -> Option<String> {
        let mut answer = AnswerText::new();
        for line in recording(name) {
            answer.push(&Event::parse(&line).unwrap());
        }
        answer.text()
    }

    #[test]
    fn the_answer_is_what_follows_the_last_call_or_round() {
        assert_eq!(answer_of("done-tools").as_deref(), Some("All done. "));
        // Three texts, divided by rounds alone.
        assert_eq!(answer_of("incomplete-mixed").as_deref(), Some("Done. "));
        assert_eq!(answer_of("incomplete").as_deref(), Some("Really done. "));
        assert_eq!(answer_of("resumed").as_deref(), Some("Third answer. "));
        assert_eq!(answer_of("error-auth"), None);
        assert_eq!(answer_of("repeat-loop"), None);
    }

    #[test]
    fn line_breaks_at_the_end_are_made_one_and_blank_is_nothing() {
        let mut answer = AnswerText::new();
        let delta = |text: &str| {
            format!(
                r#"{{"seq":1,"type":"message.delta","payload":{{"turn_id":"t","text":{text}}}}}"#
            )
        };
        answer.push(&Event::parse(&delta(r#"" \n\r\n""#)).unwrap());
        assert_eq!(answer.text(), None);
        answer.push(&Event::parse(&delta(r#""a\nb \r\n\n\n""#)).unwrap());
        assert_eq!(answer.text().as_deref(), Some(" \n\r\na\nb "));
    }

    fn printed(reason: Option<StopReason>, answer: Option<&str>, terminal: bool) -> String {
        let verdict = Verdict {
            reason,
            answer: answer.map(str::to_owned),
            ..Verdict::default()
        };
        let mut out = Vec::new();
        AnswerReporter::new(&mut out, terminal)
            .end(Some(&verdict))
            .unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn b03_a_failed_turn_prints_no_answer() {
        for reason in StopReason::KNOWN {
            let result = matches!(
                reason,
                StopReason::Done | StopReason::Unverified | StopReason::Incomplete
            );
            let expected = if result { "text\n" } else { "" };
            assert_eq!(printed(Some(reason.clone()), Some("text"), false), expected);
        }
        assert_eq!(printed(None, Some("text"), false), "");
        assert_eq!(
            printed(Some(StopReason::Other("x".into())), Some("text"), false),
            ""
        );
        assert_eq!(printed(Some(StopReason::Done), None, false), "");
    }

    #[test]
    fn a_terminal_gets_the_answer_made_visible_and_a_pipe_as_received() {
        let text = "a\x1b[2J\r\nb\n\n";
        assert_eq!(
            printed(Some(StopReason::Done), Some(text), false),
            "a\x1b[2J\r\nb\n"
        );
        assert_eq!(
            printed(Some(StopReason::Done), Some(text), true),
            "a\\x1b[2J\nb\n"
        );
    }
}
