//! The gates that a merge asks for beyond the stop reason.
//!
//! They judge what was measured, as the daemon reported it: the lists before the seal, which is
//! unreliable when criteria are both unmet and unavailable (protocol, section 3).

use crate::cli::Gate;
use crate::exit::Exit;
use crate::protocol::{Completion, Seal, StopReason, TurnCompleted};

/// What one gate found.
#[derive(Debug)]
pub(super) struct Finding {
    /// The option that asked, without its dashes.
    pub(super) name: &'static str,
    /// The exit if it does not hold.
    pub(super) exit: Exit,
    /// Why it does not hold; `None` if it does.
    pub(super) objection: Option<String>,
}

/// Puts the end of a turn to the gates that were asked for, in the contract's order.
pub(super) fn examine(gate: &Gate, end: &TurnCompleted) -> Vec<Finding> {
    let mut findings = Vec::new();
    if gate.require_verified {
        findings.push(Finding {
            name: "require-verified",
            exit: Exit::NotVerified,
            objection: unverified(end),
        });
    }
    if gate.forbid_protected {
        findings.push(Finding {
            name: "forbid-protected",
            exit: Exit::ProtectedTouched,
            objection: touched(end.completion.as_ref()),
        });
    }
    findings
}

/// Why the turn is not verified.
fn unverified(end: &TurnCompleted) -> Option<String> {
    let own = matches!(
        end.reason,
        Some(StopReason::Done | StopReason::Unverified | StopReason::Incomplete)
    );
    let Some(completion) = &end.completion else {
        return Some("nothing was checked".to_owned());
    };
    if !own {
        return Some("what was checked was checked in an earlier turn".to_owned());
    }
    if !completion.unmet.is_empty() {
        return Some(format!("unmet: {}", completion.unmet.join(", ")));
    }
    if !completion.unavailable.is_empty() {
        return Some(format!(
            "could not be run: {}",
            completion.unavailable.join(", ")
        ));
    }
    if completion.met.is_empty() {
        return Some("no criterion is named as met".to_owned());
    }
    match &completion.verification {
        Some(Seal::Passed) => None,
        Some(seal) => Some(format!("the seal is '{seal}'")),
        None => Some("there is no seal".to_owned()),
    }
}

/// Which protected paths were written. The daemon counts the whole session.
fn touched(completion: Option<&Completion>) -> Option<String> {
    let paths = &completion?.touched_protected;
    (!paths.is_empty()).then(|| {
        format!(
            "written in this session, though not necessarily by this turn: {}",
            paths.join(", ")
        )
    })
}
