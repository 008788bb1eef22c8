//! What is remembered of the running turn. Bounded: outputs are not kept, nor is the answer.

use std::time::Instant;

use super::super::approval;
use super::super::changes::Changes;
use crate::protocol::ToolRequested;

/// Calls remembered at most; the daemon runs a handful at a time.
const CALLS: usize = 500;

/// Bytes of a call's subject that are kept.
const SUBJECT: usize = 4096;

/// Bytes of a tool's name that are kept.
const NAME: usize = 200;

/// A call that was requested and is not over.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    /// What it is about, as received.
    pub(super) subject: Option<String>,
    /// Whether that is a path.
    pub(super) is_path: bool,
}

/// A call whose arguments began to arrive.
#[derive(Debug, Clone)]
pub(super) struct Announced {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) bytes: u64,
}

/// The open question.
#[derive(Debug, Clone)]
pub(super) struct Question {
    pub(super) approval_id: String,
    pub(super) handle: String,
    pub(super) session_id: String,
    pub(super) tool_call_id: String,
    /// Whether the page says how to answer.
    pub(super) explained: bool,
}

/// Rounds done, and the limit.
pub(super) type Rounds = (u64, Option<u64>);

/// The turn as far as it was seen.
#[derive(Debug, Default)]
pub(super) struct Turn {
    /// When this program saw it start; `None` if no turn runs.
    pub(super) running: Option<Instant>,
    /// When the daemon recorded its start.
    pub(super) started_at: String,
    pub(super) calls: Vec<Call>,
    pub(super) announced: Vec<Announced>,
    pub(super) question: Option<Question>,
    pub(super) rounds: Option<Rounds>,
    /// Whether a tool was asked for since the last round.
    pub(super) called: bool,
    /// Files a search has looked at.
    pub(super) files: Option<Rounds>,
    pub(super) changes: Changes,
    /// The code of the last `session.error`, made visible.
    pub(super) error: Option<String>,
}

impl Turn {
    /// A turn that starts now.
    pub(super) fn start(at: &str) -> Self {
        Self {
            running: Some(Instant::now()),
            started_at: at.to_owned(),
            ..Self::default()
        }
    }

    /// Takes note that a turn runs whose start was not seen: the stream was taken up in its middle.
    pub(super) fn join(&mut self) {
        if self.running.is_none() {
            self.running = Some(Instant::now());
            // Of its first round, too, only a part is seen.
            self.called = true;
        }
    }

    /// Remembers a call; hands back the oldest one if there are too many.
    pub(super) fn request(&mut self, request: &ToolRequested<'_>) -> Option<Call> {
        self.called = true;
        self.announced
            .retain(|call| call.id != request.tool_call_id);
        let input = request.input.map_or("null", |input| input.get());
        let mut subject = approval::subject(input);
        if let Some(text) = &mut subject {
            text.truncate(text.floor_char_boundary(SUBJECT));
        }
        let oldest = (self.calls.len() >= CALLS).then(|| self.calls.remove(0));
        self.calls.push(Call {
            id: request.tool_call_id.clone(),
            name: short(&request.name),
            subject,
            is_path: approval::is_path(input),
        });
        oldest
    }

    /// Takes the latest earlier call with the id: ids repeat.
    pub(super) fn take(&mut self, id: &str) -> Option<Call> {
        let at = self.calls.iter().rposition(|call| call.id == id)?;
        Some(self.calls.remove(at))
    }

    /// Looks at the latest earlier call with the id.
    pub(super) fn call(&self, id: &str) -> Option<&Call> {
        self.calls.iter().rev().find(|call| call.id == id)
    }

    /// Remembers that arguments arrive.
    pub(super) fn announce(&mut self, id: &str, name: &str, bytes: u64) {
        if let Some(known) = self.announced.iter_mut().find(|call| call.id == id) {
            known.bytes = bytes;
        } else if self.announced.len() < CALLS {
            self.announced.push(Announced {
                id: id.to_owned(),
                name: short(name),
                bytes,
            });
        }
    }
}

/// A name as far as it is ever shown.
fn short(name: &str) -> String {
    name[..name.floor_char_boundary(NAME)].to_owned()
}
