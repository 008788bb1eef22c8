//! One request and its answer's head: what is sent, within which bounds, and what a failure means.
//!
//! A request that changes something is never repeated here: whether it may have reached the daemon decides between
//! "unreachable" and "outcome unknown".

use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ureq::config::{AutoHeaderValue, Config};
use ureq::http::{Method, Request, Response, header};
use ureq::{Agent, Body};

use super::Timeouts;
use super::answer;
use super::connect::START;
use super::unix::{self, Trace};
use super::watch::{Told, Watcher};
use crate::error::{Error, Kind, Result};

/// The most bytes a body, or a line of a stream, may have.
pub(super) const CAP_BYTES: usize = 64 * 1024 * 1024;

/// ureq's buffers, in bytes. Its own default of 128 KiB each gains nothing.
const BUFFER_BYTES: usize = 16 * 1024;

/// `Host` must be present and valid, and the daemon takes any; a socket path is none.
const ORIGIN: &str = "http://dcode";

/// Where requests go, and their bounds.
#[derive(Debug, Clone)]
pub(super) struct Endpoint {
    pub(super) path: PathBuf,
    pub(super) own_uid: u32,
    pub(super) timeouts: Timeouts,
    /// Bytes; [`CAP_BYTES`] but in tests.
    pub(super) cap: usize,
    /// Who is told of each request.
    pub(super) watcher: Option<Watcher>,
}

/// What is asked.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) method: Method,
    /// Path and query, encoded.
    pub(super) target: String,
    /// JSON, or empty.
    pub(super) body: Option<Vec<u8>>,
    /// Whether the answer is a stream of events.
    pub(super) is_stream: bool,
}

/// What is known of a request when its answer fails to come.
#[derive(Debug)]
pub(super) struct Sent {
    /// The socket.
    pub(super) path: PathBuf,
    changes: bool,
    timeouts: Timeouts,
    trace: Arc<Trace>,
    /// When the whole answer, unless it is a stream, must be there.
    pub(super) due: Instant,
    pub(super) cap: usize,
}

impl Endpoint {
    /// Sends the request and waits for the head of a successful answer.
    pub(super) fn send(&self, call: Call) -> Result<(Response<Body>, Sent)> {
        let (agent, trace) = unix::agent(
            self.config(call.is_stream),
            self.path.clone(),
            self.own_uid,
            self.timeouts.connect,
            call.is_stream,
        );
        let mut sent = Sent {
            path: self.path.clone(),
            changes: call.method != Method::GET,
            timeouts: self.timeouts,
            trace,
            due: Instant::now(),
            cap: self.cap,
        };
        let answered = self.told(call, |call| {
            run(&agent, call)?.map_err(|error| sent.failure(error))
        });
        let response = answered?;
        sent.due = Instant::now() + self.timeouts.head;
        if response.status().is_success() {
            return Ok((response, sent));
        }
        Err(answer::refusal(response, &sent))
    }

    /// Makes a request, and tells the watcher what became of it.
    fn told(
        &self,
        call: Call,
        make: impl FnOnce(Call) -> Result<Response<Body>>,
    ) -> Result<Response<Body>> {
        let Some(Watcher(tell)) = &self.watcher else {
            return make(call);
        };
        let (method, target, body) = (call.method.clone(), call.target.clone(), call.body.clone());
        let begun = Instant::now();
        let answered = make(call);
        tell(&Told {
            method: method.as_str(),
            target: &target,
            body: body.as_deref(),
            outcome: match &answered {
                Ok(response) => Ok(response.status().as_u16()),
                Err(error) => Err(error.to_string()),
            },
            elapsed: begun.elapsed(),
        });
        answered
    }

    fn config(&self, is_stream: bool) -> Config {
        let Timeouts { head, silence, .. } = self.timeouts;
        let accept = if is_stream {
            "text/event-stream"
        } else {
            "application/json"
        };
        Agent::config_builder()
            .http_status_as_error(false)
            // A redirect is nothing the daemon sends for a well-formed request; following one could repeat a request.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            .user_agent(concat!("dcodectl/", env!("CARGO_PKG_VERSION")))
            .accept(accept)
            .accept_encoding(AutoHeaderValue::None)
            .max_idle_connections(0)
            .max_idle_connections_per_host(0)
            .input_buffer_size(BUFFER_BYTES)
            .output_buffer_size(BUFFER_BYTES)
            .timeout_send_request(Some(head))
            .timeout_send_body(Some(head))
            .timeout_recv_response(Some(head))
            .timeout_per_read(Some(if is_stream { silence } else { head }))
            .build()
    }
}

/// Runs the request. The outer error is one of the request itself, which then was not sent.
fn run(agent: &Agent, call: Call) -> Result<Result<Response<Body>, ureq::Error>> {
    let request = Request::builder()
        .method(call.method)
        .uri(format!("{ORIGIN}{}", call.target));
    let unsendable = |error| {
        Error::usage("the id cannot be sent to a daemon")
            .caused_by(Into::<ureq::http::Error>::into(error))
    };
    Ok(match call.body {
        None => agent.run(request.body(()).map_err(unsendable)?),
        Some(bytes) => {
            let request = if bytes.is_empty() {
                request
            } else {
                request.header(header::CONTENT_TYPE, "application/json")
            };
            agent.run(request.body(bytes).map_err(unsendable)?)
        }
    })
}

impl Sent {
    /// The socket of a stream, right behind the head of the answer.
    pub(super) fn socket(&self) -> Option<UnixStream> {
        let socket = self.trace.socket()?;
        socket.set_read_timeout(Some(self.timeouts.silence)).ok()?;
        Some(socket)
    }

    /// How long a stream may be silent.
    pub(super) fn silence(&self) -> Duration {
        self.timeouts.silence
    }

    /// What it means that ureq gave up on the request or on its answer.
    pub(super) fn failure(&self, error: ureq::Error) -> Error {
        match error {
            ureq::Error::Other(cause) => match cause.downcast::<Error>() {
                Ok(error) => *error,
                Err(cause) => self.lost(&cause.to_string()),
            },
            ureq::Error::Protocol(_)
            | ureq::Error::Http(_)
            | ureq::Error::LargeResponseHeader(..) => {
                not_http(&self.path, self.trace.received(), &error.to_string())
            }
            _ if !may_be_http(self.trace.received()) => {
                not_http(&self.path, self.trace.received(), "no HTTP answer came")
            }
            error => self.lost(&self.reason(&error)),
        }
    }

    /// The same for an error met while a body was read.
    pub(super) fn body_failure(&self, error: io::Error) -> Error {
        self.failure(ureq::Error::from(error))
    }

    /// No complete answer came. What follows depends on whether the daemon may have acted on the request.
    pub(super) fn lost(&self, reason: &str) -> Error {
        let path = self.path.display();
        if self.changes && self.trace.was_written() {
            return Error::new(
                Kind::OutcomeUnknown,
                format!("the request was sent to {path}, but its answer never came: {reason}"),
            )
            .hint("the daemon may have acted on it: look at the session before sending it again");
        }
        Error::new(
            Kind::Unreachable,
            format!("no daemon answers at {path}: {reason}"),
        )
        .hint(START)
    }

    /// What happened, in words.
    fn reason(&self, error: &ureq::Error) -> String {
        use ureq::Timeout::{PerWrite, SendBody, SendRequest};
        match error {
            ureq::Error::Timeout(PerWrite | SendBody | SendRequest) => {
                format!("the request was not read within {:?}", self.timeouts.head)
            }
            ureq::Error::Timeout(_) => format!("no answer within {:?}", self.timeouts.head),
            error => loss(error),
        }
    }
}

/// How a connection was lost, in words.
fn loss(error: &ureq::Error) -> String {
    match error {
        ureq::Error::Io(error) => match error.kind() {
            io::ErrorKind::UnexpectedEof => "the connection was closed too early".into(),
            io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => {
                "the connection was reset".into()
            }
            _ => error.to_string(),
        },
        ureq::Error::BodyStalled => "the connection was closed in the middle of the answer".into(),
        error => error.to_string(),
    }
}

/// Whether the bytes are, or could become, an HTTP/1 answer.
fn may_be_http(received: &[u8]) -> bool {
    let start = b"HTTP/1.";
    let length = received.len().min(start.len());
    received[..length] == start[..length]
}

/// Whatever listens there is no daemon.
fn not_http(path: &Path, received: &[u8], reason: &str) -> Error {
    let message = format!(
        "what listens at {} does not speak HTTP as a daemon does ({reason}): {}",
        path.display(),
        answer::excerpt(received)
    );
    Error::new(Kind::Protocol, message).hint(answer::HINT)
}
