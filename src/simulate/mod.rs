//! The simulated daemon: `simulate` serves it to users, the tests drive it and its faults.
//!
//! It speaks the daemon's protocol over a real socket, with state, but has no model behind it: what
//! a turn does is a script, taken from a [`Scenario`] or a recording ([`Replay`]). It never touches
//! the workspace. It knows nothing of the rest of the program but the vocabulary.
//!
//! A test that needs events of its own writes them down as a recording and hands them to
//! [`Replay::parse`]: payloads come out byte for byte.
//!
//! Where to find what: `daemon` is the owner's handle, `place` the socket file, `server` and `http`
//! the connections, `routes` and `endpoints` the requests, `answer` and `stream` what goes back.
//! `core` holds the sessions, `session` one of them with its `questions` and `files`, `record` what
//! outlives it. `script` says what a turn is made of, `scenario` (with `scenario_lines`) and `replay`
//! where it comes from, `player` plays it. `faults` is
//! misbehaviour on demand.

mod answer;
mod clock;
mod core;
mod daemon;
mod endpoints;
mod faults;
mod files;
mod http;
mod json;
mod members;
mod place;
mod player;
mod questions;
mod record;
mod replay;
mod routes;
mod scenario;
mod scenario_lines;
mod script;
mod server;
mod session;
mod stream;

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub use daemon::Daemon;
pub use faults::{Act, Fault, PathIs};
pub use replay::Replay;
pub use scenario::{Scenario, scenario, scenarios};

use scenario::Door;
use script::Step;

/// How a simulated daemon behaves.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where to listen. A path that exists is refused, never removed. Without one: a fresh private
    /// directory.
    pub socket: Option<PathBuf>,
    /// What turns play.
    pub source: Source,
    /// How fast they play it.
    pub speed: Speed,
    /// After this time a question is denied. A scenario about deadlines may set a shorter one.
    pub approval_timeout: Duration,
    /// How many events a session holds.
    pub retention: usize,
    /// How many sessions may be open.
    pub max_sessions: usize,
    /// Misbehaviour on demand.
    pub faults: Vec<Fault>,
    /// Whether there is anything to resume and to rename.
    pub keep_records: bool,
    /// How long a question is shown before it can be answered: answers until then get the false 409
    /// of protocol section 7.
    pub early_answer_window: Duration,
    /// How often an open stream says `: ping`.
    pub ping_interval: Duration,
    /// How long a connection may take for a request head.
    pub header_deadline: Duration,
    /// How many events may wait for a reader, beyond the socket's buffer, before it is let go.
    pub reader_queue: usize,
    /// The number of a session's first event. The real daemon starts with 1; a test of large
    /// numbers need not.
    pub first_number: u64,
    /// Whether [`Daemon::requests`] has anything to tell. A daemon that serves for days need not
    /// keep every prompt.
    pub remember_requests: bool,
    /// What `GET /version` answers.
    pub version: String,
    /// Whether a request that nobody expected is a failure; see [`Daemon::expect`].
    pub strict: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            socket: None,
            source: Source::Scenario(Scenario::first()),
            speed: Speed::Times(1.0),
            approval_timeout: Duration::from_mins(2),
            retention: 10_000,
            max_sessions: 64,
            faults: Vec::new(),
            keep_records: true,
            early_answer_window: Duration::ZERO,
            ping_interval: Duration::from_secs(20),
            header_deadline: Duration::from_secs(10),
            reader_queue: 512,
            first_number: 1,
            remember_requests: true,
            version: "0.5.1-simulated".to_owned(),
            strict: false,
        }
    }
}

impl Options {
    /// The deadline of a question.
    fn answer_limit(&self) -> Duration {
        let scenario = self.source.scenario().and_then(|one| one.approval_timeout);
        scenario.map_or(self.approval_timeout, |limit| {
            limit.min(self.approval_timeout)
        })
    }

    fn early_answer_window(&self) -> Duration {
        let scenario = self
            .source
            .scenario()
            .and_then(|one| one.early_answer_window);
        scenario.unwrap_or_default().max(self.early_answer_window)
    }
}

/// Where turns come from.
#[derive(Debug, Clone)]
pub enum Source {
    /// Every turn plays the scenario.
    Scenario(&'static Scenario),
    /// The turns of each session play those of the recording, from the first on.
    Replay(Replay),
}

impl Source {
    fn scenario(&self) -> Option<&'static Scenario> {
        match self {
            Self::Scenario(scenario) => Some(scenario),
            Self::Replay(_) => None,
        }
    }

    /// The steps of a session's turn, counted from 0.
    fn turn(&self, number: usize) -> Arc<[Step]> {
        match self {
            Self::Scenario(scenario) => scenario.steps.as_slice().into(),
            Self::Replay(replay) => replay.turn(number),
        }
    }

    /// The turn that the first session holds already.
    fn history(&self) -> Option<Arc<[Step]>> {
        let name = self.scenario()?.history.as_deref()?;
        scenario(name).map(|history| history.steps.as_slice().into())
    }

    fn door(&self) -> Option<Door> {
        self.scenario()?.door
    }
}

/// How fast scripts play: their pauses are divided by it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Speed {
    /// Without pauses.
    Instant,
    /// So many times as fast as written or recorded.
    Times(f64),
}

impl Speed {
    fn applied_to(self, pause: Duration) -> Duration {
        match self {
            Self::Instant => Duration::ZERO,
            Self::Times(times) => {
                Duration::try_from_secs_f64(pause.as_secs_f64() / times).unwrap_or(Duration::MAX)
            }
        }
    }
}

impl FromStr for Speed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "instant" {
            return Ok(Self::Instant);
        }
        let times: Option<f64> = text.parse().ok();
        times
            .filter(|times| times.is_finite() && *times > 0.0)
            .map(Self::Times)
            .ok_or_else(|| "expected `instant` or a number above 0".to_owned())
    }
}

/// A request as the daemon saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Its method.
    pub method: String,
    /// Path and query, as sent.
    pub target: String,
    /// Its body, as far as it was read.
    pub body: Vec<u8>,
}

impl Seen {
    /// The path, without the query.
    #[must_use]
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }
}

/// Locks, also after a thread has panicked: the state is still good enough to stop with.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for a change, for so long at most.
fn wait<'a, T>(changed: &Condvar, guard: MutexGuard<'a, T>, limit: Duration) -> MutexGuard<'a, T> {
    let waited = changed.wait_timeout(guard, limit);
    waited.unwrap_or_else(PoisonError::into_inner).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_read() {
        assert_eq!("instant".parse(), Ok(Speed::Instant));
        assert_eq!("2.5".parse(), Ok(Speed::Times(2.5)));
        for text in ["", "0", "-1", "inf", "NaN", "fast"] {
            assert!(text.parse::<Speed>().is_err(), "{text}");
        }
    }

    #[test]
    fn pauses_are_divided_by_the_speed() {
        let second = Duration::from_secs(1);
        assert_eq!(Speed::Instant.applied_to(second), Duration::ZERO);
        assert_eq!(Speed::Times(4.0).applied_to(second), second / 4);
        assert_eq!(Speed::Times(1e-300).applied_to(second), Duration::MAX);
    }
}
