//! The event stream of a session as it arrives: frames, and every way it can stop.
//!
//! Knows nothing of what the events say, and reconnects nothing.

use std::fmt;
use std::io;
use std::path::PathBuf;

use ureq::http::{Response, StatusCode, header};
use ureq::{Body, BodyReader};

use super::answer;
use super::exchange::{self, Sent};
use super::sse::{Frame, Frames};
use crate::error::{Error, Kind, Result};

/// What a stream brings next.
#[derive(Debug)]
pub enum Next<'a> {
    /// The JSON of one event, as received; data of several lines is joined by spaces.
    Data(&'a str),
    /// A comment, such as the ping that comes every 20 s (protocol, section 4).
    Alive,
    /// The daemon ended the stream in an orderly way. That says nothing about the turn (protocol, section 8).
    End,
    /// The connection broke off; the text says how. An event that was cut is dropped.
    Lost(String),
    /// Not a single byte came for [`Timeouts::silence`](super::Timeouts::silence). Asking again waits once more.
    Silent,
    /// What comes is no event stream, [`Kind::Protocol`]: a line over 64 MiB, not UTF-8, not HTTP. There is no more.
    Broken(Error),
}

/// An open event stream; dropping it closes the connection, which never stops a turn.
pub struct EventStream {
    frames: Frames<BodyReader<'static>>,
    /// For messages.
    path: PathBuf,
    cap: usize,
    /// Whether the body says itself where it ends; else closing the connection is a loss.
    is_framed: bool,
    over: Option<Over>,
}

/// How a stream stopped for good.
#[derive(Debug, Clone)]
enum Over {
    End,
    Lost(String),
}

impl fmt::Debug for EventStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream")
            .field("path", &self.path)
            .field("over", &self.over)
            .finish_non_exhaustive()
    }
}

impl EventStream {
    /// The stream behind a successful head, if it is one.
    pub(super) fn new(response: Response<Body>, sent: &Sent) -> Result<Self> {
        let (head, body) = response.into_parts();
        if head.status != StatusCode::OK
            || answer::content_type(&head.headers) != "text/event-stream"
        {
            let what = answer::describe(head.status, &head.headers, b"");
            return Err(answer::not_understood(
                &sent.path,
                &format!("{what}, not an event stream"),
            ));
        }
        let is_framed = head.headers.contains_key(header::TRANSFER_ENCODING)
            || head.headers.contains_key(header::CONTENT_LENGTH);
        Ok(Self {
            frames: Frames::new(body.into_reader(), sent.cap),
            path: sent.path.clone(),
            cap: sent.cap,
            is_framed,
            over: None,
        })
    }

    /// Blocks until an event or a comment, the end or a loss; [`Timeouts::silence`](super::Timeouts::silence) at most.
    ///
    /// After [`Next::End`] and [`Next::Lost`] it returns the same again, after [`Next::Broken`] a loss.
    #[expect(
        clippy::should_implement_trait,
        reason = "what it returns borrows from the stream"
    )]
    pub fn next(&mut self) -> Next<'_> {
        match &self.over {
            Some(Over::End) => return Next::End,
            Some(Over::Lost(reason)) => return Next::Lost(reason.clone()),
            None => {}
        }
        let broken = match self.frames.next() {
            Frame::Data(text) => return Next::Data(text),
            Frame::Comment => return Next::Alive,
            Frame::End if self.is_framed => {
                self.over = Some(Over::End);
                return Next::End;
            }
            Frame::End => return lose(&mut self.over, "the connection was closed".into()),
            Frame::Failed(error) => match fault(error) {
                Fault::Silent => return Next::Silent,
                Fault::Lost(reason) => return lose(&mut self.over, reason),
                Fault::Broken(reason) => reason,
            },
            Frame::TooLong => format!("a line or an event is over {} bytes", self.cap),
            Frame::NotText => "an event is not UTF-8".into(),
        };
        self.over = Some(Over::Lost("the stream was given up".into()));
        let message = format!(
            "the event stream from {} is not understood: {broken}",
            self.path.display()
        );
        Next::Broken(Error::new(Kind::Protocol, message).hint(answer::HINT))
    }

    /// Whether [`next`](Self::next) would have to wait for the socket: neither an event nor a comment is complete in
    /// the buffer. It may say so too early, when bytes are there that have not been looked at yet, never too late.
    #[must_use]
    pub fn would_wait(&self) -> bool {
        self.over.is_none() && self.frames.would_wait()
    }
}

/// Notes a loss and reports it.
fn lose(over: &mut Option<Over>, reason: String) -> Next<'static> {
    *over = Some(Over::Lost(reason.clone()));
    Next::Lost(reason)
}

/// What a failed read stands for.
enum Fault {
    Silent,
    Lost(String),
    Broken(String),
}

fn fault(error: io::Error) -> Fault {
    match ureq::Error::from(error) {
        ureq::Error::Timeout(_) => Fault::Silent,
        error @ (ureq::Error::Protocol(_) | ureq::Error::LargeResponseHeader(..)) => {
            Fault::Broken(error.to_string())
        }
        error => Fault::Lost(exchange::loss(&error)),
    }
}
