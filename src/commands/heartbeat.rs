//! `--heartbeat`: a line on stderr when nothing was printed for a while.
//!
//! A pipeline that captures only the answer prints nothing until the end, and what watches it takes
//! silence for a hang.

use std::time::{Duration, Instant};

use crate::protocol::Event;
use crate::report::SharedConsole;

/// See the module.
pub(super) struct Heartbeat {
    interval: Duration,
    begun: Instant,
    /// When something was last printed, this included.
    last: Instant,
    /// Bytes that had gone to stdout by then.
    printed: u64,
    event: Option<(u64, String)>,
}

impl Heartbeat {
    pub(super) fn new(interval: Duration) -> Self {
        let now = Instant::now();
        Self {
            interval,
            begun: now,
            last: now,
            printed: 0,
            event: None,
        }
    }

    /// When the next line is due, should nothing be printed before.
    pub(super) fn due(&self) -> Instant {
        self.last + self.interval
    }

    pub(super) fn note(&mut self, event: &Event<'_>) {
        self.event = Some((event.seq, event.kind.as_str().to_owned()));
    }

    /// Prints the line if it is due; `printed` is how many bytes went to stdout so far.
    pub(super) fn beat(&mut self, printed: u64, console: &SharedConsole) {
        let now = Instant::now();
        if printed != self.printed {
            self.printed = printed;
            self.last = now;
        }
        if now < self.due() {
            return;
        }
        self.last = now;
        let seconds = self.begun.elapsed().as_secs();
        let event = match &self.event {
            Some((seq, kind)) => format!("last event: seq {seq} ({kind})"),
            None => "no event yet".to_owned(),
        };
        console.heartbeat(
            "heartbeat",
            &format!("still waiting after {seconds} s; {event}"),
        );
    }
}
