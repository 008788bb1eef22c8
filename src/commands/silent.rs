//! An observer for commands that follow a stream and print none of it.

use std::io;
use std::time::Instant;

use super::{Context, diagnostics};
use crate::follow::{Observer, Question};
use crate::protocol::Event;
use crate::report::SharedConsole;
use crate::streams::Sink;

/// See the module.
pub(super) struct Silent {
    console: SharedConsole,
    /// What diagnostics count from; none are wanted without.
    diagnosed: Option<Instant>,
    out: Sink,
}

impl Silent {
    pub(super) fn new(context: &Context<'_>) -> Self {
        Self {
            console: context.console.clone(),
            diagnosed: diagnostics::wanted(context),
            out: context.streams.out.clone(),
        }
    }
}

impl Observer for Silent {
    fn event(&mut self, _event: &Event<'_>) {}

    fn notice(&mut self, code: &str, message: &str) {
        self.console.notice(code, message);
    }

    fn detail(&mut self, code: &str, message: &str) {
        if let Some(begun) = self.diagnosed {
            self.console
                .notice(code, &diagnostics::timed(begun, message));
        }
    }

    fn idle(&mut self) {}

    fn wake_at(&self) -> Option<Instant> {
        None
    }

    fn ask(&mut self, _question: &Question, _again: bool) {}

    fn asked(&mut self, _typed: bool) {}

    fn unwatched(&mut self) -> bool {
        self.out.failure() == Some(io::ErrorKind::BrokenPipe)
    }
}
