//! `tail`: a session's events, history as far as it is held, then live.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::Context;
use super::outputs::Outputs;
use crate::cli::Tail;
use crate::error::{Error, Kind, Result};
use crate::exit::Exit;
use crate::follow::{Feed, FeedEnd, Input, Observer};
use crate::protocol::Event;

/// How often something that tells the time is shown anew.
const REDRAW: Duration = Duration::from_secs(1);

pub(super) fn run(options: &Tail, context: &mut Context<'_>) -> Result<Exit> {
    let session = context.session(&options.session)?.value;
    let mut outputs = Outputs::stdout(context, session.context_window);
    let first = session.first_seq.unwrap_or(1);
    let client = context.client()?;
    let mut feed = match options.from {
        Some(from) => Feed::new(client, &session.id, from, context.limits),
        None => Feed::new(client, &session.id, first, context.limits).from_oldest(),
    };
    feed = feed.of_a_known_session();
    let through = options.no_follow.then_some(session.last_seq);
    let end = follow(&mut feed, through, context, &mut outputs);
    outputs.end(None);
    outputs.check();
    match end {
        Some(Ended::Signal(signal)) => Err(Error::new(Kind::Signal(signal), "stopped by a signal")),
        Some(Ended::WriteFailed) => Ok(Exit::OutputFailed),
        Some(Ended::Feed(end)) => ended(end, &session.id, through),
        // A reader that left is an ending, and whoever left knows it.
        Some(Ended::Unwatched) | None => Ok(Exit::Done),
    }
}

/// What ended a tail before everything asked for was printed.
enum Ended {
    Signal(i32),
    Unwatched,
    WriteFailed,
    Feed(FeedEnd),
}

fn follow(
    feed: &mut Feed,
    through: Option<u64>,
    context: &mut Context<'_>,
    outputs: &mut Outputs,
) -> Option<Ended> {
    feed.open(&mut context.inbox);
    while through.is_none_or(|through| feed.next_seq() <= through) {
        if outputs.unwatched() {
            return Some(Ended::Unwatched);
        }
        if outputs.write_failed {
            return Some(Ended::WriteFailed);
        }
        let redraw = outputs.animated().then(|| Instant::now() + REDRAW);
        let deadline = feed.deadline().into_iter().chain(redraw).min();
        let inbox = &mut context.inbox;
        let taken = match inbox.next(deadline, || outputs.idle()) {
            Some(Input::Stream(connection, message)) if feed.is(connection) => {
                let each = |event: &Event<'_>, observer: &mut dyn Observer| {
                    if through.is_some_and(|through| event.seq > through) {
                        return ControlFlow::Break(());
                    }
                    observer.event(event);
                    ControlFlow::Continue(())
                };
                feed.take(message, inbox, outputs, each).map(|_| ())
            }
            Some(Input::Answered(number)) if feed.asked(number) => feed.answered(inbox, outputs),
            Some(Input::Signal(signal)) => return Some(Ended::Signal(signal)),
            Some(Input::Output) => {
                outputs.check();
                Ok(())
            }
            Some(_) | None => Ok(()),
        };
        if let Err(end) = taken.and_then(|()| feed.tick(Instant::now(), &mut context.inbox)) {
            return Some(Ended::Feed(end));
        }
    }
    None
}

fn ended(end: FeedEnd, id: &str, through: Option<u64>) -> Result<Exit> {
    match end {
        FeedEnd::Gone { orderly: true } if let Some(through) = through => {
            let message = format!(
                "session {id} was closed before its events up to seq {through} were all printed"
            );
            Err(Error::new(Kind::OutcomeUnknown, message))
        }
        FeedEnd::Gone { orderly: true } | FeedEnd::NothingToCome => Ok(Exit::Done),
        FeedEnd::Gone { orderly: false } => {
            let message = format!("the stream was lost, and session {id} is gone");
            Err(Error::new(Kind::OutcomeUnknown, message).hint("dcodectl list"))
        }
        FeedEnd::Failed(error) => Err(error),
    }
}
