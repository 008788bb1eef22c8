//! Which question is open, and what it is about.
//!
//! Calls and questions join to the latest earlier event with their id, as ids repeat (protocol,
//! sections 7 and 9).

use std::collections::HashMap;
use std::time::Instant;

use crate::protocol::{ApprovalRequest, ApprovalResolved, Event, EventKind, Payload};

/// A question that the daemon asked.
#[derive(Debug, Clone)]
pub struct Question {
    /// What is asked.
    pub request: ApprovalRequest,
    /// The number of its event.
    pub seq: u64,
    /// The `input` of the call it is about, as JSON text.
    pub input: Option<String>,
    /// The daemon's own text of the payload.
    pub payload: String,
    /// When it was read.
    pub since: Instant,
}

impl Question {
    /// `ID@SEQ`: unlike the id it never means another question.
    #[must_use]
    pub fn handle(&self) -> String {
        format!("{}@{}", self.request.approval_id, self.seq)
    }

    /// The question as one JSON object: the daemon's own fields, then `handle`, and the `input` of
    /// the call it is about.
    #[must_use]
    pub fn object(&self) -> String {
        let handle = serde_json::Value::from(self.handle());
        let input = self.input.as_deref().unwrap_or("null");
        let fields = self.payload.trim_end();
        let fields = fields.strip_suffix('}').unwrap_or(fields).trim_end();
        let comma = if fields.ends_with('{') { "" } else { "," };
        format!("{fields}{comma}\"handle\":{handle},\"input\":{input}}}")
    }
}

/// Follows the questions of a session.
#[derive(Debug, Default)]
pub struct Questions {
    inputs: HashMap<String, Option<String>>,
    open: Option<Question>,
}

/// What an event meant for the questions.
#[derive(Debug)]
pub enum Change {
    /// Nothing.
    None,
    /// A question was asked: [`Questions::open`] has it.
    Asked,
    /// The question is closed.
    Resolved(Box<Question>, ApprovalResolved),
}

impl Questions {
    /// The open question.
    #[must_use]
    pub fn open(&self) -> Option<&Question> {
        self.open.as_ref()
    }

    /// Takes note of an event.
    pub fn note(&mut self, event: &Event<'_>) -> Change {
        if event.kind == EventKind::ToolCompleted
            && let Some(id) = event.first_field("tool_call_id")
        {
            // The rest of it may be large.
            self.inputs.remove(id);
            return Change::None;
        }
        if matches!(
            event.kind,
            EventKind::MessageDelta | EventKind::MessageReasoning | EventKind::Progress
        ) {
            // The most frequent ones mean nothing here.
            return Change::None;
        }
        match event.payload() {
            Payload::ToolRequested(call) => {
                let input = call.input.map(|input| input.get().to_owned());
                self.inputs.insert(call.tool_call_id.clone(), input);
            }
            Payload::ToolCompleted(call) => {
                self.inputs.remove(&call.tool_call_id);
            }
            Payload::ApprovalRequired(request) => {
                self.open = Some(Question {
                    request: request.clone(),
                    seq: event.seq,
                    input: self.inputs.get(&request.tool_call_id).cloned().flatten(),
                    payload: event.payload_json().to_owned(),
                    since: Instant::now(),
                });
                return Change::Asked;
            }
            Payload::ApprovalResolved(resolved) => {
                if let Some(question) = self
                    .open
                    .take_if(|open| open.request.approval_id == resolved.approval_id)
                {
                    return Change::Resolved(Box::new(question), resolved.clone());
                }
            }
            Payload::TurnStarted(_) | Payload::TurnCompleted(_) => {
                self.inputs.clear();
                self.open = None;
            }
            _ => {}
        }
        Change::None
    }
}
