//! Reading events that are there already: every one, in order, over as many connections as it takes.
//!
//! Blocks; whoever calls does so on a thread of its own.

use std::thread;
use std::time::{Duration, Instant};

use super::limits::Limits;
use super::losses;
use crate::client::{Client, Next};
use crate::error::Result;
use crate::protocol::Event;

/// Why a connection brought no more.
enum Stopped {
    /// Everything was read.
    Done,
    /// The next event is missing; this one came instead.
    Hole(u64),
    /// The connection stopped; says how.
    Lost,
}

/// Reads the events from `from` to `through`, both included, in order.
///
/// # Errors
/// `EventsMissing` for a hole that stays when it is asked for again, `OutcomeUnknown` for a stream
/// that is lost for too long; else what the daemon answers.
pub(super) fn read(
    client: &Client,
    session_id: &str,
    (from, through): (u64, u64),
    limits: &Limits,
    mut each: impl FnMut(&Event<'_>),
) -> Result<()> {
    let (mut next, mut hole_at) = (from, None);
    let mut outage: Option<(Instant, Duration)> = None;
    while next <= through {
        let before = next;
        let stopped = stretch(client, session_id, &mut next, through, limits, &mut each)?;
        if next > before {
            (hole_at, outage) = (None, None);
        }
        match stopped {
            Stopped::Done => {}
            Stopped::Hole(seen) if hole_at == Some(next) => {
                return Err(losses::missing(next, seen - 1));
            }
            Stopped::Hole(_) => hole_at = Some(next),
            Stopped::Lost if next > before => {}
            Stopped::Lost => {
                let (since, pause) = outage.unwrap_or((Instant::now(), limits.first_pause));
                if since.elapsed() >= limits.reconnect {
                    return Err(losses::not_regained(next - 1, limits.reconnect));
                }
                thread::sleep(pause);
                outage = Some((since, (pause * 2).min(limits.longest_pause)));
            }
        }
    }
    Ok(())
}

/// Reads one connection as far as it goes.
fn stretch(
    client: &Client,
    session_id: &str,
    next: &mut u64,
    through: u64,
    limits: &Limits,
    each: &mut impl FnMut(&Event<'_>),
) -> Result<Stopped> {
    let mut stream = match client.events(session_id, *next) {
        Ok(stream) => stream,
        Err(error) if error.may_pass() => return Ok(Stopped::Lost),
        Err(error) => return Err(error),
    };
    let mut last = Instant::now();
    loop {
        match stream.next() {
            Next::Data(text) => {
                last = Instant::now();
                let event =
                    Event::parse(text).map_err(|error| losses::no_event(*next - 1, &error))?;
                if event.seq > *next {
                    return Ok(Stopped::Hole(event.seq));
                }
                if event.seq == *next {
                    each(&event);
                    *next = next.saturating_add(1);
                }
                if *next > through {
                    return Ok(Stopped::Done);
                }
            }
            // Pings alone bring nothing of what the daemon says it holds.
            Next::Alive if last.elapsed() >= limits.quiet => return Ok(Stopped::Lost),
            Next::Alive => {}
            Next::End | Next::Lost(_) | Next::Silent => return Ok(Stopped::Lost),
            Next::Broken(error) => return Err(error),
        }
    }
}
