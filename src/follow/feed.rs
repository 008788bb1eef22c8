//! One session's events in order, none twice, none missing, over as many connections as it takes.
//!
//! The rules are those of the contract's section 5. An orderly end means only that the daemon
//! stopped sending; a lost connection is taken up again from the last event seen; a hole that
//! cannot be filled ends the feed.

mod trouble;

use std::ops::ControlFlow;
use std::time::Instant;

use super::Observer;
use super::inbox::{Inbox, Pending};
use super::limits::Limits;
use super::losses::{self, FeedEnd, Outage};
use super::reader::{self, FromStream, Reader};
use crate::client::{Batch, Client, Received};
use crate::protocol::{ErrorCode, Event, Session, SessionState};

/// Why the session is being asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    Ended,
    Quiet,
    Expired,
}

enum State {
    Opening,
    Open,
    Pausing(Instant),
    Asking(Pending<Received<Session>>, Why),
}

/// See the module.
#[expect(
    clippy::struct_excessive_bools,
    reason = "four independent facts, not a state machine in disguise"
)]
pub struct Feed {
    client: Client,
    session_id: String,
    limits: Limits,
    state: State,
    connection: u64,
    reader: Reader,
    /// The number of the next event.
    next: u64,
    /// Nothing was read yet, and the start is wherever the daemon's memory starts.
    oldest: bool,
    /// An end is awaited: silence on an idle session means that none will come.
    awaits_end: bool,
    /// Whether the daemon is known to answer, so that a refused connection is a loss to be got over.
    answers: bool,
    /// The last stream ended in an orderly way, and nothing was read and nothing failed since.
    ended: bool,
    /// The last event that the daemon has spoken of.
    known: u64,
    /// The connection brought an event.
    progressed: bool,
    outage: Option<Outage>,
    /// A hole before this event has made us reconnect once.
    hole_at: Option<u64>,
    quiet_since: Instant,
    reconnects: u64,
}

impl Feed {
    /// A feed of the session's events from `from` on; opens nothing yet.
    #[must_use]
    pub fn new(client: Client, session_id: &str, from: u64, limits: Limits) -> Self {
        Self {
            client,
            session_id: session_id.to_owned(),
            limits,
            state: State::Opening,
            connection: 0,
            reader: Reader::default(),
            next: from.max(1),
            oldest: false,
            awaits_end: false,
            answers: false,
            ended: false,
            known: 0,
            progressed: false,
            outage: None,
            hole_at: None,
            quiet_since: Instant::now(),
            reconnects: 0,
        }
    }

    /// Starts wherever the daemon's memory starts, should `from` no longer be held.
    #[must_use]
    pub fn from_oldest(mut self) -> Self {
        self.oldest = true;
        self
    }

    /// Whether from now on an end is awaited: then the feed ends when the session turns out to be idle
    /// with everything read.
    pub fn set_awaiting(&mut self, awaits_end: bool) {
        self.awaits_end = awaits_end;
    }

    /// The daemon has answered about this session before: a first connection that fails is tried
    /// again like any later one.
    #[must_use]
    pub fn of_a_known_session(mut self) -> Self {
        self.answers = true;
        self
    }

    /// The daemon has said that the session has events up to this one: until they are read, the
    /// session's end is a loss.
    pub fn heard_of(&mut self, last_seq: u64) {
        self.known = self.known.max(last_seq);
    }

    /// The session is gone: closed, if nothing says otherwise.
    fn gone(&self) -> FeedEnd {
        FeedEnd::Gone {
            orderly: self.ended && self.known < self.next,
        }
    }

    /// The number of the next event.
    #[must_use]
    pub fn next_seq(&self) -> u64 {
        self.next
    }

    /// Times the stream was lost and opened again.
    #[must_use]
    pub fn reconnects(&self) -> u64 {
        self.reconnects
    }

    /// Whether the stream is open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.state, State::Open)
    }

    /// Whether a message of the connection with this number is this feed's, and not that of a
    /// connection given up before.
    #[must_use]
    pub fn is(&self, connection: u64) -> bool {
        self.connection == connection
    }

    /// Opens the stream, on a thread of its own.
    pub fn open(&mut self, inbox: &mut Inbox) {
        self.connect(false, inbox);
    }

    /// If it `asks`, the session is asked for first.
    fn connect(&mut self, asks: bool, inbox: &mut Inbox) {
        self.connection = inbox.number();
        self.state = State::Opening;
        self.progressed = false;
        self.reader = reader::start(
            self.client.clone(),
            self.session_id.clone(),
            (self.next, asks),
            self.connection,
            inbox.waker(),
        );
    }

    /// When [`Feed::tick`] has something to do.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        let own = match &self.state {
            State::Pausing(until) => Some(*until),
            State::Open if self.awaits_end => Some(self.quiet_since + self.limits.quiet),
            _ => None,
        };
        own.into_iter().chain(self.outage_deadline()).min()
    }

    /// When the outage has lasted for too long. A stream that is open again, if only silent so far,
    /// is no longer lost; should it end without a sign of life, the outage goes on.
    fn outage_deadline(&self) -> Option<Instant> {
        let is_there = matches!(self.state, State::Open | State::Asking(_, Why::Quiet));
        let outage = self.outage.as_ref().filter(|_| !is_there)?;
        Some(outage.since + self.limits.reconnect)
    }

    /// Takes a message of the current connection; each event goes to `each`, which may stop.
    ///
    /// # Errors
    /// [`FeedEnd`] when no further event will come.
    pub fn take(
        &mut self,
        message: FromStream,
        inbox: &mut Inbox,
        observer: &mut dyn Observer,
        mut each: impl FnMut(&Event<'_>, &mut dyn Observer) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, FeedEnd> {
        match message {
            FromStream::Session(session) => self.heard_of(session.last_seq),
            FromStream::Opened(session) => {
                if let Some(session) = session {
                    self.heard_of(session.last_seq);
                }
                self.state = State::Open;
                self.answers = true;
                self.outage.take_if(|outage| !outage.told);
                self.quiet_since = Instant::now();
            }
            FromStream::Batch(batch) => return self.batch(&batch, inbox, observer, &mut each),
            FromStream::Ended => {
                self.ended = true;
                if self.progressed {
                    // It is opened again at once: asking and opening are one piece of work for one thread.
                    self.lost("the daemon ended it", inbox, observer)?;
                } else {
                    self.ask(Why::Ended, inbox);
                }
            }
            FromStream::Lost(how) => {
                self.ended = false;
                self.lost(&how, inbox, observer)?;
            }
            FromStream::Failed(error) => self.refused(error, inbox, observer)?,
        }
        Ok(ControlFlow::Continue(()))
    }

    fn batch(
        &mut self,
        batch: &Batch,
        inbox: &mut Inbox,
        observer: &mut dyn Observer,
        each: &mut impl FnMut(&Event<'_>, &mut dyn Observer) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, FeedEnd> {
        if let Some(outage) = self.outage.take().filter(|outage| outage.told) {
            let after = outage.since.elapsed().as_secs_f64();
            observer.notice(
                "reconnected",
                &format!("the stream is back after {after:.1} s"),
            );
        }
        if !batch.is_empty() {
            self.quiet_since = Instant::now();
        }
        for line in batch.lines() {
            let event = Event::parse_line(line)
                .map_err(|error| FeedEnd::Failed(losses::no_event(self.next - 1, &error)))?;
            if event.seq < self.next {
                continue;
            }
            if event.seq > self.next {
                return self.hole(event.seq, inbox).map(ControlFlow::Continue);
            }
            self.accept();
            if each(&event, observer).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn accept(&mut self) {
        self.next = self.next.saturating_add(1);
        self.progressed = true;
        self.oldest = false;
        self.ended = false;
        self.hole_at = None;
    }

    /// Whether this answer is to a question of ours.
    #[must_use]
    pub fn asked(&self, number: u64) -> bool {
        matches!(&self.state, State::Asking(pending, _) if pending.is(number))
    }

    /// Takes the answer that [`Feed::asked`] is about.
    ///
    /// # Errors
    /// As [`Feed::take`].
    pub fn answered(
        &mut self,
        inbox: &mut Inbox,
        observer: &mut dyn Observer,
    ) -> Result<(), FeedEnd> {
        let State::Asking(pending, why) = std::mem::replace(&mut self.state, State::Open) else {
            return Ok(());
        };
        match (pending.take(), why) {
            (Err(error), _) if error.is_refusal(&ErrorCode::SessionNotFound) => Err(self.gone()),
            (Ok(session), Why::Quiet) => self.quiet(&session.value),
            (Err(_), Why::Quiet) => {
                self.quiet_since = Instant::now();
                Ok(())
            }
            (Ok(session), Why::Expired) => self.expired(&session.value, inbox, observer),
            (Ok(session), Why::Ended) => {
                self.heard_of(session.value.last_seq);
                self.lost("the daemon ended it", inbox, observer)
            }
            (Err(error), _) => {
                // A daemon that was away may have been restarted: that closes no session.
                self.ended = false;
                self.lost(&error.to_string(), inbox, observer)
            }
        }
    }

    /// Does what is due.
    ///
    /// # Errors
    /// As [`Feed::take`].
    pub fn tick(&mut self, now: Instant, inbox: &mut Inbox) -> Result<(), FeedEnd> {
        if self.outage_deadline().is_some_and(|due| now >= due) {
            return Err(FeedEnd::Failed(losses::not_regained(
                self.next - 1,
                self.limits.reconnect,
            )));
        }
        match self.state {
            State::Pausing(until) if now >= until => self.open(inbox),
            State::Open if self.awaits_end && now >= self.quiet_since + self.limits.quiet => {
                self.ask(Why::Quiet, inbox);
            }
            _ => {}
        }
        Ok(())
    }

    fn ask(&mut self, why: Why, inbox: &mut Inbox) {
        let (client, id) = (self.client.clone(), self.session_id.clone());
        self.state = State::Asking(inbox.call(move || client.session(&id)), why);
    }

    fn quiet(&mut self, session: &Session) -> Result<(), FeedEnd> {
        self.quiet_since = Instant::now();
        if session.state == SessionState::Idle && session.last_seq < self.next {
            return Err(FeedEnd::NothingToCome);
        }
        Ok(())
    }
}
