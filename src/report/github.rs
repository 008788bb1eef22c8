//! What a GitHub workflow understands: annotations on stderr, and the outputs of the step.
//!
//! The outputs are words, numbers and lists, and no prose of the model: workflows paste outputs into
//! shell commands.

mod escape;
#[cfg(test)]
mod tests;

use std::fmt;
use std::io::{self, Write};

use self::escape::{annotation, assignment, json};
use super::console::SharedConsole;
use super::facts::Facts;
use super::record::Record;
use super::text::visible_short;
use super::visible::visible;
use super::{Reporter, Verdict};
use crate::protocol::{Event, StopReason};

/// GitHub shows ten annotations of a kind in a step; one of them says how the turn ended.
const ANNOTATIONS: usize = 9;

/// Columns of one annotation's text.
const ROOM: usize = 2000;

/// Annotates the turn and sets the outputs of the step, at the end and only then.
pub struct GitHub {
    err: SharedConsole,
    output: Option<Box<dyn Write>>,
    record: Record,
}

impl fmt::Debug for GitHub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GitHub").finish_non_exhaustive()
    }
}

impl GitHub {
    /// Annotates through `err`; `output` is the file for the outputs of the step, if there is one.
    #[must_use]
    pub fn new(err: SharedConsole, output: Option<Box<dyn Write>>) -> Self {
        Self {
            err,
            output,
            record: Record::default(),
        }
    }
}

impl Reporter for GitHub {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        if let Some(turn) = self.record.event(event) {
            annotate(&self.err, &Facts::new(&self.record.session, &turn, None));
        }
        Ok(())
    }

    fn idle(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self, verdict: Option<&Verdict>) -> io::Result<()> {
        let facts = Facts::new(&self.record.session, &self.record.turn, verdict);
        if !self.record.turn.is_turn() && facts.exit().is_none() {
            return Ok(());
        }
        annotate(&self.err, &facts);
        if let Some(output) = &mut self.output {
            output.write_all(outputs(&facts).as_bytes())?;
            output.flush()?;
        }
        Ok(())
    }
}

/// How much an annotation matters.
#[derive(Debug, Clone, Copy)]
enum Level {
    Error,
    Warning,
    Notice,
}

impl Level {
    fn command(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Notice => "notice",
        }
    }
}

fn annotate(err: &SharedConsole, facts: &Facts<'_>) {
    let (level, title) = verdict(facts);
    err.annotate(&annotation(
        level.command(),
        &[("title", &title)],
        &visible_short(&facts.sentence(), ROOM),
    ));
    if let Some(done) = facts.evidence() {
        let unmet = ("criterion unmet", &done.unmet[..]);
        list(err, Level::Error, unmet, "title");
        let unavailable = ("criterion could not be run", &done.unavailable[..]);
        list(err, Level::Warning, unavailable, "title");
    }
    for gate in facts.gates().iter().filter(|gate| !gate.passed) {
        let title = format!("gate {} does not hold", visible(&gate.name));
        let why = gate.message.as_deref().unwrap_or_default();
        let why = visible_short(why, ROOM);
        err.annotate(&annotation("error", &[("title", &title)], &why));
    }
    let protected = ("protected path written by the session", facts.protected());
    list(err, Level::Warning, protected, "file");
}

/// How the turn ended: what it is worth, and its title.
fn verdict(facts: &Facts<'_>) -> (Level, String) {
    let word = visible_short(facts.word(), 60);
    let level = match (facts.exit(), facts.reason()) {
        (Some((0, _)) | None, Some(StopReason::Done)) if !facts.accepted() => Level::Notice,
        // Exit 0 for another reason: accepted, or stopped by this program as it was told to.
        (Some((0 | 10, _)), _) | (None, Some(StopReason::Unverified)) => Level::Warning,
        _ => Level::Error,
    };
    let title = match facts.exit() {
        Some((0, _)) if facts.accepted() => format!("dcode: {word} (accepted)"),
        Some((code, name)) if code != 0 && name != word => {
            format!("dcode: {name}, the turn ended {word}")
        }
        _ => format!("dcode: {word}"),
    };
    (level, title)
}

/// One annotation a name; `file` puts it at the file of that name.
fn list(err: &SharedConsole, level: Level, (title, names): (&str, &[String]), property: &str) {
    for name in names.iter().take(ANNOTATIONS) {
        let name = visible_short(name, ROOM);
        let properties = [("file", name.as_str()), ("title", title)];
        let properties = match property {
            "file" => &properties[..],
            _ => &properties[1..],
        };
        err.annotate(&annotation(level.command(), properties, &name));
    }
    if names.len() > ANNOTATIONS {
        let text = format!("… and {} more", names.len() - ANNOTATIONS);
        err.annotate(&annotation("notice", &[("title", title)], &text));
    }
}

/// All outputs; what is not known is empty.
fn outputs(facts: &Facts<'_>) -> String {
    let lists = facts.evidence();
    let names = |names: Option<&[String]>| json(names.unwrap_or_default());
    let gates = facts.gates().iter().filter(|gate| !gate.passed);
    let gates: Vec<&str> = gates.map(|gate| gate.name.as_str()).collect();
    let mut all = facts.pairs();
    all.push(("met", Some(names(lists.map(|done| &done.met[..])))));
    all.push(("unmet", Some(names(lists.map(|done| &done.unmet[..])))));
    let unavailable = names(lists.map(|done| &done.unavailable[..]));
    all.push(("unavailable", Some(unavailable)));
    all.push(("touched_protected", Some(names(Some(facts.protected())))));
    all.push(("failed_gates", Some(json(&gates))));
    all.iter()
        .map(|(name, value)| assignment(name, value.as_deref().unwrap_or_default()))
        .collect()
}
