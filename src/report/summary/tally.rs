//! Counting what happened in a turn.

use serde::Serialize;

use super::super::changes::Changes;
use crate::protocol::{Payload, ProgressKind, ToolCompleted, ToolRequested, WireError};

/// Entries of a list that are kept at most; the turn of a runaway must not eat the memory.
const LIMIT: usize = 1000;

/// The calls of one tool.
#[derive(Debug, Default, Serialize)]
pub(super) struct Tool {
    name: String,
    requested: u64,
    completed: u64,
    /// `ok` was false.
    failed: u64,
    nonzero_exit: u64,
}

/// What happened in a turn, in numbers.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) tools: Vec<Tool>,
    /// Open calls: their id and the index of their tool.
    open: Vec<(String, usize)>,
    pub(super) changes: Changes,
    pub(super) rounds: Option<(u64, Option<u64>)>,
    pub(super) steerings: u64,
    pub(super) errors: Vec<WireError>,
}

impl Tally {
    pub(super) fn count(&mut self, payload: &Payload<'_>) {
        match payload {
            Payload::ToolRequested(request) => self.requested(request),
            Payload::ToolCompleted(done) => self.completed(done),
            Payload::TurnSteered(_) => self.steerings += 1,
            Payload::SessionError(error) if self.errors.len() < LIMIT => {
                self.errors.push(error.clone());
            }
            Payload::Progress(progress) if progress.kind == ProgressKind::Rounds => {
                self.rounds = Some((progress.done, progress.total));
            }
            _ => {}
        }
    }

    fn requested(&mut self, request: &ToolRequested<'_>) {
        if let Some(index) = self.tool(&request.name) {
            self.tools[index].requested += 1;
            if self.open.len() >= LIMIT {
                self.open.remove(0);
            }
            self.open.push((request.tool_call_id.clone(), index));
        }
    }

    fn completed(&mut self, done: &ToolCompleted<'_>) {
        self.changes.count(done);
        // Ids repeat: the latest earlier call with the id is meant.
        let at = self
            .open
            .iter()
            .rposition(|(id, _)| *id == done.tool_call_id);
        let index = at.map(|at| self.open.remove(at).1);
        // A stream taken up in the middle has ends without beginnings.
        let Some(index) = index.or_else(|| self.tool("")) else {
            return;
        };
        let tool = &mut self.tools[index];
        tool.completed += 1;
        tool.failed += u64::from(!done.ok);
        tool.nonzero_exit += u64::from(done.exit_status().is_some_and(|code| code != 0));
    }

    fn tool(&mut self, name: &str) -> Option<usize> {
        let known = self.tools.iter().position(|tool| tool.name == name);
        if known.is_some() || self.tools.len() >= LIMIT {
            return known;
        }
        self.tools.push(Tool {
            name: name.to_owned(),
            ..Tool::default()
        });
        Some(self.tools.len() - 1)
    }
}
