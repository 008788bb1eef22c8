//! `render`: an NDJSON log as any output, in the order of its lines.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use super::Context;
use super::context::Flushed;
use super::outputs::{self, Outputs};
use crate::cli::{Output, Render};
use crate::error::{Error, Kind, Result};
use crate::exit::Exit;
use crate::follow::Observer;
use crate::protocol::{Event, EventKind, Payload, StopReason};
use crate::report::Verdict;

/// The longest line, as on the wire: 64 MiB.
const LINE_CAP: u64 = 64 * 1024 * 1024;

pub(super) fn run(options: &Render, context: &mut Context<'_>) -> Result<Exit> {
    let mut outputs = Outputs::stdout(context, None);
    outputs.open_reports(&options.reports.report, context)?;
    let mut lines = Lines::open(&options.file, context)?;
    let mut verdict = None;
    loop {
        // The file may be a pipe that stays quiet, so each batch is read on a thread of its own.
        let (read, batch) = context.wait("the log", move || lines.batch())?;
        lines = read;
        let last = batch.is_empty();
        for (number, line) in batch {
            let event =
                Event::parse(&line).map_err(|error| no_event(&options.file, number, &error))?;
            note_end(&mut verdict, &event, &outputs);
            outputs.event(&event);
        }
        outputs.idle();
        if outputs.unwatched() || last {
            break;
        }
        if outputs.write_failed {
            return Ok(Exit::OutputFailed);
        }
    }
    if context.global.format() == Output::Answer {
        let verdict = verdict.get_or_insert_with(Verdict::default);
        verdict.answer = outputs.answer();
    }
    outputs.end(verdict.as_ref());
    outputs.report(verdict.as_ref());
    for (mut sink, _) in outputs.files() {
        if let Flushed::Signal(signal) = context.settle(&mut sink, true) {
            return Err(outputs::stopped(signal));
        }
    }
    outputs.check();
    Ok(if outputs.write_failed {
        Exit::OutputFailed
    } else {
        Exit::Done
    })
}

/// Keeps the reason of the last turn; a turn that begins has none yet.
fn note_end(verdict: &mut Option<Verdict>, event: &Event<'_>, _outputs: &Outputs) {
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
    reader: BufReader<Box<dyn Read + Send>>,
    number: u64,
    name: String,
}

impl Lines {
    fn open(path: &Path, context: &mut Context<'_>) -> Result<Self> {
        let reader: Box<dyn Read + Send> = if path == Path::new("-") {
            context
                .streams
                .stdin
                .take()
                .unwrap_or_else(|| Box::new(std::io::empty()))
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

    /// The next lines that are at hand, with their numbers; empty at the end.
    fn batch(mut self) -> Result<(Self, Vec<(u64, String)>)> {
        let mut batch = Vec::new();
        while batch.is_empty() || (self.reader.buffer().contains(&b'\n') && batch.len() < 1000) {
            let mut line = Vec::new();
            let read = (&mut self.reader)
                .take(LINE_CAP)
                .read_until(b'\n', &mut line)
                .map_err(|error| {
                    Error::usage(format!("{} cannot be read", self.name)).caused_by(error)
                })?;
            if read == 0 {
                break;
            }
            self.number += 1;
            let text = String::from_utf8(line).map_err(|error| {
                Error::new(
                    Kind::Protocol,
                    format!("line {} of {} is not UTF-8", self.number, self.name),
                )
                .caused_by(error)
            })?;
            let text = text.trim_end_matches(['\n', '\r']);
            if !text.trim().is_empty() {
                batch.push((self.number, text.to_owned()));
            }
        }
        Ok((self, batch))
    }
}
