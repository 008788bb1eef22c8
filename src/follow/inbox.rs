//! The one place where the main thread waits.
//!
//! Requests are made and a stdout that stalls is written by threads of their own; all they have to
//! say arrives here, and so do signals. A deadline is the wait's timeout. So nothing ever has to
//! be interrupted. Streams that are open are waited for at the same time, and read here, unless the
//! outputs are behind: then threads read them, too.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::mailbox::{Mailbox, Want};
use super::reader::{FromStream, Source};
use super::sources::Sources;
use crate::error::{Error, Kind, Result};
use crate::threads;

/// Whatever may happen while the program waits.
pub enum Input {
    /// From the connection with this number.
    Stream(u64, FromStream),
    /// A stream to be read by the inbox itself, and by nobody else seen.
    Source(Source),
    /// The request with this number was answered; its [`Pending`] has the answer.
    Answered(u64),
    /// A signal, by its number.
    Signal(i32),
    /// The output changed: all written, failed, or its reader left.
    Output,
    /// A line that a program which answers questions wrote to its stderr.
    Said(String),
    /// A line about what another thread does; shown by [`Inbox::on_note`], and by nobody else seen.
    Note(String),
    /// A line typed at the terminal; `None` at its end.
    Typed(Option<String>),
}

/// How far what is written is behind what was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Backlog {
    /// Hardly.
    Low,
    /// So far that the reader of the output is the slower one: it is given a moment.
    High,
    /// So far that nothing more can be taken: the daemon has to wait, and to repeat what it drops.
    Full,
}

/// How long a reader that is slower than the daemon is waited for, before everything is read that the daemon sends and
/// queued for it. Waiting keeps the queue short; the daemon gives up a client that is some 500 events behind.
const PATIENCE: Duration = Duration::from_millis(100);

/// Shows a line about what another thread does.
type ShowNote = Box<dyn Fn(&str)>;

/// The inbox, and the source of numbers for what reports to it.
#[derive(Default)]
pub struct Inbox {
    mailbox: Arc<Mailbox>,
    /// The streams that are read here while there is nothing else to do.
    sources: Sources,
    /// A thread has brought the last input while others are to be read here: it is their turn.
    is_their_turn: bool,
    last_number: u64,
    signal: Option<i32>,
    /// What is asked before more of a stream is taken.
    outputs: Vec<Box<dyn Fn() -> Backlog>>,
    /// When the moment is over that a slow reader is given.
    patient_until: Option<Instant>,
    on_note: Option<ShowNote>,
}

impl Drop for Inbox {
    fn drop(&mut self) {
        self.mailbox.close();
    }
}

/// Lets another thread report to the inbox.
#[derive(Clone)]
pub struct Waker(Arc<Mailbox>);

impl Waker {
    /// Delivers; waits for room if the inbox is full.
    pub fn send(&self, input: Input) {
        self.0.push(input);
    }

    /// Delivers what a stream brought. Says whether the main thread has the time to read the stream itself.
    pub(super) fn bring(&self, input: Input) -> bool {
        self.0.push(input)
    }

    /// Delivers what is to be said of a stream, from the main thread itself; never waits.
    pub(super) fn send_own(&self, input: Input) {
        self.0.push_own(input);
    }

    /// Says that the output has changed; never waits.
    pub fn nudge(&self) {
        self.0.push(Input::Output);
    }

    /// Waits a moment for what was sent before to be dealt with.
    pub(super) fn pause(&self) {
        self.0.wait_for_rest(PATIENCE);
    }
}

/// The answer to a request that runs on a thread of its own.
pub struct Pending<T> {
    number: u64,
    answer: Slot<T>,
}

/// Where a request leaves its answer. A channel is a page of code for each type of answer.
type Slot<T> = Arc<Mutex<Option<Result<T>>>>;

impl<T> Pending<T> {
    /// Whether [`Input::Answered`] with this number is about this request.
    #[must_use]
    pub fn is(&self, number: u64) -> bool {
        self.number == number
    }

    /// The answer, once it is announced.
    ///
    /// # Errors
    /// The request's own error; or [`Kind::Failure`] if its thread died.
    pub fn take(self) -> Result<T> {
        let mut slot = self.answer.lock().unwrap_or_else(PoisonError::into_inner);
        slot.take().unwrap_or_else(unanswered)
    }
}

fn unanswered<T>() -> Result<T> {
    Err(Error::new(
        Kind::Failure,
        "a request ended without an answer",
    ))
}

impl Inbox {
    /// A handle for other threads.
    #[must_use]
    pub fn waker(&self) -> Waker {
        Waker(Arc::clone(&self.mailbox))
    }

    /// A number nobody else has.
    pub fn number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    /// Runs a request on a thread of its own.
    pub fn call<T, F>(&mut self, request: F) -> Pending<T>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T> + Send + 'static,
    {
        let answer = Slot::default();
        let slot = Arc::clone(&answer);
        let number = self.start(Box::new(move || {
            let answer = request();
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
        }));
        Pending { number, answer }
    }

    /// Does the work on a thread of its own, and announces its end under the number.
    fn start(&mut self, work: Box<dyn FnOnce() + Send>) -> u64 {
        let number = self.number();
        let waker = self.waker();
        threads::spawn_or_run(Box::new(move || {
            work();
            waker.send(Input::Answered(number));
        }));
        number
    }

    /// Adds an output that may fall behind. Whoever writes it nudges the inbox when it is not behind any more.
    pub fn mind(&mut self, output: impl Fn() -> Backlog + 'static) {
        self.outputs.push(Box::new(output));
    }

    /// The next input, or `None` at the deadline. `idle` is called once before it has to wait.
    ///
    /// Nothing of a stream is taken while the outputs are too far behind; everything else is.
    pub fn next(&mut self, deadline: Option<Instant>, idle: impl FnOnce()) -> Option<Input> {
        let mut idle = Some(idle);
        loop {
            let mut input = self.ready();
            if input.is_none() {
                if let Some(idle) = idle.take() {
                    idle();
                }
                input = self.wait(deadline);
            }
            match input {
                Some(Input::Note(note)) => {
                    if let Some(show) = &self.on_note {
                        show(&note);
                    }
                }
                Some(Input::Source(source)) => self.sources.add(source),
                Some(Input::Signal(number)) => {
                    self.signal = Some(number);
                    return input;
                }
                _ => return input,
            }
        }
    }

    /// Says how [`Input::Note`] is shown; without it notes are dropped.
    pub fn on_note(&mut self, show: impl Fn(&str) + 'static) {
        self.on_note = Some(Box::new(show));
    }

    /// What is there already.
    fn ready(&mut self) -> Option<Input> {
        let (want, _) = self.wanted();
        if std::mem::take(&mut self.is_their_turn)
            && want == Want::Sources
            && let Some(input) = self.look()
        {
            return Some(input);
        }
        let input = self.mailbox.try_pop(want);
        if input.is_some() || want < Want::Sources {
            self.is_their_turn =
                matches!(input, Some(Input::Stream(..))) && !self.sources.is_empty();
            return input;
        }
        self.sources.read()
    }

    /// What can be read here without waiting: a thread that always has something to say must not keep it from being
    /// read.
    fn look(&mut self) -> Option<Input> {
        let input = self.sources.read();
        if input.is_some() {
            return input;
        }
        self.sources
            .wait(self.mailbox.bell()?, Some(Instant::now()));
        self.sources.read()
    }

    fn wait(&mut self, deadline: Option<Instant>) -> Option<Input> {
        loop {
            let (want, held) = self.wanted();
            let until = held.into_iter().chain(deadline).min();
            let input = if want < Want::Sources || self.sources.is_empty() {
                // The outputs are behind: threads empty the sockets, whatever is taken here and whenever.
                self.sources.lend();
                self.mailbox.pop(want, until)
            } else {
                self.wait_for_sources(until)
            };
            if input.is_some() || deadline.is_some_and(|due| Instant::now() >= due) {
                return input;
            }
        }
    }

    fn wait_for_sources(&mut self, until: Option<Instant>) -> Option<Input> {
        let Some(bell) = self.mailbox.bell() else {
            self.sources.lend();
            return None;
        };
        if let Some(input) = self.mailbox.pop_or_ring(Want::Sources) {
            return Some(input);
        }
        self.sources.wait(bell, until);
        self.ready()
    }

    /// What is taken now, and until when that holds, as far as the outputs have a say.
    fn wanted(&mut self) -> (Want, Option<Instant>) {
        let backlog = self.outputs.iter().map(|output| output()).max();
        match backlog.unwrap_or(Backlog::Low) {
            Backlog::Low => {
                self.patient_until = None;
                (Want::Sources, None)
            }
            Backlog::High => {
                let now = Instant::now();
                let until = *self.patient_until.get_or_insert(now + PATIENCE);
                if now < until {
                    (Want::Urgent, Some(until))
                } else {
                    (Want::Batches, None)
                }
            }
            Backlog::Full => (Want::Urgent, Some(Instant::now() + PATIENCE)),
        }
    }

    /// The signal that has arrived, if one has.
    #[must_use]
    pub fn signal(&self) -> Option<i32> {
        self.signal
    }

    /// Waits for one answer; what else arrives is dropped, unless [`Waited`] can say it.
    pub fn wait_for<T>(&mut self, pending: &Pending<T>, deadline: Option<Instant>) -> Waited {
        loop {
            match self.next(deadline, || ()) {
                Some(Input::Answered(number)) if pending.is(number) => return Waited::Answered,
                Some(Input::Signal(signal)) => return Waited::Signal(signal),
                Some(Input::Output) => return Waited::Output,
                Some(_) => {}
                None => return Waited::Deadline,
            }
        }
    }
}

/// How a wait for an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waited {
    /// The answer is there.
    Answered,
    /// A signal came first, by its number.
    Signal(i32),
    /// The output changed; the answer may still come.
    Output,
    /// The deadline came first.
    Deadline,
}

#[cfg(test)]
#[path = "inbox_tests.rs"]
mod tests;
