//! A submit that is not followed. Everything here blocks, on a thread of its own.

use std::time::Instant;

use super::history;
use super::limits::Limits;
use crate::client::Client;
use crate::error::{Error, Kind, Result};
use crate::protocol::{ErrorCode, SubmitTurn};

/// Submits a turn and returns the number from which on its events are found.
///
/// # Errors
/// What the daemon answers; a lost answer is no error if the stream shows the turn.
pub fn submit_detached(
    client: &Client,
    session_id: &str,
    turn: &SubmitTurn,
    limits: &Limits,
) -> Result<u64> {
    let due = Instant::now() + limits.lag;
    let mut session = client.session(session_id)?.value;
    loop {
        let from = session.last_seq + 1;
        match client.submit(session_id, turn) {
            Ok(()) => return Ok(from),
            Err(error) if *error.kind() == Kind::OutcomeUnknown => {
                // Whatever goes wrong while looking for it: the submit was sent and not answered.
                let found = history::find_turn(client, session_id, from, &turn.text, limits);
                return found.ok().flatten().ok_or(error);
            }
            Err(error) if error.is_refusal(&ErrorCode::TurnAlreadyActive) => {
                match history::idle_after_conflict(client, session_id, limits)? {
                    Some(idle) if Instant::now() < due => session = idle,
                    _ => return Err(busy(session_id)),
                }
            }
            Err(error) => return Err(error),
        }
    }
}

/// The error for a session in which somebody else's turn runs.
pub(super) fn busy(session_id: &str) -> Error {
    let code = Kind::Refused(ErrorCode::TurnAlreadyActive);
    Error::new(code, format!("a turn already runs in session {session_id}"))
        .hint(format!("dcodectl wait {session_id}"))
}
