//! The submit of a followed turn, its refusals and its lost answers.

use std::time::Instant;

use super::{Flow, ON, OVER, Run, Target};
use crate::error::{Error, Kind};
use crate::follow::detached::{busy, next_pause};
use crate::follow::feed::Feed;
use crate::follow::history::{self, Conflict};
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
    Conflict(Pending<Conflict>),
    /// Somebody else's turn is waited for, until the next try.
    Pausing(Instant),
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
        if self.stopping.is_some() {
            return;
        }
        let (client, id, turn) = (
            self.plan.client.clone(),
            self.plan.session_id.clone(),
            turn.clone(),
        );
        let now = Instant::now();
        self.conflict_due.get_or_insert(now + self.plan.limits.lag);
        if let Some(bound) = self.plan.wait_idle {
            self.wait_due.get_or_insert(now + bound);
        }
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
        while let Some((connection, message)) = self.held.pop_front() {
            // What was held before it may have made the feed give this connection up.
            if self.feed.is(connection) {
                self.take(message)?;
            }
        }
        match &self.stopping {
            // Any other step of the stop comes to the interrupt by itself.
            Some(stopping) if stopping.awaits_submit() => self.interrupt(),
            _ => ON,
        }
    }

    pub(super) fn conflict(&mut self, result: Result<Conflict, Error>) -> Flow {
        let now = Instant::now();
        match result {
            Ok(Conflict::Lag(session)) if self.conflict_due.is_some_and(|due| now < due) => {
                self.try_again(&session);
                ON
            }
            Ok(Conflict::Waited(session)) => {
                self.try_again(&session);
                ON
            }
            Ok(Conflict::Lag(_) | Conflict::Busy) if self.wait_due.is_some_and(|due| now < due) => {
                self.pause(now);
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

    /// Begins anew after whatever the session has: what was read meanwhile is another turn's.
    fn try_again(&mut self, session: &Session) {
        self.forget_the_stream(session.last_seq.saturating_add(1));
        self.submission = Submission::Opening;
        self.last_event = Instant::now();
        self.feed.open(self.inbox);
    }

    fn forget_the_stream(&mut self, from: u64) {
        self.held.clear();
        let client = self.plan.client.clone();
        self.feed = Feed::new(client, &self.plan.session_id, from, self.plan.limits);
        self.feed.set_awaiting(true);
    }

    /// Waits for somebody else's turn, longer from time to time.
    fn pause(&mut self, now: Instant) {
        self.forget_the_stream(1);
        let pause = next_pause(self.last_pause);
        self.last_pause = pause;
        let until = self
            .wait_due
            .map_or(now + pause, |due| due.min(now + pause));
        self.submission = Submission::Pausing(until);
    }

    /// The pause is over: the next try begins with the session's last event.
    pub(super) fn pause_tick(&mut self, now: Instant) {
        if matches!(self.submission, Submission::Pausing(until) if now >= until) {
            let (client, id) = (self.plan.client.clone(), self.plan.session_id.clone());
            let pending = self
                .inbox
                .call(move || Ok(Conflict::Waited(client.session(&id)?.value)));
            self.submission = Submission::Conflict(pending);
        }
    }
}
