//! `render`: an NDJSON log as any output, in the order of its lines.

use std::fs::File;
use std::io::Read as _;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use super::Context;
use super::apart::{self, Inputs};
use super::context::Flushed;
use super::outputs::Outputs;
use super::verdict;
use crate::cli::{Output, Render};
use crate::error::{Error, Kind, Result};
use crate::exit::Exit;
use crate::follow::Observer;
use crate::protocol::{Event, EventKind, Payload, StopReason};
use crate::report::Verdict;

/// The longest line, as on the wire: 64 MiB.
const LINE_CAP: u64 = 64 * 1024 * 1024;

pub(super) fn run(options: &Render, context: &mut Context<'_>) -> Result<Exit> {
    let (inputs, targets) = (Inputs::log(&options.file), &options.reports.report);
    let files: Vec<_> = apart::reports(targets).collect();
    apart::check(&inputs, &files, targets, context)?;
    let mut outputs = Outputs::stdout(context, None);
    outputs.open_reports(targets, context)?;
    let lines = Lines::open(&options.file, context)?;
    let mut verdict = None;
    let broken = show(lines, &options.file, &mut verdict, &mut outputs, context)?;
    if outputs.write_failure.is_some() {
        return Ok(Exit::OutputFailed);
    }
    // What stands before a line that is no event is shown all the same.
    if let Some(error) = broken {
        outputs.end(None);
        return Err(error);
    }
    if context.global.format() == Output::Answer {
        let ended = verdict.is_some();
        let shown = verdict.get_or_insert_with(Verdict::default);
        shown.answer = outputs.answer();
        // A reader that left wants no word.
        if !outputs.unwatched() {
            let end = (ended, shown.reason.as_ref());
            verdict::explain_empty_answer(shown.answer.is_some(), end, context);
        }
    }
    outputs.end(verdict.as_ref());
    outputs.report(verdict.as_ref());
    for (mut sink, _) in outputs.files() {
        if let Flushed::Signal(signal) = context.settle(&mut sink, true) {
            return Err(Error::signal(signal));
        }
    }
    outputs.check();
    Ok(if outputs.write_failure.is_some() {
        Exit::OutputFailed
    } else {
        Exit::Done
    })
}

/// Shows the lines in their order; gives what is wrong with the one that ended them, if one did.
fn show(
    mut lines: Lines,
    file: &Path,
    verdict: &mut Option<Verdict>,
    outputs: &mut Outputs,
    context: &mut Context<'_>,
) -> Result<Option<Error>> {
    loop {
        // The file may be a pipe that stays quiet, so each batch is read on a thread of its own.
        let read = context.wait("the log", move || Ok(lines.batch()));
        let Read {
            rest,
            batch,
            mut error,
        } = read?;
        lines = rest;
        let last = batch.is_empty();
        for (number, line) in batch {
            match Event::parse(&line) {
                Ok(event) => {
                    note_end(verdict, &event);
                    outputs.event(&event);
                }
                Err(why) => {
                    error = Some(no_event(file, number, &why));
                    break;
                }
            }
        }
        outputs.idle();
        if last || error.is_some() || outputs.unwatched() || outputs.write_failure.is_some() {
            return Ok(error);
        }
    }
}

/// Keeps the reason of the last turn; a turn that begins has none yet.
fn note_end(verdict: &mut Option<Verdict>, event: &Event<'_>) {
    match event.kind {
        EventKind::TurnStarted => *verdict = None,
        EventKind::TurnCompleted => {
            let reason: Option<StopReason> = match event.payload() {
                Payload::TurnCompleted(end) => end.reason.clone(),
                _ => None,
            };
            *verdict = Some(Verdict {
                reason,
                ..Verdict::default()
            });
        }
        _ => {}
    }
}

fn no_event(file: &Path, number: u64, error: &crate::protocol::NotAnEvent) -> Error {
    Error::new(Kind::Protocol, format!("line {number} of {} is {error}", file.display()))
        .hint("render reads one event envelope a line, as --events, -o ndjson and the daemon's record file have them")
}

/// The lines of a log, in batches.
struct Lines {
    reader: BufReader<Box<dyn io::Read + Send>>,
    number: u64,
    name: String,
}

impl Lines {
    fn open(path: &Path, context: &mut Context<'_>) -> Result<Self> {
        let reader: Box<dyn io::Read + Send> = if path == Path::new("-") {
            context
                .streams
                .stdin
                .take()
                .unwrap_or_else(|| Box::new(io::empty()))
        } else {
            let file = path.to_owned();
            Box::new(context.wait("the log", move || {
                File::open(&file).map_err(|error| {
                    Error::usage(format!("{} cannot be read", file.display())).caused_by(error)
                })
            })?)
        };
        Ok(Self {
            reader: BufReader::new(reader),
            number: 0,
            name: path.display().to_string(),
        })
    }

    /// The next lines that are at hand, with their numbers; none at the end.
    fn batch(mut self) -> Read {
        let mut batch = Vec::new();
        let mut error = None;
        while batch.is_empty() || (self.reader.buffer().contains(&b'\n') && batch.len() < 1000) {
            match self.line() {
                Ok(Some(line)) if line.trim().is_empty() => {}
                Ok(Some(line)) => batch.push((self.number, line)),
                Ok(None) => break,
                Err(why) => {
                    error = Some(why);
                    break;
                }
            }
        }
        Read {
            rest: self,
            batch,
            error,
        }
    }

    /// The next line, without its end.
    fn line(&mut self) -> Result<Option<String>> {
        let mut line = Vec::new();
        let read = (&mut self.reader)
            .take(LINE_CAP)
            .read_until(b'\n', &mut line)
            .map_err(|error| {
                Error::usage(format!("{} cannot be read", self.name)).caused_by(error)
            })?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        let mut text = String::from_utf8(line).map_err(|error| {
            let what = format!("line {} of {} is not UTF-8", self.number, self.name);
            Error::new(Kind::Protocol, what).caused_by(error)
        })?;
        text.truncate(text.trim_end_matches(['\n', '\r']).len());
        Ok(Some(text))
    }
}

/// Lines that were read, and what kept the next one from being read.
struct Read {
    rest: Lines,
    batch: Vec<(u64, String)>,
    error: Option<Error>,
}
