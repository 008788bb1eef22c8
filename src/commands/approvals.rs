//! `approvals`, `approve`, `deny`: the open question, and its answer.

use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::value::RawValue;

use super::Context;
use crate::cli::{Approve, Deny, One};
use crate::client::Client;
use crate::error::{Error, Kind, Result};
use crate::exit::Exit;
use crate::follow::{self, Limits, Question};
use crate::protocol::{Decision, ErrorCode};
use crate::report::{Palette, tables};
use crate::shell::shell_word;

/// The pause before a refused answer is sent again.
const PAUSE: Duration = Duration::from_millis(20);

pub(super) fn list(options: &One, context: &mut Context<'_>) -> Result<Exit> {
    let session = context.session(&options.session)?.value;
    let (id, limits) = (session.id.clone(), context.limits);
    let question = context.ask(move |client| follow::open_question(client, &id, &limits))?;
    let Some(question) = question else {
        return Ok(Exit::Done);
    };
    show(&question, &session.id, context)?;
    Ok(Exit::Done)
}

/// Prints an open question.
pub(super) fn show(question: &Question, session_id: &str, context: &mut Context<'_>) -> Result<()> {
    if context.json() {
        context.print(&question.object())?;
    } else {
        let input = input(question);
        let row = tables::OpenQuestion {
            session_id,
            seq: question.seq,
            request: &question.request,
            input: input.as_deref(),
        };
        let text = tables::approvals(&[row], &context.palette, context.width());
        context.text(&text)?;
    }
    Ok(())
}

/// The `input` of the call that a question is about.
pub(super) fn input(question: &Question) -> Option<Box<RawValue>> {
    RawValue::from_string(question.input.clone()?).ok()
}

/// What a question is about, for who is to answer it here.
pub(super) fn described(question: &Question, palette: &Palette) -> String {
    let input = input(question);
    let row = tables::OpenQuestion {
        session_id: "",
        seq: question.seq,
        request: &question.request,
        input: input.as_deref(),
    };
    tables::approval(&row, palette)
}

#[derive(Serialize)]
struct Answered<'a> {
    session_id: &'a str,
    approval_id: &'a str,
    decision: &'a Decision,
}

pub(super) fn approve(options: &Approve, context: &mut Context<'_>) -> Result<Exit> {
    answer(
        &options.session,
        &options.approval,
        &options.decision,
        context,
    )
}

pub(super) fn deny(options: &Deny, context: &mut Context<'_>) -> Result<Exit> {
    answer(
        &options.session,
        &options.approval,
        &Decision::Deny,
        context,
    )
}

fn answer(
    session: &str,
    approval: &str,
    decision: &Decision,
    context: &mut Context<'_>,
) -> Result<Exit> {
    if approval.is_empty() {
        return Err(Error::usage("the approval's id is empty")
            .hint(format!("dcodectl approvals {}", shell_word(session))));
    }
    let id = context.session_id(session)?;
    let (session_id, limits) = (id.clone(), context.limits);
    let (typed, word) = (approval.to_owned(), decision.clone());
    let approval_id =
        context.ask(move |client| give(client, &session_id, &typed, &word, &limits))?;
    if context.json() {
        context.object(&Answered {
            session_id: &id,
            approval_id: &approval_id,
            decision,
        })?;
    }
    Ok(Exit::Done)
}

/// Gives the answer; says to which id.
fn give(
    client: &Client,
    session_id: &str,
    typed: &str,
    decision: &Decision,
    limits: &Limits,
) -> Result<String> {
    let handle = Handle::of(typed);
    if let Some(handle) = &handle
        && !handle.is_open(client, session_id, limits)?
    {
        return Err(gone(typed, session_id));
    }
    let approval_id = handle.as_ref().map_or(typed, |handle| &handle.approval_id);
    let due = Instant::now() + limits.lag;
    loop {
        let refused = match client.answer(session_id, approval_id, decision) {
            Ok(()) => return Ok(approval_id.to_owned()),
            Err(error) => error,
        };
        if refused.is_refusal(&ErrorCode::ApprovalExpired) {
            return Err(refused.hint("the daemon's deadline denied it; the turn went on"));
        }
        // The daemon announces a question before it can take the answer (protocol, section 7).
        let early = refused.is_refusal(&ErrorCode::ApprovalAlreadyResolved)
            && Instant::now() < due
            && stands(client, session_id, approval_id, handle.as_ref(), limits)?;
        if !early {
            let open = format!("dcodectl approvals {}", shell_word(session_id));
            return Err(refused.hint_if(&ErrorCode::ApprovalAlreadyResolved, open));
        }
        thread::sleep(PAUSE);
    }
}

fn stands(
    client: &Client,
    session_id: &str,
    approval_id: &str,
    handle: Option<&Handle>,
    limits: &Limits,
) -> Result<bool> {
    match handle {
        Some(handle) => handle.is_open(client, session_id, limits),
        // A question that can no longer be seen is not known to stand.
        None => Ok(follow::open_question(client, session_id, limits)
            .ok()
            .flatten()
            .is_some_and(|open| open.request.approval_id == approval_id)),
    }
}

fn gone(handle: &str, session_id: &str) -> Error {
    let message = format!("{handle} is no longer the open question: nothing was sent");
    Error::new(Kind::ApprovalGone, message)
        .hint(format!("dcodectl approvals {}", shell_word(session_id)))
}

/// `ID@SEQ`: one very question.
struct Handle {
    approval_id: String,
    seq: u64,
}

impl Handle {
    /// Reads a handle; anything else is a plain id.
    fn of(typed: &str) -> Option<Self> {
        let (approval_id, seq) = typed.rsplit_once('@')?;
        let seq = seq.parse().ok()?;
        Some(Self {
            approval_id: approval_id.to_owned(),
            seq,
        })
    }

    fn is_open(&self, client: &Client, session_id: &str, limits: &Limits) -> Result<bool> {
        let open = follow::open_question(client, session_id, limits)?;
        Ok(open.is_some_and(|open| {
            open.seq == self.seq && open.request.approval_id == self.approval_id
        }))
    }
}
