//! `ping`: the daemon's health, version and protocol. Only here is the version compared.

use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::{Context, session};
use crate::cli::Ping;
use crate::client::Client;
use crate::error::{Error, Kind, Result};
use crate::exit::Exit;
use crate::protocol::{Health, PROTOCOL_VERSION, Version};
use crate::report::tables;

/// How often `--wait` tries.
const PAUSE: Duration = Duration::from_millis(100);

#[derive(Serialize)]
struct Pong<'a> {
    socket: String,
    status: &'a str,
    version: &'a str,
    protocol: &'a str,
    elapsed_ms: u64,
}

pub(super) fn run(options: &Ping, context: &mut Context<'_>) -> Result<Exit> {
    if let Some(wait) = options.wait {
        context.bound(Some(wait));
    }
    let due = context.deadline.map(|(at, _)| at);
    let mut last = None;
    let (client, health, version, elapsed) = loop {
        let result = attempt(context);
        let error = match result {
            Ok(answer) => break answer,
            Err(error) => error,
        };
        let again =
            *error.kind() == Kind::Unreachable && due.is_some_and(|due| Instant::now() < due);
        if !again {
            return Err(in_words(error, options, last));
        }
        last = Some(error);
        context
            .wait("a daemon to answer", || {
                thread::sleep(PAUSE);
                Ok(())
            })
            .map_err(|error| in_words(error, options, last.take()))?;
    };
    if version.protocol != PROTOCOL_VERSION {
        let message = format!(
            "the daemon at {} speaks protocol '{}', not '{PROTOCOL_VERSION}'",
            client.socket().display(),
            version.protocol
        );
        return Err(
            Error::new(Kind::Protocol, message).hint("use a dcodectl of the daemon's release")
        );
    }
    let socket = client.socket().display().to_string();
    let elapsed_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
    if context.json() {
        let pong = Pong {
            socket,
            status: &health.status,
            version: &version.version,
            protocol: &version.protocol,
            elapsed_ms,
        };
        context.object(&pong)?;
    } else {
        let line = tables::ping(&version, &socket, elapsed_ms, &context.palette);
        context.text(&line)?;
    }
    Ok(Exit::Done)
}

fn attempt(context: &mut Context<'_>) -> Result<(Client, Health, Version, Duration)> {
    let client = session::connect(context)?;
    let begun = Instant::now();
    let peer = client.clone();
    let (health, version) = context.wait("the daemon's answer", move || {
        Ok((peer.health()?, peer.version()?))
    })?;
    Ok((client, health, version, begun.elapsed()))
}

/// The bound of `--wait` is no timeout of a turn: no daemon answered.
fn in_words(error: Error, options: &Ping, last: Option<Error>) -> Error {
    match (error.kind(), options.wait) {
        (Kind::Timeout, Some(wait)) => {
            let bound = humantime::format_duration(wait);
            let message = format!("no daemon answered within {bound}");
            match last {
                Some(last) => {
                    let hint = last.hint_text().unwrap_or("start the daemon").to_owned();
                    Error::new(Kind::Unreachable, format!("{message}: {last}")).hint(hint)
                }
                None => Error::new(Kind::Unreachable, message),
            }
        }
        _ => error,
    }
}
