//! What a person or a script gets to see: a reporter an output, a file each, none knows another.
//!
//! Reporters see every event and know nothing of sockets, arguments or exit rules; what they need
//! of the outcome is in [`Verdict`], as plain data.

pub mod answer;
pub mod approval;
mod changes;
pub mod console;
mod digest;
mod facts;
pub mod github;
pub mod human;
pub mod junit;
pub mod markdown;
pub mod merged;
pub mod ndjson;
mod record;
pub mod style;
pub mod summary;
pub mod tables;
mod tally;
#[cfg(test)]
mod testing;
mod text;
mod verdict;
pub mod visible;
mod workflow;

use std::io;

use crate::protocol::Event;

pub use answer::{AnswerReporter, AnswerText};
pub use approval::{approval_handle, approval_subject};
pub use console::{ConsoleOptions, SharedConsole};
pub use digest::sha256_hex;
pub use github::GitHub;
pub use human::{Human, HumanOptions};
pub use junit::JUnit;
pub use markdown::Markdown;
pub use merged::Merged;
pub use ndjson::Ndjson;
pub use style::Palette;
pub use summary::Summary;
pub use verdict::{AnsweredBy, ApprovalRecord, GateVerdict, Verdict};
pub use visible::{visible, visible_lines};
pub use workflow::workflow_safe;

/// One output of a followed stream.
///
/// Every reporter sees every event; none asks which format was chosen.
pub trait Reporter {
    /// One event, in the order of the stream.
    ///
    /// # Errors
    /// Whatever the output says; a closed pipe is [`io::ErrorKind::BrokenPipe`].
    fn event(&mut self, event: &Event<'_>) -> io::Result<()>;

    /// Nothing more is at hand: flush, redraw.
    ///
    /// # Errors
    /// As for [`Reporter::event`].
    fn idle(&mut self) -> io::Result<()>;

    /// No event will follow. `verdict` is there if a turn was awaited.
    ///
    /// # Errors
    /// As for [`Reporter::event`].
    fn end(&mut self, verdict: Option<&Verdict>) -> io::Result<()>;
}
