//! Reading what a session already has, from start to end, on a thread of its own.
//!
//! For questions that only the past can answer: where the last turn began, which question is open,
//! whether a turn runs. Everything here blocks; the main thread waits for the answer in its inbox.

use std::thread;
use std::time::{Duration, Instant};

use super::limits::Limits;
use super::past::read;
use super::questions::{Question, Questions};
use crate::client::Client;
use crate::error::{Error, Kind, Result};
use crate::protocol::{ErrorCode, Event, EventKind, Payload, Session, SessionState};
use crate::shell::shell_word;

/// How long to wait between two looks at something that is about to change.
const PAUSE: Duration = Duration::from_millis(20);

/// Where the turn to follow begins.
#[derive(Debug, PartialEq, Eq)]
pub enum Located {
    /// At this event, which is its `turn.started`.
    At(u64),
    /// Before the oldest event held: what is left of it begins here.
    Trimmed(u64),
    /// No turn runs yet, but one is about to start at or after this event.
    Next(u64),
}

/// The last turn of a history.
#[derive(Debug, Default)]
struct LastTurn {
    /// Its `turn.started`, if held.
    started: Option<u64>,
    /// Whether any event of a turn was seen.
    seen: bool,
    /// Whether an event of a type that this version does not know was seen; it may be of a turn.
    unknown: bool,
    ended: bool,
}

impl LastTurn {
    fn note(&mut self, event: &Event<'_>) {
        match event.kind {
            EventKind::TurnStarted => {
                *self = Self {
                    started: Some(event.seq),
                    seen: true,
                    ..Self::default()
                };
            }
            EventKind::TurnCompleted => {
                self.seen = true;
                self.ended = true;
            }
            EventKind::Other(_) => self.unknown = true,
            _ if !outside_turns(event) && !self.ended => self.seen = true,
            _ => {}
        }
    }
}

/// Whether an event says that no turn runs once it is the last of its session.
pub(super) fn outside_turns(event: &Event<'_>) -> bool {
    match &event.kind {
        EventKind::SessionCreated
        | EventKind::SessionResumed
        | EventKind::SessionRenamed
        | EventKind::TurnCompleted => true,
        // The notice about a lost correction comes after the turn's end.
        EventKind::SessionError => {
            matches!(event.payload(), Payload::SessionError(error)
                if error.code == ErrorCode::NoActiveTurn.as_str())
        }
        _ => false,
    }
}

/// Whether the session's last event says that no turn runs. An unknown event says nothing.
fn last_event_is_outside_turns(
    client: &Client,
    session: &Session,
    limits: &Limits,
) -> Result<bool> {
    let mut outside = false;
    let last = (session.last_seq.max(1), session.last_seq);
    read(client, &session.id, last, limits, |event| {
        outside = outside_turns(event);
    })?;
    Ok(outside)
}

/// After a 409 on a submit: the session, if its last event says that the 409 is only a lag. Then it
/// is given a moment, so that a daemon that lags is not asked as fast as it answers.
///
/// # Errors
/// What the daemon answers.
pub(super) fn idle_after_conflict(
    client: &Client,
    session_id: &str,
    limits: &Limits,
) -> Result<Conflict> {
    let session = client.session(session_id)?.value;
    if !last_event_is_outside_turns(client, &session, limits)? {
        return Ok(Conflict::Busy);
    }
    thread::sleep(PAUSE);
    // Somebody else's turn may have come and gone meanwhile: ours begins after whatever there is.
    Ok(Conflict::Lag(client.session(session_id)?.value))
}

/// What a 409 on a submit means.
#[derive(Debug)]
pub(super) enum Conflict {
    /// The last event says that no turn runs: the daemon lags, and takes the submit in a moment.
    Lag(Session),
    /// Somebody else's turn runs.
    Busy,
    /// Somebody else's turn ran and was waited for: it is time to try again.
    Waited(Session),
}

/// After a submit whose answer was lost: where the turn with this text begins, if it did within a
/// moment.
///
/// # Errors
/// What the daemon answers.
pub(super) fn find_turn(
    client: &Client,
    session_id: &str,
    mut from: u64,
    text: &str,
    limits: &Limits,
) -> Result<Option<u64>> {
    let due = Instant::now() + limits.lag;
    loop {
        let through = client.session(session_id)?.value.last_seq;
        let mut found = None;
        read(client, session_id, (from, through), limits, |event| {
            if let Payload::TurnStarted(started) = event.payload()
                && started.text.as_deref().is_none_or(|theirs| theirs == text)
            {
                found.get_or_insert(event.seq);
            }
        })?;
        if found.is_some() || Instant::now() >= due {
            return Ok(found);
        }
        from = from.max(through + 1);
        thread::sleep(PAUSE);
    }
}

/// The oldest event of a session, and what is noted of it and all that follow; `None` if the daemon's
/// memory has moved on since the session was asked for, and until `due` it is to be asked for again.
///
/// # Errors
/// As [`read`].
fn held<T: Default>(
    client: &Client,
    session: &Session,
    limits: &Limits,
    due: Instant,
    note: impl Fn(&mut T, &Event<'_>),
) -> Result<Option<(u64, T)>> {
    let first = session.first_seq.unwrap_or(1).max(1);
    let mut noted = T::default();
    let all = (first, session.last_seq);
    let result = read(client, &session.id, all, limits, |event| {
        note(&mut noted, event);
    });
    match result {
        Err(error) if error.is_refusal(&ErrorCode::EventsExpired) && Instant::now() < due => {
            Ok(None)
        }
        result => result.map(|()| Some((first, noted))),
    }
}

/// Finds the running turn or, if none runs, the last one.
///
/// # Errors
/// [`Kind::NoTurn`] if the session never had a turn; [`Kind::EventsMissing`] if its end is no
/// longer held; [`Kind::OutcomeUnknown`] if it was cut off; else what the daemon answers.
pub fn locate_turn(client: &Client, session_id: &str, limits: &Limits) -> Result<Located> {
    let due = Instant::now() + limits.lag;
    loop {
        let session = client.session(session_id)?.value;
        let noted = held(client, &session, limits, due, LastTurn::note)?;
        let Some((first, last)) = noted else { continue };
        let begins = match last.started {
            Some(seq) => Located::At(seq),
            None => Located::Trimmed(first),
        };
        let idle = session.state == SessionState::Idle;
        // Where all is held and no turn has started, none ever did, whatever else happened. One that
        // runs may have left nothing but events this version does not know.
        let none_started = first == 1 && last.started.is_none();
        let seen = !none_started && (last.seen || (last.unknown && !idle));
        match (seen, last.ended) {
            (true, true) if idle => return Ok(begins),
            (true, false) if !idle => return Ok(begins),
            (true, false) => return Err(cut_off()),
            (false, _) if idle && first > 1 => return Err(no_longer_held(first)),
            (false, _) if idle => return Err(never_had_one(session_id)),
            // The state lags the stream, or a turn is about to start.
            _ if Instant::now() >= due => {
                return Ok(Located::Next(session.last_seq.saturating_add(1)));
            }
            _ => thread::sleep(PAUSE),
        }
    }
}

fn cut_off() -> Error {
    Error::new(
        Kind::OutcomeUnknown,
        "the last turn has no end: it was cut off before the session was resumed",
    )
}

fn no_longer_held(first: u64) -> Error {
    Error::new(
        Kind::EventsMissing,
        format!("the end of the last turn is no longer held: the oldest event is {first}"),
    )
}

fn never_had_one(session_id: &str) -> Error {
    Error::new(Kind::NoTurn, "the session never had a turn").hint(format!(
        "dcodectl submit {} -- TEXT",
        shell_word(session_id)
    ))
}

/// The open question of a session.
///
/// # Errors
/// [`Kind::EventsMissing`] if the session is blocked by a question that is no longer held; else
/// what the daemon answers.
pub fn open_question(
    client: &Client,
    session_id: &str,
    limits: &Limits,
) -> Result<Option<Question>> {
    let due = Instant::now() + limits.lag;
    loop {
        let session = client.session(session_id)?.value;
        if session.state == SessionState::Idle {
            return Ok(None);
        }
        let noted = held(
            client,
            &session,
            limits,
            due,
            |questions: &mut Questions, event| {
                questions.note(event);
            },
        )?;
        let Some((first, questions)) = noted else {
            continue;
        };
        // The stream decides: the state may still say that the turn runs (protocol, section 7).
        if let Some(question) = questions.open() {
            return Ok(Some(question.clone()));
        }
        if session.state != SessionState::Blocked {
            return Ok(None);
        }
        if Instant::now() >= due {
            return Err(Error::new(
                Kind::EventsMissing,
                format!(
                    "a question is open, but its event is no longer held: the oldest event is {first}"
                ),
            ));
        }
        thread::sleep(PAUSE);
    }
}
