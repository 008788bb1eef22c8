//! The one table of exit codes: number, name and sentence; and what leads to which.
//!
//! `help exit-codes`, the README and the tests are generated from it or checked against it.

use crate::error::Kind;
use crate::protocol::{ErrorCode, StopReason};

/// Defines [`Exit`] and its table from one list.
macro_rules! exits {
    ($($item:ident = $number:literal, $name:literal, $sentence:literal;)+) => {
        /// How the program ends.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Exit {
            $(#[doc = $sentence] $item,)+
        }

        impl Exit {
            /// Every exit, in the order of its number.
            pub const ALL: &[Self] = &[$(Self::$item),+];

            /// The number the process exits with.
            #[must_use]
            pub fn number(self) -> u8 {
                match self { $(Self::$item => $number,)+ }
            }

            /// The name, as in `--accept`, in summaries and in errors under `--json`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$item => $name,)+ }
            }

            /// When it happens.
            #[must_use]
            pub fn sentence(self) -> &'static str {
                match self { $(Self::$item => $sentence,)+ }
            }
        }
    };
}

exits! {
    Done = 0, "done", "the awaited turn ended done and each gate asked for holds; or a command without a turn worked";
    Failure = 1, "failure", "what is not listed here";
    Usage = 2, "usage", "arguments, empty TEXT, unreadable or non-UTF-8 prompt, over-long socket path, bad duration";
    Unverified = 10, "unverified", "the turn ended: files were written, but a criterion could not be run";
    Incomplete = 11, "incomplete", "the turn ended: a criterion stayed unmet";
    MaxIterations = 12, "max_iterations", "the turn ended: its iteration limit, or --max-rounds, was reached";
    RepeatLoop = 13, "repeat_loop", "the turn ended: three identical calls in a row";
    MaxTokens = 14, "max_tokens", "the turn ended: its output-token limit was passed";
    Interrupted = 15, "interrupted", "the turn ended: somebody else interrupted it";
    Error = 16, "error", "the turn ended: the model could not be used; stderr has the session.error, if one came";
    NotVerified = 17, "not_verified", "--require-verified: the turn brought no completion of its own with every criterion met";
    ProtectedTouched = 18, "protected_touched", "--forbid-protected: files that belong to the measurement itself were written in the session";
    UnknownReason = 19, "unknown_reason", "the turn ended with a stop reason this version does not know, or with none";
    ApprovalNeeded = 20, "approval_needed", "--on-approval fail met a question";
    UndoRefused = 21, "undo_refused", "undo left some files alone";
    SessionNotFound = 30, "session_not_found", "the daemon knows no such session or record";
    TurnAlreadyActive = 31, "turn_already_active", "a turn already runs in the session";
    NoActiveTurn = 32, "no_active_turn", "no turn runs in the session, or it never had one";
    InvalidInput = 33, "invalid_input", "the daemon refused the text or the name";
    ApprovalAlreadyResolved = 34, "approval_already_resolved", "the question is no longer open";
    ApprovalExpired = 35, "approval_expired", "the daemon's deadline denied the question before the answer came";
    EventsExpired = 36, "events_expired", "events are no longer held; also a hole in the stream";
    WorkspaceInvalid = 37, "workspace_invalid", "the daemon cannot use the workspace";
    MaxSessionsReached = 38, "max_sessions_reached", "the daemon has no room for another session";
    Internal = 39, "internal", "the daemon refused with internal or a code this version does not know";
    Unreachable = 69, "unreachable", "no daemon answered; nothing that changes anything was sent";
    OutputFailed = 74, "output_failed", "a file could not be opened for writing, or a write failed, other than a closed pipe";
    OutcomeUnknown = 75, "outcome_unknown", "the turn's end was not seen, or the answer to a request that changes something never came";
    Protocol = 76, "protocol", "not HTTP, not JSON, plain 404 or 405, wrong protocol version, a line or body over 64 MiB";
    Permission = 77, "permission", "the socket exists but may not be used, or is somebody else's";
    Timeout = 124, "timeout", "--timeout or --idle-timeout was reached";
    Hangup = 129, "signal", "HUP; wins over the stop reason it caused";
    Interrupt = 130, "signal", "INT; wins over the stop reason it caused";
    StdoutClosed = 141, "stdout_closed", "the reader of stdout left while a turn was awaited";
    Terminate = 143, "signal", "TERM; wins over the stop reason it caused";
}

impl From<&StopReason> for Exit {
    fn from(reason: &StopReason) -> Self {
        match reason {
            StopReason::Done => Self::Done,
            StopReason::Unverified => Self::Unverified,
            StopReason::Incomplete => Self::Incomplete,
            StopReason::MaxIterations => Self::MaxIterations,
            StopReason::RepeatLoop => Self::RepeatLoop,
            StopReason::MaxTokens => Self::MaxTokens,
            StopReason::Interrupted => Self::Interrupted,
            StopReason::Error => Self::Error,
            StopReason::Other(_) => Self::UnknownReason,
        }
    }
}

impl From<&ErrorCode> for Exit {
    fn from(code: &ErrorCode) -> Self {
        match code {
            ErrorCode::SessionNotFound => Self::SessionNotFound,
            ErrorCode::TurnAlreadyActive => Self::TurnAlreadyActive,
            ErrorCode::NoActiveTurn => Self::NoActiveTurn,
            ErrorCode::InvalidInput => Self::InvalidInput,
            ErrorCode::ApprovalAlreadyResolved => Self::ApprovalAlreadyResolved,
            ErrorCode::ApprovalExpired => Self::ApprovalExpired,
            ErrorCode::EventsExpired => Self::EventsExpired,
            ErrorCode::WorkspaceInvalid => Self::WorkspaceInvalid,
            ErrorCode::MaxSessionsReached => Self::MaxSessionsReached,
            ErrorCode::Internal | ErrorCode::Other(_) => Self::Internal,
        }
    }
}

impl From<&Kind> for Exit {
    fn from(kind: &Kind) -> Self {
        match kind {
            Kind::Failure => Self::Failure,
            Kind::Usage => Self::Usage,
            Kind::Refused(code) => Self::from(code),
            Kind::EventsMissing => Self::EventsExpired,
            Kind::NoTurn => Self::NoActiveTurn,
            Kind::Unreachable => Self::Unreachable,
            Kind::OutputFailed => Self::OutputFailed,
            Kind::OutcomeUnknown => Self::OutcomeUnknown,
            Kind::Protocol => Self::Protocol,
            Kind::Permission => Self::Permission,
            Kind::ApprovalNeeded => Self::ApprovalNeeded,
            Kind::ApprovalGone => Self::ApprovalAlreadyResolved,
            Kind::Timeout => Self::Timeout,
            Kind::Signal(number) => Self::from_signal(*number),
            Kind::StdoutClosed => Self::StdoutClosed,
        }
    }
}

impl Exit {
    /// The code of a failure under `--json`: the daemon's own word, else the name of the exit.
    #[must_use]
    pub fn code_of(kind: &Kind) -> &str {
        match kind {
            Kind::Refused(code) => code.as_str(),
            other => Self::from(other).name(),
        }
    }

    /// The exit that stands for a signal (128 + its number).
    #[must_use]
    pub fn from_signal(number: i32) -> Self {
        match number {
            1 => Self::Hangup,
            15 => Self::Terminate,
            _ => Self::Interrupt,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn numbers_are_unique_and_none_is_one_that_others_use() {
        let numbers: HashSet<u8> = Exit::ALL.iter().map(|exit| exit.number()).collect();
        assert_eq!(numbers.len(), Exit::ALL.len());
        for taken in [64, 101, 125, 126, 127, 128] {
            assert!(!numbers.contains(&taken), "{taken}");
        }
    }

    #[test]
    fn every_stop_reason_and_refusal_has_the_exit_of_its_name() {
        for reason in StopReason::KNOWN {
            assert_eq!(Exit::from(reason).name(), reason.as_str());
        }
        for code in ErrorCode::KNOWN {
            assert_eq!(Exit::from(code).name(), code.as_str());
        }
        assert_eq!(Exit::from(&StopReason::Other("x".into())).number(), 19);
        assert_eq!(Exit::from(&ErrorCode::Other("x".into())).number(), 39);
    }
}
