//! Which events a tail prints: by type, by turn, up to a count.

use wildmatch::WildMatch;

use crate::cli::Tail;
use crate::protocol::{Event, EventKind, Payload};

/// See the module.
pub(super) struct Filter {
    types: Vec<WildMatch>,
    turn: Option<String>,
    /// Inside a turn with that id.
    inside: bool,
    left: Option<u64>,
}

impl Filter {
    pub(super) fn new(options: &Tail) -> Self {
        Self {
            types: options
                .types
                .iter()
                .map(|glob| WildMatch::new(glob))
                .collect(),
            turn: options.turn.clone(),
            inside: false,
            left: options.count,
        }
    }

    /// Whether as many were printed as were asked for.
    pub(super) fn is_full(&self) -> bool {
        self.left == Some(0)
    }

    /// Whether the event is to be printed; counts it if so.
    pub(super) fn takes(&mut self, event: &Event<'_>) -> bool {
        let in_turn = self.in_turn(event);
        let kind = event.kind.as_str();
        let typed = self.types.is_empty() || self.types.iter().any(|glob| glob.matches(kind));
        if self.is_full() || !in_turn || !typed {
            return false;
        }
        if let Some(left) = &mut self.left {
            *left -= 1;
        }
        true
    }

    /// From each `turn.started` with the id to its `turn.completed`, whatever lies between.
    fn in_turn(&mut self, event: &Event<'_>) -> bool {
        let Some(id) = &self.turn else { return true };
        match (&event.kind, event.payload()) {
            (EventKind::TurnStarted, Payload::TurnStarted(started)) => {
                self.inside = started.turn_id == *id;
                self.inside
            }
            (EventKind::TurnCompleted, _) => std::mem::take(&mut self.inside),
            _ => self.inside,
        }
    }
}
