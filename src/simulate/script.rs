//! A turn as data: what is played, in which order and after which pauses.
//!
//! Scenarios and recordings both become lists of steps; the player knows nothing else.

use std::time::Duration;

/// One step of a turn.
#[derive(Debug, Clone)]
pub(super) struct Step {
    /// The pause before it, at speed 1.
    pub(super) after: Duration,
    /// Only played if this holds.
    pub(super) when: Option<When>,
    pub(super) action: Action,
}

/// A condition on what happened in the turn so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// The last question was answered by a grant.
    Granted,
    /// The last question was denied, by somebody or by the deadline.
    Denied,
    /// A correction reached the turn.
    Steered,
    /// None did.
    NotSteered,
}

/// What a step does.
#[derive(Debug, Clone)]
pub(super) enum Action {
    /// Announces the turn with the prompt that was really submitted. A recorded turn brings its id.
    Start { turn_id: Option<String> },
    /// Appends an event.
    Emit { kind: String, payload: Payload },
    /// Asks a question and waits. `recorded` is an answer that the recording shows to have come from
    /// an earlier `allow_session`: it is played without waiting.
    Ask {
        payload: Payload,
        recorded: Option<String>,
    },
    /// A round starts: corrections that were sent meanwhile are delivered.
    Round,
    /// Somebody edits a file of the workspace, which an undo then refuses.
    EditedByHand(String),
    /// Nothing more happens until somebody interrupts.
    Hold,
    /// Something happens to the streams or the session that is no event.
    Wire(Wire),
}

/// An event's payload.
#[derive(Debug, Clone)]
pub(super) enum Payload {
    /// Recorded bytes, sent as they are.
    Verbatim(String),
    /// Written by hand: `$TURN`, `$NOW` and `$STARTED` are replaced when it is played.
    Template(String),
}

/// What can happen to the streams of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wire {
    /// The next event breaks off in the middle of its line, and so does every connection.
    Cut,
    /// Every stream ends in an orderly way, as for a slow reader.
    End,
    /// The daemon restarts: streams break, every session is forgotten.
    Restart,
    /// The session is deleted.
    Delete,
    /// Open streams stay open and carry nothing any more, not even pings.
    Stall,
    /// A data line that is not JSON.
    Garbage,
}
