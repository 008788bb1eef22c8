//! `run`: create, submit and close in one. The session is closed on every way out.

use std::time::Instant;

use super::apart::Inputs;
use super::turn::{Awaiting, policy};
use super::{Context, lifecycle, text};
use crate::cli::Run;
use crate::error::{Error, Kind, Result};
use crate::exit::Exit;
use crate::follow::{self, Outcome, Plan, Policy, Stop, Target, Waited};
use crate::protocol::{ErrorCode, Session};

pub(super) fn run(options: &Run, context: &mut Context<'_>) -> Result<Exit> {
    let policy = policy(&options.approval, context)?;
    text::check(&options.text)?;
    let inputs = Inputs::of(&options.text, &options.images);
    let mut awaiting = Awaiting::begin(&options.gate, &inputs, context)?;
    if policy != Policy::Leave {
        awaiting.outputs.answers_itself();
    }
    let result = attempt(options, policy, &mut awaiting, context);
    if let Some(id) = awaiting.session_id.clone() {
        // After a timeout a daemon that left the interrupt unanswered is not waited for again.
        let silent = result.as_ref().is_ok_and(|outcome| {
            outcome.silent_daemon && matches!(outcome.stop, Some(Stop::Timeout(_)))
        });
        part(&id, options.keep, silent, context);
    }
    match result {
        Ok(outcome) => Ok(awaiting.finish(outcome, context)),
        Err(error) => Ok(awaiting.failed(error, context)),
    }
}

fn attempt(
    options: &Run,
    policy: Policy,
    awaiting: &mut Awaiting<'_>,
    context: &mut Context<'_>,
) -> Result<Outcome> {
    awaiting.open_files(context)?;
    let turn = text::turn(&options.text, &options.images, context)?;
    let (session, stopped) = create(options, context)?;
    awaiting.in_session(&session, context);
    if let Some(error) = stopped {
        return Err(error);
    }
    let mut last_seq = session.last_seq;
    if options.create.resume.is_some() {
        // An older daemon's answer to a resume does not count the carried events.
        let id = session.id.clone();
        last_seq = context
            .ask(move |client| client.session(&id))?
            .value
            .last_seq;
    }
    let plan = Plan {
        client: context.client()?,
        session_id: session.id,
        target: Target::Submit(turn, last_seq),
        policy,
        deadline: context.deadline,
        idle_timeout: options.gate.idle_timeout,
        max_rounds: options.approval.max_rounds,
        wait_idle: None,
        interrupts: true,
        interrupts_unwatched: true,
        limits: context.limits,
    };
    Ok(follow::follow(
        plan,
        &mut context.inbox,
        &mut awaiting.outputs,
    ))
}

/// Opens the session. Stopped meanwhile, it still gives the answer a moment, so that a session
/// that came to be can be closed: then both are returned.
fn create(options: &Run, context: &mut Context<'_>) -> Result<(Session, Option<Error>)> {
    let request = lifecycle::request(&options.create, context)?;
    let client = context.client()?;
    let pending = context.inbox.call(move || client.create(&request));
    let deadline = context.deadline.map(|(at, _)| at);
    let (mut waited, mut left) = (Waited::Output, context.is_left());
    while waited == Waited::Output && !left {
        waited = context.await_answer(&pending, deadline);
        left = context.is_left();
    }
    let (error, grace) = match waited {
        Waited::Answered => return Ok((pending.take()?.value, None)),
        Waited::Output => {
            let what = "the reader of stdout left while the session was being created";
            (
                Error::new(Kind::StdoutClosed, what),
                context.limits.stop_submit,
            )
        }
        Waited::Signal(signal) => {
            let what = "stopped while the session was being created";
            (
                Error::new(Kind::Signal(signal), what),
                context.limits.stop_submit,
            )
        }
        Waited::Deadline => {
            let what = "waiting for the session to be created";
            (
                Error::new(Kind::Timeout, what),
                context.limits.late_interrupt / 2,
            )
        }
    };
    let until = Some(Instant::now() + grace);
    loop {
        return match context.inbox.wait_for(&pending, until) {
            Waited::Output => continue,
            Waited::Answered => match pending.take() {
                Ok(session) => Ok((session.value, Some(error))),
                Err(_) => Err(error),
            },
            Waited::Signal(_) | Waited::Deadline => Err(error),
        };
    }
}

/// Closes the session, or says that it is kept.
fn part(id: &str, keep: bool, silent_daemon: bool, context: &mut Context<'_>) {
    if keep {
        context
            .console
            .notice("session_kept", &format!("session {id} is kept"));
        return;
    }
    let Ok(client) = context.client() else { return };
    if silent_daemon {
        let message = format!("session {id} is not closed: the daemon does not answer");
        return context.console.notice("session_not_closed", &message);
    }
    let session_id = id.to_owned();
    let pending = context.inbox.call(move || client.close(&session_id));
    let until = Instant::now() + context.limits.close;
    let why = loop {
        match context.inbox.wait_for(&pending, Some(until)) {
            // The first signal is what brought us here, or will be seen when stdout is flushed.
            Waited::Signal(_) | Waited::Output => {}
            Waited::Deadline => break Some("the daemon does not answer".to_owned()),
            Waited::Answered => {
                break match pending.take() {
                    Err(error) if !error.is_refusal(&ErrorCode::SessionNotFound) => {
                        Some(error.to_string())
                    }
                    _ => None,
                };
            }
        }
    };
    if let Some(why) = why {
        context.console.notice(
            "session_not_closed",
            &format!("session {id} is not closed: {why}"),
        );
    }
}
