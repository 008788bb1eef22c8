//! Every bound of following, in one place, so that tests can shorten them.

use std::time::Duration;

/// The bounds of the contract's sections 3 and 5.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Without an event for this long, the session is asked whether a turn still runs.
    pub quiet: Duration,
    /// How long a lost stream is tried for, in a row.
    pub reconnect: Duration,
    /// The first pause between two tries; doubles.
    pub first_pause: Duration,
    /// The longest pause between two tries.
    pub longest_pause: Duration,
    /// How long the state may lag the stream; also how long a false refusal is retried.
    pub lag: Duration,
    /// How long a question stands before it is acted on.
    pub question: Duration,
    /// After a signal: how long an unanswered create or submit is given.
    pub stop_submit: Duration,
    /// After a signal: how long the interrupt is given to be answered.
    pub stop_interrupt: Duration,
    /// After a signal: how long the interrupted turn is given to end.
    pub stop_turn: Duration,
    /// After a timeout: how long an unanswered submit and the interrupt are given together.
    pub late_interrupt: Duration,
    /// After a timeout: how long the turn is given to end, if the interrupt was answered.
    pub late_turn: Duration,
    /// How long closing the session of `run` may take.
    pub close: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            quiet: Duration::from_mins(1),
            reconnect: Duration::from_secs(30),
            first_pause: Duration::from_millis(100),
            longest_pause: Duration::from_secs(2),
            lag: Duration::from_secs(1),
            question: Duration::from_millis(50),
            stop_submit: Duration::from_secs(1),
            stop_interrupt: Duration::from_secs(1),
            stop_turn: Duration::from_secs(5),
            late_interrupt: Duration::from_millis(500),
            late_turn: Duration::from_secs(2),
            close: Duration::from_secs(1),
        }
    }
}
