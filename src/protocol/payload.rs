//! The payloads of the events (protocol, section 4).
//!
//! Every field but the ids is optional, `null` stands for empty, unknown fields are ignored.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::errors::WireError;
use super::measured::{Completion, Usage};
use super::session::{Session, null_as_default};
use super::words::{Decision, EventKind, PlanStatus, ProgressKind, StopReason};

/// An event's payload in its typed form.
#[derive(Debug, Clone)]
pub enum Payload<'a> {
    /// `session.created`
    SessionCreated(Session),
    /// `session.resumed`
    SessionResumed(SessionResumed),
    /// `session.renamed`
    SessionRenamed(SessionRenamed),
    /// `session.compacted`
    SessionCompacted(SessionCompacted),
    /// `session.error`
    SessionError(WireError),
    /// `context.band`
    ContextBand(ContextBand),
    /// `turn.started`
    TurnStarted(TurnStarted<'a>),
    /// `message.delta`
    MessageDelta(MessageDelta<'a>),
    /// `message.reasoning`
    MessageReasoning(MessageDelta<'a>),
    /// `tool.requested`
    ToolRequested(ToolRequested<'a>),
    /// `tool.approval_required`
    ApprovalRequired(ApprovalRequest),
    /// `tool.approval_resolved`
    ApprovalResolved(ApprovalResolved),
    /// `tool.completed`
    ToolCompleted(ToolCompleted<'a>),
    /// `plan.updated`
    PlanUpdated(PlanUpdated),
    /// `progress`
    Progress(Progress),
    /// `turn.steered`
    TurnSteered(TurnSteered<'a>),
    /// `turn.completed`
    TurnCompleted(TurnCompleted),
    /// An event type this version does not know.
    Unknown,
    /// A known type whose payload has another shape than known; says where it differs.
    Malformed(String),
}

impl<'a> Payload<'a> {
    /// Decodes the payload of an event of the given type. Never fails: see [`Payload::Malformed`].
    #[must_use]
    pub fn decode(kind: &EventKind, json: &'a str) -> Self {
        Self::try_decode(kind, json).unwrap_or_else(|error| Self::Malformed(error.to_string()))
    }

    fn try_decode(kind: &EventKind, json: &'a str) -> serde_json::Result<Self> {
        use serde_json::from_str;
        Ok(match kind {
            EventKind::SessionCreated => Self::SessionCreated(from_str(json)?),
            EventKind::SessionResumed => Self::SessionResumed(from_str(json)?),
            EventKind::SessionRenamed => Self::SessionRenamed(from_str(json)?),
            EventKind::SessionCompacted => Self::SessionCompacted(from_str(json)?),
            EventKind::SessionError => Self::SessionError(from_str(json)?),
            EventKind::ContextBand => Self::ContextBand(from_str(json)?),
            EventKind::TurnStarted => Self::TurnStarted(from_str(json)?),
            EventKind::MessageDelta => Self::MessageDelta(from_str(json)?),
            EventKind::MessageReasoning => Self::MessageReasoning(from_str(json)?),
            EventKind::ToolRequested => Self::ToolRequested(from_str(json)?),
            EventKind::ToolApprovalRequired => Self::ApprovalRequired(from_str(json)?),
            EventKind::ToolApprovalResolved => Self::ApprovalResolved(from_str(json)?),
            EventKind::ToolCompleted => Self::ToolCompleted(from_str(json)?),
            EventKind::PlanUpdated => Self::PlanUpdated(from_str(json)?),
            EventKind::Progress => Self::Progress(from_str(json)?),
            EventKind::TurnSteered => Self::TurnSteered(from_str(json)?),
            EventKind::TurnCompleted => Self::TurnCompleted(from_str(json)?),
            EventKind::Other(_) => Self::Unknown,
        })
    }
}

/// A resumed session's marker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionResumed {
    /// The session whose history was carried over.
    #[serde(default)]
    pub source_id: String,
    /// Completed turns of the whole chain.
    #[serde(default)]
    pub turns: u64,
    /// Always the zero time in v0.5.1.
    #[serde(default)]
    pub started_at: String,
}

/// A name given to the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRenamed {
    /// Empty when it was cleared.
    #[serde(default)]
    pub name: String,
}

/// Older history was summarised. The indices are not sequence numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionCompacted {
    /// Index into the conversation, not a sequence number.
    #[serde(default)]
    pub from_seq: i64,
    /// Index into the conversation, not a sequence number.
    #[serde(default)]
    pub to_seq: i64,
    /// Messages before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<u64>,
    /// Messages kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<u64>,
}

/// The context passed a threshold upwards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContextBand {
    /// 1 to 3: 60, 80, 92 per cent of the space before summarising.
    #[serde(default)]
    pub band: u64,
    /// To be shown, not computed with: its base is disputed.
    #[serde(default)]
    pub fraction: f64,
}

/// A turn's accepted input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnStarted<'a> {
    /// Starts again at `t1` in a resumed session.
    pub turn_id: String,
    /// Absent when empty.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Cow<'a, str>>,
}

/// A fragment of the answer or of the reasoning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageDelta<'a> {
    /// The turn.
    #[serde(borrow)]
    pub turn_id: Cow<'a, str>,
    /// To be concatenated per turn.
    #[serde(borrow, default)]
    pub text: Cow<'a, str>,
}

/// A tool call the model asked for.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ToolRequested<'a> {
    /// The turn.
    pub turn_id: String,
    /// From the model; repeats across rounds, turns and sessions.
    pub tool_call_id: String,
    /// The tool.
    #[serde(default)]
    pub name: String,
    /// Any JSON.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub input: Option<&'a RawValue>,
}

/// An open question (protocol, section 9).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalRequest {
    /// `TURN-INDEX`; repeats inside one turn.
    pub approval_id: String,
    /// The turn.
    #[serde(default)]
    pub turn_id: String,
    /// Joins the latest earlier `tool.requested` with this id.
    #[serde(default)]
    pub tool_call_id: String,
    /// The tool.
    #[serde(default)]
    pub tool: String,
    /// The shell command; shell calls only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Such as `rule:command`, `filesystem_write`, `network`.
    #[serde(default)]
    pub boundary_crossed: String,
    /// The zero time in v0.5.1, which does not mean expired.
    #[serde(default)]
    pub expires_at: String,
    /// Why the daemon asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The pattern, for rule boundaries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}

/// A closed question: by an answer, the deadline, an interrupt or an earlier `allow_session`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalResolved {
    /// The question.
    pub approval_id: String,
    /// What it came to.
    pub decision: Decision,
}

/// What a tool did. It names neither turn nor tool: join on `tool_call_id`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCompleted<'a> {
    /// The latest earlier `tool.requested` with this id.
    pub tool_call_id: String,
    /// Whether the tool worked, not whether the command succeeded.
    #[serde(default)]
    pub ok: bool,
    /// What the model is shown.
    #[serde(borrow, default)]
    pub output: Cow<'a, str>,
    /// Whether the output was cut.
    #[serde(default)]
    pub truncated: bool,
    /// Lines read, found or printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
    /// Files touched or looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<u64>,
    /// Net lines added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<u64>,
    /// Net lines removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<u64>,
    /// Absent for exit 0; see [`Self::exit_status`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// Whether the command ended by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_exit: Option<bool>,
    /// Milliseconds the command took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// RFC 3339.
    #[serde(default)]
    pub started_at: String,
    /// RFC 3339.
    #[serde(default)]
    pub finished_at: String,
    /// Hunks without file headers.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<Cow<'a, str>>,
}

impl ToolCompleted<'_> {
    /// The command's exit status; `None` if it had none (no command, background, time limit).
    #[must_use]
    pub fn exit_status(&self) -> Option<i64> {
        match (self.has_exit, self.exit_code) {
            (_, Some(code)) => Some(code),
            (Some(true), None) => Some(0),
            (_, None) => None,
        }
    }
}

/// The whole plan; replaces the one before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanUpdated {
    /// May be empty.
    #[serde(default, deserialize_with = "null_as_default")]
    pub items: Vec<PlanItem>,
}

/// One item of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanItem {
    /// Its number.
    #[serde(default)]
    pub id: i64,
    /// What is to be done.
    #[serde(default)]
    pub text: String,
    /// How far it is.
    pub status: PlanStatus,
    /// Why it cannot go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked: Option<String>,
}

/// A count of something; not guaranteed to reach its total.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// The turn.
    #[serde(default)]
    pub turn_id: String,
    /// The call, where the count is a call's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What is counted.
    pub kind: ProgressKind,
    /// So far.
    #[serde(default)]
    pub done: u64,
    /// Of how many, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
}

/// A correction that reached the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnSteered<'a> {
    /// The turn.
    #[serde(default)]
    pub turn_id: String,
    /// The correction.
    #[serde(borrow, default)]
    pub text: Cow<'a, str>,
}

/// Reads what is there if it has the known shape, and nothing otherwise.
fn if_readable<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let raw = Option::<Box<RawValue>>::deserialize(deserializer)?;
    Ok(raw.and_then(|raw| serde_json::from_str(raw.get()).ok()))
}

/// The end of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnCompleted {
    /// The turn.
    #[serde(default)]
    pub turn_id: String,
    /// Why it ended; absent is as bad as unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<StopReason>,
    /// Tokens. What cannot be read of them must not hide the reason.
    #[serde(
        default,
        deserialize_with = "if_readable",
        skip_serializing_if = "Option::is_none"
    )]
    pub usage: Option<Usage>,
    /// What was measured. Evidence about this turn only with `done`, `unverified`, `incomplete`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion: Option<Completion>,
}
