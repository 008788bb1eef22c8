//! One JSON object that says how a turn went, for scripts that want more than an exit code.

mod object;

use std::io::{self, Write};

use self::object::{Client, Context, Daemon, Measured, Object, RoundsDone, Tokens};
use super::facts::Facts;
use super::record::Record;
use super::visible::visible_json;
use super::workflow::workflow_safe_json;
use super::{Reporter, Verdict};
use crate::protocol::Event;

/// The version of the object's shape.
const SCHEMA_VERSION: u32 = 1;

/// Gathers a turn and writes its summary at the end: one JSON object, one line.
///
/// The turn is what lies between the last `turn.started` and the end; each one begins anew.
#[derive(Debug)]
pub struct Summary<W: Write> {
    out: W,
    record: Record,
}

impl<W: Write> Summary<W> {
    /// Writes to `out`, at the end and only then.
    pub fn new(out: W) -> Self {
        Self {
            out,
            record: Record::default(),
        }
    }
}

/// The object; whatever the verdict says goes before what was seen.
fn object<'a>(facts: &Facts<'a>) -> Object<'a> {
    let tally = &facts.seen.tally;
    let usage = facts.usage();
    let exit = facts.exit();
    Object {
        schema_version: SCHEMA_VERSION,
        session_id: facts.session_id(),
        turn_id: facts.turn_id(),
        prompt_sha256: facts.prompt_sha256(),
        reason: facts.reason(),
        exit_code: exit.map(|(code, _)| code),
        exit_name: exit.map(|(_, name)| name),
        accepted: facts.accepted(),
        gates: facts.gates(),
        capped_by_client: facts.capped_by_client(),
        message: facts.message(),
        answer: facts.answer(),
        usage: usage.map(Tokens::from),
        context: Context::of(
            usage.and_then(|usage| usage.context_tokens),
            facts.context_window(),
        ),
        completion: facts.completion().map(Measured::from),
        tools: &tally.tools,
        changes: tally.changes,
        rounds: facts.rounds().map(RoundsDone::from),
        approvals: facts.approvals(),
        steerings: tally.steerings,
        errors: &tally.errors,
        duration_ms: facts.duration_ms(),
        first_seq: facts.first_seq(),
        last_seq: facts.last_seq(),
        started_at: facts.started_at(),
        ended_at: facts.ended_at(),
        model: facts.model(),
        workspace: facts.workspace(),
        reconnects: facts.reconnects(),
        client: Client::this(),
        daemon: Daemon {
            version: facts.daemon_version(),
        },
    }
}

impl<W: Write> Reporter for Summary<W> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        self.record.event(event);
        Ok(())
    }

    fn idle(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self, verdict: Option<&Verdict>) -> io::Result<()> {
        let facts = Facts::new(&self.record.session, &self.record.turn, verdict);
        let text = serde_json::to_string(&object(&facts))?;
        // It may be the last line of a page, on a terminal or in the log of a workflow: the same
        // object, without what either would obey.
        let mut text = workflow_safe_json(&visible_json(&text));
        text.push('\n');
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::StopReason;
    use crate::report::testing::{recording, recordings};
    use serde_json::{Value, json};

    fn summary_of(name: &str, verdict: Option<&Verdict>) -> Value {
        let mut out = Vec::new();
        let mut summary = Summary::new(&mut out);
        for line in recording(name) {
            summary.event(&Event::parse(&line).unwrap()).unwrap();
        }
        summary.end(verdict).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text.find('\n'), Some(text.len() - 1), "one line");
        let summary = serde_json::from_str(&text).unwrap();
        let schema = serde_json::from_str(include_str!("schema/summary.json")).unwrap();
        let schema = jsonschema::draft202012::new(&schema).unwrap();
        if let Err(error) = schema.validate(&summary) {
            panic!("{name}: {error}: {text}");
        }
        summary
    }

    #[test]
    fn b08_changes_count_the_calls_that_carry_a_diff() {
        let summary = summary_of("done-tools", None);
        // The read reports a file, too, and the write and the edit their net lines.
        assert_eq!(summary["changes"], json!({"files":2,"added":4,"removed":0}));
        let searches = summary_of("done-parallel", None);
        assert_eq!(
            searches["changes"],
            json!({"files":0,"added":0,"removed":0})
        );
    }

    #[test]
    fn tools_are_counted_by_name() {
        let row = |name: &str, requested: u64, completed: u64, failed: u64, nonzero: u64| {
            json!({"name":name,"requested":requested,"completed":completed,"failed":failed,
                "nonzero_exit":nonzero,"denied":0})
        };
        assert_eq!(
            summary_of("done-tools", None)["tools"],
            json!([
                row("write", 1, 1, 0, 0),
                row("read", 1, 1, 0, 0),
                row("edit", 1, 1, 0, 0),
                row("bash", 2, 2, 0, 1)
            ])
        );
        assert_eq!(
            summary_of("done-tool-failures", None)["tools"],
            json!([row("read", 2, 1, 1, 0), row("edit", 1, 1, 1, 0)])
        );
    }

    #[test]
    fn the_last_turn_is_the_one_and_unknown_is_null() {
        let summary = summary_of("resumed", None);
        assert_eq!(summary["turn_id"], "t1");
        assert_eq!(
            (&summary["first_seq"], &summary["last_seq"]),
            (&json!(24), &json!(27))
        );
        assert_eq!(summary["reason"], "done");
        assert_eq!(summary["model"], "MiniMax-M3");
        assert_eq!(summary["workspace"], "/tmp/ws");
        assert_eq!(summary["tools"], json!([]));
        for unknown in [
            "exit_code",
            "exit_name",
            "message",
            "answer",
            "completion",
            "rounds",
        ] {
            let object = summary.as_object().unwrap();
            assert_eq!(object.get(unknown), Some(&Value::Null), "{unknown}");
        }
        let tokens = json!({"tokens":722,"window":1_000_000,"share":0.000_722});
        assert_eq!(summary["context"], tokens);
    }

    #[test]
    fn what_happened_on_the_way_is_there() {
        let late = summary_of("steer-too-late", None);
        assert_eq!(late["errors"][0]["code"], "no_active_turn");
        assert_eq!(late["last_seq"], 6);
        assert_eq!(late["duration_ms"], 1503);
        assert_eq!(summary_of("steer-delivered", None)["steerings"], 2);
        let rounds = &summary_of("done-tools", None)["rounds"];
        assert_eq!(rounds, &json!({"done":5,"total":2000}));
        assert_eq!(
            summary_of("error-auth", None)["errors"][0]["message"],
            "authentication rejected"
        );
        assert_eq!(
            summary_of("unverified", None)["completion"],
            json!({"verification":"unavailable","met":["lint"],"unavailable":["tests"],
                "unmet":[],"touched_protected":[]})
        );
    }

    #[test]
    fn the_verdict_has_the_last_word() {
        let verdict = Verdict {
            session_id: Some("s".into()),
            reason: Some(StopReason::Incomplete),
            exit_code: 124,
            exit_name: "timeout".into(),
            message: Some("late".into()),
            answer: Some("text\u{1b}".into()),
            reconnects: 3,
            ..Verdict::default()
        };
        let summary = summary_of("done-tools", Some(&verdict));
        assert_eq!(summary["session_id"], "s");
        assert_eq!(summary["reason"], "incomplete");
        assert_eq!(
            (&summary["exit_code"], &summary["exit_name"]),
            (&json!(124), &json!("timeout"))
        );
        assert_eq!(summary["answer"], "text\u{1b}");
        assert_eq!(summary["reconnects"], 3);
        assert_eq!(summary["client"]["name"], "dcodectl");
        assert_eq!(summary["schema_version"], 1);
    }

    #[test]
    fn every_recording_has_the_same_keys() {
        let keys = |summary: &Value| -> Vec<String> {
            summary.as_object().unwrap().keys().cloned().collect()
        };
        let expected = keys(&summary_of("done-tools", None));
        for name in recordings() {
            assert_eq!(keys(&summary_of(&name, None)), expected, "{name}");
        }
    }
}
