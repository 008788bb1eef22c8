//! Giving up in good order: how a command stops its turn, and how long each step may take.
//!
//! An unanswered submit is waited for, the interrupt is sent and waited for, then the turn's end.
//! After a timeout the steps are shorter, and the daemon is asked first what it is doing, so that
//! the message can say it.

use std::time::{Duration, Instant};

use super::inbox::{Inbox, Pending};
use super::limits::Limits;
use super::outcome::Stop;
use crate::client::{Client, Received};
use crate::protocol::{Session, SessionState};

/// How long the daemon is given to say what state the session is in.
const STATE: Duration = Duration::from_millis(150);

/// A step of the stop.
pub(super) enum Phase {
    /// The daemon is asked for the session's state; for the message of a timeout.
    State(Pending<Received<Session>>),
    /// The submit may still be answered.
    Submit,
    /// The interrupt is on its way.
    Interrupt(Pending<()>),
    /// The turn may still end.
    End,
}

/// A stop in progress.
pub(super) struct Stopping {
    pub(super) cause: Stop,
    pub(super) phase: Phase,
    pub(super) until: Instant,
    /// A timeout began it, which sets the bounds even if a signal follows.
    late: bool,
    begun: Instant,
    pub(super) state: Option<SessionState>,
    interrupt: Interrupt,
}

/// What became of the interrupt.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Interrupt {
    NotSent,
    Sent,
    Taken,
    /// Not answered in time.
    Unanswered,
}

impl Stopping {
    pub(super) fn new(cause: Stop, client: &Client, session_id: &str, inbox: &mut Inbox) -> Self {
        let now = Instant::now();
        let late = matches!(cause, Stop::Timeout(_));
        let phase = if late {
            let (client, session_id) = (client.clone(), session_id.to_owned());
            Phase::State(inbox.call(move || client.session(&session_id)))
        } else {
            Phase::Submit
        };
        Self {
            cause,
            phase,
            until: now + STATE,
            late,
            begun: now,
            state: None,
            interrupt: Interrupt::NotSent,
        }
    }

    /// A further cause; the one that decides the exit code stays.
    pub(super) fn also(&mut self, cause: Stop) {
        if cause.rank() < self.cause.rank() {
            self.cause = cause;
        }
    }

    /// The command's own bound is reached while it stops for a lesser cause: from now on it stops
    /// as after a timeout.
    pub(super) fn overdue(&mut self, message: String, limits: &Limits) {
        self.also(Stop::Timeout(message));
        let now = Instant::now();
        (self.late, self.begun) = (true, now);
        let left = match self.phase {
            Phase::End => limits.late_turn,
            _ => limits.late_interrupt,
        };
        self.until = self.until.min(now + left);
    }

    /// Whether the command's own bound still matters.
    pub(super) fn heeds_the_bound(&self) -> bool {
        matches!(
            self.cause,
            Stop::Question(_) | Stop::Rounds(_) | Stop::Unwatched
        )
    }

    /// Completes the message of a timeout, unless something else decides the code by now.
    pub(super) fn also_timed_out(&mut self, message: String) {
        if let Stop::Timeout(text) = &mut self.cause {
            *text = message;
        }
    }

    /// Whether the turn's interrupt is this program's. The turn may end before the interrupt is
    /// answered.
    pub(super) fn has_interrupted(&self, ended: bool) -> bool {
        match self.interrupt {
            Interrupt::NotSent => false,
            Interrupt::Sent | Interrupt::Unanswered => ended,
            Interrupt::Taken => true,
        }
    }

    /// Whether the daemon did not answer the interrupt in time.
    pub(super) fn met_silence(&self) -> bool {
        self.interrupt == Interrupt::Unanswered
    }

    /// Waits for the submit to be answered.
    pub(super) fn await_submit(&mut self, limits: &Limits) {
        self.phase = Phase::Submit;
        self.until = if self.late {
            self.begun + limits.late_interrupt / 2
        } else {
            Instant::now() + limits.stop_submit
        };
    }

    /// Whether the submit's answer is what the stop waits for.
    pub(super) fn awaits_submit(&self) -> bool {
        matches!(self.phase, Phase::Submit)
    }

    /// Sends the interrupt.
    pub(super) fn interrupt(
        &mut self,
        client: &Client,
        session_id: &str,
        limits: &Limits,
        inbox: &mut Inbox,
    ) {
        let (client, session_id) = (client.clone(), session_id.to_owned());
        self.interrupt = Interrupt::Sent;
        self.phase = Phase::Interrupt(inbox.call(move || client.interrupt(&session_id)));
        self.until = if self.late {
            self.begun + limits.late_interrupt
        } else {
            Instant::now() + limits.stop_interrupt
        };
    }

    /// The interrupt was answered, or its time is over. Says whether there is something left to
    /// wait for.
    pub(super) fn await_end(&mut self, answered: bool, limits: &Limits) -> bool {
        self.interrupt = if answered {
            Interrupt::Taken
        } else {
            Interrupt::Unanswered
        };
        if self.late && !answered {
            return false;
        }
        self.phase = Phase::End;
        self.until = Instant::now()
            + if self.late {
                limits.late_turn
            } else {
                limits.stop_turn
            };
        true
    }
}
