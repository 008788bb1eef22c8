//! Reading a turn to its end: one inbox, gaps, reconnecting, deadlines, questions, the stop.
//!
//! Prints nothing. What is to be shown goes to an [`Observer`]; what came of it is an [`Outcome`].

mod answering;
mod confirm;
mod detached;
mod exec;
mod feed;
mod history;
mod inbox;
mod limits;
mod losses;
mod mailbox;
mod outcome;
mod past;
mod questions;
mod reader;
mod run;
mod sources;
mod stop;
mod turn;
mod turns;

pub use answering::Policy;
pub use confirm::steer_and_confirm;
pub use detached::submit_detached;
pub use exec::Program;
pub use feed::Feed;
pub use history::{Located, locate_turn, open_question};
pub use inbox::{Backlog, Inbox, Input, Pending, Waited, Waker};
pub use limits::Limits;
pub use losses::FeedEnd;
pub use outcome::{Approval, By, Outcome, Stop, Turn};
pub use questions::{Question, Questions};
pub use run::{Plan, Target, follow};
pub use turns::Turns;

use std::time::Instant;

use crate::protocol::Event;

/// Where a followed stream is shown.
pub trait Observer {
    /// One event, in the order of the stream, none twice.
    fn event(&mut self, event: &Event<'_>);
    /// Something about the stream that is not in it.
    fn notice(&mut self, code: &str, message: &str);
    /// The same, for who wants to know more.
    fn detail(&mut self, code: &str, message: &str);
    /// Nothing more is at hand: flush, redraw.
    fn idle(&mut self);
    /// When [`Observer::idle`] is wanted again, should nothing happen before.
    fn wake_at(&self) -> Option<Instant>;
    /// A person is to answer this question; the answer comes as [`Input::Typed`]. `again`: what
    /// was typed so far is no answer.
    fn ask(&mut self, question: &Question, again: bool);
    /// No answer is wanted any more; `typed` if a line was typed.
    fn asked(&mut self, typed: bool);
    /// Whether nobody sees the output any more, so that following makes no sense.
    fn unwatched(&mut self) -> bool;
}
