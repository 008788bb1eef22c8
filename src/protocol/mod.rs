//! The vocabulary of the dcode daemon's protocol, v0.5.1: what travels on the wire, and nothing else.
//!
//! Data only. This module opens nothing, prints nothing and knows no other module of the program.
//! It is tolerant on purpose: words, fields and event types of a newer daemon are kept, not refused.

mod errors;
mod event;
mod json;
mod measured;
mod payload;
mod requests;
mod session;
mod time;
mod words;

pub use errors::{ErrorCode, WireError};
pub use event::{Event, NotAnEvent};
pub use measured::{Completion, Usage};
pub use payload::{
    ApprovalRequest, ApprovalResolved, ContextBand, MessageDelta, Payload, PlanItem, PlanUpdated,
    Progress, SessionCompacted, SessionRenamed, SessionResumed, ToolCompleted, ToolRequested,
    TurnCompleted, TurnStarted, TurnSteered,
};
pub use requests::{Answer, CreateSession, Image, Name, Steer, SubmitTurn};
pub use session::{Health, Session, UndoResult, Version};
pub use time::{is_set, milliseconds_between, moment};
pub use words::{
    Decision, EventKind, PlanStatus, ProgressKind, Remembered, SandboxMode, Seal, SessionState,
    StopReason,
};

/// The protocol version this program speaks, as `GET /version` reports it in its `protocol` field.
pub const PROTOCOL_VERSION: &str = "v1";

/// The largest number of characters a conversation's name may have (protocol, section 2).
pub const NAME_LIMIT: usize = 120;

#[cfg(test)]
mod random_tests;
