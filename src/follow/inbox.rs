//! The one place where the main thread waits.
//!
//! Sockets are read, requests made and stdout written by threads of their own; all they have to
//! say arrives here, and so do signals. A deadline is the wait's timeout. So nothing ever has to
//! be interrupted.

use std::sync::mpsc::{self, Receiver, SyncSender, TryRecvError};
use std::thread;
use std::time::Instant;

use super::reader::FromStream;
use crate::error::{Error, Kind, Result};

/// Whatever may happen while the program waits.
pub enum Input {
    /// From the connection with this number.
    Stream(u64, FromStream),
    /// The request with this number was answered; its [`Pending`] has the answer.
    Answered(u64),
    /// A signal, by its number.
    Signal(i32),
    /// The output changed: all written, failed, or its reader left.
    Output,
    /// A line that a program which answers questions wrote to its stderr.
    Said(String),
    /// A line typed at the terminal; `None` at its end.
    Typed(Option<String>),
}

/// How many inputs may queue up before the reading thread waits for the main thread.
const CAPACITY: usize = 64;

/// The inbox, and the source of numbers for what reports to it.
pub struct Inbox {
    sender: SyncSender<Input>,
    receiver: Receiver<Input>,
    last_number: u64,
    signal: Option<i32>,
}

impl Default for Inbox {
    fn default() -> Self {
        let (sender, receiver) = mpsc::sync_channel(CAPACITY);
        Self {
            sender,
            receiver,
            last_number: 0,
            signal: None,
        }
    }
}

/// Lets another thread report to the inbox.
#[derive(Clone)]
pub struct Waker(SyncSender<Input>);

impl Waker {
    /// Delivers; waits for room if the inbox is full.
    pub fn send(&self, input: Input) {
        // The inbox is gone only when the program ends.
        let _ = self.0.send(input);
    }

    /// Delivers unless the inbox is full, in which case the main thread is awake anyway.
    pub fn nudge(&self) {
        let _ = self.0.try_send(Input::Output);
    }
}

/// The answer to a request that runs on a thread of its own.
pub struct Pending<T> {
    number: u64,
    answer: Receiver<Result<T>>,
}

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
        self.answer.try_recv().unwrap_or_else(|_| {
            Err(Error::new(
                Kind::Failure,
                "a request ended without an answer",
            ))
        })
    }
}

impl Inbox {
    /// A handle for other threads.
    #[must_use]
    pub fn waker(&self) -> Waker {
        Waker(self.sender.clone())
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
        let number = self.number();
        let (reply, answer) = mpsc::sync_channel(1);
        let waker = self.waker();
        thread::spawn(move || {
            let _ = reply.send(request());
            waker.send(Input::Answered(number));
        });
        Pending { number, answer }
    }

    /// The next input, or `None` at the deadline. `idle` is called once before it has to wait.
    pub fn next(&mut self, deadline: Option<Instant>, idle: impl FnOnce()) -> Option<Input> {
        let input = match self.receiver.try_recv() {
            Ok(input) => Some(input),
            Err(TryRecvError::Disconnected) => None,
            Err(TryRecvError::Empty) => {
                idle();
                self.wait(deadline)
            }
        };
        if let Some(Input::Signal(number)) = input {
            self.signal = Some(number);
        }
        input
    }

    fn wait(&self, deadline: Option<Instant>) -> Option<Input> {
        let Some(deadline) = deadline else {
            return self.receiver.recv().ok();
        };
        let left = deadline.saturating_duration_since(Instant::now());
        self.receiver.recv_timeout(left).ok()
    }

    /// The signal that has arrived, if one has.
    #[must_use]
    pub fn signal(&self) -> Option<i32> {
        self.signal
    }

    /// Waits for one answer and for nothing else.
    pub fn wait_for<T>(&mut self, pending: &Pending<T>, deadline: Option<Instant>) -> Waited {
        loop {
            match self.next(deadline, || ()) {
                Some(Input::Answered(number)) if pending.is(number) => return Waited::Answered,
                Some(Input::Signal(signal)) => return Waited::Signal(signal),
                Some(_) => {}
                None => return Waited::Deadline,
            }
        }
    }

    /// Waits for one answer and takes it.
    ///
    /// # Errors
    /// The request's own error; [`Kind::Signal`] at the first signal; [`Kind::Timeout`] at the
    /// deadline, naming `what` was waited for.
    pub fn answer<T>(
        &mut self,
        pending: Pending<T>,
        deadline: Option<Instant>,
        what: &str,
    ) -> Result<T> {
        match self.wait_for(&pending, deadline) {
            Waited::Answered => pending.take(),
            Waited::Signal(signal) => Err(Error::new(
                Kind::Signal(signal),
                format!("stopped by a signal while waiting for {what}"),
            )),
            Waited::Deadline => Err(Error::new(
                Kind::Timeout,
                format!("timed out while waiting for {what}"),
            )),
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
    /// The deadline came first.
    Deadline,
}
