//! Counting what happened in a turn.

use serde::Serialize;

use super::approval;
use super::changes::{ChangedFiles, Changes};
use super::verdict::ApprovalRecord;
use crate::protocol::{
    ApprovalRequest, ApprovalResolved, Payload, ProgressKind, ToolCompleted, ToolRequested,
    WireError,
};

/// Entries of a list that are kept at most; the turn of a runaway must not eat the memory.
const LIMIT: usize = 1000;

/// Failed calls that are kept with their output; any more are only counted.
const FAILURES: usize = 20;

/// Bytes kept of what a call was about.
const SUBJECT: usize = 1000;

/// Bytes and lines kept of a failed call's output: its end, where the reason stands.
const EXCERPT: (usize, usize) = (2000, 15);

/// The calls of one tool.
#[derive(Debug, Default, Serialize)]
pub(super) struct Tool {
    name: String,
    requested: u64,
    completed: u64,
    /// `ok` was false.
    failed: u64,
    nonzero_exit: u64,
    /// A question about the call was answered with no.
    denied: u64,
}

/// A call that failed, or whose command did.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) tool: String,
    /// What the call was about, as received.
    pub(super) subject: Option<String>,
    pub(super) exit_status: Option<i64>,
    /// The end of its output, as received.
    pub(super) excerpt: String,
    /// Whether the output is longer than that.
    pub(super) cut: bool,
}

/// A call that is not over.
#[derive(Debug)]
struct Open {
    id: String,
    tool: usize,
    subject: Option<String>,
}

/// What happened in a turn, in numbers.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) tools: Vec<Tool>,
    open: Vec<Open>,
    pub(super) changes: Changes,
    pub(super) files: ChangedFiles,
    pub(super) failures: Vec<Failure>,
    /// All of them, those that are not kept included.
    pub(super) failure_count: u64,
    pub(super) rounds: Option<(u64, Option<u64>)>,
    pub(super) steerings: u64,
    pub(super) errors: Vec<WireError>,
    /// As the stream tells them: it does not say who answered.
    pub(super) approvals: Vec<ApprovalRecord>,
    /// The call of each of them.
    asked: Vec<String>,
}

impl Tally {
    pub(super) fn count(&mut self, payload: &Payload<'_>, seq: u64) {
        match payload {
            Payload::ToolRequested(request) => self.requested(request),
            Payload::ToolCompleted(done) => self.completed(done),
            Payload::ApprovalRequired(request) => self.asked(request, seq),
            Payload::ApprovalResolved(resolved) => self.resolved(resolved),
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
        if let Some(tool) = self.tool(&request.name) {
            self.tools[tool].requested += 1;
            if self.open.len() >= LIMIT {
                self.open.remove(0);
            }
            let mut subject = request
                .input
                .and_then(|input| approval::subject(input.get()));
            if let Some(text) = &mut subject {
                text.truncate(text.floor_char_boundary(SUBJECT));
            }
            self.open.push(Open {
                id: request.tool_call_id.clone(),
                tool,
                subject,
            });
        }
    }

    fn completed(&mut self, done: &ToolCompleted<'_>) {
        self.changes.count(done);
        self.files.count(done);
        // Ids repeat: the latest earlier call with the id is meant.
        let at = self
            .open
            .iter()
            .rposition(|open| open.id == done.tool_call_id);
        let (tool, subject) = match at.map(|at| self.open.remove(at)) {
            Some(open) => (Some(open.tool), open.subject),
            // A stream taken up in the middle has ends without beginnings.
            None => (self.tool(""), None),
        };
        let exit_status = done.exit_status();
        let failed = !done.ok || exit_status.is_some_and(|code| code != 0);
        if failed {
            self.failed(tool, subject, done);
        }
        if let Some(tool) = tool.map(|tool| &mut self.tools[tool]) {
            tool.completed += 1;
            tool.failed += u64::from(!done.ok);
            tool.nonzero_exit += u64::from(exit_status.is_some_and(|code| code != 0));
        }
    }

    fn failed(&mut self, tool: Option<usize>, subject: Option<String>, done: &ToolCompleted<'_>) {
        self.failure_count += 1;
        if self.failures.len() >= FAILURES {
            return;
        }
        let output = done.output.trim_end();
        let start = output.len().saturating_sub(EXCERPT.0);
        let tail = &output[output.ceil_char_boundary(start)..];
        let lines = tail.rsplit('\n').take(EXCERPT.1).map(|line| line.len() + 1);
        let kept = lines.sum::<usize>().saturating_sub(1);
        let excerpt = &tail[tail.len() - kept..];
        self.failures.push(Failure {
            tool: tool.map_or_else(String::new, |tool| self.tools[tool].name.clone()),
            subject,
            exit_status: done.exit_status(),
            excerpt: excerpt.to_owned(),
            cut: excerpt.len() < output.len(),
        });
    }

    fn asked(&mut self, request: &ApprovalRequest, seq: u64) {
        if self.approvals.len() >= LIMIT {
            return;
        }
        self.approvals.push(ApprovalRecord {
            handle: approval::approval_handle(&request.approval_id, seq),
            approval_id: request.approval_id.clone(),
            tool: request.tool.clone(),
            boundary_crossed: request.boundary_crossed.clone(),
            decision: None,
            by: None,
        });
        self.asked.push(request.tool_call_id.clone());
    }

    fn resolved(&mut self, resolved: &ApprovalResolved) {
        let open = |record: &ApprovalRecord| {
            record.approval_id == resolved.approval_id && record.decision.is_none()
        };
        let Some(at) = self.approvals.iter().rposition(open) else {
            return;
        };
        self.approvals[at].decision = Some(resolved.decision.as_str().to_owned());
        let call = self.open.iter().rfind(|open| open.id == self.asked[at]);
        if let Some(tool) = call.map(|open| open.tool)
            && !resolved.decision.grants()
        {
            self.tools[tool].denied += 1;
        }
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
