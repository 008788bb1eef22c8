//! Whether a correction has reached the model.
//!
//! The daemon's 202 says only that it is queued: in the last round it is never delivered, and a
//! notice about that comes after the turn's end (protocol, section 11).

use std::ops::ControlFlow;
use std::time::Instant;

use super::Observer;
use super::feed::Feed;
use super::inbox::{Inbox, Input, Pending};
use super::limits::Limits;
use super::losses::FeedEnd;
use crate::client::Client;
use crate::error::{Error, Kind, Result};
use crate::protocol::{ErrorCode, Event, EventKind, Payload, Session};

/// What is known of a correction.
struct Correction<'a> {
    text: &'a str,
    /// The daemon took it.
    accepted: bool,
    delivered: bool,
    /// The turn has ended: the notice about a lost correction has until then to come.
    ended: Option<Instant>,
    lost: bool,
}

/// Sends a correction and waits until it was delivered, or was not.
///
/// # Errors
/// [`ErrorCode::NoActiveTurn`] if the turn ends without it; what the daemon answers; a signal; and
/// [`Kind::OutcomeUnknown`] if the stream is lost.
pub fn steer_and_confirm(
    client: &Client,
    session: &Session,
    text: &str,
    (inbox, limits): (&mut Inbox, &Limits),
    observer: &mut dyn Observer,
) -> Result<()> {
    let feed = Feed::new(
        client.clone(),
        &session.id,
        session.last_seq.saturating_add(1),
        *limits,
    );
    let mut feed = feed.of_a_known_session();
    feed.set_awaiting(true);
    feed.open(inbox);
    let mut steer: Option<Pending<()>> = None;
    let mut correction = Correction {
        text,
        accepted: false,
        delivered: false,
        ended: None,
        lost: false,
    };
    loop {
        if observer.unwatched() {
            return Err(Error::new(Kind::StdoutClosed, "the reader of stdout left"));
        }
        if feed.is_open() && steer.is_none() && !correction.accepted {
            let (client, id, text) = (client.clone(), session.id.clone(), text.to_owned());
            steer = Some(inbox.call(move || client.steer(&id, &text)));
        }
        if let Some(result) = correction.settled(Instant::now()) {
            return result;
        }
        let deadline = feed.deadline().into_iter().chain(correction.ended).min();
        let taken = match inbox.next(deadline, || ()) {
            Some(Input::Signal(signal)) => {
                return Err(Error::signal(signal));
            }
            Some(Input::Stream(connection, message)) if feed.is(connection) => {
                let each = |event: &Event<'_>, _: &mut dyn Observer| {
                    correction.note(event, limits);
                    ControlFlow::Continue(())
                };
                feed.take(message, inbox, observer, each).map(|_| ())
            }
            Some(Input::Answered(number)) if feed.asked(number) => feed.answered(inbox, observer),
            Some(Input::Answered(number)) => {
                if let Some(pending) = steer.take_if(|pending| pending.is(number)) {
                    pending.take()?;
                    correction.accepted = true;
                }
                Ok(())
            }
            Some(_) | None => Ok(()),
        };
        taken
            .and_then(|()| feed.tick(Instant::now(), inbox))
            .map_err(|end| unknown(end, &session.id))?;
    }
}

impl Correction<'_> {
    fn note(&mut self, event: &Event<'_>, limits: &Limits) {
        match event.payload() {
            Payload::TurnSteered(steered) if steered.text == self.text => self.delivered = true,
            Payload::SessionError(error)
                if self.ended.is_some() && error.code == ErrorCode::NoActiveTurn.as_str() =>
            {
                self.lost = true;
            }
            _ if event.kind == EventKind::TurnCompleted && self.ended.is_none() => {
                self.ended = Some(Instant::now() + limits.lag);
            }
            // A turn that began before the correction was taken: it may be meant for this one.
            _ if event.kind == EventKind::TurnStarted && !self.accepted => self.ended = None,
            _ => {}
        }
    }

    /// How it went, once that is known.
    fn settled(&self, now: Instant) -> Option<Result<()>> {
        if !self.accepted {
            return None;
        }
        if self.delivered {
            return Some(Ok(()));
        }
        if self.lost || self.ended.is_some_and(|until| now >= until) {
            let code = Kind::Refused(ErrorCode::NoActiveTurn);
            let what =
                "the correction was accepted, but the turn ended before it reached the model";
            return Some(Err(
                Error::new(code, what).hint("send it as a turn: dcodectl submit")
            ));
        }
        None
    }
}

fn unknown(end: FeedEnd, id: &str) -> Error {
    let what = "the correction was sent, but whether it reached the model was not seen";
    match end {
        FeedEnd::Failed(error) if *error.kind() != Kind::OutcomeUnknown => error,
        FeedEnd::Failed(error) => Error::new(Kind::OutcomeUnknown, format!("{what}: {error}")),
        FeedEnd::Gone { .. } => Error::new(
            Kind::OutcomeUnknown,
            format!("{what}: session {id} went away"),
        ),
        FeedEnd::NothingToCome => Error::new(
            Kind::OutcomeUnknown,
            format!("{what}: session {id} is idle"),
        ),
    }
}
