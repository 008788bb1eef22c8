//! Where a followed stream goes: stdout, the events file, the answer, the summary.
//!
//! Also what becomes of a write that fails: a reader that left is an ending, anything else is
//! reported once and the rest goes on.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::thread;

use super::Context;
use super::context::write_failed;
use crate::cli::Output;
use crate::error::{Error, Kind, Result};
use crate::exit::Exit;
use crate::follow::{Input, Observer, Question, Waker};
use crate::protocol::Event;
use crate::report::{
    AnswerReporter, AnswerText, Human, HumanOptions, Ndjson, Reporter, SharedConsole, Summary,
    Verdict,
};
use crate::streams::{Queue, Sink};

/// A file that was asked for.
struct FileOutput {
    path: PathBuf,
    sink: Sink,
    reporter: Box<dyn Reporter>,
    failed: bool,
}

/// See the module.
pub(super) struct Outputs {
    console: SharedConsole,
    verbose: bool,
    out: Sink,
    stdout: Option<Box<dyn Reporter>>,
    events: Option<FileOutput>,
    summary: Option<FileOutput>,
    /// The summary is the last line of stdout.
    summary_on_stdout: Option<Box<dyn Reporter>>,
    answer: AnswerText,
    keyboard: Keyboard,
    /// The reader of stdout left.
    pub(super) reader_left: bool,
    /// A write failed, other than for a reader that left.
    pub(super) write_failed: bool,
}

impl Outputs {
    /// stdout alone, in the format asked for.
    pub(super) fn stdout(context: &mut Context<'_>, context_window: Option<u64>) -> Self {
        Self {
            console: context.console.clone(),
            verbose: context.global.verbose > 0,
            out: context.streams.out.clone(),
            stdout: Some(reporter(context, context_window)),
            events: None,
            summary: None,
            summary_on_stdout: None,
            answer: AnswerText::new(),
            keyboard: Keyboard::new(context),
            reader_left: false,
            write_failed: false,
        }
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
                let sink = open(path, context)?;
                let reporter = Box::new(Summary::new(sink.clone()));
                self.summary = Some(FileOutput {
                    path: path.into(),
                    sink,
                    reporter,
                    failed: false,
                });
            }
            None => {}
        }
        if let Some(path) = events {
            let sink = open(path, context)?;
            let reporter = Box::new(Ndjson::new(sink.clone()));
            self.events = Some(FileOutput {
                path: path.into(),
                sink,
                reporter,
                failed: false,
            });
        }
        Ok(())
    }

    /// The session's context window has become known.
    pub(super) fn set_stdout(&mut self, context: &Context<'_>, context_window: Option<u64>) {
        if self.stdout.is_some() {
            self.stdout = Some(reporter(context, context_window));
        }
    }

    /// The final answer so far.
    pub(super) fn answer(&self) -> Option<String> {
        self.answer.text()
    }

    /// Whether anything but stdout is written.
    fn has_files(&self) -> bool {
        self.events.is_some() || self.summary.is_some()
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

    /// Writes the summary.
    pub(super) fn summarise(&mut self, verdict: &Verdict) {
        if let Some(summary) = &mut self.summary {
            let _ = summary.reporter.end(Some(verdict));
        }
        if let Some(summary) = &mut self.summary_on_stdout {
            let _ = summary.end(Some(verdict));
        }
    }

    /// The sinks of the files, for waiting until they are written.
    pub(super) fn files(&self) -> Vec<Sink> {
        let files = self.events.iter().chain(&self.summary);
        files.map(|file| file.sink.clone()).collect()
    }

    /// Looks for writes that have failed since the last look.
    pub(super) fn check(&mut self) {
        for file in self.events.iter_mut().chain(&mut self.summary) {
            if let Some(kind) = file.sink.failure()
                && !file.failed
            {
                file.failed = true;
                self.write_failed = true;
                let error = file_error(&file.path, io::Error::from(kind));
                report(&self.console, &error);
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
            self.write_failed = true;
            report(&self.console, &write_failed(kind));
        }
    }
}

/// Shows a failure that does not end the command.
fn report(console: &SharedConsole, error: &Error) {
    let exit = Exit::from(error.kind());
    console.error(
        exit.name(),
        exit.number(),
        &error.to_string(),
        error.hint_text(),
    );
}

fn file_error(path: &Path, error: io::Error) -> Error {
    Error::new(
        Kind::OutputFailed,
        format!("{} cannot be written", path.display()),
    )
    .caused_by(error)
}

/// Opens and empties a file. On a thread of its own, as opening a named pipe waits for a reader.
fn open(path: &Path, context: &mut Context<'_>) -> Result<Sink> {
    let path = path.to_owned();
    let file: File = context.wait("a file to be opened for writing", move || {
        OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path)
            .map_err(|error| file_error(&path, error))
    })?;
    let sink = Queue::to_file(file);
    let waker = context.inbox.waker();
    sink.on_change(move || waker.nudge());
    Ok(sink)
}

/// The reporter of stdout.
fn reporter(context: &Context<'_>, context_window: Option<u64>) -> Box<dyn Reporter> {
    let out = context.streams.out.clone();
    match context.global.format() {
        Output::Ndjson => Box::new(Ndjson::new(out)),
        Output::Answer => Box::new(AnswerReporter::new(out, context.streams.out_terminal)),
        Output::Human => {
            let verbosity = match (context.global.quiet, context.global.verbose) {
                (true, _) => -1,
                (false, level) => i8::try_from(level.min(2)).unwrap_or(2),
            };
            let width = context.streams.width;
            let options = HumanOptions {
                palette: context.palette,
                verbosity,
                width: Box::new(width),
                show_status: context.streams.err_terminal,
                workflow_safe: context.surroundings.in_workflow(),
            };
            let mut human = Human::new(Box::new(out), context.console.clone(), options);
            if let Some(tokens) = context_window {
                human.set_context_window(tokens);
            }
            Box::new(human)
        }
    }
}

impl Observer for Outputs {
    fn event(&mut self, event: &Event<'_>) {
        self.answer.push(event);
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
        if self.verbose {
            self.console.notice(code, message);
        }
    }

    fn idle(&mut self) {
        let events = self.events.iter_mut().map(|file| &mut file.reporter);
        for reporter in events.chain(&mut self.stdout) {
            let _ = reporter.idle();
        }
        self.check();
    }

    fn animated(&self) -> bool {
        self.console.shows_status()
    }

    fn ask(&mut self, question: &Question) {
        self.keyboard.listen();
        let subject = super::approvals::subject(question).unwrap_or_default();
        let tool = crate::report::visible(&question.request.tool).into_owned();
        self.console.block(&format!(
            "{tool} {}\nallow? [y]es, [n]o, for the [s]ession, the [p]roject, [a]lways: ",
            crate::report::visible(&subject)
        ));
    }

    fn unwatched(&self) -> bool {
        self.reader_left && !self.has_files()
    }
}

/// The terminal's lines, read from the first question on and not before.
struct Keyboard {
    stdin: Option<Box<dyn Read + Send>>,
    waker: Waker,
    listening: bool,
}

impl Keyboard {
    fn new(context: &mut Context<'_>) -> Self {
        Self {
            stdin: context
                .streams
                .in_terminal
                .then(|| context.streams.stdin.take())
                .flatten(),
            waker: context.inbox.waker(),
            listening: false,
        }
    }

    fn listen(&mut self) {
        if self.listening {
            return;
        }
        self.listening = true;
        let (stdin, waker) = (self.stdin.take(), self.waker.clone());
        thread::spawn(move || {
            // Without a stdin the prompt was read from it, and the terminal is at its end.
            let mut lines = stdin.map(|stdin| BufReader::new(stdin).lines());
            while let Some(Ok(line)) = lines.as_mut().and_then(Iterator::next) {
                waker.send(Input::Typed(Some(line)));
            }
            waker.send(Input::Typed(None));
        });
    }
}

/// Flushes a file's sink at the end; a failure stays with the sink.
pub(super) fn flush(sink: &mut Sink) {
    let _ = sink.flush();
}
