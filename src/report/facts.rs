//! A turn as the reports tell it: what the verdict says, and where it is silent what was seen.

use super::record::{Known, Seen};
use super::text::plus_minus;
use super::verdict::{ApprovalRecord, GateVerdict};
use super::{Verdict, text};
use crate::protocol::{Completion, Seal, StopReason, Usage, milliseconds_between};

/// See the module.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts<'a> {
    session: &'a Known,
    pub(super) seen: &'a Seen,
    verdict: Option<&'a Verdict>,
}

impl<'a> Facts<'a> {
    pub(super) fn new(session: &'a Known, seen: &'a Seen, verdict: Option<&'a Verdict>) -> Self {
        Self {
            session,
            seen,
            verdict,
        }
    }

    /// What the verdict says, else what was seen.
    fn either<T>(
        &self,
        told: impl FnOnce(&'a Verdict) -> Option<T>,
        seen: impl FnOnce(&'a Seen) -> Option<T>,
    ) -> Option<T> {
        self.verdict.and_then(told).or_else(|| seen(self.seen))
    }

    pub(super) fn session_id(&self) -> Option<&'a str> {
        let told = self.verdict.and_then(|told| told.session_id.as_deref());
        told.or(self.session.id.as_deref())
    }

    pub(super) fn turn_id(&self) -> Option<&'a str> {
        self.either(|told| told.turn_id.as_deref(), |seen| seen.id.as_deref())
    }

    pub(super) fn prompt_sha256(&self) -> Option<&'a str> {
        self.either(
            |told| told.prompt_sha256.as_deref(),
            |seen| seen.prompt_sha256.as_deref(),
        )
    }

    pub(super) fn model(&self) -> Option<&'a str> {
        let told = self.verdict.and_then(|told| told.model.as_deref());
        told.or(self.session.model.as_deref())
    }

    pub(super) fn workspace(&self) -> Option<&'a str> {
        let told = self.verdict.and_then(|told| told.workspace.as_deref());
        told.or(self.session.workspace.as_deref())
    }

    pub(super) fn context_window(&self) -> Option<u64> {
        let told = self.verdict.and_then(|told| told.context_window);
        told.or(self.session.context_window)
    }

    pub(super) fn reason(&self) -> Option<&'a StopReason> {
        self.either(
            |told| told.reason.as_ref(),
            |seen| seen.completed.as_ref()?.reason.as_ref(),
        )
    }

    /// Whether the end of the turn was seen, a reason named or not.
    pub(super) fn ended(&self) -> bool {
        self.reason().is_some() || self.seen.completed.is_some()
    }

    pub(super) fn usage(&self) -> Option<&'a Usage> {
        self.either(
            |told| told.usage.as_ref(),
            |seen| seen.completed.as_ref()?.usage.as_ref(),
        )
    }

    pub(super) fn completion(&self) -> Option<&'a Completion> {
        self.either(
            |told| told.completion.as_ref(),
            |seen| seen.completed.as_ref()?.completion.as_ref(),
        )
    }

    /// The completion, if it says something about this very turn. With any other reason it is the
    /// session's last one, from before.
    pub(super) fn evidence(&self) -> Option<&'a Completion> {
        self.completion().filter(|_| self.is_result())
    }

    /// Whether the turn ended in one of the three ways that are results of its work.
    pub(super) fn is_result(&self) -> bool {
        matches!(
            self.reason(),
            Some(StopReason::Done | StopReason::Unverified | StopReason::Incomplete)
        )
    }

    /// Paths of the measurement itself that the session wrote.
    pub(super) fn protected(&self) -> &'a [String] {
        self.completion()
            .map_or(&[], |completion| &completion.touched_protected)
    }

    /// The number and the name of the exit; of a log nobody knows it.
    pub(super) fn exit(&self) -> Option<(u8, &'a str)> {
        let verdict = self.verdict?;
        (!verdict.exit_name.is_empty()).then_some((verdict.exit_code, verdict.exit_name.as_str()))
    }

    pub(super) fn accepted(&self) -> bool {
        self.verdict.is_some_and(|verdict| verdict.accepted)
    }

    pub(super) fn capped_by_client(&self) -> bool {
        self.verdict.is_some_and(|verdict| verdict.capped_by_client)
    }

    pub(super) fn message(&self) -> Option<&'a str> {
        self.verdict?.message.as_deref()
    }

    pub(super) fn answer(&self) -> Option<&'a str> {
        self.verdict?.answer.as_deref()
    }

    pub(super) fn gates(&self) -> &'a [GateVerdict] {
        self.verdict.map_or(&[], |verdict| &verdict.gates)
    }

    pub(super) fn approvals(&self) -> &'a [ApprovalRecord] {
        let told = self.verdict.map_or(&[][..], |verdict| &verdict.approvals);
        if told.is_empty() {
            return &self.seen.tally.approvals;
        }
        told
    }

    pub(super) fn rounds(&self) -> Option<(u64, Option<u64>)> {
        self.either(|told| told.rounds, |seen| seen.tally.rounds)
    }

    pub(super) fn started_at(&self) -> Option<&'a str> {
        self.either(
            |told| told.started_at.as_deref(),
            |seen| seen.started_at.as_deref(),
        )
    }

    pub(super) fn ended_at(&self) -> Option<&'a str> {
        self.either(
            |told| told.ended_at.as_deref(),
            |seen| seen.ended_at.as_deref(),
        )
    }

    pub(super) fn duration_ms(&self) -> Option<u64> {
        let between = || milliseconds_between(self.started_at()?, self.ended_at()?);
        let told = self.verdict.and_then(|told| told.duration_ms);
        told.or_else(between)
    }

    pub(super) fn first_seq(&self) -> Option<u64> {
        self.either(|told| told.first_seq, |seen| seen.first_seq)
    }

    pub(super) fn last_seq(&self) -> Option<u64> {
        self.either(|told| told.last_seq, |seen| seen.last_seq)
    }

    pub(super) fn reconnects(&self) -> u64 {
        self.verdict.map_or(0, |verdict| verdict.reconnects)
    }

    pub(super) fn daemon_version(&self) -> Option<&'a str> {
        self.verdict?.daemon_version.as_deref()
    }

    /// How the turn ended, in one word: its reason, else what ended the waiting for it.
    pub(super) fn word(&self) -> &'a str {
        match (self.reason(), self.exit()) {
            (Some(reason), _) => reason.as_str(),
            (None, Some((_, name))) => name,
            (None, None) if self.ended() => "no_reason",
            (None, None) => "unfinished",
        }
    }

    /// How the turn ended, in a sentence.
    pub(super) fn sentence(&self) -> String {
        if let Some(message) = self.message() {
            return message.to_owned();
        }
        let last_error = self.seen.tally.errors.last();
        match self.reason() {
            Some(StopReason::Done | StopReason::Unverified | StopReason::Incomplete) => {
                self.measured()
            }
            Some(StopReason::Interrupted) => "the turn was stopped".to_owned(),
            Some(StopReason::MaxIterations) => "the iteration limit was reached".to_owned(),
            Some(StopReason::RepeatLoop) => "three identical calls in a row".to_owned(),
            Some(StopReason::MaxTokens) => "the output-token limit was passed".to_owned(),
            Some(StopReason::Error) => match last_error {
                Some(error) => format!("{}: {}", error.code, error.message),
                None => "the model could not be used; no session.error says why".to_owned(),
            },
            Some(StopReason::Other(_)) => "a stop reason not known here".to_owned(),
            None if self.ended() => "the turn ended without a stop reason".to_owned(),
            None => "the end of the turn was not seen".to_owned(),
        }
    }

    /// What the lists say; they decide, not the seal.
    fn measured(&self) -> String {
        let Some(done) = self.evidence() else {
            return match self.reason() {
                Some(StopReason::Unverified) => "a criterion could not be run".to_owned(),
                Some(StopReason::Incomplete) => "a criterion stayed unmet".to_owned(),
                _ => "nothing was checked".to_owned(),
            };
        };
        let parts = [
            (done.met.len(), "met"),
            (done.unmet.len(), "unmet"),
            (done.unavailable.len(), "could not be run"),
        ];
        let parts: Vec<String> = parts
            .iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, what)| format!("{number} {what}"))
            .collect();
        if parts.is_empty() {
            return "no criterion is named".to_owned();
        }
        format!("criteria: {}", parts.join(", "))
    }

    /// Whether all that is named is met and the seal agrees.
    pub(super) fn is_sealed(completion: &Completion) -> bool {
        completion.verification == Some(Seal::Passed)
    }

    /// Name and value of what is known, in words that are no model's: for properties and outputs.
    pub(super) fn pairs(&self) -> Vec<(&'static str, Option<String>)> {
        let text = |text: Option<&str>| text.map(str::to_owned);
        let number = |number: Option<u64>| number.map(|number| number.to_string());
        let changes = self.seen.tally.changes;
        let usage = self.usage();
        let seal = self.evidence().map(|done| {
            let seal = done.verification.as_ref();
            seal.map_or("none", Seal::as_str).to_owned()
        });
        vec![
            ("session_id", text(self.session_id())),
            ("turn_id", text(self.turn_id())),
            ("reason", text(self.reason().map(StopReason::as_str))),
            ("exit_code", self.exit().map(|(code, _)| code.to_string())),
            ("exit_name", self.exit().map(|(_, name)| name.to_owned())),
            ("accepted", self.exit().map(|_| self.accepted().to_string())),
            ("verification", seal),
            ("model", text(self.model())),
            ("workspace", text(self.workspace())),
            ("prompt_sha256", text(self.prompt_sha256())),
            ("rounds", number(self.rounds().map(|(done, _)| done))),
            ("files_changed", number(Some(changes.files))),
            ("lines_added", number(Some(changes.added))),
            ("lines_removed", number(Some(changes.removed))),
            (
                "input_tokens",
                number(usage.map(|usage| usage.input_tokens)),
            ),
            (
                "output_tokens",
                number(usage.map(|usage| usage.output_tokens)),
            ),
            (
                "context_tokens",
                number(usage.and_then(|usage| usage.context_tokens)),
            ),
            ("duration_ms", number(self.duration_ms())),
            ("first_seq", number(self.first_seq())),
            ("last_seq", number(self.last_seq())),
            ("client_version", Some(env!("CARGO_PKG_VERSION").to_owned())),
            ("daemon_version", text(self.daemon_version())),
        ]
    }
}

/// Net lines in a few characters; `None` where nobody counted.
pub(super) fn net_lines(lines: Option<(u64, u64)>) -> Option<String> {
    lines.map(|(added, removed)| plus_minus(added, removed))
}

/// The figures of a turn's cost, each in words.
pub(super) fn cost(facts: &Facts<'_>) -> Vec<String> {
    let mut parts = Vec::new();
    if let Some(milliseconds) = facts.duration_ms().filter(|&elapsed| elapsed > 0) {
        parts.push(text::duration(milliseconds));
    }
    if let Some((rounds, _)) = facts.rounds() {
        parts.push(text::counted(rounds, "round"));
    }
    let Some(usage) = facts.usage() else {
        return parts;
    };
    let (input, output) = (usage.input_tokens, usage.output_tokens);
    let cached = usage.cache_read_tokens.filter(|&tokens| tokens > 0);
    let cached = cached.map_or(String::new(), |tokens| {
        format!(" ({} cached)", text::grouped(tokens))
    });
    let (input, output) = (text::grouped(input), text::grouped(output));
    parts.push(format!("tokens {input} in{cached}, {output} out"));
    if let Some(tokens) = usage.context_tokens {
        let share = facts.context_window().and_then(|window| {
            let share = text::percent(tokens, window)?;
            Some(format!(" of {} ({share})", text::rough(window)))
        });
        let share = share.unwrap_or_default();
        parts.push(format!("context {}{share}", text::grouped(tokens)));
    }
    parts
}
