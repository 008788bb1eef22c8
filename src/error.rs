//! The failures this program expects: each with its kind, one clear line, and a next step if any.
//!
//! A leaf: the kind decides the exit code (in `exit`), never the text.

use std::fmt;

use crate::protocol::ErrorCode;

/// What went wrong, as far as the exit code is concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Anything without a code of its own.
    Failure,
    /// Wrong arguments, or input that may not be sent.
    Usage,
    /// The daemon refused, with this code.
    Refused(ErrorCode),
    /// Events are gone that cannot be had again.
    EventsMissing,
    /// A wait for a turn, where the session never had one or none runs.
    NoTurn,
    /// No daemon answered, and nothing that changes anything was sent.
    Unreachable,
    /// A file could not be opened for writing, or a write failed.
    OutputFailed,
    /// Something may have happened, but its end was not seen.
    OutcomeUnknown,
    /// Whatever answered is not a daemon this program understands.
    Protocol,
    /// The socket exists but may not be used, or is somebody else's.
    Permission,
    /// A question nobody here may answer.
    ApprovalNeeded,
    /// A question that is no longer the open one.
    ApprovalGone,
    /// A bound the user set was reached.
    Timeout,
    /// A signal, by its number.
    Signal(i32),
    /// The reader of stdout left.
    StdoutClosed,
}

/// A failure: what, where, and what to try.
#[derive(Debug)]
pub struct Error {
    kind: Kind,
    message: String,
    hint: Option<String>,
    cause: Option<anyhow::Error>,
    may_pass: bool,
}

/// The result of anything that can fail in an expected way.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A failure of the given kind; `message` is one line without a full stop.
    #[must_use]
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: None,
            cause: None,
            may_pass: false,
        }
    }

    /// Wrong arguments or input.
    #[must_use]
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    /// A signal, at which the command leaves.
    #[must_use]
    pub fn signal(number: i32) -> Self {
        Self::new(
            Kind::Signal(number),
            format!("stopped by {}", signal_name(number)),
        )
    }

    /// Adds the next step to try.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the next step to a refusal with this code, unless there is one already.
    #[must_use]
    pub fn hint_if(mut self, code: &ErrorCode, hint: impl Into<String>) -> Self {
        if self.hint.is_none() && self.is_refusal(code) {
            self.hint = Some(hint.into());
        }
        self
    }

    /// Adds what lies behind it; shown after the message.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Into<anyhow::Error>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// Says that the same request may work a moment later, as where something between us and the
    /// daemon answers for it while it is away.
    #[must_use]
    pub fn passing(mut self) -> Self {
        self.may_pass = true;
        self
    }

    /// Whether a request that changes nothing is worth repeating: the daemon was not there, or whoever
    /// answered failed.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        match &self.kind {
            Kind::Unreachable => true,
            Kind::Refused(code) => {
                !matches!(code, ErrorCode::SessionNotFound | ErrorCode::EventsExpired)
            }
            _ => self.may_pass,
        }
    }

    /// What decides the exit code.
    #[must_use]
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// The next step, if there is one.
    #[must_use]
    pub fn hint_text(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Whether whatever else is to be done had better not be tried.
    #[must_use]
    pub fn is_final(&self) -> bool {
        matches!(
            self.kind,
            Kind::Signal(_) | Kind::Timeout | Kind::StdoutClosed
        )
    }

    /// Whether the daemon refused with this code.
    #[must_use]
    pub fn is_refusal(&self, code: &ErrorCode) -> bool {
        matches!(&self.kind, Kind::Refused(refused) if refused == code)
    }
}

/// The name of a signal that this program handles.
#[must_use]
pub fn signal_name(number: i32) -> &'static str {
    match number {
        1 => "HUP",
        15 => "TERM",
        _ => "INT",
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.cause {
            Some(cause) => write!(f, ": {cause:#}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}
