//! The state of one session: its log, its readers, its turn and its open question
//! (protocol, sections 3, 7, 8, 9, 11).

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use crate::protocol::{Decision, ErrorCode};

use super::clock;
use super::files::Files;
use super::json;
use super::questions::Questions;
use super::record::{Logged, Record};

/// What never changes about a session.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    pub(super) id: String,
    pub(super) workspace: String,
    pub(super) model: String,
    pub(super) sandbox_mode: String,
    pub(super) created_at: String,
    pub(super) context_window: u64,
}

/// What the daemon's options say about every session.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) retention: usize,
    pub(super) reader_queue: usize,
    pub(super) first_number: u64,
}

/// What a reader gets to see.
pub(super) enum Item {
    Event(Arc<Logged>),
    /// The first half of the event, then the end of the connection.
    Half(Arc<Logged>),
    /// Bytes that are no event.
    Raw(&'static str),
    /// From here on nothing, not even pings.
    Mute,
}

/// A stream that was opened: the events held, then what follows. The end of the channel is the
/// orderly end of the stream.
pub(super) struct Subscription {
    pub(super) from: u64,
    pub(super) held: Vec<Arc<Logged>>,
    pub(super) live: Receiver<Item>,
}

/// Why a wait of the player ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Woken {
    /// The time was up.
    Time,
    /// Somebody interrupted the turn.
    Interrupted,
    /// The session is gone.
    Gone,
    /// Somebody answered the question.
    Answered(Decision),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Idle,
    Running,
    Blocked,
}

/// An error answer: its code and its message.
pub(super) type Refused = (ErrorCode, &'static str);

pub(super) struct Session {
    pub(super) facts: Facts,
    limits: Limits,
    record: Option<Arc<Record>>,
    inner: Mutex<Inner>,
    changed: Condvar,
}

struct Inner {
    state: State,
    gone: bool,
    events: VecDeque<Arc<Logged>>,
    last_seq: u64,
    readers: Vec<SyncSender<Item>>,
    cut_next: bool,
    turns: usize,
    interrupted: bool,
    corrections: Vec<String>,
    questions: Questions,
    files: Files,
}

impl Session {
    pub(super) fn new(facts: Facts, limits: Limits, record: Option<Arc<Record>>) -> Self {
        let inner = Inner {
            state: State::Idle,
            gone: false,
            events: VecDeque::new(),
            last_seq: limits.first_number - 1,
            readers: Vec::new(),
            cut_next: false,
            turns: 0,
            interrupted: false,
            corrections: Vec::new(),
            questions: Questions::default(),
            files: Files::default(),
        };
        let session = Self {
            facts,
            limits,
            record,
            inner: Mutex::new(inner),
            changed: Condvar::new(),
        };
        let payload = session.facts.json("idle", 0, 1);
        session.append("session.created", &payload);
        session
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        super::lock(&self.inner)
    }

    /// The session as create, get and list answer it.
    pub(super) fn json(&self) -> String {
        let inner = self.lock();
        let state = match inner.state {
            State::Idle => "idle",
            State::Running => "running",
            State::Blocked => "blocked",
        };
        self.facts.json(state, inner.last_seq, inner.first_seq())
    }

    /// Gives out the next number to an event. False if the session is gone.
    pub(super) fn append(&self, kind: &str, payload: &str) -> bool {
        self.append_to(&mut self.lock(), kind, payload)
    }

    fn append_to(&self, inner: &mut Inner, kind: &str, payload: &str) -> bool {
        if inner.gone {
            return false;
        }
        inner.last_seq += 1;
        let (seq, id, at) = (inner.last_seq, &self.facts.id, clock::now());
        let line = format!(
            "{{\"seq\":{seq},\"session_id\":\"{id}\",\"type\":\"{kind}\",\"at\":\"{at}\",\"payload\":{payload}}}"
        );
        let event = Arc::new(Logged {
            seq,
            kind: kind.to_owned(),
            payload: payload.to_owned(),
            line,
        });
        inner.files.note(kind, payload);
        if let Some(record) = &self.record {
            record.push(Arc::clone(&event));
        }
        inner.events.push_back(Arc::clone(&event));
        while inner.events.len() > self.limits.retention.max(1) {
            inner.events.pop_front();
        }
        if std::mem::take(&mut inner.cut_next) {
            for reader in inner.readers.drain(..) {
                let _ = reader.try_send(Item::Half(Arc::clone(&event)));
            }
        }
        // A reader whose queue is full is let go: its stream ends after what it was given.
        inner
            .readers
            .retain(|reader| reader.try_send(Item::Event(Arc::clone(&event))).is_ok());
        true
    }

    /// Opens a stream, or says which event is the oldest held.
    pub(super) fn subscribe(&self, from: u64) -> Result<Subscription, u64> {
        let mut inner = self.lock();
        let first = inner.first_seq();
        if from < first {
            return Err(first);
        }
        let (sender, live) = sync_channel(self.limits.reader_queue);
        let held = inner.events.iter().filter(|event| event.seq >= from);
        let held = held.cloned().collect();
        if !inner.gone {
            inner.readers.push(sender);
        }
        Ok(Subscription { from, held, live })
    }

    /// Something to every reader that is no event. A reader that cannot take it is let go.
    pub(super) fn tell_readers(&self, item: fn() -> Item) {
        let mut inner = self.lock();
        inner
            .readers
            .retain(|reader| reader.try_send(item()).is_ok());
    }

    /// Ends every stream in an orderly way.
    pub(super) fn end_streams(&self) {
        self.lock().readers.clear();
    }

    /// Lets the next event break off in the middle.
    pub(super) fn cut_next(&self) {
        self.lock().cut_next = true;
    }

    /// The end of the session: streams end, waits end, nothing is recorded any more.
    pub(super) fn close(&self) {
        let mut inner = self.lock();
        inner.gone = true;
        inner.readers.clear();
        self.changed.notify_all();
    }

    /// Begins a turn and gives it its number, from 1.
    pub(super) fn begin_turn(&self) -> Result<usize, Refused> {
        let mut inner = self.lock();
        if inner.state != State::Idle {
            return Err((
                ErrorCode::TurnAlreadyActive,
                "a turn is already running; wait for it to finish or interrupt it",
            ));
        }
        inner.state = State::Running;
        inner.interrupted = false;
        inner.files.begin_turn();
        inner.turns += 1;
        Ok(inner.turns)
    }

    /// Ends the turn, with its last event if that is still due. Corrections that reached nobody are
    /// reported only after it (protocol, section 7).
    pub(super) fn end_turn(&self, last: Option<(&str, &str)>) {
        let mut inner = self.lock();
        if let Some((kind, payload)) = last {
            self.append_to(&mut inner, kind, payload);
        }
        let unheard = std::mem::take(&mut inner.corrections).len();
        if unheard > 0 {
            let message =
                format!("the turn ended before {unheard} message(s) reached it; send them again");
            let payload = format!("{{\"code\":\"no_active_turn\",\"message\":\"{message}\"}}");
            self.append_to(&mut inner, "session.error", &payload);
        }
        inner.state = State::Idle;
    }

    /// Accepts a correction for the next round.
    pub(super) fn steer(&self, text: String) -> Result<(), Refused> {
        let mut inner = self.lock();
        if inner.state != State::Running {
            return Err((
                ErrorCode::NoActiveTurn,
                "no turn is running; send it as a message instead",
            ));
        }
        inner.corrections.push(text);
        Ok(())
    }

    /// The corrections that wait, which are now delivered.
    pub(super) fn take_corrections(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().corrections)
    }

    /// Interrupts the turn, if there is one.
    pub(super) fn interrupt(&self) {
        let mut inner = self.lock();
        if inner.state != State::Idle {
            inner.interrupted = true;
            // An interrupt denies the question, so that an answer comes too late.
            inner.questions.close();
            inner.state = State::Running;
            self.changed.notify_all();
        }
    }

    /// Files put back and files refused.
    pub(super) fn undo(&self) -> Result<(Vec<String>, Vec<String>), Refused> {
        let mut inner = self.lock();
        if inner.state == State::Running {
            return Err((
                ErrorCode::TurnAlreadyActive,
                "a turn is running; interrupt it before undoing",
            ));
        }
        Ok(inner.files.undo(&self.facts.workspace))
    }

    /// Notes that somebody else edited a file.
    pub(super) fn edited_by_hand(&self, path: &str) {
        self.lock().files.edited_by_hand(path);
    }

    /// Whether such a call was allowed for the rest of the session.
    pub(super) fn is_granted(&self, key: &str) -> bool {
        self.lock().questions.is_granted(key)
    }

    /// Allows such calls for the rest of the session.
    pub(super) fn grant(&self, key: String) {
        self.lock().questions.grant(key);
    }

    /// Registers a question, announced by its event, and blocks the session.
    pub(super) fn open_question(&self, id: &str, announced: Option<(&str, &str)>) {
        let mut inner = self.lock();
        if let Some((kind, payload)) = announced {
            self.append_to(&mut inner, kind, payload);
        }
        if !inner.interrupted {
            inner.state = State::Blocked;
            inner.questions.open(id);
        }
    }

    /// Answers a question. The first answer wins; that of an expired one comes too late.
    pub(super) fn answer(&self, id: &str, decision: Decision) -> Result<(), (ErrorCode, String)> {
        let mut inner = self.lock();
        inner.questions.answer(id, decision)?;
        inner.state = State::Running;
        self.changed.notify_all();
        Ok(())
    }

    /// Waits for the answer to the open question; when the time is up the question has expired.
    pub(super) fn wait_for_answer(&self, id: &str, limit: Duration) -> Woken {
        let (mut inner, woken) = self.wait_in(self.lock(), Some(limit), true);
        if woken == Woken::Time {
            inner.questions.expire(id);
            inner.state = State::Running;
        }
        woken
    }

    /// Waits for so long, or for ever; an interrupt and the end of the session end it.
    pub(super) fn wait(&self, limit: Option<Duration>) -> Woken {
        self.wait_in(self.lock(), limit, false).1
    }

    fn wait_in<'a>(
        &self,
        mut inner: MutexGuard<'a, Inner>,
        limit: Option<Duration>,
        for_answer: bool,
    ) -> (MutexGuard<'a, Inner>, Woken) {
        let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        loop {
            if inner.gone {
                return (inner, Woken::Gone);
            }
            if for_answer && let Some(decision) = inner.questions.take_answer() {
                return (inner, Woken::Answered(decision));
            }
            if inner.interrupted {
                return (inner, Woken::Interrupted);
            }
            let left = match deadline {
                Some(deadline) => deadline.saturating_duration_since(Instant::now()),
                None => Duration::from_hours(1),
            };
            if left.is_zero() {
                return (inner, Woken::Time);
            }
            inner = super::wait(&self.changed, inner, left);
        }
    }
}

impl Inner {
    fn first_seq(&self) -> u64 {
        self.events.front().map_or(1, |event| event.seq)
    }
}

impl Facts {
    fn json(&self, state: &str, last_seq: u64, first_seq: u64) -> String {
        format!(
            "{{\"id\":\"{}\",\"state\":\"{state}\",\"workspace\":{},\"model\":{},\"sandbox_mode\":\"{}\",\"created_at\":\"{}\",\"last_seq\":{last_seq},\"first_seq\":{first_seq},\"context_window\":{}}}",
            self.id,
            json::quoted(&self.workspace),
            json::quoted(&self.model),
            self.sandbox_mode,
            self.created_at,
            self.context_window
        )
    }
}
