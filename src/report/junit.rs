//! A `JUnit` report: one suite a turn, one case a criterion, so that any CI shows what was measured.
//!
//! Nothing looks green that was not measured: a turn that did not end with a result, a gate that
//! did not hold and a command that failed each bring a case of their own.

mod cases;
mod xml;

use std::io::{self, Write};

use self::cases::{Case, Outcome};
use self::xml::Element;
use super::facts::Facts;
use super::record::Record;
use super::{Reporter, Verdict};
use crate::protocol::{Event, is_set};

/// Writes a `JUnit` report at the end, and only then.
#[derive(Debug)]
pub struct JUnit<W: Write> {
    out: W,
    record: Record,
    suites: Suites,
}

/// The suites of the turns that are over, and what they add up to.
#[derive(Debug, Default)]
struct Suites {
    xml: String,
    counts: Counts,
    milliseconds: u64,
}

/// How many cases there are, and of which kind.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

impl Counts {
    fn of(cases: &[Case]) -> Self {
        let mut counts = Self {
            tests: cases.len(),
            ..Self::default()
        };
        for case in cases {
            match case.outcome {
                Outcome::Passed => {}
                Outcome::Failure(_) => counts.failures += 1,
                Outcome::Error(_) => counts.errors += 1,
                Outcome::Skipped(_) => counts.skipped += 1,
            }
        }
        counts
    }

    fn add(&mut self, more: Self) {
        self.tests += more.tests;
        self.failures += more.failures;
        self.errors += more.errors;
        self.skipped += more.skipped;
    }

    fn attributes(self, element: &mut Element<'_>) {
        element.attribute("tests", &self.tests.to_string());
        element.attribute("failures", &self.failures.to_string());
        element.attribute("errors", &self.errors.to_string());
        element.attribute("skipped", &self.skipped.to_string());
    }
}

impl<W: Write> JUnit<W> {
    /// Writes to `out`.
    pub fn new(out: W) -> Self {
        Self {
            out,
            record: Record::default(),
            suites: Suites::default(),
        }
    }
}

impl Suites {
    fn add(&mut self, facts: &Facts<'_>) {
        let cases = cases::of(facts);
        let counts = Counts::of(&cases);
        self.counts.add(counts);
        self.milliseconds += facts.duration_ms().unwrap_or(0);
        let mut suite = Element::open(&mut self.xml, 1, "testsuite");
        suite.attribute("name", &name(facts));
        counts.attributes(&mut suite);
        if let Some(milliseconds) = facts.duration_ms() {
            suite.attribute("time", &seconds(milliseconds));
        }
        if let Some(at) = facts.started_at().filter(|at| is_set(at)) {
            suite.attribute("timestamp", at);
        }
        let xml = suite.content();
        properties(xml, facts);
        for case in &cases {
            write_case(xml, case);
        }
        xml::close(xml, 1, "testsuite");
    }
}

fn name(facts: &Facts<'_>) -> String {
    let turn = facts.turn_id().unwrap_or("not started");
    match facts.session_id() {
        Some(session) => format!("session {session}, turn {turn}"),
        None => format!("turn {turn}"),
    }
}

/// Seconds with three digits, as `JUnit` has them.
fn seconds(milliseconds: u64) -> String {
    format!("{}.{:03}", milliseconds / 1000, milliseconds % 1000)
}

fn properties(xml: &mut String, facts: &Facts<'_>) {
    let mut all: Vec<(String, String)> = facts
        .pairs()
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect();
    if let (None, Some(old)) = (facts.evidence(), facts.completion()) {
        let seal = old
            .verification
            .as_ref()
            .map_or("none", |seal| seal.as_str());
        all.push(("earlier_verification".to_owned(), seal.to_owned()));
    }
    if let Some(message) = facts.message() {
        all.push(("message".to_owned(), message.to_owned()));
    }
    for gate in facts.gates() {
        let word = if gate.passed { "passed" } else { "failed" };
        all.push((format!("gate.{}", gate.name), word.to_owned()));
    }
    let protected = facts.protected().iter();
    all.extend(protected.map(|path| ("touched_protected".to_owned(), path.clone())));
    for error in &facts.seen.tally.errors {
        let text = format!("{}: {}", error.code, error.message);
        all.push(("session_error".to_owned(), text));
    }
    let xml = Element::open(xml, 2, "properties").content();
    for (name, value) in all {
        let mut property = Element::open(xml, 3, "property");
        property.attribute("name", &name);
        property.attribute("value", &value);
        property.end();
    }
    xml::close(xml, 2, "properties");
}

fn write_case(xml: &mut String, case: &Case) {
    let mut element = Element::open(xml, 2, "testcase");
    element.attribute("classname", case.class);
    element.attribute("name", &case.name);
    let (tag, told) = match &case.outcome {
        Outcome::Passed => return element.end(),
        Outcome::Failure(told) => ("failure", told),
        Outcome::Error(told) => ("error", told),
        Outcome::Skipped(told) => ("skipped", told),
    };
    let xml = element.content();
    let mut outcome = Element::open(xml, 3, tag);
    outcome.attribute("type", &told.kind);
    outcome.attribute("message", &told.message);
    outcome.end();
    xml::close(xml, 2, "testcase");
}

impl<W: Write> Reporter for JUnit<W> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        if let Some(turn) = self.record.event(event) {
            self.suites
                .add(&Facts::new(&self.record.session, &turn, None));
        }
        Ok(())
    }

    fn idle(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self, verdict: Option<&Verdict>) -> io::Result<()> {
        let facts = Facts::new(&self.record.session, &self.record.turn, verdict);
        // A turn that was awaited and never came is a suite, too, and a red one.
        if self.record.turn.is_turn() || facts.exit().is_some() {
            self.suites.add(&facts);
        }
        let suites = &self.suites;
        let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        let mut root = Element::open(&mut xml, 0, "testsuites");
        root.attribute("name", "dcodectl");
        suites.counts.attributes(&mut root);
        root.attribute("time", &seconds(suites.milliseconds));
        let content = root.content();
        content.push_str(&suites.xml);
        xml::close(content, 0, "testsuites");
        self.out.write_all(xml.as_bytes())?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::{recording, recordings};

    fn report(lines: &[String], verdict: Option<&Verdict>) -> String {
        let mut out = Vec::new();
        let mut junit = JUnit::new(&mut out);
        for line in lines {
            junit.event(&Event::parse(line).unwrap()).unwrap();
        }
        junit.end(verdict).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_log_has_a_suite_a_turn_and_an_empty_one_none() {
        let text = report(&recording("resumed"), None);
        assert_eq!(text.matches("<testsuite ").count(), 3, "{text}");
        let none = report(&[], None);
        assert!(none.contains("tests=\"0\"") && !none.contains("<testsuite "));
    }

    #[test]
    fn a_turn_that_never_came_is_red() {
        let verdict = Verdict {
            exit_code: 69,
            exit_name: "unreachable".into(),
            message: Some("no <daemon> answers".into()),
            ..Verdict::default()
        };
        let text = report(&[], Some(&verdict));
        assert!(text.contains("<testcase classname=\"turn\" name=\"unreachable\">\n"));
        let error = "<error type=\"unreachable\" message=\"no &lt;daemon&gt; answers\"/>";
        assert!(text.contains(error), "{text}");
    }

    #[test]
    fn nothing_that_was_not_measured_is_green() {
        for name in recordings() {
            let lines = recording(&name);
            let text = report(&lines, None);
            // The last suite is the last turn.
            let Some((_, suite)) = text.rsplit_once("<testsuite ") else {
                continue;
            };
            let end = lines.iter().rev().find_map(|line| {
                let event = Event::parse(line).unwrap();
                match event.payload() {
                    crate::protocol::Payload::TurnCompleted(end) => Some(end.clone()),
                    _ => None,
                }
            });
            let passed = end.is_some_and(|end| {
                let named = |done: &crate::protocol::Completion| {
                    !done.met.is_empty() && done.unmet.is_empty() && done.unavailable.is_empty()
                };
                end.reason == Some(crate::protocol::StopReason::Done)
                    && end.completion.as_ref().is_some_and(named)
            });
            let green = ["<failure", "<error", "<skipped"]
                .iter()
                .all(|tag| !suite.contains(tag));
            assert_eq!(green, passed, "{name}: {suite}");
        }
    }
}
