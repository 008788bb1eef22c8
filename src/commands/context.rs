//! What every command runs in: the inbox, the streams, the options, the daemon.

use std::borrow::Cow;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::session;
use crate::cli::{Global, Output};
use crate::client::{Client, Received, Timeouts};
use crate::error::{Error, Kind, Result, signal_name};
use crate::follow::{Backlog, Inbox, Input, Limits, Pending, Waited};
use crate::protocol::Session;
use crate::report::{Palette, SharedConsole, workflow_safe};
use crate::streams::{Level, Sink, Streams, Surroundings, reader_left};
use crate::threads;

/// See the module.
pub struct Context<'a> {
    /// Where the main thread waits.
    pub inbox: Inbox,
    /// The standard streams.
    pub streams: Streams,
    /// Everything a person reads on stderr.
    pub console: SharedConsole,
    /// The options of every command.
    pub global: Global,
    /// Environment and uid.
    pub surroundings: &'a Surroundings<'a>,
    /// Every bound.
    pub limits: Limits,
    /// The bounds of the client.
    pub timeouts: Timeouts,
    /// The colours of stdout.
    pub palette: Palette,
    /// When the program began, as far as it says how long something took.
    pub begun: Instant,
    /// When the command has to be over, and the bound as the user set it.
    pub deadline: Option<(Instant, Duration)>,
    /// Whether nothing is to be done once the reader of stdout has left: the command changes
    /// nothing before it follows a turn, and writes nothing elsewhere.
    pub ends_unwatched: bool,
    /// How often a wait before anything can be printed gives a sign of life.
    pub heartbeat: Option<Duration>,
    client: Option<Client>,
    /// Until when unwritten output is waited for once the command is stopped.
    last_moment: Option<Instant>,
}

/// How long output, all of it together, is given to be written once the command is stopped.
const MOMENT: Duration = Duration::from_millis(250);

/// However late it is, each output has so long: what it is written to may well take bytes, once its thread has started.
const LEAST: Duration = Duration::from_millis(50);

/// How writing all of stdout ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flushed {
    /// Everything is written.
    Written,
    /// The reader left, or a write failed.
    Failed(io::ErrorKind),
    /// A signal came first.
    Signal(i32),
    /// The deadline came first.
    Deadline,
}

impl<'a> Context<'a> {
    /// A context in which nothing has happened yet.
    #[must_use]
    pub fn new(
        streams: Streams,
        console: SharedConsole,
        global: Global,
        surroundings: &'a Surroundings<'a>,
        palette: Palette,
    ) -> Self {
        let timeouts = Timeouts {
            connect: global.connect_timeout,
            ..Timeouts::default()
        };
        Self {
            inbox: Inbox::default(),
            streams,
            console,
            global,
            surroundings,
            limits: Limits::default(),
            timeouts,
            palette,
            begun: Instant::now(),
            deadline: None,
            ends_unwatched: false,
            heartbeat: None,
            client: None,
            last_moment: None,
        }
    }

    /// Lets signals and the state of stdout arrive in the inbox.
    pub fn watch_output(&mut self) {
        let waker = self.inbox.waker();
        self.streams.out.on_change(move || waker.nudge());
        mind(&mut self.inbox, self.streams.out.clone());
        if let Some(file) = self.streams.out_watch.take() {
            let (sink, waker) = (self.streams.out.clone(), self.inbox.waker());
            // Without a thread it is noticed at the next write.
            let _ = threads::spawn(move || {
                reader_left(&file);
                sink.close();
                waker.send(Input::Output);
            });
        }
    }

    /// Whether stdout is NDJSON.
    #[must_use]
    pub fn json(&self) -> bool {
        self.global.format() == Output::Ndjson
    }

    /// Bounds the whole command.
    pub fn bound(&mut self, timeout: Option<Duration>) {
        self.deadline = timeout.map(|bound| (Instant::now() + bound, bound));
    }

    /// Runs something that may block on a thread of its own, and waits for it.
    ///
    /// # Errors
    /// Its own; a signal; the command's deadline, naming `what`; a reader that left, where nothing
    /// is to be done without one.
    pub fn wait<T, F>(&mut self, what: &str, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T> + Send + 'static,
    {
        let pending = self.inbox.call(work);
        let deadline = self.deadline.map(|(at, _)| at);
        while !self.is_left() {
            match self.await_answer(&pending, deadline) {
                Waited::Answered => return pending.take(),
                Waited::Output => {}
                Waited::Signal(signal) => {
                    let name = signal_name(signal);
                    let what = format!("stopped by {name} while waiting for {what}");
                    return Err(Error::new(Kind::Signal(signal), what));
                }
                Waited::Deadline => {
                    let what = format!("timed out while waiting for {what}");
                    return Err(Error::new(Kind::Timeout, what));
                }
            }
        }
        Err(write_failed(io::ErrorKind::BrokenPipe))
    }

    /// Waits for one answer; a heartbeat that was asked for beats meanwhile.
    pub fn await_answer<T>(&mut self, pending: &Pending<T>, deadline: Option<Instant>) -> Waited {
        let begun = Instant::now();
        let mut beats = 0;
        loop {
            let beat = self.heartbeat.map(|every| begun + every * (beats + 1));
            let until = deadline.into_iter().chain(beat).min();
            match self.inbox.wait_for(pending, until) {
                Waited::Deadline if deadline.is_none_or(|due| Instant::now() < due) => {
                    beats += 1;
                    let seconds = begun.elapsed().as_secs();
                    let message = format!("still waiting after {seconds} s; no event yet");
                    self.console.heartbeat("heartbeat", &message);
                }
                waited => return waited,
            }
        }
    }

    /// Whether the reader of stdout left and this command then has nothing left to do.
    #[must_use]
    pub fn is_left(&self) -> bool {
        self.ends_unwatched && self.streams.out.failure() == Some(io::ErrorKind::BrokenPipe)
    }

    /// The daemon, found at the first call.
    ///
    /// # Errors
    /// See `session::connect`.
    pub fn client(&mut self) -> Result<Client> {
        if let Some(client) = &self.client {
            return Ok(client.clone());
        }
        let client = session::connect(self)?;
        self.client = Some(client.clone());
        Ok(client)
    }

    /// Makes a request and waits for its answer.
    ///
    /// # Errors
    /// Those of the request, and of waiting for it.
    pub fn ask<T, F>(&mut self, request: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Client) -> Result<T> + Send + 'static,
    {
        let client = self.client()?;
        self.wait("the daemon's answer", move || request(&client))
    }

    /// The session a user means by an id, a prefix or `@`.
    ///
    /// # Errors
    /// Code 2 if it is several or none; else what the daemon answers.
    pub fn session(&mut self, typed: &str) -> Result<Received<Session>> {
        let typed = typed.to_owned();
        self.ask(move |client| session::resolve(client, &typed))
    }

    /// The id of that session; what matches none is passed on as typed.
    ///
    /// # Errors
    /// As [`Context::session`], but an unknown id is left to the daemon.
    pub fn session_id(&mut self, typed: &str) -> Result<String> {
        let typed = typed.to_owned();
        self.ask(move |client| session::resolve_id(client, &typed))
    }

    /// Writes a line to stdout.
    ///
    /// # Errors
    /// If stdout takes no bytes any more.
    pub fn print(&mut self, line: &str) -> Result<()> {
        let human = self.global.format() == Output::Human;
        let line = if human && self.surroundings.in_workflow() {
            workflow_safe(line)
        } else {
            Cow::Borrowed(line)
        };
        let out: &mut Sink = &mut self.streams.out;
        out.write_all(line.as_bytes())
            .and_then(|()| out.write_all(b"\n"))
            .map_err(|error| write_failed(error.kind()))
    }

    /// Writes text that brings its own line breaks to stdout.
    ///
    /// # Errors
    /// As [`Context::print`].
    pub fn text(&mut self, text: &str) -> Result<()> {
        match text.strip_suffix('\n') {
            Some(lines) => self.print(lines),
            None if text.is_empty() => Ok(()),
            None => self.print(text),
        }
    }

    /// Columns to lay text out by.
    #[must_use]
    pub fn width(&self) -> usize {
        (self.streams.width)()
    }

    /// Writes one JSON object as a line to stdout.
    ///
    /// # Errors
    /// As [`Context::print`].
    pub fn object(&mut self, value: &impl Serialize) -> Result<()> {
        let text = serde_json::to_string(value).map_err(|error| {
            Error::new(Kind::Failure, "cannot be written as JSON").caused_by(error)
        })?;
        self.print(&text)
    }

    /// Flushes stdout and waits until it is written; see [`Context::settle`].
    pub fn flush(&mut self, patient: bool) -> Flushed {
        let mut out = self.streams.out.clone();
        let _ = self.streams.out.flush();
        self.settle(&mut out, patient)
    }

    /// Flushes a stream and waits until it is written. A reader that does not read delays neither
    /// a signal nor the deadline; after one of them it is given just a moment.
    pub fn settle(&mut self, sink: &mut Sink, patient: bool) -> Flushed {
        let _ = sink.flush();
        let deadline = if patient {
            self.deadline.map(|(at, _)| at)
        } else {
            let now = Instant::now();
            let shared = *self.last_moment.get_or_insert(now + MOMENT);
            Some(shared.max(now + LEAST))
        };
        loop {
            if let Some(kind) = sink.failure() {
                return Flushed::Failed(kind);
            }
            if sink.wake_when_empty() {
                return Flushed::Written;
            }
            match self.inbox.next(deadline, || ()) {
                Some(Input::Signal(signal)) => return Flushed::Signal(signal),
                Some(_) => {}
                None => return Flushed::Deadline,
            }
        }
    }
}

/// Lets the inbox take no more of a stream than the output can bear.
pub(super) fn mind(inbox: &mut Inbox, output: Sink) {
    inbox.mind(move || match output.level() {
        Level::Low => Backlog::Low,
        Level::High => Backlog::High,
        Level::Full => Backlog::Full,
    });
}

/// The error for a stdout that takes no bytes any more.
#[must_use]
pub fn write_failed(kind: io::ErrorKind) -> Error {
    if kind == io::ErrorKind::BrokenPipe {
        Error::new(Kind::StdoutClosed, "the reader of stdout left")
    } else {
        Error::new(Kind::OutputFailed, "stdout could not be written")
            .caused_by(io::Error::from(kind))
    }
}
