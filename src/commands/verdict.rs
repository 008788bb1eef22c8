//! From what was seen of a turn to the exit code, its sentence and the summary's facts.

use super::Context;
use super::gates::{self, Finding};
use crate::cli::Gate;
use crate::error::{Kind, signal_name};
use crate::exit::Exit;
use crate::follow::{By, Outcome, Stop, Turn};
use crate::protocol::{Completion, StopReason, milliseconds_between};
use crate::report::{AnsweredBy, ApprovalRecord, GateVerdict, Verdict};

/// What the rules need besides the outcome itself.
#[derive(Debug, Default)]
pub(super) struct Facts<'a> {
    /// The options of the gate, where there is one.
    pub(super) gate: Option<&'a Gate>,
    /// The reader of stdout left, and nothing else was written.
    pub(super) unwatched: bool,
    /// A write failed, other than for a reader that left.
    pub(super) write_failed: bool,
}

/// The exit and why.
#[derive(Debug)]
pub(super) struct Judgement {
    pub(super) exit: Exit,
    /// The turn's own outcome is one that `--accept` names, whatever else decides.
    pub(super) accepted: bool,
    /// The name of what happened: the exit's, or the accepted outcome's.
    pub(super) name: String,
    /// One line; `None` for plain success and for a reader that left.
    pub(super) message: Option<String>,
    pub(super) hint: Option<String>,
    /// What the gates found that were asked for.
    pub(super) findings: Vec<Finding>,
}

impl Judgement {
    fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self {
            exit,
            accepted: false,
            name: exit.name().to_owned(),
            message: Some(message.into()),
            hint: None,
            findings: Vec::new(),
        }
    }

    fn silent(exit: Exit) -> Self {
        Self {
            message: None,
            ..Self::new(exit, "")
        }
    }

    fn hint(mut self, hint: String) -> Self {
        self.hint = Some(hint);
        self
    }

    /// Whether the message is a result told calmly and not an error.
    pub(super) fn is_calm(&self) -> bool {
        matches!(self.exit, Exit::Done | Exit::Unverified | Exit::Incomplete)
    }
}

/// Applies the contract's order: signal; timeout; this client's own stop; what kept the end from
/// being seen; the turn's own code; a reader that left; a failed write.
pub(super) fn judge(outcome: &Outcome, facts: &Facts<'_>) -> Judgement {
    let findings = findings(outcome, facts.gate);
    Judgement {
        findings: findings.unwrap_or_default(),
        accepted: is_accepted(outcome, facts),
        ..first_of(outcome, facts)
    }
}

/// What the gates say of the turn's end, if it was seen.
fn findings(outcome: &Outcome, gate: Option<&Gate>) -> Option<Vec<Finding>> {
    let end = outcome.turn.as_ref()?.end.as_ref()?;
    Some(gates::examine(gate?, end))
}

fn accepts(gate: Option<&Gate>, exit: Exit) -> bool {
    let accept = gate.and_then(|gate| gate.accept.as_ref());
    accept.is_some_and(|accept| accept.contains(exit))
}

/// Like the findings a fact about the turn: also where something else decides how the command ends.
fn is_accepted(outcome: &Outcome, facts: &Facts<'_>) -> bool {
    own_code(outcome, facts).accepted
}

fn first_of(outcome: &Outcome, facts: &Facts<'_>) -> Judgement {
    if let Some(judgement) = stopped(outcome) {
        return judgement;
    }
    if let Some(error) = &outcome.failure {
        let exit = Exit::from(error.kind());
        let judgement = match error.kind() {
            Kind::StdoutClosed => Judgement::silent(exit),
            kind => Judgement {
                name: Exit::code_of(kind).to_owned(),
                ..Judgement::new(exit, error.to_string())
            },
        };
        return match error.hint_text() {
            Some(hint) => judgement.hint(hint.to_owned()),
            None => judgement,
        };
    }
    let own = own_code(outcome, facts);
    if own.exit != Exit::Done {
        return own;
    }
    for finding in findings(outcome, facts.gate).unwrap_or_default() {
        if let Some(objection) = finding.objection {
            let message = format!("{}: {objection}", finding.exit.name());
            return Judgement::new(finding.exit, message);
        }
    }
    if facts.unwatched || matches!(outcome.stop, Some(Stop::Unwatched)) {
        return Judgement::silent(Exit::StdoutClosed);
    }
    if facts.write_failed {
        return Judgement::silent(Exit::OutputFailed);
    }
    own
}

fn stopped(outcome: &Outcome) -> Option<Judgement> {
    let fate = fate(outcome);
    match outcome.stop.as_ref()? {
        Stop::Signal(number) => {
            let name = signal_name(*number);
            Some(Judgement::new(
                Exit::from_signal(*number),
                format!("stopped by {name}; {fate}"),
            ))
        }
        Stop::Timeout(message) => Some(Judgement::new(Exit::Timeout, format!("{message}; {fate}"))),
        Stop::Question(question) => {
            let request = &question.request;
            let message = format!(
                "approval {} is needed ({} by {}); {fate}",
                question.handle(),
                request.boundary_crossed,
                request.tool
            );
            let hint = "next time: --on-approval allow, or --on-approval leave with 'dcodectl approve' beside it, or a policy of the daemon that does not ask";
            Some(Judgement::new(Exit::ApprovalNeeded, message).hint(hint.to_owned()))
        }
        Stop::Rounds(cap) => {
            let message = format!("max_iterations: --max-rounds {cap} was passed; {fate}");
            Some(Judgement::new(Exit::MaxIterations, message))
        }
        Stop::Unwatched => None,
    }
}

/// What became of the turn when this program gave up on it.
fn fate(outcome: &Outcome) -> String {
    match outcome.turn.as_ref() {
        _ if outcome.left_alone => "the turn is left to the daemon".to_owned(),
        None if outcome.interrupted => "the turn was interrupted".to_owned(),
        None => "no turn was seen to start".to_owned(),
        Some(turn) if turn.end.is_some() => {
            format!(
                "the turn ended: {}",
                turn.reason().map_or("no reason given", StopReason::as_str)
            )
        }
        Some(_) if outcome.interrupted => {
            "the turn was interrupted, but its end was not seen".to_owned()
        }
        Some(_) => "the turn could not be interrupted and may still run".to_owned(),
    }
}

/// The turn's own code, unless it was accepted or is an interrupt of this program's making.
fn own_code(outcome: &Outcome, facts: &Facts<'_>) -> Judgement {
    let Some((turn, end)) = outcome
        .turn
        .as_ref()
        .and_then(|turn| Some((turn, turn.end.as_ref()?)))
    else {
        return Judgement::silent(Exit::Done);
    };
    let Some(reason) = &end.reason else {
        return Judgement::new(
            Exit::UnknownReason,
            "the turn ended without a stop reason, or in a shape this version does not know",
        );
    };
    let exit = Exit::from(reason);
    let ours = exit == Exit::Interrupted && outcome.interrupted;
    if exit == Exit::Done || ours {
        return Judgement::silent(Exit::Done);
    }
    let message = sentence(reason, turn, end.completion.as_ref());
    if accepts(facts.gate, exit) {
        return Judgement {
            exit: Exit::Done,
            accepted: true,
            name: exit.name().to_owned(),
            message: Some(format!("{message}; accepted")),
            hint: None,
            findings: Vec::new(),
        };
    }
    Judgement::new(exit, message)
}

fn sentence(reason: &StopReason, turn: &Turn, completion: Option<&Completion>) -> String {
    let rounds = match turn.rounds {
        Some((done, Some(total))) => format!(" (rounds: {done} of {total})"),
        Some((done, None)) => format!(" (rounds: {done})"),
        None => String::new(),
    };
    match reason {
        StopReason::Done => "done".to_owned(),
        StopReason::Unverified => format!("unverified: {}", criteria(completion)),
        StopReason::Incomplete => format!("incomplete: {}", criteria(completion)),
        StopReason::Interrupted => "interrupted: somebody else interrupted the turn".to_owned(),
        StopReason::MaxIterations => {
            format!("max_iterations: the turn reached its iteration limit{rounds}")
        }
        StopReason::RepeatLoop => {
            format!("repeat_loop: the model made the same call three times in a row{rounds}")
        }
        StopReason::MaxTokens => {
            format!("max_tokens: the turn passed its output-token limit{rounds}")
        }
        StopReason::Error => match &turn.error {
            Some(error) => format!(
                "the turn ended with error: {}: {}",
                error.code, error.message
            ),
            None => "the turn ended with error, and no session.error says why".to_owned(),
        },
        StopReason::Other(word) => {
            format!("the turn ended with a stop reason this version does not know: {word}")
        }
    }
}

/// The criteria that were not met, by name.
fn criteria(completion: Option<&Completion>) -> String {
    let Some(completion) = completion else {
        return "the daemon does not say which criterion".to_owned();
    };
    let lists = [
        ("unmet", &completion.unmet),
        ("could not be run", &completion.unavailable),
        ("met", &completion.met),
    ];
    let parts: Vec<String> = lists
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(what, names)| format!("{what}: {}", names.join(", ")))
        .collect();
    if parts.is_empty() {
        "no criterion is named".to_owned()
    } else {
        parts.join("; ")
    }
}

/// The facts of the summary.
pub(super) fn verdict(
    session_id: Option<&str>,
    outcome: &Outcome,
    judgement: &Judgement,
    answer: Option<String>,
) -> Verdict {
    let turn = outcome.turn.as_ref();
    let end = turn.and_then(|turn| turn.end.as_ref());
    let times = turn.and_then(|turn| turn.started_at.as_deref().zip(turn.ended_at.as_deref()));
    Verdict {
        session_id: session_id.map(str::to_owned),
        turn_id: turn
            .map(|turn| turn.turn_id.clone())
            .filter(|id| !id.is_empty()),
        reason: end.and_then(|end| end.reason.clone()),
        exit_code: judgement.exit.number(),
        exit_name: judgement.exit.name().to_owned(),
        accepted: judgement.accepted,
        message: judgement.message.clone(),
        answer,
        usage: end.and_then(|end| end.usage.clone()),
        completion: end.and_then(|end| end.completion.clone()),
        approvals: turn.map(records).unwrap_or_default(),
        first_seq: turn.map(|turn| turn.first_seq),
        last_seq: turn.map(|turn| turn.last_seq),
        started_at: turn.and_then(|turn| turn.started_at.clone()),
        ended_at: turn.and_then(|turn| turn.ended_at.clone()),
        duration_ms: times.and_then(|(start, end)| milliseconds_between(start, end)),
        reconnects: outcome.reconnects,
        gates: judgement.findings.iter().map(gate).collect(),
        capped_by_client: matches!(outcome.stop, Some(Stop::Rounds(_))),
        rounds: turn.and_then(|turn| turn.rounds),
        ..Verdict::default()
    }
}

fn gate(finding: &Finding) -> GateVerdict {
    GateVerdict {
        name: finding.name.to_owned(),
        passed: finding.objection.is_none(),
        message: finding.objection.clone(),
    }
}

fn records(turn: &Turn) -> Vec<ApprovalRecord> {
    let record = |approval: &crate::follow::Approval| ApprovalRecord {
        handle: approval.question.handle(),
        approval_id: approval.question.request.approval_id.clone(),
        tool: approval.question.request.tool.clone(),
        boundary_crossed: approval.question.request.boundary_crossed.clone(),
        decision: approval
            .decision
            .as_ref()
            .map(|decision| decision.as_str().to_owned()),
        by: approval.by.map(|by| match by {
            By::Policy => AnsweredBy::Policy,
            By::Exec => AnsweredBy::Exec,
            By::Person => AnsweredBy::Person,
            By::Elsewhere => AnsweredBy::Elsewhere,
        }),
    };
    turn.approvals.iter().map(record).collect()
}

/// `-o answer` printed nothing: says so, as an empty `$(…)` is easily missed.
pub(super) fn explain_empty_answer(
    has_text: bool,
    (ended, reason): (bool, Option<&StopReason>),
    context: &Context<'_>,
) {
    let counts = matches!(
        reason,
        Some(StopReason::Done | StopReason::Unverified | StopReason::Incomplete)
    );
    if has_text && counts {
        return;
    }
    let why = match reason {
        Some(_) if counts => "the turn ended without any text after its last tool call".to_owned(),
        Some(reason) => format!("the turn ended {reason}"),
        None if ended => "the turn ended without a stop reason that can be read".to_owned(),
        None => "the turn's end was not seen".to_owned(),
    };
    let message = format!("no answer is printed: {why}");
    context.console.notice("no_answer", &message);
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;
