//! Output that never holds the main thread up.
//!
//! A pipe that nobody empties may block a write for ever, and the main thread has signals,
//! deadlines and the daemon to attend to. So bytes go into a queue and a thread of its own writes
//! them. Only what certainly will not block is written at once, with nothing queued before: that is
//! the usual case, and saves it a thread switch. What is larger than a pipe waits a moment for a
//! reader that takes it, as copying and queueing it takes about as long.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::spool::{Backlog, Block, Limits};
use super::target::{Direct, Target};
use crate::threads;

/// A sink hands its bytes over when it has as many, if it is not flushed before.
const ENOUGH: usize = 64 * 1024;

/// With more than this waiting, the reader of the stream is the slower one.
const HIGH: u64 = 128 * 1024;

/// With no more than this waiting again, whoever held back goes on.
const LOW: u64 = 32 * 1024;

/// How far the output is behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Hardly.
    Low,
    /// So far that a reader which does read should be waited for.
    High,
    /// So far that nothing more should be added.
    Full,
}

/// The bytes on their way to one or two targets, in order.
#[derive(Clone)]
pub struct Queue(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    /// As [`State::waiting`], to be looked at without the lock.
    waiting: AtomicU64,
}

struct State {
    backlog: Backlog,
    /// Bytes that have left the backlog and are being written.
    writing: u64,
    direct: Vec<Option<Direct>>,
    /// The first failure of each target. After it, bytes for that target are dropped.
    failed: Vec<Option<io::ErrorKind>>,
    /// Whether that failure was asked for by whoever reports it.
    told: Vec<bool>,
    targets: Option<Vec<Target>>,
    /// Bytes that were handed over.
    pushed: u64,
    waker: Option<Box<dyn Fn() + Send>>,
    /// The waker is to be called when the queue is empty.
    wake_when_empty: bool,
    /// The waker is to be called when it is nearly so.
    wake_when_low: bool,
    /// The writing thread has nothing to do.
    resting: bool,
}

impl Queue {
    pub(super) fn new(targets: Vec<Target>) -> Self {
        Self::with_limits(targets, Limits::default())
    }

    /// The same with other bounds on what may wait.
    pub(super) fn with_limits(mut targets: Vec<Target>, limits: Limits) -> Self {
        let state = State {
            backlog: Backlog::new(limits),
            writing: 0,
            direct: targets
                .iter_mut()
                .map(|target| target.direct.take())
                .collect(),
            failed: targets.iter().map(|_| None).collect(),
            told: targets.iter().map(|_| false).collect(),
            targets: Some(targets),
            pushed: 0,
            waker: None,
            wake_when_empty: false,
            wake_when_low: false,
            resting: false,
        };
        Self(Arc::new(Shared {
            state: Mutex::new(state),
            changed: Condvar::new(),
            waiting: AtomicU64::new(0),
        }))
    }

    /// A queue of its own for a file that was opened for writing.
    #[must_use]
    pub fn to_file(file: File) -> Sink {
        Self::new(vec![Target::file(file.into())]).sink(0)
    }

    /// A handle that writes to one of the targets.
    pub(super) fn sink(&self, target: usize) -> Sink {
        Sink {
            queue: self.clone(),
            target,
            buffer: Vec::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the bytes over: writes what goes at once, and queues the rest. What was written as a whole is left behind,
    /// as a buffer to be used again.
    fn push(&self, target: usize, bytes: &mut Cow<'_, [u8]>) -> io::Result<()> {
        let mut state = self.lock();
        if let Some(kind) = state.failed[target] {
            return Err(kind.into());
        }
        state.pushed += bytes.len() as u64;
        let mut written = 0;
        if state.is_empty()
            && let Some(direct) = &mut state.direct[target]
        {
            match direct.write(bytes) {
                Ok(count) => written = count,
                Err(error) => {
                    state.failed[target] = Some(error.kind());
                    // Whoever is about to wait looks again first.
                    state.wake();
                    return Err(error);
                }
            }
        }
        if written == bytes.len() {
            return Ok(());
        }
        if let (0, Cow::Owned(bytes)) = (written, &mut *bytes) {
            let bytes = std::mem::take(bytes);
            state.backlog.push(Block { target, bytes });
        } else {
            // Piece by piece, so that what is written of a huge event is no longer in memory.
            for piece in bytes[written..].chunks(ENOUGH) {
                let bytes = piece.to_vec();
                state.backlog.push(Block { target, bytes });
            }
        }
        self.0.waiting.store(state.waiting(), Ordering::Relaxed);
        if let Some(targets) = state.targets.take() {
            let queue = self.clone();
            if !threads::spawn(move || queue.write_all(targets)) {
                let refused = Some(io::ErrorKind::Other);
                state.failed.iter_mut().for_each(|failed| *failed = refused);
                state.wake();
            }
        }
        if std::mem::take(&mut state.resting) {
            drop(state);
            self.0.changed.notify_all();
        }
        Ok(())
    }

    /// How far the output is behind. If it is, the waker is called once it is not.
    fn level(&self) -> Level {
        if self.0.waiting.load(Ordering::Relaxed) <= HIGH {
            return Level::Low;
        }
        let mut state = self.lock();
        let level = if state.backlog.is_full() {
            Level::Full
        } else if state.waiting() > HIGH {
            Level::High
        } else {
            Level::Low
        };
        state.wake_when_low = level > Level::Low;
        level
    }

    /// The writing thread. It ends with the process.
    fn write_all(&self, mut targets: Vec<Target>) {
        let mut state = self.lock();
        loop {
            let Block { target, bytes } = match state.backlog.pop() {
                Ok(Some(block)) => block,
                Ok(None) => {
                    if std::mem::take(&mut state.wake_when_empty) {
                        state.wake();
                    }
                    state.resting = true;
                    let woken = self.0.changed.wait(state);
                    state = woken.unwrap_or_else(PoisonError::into_inner);
                    continue;
                }
                Err((target, error)) => {
                    state.fail(target, &error);
                    continue;
                }
            };
            let result = if state.failed[target].is_some() {
                Ok(())
            } else {
                state.writing = bytes.len() as u64;
                drop(state);
                let write = &mut targets[target].write;
                let result = write.write_all(&bytes).and_then(|()| write.flush());
                state = self.lock();
                state.writing = 0;
                result
            };
            if let Err(error) = result {
                state.fail(target, &error);
            }
            self.written(&mut state);
        }
    }

    /// Tells whoever waits for that how much is left.
    fn written(&self, state: &mut State) {
        let waiting = state.waiting();
        self.0.waiting.store(waiting, Ordering::Relaxed);
        if waiting <= LOW && std::mem::take(&mut state.wake_when_low) {
            state.wake();
        }
        if waiting == 0 {
            self.0.changed.notify_all();
        }
    }
}

impl State {
    fn is_empty(&self) -> bool {
        self.backlog.is_empty() && self.writing == 0
    }

    /// Everything that is not written, in bytes.
    fn waiting(&self) -> u64 {
        self.backlog.waiting() + self.writing
    }

    fn fail(&mut self, target: usize, error: &io::Error) {
        self.failed[target].get_or_insert(error.kind());
        self.wake();
    }

    fn wake(&self) {
        if let Some(wake) = &self.waker {
            wake();
        }
    }
}

/// A writer into a [`Queue`]: buffers until flushed, never blocks.
pub struct Sink {
    queue: Queue,
    target: usize,
    buffer: Vec<u8>,
}

impl Clone for Sink {
    /// A second handle to the same stream, with nothing buffered.
    fn clone(&self) -> Self {
        self.queue.sink(self.target)
    }
}

impl Sink {
    /// Sets what is called, from another thread, when a write has failed or, after
    /// [`Sink::wake_when_empty`], when everything is written.
    pub fn on_change(&self, wake: impl Fn() + Send + 'static) {
        self.queue.lock().waker = Some(Box::new(wake));
    }

    /// Asks for one call of the waker when everything queued is written; says whether it is now.
    #[must_use]
    pub fn wake_when_empty(&self) -> bool {
        let mut state = self.queue.lock();
        state.wake_when_empty = !state.is_empty();
        !state.wake_when_empty
    }

    /// Waits for the queue to be written, at most this long; says whether it is.
    #[must_use]
    pub fn settle(&self, bound: std::time::Duration) -> bool {
        let state = self.queue.lock();
        let (state, _) = self
            .queue
            .0
            .changed
            .wait_timeout_while(state, bound, |state| !state.is_empty())
            .unwrap_or_else(PoisonError::into_inner);
        state.is_empty()
    }

    /// How far the stream is behind; if it is, the waker is called once it is not.
    #[must_use]
    pub fn level(&self) -> Level {
        self.queue.level()
    }

    /// Bytes flushed so far, written or not.
    #[must_use]
    pub fn pushed(&self) -> u64 {
        self.queue.lock().pushed
    }

    /// Whether everything queued is written. Bytes not flushed yet do not count.
    #[must_use]
    pub fn is_written(&self) -> bool {
        self.queue.lock().is_empty()
    }

    /// Why the stream no longer takes bytes, if it does not.
    #[must_use]
    pub fn failure(&self) -> Option<io::ErrorKind> {
        self.queue.lock().failed[self.target]
    }

    /// The same, but only to the first who asks, whatever the handle: that one reports it.
    #[must_use]
    pub fn untold_failure(&self) -> Option<io::ErrorKind> {
        let mut state = self.queue.lock();
        let kind = state.failed[self.target]?;
        (!std::mem::replace(&mut state.told[self.target], true)).then_some(kind)
    }

    /// Marks the stream as one whose reader left.
    pub fn close(&self) {
        let mut state = self.queue.lock();
        state.failed[self.target].get_or_insert(io::ErrorKind::BrokenPipe);
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.len() >= ENOUGH {
            // Not worth a copy, and it may be huge.
            self.flush()?;
            return self.queue.push(self.target, &mut Cow::Borrowed(bytes));
        }
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= ENOUGH {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let mut bytes = Cow::Owned(std::mem::take(&mut self.buffer));
        let result = self.queue.push(self.target, &mut bytes);
        if let Cow::Owned(mut buffer) = bytes {
            buffer.clear();
            self.buffer = buffer;
        }
        result
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        // Whoever wants to know of a failure flushes before.
        let _ = self.flush();
    }
}
