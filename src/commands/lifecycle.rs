//! `create`, `list`, `show`, `close`: sessions come and go.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Context;
use crate::cli::{Close, CreateOptions, One};
use crate::client::Client;
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::protocol::{CreateSession, Session};
use crate::report::tables;

/// What a command answers for whom the daemon answers nothing.
#[derive(Serialize)]
pub(super) struct Object<'a> {
    pub(super) session_id: &'a str,
}

/// The request for a session as the options describe it.
///
/// # Errors
/// Code 2 if the workspace is no UTF-8 path or the current directory cannot be read.
pub(super) fn request(options: &CreateOptions, context: &Context<'_>) -> Result<CreateSession> {
    let workspace = match &options.workspace {
        Some(path) if path.as_os_str().is_empty() => {
            return Err(Error::usage("--workspace is empty").hint("is a variable unset?"));
        }
        Some(path) => path.clone(),
        None => PathBuf::from("."),
    };
    // Absolute by words alone: the daemon may run where the path leads somewhere else.
    let absolute = current_directory(context)
        .and_then(|here| std::path::absolute(here.join(&workspace)))
        .map_err(|error| Error::usage("the current directory cannot be read").caused_by(error))?;
    let workspace = absolute
        .into_os_string()
        .into_string()
        .map_err(|path| Error::usage(format!("the workspace is not UTF-8: {}", path.display())))?;
    for (option, value) in [("--resume", &options.resume), ("--model", &options.model)] {
        if value
            .as_deref()
            .is_some_and(|value| value.trim().is_empty())
        {
            return Err(Error::usage(format!("{option} is empty")).hint("is a variable unset?"));
        }
    }
    Ok(CreateSession {
        workspace,
        model: options.model.clone(),
        sandbox_mode: options.sandbox.map(Into::into),
        resume: options.resume.clone(),
    })
}

/// The current directory as the user came to it: a shell's `$PWD` keeps the symbolic links that the
/// system resolves, and is believed if it leads to the same place.
fn current_directory(context: &Context<'_>) -> io::Result<PathBuf> {
    let real = std::env::current_dir()?;
    let Some(named) = context.surroundings.set("PWD").map(PathBuf::from) else {
        return Ok(real);
    };
    let place = |path: &Path| fs::metadata(path).map(|found| (found.dev(), found.ino()));
    let same = named.is_absolute() && place(&named).ok() == Some(place(&real)?);
    Ok(if same { named } else { real })
}

pub(super) fn create(options: &CreateOptions, context: &mut Context<'_>) -> Result<Exit> {
    let request = request(options, context)?;
    let session = context.ask(move |client| client.create(&request))?;
    if context.json() {
        context.print(&session.text)?;
    } else {
        let id = crate::report::visible(&session.value.id).into_owned();
        context.print(&id)?;
    }
    Ok(Exit::Done)
}

pub(super) fn list(context: &mut Context<'_>) -> Result<Exit> {
    let sessions = context.ask(Client::list)?;
    if context.json() {
        for session in &sessions {
            context.print(&session.text)?;
        }
        return Ok(Exit::Done);
    }
    let sessions: Vec<Session> = sessions.into_iter().map(|session| session.value).collect();
    let table = tables::sessions(&sessions, &context.palette, context.width());
    context.text(&table)?;
    Ok(Exit::Done)
}

pub(super) fn show(options: &One, context: &mut Context<'_>) -> Result<Exit> {
    let session = context.session(&options.session)?;
    if context.json() {
        context.print(&session.text)?;
    } else {
        let table = tables::session(&session.value, &context.palette);
        context.text(&table)?;
    }
    Ok(Exit::Done)
}

/// Closes each; the first failure decides the code, and is told like the others.
pub(super) fn close(options: &Close, context: &mut Context<'_>) -> Result<Exit> {
    let mut first: Option<Exit> = None;
    for typed in &options.sessions {
        match close_one(typed, context) {
            Ok(()) => {}
            Err(error) if error.is_final() => return Err(error),
            Err(error) => {
                let exit = Exit::from(error.kind());
                let message = match options.sessions.len() {
                    1 => error.to_string(),
                    _ => format!("{typed}: {error}"),
                };
                context.console.error(
                    Exit::code_of(error.kind()),
                    exit.number(),
                    &message,
                    error.hint_text(),
                );
                first.get_or_insert(exit);
            }
        }
    }
    Ok(first.unwrap_or(Exit::Done))
}

fn close_one(typed: &str, context: &mut Context<'_>) -> Result<()> {
    let id = context.session_id(typed)?;
    let session_id = id.clone();
    context.ask(move |client| client.close(&session_id))?;
    if context.json() {
        context.object(&Object { session_id: &id })?;
    }
    Ok(())
}
