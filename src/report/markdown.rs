//! A Markdown report, to be appended to a step summary: the verdict first, then what it rests on.

mod escape;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::io::{self, Write};

use self::escape::{block, cell, code};
use super::facts::{Facts, cost, net_lines};
use super::record::Record;
use super::verdict::{AnsweredBy, ApprovalRecord};
use super::{Reporter, Verdict};
use crate::protocol::{Event, Seal, StopReason};

/// Entries that are shown of one list: a step summary has a limit of its own.
const ENTRIES: usize = 100;

/// Writes a Markdown section a turn at the end, and only then.
#[derive(Debug)]
pub struct Markdown<W: Write> {
    out: W,
    record: Record,
    text: String,
}

impl<W: Write> Markdown<W> {
    /// Writes to `out`, which may already hold something.
    pub fn new(out: W) -> Self {
        Self {
            out,
            record: Record::default(),
            text: String::new(),
        }
    }
}

impl<W: Write> Reporter for Markdown<W> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        if let Some(turn) = self.record.event(event) {
            let facts = Facts::new(&self.record.session, &turn, None);
            section(&mut self.text, &facts);
        }
        Ok(())
    }

    fn idle(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self, verdict: Option<&Verdict>) -> io::Result<()> {
        let facts = Facts::new(&self.record.session, &self.record.turn, verdict);
        if self.record.turn.is_turn() || facts.exit().is_some() {
            section(&mut self.text, &facts);
        }
        self.out.write_all(self.text.as_bytes())?;
        self.out.flush()
    }
}

/// Adds a line. Writing to a `String` cannot fail.
macro_rules! line {
    ($text:expr) => { $text.push('\n') };
    ($text:expr, $($arguments:tt)+) => {{ let _ = writeln!($text, $($arguments)+); }};
}

fn section(text: &mut String, facts: &Facts<'_>) {
    // What stands before it in the file may lack its line break.
    line!(text);
    headline(text, facts);
    criteria(text, facts);
    gates(text, facts);
    protected(text, facts);
    changes(text, facts);
    failures(text, facts);
    approvals(text, facts);
    errors(text, facts);
    let cost = cost(facts);
    if !cost.is_empty() {
        line!(text, "\n### Cost\n\n{}", cost.join(" · "));
    }
}

fn headline(text: &mut String, facts: &Facts<'_>) {
    let failed = facts.exit().filter(|&(code, _)| code != 0);
    let word = failed.map_or(facts.word(), |(_, name)| name);
    let symbol = match (word, facts.reason()) {
        ("done", _) => "✓",
        ("unverified" | "incomplete", _) => "◆",
        (_, Some(StopReason::Interrupted)) if failed.is_none() => "■",
        _ => "✗",
    };
    line!(text, "## {symbol} {}\n", plain(word));
    line!(text, "{}\n", code(&facts.sentence()));
    let mut parts = Vec::new();
    if let Some(reason) = facts.reason() {
        // Beside the reason, as the code may be that of a gate.
        let accepted = if facts.accepted() { " (accepted)" } else { "" };
        parts.push(format!("turn ended {}{accepted}", plain(reason.as_str())));
    }
    if let Some((number, name)) = facts.exit() {
        parts.push(format!("exit code {number} ({})", plain(name)));
    }
    if facts.capped_by_client() {
        parts.push("stopped by this client's cap on rounds".to_owned());
    }
    for (what, value) in [
        ("session", facts.session_id()),
        ("turn", facts.turn_id()),
        ("model", facts.model()),
    ] {
        if let Some(value) = value {
            parts.push(format!("{what} {}", code(value)));
        }
    }
    line!(text, "{}", parts.join(" · "));
}

/// A word of the vocabulary as it is; any other as what it is: somebody else's text.
fn plain(word: &str) -> String {
    let harmless = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    if !word.is_empty() && word.bytes().all(harmless) && word.len() < 40 {
        // `_` between letters means nothing to any Markdown in use.
        return word.to_owned();
    }
    code(word)
}

fn criteria(text: &mut String, facts: &Facts<'_>) {
    let Some(completion) = facts.evidence() else {
        if let Some(old) = facts.completion() {
            let seal = old.verification.as_ref().map_or("none", Seal::as_str);
            let seal = plain(seal);
            line!(
                text,
                "\nA check from before (seal {seal}) is no evidence about this turn."
            );
        }
        return;
    };
    let rows = [
        ("✗ unmet", &completion.unmet),
        ("? could not be run", &completion.unavailable),
        ("✓ met", &completion.met),
    ];
    let rows: Vec<(&str, &String)> = rows
        .into_iter()
        .flat_map(|(what, names)| names.iter().map(move |name| (what, name)))
        .collect();
    if rows.is_empty() {
        line!(text, "\nNo criterion is named.");
        return;
    }
    line!(text, "\n| criterion | result |\n| :-- | :-- |");
    for (what, name) in rows.iter().take(ENTRIES) {
        line!(text, "| {} | {what} |", cell(name));
    }
    more(text, rows.len());
    if !Facts::is_sealed(completion) && completion.unmet.is_empty() {
        let seal = completion
            .verification
            .as_ref()
            .map_or("none", Seal::as_str);
        line!(text, "\nSeal: {}", plain(seal));
    }
}

/// Says how many entries are left out.
fn more(text: &mut String, all: usize) {
    if all > ENTRIES {
        line!(text, "\n… and {} more", all - ENTRIES);
    }
}

fn gates(text: &mut String, facts: &Facts<'_>) {
    if facts.gates().is_empty() {
        return;
    }
    line!(text, "\n### Gates\n");
    for gate in facts.gates() {
        let word = if gate.passed {
            "✓ holds"
        } else {
            "✗ does not hold"
        };
        let why = gate.message.as_deref();
        let why = why.map_or(String::new(), |why| format!(": {}", code(why)));
        line!(text, "- {} {word}{why}", code(&gate.name));
    }
}

fn protected(text: &mut String, facts: &Facts<'_>) {
    let paths = facts.protected();
    if paths.is_empty() {
        return;
    }
    line!(text, "\n### Protected paths written\n");
    line!(text, "By the session, not necessarily in this turn:\n");
    for path in paths.iter().take(ENTRIES) {
        line!(text, "- {}", code(path));
    }
    more(text, paths.len());
}

fn changes(text: &mut String, facts: &Facts<'_>) {
    let files = &facts.seen.tally.files;
    if files.list.is_empty() {
        return;
    }
    line!(text, "\n### Changed files\n");
    for file in files.list.iter().take(ENTRIES) {
        let lines = net_lines(file.lines);
        let lines = lines.map_or(String::new(), |lines| format!(" ({lines})"));
        line!(text, "- {}{lines}", code(&file.path));
    }
    if files.cut {
        line!(text, "\n… and more");
    } else {
        more(text, files.list.len());
    }
}

fn failures(text: &mut String, facts: &Facts<'_>) {
    let tally = &facts.seen.tally;
    if tally.failures.is_empty() {
        return;
    }
    line!(text, "\n### Failed tool calls");
    for failure in &tally.failures {
        let tool = code(&failure.tool);
        let subject = failure.subject.as_deref();
        let subject = subject.map_or(String::new(), |subject| format!(" {}", code(subject)));
        let how = match failure.exit_status {
            Some(status) => format!("exit {status}"),
            None => "failed".to_owned(),
        };
        line!(text, "\n- {tool}{subject}: {how}");
        block(text, &failure.excerpt, failure.cut);
    }
    let more = tally.failure_count - tally.failures.len() as u64;
    if more > 0 {
        line!(text, "\n… and {more} more");
    }
}

fn approvals(text: &mut String, facts: &Facts<'_>) {
    let all = facts.approvals();
    if all.is_empty() {
        return;
    }
    line!(text, "\n### Approvals\n");
    for ApprovalRecord {
        handle,
        tool,
        boundary_crossed,
        decision,
        by,
        ..
    } in all.iter().take(ENTRIES)
    {
        let decision = decision.as_deref().map_or("open".to_owned(), plain);
        let by = match by {
            Some(AnsweredBy::Policy) => " by policy",
            Some(AnsweredBy::Person) => " by a person",
            Some(AnsweredBy::Exec) => " by a command",
            Some(AnsweredBy::Elsewhere) => " by somebody else",
            None => "",
        };
        let (handle, tool) = (code(handle), code(tool));
        line!(
            text,
            "- {tool} crossing {} ({handle}): {decision}{by}",
            code(boundary_crossed)
        );
    }
    more(text, all.len());
}

fn errors(text: &mut String, facts: &Facts<'_>) {
    let errors = &facts.seen.tally.errors;
    if errors.is_empty() {
        return;
    }
    line!(text, "\n### Errors the daemon reported\n");
    for error in errors.iter().take(ENTRIES) {
        line!(text, "- {}: {}", plain(&error.code), code(&error.message));
    }
    more(text, errors.len());
}
