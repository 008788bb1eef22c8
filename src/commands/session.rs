//! Finding the daemon, and the session that a user means.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Context, diagnostics};
use crate::client::socket::{self, Environment};
use crate::client::{Client, Received};
use crate::error::{Error, Result};
use crate::protocol::{ErrorCode, Session};

/// The variables that socket discovery looks at.
const VARIABLES: [&str; 3] = ["DCODE_SOCKET", "XDG_RUNTIME_DIR", "TMPDIR"];

/// Those that are set to something, to be looked at from another thread.
pub(super) struct Variables(Vec<(&'static str, OsString)>);

impl Variables {
    pub(super) fn of(context: &Context<'_>) -> Self {
        let value = |name| Some((name, context.surroundings.set(name)?));
        Self(VARIABLES.into_iter().filter_map(value).collect())
    }

    pub(super) fn get(&self, name: &str) -> Option<OsString> {
        let found = self.0.iter().find(|(other, _)| *other == name);
        found.map(|(_, value)| value.clone())
    }
}

/// Finds the daemon's socket, as the contract's `--socket` row says.
///
/// # Errors
/// 69 if no daemon answers, 77 if the only one may not be trusted, 2 for an over-long path.
pub(super) fn connect(context: &mut Context<'_>) -> Result<Client> {
    let variables = Variables::of(context);
    let (uid, bound) = (context.surroundings.uid, context.timeouts.connect);
    let explicit = context.global.socket.clone();
    let get = |name: &str| variables.get(name);
    let environment = Environment { get: &get, uid };
    let found = match socket::named(explicit.as_deref(), &environment) {
        Some(named) => named?,
        None => context.wait("a daemon to answer", move || {
            let get = |name: &str| variables.get(name);
            let environment = Environment { get: &get, uid };
            socket::find(None, &environment, bound)
        })?,
    };
    for note in &found.passed_over {
        context.console.notice("socket_passed_over", note);
    }
    diagnostics::tried(&found.tried, context);
    let client = Client::new(&found.path, uid, context.timeouts);
    Ok(diagnostics::watched(client, context))
}

/// The session a user means: a full id, a unique prefix of a live one, or `@`.
///
/// # Errors
/// Code 2 if it is several or none; else what the daemon answers.
pub(super) fn resolve(client: &Client, typed: &str) -> Result<Received<Session>> {
    if typed == "@" {
        return here(client);
    }
    match client.session(typed) {
        Err(error) if error.is_refusal(&ErrorCode::SessionNotFound) => {
            by_prefix(client, typed)?.ok_or_else(|| error.hint("dcodectl list"))
        }
        answer => answer,
    }
}

/// The id of that session; what matches none is passed on as typed, for the daemon to judge.
///
/// # Errors
/// As [`resolve`], but an unknown id is no error here.
pub(super) fn resolve_id(client: &Client, typed: &str) -> Result<String> {
    match resolve(client, typed) {
        Ok(session) => Ok(session.value.id),
        Err(error) if error.is_refusal(&ErrorCode::SessionNotFound) => Ok(typed.to_owned()),
        Err(error) => Err(error),
    }
}

fn by_prefix(client: &Client, typed: &str) -> Result<Option<Received<Session>>> {
    let mut matching: Vec<_> = client
        .list()?
        .into_iter()
        .filter(|session| session.value.id.starts_with(typed))
        .collect();
    if matching.len() > 1 {
        let message = format!(
            "'{typed}' is the beginning of several sessions: {}",
            names(&matching)
        );
        return Err(Error::usage(message).hint("dcodectl list"));
    }
    Ok(matching.pop())
}

/// The one live session whose workspace is the current directory.
fn here(client: &Client) -> Result<Received<Session>> {
    let directory = std::env::current_dir()
        .map_err(|error| Error::usage("the current directory cannot be read").caused_by(error))?;
    let real = real_path(&directory);
    let sessions = client.list()?;
    let (mut matching, others): (Vec<_>, Vec<_>) = sessions
        .into_iter()
        .partition(|session| real_path(Path::new(&session.value.workspace)) == real);
    match (matching.len(), matching.pop()) {
        (1, Some(session)) => Ok(session),
        (0, _) if others.is_empty() => {
            let message = format!("@: no live session has the workspace {}", real.display());
            Err(Error::usage(message).hint("dcodectl create"))
        }
        (0, _) => {
            let message = format!(
                "@: no live session has the workspace {}; there are: {}",
                real.display(),
                names(&others)
            );
            Err(Error::usage(message).hint("dcodectl list"))
        }
        (_, last) => {
            matching.extend(last);
            let message = format!(
                "@: several live sessions have the workspace {}: {}",
                real.display(),
                names(&matching)
            );
            Err(Error::usage(message).hint("dcodectl list"))
        }
    }
}

fn real_path(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn names(sessions: &[Received<Session>]) -> String {
    let names: Vec<String> = sessions
        .iter()
        .map(|session| {
            format!(
                "{} ({}, {})",
                session.value.id, session.value.state, session.value.workspace
            )
        })
        .collect();
    names.join(", ")
}
