//! `steer`, `interrupt`, `rename`, `undo`: one request, one answer.

use serde::Serialize;

use super::lifecycle::Object;
use super::silent::Silent;
use super::{Context, text};
use crate::cli::{One, Rename, Steer};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::follow;
use crate::report::tables;
use crate::shell::shell_word;

pub(super) fn steer(options: &Steer, context: &mut Context<'_>) -> Result<Exit> {
    let text = text::read(&options.text, context)?;
    let id = if options.confirm {
        let session = context.session(&options.session)?.value;
        let (client, limits) = (context.client()?, context.limits);
        let mut silent = Silent::new(context);
        let inbox = (&mut context.inbox, &limits);
        follow::steer_and_confirm(&client, &session, &text, inbox, &mut silent)?;
        session.id
    } else {
        let id = context.session_id(&options.session)?;
        let session_id = id.clone();
        context.ask(move |client| client.steer(&session_id, &text))?;
        id
    };
    object(&id, context)
}

pub(super) fn interrupt(options: &One, context: &mut Context<'_>) -> Result<Exit> {
    let id = context.session_id(&options.session)?;
    let session_id = id.clone();
    context.ask(move |client| client.interrupt(&session_id))?;
    object(&id, context)
}

fn object(id: &str, context: &mut Context<'_>) -> Result<Exit> {
    if context.json() {
        context.object(&Object { session_id: id })?;
    }
    Ok(Exit::Done)
}

#[derive(Serialize)]
struct Named<'a> {
    session_id: &'a str,
    name: &'a str,
}

pub(super) fn rename(options: &Rename, context: &mut Context<'_>) -> Result<Exit> {
    let name = options.name.clone().unwrap_or_default();
    let blank = name.chars().all(|c| c.is_control() || c.is_whitespace());
    if blank && !options.clear {
        return Err(
            Error::usage("the name is blank: the daemon would take the name away").hint(format!(
                "dcodectl rename {} --clear",
                shell_word(&options.session)
            )),
        );
    }
    let id = context.session_id(&options.session)?;
    let (session_id, given) = (id.clone(), name.clone());
    context.ask(move |client| client.rename(&session_id, &given))?;
    if context.json() {
        context.object(&Named {
            session_id: &id,
            name: &name,
        })?;
    }
    Ok(Exit::Done)
}

pub(super) fn undo(options: &One, context: &mut Context<'_>) -> Result<Exit> {
    let id = context.session_id(&options.session)?;
    let session_id = id.clone();
    let result = context.ask(move |client| client.undo(&session_id))?;
    if context.json() {
        context.object(&result)?;
    } else {
        let text = tables::undo(&result, &context.palette);
        context.text(&text)?;
    }
    if result.refused.is_empty() {
        return Ok(Exit::Done);
    }
    let exit = Exit::UndoRefused;
    let message = format!(
        "undo left {} alone: edited since the turn",
        count(result.refused.len())
    );
    context
        .console
        .error(exit.name(), exit.number(), &message, None);
    Ok(exit)
}

fn count(files: usize) -> String {
    match files {
        1 => "1 file".to_owned(),
        files => format!("{files} files"),
    }
}
