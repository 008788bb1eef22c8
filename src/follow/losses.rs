//! What is said when events cannot be had: lost streams, holes, lines that are no events.

use std::time::{Duration, Instant};

use crate::error::{Error, Kind};
use crate::protocol::NotAnEvent;

/// Why no further event will come.
#[derive(Debug)]
pub enum FeedEnd {
    /// The session is gone. `orderly` if the stream was ended before the 404, as by a delete.
    Gone {
        /// Whether the stream had ended in an orderly way.
        orderly: bool,
    },
    /// The session is idle and everything it has was read: what was awaited will not come.
    NothingToCome,
    /// Anything else; the error says what and up to where the stream was read.
    Failed(Error),
}

/// A spell without any sign of life from the stream.
pub(super) struct Outage {
    pub(super) since: Instant,
    pub(super) pause: Duration,
    /// Whether somebody was told. A stream that is back at once is nothing to tell of.
    pub(super) told: bool,
}

const RETENTION: &str = "a daemon with a larger --event-retention holds more; 'dcodectl tail SESSION' shows what is left";

/// Events between two others that cannot be had again.
pub(super) fn missing(first: u64, last: u64) -> Error {
    let range = if first == last {
        format!("event {first} is")
    } else {
        format!("events {first} to {last} are")
    };
    Error::new(
        Kind::EventsMissing,
        format!("{range} missing: the daemon no longer holds them"),
    )
    .hint(RETENTION)
}

/// Events from this one on are gone, and the daemon does not say how far.
pub(super) fn expired(first: u64) -> Error {
    Error::new(
        Kind::EventsMissing,
        format!("events from {first} on are missing: the daemon no longer holds them, and does not say which is the oldest it holds"),
    )
    .hint("'dcodectl tail SESSION --from SEQ' starts at a later event")
}

/// The stream stopped and did not come back in time.
pub(super) fn not_regained(last: u64, within: Duration) -> Error {
    let within = humantime::format_duration(within);
    Error::new(
        Kind::OutcomeUnknown,
        format!("the stream was lost after seq {last} and not regained within {within}"),
    )
}

/// A line that is no event.
pub(super) fn no_event(last: u64, error: &NotAnEvent) -> Error {
    Error::new(
        Kind::Protocol,
        format!("the stream holds a line after seq {last} that is {error}"),
    )
    .hint("is something between dcodectl and the daemon? 'dcodectl ping' asks the daemon itself")
}
