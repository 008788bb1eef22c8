//! The streams that the main thread reads itself, and how it waits for them and for its inbox at once.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::inbox::Input;
use super::reader::Source;

/// By which another thread wakes the main thread while that waits for sockets.
pub(super) struct Bell {
    ring: UnixStream,
    heard: UnixStream,
}

impl Bell {
    pub(super) fn new() -> io::Result<Self> {
        let (ring, heard) = UnixStream::pair()?;
        ring.set_nonblocking(true)?;
        heard.set_nonblocking(true)?;
        Ok(Self { ring, heard })
    }

    /// Ends the wait, or the next one.
    pub(super) fn ring(&self) {
        // If it takes no more, it was rung often enough.
        let _ = (&self.ring).write(&[0]);
    }

    fn hush(&self) {
        let _ = (&self.heard).read(&mut [0; 16]);
    }
}

/// See the module.
#[derive(Default)]
pub(super) struct Sources {
    list: Vec<Held>,
}

struct Held {
    source: Source,
    /// There is something to be read.
    is_ready: bool,
}

impl Sources {
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn add(&mut self, source: Source) {
        // What came while it was on its way is found by the next wait.
        self.list.push(Held {
            source,
            is_ready: false,
        });
    }

    /// Gives all to the threads that opened them.
    pub(super) fn lend(&mut self) {
        self.list.drain(..).for_each(|held| held.source.lend());
    }

    /// What the next of those that are ready brings, each in its turn.
    pub(super) fn read(&mut self) -> Option<Input> {
        while let Some(at) = self.list.iter().position(|held| held.is_ready) {
            let held = &mut self.list[at];
            held.is_ready = false;
            let (input, goes_on) = held.source.read();
            if !goes_on {
                self.list.remove(at);
            }
            if input.is_some() {
                return input;
            }
        }
        None
    }

    /// Waits until one of them is ready, the bell rings, or it is time.
    pub(super) fn wait(&mut self, bell: &Bell, until: Option<Instant>) {
        let now = Instant::now();
        self.list.retain(|held| held.source.is_wanted());
        let dues = self.list.iter().map(|held| held.source.due(now));
        let until = dues.chain(until).min();
        let left = until.map(|due| due.saturating_duration_since(now));
        let timeout: Option<Timespec> = left.and_then(|left| left.try_into().ok());
        let mut files = Vec::with_capacity(1 + self.list.len());
        files.push(PollFd::new(&bell.heard, PollFlags::IN));
        let sockets = self.list.iter();
        files.extend(sockets.map(|held| PollFd::new(&held.source, PollFlags::IN)));
        // An interrupted wait only means that what there is to do is looked for earlier.
        let _ = poll(&mut files, timeout.as_ref());
        if !files[0].revents().is_empty() {
            bell.hush();
        }
        let polled = files[1..].iter().map(|file| !file.revents().is_empty());
        let ready: Vec<bool> = polled.collect();
        for (held, polled) in self.list.iter_mut().zip(ready) {
            held.is_ready = polled || held.source.due(now) <= now;
        }
    }
}
