//! One connection of a stream, and who reads it.
//!
//! An open stream is always in one of two hands. The main thread reads it while it has nothing else to do: then an event
//! costs no switch of threads. While the main thread takes nothing of a stream, because the output is behind, a thread
//! empties the socket all the same; it gives the stream back once the main thread waits for it again. Whoever reads,
//! what comes out is the same: batches of text and not events, one message for all that was there.

use std::os::fd::{AsFd, BorrowedFd};
use std::sync::mpsc::{self, SyncSender};
use std::sync::{Arc, Weak};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::inbox::{Input, Waker};
use crate::client::{Arrived, Batch, Client, EventStream};
use crate::error::{Error, Kind};
use crate::protocol::Session;
use crate::threads;

/// What a connection says.
pub enum FromStream {
    /// What the daemon said of the session before the stream could not be opened.
    Session(Session),
    /// The response head is there. With what the daemon said of the session, if it was asked before.
    Opened(Option<Session>),
    /// Some events, or none where only a sign of life came.
    Batch(Batch),
    /// The daemon ended the stream in an orderly way.
    Ended,
    /// The connection broke, was silent for too long, or could not be made again; says how.
    Lost(String),
    /// Opening failed, or what came is no event stream.
    Failed(Error),
}

/// Keeps a connection going: once this is dropped, whoever reads it lets it go.
#[derive(Default)]
pub(super) struct Reader {
    wanted: Arc<()>,
}

/// An open stream, to be read by whoever has it.
pub struct Source {
    connection: u64,
    stream: EventStream,
    wanted: Weak<()>,
    /// To the thread that opened it, and reads it whenever the main thread does not.
    thread: SyncSender<Source>,
}

/// An event that is larger than this is read when the one before it is dealt with: not two of them in memory for nothing.
const LARGE_BYTES: usize = 1024 * 1024;

/// Opens the session's stream on a thread of its own, and sends it to the inbox to be read. If it `asks`, it first asks
/// for the session; a refusal of that is one of the stream.
pub(super) fn start(
    client: Client,
    session_id: String,
    (from, asks): (u64, bool),
    connection: u64,
    to: Waker,
) -> Reader {
    let reader = Reader::default();
    let wanted = Arc::downgrade(&reader.wanted);
    let told = to.clone();
    let started = threads::spawn(move || {
        let (thread, lent) = mpsc::sync_channel(1);
        let send = |message| to.bring(Input::Stream(connection, message));
        let asked = asks.then(|| client.session(&session_id)).transpose();
        let opened = asked.and_then(|session| {
            let session = session.map(|session| session.value);
            match client.events(&session_id, from) {
                Ok(stream) => Ok((stream, session)),
                Err(error) => {
                    session.map(|session| send(FromStream::Session(session)));
                    Err(error)
                }
            }
        });
        if wanted.strong_count() == 0 {
            return;
        }
        let (stream, session) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                send(FromStream::Failed(error));
                return;
            }
        };
        // One message for both: the main thread is woken once.
        let is_awaited = send(FromStream::Opened(session));
        let source = Source {
            connection,
            stream,
            wanted,
            thread,
        };
        let source = if asks {
            source.catch_up(&to)
        } else {
            Some(source)
        };
        match source {
            Some(source) if is_awaited => {
                to.send(Input::Source(source));
            }
            Some(source) => source.read_on(&to),
            None => {}
        }
        for source in lent {
            source.read_on(&to);
        }
    });
    if !started {
        let error = Error::new(Kind::Failure, "no thread can be started to read the stream");
        told.send_own(Input::Stream(connection, FromStream::Failed(error)));
    }
    reader
}

impl AsFd for Source {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

impl Source {
    /// Gives it to its thread, which empties the socket until the main thread waits for the stream again.
    pub(super) fn lend(self) {
        let thread = self.thread.clone();
        // The thread is there for as long as anybody could send it something, and has room for its only source.
        let _ = thread.try_send(self);
    }

    /// Whether somebody still listens to it.
    pub(super) fn is_wanted(&self) -> bool {
        self.wanted.strong_count() > 0
    }

    /// When there is something to be told whatever the socket says.
    pub(super) fn due(&self, now: Instant) -> Instant {
        if self.stream.has_stopped() {
            now
        } else {
            self.stream.silent_at()
        }
    }

    /// Reads what is there, without waiting: a message, if that makes one, and whether more can come.
    pub(super) fn read(&mut self) -> (Option<Input>, bool) {
        let Some(arrived) = self.stream.try_batch() else {
            return (None, true);
        };
        let (message, goes_on) = told(arrived);
        let input = message.map(|message| Input::Stream(self.connection, message));
        (input, goes_on)
    }

    /// Reads and sends what has piled up, on the source's own thread: a stream that was dropped for being slow had better
    /// be read while what came before is printed. Gives the source back unless it is over.
    fn catch_up(mut self, to: &Waker) -> Option<Self> {
        loop {
            match self.read() {
                (None, goes_on) => return goes_on.then_some(self),
                (Some(input), goes_on) => {
                    to.send(input);
                    if !goes_on || !self.is_wanted() {
                        return None;
                    }
                }
            }
        }
    }

    /// Waits until there is something to be read, or to be told: the silence may have begun in other hands, while a read
    /// that waits counts anew.
    fn await_first(&self) {
        loop {
            let now = Instant::now();
            let left = self.due(now).saturating_duration_since(now);
            let timeout: Option<Timespec> = left.try_into().ok();
            let mut files = [PollFd::new(self, PollFlags::IN)];
            // A wait that was interrupted, as by a stop of the whole program, is not over.
            if left.is_zero()
                || !matches!(
                    poll(&mut files, timeout.as_ref()),
                    Ok(0) | Err(rustix::io::Errno::INTR)
                )
            {
                return;
            }
        }
    }

    /// Reads and sends on the source's own thread.
    fn read_on(mut self, to: &Waker) {
        self.await_first();
        let mut first = self.stream.try_batch();
        loop {
            let (message, goes_on) = told(first.take().unwrap_or_else(|| self.stream.next_batch()));
            // Nobody listens any more: dropping the source closes the connection.
            if !self.is_wanted() {
                return;
            }
            let mut is_awaited = false;
            if let Some(message) = message {
                is_awaited = to.bring(Input::Stream(self.connection, message));
            } else if self.stream.pending() > LARGE_BYTES {
                to.pause();
            }
            if !goes_on {
                return;
            }
            if is_awaited {
                to.send(Input::Source(self));
                return;
            }
        }
    }
}

/// What has arrived, as a message if it is one, and whether more can come.
fn told(arrived: Arrived) -> (Option<FromStream>, bool) {
    let last = match arrived {
        Arrived::Partly => return (None, true),
        Arrived::Batch(batch) => return (Some(FromStream::Batch(batch)), true),
        Arrived::End => FromStream::Ended,
        Arrived::Lost(how) => FromStream::Lost(how),
        Arrived::Silent => FromStream::Lost("no sign of life".to_owned()),
        Arrived::Broken(error) => FromStream::Failed(error),
    };
    (Some(last), false)
}
