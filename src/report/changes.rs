//! What a turn changed, as far as the daemon measured it.

use serde::Serialize;

use crate::protocol::ToolCompleted;

/// Sums over the calls that carry a diff. Reads and searches set `files` too and do not count; the
/// lines are the daemon's net figures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(super) struct Changes {
    pub(super) files: u64,
    pub(super) added: u64,
    pub(super) removed: u64,
    #[serde(skip)]
    pub(super) calls: u64,
}

impl Changes {
    pub(super) fn count(&mut self, done: &ToolCompleted<'_>) {
        if done.diff.as_ref().is_none_or(|diff| diff.is_empty()) {
            return;
        }
        self.calls += 1;
        let sum = |total: &mut u64, more: Option<u64>| {
            *total = total.saturating_add(more.unwrap_or(0));
        };
        sum(&mut self.files, done.files);
        sum(&mut self.added, done.added);
        sum(&mut self.removed, done.removed);
    }
}
