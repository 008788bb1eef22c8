//! What outlives a session: its events in order of writing, for resume and rename
//! (protocol, section 10). The real daemon keeps a file; this one keeps it in memory.

use std::sync::{Arc, Mutex};

/// A record with a longer line can neither be resumed nor renamed.
const LINE_LIMIT: usize = 8 << 20;

/// One event as it was given out.
#[derive(Debug)]
pub(super) struct Logged {
    pub(super) seq: u64,
    pub(super) kind: String,
    pub(super) payload: String,
    /// The whole envelope, as it stands in the stream.
    pub(super) line: String,
}

/// The events of a session, kept after its end.
#[derive(Debug, Default)]
pub(super) struct Record(Mutex<Vec<Arc<Logged>>>);

impl Record {
    pub(super) fn push(&self, event: Arc<Logged>) {
        super::lock(&self.0).push(event);
    }

    /// Appends the new name. It takes no number of the live session, so that one number may stand
    /// in a record twice.
    pub(super) fn rename(&self, name: &str) {
        let mut events = super::lock(&self.0);
        let seq = events.last().map_or(1, |event| event.seq + 1);
        events.push(Arc::new(Logged {
            seq,
            kind: "session.renamed".to_owned(),
            payload: format!("{{\"name\":{}}}", super::json::quoted(name)),
            line: String::new(),
        }));
    }

    /// Whether a line of it is too long to be read again.
    pub(super) fn is_oversized(&self) -> bool {
        let events = super::lock(&self.0);
        events.iter().any(|event| event.line.len() > LINE_LIMIT)
    }

    /// What a resumed session carries over, and how many completed turns are among it.
    pub(super) fn carried(&self) -> (Vec<Arc<Logged>>, usize) {
        let left_out = |kind: &str| {
            matches!(
                kind,
                "session.created" | "session.resumed" | "tool.approval_required"
            )
        };
        let events = super::lock(&self.0);
        let kept: Vec<Arc<Logged>> = events
            .iter()
            .filter(|event| !left_out(&event.kind))
            .cloned()
            .collect();
        let completed = |event: &&Arc<Logged>| event.kind == "turn.completed";
        let turns = kept.iter().filter(completed).count();
        (kept, turns)
    }
}
