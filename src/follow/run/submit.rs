//! The submit of a followed turn, its refusals and its lost answers.

use std::time::Instant;

use super::{Flow, ON, OVER, Run, Target};
use crate::error::{Error, Kind};
use crate::follow::detached::busy;
use crate::follow::feed::Feed;
use crate::follow::history;
use crate::follow::inbox::Pending;
use crate::protocol::{ErrorCode, Session};

/// How far the submit is.
pub(super) enum Submission {
    /// Not ours to submit.
    None,
    /// Waits for the stream to be open, so that the turn cannot outrun it.
    Opening,
    /// Sent.
    Posting(Pending<()>),
    /// Refused as busy: is it?
    Conflict(Pending<Option<Session>>),
    /// The daemon took it.
    Accepted,
    /// Written, but the answer was lost: the stream may still show the turn.
    Unanswered(Instant, Option<Error>),
}

impl Run<'_> {
    pub(super) fn post(&mut self) {
        let Target::Submit(turn, _) = &self.plan.target else {
            return;
        };
        let (client, id, turn) = (
            self.plan.client.clone(),
            self.plan.session_id.clone(),
            turn.clone(),
        );
        self.conflict_due
            .get_or_insert(Instant::now() + self.plan.limits.lag);
        self.submission = Submission::Posting(self.inbox.call(move || client.submit(&id, &turn)));
    }

    pub(super) fn posted(&mut self, result: Result<(), Error>) -> Flow {
        match result {
            Ok(()) => self.submission = Submission::Accepted,
            Err(error) if *error.kind() == Kind::OutcomeUnknown => {
                let until = Instant::now() + self.plan.limits.lag;
                self.submission = Submission::Unanswered(until, Some(error));
            }
            Err(error)
                if error.is_refusal(&ErrorCode::TurnAlreadyActive) && self.stopping.is_none() =>
            {
                let (client, id) = (self.plan.client.clone(), self.plan.session_id.clone());
                let limits = self.plan.limits;
                let pending = self
                    .inbox
                    .call(move || history::idle_after_conflict(&client, &id, &limits));
                self.submission = Submission::Conflict(pending);
                return ON;
            }
            Err(error) => {
                self.failure = Some(error);
                return OVER;
            }
        }
        while let Some(message) = self.held.pop_front() {
            self.take(message)?;
        }
        match self.stopping {
            Some(_) => self.interrupt(),
            None => ON,
        }
    }

    pub(super) fn conflict(&mut self, result: Result<Option<Session>, Error>) -> Flow {
        let in_time = self.conflict_due.is_some_and(|due| Instant::now() < due);
        match result {
            Ok(Some(session)) if in_time => {
                // Whatever was read meanwhile is another turn's: begin after it.
                self.held.clear();
                let from = session.last_seq + 1;
                let (client, id) = (self.plan.client.clone(), self.plan.session_id.clone());
                self.feed = Feed::new(client, &id, from, self.plan.limits).awaiting_an_end();
                self.submission = Submission::Opening;
                self.feed.open(self.inbox);
                ON
            }
            Ok(_) => {
                self.failure = Some(busy(&self.plan.session_id));
                OVER
            }
            Err(error) => {
                self.failure = Some(error);
                OVER
            }
        }
    }
}
