//! Where a followed stream goes: stdout, the events file, the answer, the summary.
//!
//! Also what becomes of a write that fails: a reader that left is an ending, anything else is
//! reported once and the rest goes on.

use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use super::context::write_failed;
use super::files::{FileOutput, open};
use super::heartbeat::Heartbeat;
use super::keyboard::Keyboard;
use super::reports::Reports;
use super::verdict::Judgement;
use super::{Context, diagnostics};
use crate::cli::{Output, ReportTarget};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::follow::{Observer, Question};
use crate::protocol::Event;
use crate::report::{
    AnswerReporter, AnswerText, Human, HumanOptions, Merged, Ndjson, Reporter, SharedConsole,
    Summary, Verdict, tables,
};
use crate::streams::Sink;

/// How often something that tells the time is shown anew.
const REDRAW: Duration = Duration::from_secs(1);

/// See the module.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, not a state machine in disguise"
)]
pub(super) struct Outputs {
    console: SharedConsole,
    /// What diagnostics count from; none are wanted without.
    diagnosed: Option<Instant>,
    out: Sink,
    stdout: Option<Box<dyn Reporter>>,
    events: Option<FileOutput>,
    summary: Option<FileOutput>,
    reports: Reports,
    /// The summary is the last line of stdout.
    summary_on_stdout: Option<Box<dyn Reporter>>,
    /// Only where a turn is awaited: it grows.
    answer: Option<AnswerText>,
    heartbeat: Option<Heartbeat>,
    keyboard: Keyboard,
    /// stdout gets whole lines only.
    holds_lines: bool,
    /// Questions are answered by this program or at this terminal, not by another client.
    answers_itself: bool,
    /// The page on stdout shows a question to whoever answers on stderr.
    question_on_stdout: bool,
    /// The reader of stdout left.
    pub(super) reader_left: bool,
    /// What the first write was told as that failed, other than for a reader that left.
    pub(super) write_failure: Option<String>,
}

impl Outputs {
    /// stdout alone, in the format asked for.
    pub(super) fn stdout(context: &Context<'_>, context_window: Option<u64>) -> Self {
        Self {
            console: context.console.clone(),
            diagnosed: diagnostics::wanted(context),
            out: context.streams.out.clone(),
            stdout: Some(reporter(context, context_window, false)),
            events: None,
            summary: None,
            reports: Reports::default(),
            summary_on_stdout: None,
            answer: Some(AnswerText::new()),
            heartbeat: None,
            keyboard: Keyboard::new(context),
            holds_lines: false,
            answers_itself: false,
            question_on_stdout: context.streams.out_terminal
                && context.global.format() == Output::Human,
            reader_left: false,
            write_failure: None,
        }
    }

    /// stdout alone, for events of several sessions.
    pub(super) fn merged(context: &mut Context<'_>) -> Self {
        let mut outputs = Self::stdout(context, None);
        if context.global.format() == Output::Human {
            let (out, console) = (context.streams.out.clone(), context.console.clone());
            let (palette, verbosity, width) =
                (context.palette, verbosity(context), context.streams.width);
            let workflow_safe = context.surroundings.in_workflow();
            let make = move |out: Box<dyn Write>| {
                let options = HumanOptions {
                    palette,
                    verbosity,
                    width: Box::new(width),
                    show_status: false,
                    workflow_safe,
                };
                Human::new(out, console.clone(), options)
            };
            outputs.holds_lines = true;
            outputs.stdout = Some(Box::new(Merged::new(out, Box::new(make))));
        }
        outputs
    }

    /// No answer will be asked for.
    pub(super) fn without_answer(mut self) -> Self {
        self.answer = None;
        self
    }

    /// Whether everything printed so far has left the program.
    pub(super) fn is_written(&self) -> bool {
        // Of several sessions on one page a begun line is held back until it is whole.
        !self.holds_lines && self.out.is_written()
    }

    /// Opens and empties the files that were asked for, before anything is sent.
    ///
    /// # Errors
    /// 74 if one cannot be opened.
    pub(super) fn open_files(
        &mut self,
        events: Option<&Path>,
        summary: Option<&Path>,
        context: &mut Context<'_>,
    ) -> Result<()> {
        // The summary is opened first: it is written on every way out, this one included.
        match summary {
            Some(path) if path == Path::new("-") => {
                self.summary_on_stdout = Some(Box::new(Summary::new(context.streams.out.clone())));
            }
            Some(path) => {
                let sink = open(path, false, context)?;
                let reporter = Box::new(Summary::new(sink.clone()));
                self.summary = Some(FileOutput::new(path, sink, reporter));
            }
            None => {}
        }
        if let Some(path) = events {
            let sink = open(path, false, context)?;
            let reporter = Box::new(Ndjson::new(sink.clone()));
            self.events = Some(FileOutput::new(path, sink, reporter));
        }
        Ok(())
    }

    /// Opens the reports that were asked for, before anything is sent.
    ///
    /// # Errors
    /// 74 if one cannot be opened.
    pub(super) fn open_reports(
        &mut self,
        targets: &[ReportTarget],
        context: &mut Context<'_>,
    ) -> Result<()> {
        self.reports.open(targets, context)
    }

    /// Whether there are reports.
    pub(super) fn reports(&self) -> bool {
        !self.reports.is_empty()
    }

    /// Writes the reports.
    pub(super) fn report(&mut self, verdict: Option<&Verdict>) {
        self.reports.end(verdict);
    }

    /// Questions are answered here: how else to answer them is not said.
    pub(super) fn answers_itself(&mut self) {
        self.answers_itself = true;
    }

    /// Asks for a sign of life when nothing was printed for so long.
    pub(super) fn set_heartbeat(&mut self, interval: Option<Duration>) {
        self.heartbeat = interval.map(Heartbeat::new);
    }

    /// The session's context window has become known, and the prompt is read: what else is typed
    /// answers questions.
    pub(super) fn set_stdout(&mut self, context: &mut Context<'_>, context_window: Option<u64>) {
        self.keyboard.attach(context);
        if self.stdout.is_some() {
            self.stdout = Some(reporter(context, context_window, self.answers_itself));
        }
    }

    /// The final answer so far.
    pub(super) fn answer(&self) -> Option<String> {
        self.answer.as_ref().and_then(AnswerText::text)
    }

    /// Whether anything but stdout is written.
    fn has_files(&self) -> bool {
        self.events.is_some() || self.summary.is_some() || self.reports()
    }

    /// Ends stdout and the events file; the summary comes last and has its own call.
    pub(super) fn end(&mut self, verdict: Option<&Verdict>) {
        if let Some(stdout) = &mut self.stdout {
            let _ = stdout.end(verdict);
        }
        if let Some(events) = &mut self.events {
            let _ = events.reporter.end(verdict);
        }
        self.console.clear();
    }

    /// Writes the summary, and gives where it goes.
    pub(super) fn summarise(&mut self, verdict: &Verdict) -> Option<Sink> {
        if let Some(summary) = &mut self.summary {
            let _ = summary.reporter.end(Some(verdict));
            return Some(summary.sink.clone());
        }
        let _ = self.summary_on_stdout.as_mut()?.end(Some(verdict));
        Some(self.out.clone())
    }

    /// The sinks of the files with their names, for waiting until they are written.
    pub(super) fn files(&self) -> Vec<(Sink, String)> {
        let files = self.events.iter().chain(&self.summary);
        let files = files.chain(&self.reports.files);
        files
            .map(|file| (file.sink.clone(), file.path.display().to_string()))
            .collect()
    }

    /// Looks for writes that have failed since the last look.
    pub(super) fn check(&mut self) {
        let files = self.events.iter_mut().chain(&mut self.summary);
        for file in files.chain(&mut self.reports.files) {
            if let Some(error) = file.new_failure() {
                report(&self.console, &error);
                self.write_failure.get_or_insert_with(|| error.to_string());
            }
        }
        let Some(kind) = self.out.failure() else {
            return;
        };
        if self.stdout.take().is_none() {
            return;
        }
        self.console.clear();
        if kind == io::ErrorKind::BrokenPipe {
            self.reader_left = true;
        } else {
            let error = write_failed(kind);
            if self.out.untold_failure().is_some() {
                report(&self.console, &error);
            }
            self.write_failure.get_or_insert_with(|| error.to_string());
        }
    }
}

/// Shows a failure; the number to exit with where it ends the command.
pub(crate) fn report(console: &SharedConsole, error: &Error) -> u8 {
    let exit = Exit::from(error.kind());
    console.error(
        Exit::code_of(error.kind()),
        exit.number(),
        &error.to_string(),
        error.hint_text(),
    );
    exit.number()
}

/// -1 to 2.
fn verbosity(context: &Context<'_>) -> i8 {
    match (context.global.quiet, context.global.verbose) {
        (true, _) => -1,
        (false, level) => i8::try_from(level.min(2)).unwrap_or(2),
    }
}

/// The reporter of stdout.
fn reporter(
    context: &Context<'_>,
    context_window: Option<u64>,
    answers_itself: bool,
) -> Box<dyn Reporter> {
    let out = context.streams.out.clone();
    match context.global.format() {
        Output::Ndjson => Box::new(Ndjson::new(out)),
        Output::Answer => Box::new(AnswerReporter::new(out, context.streams.out_terminal)),
        Output::Human => {
            let width = context.streams.width;
            let options = HumanOptions {
                palette: context.palette,
                verbosity: verbosity(context),
                width: Box::new(width),
                show_status: context.streams.err_terminal,
                workflow_safe: context.surroundings.in_workflow(),
            };
            let mut human = Human::new(Box::new(out), context.console.clone(), options);
            if let Some(tokens) = context_window {
                human.set_context_window(tokens);
            }
            if answers_itself {
                human.answers_itself();
            }
            Box::new(human)
        }
    }
}

impl Observer for Outputs {
    fn event(&mut self, event: &Event<'_>) {
        if let Some(heartbeat) = &mut self.heartbeat {
            heartbeat.note(event);
        }
        if let Some(answer) = &mut self.answer {
            answer.push(event);
        }
        self.reports.event(event);
        let files = self.events.iter_mut().chain(&mut self.summary);
        let files = files.map(|file| &mut file.reporter);
        for reporter in files
            .chain(&mut self.summary_on_stdout)
            .chain(&mut self.stdout)
        {
            // A failure stays with the sink, where `check` finds it.
            let _ = reporter.event(event);
        }
    }

    fn notice(&mut self, code: &str, message: &str) {
        self.console.notice(code, message);
    }

    fn detail(&mut self, code: &str, message: &str) {
        if let Some(begun) = self.diagnosed {
            self.console
                .notice(code, &diagnostics::timed(begun, message));
        }
    }

    fn idle(&mut self) {
        let events = self.events.iter_mut().map(|file| &mut file.reporter);
        for reporter in events.chain(&mut self.stdout) {
            let _ = reporter.idle();
        }
        if let Some(heartbeat) = &mut self.heartbeat {
            heartbeat.beat(self.out.pushed(), &self.console);
        }
        self.check();
        self.console.remind();
    }

    fn wake_at(&self) -> Option<Instant> {
        let redraw = self.console.shows_status().then(|| Instant::now() + REDRAW);
        let heartbeat = self.heartbeat.as_ref().map(Heartbeat::due);
        redraw.into_iter().chain(heartbeat).min()
    }

    fn ask(&mut self, question: &Question, again: bool) {
        // The page first: the question may stand on it.
        self.idle();
        self.keyboard.listen();
        let palette = self.console.palette();
        if !again && !self.question_on_stdout {
            let text = super::approvals::described(question, &palette);
            self.console.block(&text);
        }
        self.console
            .prompt(&tables::approval_prompt(again, &palette));
    }

    fn asked(&mut self, typed: bool) {
        self.console.unprompt(typed);
    }

    fn unwatched(&mut self) -> bool {
        self.check();
        self.reader_left && !self.has_files()
    }
}

/// Says how a turn went, on stderr: calmly where that is a result, else as an error.
pub(super) fn tell(judgement: &Judgement, context: &Context<'_>) {
    let Some(message) = &judgement.message else {
        return;
    };
    let console = &context.console;
    let number = judgement.exit.number();
    // A log is read long after the shell has forgotten the code.
    let coded = format!("{message} (exit code {number})");
    let message = if context.json() { message } else { &coded };
    if judgement.is_calm() {
        console.notice(&judgement.name, message);
    } else {
        console.error(&judgement.name, number, message, judgement.hint.as_deref());
    }
}
