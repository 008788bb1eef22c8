//! Recorded sessions as scripts: `.sse` bodies, NDJSON logs, a daemon's record files.
//!
//! Turns are cut out of the file in its own order, numbers ignored: in a record file one number may
//! stand twice. A turn goes from its `turn.started` to its `turn.completed`, with a late
//! `session.error` behind it. What stands outside of turns is not played. A turn without an end is
//! played as far as it goes; then the streams end in an orderly way and the session is forgotten, as
//! a daemon does whose session was deleted.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::protocol::{ApprovalResolved, Decision, Event, EventKind, moment};

use super::script::{Action, Payload, Step, Wire};

/// An answer that follows its question within this time was not given by anybody.
const NOBODY_IS_THAT_FAST: Duration = Duration::from_millis(5);

/// The turns of a recorded session.
#[derive(Debug, Clone)]
pub struct Replay {
    turns: Vec<Arc<[Step]>>,
}

/// One recorded event.
struct Recorded {
    kind: EventKind,
    at: Option<SystemTime>,
    payload: String,
}

impl Replay {
    /// Reads a recording.
    ///
    /// # Errors
    /// A sentence for people if the file cannot be read, is no recording, or holds no turn.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, String> {
        let path = path.as_ref();
        let shown = path.display();
        let text = std::fs::read(path).map_err(|error| format!("cannot read {shown}: {error}"))?;
        Self::parse(&String::from_utf8_lossy(&text)).map_err(|why| format!("{shown}: {why}"))
    }

    /// Reads the text of a recording.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn parse(text: &str) -> Result<Self, String> {
        let turns: Vec<Arc<[Step]>> = turns(events(text)?)
            .iter()
            .map(|turn| steps(turn))
            .collect();
        if turns.is_empty() {
            return Err("the recording holds no turn".to_owned());
        }
        Ok(Self { turns })
    }

    /// How many turns there are; never 0.
    #[must_use]
    pub fn turns(&self) -> usize {
        self.turns.len()
    }

    /// The steps of a turn; after the last comes the first.
    pub(super) fn turn(&self, number: usize) -> Arc<[Step]> {
        Arc::clone(&self.turns[number % self.turns.len()])
    }
}

/// The events of a file, in its order.
fn events(text: &str) -> Result<Vec<Recorded>, String> {
    let mut events = Vec::new();
    let mut data = String::new();
    let mut data_line = 0;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        if let Some(rest) = line.strip_prefix("data:") {
            if data.is_empty() {
                data_line = number;
            } else {
                data.push('\n');
            }
            data.push_str(rest.strip_prefix(' ').unwrap_or(rest));
        } else if line.is_empty() {
            if !data.is_empty() {
                events.push(recorded(&data, data_line)?);
                data.clear();
            }
        } else if line.starts_with('{') {
            events.push(recorded(line, number)?);
        } else if !["id:", ":", "event:", "retry:"]
            .iter()
            .any(|start| line.starts_with(start))
        {
            return Err(format!(
                "line {number} belongs to no event stream and no log"
            ));
        }
    }
    // A stream that broke off may end in half a line, which no reader took for an event.
    if let Ok(event) = recorded(&data, data_line) {
        events.push(event);
    }
    Ok(events)
}

fn recorded(line: &str, number: usize) -> Result<Recorded, String> {
    let event = Event::parse(line).map_err(|error| format!("line {number}: {error}"))?;
    Ok(Recorded {
        at: moment(&event.at),
        payload: event.payload_json().to_owned(),
        kind: event.kind,
    })
}

/// Cuts the events into turns.
fn turns(events: Vec<Recorded>) -> Vec<Vec<Recorded>> {
    let mut turns: Vec<Vec<Recorded>> = Vec::new();
    let mut over = true;
    for event in events {
        if event.kind == EventKind::TurnStarted {
            turns.push(Vec::new());
            over = false;
        }
        let late = over && event.kind == EventKind::SessionError;
        let ends = event.kind == EventKind::TurnCompleted;
        if let Some(turn) = turns.last_mut()
            && (!over || late)
        {
            turn.push(event);
        }
        over |= ends;
    }
    turns
}

#[derive(serde::Deserialize)]
struct Started {
    #[serde(default)]
    turn_id: Option<String>,
}

#[derive(serde::Deserialize)]
struct Asked {
    approval_id: String,
}

fn steps(turn: &[Recorded]) -> Arc<[Step]> {
    let mut steps = Vec::new();
    let mut answered = vec![false; turn.len()];
    for (index, event) in turn.iter().enumerate() {
        if answered[index] {
            continue;
        }
        let verbatim = Payload::Verbatim(event.payload.clone());
        let action = match event.kind {
            EventKind::TurnStarted => {
                let started: Option<Started> = serde_json::from_str(&event.payload).ok();
                let turn_id = started.and_then(|started| started.turn_id);
                Action::Start { turn_id }
            }
            EventKind::ToolApprovalRequired => {
                let answer = answer_to(turn, index);
                if let Some(answer) = answer {
                    answered[answer] = true;
                }
                let recorded = answer.filter(|&answer| came_by_itself(turn, index, answer));
                Action::Ask {
                    payload: verbatim,
                    recorded: recorded.map(|answer| turn[answer].payload.clone()),
                }
            }
            _ => Action::Emit {
                kind: event.kind.as_str().to_owned(),
                payload: verbatim,
            },
        };
        steps.push(step(pause_before(turn, index), action));
        if is_round(event) && !ends_at(turn, index + 1) {
            steps.push(step(Duration::ZERO, Action::Round));
        }
    }
    if !turn
        .iter()
        .any(|event| event.kind == EventKind::TurnCompleted)
    {
        steps.push(step(Duration::ZERO, Action::Wire(Wire::Delete)));
    }
    steps.into()
}

fn step(after: Duration, action: Action) -> Step {
    Step {
        after,
        when: None,
        action,
    }
}

/// The event that closes the question at `index`.
fn answer_to(turn: &[Recorded], index: usize) -> Option<usize> {
    let asked: Asked = serde_json::from_str(&turn[index].payload).ok()?;
    let closes = |event: &Recorded| {
        event.kind == EventKind::ToolApprovalResolved
            && serde_json::from_str::<Asked>(&event.payload)
                .is_ok_and(|resolved| resolved.approval_id == asked.approval_id)
    };
    let found = turn[index + 1..].iter().position(closes)?;
    Some(index + 1 + found)
}

/// Whether an `allow_session` given before answered the question.
fn came_by_itself(turn: &[Recorded], question: usize, answer: usize) -> bool {
    let resolved: Option<ApprovalResolved> = serde_json::from_str(&turn[answer].payload).ok();
    answer == question + 1
        && resolved.is_some_and(|resolved| resolved.decision == Decision::AllowSession)
        && pause_before(turn, answer) < NOBODY_IS_THAT_FAST
}

/// The recorded time since the event before; none where the recording does not tell.
fn pause_before(turn: &[Recorded], index: usize) -> Duration {
    let before = index.checked_sub(1).and_then(|before| turn[before].at);
    let (Some(before), Some(at)) = (before, turn[index].at) else {
        return Duration::ZERO;
    };
    at.duration_since(before).unwrap_or_default()
}

fn is_round(event: &Recorded) -> bool {
    event.kind == EventKind::Progress && event.payload.contains("\"kind\":\"rounds\"")
}

/// Whether no further round starts at `index`.
fn ends_at(turn: &[Recorded], index: usize) -> bool {
    turn.get(index)
        .is_none_or(|event| event.kind == EventKind::TurnCompleted)
}
