//! The turns that pass by in a stream that follows none in particular.

use super::outcome::Turn;
use super::turn::{Noted, Tracker};
use crate::protocol::{Event, EventKind};

/// Keeps the last turn that ended, and whether one is open.
#[derive(Debug)]
pub struct Turns {
    tracker: Tracker,
    last: Option<Turn>,
}

impl Default for Turns {
    fn default() -> Self {
        Self {
            // A stream may begin in the middle of a turn.
            tracker: Tracker::trimmed(),
            last: None,
        }
    }
}

impl Turns {
    /// Takes note of an event; says whether it ended a turn.
    pub fn note(&mut self, event: &Event<'_>) -> bool {
        let is_text = matches!(
            event.kind,
            EventKind::MessageDelta | EventKind::MessageReasoning
        );
        if is_text && self.is_open() {
            // Nearly all events, and none of them says anything of a turn's end.
            return false;
        }
        if event.kind == EventKind::TurnStarted {
            self.tracker = Tracker::new(None);
        }
        if self.tracker.ended()
            || (self.tracker.turn.is_none()
                && super::history::outside_turns(event)
                && event.kind != EventKind::TurnCompleted)
        {
            return false;
        }
        if let Noted::Ours(_) = self.tracker.note(event)
            && self.tracker.ended()
        {
            self.last.clone_from(&self.tracker.turn);
            return true;
        }
        false
    }

    /// Whether a turn has begun whose end was not read.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.tracker.turn.is_some() && !self.tracker.ended()
    }

    /// The last turn whose end was read.
    #[must_use]
    pub fn last(&self) -> Option<&Turn> {
        self.last.as_ref()
    }
}
