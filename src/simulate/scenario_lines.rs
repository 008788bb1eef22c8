//! The lines of a scenario file: short forms that are written out into steps.

use std::fmt::Write;
use std::time::Duration;

use serde_json::value::RawValue;

use super::json::{compact, quoted};
use super::members::Members;
use super::script::{Action, Payload, Step, When, Wire};

/// One line of a scenario. Exactly one of the members below `on` is there.
pub(super) struct Line<'a> {
    /// The pause before the step, in milliseconds.
    after: u64,
    /// `allow`, `deny`, `steered` or `unsteered`.
    on: Option<String>,
    /// Answer text, sent word by word, and the milliseconds between words.
    say: Option<String>,
    /// Thinking, likewise.
    think: Option<String>,
    each: u64,
    /// A tool call: its arguments arrive, it is requested, it starts unless `asks`.
    call: Option<Call<'a>>,
    /// What the last call returned; ids and times are filled in.
    result: Option<&'a RawValue>,
    /// The question about the last call.
    ask: Option<&'a RawValue>,
    /// The round is over.
    round: Option<u64>,
    /// The end of the turn, with its reason.
    end: Option<String>,
    completion: Option<&'a RawValue>,
    /// Any event.
    emit: Option<String>,
    payload: Option<&'a RawValue>,
    edited_by_hand: Option<String>,
    hold: bool,
    wire: Option<String>,
}

struct Call<'a> {
    name: String,
    input: &'a RawValue,
    /// It belongs to the same reply as the call before.
    same_reply: bool,
    /// It is requested and never runs.
    never_runs: bool,
}

impl<'a> Line<'a> {
    /// Reads a line.
    pub(super) fn read(text: &'a str) -> Result<Self, String> {
        let mut members = Members::read(text)?;
        let call = members.raw("call").map(RawValue::get);
        let line = Self {
            after: members.take("after")?.unwrap_or_default(),
            on: members.take("on")?,
            say: members.take("say")?,
            think: members.take("think")?,
            each: members.take("each")?.unwrap_or_default(),
            call: call.map(Call::read).transpose()?,
            result: members.raw("result"),
            ask: members.raw("ask"),
            round: members.take("round")?,
            end: members.take("end")?,
            completion: members.raw("completion"),
            emit: members.take("emit")?,
            payload: members.raw("payload"),
            edited_by_hand: members.take("edited_by_hand")?,
            hold: members.take("hold")?.unwrap_or_default(),
            wire: members.take("wire")?,
        };
        members.end()?;
        Ok(line)
    }
}

impl<'a> Call<'a> {
    fn read(text: &'a str) -> Result<Self, String> {
        let mut members = Members::read(text)?;
        let call = Self {
            name: members.demand("name")?,
            input: members.raw("input").ok_or("input is missing")?,
            same_reply: members.take("same_reply")?.unwrap_or_default(),
            never_runs: members.take("never_runs")?.unwrap_or_default(),
        };
        members.end()?;
        Ok(call)
    }
}

/// Writes the short forms out into steps.
#[derive(Default)]
pub(super) struct Writer {
    pub(super) steps: Vec<Step>,
    after: Duration,
    when: Option<When>,
    round: u64,
    /// Calls of this reply so far, and calls that have returned.
    calls: u64,
    call: String,
    words: u64,
}

impl Writer {
    pub(super) fn push(&mut self, action: Action) {
        let after = std::mem::take(&mut self.after);
        let when = self.when;
        self.steps.push(Step {
            after,
            when,
            action,
        });
    }

    fn emit(&mut self, kind: &str, payload: String) {
        self.push(Action::Emit {
            kind: kind.to_owned(),
            payload: Payload::Template(payload),
        });
    }

    pub(super) fn line(&mut self, line: Line<'_>) -> Result<(), String> {
        self.after = Duration::from_millis(line.after);
        self.when = line.on.as_deref().map(when).transpose()?;
        if let Some(text) = &line.say {
            self.words("message.delta", text, line.each);
        } else if let Some(text) = &line.think {
            self.words("message.reasoning", text, line.each);
        } else if let Some(call) = &line.call {
            self.call(call);
        } else if let Some(result) = &line.result {
            self.result(result.get())?;
        } else if let Some(question) = &line.ask {
            self.ask(question.get())?;
        } else if let Some(limit) = line.round {
            self.round(limit);
        } else if let Some(reason) = &line.end {
            self.end(reason, line.completion);
        } else if let Some(kind) = &line.emit {
            let payload = line.payload.map_or("{}", RawValue::get);
            let payload = compact(payload);
            self.emit(kind, payload);
        } else if let Some(path) = line.edited_by_hand {
            self.push(Action::EditedByHand(path));
        } else if line.hold {
            self.push(Action::Hold);
        } else if let Some(word) = &line.wire {
            self.push(Action::Wire(wire(word)?));
        } else {
            return Err("a step without an action".into());
        }
        Ok(())
    }

    /// One fragment a word, as models stream.
    fn words(&mut self, kind: &str, text: &str, each: u64) {
        for word in text.split_inclusive(' ') {
            self.words += 1;
            let text = quoted(word);
            self.emit(kind, format!("{{\"turn_id\":\"$TURN\",\"text\":{text}}}"));
            self.after = Duration::from_millis(each);
        }
        self.after = Duration::ZERO;
    }

    fn call(&mut self, call: &Call<'_>) {
        if !call.same_reply {
            self.calls = 0;
        }
        self.call = format!("call_{}_{}", self.round, self.calls);
        self.calls += 1;
        let (id, name) = (quoted(&self.call), quoted(&call.name));
        let input = compact(call.input.get());
        self.emit(
            "progress",
            format!("{{\"turn_id\":\"$TURN\",\"tool_call_id\":{id},\"name\":{name},\"kind\":\"arguments\",\"done\":0}}"),
        );
        self.emit(
            "tool.requested",
            format!(
                "{{\"turn_id\":\"$TURN\",\"tool_call_id\":{id},\"name\":{name},\"input\":{input}}}"
            ),
        );
        if !call.never_runs {
            self.emit(
                "progress",
                "{\"turn_id\":\"$TURN\",\"kind\":\"in_flight\",\"done\":1,\"total\":4}".to_owned(),
            );
        }
    }

    /// The members of the result stand between those that every result has, as on the wire.
    fn result(&mut self, members: &str) -> Result<(), String> {
        let result = ResultLine::read(members)?;
        let id = quoted(&self.call);
        let (ok, output) = (result.ok.unwrap_or(true), quoted(&result.output));
        let mut payload =
            format!("{{\"tool_call_id\":{id},\"ok\":{ok},\"output\":{output},\"truncated\":false");
        // Writing to a string cannot fail.
        let numbers = [
            ("lines", result.lines),
            ("files", result.files),
            ("added", result.added),
            ("removed", result.removed),
            ("exit_code", result.exit.filter(|code| *code != 0)),
        ];
        for (name, number) in numbers {
            if let Some(number) = number {
                let _ = write!(payload, ",\"{name}\":{number}");
            }
        }
        if result.exit.is_some() {
            payload.push_str(",\"has_exit\":true");
        }
        let took = self.after.as_millis().max(1);
        let _ = write!(
            payload,
            ",\"duration_ms\":{took},\"started_at\":\"$STARTED\",\"finished_at\":\"$NOW\""
        );
        if let Some(diff) = &result.diff {
            let _ = write!(payload, ",\"diff\":{}", quoted(diff));
        }
        payload.push('}');
        self.emit("tool.completed", payload);
        Ok(())
    }

    fn ask(&mut self, members: &str) -> Result<(), String> {
        let ask = AskLine::read(members)?;
        let index = self.calls.saturating_sub(1);
        let (call, tool) = (quoted(&self.call), quoted(&ask.tool));
        let command = member("command", ask.command.as_deref());
        let (reason, rule) = (
            member("reason", ask.reason.as_deref()),
            member("rule", ask.rule.as_deref()),
        );
        let (boundary, zero) = (quoted(&ask.boundary), super::clock::ZERO_TIME);
        let payload = format!(
            "{{\"approval_id\":\"$TURN-{index}\",\"turn_id\":\"$TURN\",\"tool_call_id\":{call},\"tool\":{tool}{command},\"boundary_crossed\":{boundary},\"expires_at\":\"{zero}\"{reason}{rule}}}"
        );
        self.push(Action::Ask {
            payload: Payload::Template(payload),
            recorded: None,
        });
        Ok(())
    }

    fn round(&mut self, limit: u64) {
        self.round += 1;
        let done = self.round;
        self.emit(
            "progress",
            format!(
                "{{\"turn_id\":\"$TURN\",\"kind\":\"rounds\",\"done\":{done},\"total\":{limit}}}"
            ),
        );
        self.push(Action::Round);
        self.calls = 0;
    }

    fn end(&mut self, reason: &str, completion: Option<&RawValue>) {
        let (input, output) = (6200 * (self.round + 1), 35 * self.round + 2 * self.words);
        let (cached, context) = (5100 * self.round, 6200 + 900 * self.round);
        let cached = if cached == 0 {
            String::new()
        } else {
            format!(",\"cache_read_tokens\":{cached}")
        };
        let completion = completion.map_or(String::new(), |completion| {
            format!(",\"completion\":{}", compact(completion.get()))
        });
        let reason = quoted(reason);
        self.emit(
            "turn.completed",
            format!("{{\"turn_id\":\"$TURN\",\"reason\":{reason},\"usage\":{{\"input_tokens\":{input},\"output_tokens\":{output}{cached},\"context_tokens\":{context}}}{completion}}}"),
        );
    }
}

struct ResultLine {
    ok: Option<bool>,
    output: String,
    lines: Option<i64>,
    files: Option<i64>,
    added: Option<i64>,
    removed: Option<i64>,
    /// The command's exit status, 0 included.
    exit: Option<i64>,
    diff: Option<String>,
}

struct AskLine {
    tool: String,
    command: Option<String>,
    boundary: String,
    reason: Option<String>,
    rule: Option<String>,
}

impl ResultLine {
    fn read(text: &str) -> Result<Self, String> {
        let mut members = Members::read(text)?;
        let line = Self {
            ok: members.take("ok")?,
            output: members.take("output")?.unwrap_or_default(),
            lines: members.take("lines")?,
            files: members.take("files")?,
            added: members.take("added")?,
            removed: members.take("removed")?,
            exit: members.take("exit")?,
            diff: members.take("diff")?,
        };
        members.end()?;
        Ok(line)
    }
}

impl AskLine {
    fn read(text: &str) -> Result<Self, String> {
        let mut members = Members::read(text)?;
        let line = Self {
            tool: members.demand("tool")?,
            command: members.take("command")?,
            boundary: members.demand("boundary")?,
            reason: members.take("reason")?,
            rule: members.take("rule")?,
        };
        members.end()?;
        Ok(line)
    }
}

fn member(name: &str, value: Option<&str>) -> String {
    value.map_or(String::new(), |value| {
        format!(",\"{name}\":{}", quoted(value))
    })
}

fn when(word: &str) -> Result<When, String> {
    Ok(match word {
        "allow" => When::Granted,
        "deny" => When::Denied,
        "steered" => When::Steered,
        "unsteered" => When::NotSteered,
        _ => return Err(format!("unknown condition {word}")),
    })
}

fn wire(word: &str) -> Result<Wire, String> {
    Ok(match word {
        "cut" => Wire::Cut,
        "end" => Wire::End,
        "restart" => Wire::Restart,
        "delete" => Wire::Delete,
        "stall" => Wire::Stall,
        "garbage" => Wire::Garbage,
        _ => return Err(format!("unknown disturbance {word}")),
    })
}
