//! The shape of the summary. Unknown is `null`, never absent.

use serde::Serialize;

use super::super::changes::Changes;
use super::super::tally::Tool;
use super::super::verdict::{ApprovalRecord, GateVerdict};
use crate::protocol::{Completion, Seal, StopReason, Usage, WireError};

/// The object, in the order it is written.
#[derive(Debug, Serialize)]
pub(super) struct Object<'a> {
    pub(super) schema_version: u32,
    pub(super) session_id: Option<&'a str>,
    pub(super) turn_id: Option<&'a str>,
    /// SHA-256 of the prompt, so that a run can be recognised without repeating what was asked.
    pub(super) prompt_sha256: Option<&'a str>,
    pub(super) reason: Option<&'a StopReason>,
    pub(super) exit_code: Option<u8>,
    pub(super) exit_name: Option<&'a str>,
    pub(super) accepted: bool,
    pub(super) gates: &'a [GateVerdict],
    pub(super) capped_by_client: bool,
    pub(super) message: Option<&'a str>,
    pub(super) answer: Option<&'a str>,
    pub(super) usage: Option<Tokens>,
    pub(super) context: Context,
    pub(super) completion: Option<Measured<'a>>,
    pub(super) tools: &'a [Tool],
    pub(super) changes: Changes,
    pub(super) rounds: Option<RoundsDone>,
    pub(super) approvals: &'a [ApprovalRecord],
    pub(super) steerings: u64,
    pub(super) errors: &'a [WireError],
    pub(super) duration_ms: Option<u64>,
    pub(super) first_seq: Option<u64>,
    pub(super) last_seq: Option<u64>,
    pub(super) started_at: Option<&'a str>,
    pub(super) ended_at: Option<&'a str>,
    pub(super) model: Option<&'a str>,
    pub(super) workspace: Option<&'a str>,
    pub(super) reconnects: u64,
    pub(super) client: Client,
    pub(super) daemon: Daemon<'a>,
}

/// The size of the context at the last model call.
#[derive(Debug, Serialize)]
pub(super) struct Context {
    tokens: Option<u64>,
    window: Option<u64>,
    share: Option<f64>,
}

impl Context {
    pub(super) fn of(tokens: Option<u64>, window: Option<u64>) -> Self {
        // A share needs no more than the 53 bits a float has.
        #[allow(clippy::cast_precision_loss)]
        let share = || Some(tokens? as f64 / window.filter(|&window| window > 0)? as f64);
        Self {
            tokens,
            window,
            share: share(),
        }
    }
}

/// Model calls of the turn that asked for more, of the limit.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct RoundsDone {
    done: u64,
    total: Option<u64>,
}

impl From<(u64, Option<u64>)> for RoundsDone {
    fn from((done, total): (u64, Option<u64>)) -> Self {
        Self { done, total }
    }
}

/// Who wrote the summary.
#[derive(Debug, Serialize)]
pub(super) struct Client {
    name: &'static str,
    version: &'static str,
}

impl Client {
    pub(super) fn this() -> Self {
        Self {
            name: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// Whom the turn was given to.
#[derive(Debug, Serialize)]
pub(super) struct Daemon<'a> {
    pub(super) version: Option<&'a str>,
}

/// Tokens. The wire leaves out what is 0; the summary does not.
#[derive(Debug, Serialize)]
#[allow(clippy::struct_field_names)]
pub(super) struct Tokens {
    input_tokens: u64,
    output_tokens: u64,
    cache_read_tokens: u64,
    cache_write_tokens: u64,
    context_tokens: Option<u64>,
}

impl From<&Usage> for Tokens {
    fn from(usage: &Usage) -> Self {
        Self {
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cache_read_tokens: usage.cache_read_tokens.unwrap_or(0),
            cache_write_tokens: usage.cache_write_tokens.unwrap_or(0),
            context_tokens: usage.context_tokens,
        }
    }
}

/// What was measured. The wire leaves out empty lists; the summary does not.
#[derive(Debug, Serialize)]
pub(super) struct Measured<'a> {
    verification: Option<&'a Seal>,
    met: &'a [String],
    unmet: &'a [String],
    unavailable: &'a [String],
    touched_protected: &'a [String],
}

impl<'a> From<&'a Completion> for Measured<'a> {
    fn from(completion: &'a Completion) -> Self {
        Self {
            verification: completion.verification.as_ref(),
            met: &completion.met,
            unmet: &completion.unmet,
            unavailable: &completion.unavailable,
            touched_protected: &completion.touched_protected,
        }
    }
}
