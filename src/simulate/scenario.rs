//! Scenarios: hand-written turns, one file each under `scenarios/`.
//!
//! A file is one JSON object a line. The first says what the scenario is about; each other one is a
//! step, in the short forms below, so that a turn reads like a turn.

use std::sync::LazyLock;
use std::time::Duration;

use crate::packed::SCENARIOS;

use super::members::Members;
use super::scenario_lines::{Line, Writer};
use super::script::{Action, Step};

/// A turn to play, by name.
#[derive(Debug)]
pub struct Scenario {
    /// Its name, with hyphens.
    pub name: &'static str,
    /// One line about it.
    pub about: String,
    /// The daemon's deadline for answers, if the scenario is about it.
    pub(super) approval_timeout: Option<Duration>,
    /// How long a question is shown before it can be answered.
    pub(super) early_answer_window: Option<Duration>,
    /// The first session already holds the turn of this scenario.
    pub(super) history: Option<String>,
    /// What the daemon does to every connection instead of serving it.
    pub(super) door: Option<Door>,
    pub(super) steps: Vec<Step>,
}

/// A daemon that serves nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Door {
    /// Accepts connections and never answers.
    Silent,
    /// Speaks another protocol.
    NotHttp,
}

/// Every scenario, in the order they are listed.
pub fn scenarios() -> impl Iterator<Item = &'static Scenario> {
    ALL.iter()
}

/// The scenario of that name.
#[must_use]
pub fn scenario(name: &str) -> Option<&'static Scenario> {
    ALL.iter().find(|scenario| scenario.name == name)
}

impl Scenario {
    /// What is played without being told otherwise.
    pub(super) fn first() -> &'static Self {
        &ALL[0]
    }
}

/// The files, read once. A file that cannot be read is left out, and a test says so.
static ALL: LazyLock<Vec<Scenario>> = LazyLock::new(|| {
    let texts = SCENARIOS.texts();
    let read = |name: &&'static str| {
        let (_, text) = texts.iter().find(|(file, _)| is_file_of(file, name))?;
        read(name, text).ok()
    };
    NAMES.iter().filter_map(read).collect()
});

/// In the order they are listed.
const NAMES: &[&str] = &[
    "done",
    "unverified",
    "incomplete",
    "interrupted",
    "max-iterations",
    "repeat-loop",
    "max-tokens",
    "error",
    "error-silent",
    "unchecked",
    "unknown-reason",
    "approval",
    "approval-session",
    "approval-expires",
    "approval-reused-id",
    "approval-too-soon",
    "approval-network",
    "steering",
    "plan",
    "tools",
    "protected-touched",
    "undo-refused",
    "long-answer",
    "slow",
    "resumed",
    "unknown-event",
    "late-error",
    "weird-output",
    "retry-repeats-text",
    "cut",
    "drop",
    "restart",
    "silence",
    "stall",
    "garbage",
    "refuse",
    "not-http",
];

/// Whether the file is the one of the scenario of that name.
fn is_file_of(file: &str, name: &str) -> bool {
    file.strip_suffix(".ndjson") == Some(name)
}

fn read(name: &'static str, text: &str) -> Result<Scenario, String> {
    let mut lines = text.lines().enumerate();
    let wrong = |number: usize, error: &dyn std::fmt::Display| {
        format!("{name}, line {}: {error}", number + 1)
    };
    let (_, head) = lines.next().ok_or("no first line")?;
    let mut head = Members::read(head).map_err(|error| wrong(0, &error))?;
    let scenario = scenario_of(name, &mut head).map_err(|error| wrong(0, &error))?;
    head.end().map_err(|error| wrong(0, &error))?;
    let mut writer = Writer::default();
    if scenario.door.is_none() {
        writer.push(Action::Start { turn_id: None });
    }
    for (number, line) in lines.filter(|(_, line)| !line.is_empty()) {
        let line = Line::read(line).map_err(|error| wrong(number, &error))?;
        writer.line(line).map_err(|error| wrong(number, &error))?;
    }
    Ok(Scenario {
        steps: writer.steps,
        ..scenario
    })
}

/// What the first line says.
fn scenario_of(name: &'static str, head: &mut Members<'_>) -> Result<Scenario, String> {
    let door: Option<String> = head.take("door")?;
    Ok(Scenario {
        name,
        about: head.demand("about")?,
        approval_timeout: head.take("approval_timeout_ms")?.map(Duration::from_millis),
        early_answer_window: head.take("early_answer_ms")?.map(Duration::from_millis),
        history: head.take("history")?,
        door: match door.as_deref() {
            None => None,
            Some("silent") => Some(Door::Silent),
            Some("not_http") => Some(Door::NotHttp),
            Some(other) => return Err(format!("unknown door {other}")),
        },
        steps: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::script::Payload;
    use super::*;

    #[test]
    fn every_scenario_file_is_readable_and_described() {
        for (name, text) in SCENARIOS.texts() {
            let scenario = read("a name", &text).unwrap();
            let about = &scenario.about;
            assert!(!about.is_empty() && about.len() < 90, "{name}: {about}");
            assert!(
                !about.contains('\n') && !about.ends_with('.'),
                "{name}: {about}"
            );
        }
        assert_eq!(scenarios().count(), SCENARIOS.texts().len());
        assert_eq!(scenarios().count(), NAMES.len());
    }

    #[test]
    fn every_payload_is_json_once_filled_in() {
        for scenario in scenarios() {
            for step in &scenario.steps {
                let (Action::Emit { payload, .. } | Action::Ask { payload, .. }) = &step.action
                else {
                    continue;
                };
                let (Payload::Template(text) | Payload::Verbatim(text)) = payload;
                let value: Result<serde_json::Value, _> = serde_json::from_str(text);
                assert!(value.is_ok(), "{}: {text}", scenario.name);
            }
        }
    }
}
