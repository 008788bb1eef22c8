//! `wait --for approval`: until a question is open.

use super::super::silent::Silent;
use super::super::verdict::{self, Facts};
use super::super::{Context, approvals, outputs};
use crate::cli::Wait;
use crate::error::{Error, Kind, Result};
use crate::exit::Exit;
use crate::follow::{self, Plan, Policy, Stop, Target};
use crate::protocol::SessionState;

pub(super) fn run(options: &Wait, context: &mut Context<'_>) -> Result<Exit> {
    let session = context.session(&options.session)?.value;
    if session.state == SessionState::Idle {
        return Err(no_turn(&session.id));
    }
    // A question that stands already, or one that stands but is no longer held: 36.
    let (id, limits) = (session.id.clone(), context.limits);
    if session.state == SessionState::Blocked
        && let Some(question) =
            context.ask(move |client| follow::open_question(client, &id, &limits))?
    {
        approvals::show(&question, &session.id, context)?;
        return Ok(Exit::Done);
    }
    let (id, limits) = (session.id.clone(), context.limits);
    let located = context.ask(move |client| follow::locate_turn(client, &id, &limits))?;
    let plan = Plan {
        client: context.client()?,
        session_id: session.id.clone(),
        target: Target::Existing(located),
        // The question is not answered here: it only ends the wait.
        policy: Policy::Fail,
        deadline: context.deadline,
        idle_timeout: None,
        max_rounds: None,
        wait_idle: None,
        interrupts: false,
        interrupts_unwatched: false,
        limits: context.limits,
    };
    let mut silent = Silent::new(context);
    let outcome = follow::follow(plan, &mut context.inbox, &mut silent);
    if let Some(Stop::Question(question)) = &outcome.stop {
        approvals::show(question, &session.id, context)?;
        return Ok(Exit::Done);
    }
    let judgement = verdict::judge(&outcome, &Facts::default());
    if judgement.exit == Exit::Done {
        return Err(no_turn(&session.id));
    }
    outputs::tell(&judgement, context);
    Ok(judgement.exit)
}

fn no_turn(id: &str) -> Error {
    let message =
        format!("no question is open in session {id}, and no turn runs that could ask one");
    Error::new(Kind::NoTurn, message)
}
