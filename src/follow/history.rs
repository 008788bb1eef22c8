//! Reading what a session already has, from start to end, on a thread of its own.
//!
//! For questions that only the past can answer: where the last turn began, which question is open,
//! whether a turn runs. Everything here blocks; the main thread waits for the answer in its inbox.

use std::thread;
use std::time::{Duration, Instant};

use super::limits::Limits;
use super::questions::{Question, Questions};
use crate::client::{Client, Next};
use crate::error::{Error, Kind, Result};
use crate::protocol::{ErrorCode, Event, EventKind, Payload, Session, SessionState};

/// How often a history is read again after the stream was lost without an event.
const TRIES: u32 = 3;

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

/// Reads the events from `from` to `through`, both included, in order.
fn read(
    client: &Client,
    session_id: &str,
    from: u64,
    through: u64,
    mut each: impl FnMut(&Event<'_>),
) -> Result<()> {
    let (mut next, mut tries) = (from, 0);
    while next <= through {
        let before = next;
        let mut stream = client.events(session_id, next)?;
        let lost = loop {
            match stream.next() {
                Next::Data(text) => {
                    let event = Event::parse(text).map_err(|error| {
                        Error::new(
                            Kind::Protocol,
                            format!("the stream holds a line that is {error}"),
                        )
                    })?;
                    if event.seq == next {
                        each(&event);
                        next += 1;
                    }
                    if event.seq >= through || next > through {
                        break None;
                    }
                }
                Next::Alive => {}
                Next::End => break Some("the daemon ended it".to_owned()),
                Next::Lost(how) => break Some(how),
                Next::Silent => break Some("no sign of life".to_owned()),
                Next::Broken(error) => return Err(error),
            }
        };
        tries = if next > before { 0 } else { tries + 1 };
        if tries == TRIES {
            let how = lost.unwrap_or_else(|| "events are missing".to_owned());
            return Err(Error::new(
                Kind::EventsMissing,
                format!("events {next} to {through} could not be read: {how}"),
            ));
        }
    }
    Ok(())
}

/// The last turn of a history.
#[derive(Debug, Default)]
struct LastTurn {
    /// Its `turn.started`, if held.
    started: Option<u64>,
    /// Whether any event of a turn was seen.
    seen: bool,
    ended: bool,
}

impl LastTurn {
    fn note(&mut self, event: &Event<'_>) {
        match event.kind {
            EventKind::TurnStarted => {
                *self = Self {
                    started: Some(event.seq),
                    seen: true,
                    ended: false,
                };
            }
            EventKind::TurnCompleted => {
                self.seen = true;
                self.ended = true;
            }
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
fn last_event_is_outside_turns(client: &Client, session: &Session) -> Result<bool> {
    let mut outside = false;
    read(
        client,
        &session.id,
        session.last_seq.max(1),
        session.last_seq,
        |event| {
            outside = outside_turns(event);
        },
    )?;
    Ok(outside)
}

/// After a 409 on a submit: the session, if its last event says that the 409 is only a lag.
///
/// # Errors
/// What the daemon answers.
pub(super) fn idle_after_conflict(client: &Client, session_id: &str) -> Result<Option<Session>> {
    let session = client.session(session_id)?.value;
    Ok(last_event_is_outside_turns(client, &session)?.then_some(session))
}

/// After a submit whose answer was lost: where the turn with this text begins, if it did.
///
/// # Errors
/// What the daemon answers.
pub(super) fn find_turn(
    client: &Client,
    session_id: &str,
    from: u64,
    text: &str,
) -> Result<Option<u64>> {
    let session = client.session(session_id)?.value;
    let mut found = None;
    read(client, session_id, from, session.last_seq, |event| {
        if let Payload::TurnStarted(started) = event.payload()
            && started.text.as_deref().is_none_or(|theirs| theirs == text)
        {
            found.get_or_insert(event.seq);
        }
    })?;
    Ok(found)
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
        let first = session.first_seq.unwrap_or(1).max(1);
        let mut last = LastTurn::default();
        match read(client, session_id, first, session.last_seq, |event| {
            last.note(event);
        }) {
            // The daemon's memory moved on between the two requests.
            Err(error) if error.is_refusal(&ErrorCode::EventsExpired) && Instant::now() < due => {
                continue;
            }
            result => result?,
        }
        let begins = match last.started {
            Some(seq) => Located::At(seq),
            None => Located::Trimmed(first),
        };
        let idle = session.state == SessionState::Idle;
        match (last.seen, last.ended) {
            (true, true) if idle => return Ok(begins),
            (true, false) if !idle => return Ok(begins),
            (true, false) => return Err(cut_off()),
            (false, _) if idle && first > 1 => return Err(no_longer_held(first)),
            (false, _) if idle => return Err(never_had_one(session_id)),
            // The state lags the stream, or a turn is about to start.
            _ if Instant::now() >= due => return Ok(Located::Next(session.last_seq + 1)),
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
    Error::new(Kind::NoTurn, "the session never had a turn")
        .hint(format!("dcodectl submit {session_id} -- TEXT"))
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
        if session.state != SessionState::Blocked {
            return Ok(None);
        }
        let first = session.first_seq.unwrap_or(1).max(1);
        let mut questions = Questions::default();
        match read(client, session_id, first, session.last_seq, |event| {
            questions.note(event);
        }) {
            Err(error) if error.is_refusal(&ErrorCode::EventsExpired) && Instant::now() < due => {
                continue;
            }
            result => result?,
        }
        if let Some(question) = questions.open() {
            return Ok(Some(question.clone()));
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
