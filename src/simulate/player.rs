//! Plays the steps of a turn into its session, waiting where a turn waits.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::protocol::{ApprovalRequest, Decision};

use super::clock;
use super::core::Core;
use super::json;
use super::record::{Logged, Record};
use super::script::{Action, Payload, Step, When, Wire};
use super::session::{Item, Session, Woken};

/// A turn that is being played.
pub(super) struct Player {
    core: Arc<Core>,
    session: Arc<Session>,
    turn_id: String,
    prompt: String,
    /// When the last call was requested or its question answered: `$STARTED`.
    started: String,
    started_at: Instant,
    /// The call that runs, by id.
    running: Option<String>,
    rounds: u64,
    granted: Option<bool>,
    /// The interrupt met an open question.
    was_asking: bool,
    steered: bool,
    /// `turn.completed` was sent: an interrupt comes too late.
    over: bool,
}

/// What becomes of the turn after a step.
#[derive(PartialEq, Eq)]
enum Next {
    Step,
    Interrupted,
    /// The session is gone, or the last event was sent.
    Ended,
}

impl Player {
    pub(super) fn new(core: Arc<Core>, session: Arc<Session>, turn: usize, prompt: String) -> Self {
        Self {
            core,
            session,
            turn_id: format!("t{turn}"),
            prompt,
            started: clock::now(),
            started_at: Instant::now(),
            running: None,
            rounds: 0,
            granted: None,
            was_asking: false,
            steered: false,
            over: false,
        }
    }

    /// Plays the whole turn.
    pub(super) fn play(mut self, steps: &[Step]) {
        for (index, step) in steps.iter().enumerate() {
            if !self.holds(step.when) {
                continue;
            }
            let pause = self.core.options.speed.applied_to(step.after);
            let mut next = match step.action {
                // However early an interrupt comes, the turn has started.
                Action::Start { .. } => Next::Step,
                _ => self.pause(Some(pause)),
            };
            if next == Next::Step {
                next = self.perform(&step.action, index + 1 == steps.len());
            }
            match next {
                Next::Step => {}
                Next::Interrupted => return self.interrupted(),
                Next::Ended => return,
            }
        }
        self.session.end_turn(None);
    }

    fn holds(&self, when: Option<When>) -> bool {
        match when {
            None => true,
            Some(When::Granted) => self.granted == Some(true),
            Some(When::Denied) => self.granted == Some(false),
            Some(When::Steered) => self.steered,
            Some(When::NotSteered) => !self.steered,
        }
    }

    fn pause(&self, limit: Option<Duration>) -> Next {
        match self.session.wait(limit) {
            Woken::Gone => Next::Ended,
            Woken::Interrupted if !self.over => Next::Interrupted,
            _ => Next::Step,
        }
    }

    fn perform(&mut self, action: &Action, last: bool) -> Next {
        match action {
            Action::Start { turn_id } => self.start(turn_id.as_deref()),
            Action::Emit { kind, payload } => return self.emit(kind, payload, last),
            Action::Ask { payload, recorded } => return self.ask(payload, recorded.as_deref()),
            Action::Round => self.deliver_corrections(),
            Action::EditedByHand(path) => self.session.edited_by_hand(path),
            Action::Hold => return self.pause(None),
            Action::Wire(wire) => self.disturb(*wire),
        }
        Next::Step
    }

    fn start(&mut self, turn_id: Option<&str>) {
        if let Some(turn_id) = turn_id {
            turn_id.clone_into(&mut self.turn_id);
        }
        let payload = started_payload(&self.turn_id, &self.prompt);
        self.session.append("turn.started", &payload);
        // A prompt may be megabytes long and is needed once.
        self.prompt = String::new();
    }

    fn emit(&mut self, kind: &str, payload: &Payload, last: bool) -> Next {
        let text = self.text(payload);
        match kind {
            "tool.requested" => self.call_starts(&text),
            "tool.completed" => self.running = None,
            "progress" if text.contains("\"kind\":\"rounds\"") => {
                self.rounds += 1;
                self.running = None;
            }
            "turn.completed" => self.over = true,
            _ => {}
        }
        if last && self.over {
            // One step, so that a client that saw the end finds the session idle.
            self.session.end_turn(Some((kind, &text)));
            return Next::Ended;
        }
        if self.session.append(kind, &text) {
            Next::Step
        } else {
            Next::Ended
        }
    }

    fn call_starts(&mut self, requested: &str) {
        let call: Option<Call> = serde_json::from_str(requested).ok();
        // Of the calls of one reply the first runs first.
        if self.running.is_none() {
            self.running = call.map(|call| call.tool_call_id);
        }
        self.clock_starts();
    }

    fn clock_starts(&mut self) {
        self.started = clock::now();
        self.started_at = Instant::now();
    }

    fn text(&self, payload: &Payload) -> String {
        match payload {
            Payload::Verbatim(text) => text.clone(),
            Payload::Template(text) => filled(text, &self.turn_id, &self.started),
        }
    }

    fn deliver_corrections(&mut self) {
        for text in self.session.take_corrections() {
            self.steered = true;
            let turn = json::quoted(&self.turn_id);
            let text = json::quoted(&text);
            let payload = format!("{{\"turn_id\":{turn},\"text\":{text}}}");
            self.session.append("turn.steered", &payload);
        }
    }

    fn ask(&mut self, payload: &Payload, recorded: Option<&str>) -> Next {
        let text = self.text(payload);
        let Ok(question) = serde_json::from_str::<ApprovalRequest>(&text) else {
            // A question that nobody could answer is only shown.
            self.session.append("tool.approval_required", &text);
            return Next::Step;
        };
        let key = grant_key(&question);
        let scripted = matches!(payload, Payload::Template(_));
        if scripted && question.boundary_crossed == "network" && self.session.is_granted(&key) {
            self.granted = Some(true);
            return Next::Step;
        }
        if let Some(resolved) = recorded {
            self.session.append("tool.approval_required", &text);
            self.session.append("tool.approval_resolved", resolved);
            self.granted = Some(true);
            return Next::Step;
        }
        if scripted && self.session.is_granted(&key) {
            self.session.append("tool.approval_required", &text);
            return self.resolved(&question.approval_id, &Decision::AllowSession);
        }
        self.wait_for_answer(&question, &text, key)
    }

    fn wait_for_answer(&mut self, question: &ApprovalRequest, text: &str, key: String) -> Next {
        let id = &question.approval_id;
        let announced = Some(("tool.approval_required", text));
        let window = self.core.options.early_answer_window();
        if window.is_zero() {
            self.session.open_question(id, announced);
        } else {
            // The daemon sends the event before it registers the question (protocol, section 7).
            self.session.append("tool.approval_required", text);
            match self.pause(Some(window)) {
                Next::Step => {}
                Next::Interrupted => return self.interrupted_while_asking(id),
                Next::Ended => return Next::Ended,
            }
            self.session.open_question(id, None);
        }
        let limit = self.core.options.answer_limit();
        match self.session.wait_for_answer(id, limit) {
            Woken::Gone => Next::Ended,
            Woken::Time => self.resolved(id, &Decision::Deny),
            Woken::Interrupted => self.interrupted_while_asking(id),
            Woken::Answered(decision) => {
                let lasting = decision == Decision::AllowSession
                    || (question.boundary_crossed == "network" && decision.grants());
                if lasting {
                    self.session.grant(key);
                }
                self.resolved(id, &decision)
            }
        }
    }

    fn interrupted_while_asking(&mut self, id: &str) -> Next {
        self.was_asking = true;
        self.resolved(id, &Decision::Deny);
        Next::Interrupted
    }

    fn resolved(&mut self, id: &str, decision: &Decision) -> Next {
        let id = json::quoted(id);
        let payload = format!("{{\"approval_id\":{id},\"decision\":\"{decision}\"}}");
        self.session.append("tool.approval_resolved", &payload);
        self.granted = Some(decision.grants());
        if !decision.grants() {
            self.running = None;
        }
        self.clock_starts();
        Next::Step
    }

    fn disturb(&self, wire: Wire) {
        match wire {
            Wire::Cut => self.session.cut_next(),
            Wire::End => self.session.end_streams(),
            Wire::Restart => self.core.forget_sessions(),
            Wire::Delete => {
                self.core.delete(&self.session.facts.id);
            }
            Wire::Stall => self.session.tell_readers(|| Item::Mute),
            Wire::Garbage => self
                .session
                .tell_readers(|| Item::Raw("data: <html>502 Bad Gateway</html>\n\n")),
        }
    }

    /// Ends the turn as the recorded daemon did: the command that ran has failed, and only turns
    /// that got so far end a round (protocol, section 11).
    fn interrupted(mut self) {
        let turn = json::quoted(&self.turn_id);
        let in_a_round = self.running.is_some() || self.was_asking;
        if let Some(call) = self.running.take() {
            let (call, now) = (json::quoted(&call), clock::now());
            let (started, took) = (&self.started, self.started_at.elapsed().as_millis());
            let payload = format!(
                "{{\"tool_call_id\":{call},\"ok\":false,\"output\":\"could not run the command: context canceled\",\"truncated\":false,\"duration_ms\":{took},\"started_at\":\"{started}\",\"finished_at\":\"{now}\"}}"
            );
            self.session.append("tool.completed", &payload);
        }
        if in_a_round {
            self.rounds += 1;
            let done = self.rounds;
            let payload = format!(
                "{{\"turn_id\":{turn},\"kind\":\"rounds\",\"done\":{done},\"total\":2000}}"
            );
            self.session.append("progress", &payload);
        }
        let input = 120 * self.rounds;
        let payload = format!(
            "{{\"turn_id\":{turn},\"reason\":\"interrupted\",\"usage\":{{\"input_tokens\":{input},\"output_tokens\":0,\"context_tokens\":618}}}}"
        );
        self.session.end_turn(Some(("turn.completed", &payload)));
    }
}

#[derive(serde::Deserialize)]
struct Call {
    tool_call_id: String,
}

/// What an `allow_session` covers: the same rule, or the same tool and command.
fn grant_key(question: &ApprovalRequest) -> String {
    if question.boundary_crossed == "network" {
        return "network".to_owned();
    }
    match (&question.rule, &question.command) {
        (Some(rule), _) => format!("rule {rule}"),
        (None, command) => format!(
            "{} {}",
            question.tool,
            command.as_deref().unwrap_or_default()
        ),
    }
}

fn started_payload(turn_id: &str, prompt: &str) -> String {
    let turn = json::quoted(turn_id);
    if prompt.is_empty() {
        return format!("{{\"turn_id\":{turn}}}");
    }
    format!("{{\"turn_id\":{turn},\"text\":{}}}", json::quoted(prompt))
}

fn filled(template: &str, turn_id: &str, started: &str) -> String {
    template
        .replace("$TURN", turn_id)
        .replace("$STARTED", started)
        .replace("$NOW", &clock::now())
}

/// Writes a turn straight into a record, as the history of a session from before the daemon's start.
pub(super) fn record_turn(id: &str, steps: &[Step], record: &Record) {
    let mut seq = 0;
    let mut push = |kind: &str, payload: String| {
        seq += 1;
        let at = clock::now();
        let line = format!(
            "{{\"seq\":{seq},\"session_id\":\"{id}\",\"type\":\"{kind}\",\"at\":\"{at}\",\"payload\":{payload}}}"
        );
        record.push(Arc::new(Logged {
            seq,
            kind: kind.to_owned(),
            payload,
            line,
        }));
    };
    for step in steps.iter().filter(|step| step.when.is_none()) {
        match &step.action {
            Action::Start { .. } => push("turn.started", started_payload("t1", HISTORY_PROMPT)),
            Action::Emit { kind, payload } => {
                let (Payload::Verbatim(text) | Payload::Template(text)) = payload;
                push(kind, filled(text, "t1", &clock::now()));
            }
            _ => {}
        }
    }
}

/// The prompt of a turn that was played before the daemon's start.
const HISTORY_PROMPT: &str = "Make the parser accept an empty list";
