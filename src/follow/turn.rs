//! Which turn is ours, and what is known of it.
//!
//! A submit answers no turn id, ids start again in a resumed session, and somebody else may submit
//! the same text: so order decides, then the text, then the id (protocol, section 7).

use std::time::Instant;

use super::outcome::{Approval, By, Turn};
use super::questions::{Change, Questions};
use crate::protocol::{Decision, Event, EventKind, Payload, ProgressKind, TurnCompleted};

/// Binds to one turn and follows it.
#[derive(Debug)]
pub(super) struct Tracker {
    /// The text of the turn; `None` takes the first turn that starts.
    text: Option<String>,
    /// The first event counts as part of the turn, as its start is no longer held.
    trimmed: bool,
    pub(super) turn: Option<Turn>,
    pub(super) questions: Questions,
}

/// What an event is to the awaited turn.
#[derive(Debug)]
pub(super) enum Noted {
    /// Nothing: before it, or another turn's.
    NotOurs,
    /// Part of it.
    Ours(Change),
    /// Another turn has begun although the end of ours was not seen.
    Overtaken,
}

impl Tracker {
    pub(super) fn new(text: Option<String>) -> Self {
        Self {
            text,
            trimmed: false,
            turn: None,
            questions: Questions::default(),
        }
    }

    pub(super) fn trimmed() -> Self {
        Self {
            trimmed: true,
            ..Self::new(None)
        }
    }

    pub(super) fn ended(&self) -> bool {
        self.turn.as_ref().is_some_and(|turn| turn.end.is_some())
    }

    pub(super) fn note(&mut self, event: &Event<'_>) -> Noted {
        match &self.turn {
            None if !self.trimmed && !self.starts_ours(event) => return Noted::NotOurs,
            None => self.turn = Some(begin(event)),
            Some(_) if event.kind == EventKind::TurnStarted => return Noted::Overtaken,
            Some(turn) => {
                let id = event.turn_id();
                if !id.is_empty() && !turn.turn_id.is_empty() && id != turn.turn_id {
                    return Noted::NotOurs;
                }
            }
        }
        let change = self.questions.note(event);
        if let Some(turn) = &mut self.turn {
            advance(turn, event);
            match &change {
                Change::None => {}
                Change::Asked => {
                    turn.approvals
                        .extend(self.questions.open().map(|question| Approval {
                            question: question.clone(),
                            decision: None,
                            by: None,
                        }));
                }
                Change::Resolved(question, resolved) => {
                    resolve(turn, question.seq, &resolved.decision);
                }
            }
        }
        Noted::Ours(change)
    }

    /// Rounds that the turn has done.
    pub(super) fn rounds(&self) -> u64 {
        let rounds = self.turn.as_ref().and_then(|turn| turn.rounds);
        rounds.map_or(0, |(done, _)| done)
    }

    /// Whether the event starts the awaited turn: its text is ours, or it has none.
    fn starts_ours(&self, event: &Event<'_>) -> bool {
        if event.kind != EventKind::TurnStarted {
            return false;
        }
        let Payload::TurnStarted(started) = event.payload() else {
            return true;
        };
        match (&self.text, &started.text) {
            (Some(ours), Some(theirs)) => ours == theirs,
            _ => true,
        }
    }

    /// Takes note that our answer to this question was accepted.
    pub(super) fn answered_by(&mut self, seq: u64, by: By, decision: &Decision) {
        if let Some(approval) = self.turn.as_mut().and_then(|turn| approval(turn, seq)) {
            approval.by = Some(by);
            approval.decision.get_or_insert_with(|| decision.clone());
        }
    }
}

fn approval(turn: &mut Turn, seq: u64) -> Option<&mut Approval> {
    turn.approvals
        .iter_mut()
        .rev()
        .find(|approval| approval.question.seq == seq)
}

fn resolve(turn: &mut Turn, seq: u64, decision: &Decision) {
    if let Some(approval) = approval(turn, seq) {
        approval.decision = Some(decision.clone());
        approval.by.get_or_insert(By::Elsewhere);
    }
}

fn begin(event: &Event<'_>) -> Turn {
    let started = event.kind == EventKind::TurnStarted;
    Turn {
        turn_id: event.turn_id().to_owned(),
        first_seq: event.seq,
        last_seq: event.seq,
        last_kind: event.kind.clone(),
        last_read: Instant::now(),
        started_at: started.then(|| event.at.clone().into_owned()),
        ended_at: None,
        end: None,
        error: None,
        rounds: None,
        approvals: Vec::new(),
    }
}

fn advance(turn: &mut Turn, event: &Event<'_>) {
    turn.last_seq = event.seq;
    turn.last_kind = event.kind.clone();
    turn.last_read = Instant::now();
    if turn.turn_id.is_empty() {
        event.turn_id().clone_into(&mut turn.turn_id);
    }
    // Nothing else is decoded: it may be large, or many.
    if !matches!(
        event.kind,
        EventKind::SessionError | EventKind::Progress | EventKind::TurnCompleted
    ) {
        return;
    }
    match event.payload() {
        Payload::SessionError(error) => turn.error = Some(error.clone()),
        Payload::Progress(progress) if progress.kind == ProgressKind::Rounds => {
            turn.rounds = Some((progress.done, progress.total));
        }
        Payload::TurnCompleted(end) => {
            turn.ended_at = Some(event.at.clone().into_owned());
            turn.end = Some(end.clone());
        }
        // An end of an unknown shape is still an end: without a reason it never counts as success.
        Payload::Malformed(_) if event.kind == EventKind::TurnCompleted => {
            turn.ended_at = Some(event.at.clone().into_owned());
            turn.end = Some(TurnCompleted {
                turn_id: turn.turn_id.clone(),
                reason: None,
                usage: None,
                completion: None,
            });
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(tracker: &mut Tracker, seq: u64, kind: &str, payload: &str) -> String {
        let raw = format!(r#"{{"seq":{seq},"type":"{kind}","payload":{payload}}}"#);
        let noted = tracker.note(&Event::parse(&raw).unwrap());
        format!("{noted:?}")
            .split(['(', ' '])
            .next()
            .unwrap()
            .to_owned()
    }

    #[test]
    fn only_the_turn_with_our_text_is_ours() {
        let mut tracker = Tracker::new(Some("mine".into()));
        assert_eq!(
            note(
                &mut tracker,
                1,
                "turn.started",
                r#"{"turn_id":"t1","text":"other"}"#
            ),
            "NotOurs"
        );
        assert_eq!(
            note(
                &mut tracker,
                2,
                "turn.completed",
                r#"{"turn_id":"t1","reason":"error"}"#
            ),
            "NotOurs"
        );
        assert_eq!(
            note(
                &mut tracker,
                3,
                "turn.started",
                r#"{"turn_id":"t2","text":"mine"}"#
            ),
            "Ours"
        );
        assert_eq!(
            note(
                &mut tracker,
                4,
                "message.delta",
                r#"{"turn_id":"t9","text":"x"}"#
            ),
            "NotOurs"
        );
        assert_eq!(
            note(
                &mut tracker,
                5,
                "turn.completed",
                r#"{"turn_id":"t9","reason":"error"}"#
            ),
            "NotOurs"
        );
        assert_eq!(
            note(&mut tracker, 6, "plan.updated", r#"{"items":null}"#),
            "Ours"
        );
        assert_eq!(
            note(
                &mut tracker,
                7,
                "turn.completed",
                r#"{"turn_id":"t2","reason":"done"}"#
            ),
            "Ours"
        );
        assert!(tracker.ended());
    }

    #[test]
    fn a_start_without_text_is_ours_and_a_next_start_overtakes() {
        let mut tracker = Tracker::new(Some("mine".into()));
        assert_eq!(
            note(&mut tracker, 1, "turn.started", r#"{"turn_id":"t1"}"#),
            "Ours"
        );
        assert_eq!(
            note(&mut tracker, 2, "turn.started", r#"{"turn_id":"t2"}"#),
            "Overtaken"
        );
    }

    #[test]
    fn an_end_of_unknown_shape_is_an_end_without_a_reason() {
        let mut tracker = Tracker::new(None);
        note(&mut tracker, 1, "turn.started", r#"{"turn_id":"t1"}"#);
        note(&mut tracker, 2, "turn.completed", r#"{"turn_id":7}"#);
        assert!(tracker.ended());
        assert_eq!(tracker.turn.unwrap().reason(), None);
    }

    #[test]
    fn approval_ids_repeat_and_each_question_keeps_its_own_answer() {
        let mut tracker = Tracker::new(None);
        note(&mut tracker, 1, "turn.started", r#"{"turn_id":"t1"}"#);
        let asked = r#"{"approval_id":"t1-0","turn_id":"t1","tool_call_id":"c"}"#;
        note(&mut tracker, 2, "tool.approval_required", asked);
        note(
            &mut tracker,
            3,
            "tool.approval_resolved",
            r#"{"approval_id":"t1-0","decision":"deny"}"#,
        );
        note(&mut tracker, 4, "tool.approval_required", asked);
        tracker.answered_by(4, By::Policy, &Decision::Allow);
        note(
            &mut tracker,
            5,
            "tool.approval_resolved",
            r#"{"approval_id":"t1-0","decision":"allow"}"#,
        );
        let approvals = tracker.turn.unwrap().approvals;
        assert_eq!(approvals[0].by, Some(By::Elsewhere));
        assert_eq!(approvals[0].decision, Some(Decision::Deny));
        assert_eq!(approvals[1].by, Some(By::Policy));
        assert_eq!(approvals[1].decision, Some(Decision::Allow));
    }
}
