//! The stop of a followed turn, step by step.

use std::time::{Duration, Instant};

use super::submit::Submission;
use super::{Flow, ON, OVER, Plan, Run};
use crate::error::{Error, Kind};
use crate::follow::outcome::Stop;
use crate::follow::stop::{Phase, Stopping};
use crate::protocol::SessionState;

impl Run<'_> {
    pub(super) fn stop(&mut self, cause: Stop) -> Flow {
        if let Some(stopping) = &mut self.stopping {
            stopping.also(cause);
            return ON;
        }
        if self.answering.stop_asking() {
            self.observer.asked(false);
        }
        let unwatched = matches!(cause, Stop::Unwatched);
        let asks_state = matches!(cause, Stop::Timeout(_));
        let stopping = Stopping::new(cause, &self.plan.client, &self.plan.session_id, self.inbox);
        self.stopping = Some(stopping);
        if unwatched && !self.plan.interrupts_unwatched {
            return OVER;
        }
        if asks_state { ON } else { self.stop_turn() }
    }

    /// A bound that the user set is reached.
    pub(super) fn overdue(&mut self, bound: String) -> Flow {
        self.bound = bound;
        let message = self.waiting_for("");
        let limits = self.plan.limits;
        match &mut self.stopping {
            None => self.stop(Stop::Timeout(message)),
            Some(stopping) => {
                if stopping.heeds_the_bound() {
                    stopping.overdue(message, &limits);
                }
                ON
            }
        }
    }

    /// Goes on with the stop once nothing more has to be asked.
    pub(super) fn stop_turn(&mut self) -> Flow {
        if !self.plan.interrupts || self.tracker.ended() {
            return OVER;
        }
        match self.submission {
            Submission::Opening | Submission::Conflict(_) | Submission::Pausing(_) => OVER,
            Submission::Posting(_) => {
                if let Some(stopping) = &mut self.stopping {
                    stopping.await_submit(&self.plan.limits);
                }
                ON
            }
            Submission::None | Submission::Accepted | Submission::Unanswered(..) => {
                self.interrupt()
            }
        }
    }

    pub(super) fn interrupt(&mut self) -> Flow {
        if let Some(stopping) = &mut self.stopping {
            let Plan {
                client,
                session_id,
                limits,
                ..
            } = &self.plan;
            stopping.interrupt(client, session_id, limits, self.inbox);
        }
        ON
    }

    pub(super) fn stop_answered(&mut self, number: u64) -> Flow {
        let Some(stopping) = &mut self.stopping else {
            return ON;
        };
        match std::mem::replace(&mut stopping.phase, Phase::End) {
            Phase::State(pending) if pending.is(number) => {
                stopping.state = pending.take().ok().map(|session| session.value.state);
                self.timed_out()
            }
            Phase::Interrupt(pending) if pending.is(number) => {
                if pending.take().is_err() {
                    // Refused or unreachable: the session is gone, or the daemon is. Nobody was
                    // left without an answer.
                    return OVER;
                }
                stopping.await_end(true, &self.plan.limits);
                ON
            }
            other => {
                stopping.phase = other;
                ON
            }
        }
    }

    pub(super) fn stop_tick(&mut self, now: Instant) -> Flow {
        let Some(stopping) = &mut self.stopping else {
            return ON;
        };
        if now < stopping.until {
            return ON;
        }
        match stopping.phase {
            Phase::State(_) => self.timed_out(),
            // Unanswered for too long: it may have been taken, so it is interrupted all the same.
            Phase::Submit => {
                let lost = Error::new(Kind::OutcomeUnknown, "the submit was not answered");
                self.posted(Err(lost))
            }
            Phase::Interrupt(_) => {
                if stopping.await_end(false, &self.plan.limits) {
                    ON
                } else {
                    OVER
                }
            }
            Phase::End => OVER,
        }
    }

    /// The daemon was asked for the state: the message is complete, the stop goes on.
    pub(super) fn timed_out(&mut self) -> Flow {
        let state = self
            .stopping
            .as_ref()
            .and_then(|stopping| stopping.state.clone());
        let state = state
            .as_ref()
            .map_or("no answer from the daemon", SessionState::as_str);
        let message = self.waiting_for(&format!("; session: {state}"));
        if let Some(stopping) = &mut self.stopping {
            stopping.also_timed_out(message);
        }
        self.stop_turn()
    }

    /// The bound that is reached, as the user set it.
    pub(super) fn bound_reached(&self, now: Instant) -> Option<String> {
        if self
            .stopping
            .as_ref()
            .is_some_and(|stopping| !stopping.heeds_the_bound())
        {
            return None;
        }
        if let Some((_, bound)) = self.plan.deadline.filter(|(at, _)| now >= *at) {
            return Some(format!("--timeout {}", humantime::format_duration(bound)));
        }
        let bound = self.idle_bound().filter(|_| self.stopping.is_none())?;
        (now >= self.last_event + bound)
            .then(|| format!("--idle-timeout {}", humantime::format_duration(bound)))
    }

    /// How long it may be quiet. While somebody else's turn is waited for, which has a bound of its
    /// own, nothing is read at all.
    pub(super) fn idle_bound(&self) -> Option<Duration> {
        let waiting = matches!(
            self.submission,
            Submission::Conflict(_) | Submission::Pausing(_)
        );
        self.plan.idle_timeout.filter(|_| !waiting)
    }

    /// What a timeout says: what was being waited for, and the session's state once it is known.
    fn waiting_for(&self, state: &str) -> String {
        let age = |since: Instant| format!("{:.1} s", since.elapsed().as_secs_f64());
        let awaited = match (&self.tracker.turn, self.tracker.questions.open()) {
            (_, Some(question)) => {
                let since = age(question.since);
                format!("approval {} since {since}", question.handle())
            }
            (Some(_), None) => "the end of the turn".to_owned(),
            (None, None) => "the turn to start".to_owned(),
        };
        let last = match &self.tracker.turn {
            Some(turn) => {
                let (seq, kind) = (turn.last_seq, &turn.last_kind);
                format!(
                    "; last event: seq {seq} ({kind}), {} ago",
                    age(turn.last_read)
                )
            }
            None => String::new(),
        };
        let bound = &self.bound;
        format!("{bound} reached, waiting for {awaited}{last}{state}")
    }
}
