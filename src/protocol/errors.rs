//! Error codes and the error body (protocol, sections 3 and 6).

use serde::{Deserialize, Serialize};

use super::words::words;

words! {
    /// The code of a JSON error answer (protocol, section 6).
    ///
    /// The codes of the `session.error` event are another, open set and stay text.
    ErrorCode {
        /// Unknown, deleted or pre-restart session, or an unknown record.
        SessionNotFound = "session_not_found",
        /// A turn runs, or waits for an answer.
        TurnAlreadyActive = "turn_already_active",
        /// Nothing to steer; also the code of a late `session.error`.
        NoActiveTurn = "no_active_turn",
        /// A blank correction, an unusable name.
        InvalidInput = "invalid_input",
        /// Answered, interrupted, unknown, or not registered yet.
        ApprovalAlreadyResolved = "approval_already_resolved",
        /// The daemon's deadline denied it.
        ApprovalExpired = "approval_expired",
        /// The event asked for is no longer held.
        EventsExpired = "events_expired",
        /// The workspace, the sandbox mode or the body of a create is wrong.
        WorkspaceInvalid = "workspace_invalid",
        /// No room for another session.
        MaxSessionsReached = "max_sessions_reached",
        /// Anything else, a caller's malformed request included.
        Internal = "internal",
    }
}

impl ErrorCode {
    /// The HTTP status that goes with the code; `None` for a code this version does not know.
    #[must_use]
    pub fn http_status(&self) -> Option<u16> {
        match self {
            Self::SessionNotFound => Some(404),
            Self::TurnAlreadyActive | Self::NoActiveTurn | Self::ApprovalAlreadyResolved => {
                Some(409)
            }
            Self::InvalidInput | Self::WorkspaceInvalid => Some(400),
            Self::ApprovalExpired | Self::EventsExpired => Some(410),
            Self::MaxSessionsReached => Some(503),
            Self::Internal => Some(500),
            Self::Other(_) => None,
        }
    }
}

/// The body of every JSON error answer, and the payload of `session.error`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireError {
    /// The machine-readable code; see [`ErrorCode`] for those of HTTP answers.
    pub code: String,
    /// English, for people. Never parsed.
    #[serde(default)]
    pub message: String,
}
