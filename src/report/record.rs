//! What was seen of a turn, gathered once for the summary and the reports.

use super::digest::sha256_hex;
use super::tally::Tally;
use crate::protocol::{Event, Payload, TurnCompleted};

/// What is known of the session.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) id: Option<String>,
    pub(super) workspace: Option<String>,
    pub(super) model: Option<String>,
    pub(super) context_window: Option<u64>,
}

/// What was seen of a turn.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) id: Option<String>,
    pub(super) prompt_sha256: Option<String>,
    pub(super) first_seq: Option<u64>,
    pub(super) last_seq: Option<u64>,
    pub(super) started_at: Option<String>,
    pub(super) ended_at: Option<String>,
    pub(super) completed: Option<TurnCompleted>,
    pub(super) tally: Tally,
}

impl Seen {
    /// Whether there is a turn at all; of one that was taken up late only the end may be there.
    pub(super) fn is_turn(&self) -> bool {
        self.first_seq.is_some() || self.completed.is_some()
    }
}

/// Gathers turn after turn: each is what lies between its `turn.started` and the next one, as a
/// correction that came too late is reported after the turn's end.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub(super) session: Known,
    pub(super) turn: Seen,
}

impl Record {
    /// Takes one event into account; hands back the turn before, if the event begins another.
    pub(super) fn event(&mut self, event: &Event<'_>) -> Option<Seen> {
        let mut before = None;
        match event.payload() {
            Payload::SessionCreated(session) => {
                let text = |text: &String| (!text.is_empty()).then(|| text.clone());
                self.session = Known {
                    id: text(&session.id),
                    workspace: text(&session.workspace),
                    model: text(&session.model),
                    context_window: session.context_window,
                };
            }
            Payload::TurnStarted(started) => {
                let begun = Seen {
                    id: Some(started.turn_id.clone()),
                    prompt_sha256: started.text.as_deref().map(sha256_hex),
                    first_seq: Some(event.seq),
                    started_at: Some(event.at.clone().into_owned()),
                    ..Seen::default()
                };
                let turn = std::mem::replace(&mut self.turn, begun);
                before = turn.is_turn().then_some(turn);
            }
            Payload::TurnCompleted(completed) => {
                self.turn.completed = Some(completed.clone());
                self.turn.ended_at = Some(event.at.clone().into_owned());
                if self.turn.id.is_none() && !completed.turn_id.is_empty() {
                    self.turn.id = Some(completed.turn_id.clone());
                }
            }
            payload => self.turn.tally.count(payload, event.seq),
        }
        if self.turn.first_seq.is_some() {
            self.turn.last_seq = Some(event.seq);
        }
        if self.session.id.is_none() && !event.session_id.is_empty() {
            self.session.id = Some(event.session_id.clone().into_owned());
        }
        before
    }
}
