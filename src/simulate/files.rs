//! Which files the last turn changed, read off its own events, and what undoing it would say
//! (protocol, section 11). The simulated daemon never touches a file.

use std::collections::{BTreeSet, HashMap};

use crate::protocol::{EventKind, Payload};

/// The file changes of the last turn.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// The paths of file-tool calls that have not completed, by call id.
    requested: HashMap<String, String>,
    changed: BTreeSet<String>,
    by_hand: BTreeSet<String>,
}

#[derive(serde::Deserialize)]
struct Input {
    path: String,
}

impl Files {
    /// A new turn: the one before can no longer be undone.
    pub(super) fn begin_turn(&mut self) {
        *self = Self::default();
    }

    /// Learns from an event of the turn.
    pub(super) fn note(&mut self, kind: &str, payload: &str) {
        if !matches!(kind, "tool.requested" | "tool.completed") {
            return;
        }
        match Payload::decode(&EventKind::from(kind), payload) {
            Payload::ToolRequested(call) if matches!(call.name.as_str(), "write" | "edit") => {
                let input = call.input.map_or("null", |input| input.get());
                if let Ok(input) = serde_json::from_str::<Input>(input) {
                    self.requested.insert(call.tool_call_id, input.path);
                }
            }
            Payload::ToolCompleted(call) => {
                let path = self.requested.remove(&call.tool_call_id);
                self.changed.extend(path.filter(|_| call.ok));
            }
            _ => {}
        }
    }

    /// Somebody edited the file after the turn did.
    pub(super) fn edited_by_hand(&mut self, path: &str) {
        self.by_hand.insert(path.to_owned());
    }

    /// Undoes the turn once: the files put back, and those refused.
    pub(super) fn undo(&mut self, workspace: &str) -> (Vec<String>, Vec<String>) {
        let changed = std::mem::take(&mut self.changed);
        let by_hand = std::mem::take(&mut self.by_hand);
        let absolute = |path: String| {
            if path.starts_with('/') {
                path
            } else {
                format!("{workspace}/{path}")
            }
        };
        let (refused, restored): (Vec<String>, Vec<String>) =
            changed.into_iter().partition(|path| by_hand.contains(path));
        (
            restored.into_iter().map(absolute).collect(),
            refused.into_iter().map(absolute).collect(),
        )
    }
}
