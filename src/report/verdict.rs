//! The outcome of an awaited turn, as plain data.

use serde::Serialize;

use crate::protocol::{Completion, StopReason, Usage};

/// How the awaited turn ended, and how the command ends because of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The session; `None` if none was reached.
    pub session_id: Option<String>,
    /// The turn; `None` if it was not seen to start.
    pub turn_id: Option<String>,
    /// The stop reason; `None` if the end was not seen or named none.
    pub reason: Option<StopReason>,
    /// The number the process exits with.
    pub exit_code: u8,
    /// The name of that number.
    pub exit_name: String,
    /// Whether the turn ended otherwise than done, in an outcome that `--accept` names; whether the command succeeds is
    /// another question.
    pub accepted: bool,
    /// Why the command ends as it does, one line; `None` for plain success.
    pub message: Option<String>,
    /// The final answer; `None` if there is no text.
    pub answer: Option<String>,
    /// Tokens, if the daemon reported them.
    pub usage: Option<Usage>,
    /// What was measured, as the daemon reported it.
    pub completion: Option<Completion>,
    /// Questions of the turn, in order.
    pub approvals: Vec<ApprovalRecord>,
    /// Sequence number of the turn's `turn.started`.
    pub first_seq: Option<u64>,
    /// Sequence number of the last event of the turn that was seen.
    pub last_seq: Option<u64>,
    /// The daemon's time at the turn's start, RFC 3339.
    pub started_at: Option<String>,
    /// The daemon's time at the turn's end, RFC 3339.
    pub ended_at: Option<String>,
    /// Milliseconds between the two.
    pub duration_ms: Option<u64>,
    /// The session's workspace, where known.
    pub workspace: Option<String>,
    /// The session's model, where known.
    pub model: Option<String>,
    /// Tokens that the session's context can hold, where known.
    pub context_window: Option<u64>,
    /// Times the stream was lost and taken up again.
    pub reconnects: u64,
    /// The gates that were asked for, in the order in which they decide.
    pub gates: Vec<GateVerdict>,
    /// SHA-256 of the prompt that was sent; of a turn that was seen to start it is known anyway.
    pub prompt_sha256: Option<String>,
    /// Whether this client's own cap on rounds (`--max-rounds`) ended the turn.
    pub capped_by_client: bool,
    /// The daemon's version, where it was asked for.
    pub daemon_version: Option<String>,
    /// Rounds done, and of how many; what the stream said is known anyway.
    pub rounds: Option<(u64, Option<u64>)>,
}

/// What a gate said about the turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct GateVerdict {
    /// The option that asked for it, without its dashes: `require-verified`.
    pub name: String,
    /// Whether it let the turn through.
    pub passed: bool,
    /// Why not, or why; one line.
    pub message: Option<String>,
}

/// A question of the turn and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ApprovalRecord {
    /// `ID@SEQ`: ids repeat inside a turn, the handle does not.
    pub handle: String,
    /// The question's id.
    pub approval_id: String,
    /// The tool that asked.
    pub tool: String,
    /// The boundary it would cross.
    pub boundary_crossed: String,
    /// What it came to; `None` while open.
    pub decision: Option<String>,
    /// Who answered; `None` while open.
    pub by: Option<AnsweredBy>,
}

/// Who answered a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AnsweredBy {
    /// `--on-approval` with a fixed decision.
    Policy,
    /// A person at this terminal.
    Person,
    /// The command of `--on-approval exec:`.
    Exec,
    /// Another client, the daemon's deadline, or an earlier grant.
    Elsewhere,
}
