//! The status line: what the turn is doing right now, and for how long it has been running.

use std::time::{Duration, Instant};

use super::super::text::{counted, grouped};
use super::page::Page;
use super::tools;
use super::turn::Turn;

/// The least time between two drawings when nothing was printed in between.
const PACE: Duration = Duration::from_millis(100);

/// When the line was last drawn.
#[derive(Debug, Default)]
pub(super) struct Status {
    drawn: Option<Instant>,
}

impl Status {
    /// Draws the line anew, or erases it where it would be in the way.
    ///
    /// After printing it is drawn at once: printing has erased it.
    pub(super) fn draw(&mut self, page: &Page, turn: &Turn, printed: bool) {
        let Some(started) = turn.running.filter(|_| !page.is_inside_line()) else {
            page.console.status(None);
            return;
        };
        let now = Instant::now();
        let soon = self.drawn.is_some_and(|drawn| now - drawn < PACE);
        if soon && !printed {
            return;
        }
        self.drawn = Some(now);
        page.console.status(Some(text(turn, now - started)));
    }
}

fn text(turn: &Turn, elapsed: Duration) -> String {
    let mut parts = vec![clock(elapsed)];
    if let Some((done, total)) = turn.rounds {
        let near = total.filter(|&total| done.saturating_mul(4) >= total);
        let of = near.map_or(String::new(), |total| format!(" of {total}"));
        parts.push(format!("round {}{of}", done.saturating_add(1)));
    }
    if let Some(question) = &turn.question {
        parts.push(format!("waiting for an answer to {}", question.handle));
    } else if let Some(call) = turn.calls.last() {
        let more = turn.calls.len() - 1;
        let others = match more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        parts.push(format!("{}{others}", tools::in_short(call)));
    } else if let Some(announced) = turn.announced.last() {
        let bytes = grouped(announced.bytes);
        parts.push(format!("{} arrives, {bytes} bytes", announced.name));
    } else {
        parts.push("the model is at work".to_owned());
    }
    if let Some((done, total)) = turn.files {
        parts.push(match total {
            Some(total) => format!("{done} of {}", counted(total, "file")),
            None => counted(done, "file"),
        });
    }
    parts.join(" · ")
}

/// Whole seconds: `7 s`, `2 m 05 s`.
fn clock(elapsed: Duration) -> String {
    let seconds = elapsed.as_secs();
    if seconds < 60 {
        format!("{seconds} s")
    } else {
        format!("{} m {:02} s", seconds / 60, seconds % 60)
    }
}
