//! Which cases a turn has, and how each came out.

use super::super::facts::Facts;
use crate::protocol::{Completion, StopReason};

/// One case of a suite.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) class: &'static str,
    pub(super) name: String,
    pub(super) outcome: Outcome,
}

/// How a case came out.
#[derive(Debug)]
pub(super) enum Outcome {
    Passed,
    Failure(Told),
    Error(Told),
    Skipped(Told),
}

/// What is told about a case that did not pass.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) kind: String,
    pub(super) message: String,
}

impl Told {
    fn new(kind: &str, message: impl Into<String>) -> Self {
        Self {
            kind: kind.to_owned(),
            message: message.into(),
        }
    }
}

impl Case {
    fn criterion(name: &str, outcome: Outcome) -> Self {
        let name = if name.trim().is_empty() {
            "(unnamed)"
        } else {
            name
        };
        Self {
            class: "criteria",
            name: name.to_owned(),
            outcome,
        }
    }

    fn turn(name: &str, outcome: Outcome) -> Self {
        Self {
            class: "turn",
            name: name.to_owned(),
            outcome,
        }
    }

    fn is_red(&self) -> bool {
        matches!(self.outcome, Outcome::Failure(_) | Outcome::Error(_))
    }

    fn is_skipped(&self) -> bool {
        matches!(self.outcome, Outcome::Skipped(_))
    }
}

/// The cases of a turn; never none.
pub(super) fn of(facts: &Facts<'_>) -> Vec<Case> {
    let mut cases = match facts.evidence() {
        Some(completion) => criteria(completion),
        None => Vec::new(),
    };
    if let Some(case) = ending(facts, &cases) {
        cases.push(case);
    }
    for gate in facts.gates().iter().filter(|gate| !gate.passed) {
        let message = gate.message.as_deref().unwrap_or("the gate does not hold");
        cases.push(Case {
            class: "gate",
            name: gate.name.clone(),
            outcome: Outcome::Failure(Told::new("gate", message)),
        });
    }
    if let Some(case) = command(facts, &cases) {
        cases.push(case);
    }
    cases
}

fn criteria(completion: &Completion) -> Vec<Case> {
    let met = completion
        .met
        .iter()
        .map(|name| Case::criterion(name, Outcome::Passed));
    let unmet = completion.unmet.iter().map(|name| {
        let told = Told::new("unmet", "the criterion is not met");
        Case::criterion(name, Outcome::Failure(told))
    });
    let unavailable = completion.unavailable.iter().map(|name| {
        let told = Told::new("unavailable", "the criterion could not be run");
        Case::criterion(name, Outcome::Skipped(told))
    });
    met.chain(unmet).chain(unavailable).collect()
}

/// What the reason says beyond the criteria.
fn ending(facts: &Facts<'_>, criteria: &[Case]) -> Option<Case> {
    let red = criteria.iter().any(Case::is_red);
    let skipped = criteria.iter().any(Case::is_skipped);
    match facts.reason() {
        Some(StopReason::Done) if criteria.is_empty() => {
            let why = "no criterion was measured: none is declared, checking is off, or nothing was written by a tool";
            let told = Told::new("none_declared", why);
            Some(Case::criterion("criteria", Outcome::Skipped(told)))
        }
        Some(StopReason::Done) if !red && !skipped => {
            // Every criterion is said to be met, and yet the seal does not say so.
            let completion = facts.evidence()?;
            let seal = completion.verification.as_ref();
            let seal = seal.map_or("none", |seal| seal.as_str());
            let told = || Told::new("seal", format!("the seal is not passed but {seal}"));
            (!Facts::is_sealed(completion)).then(|| Case::turn("seal", Outcome::Skipped(told())))
        }
        Some(StopReason::Unverified) if !red && !skipped => {
            let told = Told::new("unverified", facts.sentence());
            Some(Case::turn("unverified", Outcome::Skipped(told)))
        }
        Some(StopReason::Incomplete) if !red => {
            let told = Told::new("incomplete", facts.sentence());
            Some(Case::turn("incomplete", Outcome::Failure(told)))
        }
        Some(StopReason::Done | StopReason::Unverified | StopReason::Incomplete) => None,
        _ => {
            let kind = facts.exit().map_or(facts.word(), |(_, name)| name);
            let told = Told::new(kind, facts.sentence());
            Some(Case::turn(facts.word(), Outcome::Error(told)))
        }
    }
}

/// The command's own failure, where no other case tells of it.
fn command(facts: &Facts<'_>, cases: &[Case]) -> Option<Case> {
    let (code, name) = facts.exit()?;
    let told_already = cases.iter().any(Case::is_red)
        || (facts.reason() == Some(&StopReason::Unverified) && name == "unverified");
    if code == 0 || told_already {
        return None;
    }
    let message = facts
        .message()
        .map_or_else(|| format!("exit code {code} ({name})"), str::to_owned);
    Some(Case::turn(name, Outcome::Error(Told::new(name, message))))
}
