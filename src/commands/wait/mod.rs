//! `wait`: follows the running turn, or reports the last one. It never touches the turn.

mod approval;
mod idle;

use super::Context;
use super::apart::Inputs;
use super::turn::Awaiting;
use crate::cli::{Gate, Wait, WaitFor};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::follow::{self, Located, Outcome, Plan, Policy, Target};

pub(super) fn run(options: &Wait, context: &mut Context<'_>) -> Result<Exit> {
    if options.target == WaitFor::Turn {
        return turn(options, context);
    }
    check(&options.gate)?;
    context.bound(options.gate.timeout);
    match options.target {
        WaitFor::Approval => approval::run(options, context),
        WaitFor::Turn | WaitFor::Idle => idle::run(options, context),
    }
}

/// Without a turn's end to judge there is no gate.
fn check(gate: &Gate) -> Result<()> {
    let Gate {
        accept,
        require_verified,
        forbid_protected,
        idle_timeout,
        heartbeat,
        events,
        summary,
        reports,
        timeout: _,
    } = gate;
    let given = accept.is_some()
        || *require_verified
        || *forbid_protected
        || idle_timeout.is_some()
        || heartbeat.is_some()
        || events.is_some()
        || summary.is_some()
        || !reports.report.is_empty();
    if given {
        return Err(Error::usage(
            "of the gate options --for idle and --for approval take --timeout only",
        ));
    }
    Ok(())
}

fn turn(options: &Wait, context: &mut Context<'_>) -> Result<Exit> {
    let mut awaiting = Awaiting::begin(&options.gate, &Inputs::default(), context)?;
    match attempt(options, &mut awaiting, context) {
        Ok(outcome) => Ok(awaiting.finish(outcome, context)),
        Err(error) => Ok(awaiting.failed(error, context)),
    }
}

fn attempt(
    options: &Wait,
    awaiting: &mut Awaiting<'_>,
    context: &mut Context<'_>,
) -> Result<Outcome> {
    awaiting.open_files(context)?;
    let session = context.session(&options.session)?.value;
    awaiting.in_session(&session, context);
    let (id, limits) = (session.id.clone(), context.limits);
    let located = context.ask(move |client| follow::locate_turn(client, &id, &limits))?;
    if let Located::Trimmed(first) = located {
        let message =
            format!("the turn's first events are no longer held: it is shown from seq {first} on");
        context.console.notice("events_trimmed", &message);
    }
    let plan = Plan {
        client: context.client()?,
        session_id: session.id,
        target: Target::Existing(located),
        policy: Policy::Leave,
        deadline: context.deadline,
        idle_timeout: options.gate.idle_timeout,
        max_rounds: None,
        wait_idle: None,
        interrupts: false,
        interrupts_unwatched: false,
        limits: context.limits,
    };
    Ok(follow::follow(
        plan,
        &mut context.inbox,
        &mut awaiting.outputs,
    ))
}
