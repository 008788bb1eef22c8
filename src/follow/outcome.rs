//! What came of following a turn, as plain data.

use std::time::Instant;

use super::questions::Question;
use crate::error::Error;
use crate::protocol::{Decision, EventKind, StopReason, TurnCompleted, WireError};

/// The awaited turn, as far as it was seen.
#[derive(Debug, Clone)]
pub struct Turn {
    /// Its id; empty until an event named it.
    pub turn_id: String,
    /// The number of its first event.
    pub first_seq: u64,
    /// The number of its last event that was seen.
    pub last_seq: u64,
    /// The type of that event.
    pub last_kind: EventKind,
    /// When that event was read.
    pub last_read: Instant,
    /// The daemon's time at its start; `None` if its start is no longer held.
    pub started_at: Option<String>,
    /// The daemon's time at its end.
    pub ended_at: Option<String>,
    /// Its end, once seen. An end that cannot be decoded has neither reason nor completion.
    pub end: Option<TurnCompleted>,
    /// The last `session.error` in it.
    pub error: Option<WireError>,
    /// Rounds done, and of how many.
    pub rounds: Option<(u64, Option<u64>)>,
    /// Its questions, in order.
    pub approvals: Vec<Approval>,
}

impl Turn {
    /// The stop reason, if the end was seen and named one.
    #[must_use]
    pub fn reason(&self) -> Option<&StopReason> {
        self.end.as_ref()?.reason.as_ref()
    }
}

/// A question of the turn and what became of it.
#[derive(Debug, Clone)]
pub struct Approval {
    /// The question.
    pub question: Question,
    /// What it came to; `None` while open.
    pub decision: Option<Decision>,
    /// Who answered; `None` while open.
    pub by: Option<By>,
}

/// Who answered a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// This program, as it was told to.
    Policy,
    /// The program this program was told to ask.
    Exec,
    /// The person at this terminal.
    Person,
    /// Another client, the daemon's clock, or an earlier grant.
    Elsewhere,
}

/// Why this program gave up waiting.
#[derive(Debug, Clone)]
pub enum Stop {
    /// A signal, by its number.
    Signal(i32),
    /// A bound the user set; says what was being waited for.
    Timeout(String),
    /// A question nobody here may answer.
    Question(Box<Question>),
    /// More rounds than the user allowed; the cap.
    Rounds(u64),
    /// Nobody sees the output any more.
    Unwatched,
}

impl Stop {
    /// The contract's order: the lowest decides the exit code.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Self::Signal(_) => 0,
            Self::Timeout(_) => 1,
            Self::Question(_) | Self::Rounds(_) => 2,
            Self::Unwatched => 3,
        }
    }
}

/// How following ended.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The awaited turn; `None` if it was not seen to start.
    pub turn: Option<Turn>,
    /// Why this program gave up, if it did.
    pub stop: Option<Stop>,
    /// What kept the end from being seen, if something did.
    pub failure: Option<Error>,
    /// Whether the daemon took this program's interrupt.
    pub interrupted: bool,
    /// Whether giving up was not to touch the turn.
    pub left_alone: bool,
    /// Whether the daemon left the last request made while stopping unanswered.
    pub silent_daemon: bool,
    /// Times the stream was lost and opened again.
    pub reconnects: u64,
}

impl Outcome {
    /// Whether the end of the turn was seen.
    #[must_use]
    pub fn ended(&self) -> bool {
        self.turn.as_ref().is_some_and(|turn| turn.end.is_some())
    }
}
