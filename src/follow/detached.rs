//! A submit that is not followed. Everything here blocks, on a thread of its own.

use std::thread;
use std::time::{Duration, Instant};

use super::history::{self, Conflict};
use super::limits::Limits;
use crate::client::Client;
use crate::error::{Error, Kind, Result};
use crate::protocol::{ErrorCode, SubmitTurn};
use crate::shell::shell_word;

/// Submits a turn and returns the number from which on its events are found.
///
/// # Errors
/// What the daemon answers; a lost answer is no error if the stream shows the turn.
pub fn submit_detached(
    client: &Client,
    session_id: &str,
    turn: &SubmitTurn,
    wait_idle: Option<Duration>,
    limits: &Limits,
) -> Result<u64> {
    let due = Instant::now() + limits.lag;
    let wait_due = wait_idle.map(|bound| Instant::now() + bound);
    let mut pause = Duration::ZERO;
    let mut session = client.session(session_id)?.value;
    loop {
        let from = session.last_seq.saturating_add(1);
        match client.submit(session_id, turn) {
            Ok(()) => return Ok(from),
            Err(error) if *error.kind() == Kind::OutcomeUnknown => {
                // Whatever goes wrong while looking for it: the submit was sent and not answered.
                let found = history::find_turn(client, session_id, from, &turn.text, limits);
                return found.ok().flatten().ok_or(error);
            }
            Err(error) if error.is_refusal(&ErrorCode::TurnAlreadyActive) => {
                match history::idle_after_conflict(client, session_id, limits)? {
                    Conflict::Lag(idle) if Instant::now() < due => session = idle,
                    _ if wait_due.is_some_and(|due| Instant::now() < due) => {
                        pause = next_pause(pause);
                        let left =
                            wait_due.map(|due| due.saturating_duration_since(Instant::now()));
                        thread::sleep(left.map_or(pause, |left| pause.min(left)));
                        session = client.session(session_id)?.value;
                    }
                    _ => return Err(busy(session_id)),
                }
            }
            Err(error) => return Err(error),
        }
    }
}

/// The first pause before a session that was busy is tried again.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// The longest.
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// The pause after this one: longer from time to time, so that many who wait are no storm.
pub(super) fn next_pause(pause: Duration) -> Duration {
    (pause * 2).clamp(FIRST_PAUSE, LONGEST_PAUSE)
}

/// The error for a session in which somebody else's turn runs.
pub(super) fn busy(session_id: &str) -> Error {
    let code = Kind::Refused(ErrorCode::TurnAlreadyActive);
    Error::new(code, format!("a turn already runs in session {session_id}"))
        .hint(format!("dcodectl wait {}", shell_word(session_id)))
}
