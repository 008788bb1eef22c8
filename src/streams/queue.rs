//! Output that never holds the main thread up.
//!
//! A pipe that nobody empties may block a write for ever, and the main thread has signals,
//! deadlines and the daemon to attend to. So bytes go into a queue and a thread of its own writes
//! them. Only what certainly will not block is written at once: a few bytes, into a pipe that says
//! it takes them, with nothing queued before. That is the live case, and saves it a thread switch.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::watch;

/// POSIX: a pipe that polls as writable takes this many bytes without blocking.
const PIPE_BUF: usize = 4096;

/// Where the bytes of one stream go.
pub(super) struct Target {
    write: Box<dyn Write + Send>,
    /// A second handle, if the stream is a pipe that may be written to at once.
    direct: Option<File>,
}

impl Target {
    /// A stream of this process.
    pub(super) fn file(file: OwnedFd) -> Self {
        let direct = watch::can_be_left(&file)
            .then(|| file.try_clone().ok())
            .flatten();
        Self {
            write: Box::new(Patient(File::from(file))),
            direct: direct.map(File::from),
        }
    }

    /// Any other writer.
    pub(super) fn other(write: Box<dyn Write + Send>) -> Self {
        Self {
            write,
            direct: None,
        }
    }
}

/// A file that may have been made non-blocking by another process that shares it.
struct Patient(File);

impl Write for Patient {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.0.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    watch::wait_until_writable(&self.0);
                }
                other => return other,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The bytes on their way to one or two targets, in order.
#[derive(Clone)]
pub struct Queue(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    direct: Vec<Option<File>>,
}

struct State {
    pending: VecDeque<(usize, Vec<u8>)>,
    /// A block has left the queue and is being written.
    writing: bool,
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
}

impl Queue {
    pub(super) fn new(mut targets: Vec<Target>) -> Self {
        let direct = targets
            .iter_mut()
            .map(|target| target.direct.take())
            .collect();
        Self(Arc::new(Shared {
            state: Mutex::new(State {
                pending: VecDeque::new(),
                writing: false,
                failed: targets.iter().map(|_| None).collect(),
                told: targets.iter().map(|_| false).collect(),
                targets: Some(targets),
                pushed: 0,
                waker: None,
                wake_when_empty: false,
            }),
            changed: Condvar::new(),
            direct,
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

    fn push(&self, target: usize, bytes: Vec<u8>) -> io::Result<()> {
        let mut state = self.lock();
        if let Some(kind) = state.failed[target] {
            return Err(kind.into());
        }
        state.pushed += bytes.len() as u64;
        if state.pending.is_empty() && !state.writing && bytes.len() <= PIPE_BUF {
            match self.write_at_once(target, &bytes) {
                Some(Ok(())) => return Ok(()),
                Some(Err(error)) => {
                    state.failed[target] = Some(error.kind());
                    // Whoever is about to wait looks again first.
                    state.wake();
                    return Err(error);
                }
                None => {}
            }
        }
        state.pending.push_back((target, bytes));
        if let Some(targets) = state.targets.take() {
            let queue = self.clone();
            thread::spawn(move || queue.write_all(targets));
        }
        drop(state);
        self.0.changed.notify_all();
        Ok(())
    }

    /// Writes a small block if that cannot block; `None` if it might.
    fn write_at_once(&self, target: usize, bytes: &[u8]) -> Option<io::Result<()>> {
        let mut file = self.0.direct[target].as_ref()?;
        if !watch::takes_bytes(file) {
            return None;
        }
        match file.write_all(bytes) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => None,
            result => Some(result),
        }
    }

    /// The writing thread. It ends with the process.
    fn write_all(&self, mut targets: Vec<Target>) {
        let mut state = self.lock();
        loop {
            let Some((target, bytes)) = state.pending.pop_front() else {
                if std::mem::take(&mut state.wake_when_empty) {
                    state.wake();
                }
                state = self
                    .0
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            if state.failed[target].is_some() {
                continue;
            }
            state.writing = true;
            drop(state);
            let write = &mut targets[target].write;
            let result = write.write_all(&bytes).and_then(|()| write.flush());
            state = self.lock();
            state.writing = false;
            if let Err(error) = result {
                state.failed[target] = Some(error.kind());
                state.wake();
            }
            self.0.changed.notify_all();
        }
    }
}

impl State {
    fn is_empty(&self) -> bool {
        self.pending.is_empty() && !self.writing
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
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= 64 * 1024 {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        self.queue
            .push(self.target, std::mem::take(&mut self.buffer))
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        // Whoever wants to know of a failure flushes before.
        let _ = self.flush();
    }
}
