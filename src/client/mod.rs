//! The client of the daemon's protocol: one short method an endpoint.
//!
//! Opens a connection for each request and keeps none. Prints nothing and knows no exit codes: failures are
//! [`Error`]s whose kind tells what may have happened.

mod answer;
mod batch;
mod body;
mod connect;
mod exchange;
pub mod socket;
mod sse;
mod stream;
mod unix;
mod watch;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use ureq::http::Method;

pub use batch::Batch;
pub use stream::{Arrived, EventStream, Next};
pub use watch::{Told, Watcher};

use crate::error::{Error, Kind, Result};
use crate::protocol::{
    Answer, CreateSession, Decision, ErrorCode, Health, Name, Session, Steer, SubmitTurn,
    UndoResult, Version,
};
use crate::shell::shell_word;
use exchange::{CAP_BYTES, Call, Endpoint};

/// What need not be encoded in a path segment.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// How long the client waits before it gives up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For a connection to be accepted.
    pub connect: Duration,
    /// For a request to be taken, for the head of its answer, and for the rest of an answer that is no stream.
    pub head: Duration,
    /// For a byte on a stream. Pings are due every 20 s (protocol, section 4).
    pub silence: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            head: Duration::from_secs(30),
            silence: Duration::from_mins(1),
        }
    }
}

/// An object of the daemon's, understood and as received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received<T> {
    /// The object.
    pub value: T,
    /// The daemon's own JSON text of it, byte for byte; a line break between tokens has become a space.
    pub text: String,
}

/// A client of the daemon at one socket. Cheap to clone; usable from several threads at once.
///
/// Every method fails with the kinds of [`Error`] that its request can meet: `Unreachable` when nothing answers and
/// nothing was changed, `OutcomeUnknown` when a request that changes something was sent and not answered, `Refused`
/// with the daemon's code (protocol, sections 2 and 6), `Protocol` when what answers is no daemon this program
/// understands, `Permission` when the socket may not be used, and `Usage` for an empty id or an over-long path.
#[derive(Debug, Clone)]
pub struct Client {
    endpoint: Arc<Endpoint>,
}

impl Client {
    /// A client of the daemon at `socket`, for the user `own_uid`. Opens nothing.
    #[must_use]
    pub fn new(socket: &Path, own_uid: u32, timeouts: Timeouts) -> Self {
        Self::with_cap(socket, own_uid, timeouts, CAP_BYTES)
    }

    /// The same with another cap on lines and bodies, in bytes.
    fn with_cap(socket: &Path, own_uid: u32, timeouts: Timeouts, cap: usize) -> Self {
        let endpoint = Endpoint {
            path: socket.into(),
            own_uid,
            timeouts,
            cap,
            watcher: None,
        };
        Self {
            endpoint: Arc::new(endpoint),
        }
    }

    /// The same client, which tells what it does. It prints nothing itself.
    #[must_use]
    pub fn watched(mut self, watcher: Watcher) -> Self {
        Arc::make_mut(&mut self.endpoint).watcher = Some(watcher);
        self
    }

    /// The socket's path.
    #[must_use]
    pub fn socket(&self) -> &Path {
        &self.endpoint.path
    }

    /// `GET /health` (protocol, section 2).
    ///
    /// # Errors
    ///
    /// Those of [`Client`].
    pub fn health(&self) -> Result<Health> {
        self.json(Method::GET, "/health".into(), None)
    }

    /// `GET /version` (protocol, section 2).
    ///
    /// # Errors
    ///
    /// Those of [`Client`].
    pub fn version(&self) -> Result<Version> {
        self.json(Method::GET, "/version".into(), None)
    }

    /// `POST /v1/sessions`: opens a session (protocol, section 2).
    ///
    /// # Errors
    ///
    /// Those of [`Client`].
    pub fn create(&self, request: &CreateSession) -> Result<Received<Session>> {
        let created = self.received(Method::POST, "/v1/sessions".into(), Some(bytes(request)?));
        let elsewhere = "--workspace names a directory of the daemon's machine";
        let created = created.map_err(|error| {
            error
                .hint_if(&ErrorCode::MaxSessionsReached, "dcodectl list")
                .hint_if(&ErrorCode::WorkspaceInvalid, elsewhere)
        })?;
        if created.value.id.is_empty() {
            let what = "the daemon created a session without an id";
            return Err(Error::new(Kind::Protocol, what));
        }
        Ok(created)
    }

    /// `GET /v1/sessions`: the live sessions in the order of their creation (protocol, section 2).
    ///
    /// # Errors
    ///
    /// Those of [`Client`].
    pub fn list(&self) -> Result<Vec<Received<Session>>> {
        let (response, sent) =
            self.endpoint
                .send(call(Method::GET, "/v1/sessions".into(), None))?;
        answer::json(response, &sent, |text| {
            let items: Vec<&RawValue> = answer::nullable(text)?;
            items.into_iter().map(|item| received(item.get())).collect()
        })
    }

    /// `GET /v1/sessions/{id}`: one live session (protocol, section 2).
    ///
    /// # Errors
    ///
    /// Those of [`Client`].
    pub fn session(&self, id: &str) -> Result<Received<Session>> {
        self.received(Method::GET, session_path(id, "")?, None)
    }

    /// `DELETE /v1/sessions/{id}`: ends a session, its turn included (protocol, section 11).
    ///
    /// # Errors
    ///
    /// Those of [`Client`].
    pub fn close(&self, id: &str) -> Result<()> {
        self.nothing(Method::DELETE, session_path(id, "")?, None)
    }

    /// `POST …/name`: names a conversation, or clears its name if `name` is empty (protocol, section 10).
    ///
    /// # Errors
    ///
    /// Those of [`Client`].
    pub fn rename(&self, id: &str, name: &str) -> Result<()> {
        let body = bytes(&Name { name: name.into() })?;
        self.nothing(Method::POST, session_path(id, "/name")?, Some(body))
    }

    /// `POST …/turns`: submits a turn; its events come by the stream (protocol, section 2).
    ///
    /// # Errors
    ///
    /// Those of [`Client`].
    pub fn submit(&self, id: &str, turn: &SubmitTurn) -> Result<()> {
        self.nothing(
            Method::POST,
            session_path(id, "/turns")?,
            Some(bytes(turn)?),
        )
    }

    /// `POST …/interrupt`: stops the running turn, if there is one (protocol, section 11).
    ///
    /// # Errors
    ///
    /// Those of [`Client`].
    pub fn interrupt(&self, id: &str) -> Result<()> {
        self.nothing(
            Method::POST,
            session_path(id, "/interrupt")?,
            Some(Vec::new()),
        )
    }

    /// `POST …/steer`: corrects the running turn (protocol, section 11).
    ///
    /// # Errors
    ///
    /// Those of [`Client`].
    pub fn steer(&self, id: &str, text: &str) -> Result<()> {
        let body = bytes(&Steer { text: text.into() })?;
        let steered = self.nothing(Method::POST, session_path(id, "/steer")?, Some(body));
        steered.map_err(|error| {
            error.hint_if(
                &ErrorCode::NoActiveTurn,
                format!("dcodectl submit {} -- TEXT", shell_word(id)),
            )
        })
    }

    /// `POST …/undo`: puts back what the last turn changed (protocol, section 11).
    ///
    /// # Errors
    ///
    /// Those of [`Client`].
    pub fn undo(&self, id: &str) -> Result<UndoResult> {
        self.json(Method::POST, session_path(id, "/undo")?, Some(Vec::new()))
    }

    /// `POST …/approvals/{aid}`: answers a question (protocol, section 9).
    ///
    /// # Errors
    ///
    /// Those of [`Client`].
    pub fn answer(&self, id: &str, approval_id: &str, decision: &Decision) -> Result<()> {
        let path = session_path(id, "/approvals/")? + &segment(approval_id, "approval")?;
        let body = bytes(&Answer {
            decision: decision.clone(),
        })?;
        self.nothing(Method::POST, path, Some(body))
    }

    /// `GET …/events?from=N`: opens the event stream from sequence number `from`, which is at least 1 (protocol,
    /// sections 2 and 8). Returns once the head of the answer is there.
    ///
    /// # Errors
    ///
    /// Those of [`Client`].
    pub fn events(&self, id: &str, from: u64) -> Result<EventStream> {
        let target = session_path(id, "/events?from=")? + &from.to_string();
        let (response, sent) = self.endpoint.send(Call {
            is_stream: true,
            ..call(Method::GET, target, None)
        })?;
        EventStream::new(response, &sent)
    }

    fn json<T: DeserializeOwned>(
        &self,
        method: Method,
        target: String,
        body: Option<Vec<u8>>,
    ) -> Result<T> {
        let (response, sent) = self.endpoint.send(call(method, target, body))?;
        answer::json(response, &sent, |text| serde_json::from_str(text))
    }

    fn received(
        &self,
        method: Method,
        target: String,
        body: Option<Vec<u8>>,
    ) -> Result<Received<Session>> {
        let (response, sent) = self.endpoint.send(call(method, target, body))?;
        answer::json(response, &sent, received)
    }

    fn nothing(&self, method: Method, target: String, body: Option<Vec<u8>>) -> Result<()> {
        let (response, sent) = self.endpoint.send(call(method, target, body))?;
        answer::nothing(response, &sent)
    }
}

fn call(method: Method, target: String, body: Option<Vec<u8>>) -> Call {
    Call {
        method,
        target,
        body,
        is_stream: false,
    }
}

/// Reads one object and keeps its text.
fn received<T: DeserializeOwned>(text: &str) -> serde_json::Result<Received<T>> {
    Ok(Received {
        value: serde_json::from_str(text)?,
        text: answer::one_line(text),
    })
}

/// A request's body.
fn bytes(request: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(request)
        .map_err(|error| Error::usage("the request cannot be written as JSON").caused_by(error))
}

/// The path of something that belongs to a session.
fn session_path(id: &str, rest: &str) -> Result<String> {
    Ok(format!("/v1/sessions/{}{rest}", segment(id, "session")?))
}

/// What a user typed, as one segment of a path.
///
/// A lone `.` or `..` would mean another directory; encoded, the daemon takes it literally (protocol, section 1).
fn segment(id: &str, what: &str) -> Result<String> {
    match id {
        "" => Err(Error::usage(format!("the {what} id is empty"))),
        "." | ".." => Ok(id.replace('.', "%2E")),
        _ => Ok(utf8_percent_encode(id, PLAIN).to_string()),
    }
}

#[cfg(test)]
mod tests;
