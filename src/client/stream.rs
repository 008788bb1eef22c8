//! The event stream of a session as it arrives: frames, and every way it can stop.
//!
//! Knows nothing of what the events say, and reconnects nothing.

use std::fmt;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use ureq::http::{HeaderMap, Response, StatusCode, header};

use super::answer;
use super::batch::Batch;
use super::body::{Body, Framing};
use super::exchange::Sent;
use super::sse::{Frame, Frames, Patience};
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

/// What a stream brings at once, for a reader that hands it on.
#[derive(Debug)]
pub enum Arrived {
    /// All events that are there, or none where only a comment came.
    Batch(Batch),
    /// Some of an event.
    Partly,
    /// As [`Next::End`].
    End,
    /// As [`Next::Lost`].
    Lost(String),
    /// As [`Next::Silent`].
    Silent,
    /// As [`Next::Broken`].
    Broken(Error),
}

/// An open event stream; dropping it closes the connection, which never stops a turn.
pub struct EventStream {
    frames: Frames<Body>,
    /// For messages.
    path: PathBuf,
    cap: usize,
    /// Whether the body says itself where it ends; else closing the connection is a loss.
    is_framed: bool,
    /// As [`Timeouts::silence`](super::Timeouts::silence).
    silence: Duration,
    /// When the last byte came.
    heard: Instant,
    over: Option<Over>,
}

/// How a stream stopped for good.
#[derive(Debug, Clone)]
enum Over {
    End,
    Lost(String),
    /// It makes no sense, which is still to be told.
    Broken(String),
}

impl fmt::Debug for EventStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream")
            .field("path", &self.path)
            .field("over", &self.over)
            .finish_non_exhaustive()
    }
}

impl AsFd for EventStream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.frames.source().as_fd()
    }
}

impl EventStream {
    /// The stream behind a successful head, if it is one.
    pub(super) fn new(response: Response<ureq::Body>, sent: &Sent) -> Result<Self> {
        let (head, _) = response.into_parts();
        if head.status != StatusCode::OK
            || answer::content_type(&head.headers) != "text/event-stream"
        {
            let what = answer::describe(head.status, &head.headers, b"");
            return Err(answer::not_understood(
                &sent.path,
                &format!("{what}, not an event stream"),
            ));
        }
        let framing = framing(&head.headers);
        let Some(socket) = sent.socket() else {
            return Err(sent.lost("its connection is gone"));
        };
        Ok(Self {
            frames: Frames::new(Body::new(socket, framing), sent.cap),
            path: sent.path.clone(),
            cap: sent.cap,
            is_framed: framing != Framing::Closing,
            silence: sent.silence(),
            heard: Instant::now(),
            over: None,
        })
    }

    /// A stream whose body comes off this socket in chunks: for the targets under `fuzz`.
    #[cfg(fuzzing)]
    #[must_use]
    pub fn of_socket(socket: std::os::unix::net::UnixStream, cap: usize) -> Self {
        Self {
            frames: Frames::new(Body::new(socket, Framing::Chunked), cap),
            path: PathBuf::new(),
            cap,
            is_framed: true,
            silence: Duration::from_hours(24),
            heard: Instant::now(),
            over: None,
        }
    }

    /// Blocks until an event or a comment, the end or a loss; [`Timeouts::silence`](super::Timeouts::silence) at most.
    ///
    /// After [`Next::End`] and [`Next::Lost`] it returns the same again, after [`Next::Broken`] a loss.
    #[expect(
        clippy::should_implement_trait,
        reason = "what it returns borrows from the stream"
    )]
    pub fn next(&mut self) -> Next<'_> {
        let data = loop {
            if self.over.is_none() {
                match self.frames.parse() {
                    Some(Frame::Data(data)) => break data,
                    Some(Frame::Comment) => return Next::Alive,
                    Some(Frame::TooLong) => self.over = Some(self.too_long()),
                    None => {}
                }
            }
            match self.wait(Patience::Socket) {
                Ok(()) => {}
                Err(Arrived::Lost(reason)) => return Next::Lost(reason),
                Err(Arrived::Silent) => return Next::Silent,
                Err(Arrived::Broken(error)) => return Next::Broken(error),
                Err(Arrived::End | Arrived::Partly | Arrived::Batch(_)) => return Next::End,
            }
        };
        if std::str::from_utf8(self.frames.bytes(data.clone())).is_err() {
            self.over = Some(not_text());
            return match self.stopped() {
                Some(Arrived::Broken(error)) => Next::Broken(error),
                _ => Next::End,
            };
        }
        Next::Data(std::str::from_utf8(self.frames.bytes(data)).unwrap_or_default())
    }

    /// As [`next`](Self::next), but everything that is there at once.
    pub fn next_batch(&mut self) -> Arrived {
        if self.over.is_none()
            && let Some(batch) = self.batch()
        {
            return Arrived::Batch(batch);
        }
        self.wait(Patience::Socket).err().unwrap_or(Arrived::Partly)
    }

    /// As [`next_batch`](Self::next_batch), but never waits: `None` if nothing is there. For who polls the socket.
    pub fn try_batch(&mut self) -> Option<Arrived> {
        match self.wait(Patience::None) {
            Ok(()) => Some(self.batch().map_or(Arrived::Partly, Arrived::Batch)),
            Err(Arrived::Silent) if Instant::now() < self.silent_at() => None,
            Err(stopped) => Some(stopped),
        }
    }

    /// Whether [`try_batch`](Self::try_batch) has something to tell whatever the socket says: how the stream stopped.
    /// The end of the body may have come together with its last events.
    #[must_use]
    pub fn has_stopped(&self) -> bool {
        self.over.is_some() || self.frames.source().is_over()
    }

    /// When not a single byte will have come for too long.
    #[must_use]
    pub fn silent_at(&self) -> Instant {
        self.heard + self.silence
    }

    /// The bytes of an event that has begun to arrive.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.frames.pending()
    }

    /// Everything that is complete, if anything is.
    fn batch(&mut self) -> Option<Batch> {
        let (mut events, mut alive) = (Vec::new(), false);
        while let Some(frame) = self.frames.parse() {
            match frame {
                Frame::Data(data) => events.push(data),
                Frame::Comment => alive = true,
                Frame::TooLong => {
                    self.over = Some(self.too_long());
                    break;
                }
            }
        }
        if events.is_empty() && !alive {
            return None;
        }
        if events.is_empty() {
            return Some(Batch::default());
        }
        match String::from_utf8(self.frames.take()) {
            Ok(text) => Some(Batch::new(text, events)),
            Err(error) => {
                let (batch, whole) = Batch::of_bytes(error.as_bytes(), &events);
                if !whole {
                    self.over = Some(not_text());
                }
                (alive || !batch.is_empty()).then_some(batch)
            }
        }
    }

    /// Waits for more bytes, unless the stream has stopped or does so now.
    fn wait(&mut self, patience: Patience) -> std::result::Result<(), Arrived> {
        if let Some(stopped) = self.stopped() {
            return Err(stopped);
        }
        self.over = Some(match self.frames.fill(patience) {
            Ok(true) => {
                self.heard = Instant::now();
                return Ok(());
            }
            Ok(false) if self.is_framed => Over::End,
            Ok(false) => Over::Lost("the connection was closed".into()),
            Err(error) => match fault(&error) {
                Some(over) => over,
                None if error.kind() == ErrorKind::Interrupted => return Ok(()),
                None => return Err(Arrived::Silent),
            },
        });
        self.stopped().map_or(Ok(()), Err)
    }

    /// How the stream stopped, if it did.
    fn stopped(&mut self) -> Option<Arrived> {
        match self.over.clone()? {
            Over::End => Some(Arrived::End),
            Over::Lost(reason) => Some(Arrived::Lost(reason)),
            Over::Broken(what) => {
                self.over = Some(Over::Lost("the stream was given up".into()));
                let message = format!(
                    "the event stream from {} is not understood: {what}",
                    self.path.display()
                );
                let error = Error::new(Kind::Protocol, message).hint(answer::HINT);
                Some(Arrived::Broken(error))
            }
        }
    }

    fn too_long(&self) -> Over {
        Over::Broken(format!("a line or an event is over {} bytes", self.cap))
    }
}

fn not_text() -> Over {
    Over::Broken("an event is not UTF-8".into())
}

/// How the body is framed. Chunks win, as HTTP demands.
fn framing(headers: &HeaderMap) -> Framing {
    if headers.contains_key(header::TRANSFER_ENCODING) {
        return Framing::Chunked;
    }
    let length = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.trim().parse().ok());
    length.map_or(Framing::Closing, Framing::Length)
}

/// What a failed read stands for; `None` if it is only that nothing came.
fn fault(error: &io::Error) -> Option<Over> {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => None,
        ErrorKind::InvalidData => Some(Over::Broken(error.to_string())),
        ErrorKind::UnexpectedEof => Some(Over::Lost("the connection was closed too early".into())),
        ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => {
            Some(Over::Lost("the connection was reset".into()))
        }
        _ => Some(Over::Lost(error.to_string())),
    }
}
