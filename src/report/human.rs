//! Output for people: a run as it is read in a terminal or in a log.
//!
//! Everything goes to stdout through a buffer that [`Reporter::idle`] empties; counts that only
//! say that something moves go to the status line of the console, and nowhere else.

mod closing;
mod page;
mod plan;
mod prompt;
mod question;
mod session;
mod status;
#[cfg(test)]
mod tests;
mod tools;
mod turn;

use std::fmt;
use std::io::{self, Write};

use self::page::Page;
use self::plan::Plan;
use self::status::Status;
use self::turn::Turn;
use super::console::SharedConsole;
use super::style::Palette;
use super::text::visible_short;
use super::{Reporter, Verdict};
use crate::protocol::{
    Event, EventKind, Payload, Progress, ProgressKind, StopReason, ToolCompleted, ToolRequested,
    TurnCompleted, WireError,
};

/// How much is shown, and how.
pub struct HumanOptions {
    /// Colours of stdout.
    pub palette: Palette,
    /// -1 quiet, 0, 1 verbose, 2 more still.
    pub verbosity: i8,
    /// Columns to lay out by, asked anew for each line that is cut to fit; 0 if unknown.
    pub width: Box<dyn Fn() -> usize>,
    /// Whether to keep the console's status line up to date.
    pub show_status: bool,
    /// A workflow's runner reads the output: no text may act as one of its commands.
    pub workflow_safe: bool,
}

impl fmt::Debug for HumanOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HumanOptions")
            .field("verbosity", &self.verbosity)
            .field("show_status", &self.show_status)
            .finish_non_exhaustive()
    }
}

/// Shows a stream of events to people.
///
/// Call [`Reporter::idle`] about once a second while a turn runs: the status line tells the time.
#[derive(Debug)]
pub struct Human {
    page: Page,
    status: Option<Status>,
    turn: Turn,
    plan: Plan,
    context_window: Option<u64>,
    /// An open question is followed by the commands that answer it.
    explains: bool,
}

impl Human {
    /// Prints to `out`; the status line is the console's.
    #[must_use]
    pub fn new(out: Box<dyn Write>, console: SharedConsole, options: HumanOptions) -> Self {
        let status = options.show_status && options.verbosity >= 0 && console.shows_status();
        Self {
            page: Page::new(out, console, options),
            status: status.then(Status::default),
            turn: Turn::default(),
            plan: Plan::default(),
            context_window: None,
            explains: true,
        }
    }

    /// Leaves out how to answer a question, where this program answers it itself.
    pub fn answers_itself(&mut self) {
        self.explains = false;
    }

    fn explain(&mut self) {
        if self.explains {
            question::explain(&mut self.page, &mut self.turn);
        }
    }

    /// Tells the size of the context, for a stream that does not begin with the session's creation.
    pub fn set_context_window(&mut self, tokens: u64) {
        self.context_window = Some(tokens);
    }

    fn show(&mut self, event: &Event<'_>) {
        let page = &mut self.page;
        match event.payload() {
            Payload::MessageDelta(delta) => page.answer(&delta.text),
            Payload::MessageReasoning(delta) => {
                if page.is_verbose() {
                    page.reasoning(&delta.text);
                }
            }
            Payload::TurnStarted(started) => {
                self.settle_calls("no end was reported");
                self.turn = Turn::start(&event.at);
                self.plan.forget();
                prompt::show(&mut self.page, started.text.as_deref());
            }
            Payload::ToolRequested(request) => self.requested(request),
            Payload::ToolCompleted(done) => self.completed(done),
            Payload::ApprovalRequired(request) => {
                question::asked(page, &mut self.turn, event, request);
            }
            Payload::ApprovalResolved(resolved) => {
                question::resolved(page, &mut self.turn, resolved);
            }
            Payload::PlanUpdated(plan) => self.plan.update(page, &plan.items),
            Payload::Progress(progress) => self.progress(progress),
            Payload::TurnSteered(steered) => session::steered(page, &steered.text),
            Payload::TurnCompleted(completed) => self.end_turn(completed, &event.at),
            Payload::SessionError(error) => self.error(error),
            Payload::SessionCreated(created) => {
                self.context_window = created.context_window.or(self.context_window);
                session::created(page, created);
            }
            Payload::SessionResumed(resumed) => session::resumed(page, resumed),
            Payload::SessionRenamed(renamed) => session::renamed(page, renamed),
            Payload::SessionCompacted(compacted) => session::compacted(page, compacted),
            Payload::ContextBand(band) => session::band(page, band),
            Payload::Unknown | Payload::Malformed(_) => session::foreign(page, event),
        }
    }

    fn requested(&mut self, request: &ToolRequested<'_>) {
        if let Some(oldest) = self.turn.request(request) {
            tools::not_run(&mut self.page, &oldest, "–", "no end was reported");
        }
        if self.page.verbosity >= 2 {
            let input = request.input.map_or("", |input| input.get());
            let text = visible_short(input, 10 * self.page.width());
            self.page.remark("→", &format!("{} {text}", request.name));
        }
    }

    fn completed(&mut self, done: &ToolCompleted<'_>) {
        let call = self.turn.take(&done.tool_call_id);
        self.turn.changes.count(done);
        self.turn.files = None;
        tools::completed(&mut self.page, call.as_ref(), done);
    }

    fn progress(&mut self, progress: &Progress) {
        if self.page.is_verbose() {
            session::progress(&mut self.page, progress);
        }
        match &progress.kind {
            ProgressKind::Rounds => self.next_round(progress),
            ProgressKind::Files => self.turn.files = Some((progress.done, progress.total)),
            ProgressKind::Arguments => {
                let id = progress.tool_call_id.as_deref().unwrap_or_default();
                let name = progress.name.as_deref().unwrap_or("tool");
                self.turn.announce(id, name, progress.done);
            }
            ProgressKind::InFlight | ProgressKind::Other(_) => {}
        }
    }

    /// A round is over: what was asked for in it and has not completed never will.
    fn next_round(&mut self, progress: &Progress) {
        self.settle_calls("not run: refused, or its arguments cannot be used");
        if !self.turn.called && !self.page.is_quiet() {
            self.page.remark("↻", "the model was sent back to go on");
        }
        self.turn.called = false;
        self.turn.rounds = Some((progress.done, progress.total));
        self.page.break_text();
    }

    fn settle_calls(&mut self, why: &str) {
        for call in std::mem::take(&mut self.turn.calls) {
            tools::not_run(&mut self.page, &call, "–", why);
        }
        for announced in std::mem::take(&mut self.turn.announced) {
            let why = "never became a call: no such tool, or its arguments cannot be read";
            tools::never_asked(&mut self.page, &announced, why);
        }
        self.turn.question = None;
    }

    fn end_turn(&mut self, completed: &TurnCompleted, at: &str) {
        self.settle_calls(match completed.reason {
            Some(StopReason::RepeatLoop) => "not run: the third identical call in a row",
            Some(StopReason::Interrupted) => "not finished",
            _ => "not run: refused, or its arguments cannot be used",
        });
        closing::show(
            &mut self.page,
            &self.turn,
            completed,
            at,
            self.context_window,
        );
        self.turn = Turn::default();
    }

    fn error(&mut self, error: &WireError) {
        let running = self.turn.running.is_some();
        self.turn.error = Some(visible_short(&error.code, 60));
        session::error(&mut self.page, error, running);
    }
}

impl Reporter for Human {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        if self.page.verbosity >= 2 && event.kind != EventKind::MessageDelta {
            session::trace(&mut self.page, event);
        }
        if matches!(
            event.kind,
            EventKind::MessageDelta
                | EventKind::MessageReasoning
                | EventKind::ToolRequested
                | EventKind::ToolApprovalRequired
                | EventKind::Progress
        ) {
            self.turn.join();
        }
        self.show(event);
        self.page.write_if_full()
    }

    fn idle(&mut self) -> io::Result<()> {
        self.explain();
        let wrote = self.page.write_out()?;
        if let Some(status) = &mut self.status {
            status.draw(&self.page, &self.turn, wrote);
        }
        Ok(())
    }

    fn end(&mut self, _verdict: Option<&Verdict>) -> io::Result<()> {
        self.explain();
        for call in std::mem::take(&mut self.turn.calls) {
            tools::not_run(
                &mut self.page,
                &call,
                "…",
                "not over when this output ended",
            );
        }
        self.page.break_text();
        self.page.console.clear();
        self.page.write_out()?;
        self.page.over();
        Ok(())
    }
}
