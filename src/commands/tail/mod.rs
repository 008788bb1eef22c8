//! `tail`: events of one or more sessions, history as far as it is held, then live.
//!
//! Each session is a `Lane`; what they bring is merged in the order of its arrival.

mod cursor;
mod filter;
mod follow;
pub(super) mod lane;

use super::apart::{self, Inputs, Written};
use super::outputs::{self, Outputs};
use super::verdict::{self, Facts};
use super::{Context, Flushed};
use crate::cli::Tail;
use crate::error::{Error, Kind, Result};
use crate::exit::Exit;
use crate::follow::Outcome;
use cursor::Cursor;
use follow::{Ended, Merge};

pub(super) fn run(options: &Tail, context: &mut Context<'_>) -> Result<Exit> {
    check(options)?;
    let files: Vec<_> = options
        .cursor
        .iter()
        .map(|path| Written::anew(path))
        .collect();
    apart::check(&Inputs::default(), &files, &[], context)?;
    let cursor = match &options.cursor {
        Some(path) => {
            let path = path.clone();
            Some(context.wait("the cursor's file", move || Cursor::open(&path))?)
        }
        None => None,
    };
    let mut outputs = if options.all || options.sessions.len() > 1 {
        Outputs::merged(context)
    } else {
        Outputs::stdout(context, None)
    }
    .without_answer();
    let mut merge = Merge::new(options, cursor, context)?;
    let mut ended = merge.follow(context, &mut outputs);
    outputs.end(None);
    let written = context.flush(!matches!(ended, Ended::Signal(_)));
    if let Flushed::Signal(signal) = written {
        ended = Ended::Signal(signal);
    }
    outputs.check();
    merge.settle(written)?;
    finish(ended, &merge, &outputs, context)
}

/// What clap cannot say of the options.
fn check(options: &Tail) -> Result<()> {
    let one = !options.all && options.sessions.len() == 1;
    if !one && (options.from.is_some() || options.until.is_some() || options.turn.is_some()) {
        return Err(Error::usage("--from, --until and --turn need one SESSION"));
    }
    if options.all && !options.sessions.is_empty() {
        return Err(Error::usage("--all and a SESSION exclude each other"));
    }
    Ok(())
}

fn finish(ended: Ended, merge: &Merge, outputs: &Outputs, context: &Context<'_>) -> Result<Exit> {
    match ended {
        Ended::Signal(signal) => Err(Error::signal(signal)),
        Ended::Failed(error) => Err(error),
        Ended::Told(exit) => Ok(exit),
        _ if outputs.write_failure.is_some() => Ok(Exit::OutputFailed),
        // A reader that left is an ending, and whoever left knows it.
        Ended::Unwatched if !merge.awaits_a_turn() => Ok(Exit::Done),
        Ended::Unwatched => Ok(Exit::StdoutClosed),
        Ended::Complete if merge.is_cut_off() => Err(Error::new(
            Kind::OutcomeUnknown,
            "the session is idle, but the last turn read has no end",
        )),
        Ended::Complete => Ok(last_turn(merge, outputs, context)),
    }
}

/// With `--until`: the code of the last turn read; none: 0.
fn last_turn(merge: &Merge, outputs: &Outputs, context: &Context<'_>) -> Exit {
    if !merge.awaits_a_turn() {
        return Exit::Done;
    }
    let outcome = Outcome {
        turn: merge.last_turn().cloned(),
        ..Outcome::default()
    };
    let facts = Facts {
        unwatched: outputs.reader_left,
        ..Facts::default()
    };
    let judgement = verdict::judge(&outcome, &facts);
    outputs::tell(&judgement, context);
    judgement.exit
}
