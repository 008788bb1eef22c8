//! `submit`: a turn in a session that exists, followed to its end.

use serde::Serialize;

use super::apart::Inputs;
use super::turn::{Awaiting, policy};
use super::{Context, text};
use crate::cli::Submit;
use crate::error::Result;
use crate::exit::Exit;
use crate::follow::{self, Plan, Policy, Target};

#[derive(Serialize)]
struct Detached<'a> {
    session_id: &'a str,
    from: u64,
}

pub(super) fn run(options: &Submit, context: &mut Context<'_>) -> Result<Exit> {
    let policy = if options.detach {
        Policy::Leave
    } else {
        policy(&options.approval, context)?
    };
    text::check(&options.text)?;
    if options.detach {
        return detach(options, context);
    }
    let inputs = Inputs::of(&options.text, &options.images);
    let mut awaiting = Awaiting::begin(&options.gate, &inputs, context)?;
    if policy != Policy::Leave {
        awaiting.outputs.answers_itself();
    }
    match attempt(options, policy, &mut awaiting, context) {
        Ok(outcome) => Ok(awaiting.finish(outcome, context)),
        Err(error) => Ok(awaiting.failed(error, context)),
    }
}

fn attempt(
    options: &Submit,
    policy: Policy,
    awaiting: &mut Awaiting<'_>,
    context: &mut Context<'_>,
) -> Result<follow::Outcome> {
    awaiting.open_files(context)?;
    let turn = text::turn(&options.text, &options.images, context)?;
    let session = context.session(&options.session)?.value;
    awaiting.in_session(&session, context);
    let plan = Plan {
        client: context.client()?,
        session_id: session.id,
        target: Target::Submit(turn, session.last_seq),
        policy,
        deadline: context.deadline,
        idle_timeout: options.gate.idle_timeout,
        max_rounds: options.approval.max_rounds,
        wait_idle: options.wait_idle,
        interrupts: true,
        interrupts_unwatched: false,
        limits: context.limits,
    };
    Ok(follow::follow(
        plan,
        &mut context.inbox,
        &mut awaiting.outputs,
    ))
}

fn detach(options: &Submit, context: &mut Context<'_>) -> Result<Exit> {
    let turn = text::turn(&options.text, &options.images, context)?;
    let id = context.session_id(&options.session)?;
    let (limits, session_id) = (context.limits, id.clone());
    let wait_idle = options.wait_idle;
    let from = context.ask(move |client| {
        follow::submit_detached(client, &session_id, &turn, wait_idle, &limits)
    })?;
    if context.json() {
        context.object(&Detached {
            session_id: &id,
            from,
        })?;
    }
    Ok(Exit::Done)
}
