//! The daemon's shared state: sessions, records, connections and the requests seen.

use std::collections::{BTreeMap, HashMap};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use crate::protocol::ErrorCode;

use super::clock::{self, Ids};
use super::faults::{self, Act, Fault};
use super::player;
use super::record::Record;
use super::session::{Facts, Limits, Session};
use super::{Options, Seen};

/// What every thread of a daemon shares.
pub(super) struct Core {
    pub(super) options: Options,
    ids: Ids,
    /// By id, which sorts by creation.
    sessions: Mutex<BTreeMap<String, Arc<Session>>>,
    records: Mutex<HashMap<String, Arc<Record>>>,
    connections: Mutex<Connections>,
    seen: Mutex<Vec<Seen>>,
    faults: Mutex<Vec<Fault>>,
    stopping: Mutex<bool>,
    stopped: Condvar,
    threads: Mutex<usize>,
    thread_ended: Condvar,
}

#[derive(Default)]
struct Connections {
    next: usize,
    open: HashMap<usize, (UnixStream, bool)>,
}

/// What a create asks for, checked.
pub(super) struct Wanted {
    pub(super) workspace: String,
    pub(super) model: String,
    pub(super) sandbox_mode: String,
    pub(super) context_window: u64,
    pub(super) resume: Option<String>,
}

impl Core {
    pub(super) fn new(mut options: Options) -> Self {
        let faults = std::mem::take(&mut options.faults);
        Self {
            options,
            ids: Ids::default(),
            sessions: Mutex::default(),
            records: Mutex::default(),
            connections: Mutex::default(),
            seen: Mutex::default(),
            faults: Mutex::new(faults),
            stopping: Mutex::default(),
            stopped: Condvar::new(),
            threads: Mutex::default(),
            thread_ended: Condvar::new(),
        }
    }

    /// Runs something on a thread that `wait_for_threads` knows of.
    pub(super) fn spawn(self: &Arc<Self>, work: impl FnOnce(&Arc<Self>) + Send + 'static) {
        *super::lock(&self.threads) += 1;
        let core = Arc::clone(self);
        std::thread::spawn(move || {
            let _ended = Ended(&core);
            work(&core);
        });
    }

    /// Waits until no thread of the daemon runs, for so long at most.
    pub(super) fn wait_for_threads(&self, limit: Duration) {
        let deadline = Instant::now() + limit;
        let mut threads = super::lock(&self.threads);
        while *threads > 0 {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            threads = super::wait(&self.thread_ended, threads, left);
        }
    }

    /// Sleeps, unless the daemon stops meanwhile.
    pub(super) fn pause(&self, time: Duration) {
        let deadline = Instant::now() + time;
        let mut stopping = super::lock(&self.stopping);
        while !*stopping {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            stopping = super::wait(&self.stopped, stopping, left);
        }
    }

    pub(super) fn is_stopping(&self) -> bool {
        *super::lock(&self.stopping)
    }

    /// Ends everything but the socket: connections break first, so that no stream ends in order.
    pub(super) fn stop(&self) {
        *super::lock(&self.stopping) = true;
        self.stopped.notify_all();
        self.cut_connections(false);
        for session in std::mem::take(&mut *super::lock(&self.sessions)).values() {
            session.close();
        }
    }

    /// Notes an open connection; false if the daemon stops.
    pub(super) fn register(&self, stream: &UnixStream) -> Option<usize> {
        let copy = stream.try_clone().ok()?;
        let mut connections = super::lock(&self.connections);
        if self.is_stopping() {
            return None;
        }
        connections.next += 1;
        let number = connections.next;
        connections.open.insert(number, (copy, false));
        Some(number)
    }

    /// Notes that a connection carries a stream, or no longer does.
    pub(super) fn mark_stream(&self, number: usize, is_stream: bool) {
        if let Some(entry) = super::lock(&self.connections).open.get_mut(&number) {
            entry.1 = is_stream;
        }
    }

    pub(super) fn forget_connection(&self, number: usize) {
        super::lock(&self.connections).open.remove(&number);
    }

    /// Breaks connections, all of them or only streams.
    pub(super) fn cut_connections(&self, streams_only: bool) {
        for (stream, is_stream) in super::lock(&self.connections).open.values() {
            if *is_stream || !streams_only {
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
    }

    /// Notes a request and says what the rules make of it.
    pub(super) fn note_request(
        &self,
        method: &str,
        path: &str,
        target: String,
    ) -> (usize, Vec<Act>) {
        let mut seen = super::lock(&self.seen);
        let number = seen.len();
        if self.options.remember_requests {
            seen.push(Seen {
                method: method.to_owned(),
                target,
                body: Vec::new(),
            });
        }
        drop(seen);
        (
            number,
            faults::acts_on(&mut super::lock(&self.faults), method, path),
        )
    }

    pub(super) fn note_body(&self, number: usize, body: &[u8]) {
        if let Some(request) = super::lock(&self.seen).get_mut(number) {
            body.clone_into(&mut request.body);
        }
    }

    pub(super) fn seen(&self) -> Vec<Seen> {
        super::lock(&self.seen).clone()
    }

    pub(super) fn add_fault(&self, fault: Fault) {
        super::lock(&self.faults).push(fault);
    }

    pub(super) fn session(&self, id: &str) -> Option<Arc<Session>> {
        super::lock(&self.sessions).get(id).cloned()
    }

    pub(super) fn sessions(&self) -> Vec<Arc<Session>> {
        super::lock(&self.sessions).values().cloned().collect()
    }

    pub(super) fn record(&self, id: &str) -> Option<Arc<Record>> {
        super::lock(&self.records).get(id).cloned()
    }

    /// Makes a session, with the history of another one if it is to be resumed.
    pub(super) fn create(&self, wanted: &Wanted) -> Result<Arc<Session>, (ErrorCode, String)> {
        let carried = match &wanted.resume {
            Some(id) => Some((id.clone(), self.resumable(id)?)),
            None => self.history_of_the_first(),
        };
        let mut sessions = super::lock(&self.sessions);
        let open = sessions.len();
        if open >= self.options.max_sessions {
            let message =
                format!("{open} sessions are already open, which is the configured maximum");
            return Err((ErrorCode::MaxSessionsReached, message));
        }
        let id = self.ids.next();
        let facts = Facts {
            id: id.clone(),
            workspace: wanted.workspace.clone(),
            model: wanted.model.clone(),
            sandbox_mode: wanted.sandbox_mode.clone(),
            created_at: clock::now(),
            context_window: wanted.context_window,
        };
        let record = self.options.keep_records.then(Arc::<Record>::default);
        if let Some(record) = &record {
            super::lock(&self.records).insert(id.clone(), Arc::clone(record));
        }
        let limits = Limits {
            retention: self.options.retention,
            reader_queue: self.options.reader_queue,
            first_number: self.options.first_number.max(1),
        };
        let session = Arc::new(Session::new(facts, limits, record));
        if let Some((source, record)) = carried {
            carry(&session, &source, &record);
        }
        sessions.insert(id, Arc::clone(&session));
        Ok(session)
    }

    fn resumable(&self, id: &str) -> Result<Arc<Record>, (ErrorCode, String)> {
        let refused = |why: String| {
            let message = format!("session {id} cannot be continued: {why}");
            Err((ErrorCode::SessionNotFound, message))
        };
        match self.record(id) {
            None => refused(format!("open {id}.jsonl: no such file or directory")),
            Some(record) if record.is_oversized() => {
                refused("bufio.Scanner: token too long".into())
            }
            Some(record) => Ok(record),
        }
    }

    /// A scenario may want its first session to hold a history already.
    fn history_of_the_first(&self) -> Option<(String, Arc<Record>)> {
        let history = self.options.source.history()?;
        let mut records = super::lock(&self.records);
        if !records.is_empty() {
            return None;
        }
        let id = self.ids.next();
        let record = Arc::new(Record::default());
        player::record_turn(&id, &history, &record);
        records.insert(id.clone(), Arc::clone(&record));
        Some((id, record))
    }

    /// Takes a session out of the list; its record stays.
    pub(super) fn delete(&self, id: &str) -> bool {
        let session = super::lock(&self.sessions).remove(id);
        session.inspect(|session| session.close()).is_some()
    }

    /// What a restart does to clients: streams break, every session is unknown, records stay.
    pub(super) fn forget_sessions(&self) {
        let forgotten = std::mem::take(&mut *super::lock(&self.sessions));
        // Only then: whoever sees the stream break finds the session unknown. And streams break
        // before the sessions close, which would end them in order.
        self.cut_connections(true);
        for session in forgotten.values() {
            session.close();
        }
    }
}

fn carry(session: &Session, source: &str, record: &Record) {
    let (events, turns) = record.carried();
    let zero = clock::ZERO_TIME;
    let marker = format!(
        "{{\"source_id\":{},\"turns\":{turns},\"started_at\":\"{zero}\"}}",
        super::json::quoted(source)
    );
    session.append("session.resumed", &marker);
    for event in events {
        session.append(&event.kind, &event.payload);
    }
}

/// Counts a thread out, also one that panicked.
struct Ended<'a>(&'a Core);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        *super::lock(&self.0.threads) -= 1;
        self.0.thread_ended.notify_all();
    }
}
