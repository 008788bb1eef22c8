//! `wait --for idle`: until no turn runs.

use std::ops::ControlFlow;
use std::time::Instant;

use super::super::Context;
use super::super::silent::Silent;
use super::super::tail::lane::{End, Lane};
use crate::cli::Wait;
use crate::error::{Error, Kind, Result};
use crate::exit::Exit;
use crate::follow::{FeedEnd, Input, Observer};
use crate::protocol::Event;

pub(super) fn run(options: &Wait, context: &mut Context<'_>) -> Result<Exit> {
    let session = context.session(&options.session)?.value;
    let client = context.client()?;
    // From the last event on, which says whether a turn runs.
    let from = Some(session.last_seq.max(1));
    let mut lane = Lane::new(client, &session, from, End::Idle, context.limits);
    lane.feed.open(&mut context.inbox);
    let mut silent = Silent::new(context);
    while !lane.aim.over {
        if silent.unwatched() {
            return Ok(Exit::StdoutClosed);
        }
        let due = context.deadline.map(|(at, _)| at);
        if due.is_some_and(|due| Instant::now() >= due) {
            return Err(timed_out(&lane, context));
        }
        let deadline = lane.deadline().into_iter().chain(due).min();
        let input = context.inbox.next(deadline, || ());
        step(input, &mut lane, &mut silent, context).map_err(|error| match error {
            Ended::Feed(end) => error_of(end, &session.id),
            Ended::Error(error) => error,
        })?;
    }
    Ok(Exit::Done)
}

/// What ends the wait before the session is idle.
enum Ended {
    Feed(FeedEnd),
    Error(Error),
}

fn step(
    input: Option<Input>,
    lane: &mut Lane,
    silent: &mut Silent,
    context: &mut Context<'_>,
) -> Result<(), Ended> {
    let inbox = &mut context.inbox;
    match input {
        Some(Input::Signal(signal)) => {
            return Err(Ended::Error(Error::signal(signal)));
        }
        Some(Input::Stream(connection, message)) if lane.feed.is(connection) => {
            let Lane { feed, aim, .. } = &mut *lane;
            let each = |event: &Event<'_>, _: &mut dyn Observer| {
                aim.note(event);
                ControlFlow::Continue(())
            };
            let _ = feed
                .take(message, inbox, silent, each)
                .map_err(Ended::Feed)?;
            lane.check();
        }
        Some(Input::Answered(number)) if lane.feed.asked(number) => {
            lane.feed.answered(inbox, silent).map_err(Ended::Feed)?;
        }
        Some(Input::Answered(number)) => {
            lane.answered(number);
        }
        Some(_) | None => {}
    }
    let now = Instant::now();
    lane.tick(now, inbox);
    lane.feed.tick(now, inbox).map_err(Ended::Feed)
}

fn timed_out(lane: &Lane, context: &Context<'_>) -> Error {
    let bound = context
        .deadline
        .map(|(_, bound)| humantime::format_duration(bound));
    let bound = bound.map(|bound| bound.to_string()).unwrap_or_default();
    let last = lane.feed.next_seq() - 1;
    let message = format!(
        "--timeout {bound} reached, waiting for the session to be idle; last event: seq {last}"
    );
    Error::new(Kind::Timeout, message)
}

fn error_of(end: FeedEnd, id: &str) -> Error {
    match end {
        FeedEnd::Failed(error) => error,
        FeedEnd::Gone { .. } | FeedEnd::NothingToCome => Error::new(
            Kind::OutcomeUnknown,
            format!("session {id} went away before it was idle"),
        ),
    }
}
