//! How a turn ended: the reason, what was measured, and what it took.

use super::super::style::{Style, paint};
use super::super::text::{
    columns, counted, duration, flow, grouped, pad, percent, plus_minus, rough, visible_short,
};
use super::page::{Page, Section};
use super::turn::Turn;
use crate::protocol::{Completion, Seal, StopReason, TurnCompleted, Usage, milliseconds_between};

/// Names shown of one list.
const NAMES: usize = 100;

/// Columns of the labels before the lists.
const LABEL: usize = 11;

/// Shows the end of the turn.
pub(super) fn show(
    page: &mut Page,
    turn: &Turn,
    completed: &TurnCompleted,
    at: &str,
    context_window: Option<u64>,
) {
    let evidence = completed
        .completion
        .as_ref()
        .filter(|_| measures(completed));
    headline(page, turn, completed, evidence);
    if let Some(completion) = &completed.completion {
        lists(page, completion, evidence.is_some());
    }
    let parts = figures(turn, completed.usage.as_ref(), at, context_window);
    let dim = page.palette.dim;
    for line in flow(&parts, page.width().saturating_sub(2)) {
        page.line(Section::Closing, &format_args!("  {}", paint(&line, dim)));
    }
}

/// Whether a completion says something about this very turn. With any other reason it is the
/// session's last one, from before.
fn measures(completed: &TurnCompleted) -> bool {
    matches!(
        completed.reason,
        Some(StopReason::Done | StopReason::Unverified | StopReason::Incomplete)
    )
}

fn headline(
    page: &mut Page,
    turn: &Turn,
    completed: &TurnCompleted,
    evidence: Option<&Completion>,
) {
    let palette = page.palette;
    let (symbol, style) = match &completed.reason {
        Some(StopReason::Done) => ("✓", palette.good),
        Some(StopReason::Unverified | StopReason::Incomplete) => ("◆", palette.warn),
        Some(StopReason::Interrupted) => ("■", palette.warn),
        _ => ("✗", palette.bad),
    };
    let word = match &completed.reason {
        Some(reason) => visible_short(reason.as_str(), 60),
        None => "ended".to_owned(),
    };
    let sentence = match (&completed.reason, evidence) {
        (Some(StopReason::Done | StopReason::Unverified | StopReason::Incomplete), Some(done)) => {
            measured(done)
        }
        (reason, _) => unmeasured(turn, reason.as_ref()),
    };
    page.line(
        Section::Closing,
        &format_args!(
            "{} {}  {sentence}",
            paint(&symbol, style),
            paint(&word, style)
        ),
    );
}

/// What the lists say. They decide, the seal does not: it is unreliable if both kinds are there.
fn measured(completion: &Completion) -> String {
    let all = completion.met.len() + completion.unmet.len() + completion.unavailable.len();
    let criteria =
        |number: usize| counted(number as u64, "criterion").replace("criterions", "criteria");
    let unmet = completion.unmet.len();
    let unavailable = completion.unavailable.len();
    let seal = completion.verification.as_ref();
    match (unmet, unavailable) {
        (0, 0) if all == 0 || seal != Some(&Seal::Passed) => {
            let word = seal.map_or("none", Seal::as_str);
            format!("{} met, seal {}", criteria(all), visible_short(word, 40))
        }
        (0, 0) if all == 1 => "the criterion is met".to_owned(),
        (0, 0) => format!("all {} met", criteria(all)),
        (0, number) => format!("{number} of {} could not be run", criteria(all)),
        (number, 0) => format!("{number} of {} not met", criteria(all)),
        (number, more) => {
            format!(
                "{number} of {} not met, {more} could not be run",
                criteria(all)
            )
        }
    }
}

fn unmeasured(turn: &Turn, reason: Option<&StopReason>) -> String {
    let rounds = turn.rounds.map_or(String::new(), |(done, total)| {
        match total.filter(|_| reason == Some(&StopReason::MaxIterations)) {
            Some(limit) => format!(" after {done} of {}", counted(limit, "round")),
            None => format!(" after {}", counted(done, "round")),
        }
    });
    match reason {
        Some(StopReason::Done) => "nothing was checked".to_owned(),
        Some(StopReason::Unverified) => "a criterion could not be run".to_owned(),
        Some(StopReason::Incomplete) => "a criterion stayed unmet".to_owned(),
        Some(StopReason::Interrupted) => "the turn was stopped".to_owned(),
        Some(StopReason::MaxIterations) => format!("the iteration limit was reached{rounds}"),
        Some(StopReason::RepeatLoop) => format!("three identical calls in a row{rounds}"),
        Some(StopReason::MaxTokens) => format!("the output-token limit was passed{rounds}"),
        Some(StopReason::Error) => match &turn.error {
            // The message itself stands in a line above.
            Some(code) => format!("the model could not be used ({code})"),
            None => "the model could not be used; no error was reported".to_owned(),
        },
        Some(StopReason::Other(_)) => "a stop reason not known here".to_owned(),
        None => "without a stop reason".to_owned(),
    }
}

fn lists(page: &mut Page, completion: &Completion, evidence: bool) {
    let palette = page.palette;
    if !evidence {
        let seal = completion.verification.as_ref().map_or("", Seal::as_str);
        let text = format!(
            "an earlier or partial check, no evidence about this turn (seal {})",
            visible_short(seal, 40)
        );
        page.line(
            Section::Closing,
            &format_args!("  {}", paint(&text, palette.dim)),
        );
    }
    let (good, bad, warn) = if evidence {
        (palette.good, palette.bad, palette.warn)
    } else {
        (palette.dim, palette.dim, palette.dim)
    };
    list(page, ("✓", good), "met", &completion.met);
    list(page, ("✗", bad), "unmet", &completion.unmet);
    list(page, ("?", warn), "unavailable", &completion.unavailable);
    let protected = &completion.touched_protected;
    list(page, ("!", palette.bad), "protected", protected);
    if !protected.is_empty() {
        let note = "written by the session, not necessarily in this turn";
        let indent = " ".repeat(5 + LABEL);
        page.line(
            Section::Closing,
            &format_args!("{indent}{}", paint(&note, palette.dim)),
        );
    }
}

fn list(page: &mut Page, symbol: (&str, Style), label: &str, names: &[String]) {
    if names.is_empty() {
        return;
    }
    let indent = 5 + LABEL;
    let room = page.width().saturating_sub(indent).max(20);
    let mut lines = vec![String::new()];
    let shown = names
        .iter()
        .take(NAMES)
        .map(|name| visible_short(name, 400));
    let more = (names.len() > NAMES).then(|| format!("… {} more", names.len() - NAMES));
    for name in shown.chain(more) {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(&name),
            Some(line) if columns(line) + 2 + columns(&name) <= room => {
                line.push_str(", ");
                line.push_str(&name);
            }
            Some(line) => {
                line.push(',');
                lines.push(name);
            }
            None => {}
        }
    }
    for (number, line) in lines.iter().enumerate() {
        let start = if number == 0 {
            let label = pad(label, LABEL);
            format!("  {} {label}", paint(&symbol.0, symbol.1))
        } else {
            " ".repeat(indent - 1)
        };
        page.line(Section::Closing, &format_args!("{start} {line}"));
    }
}

/// Duration, rounds, changes, tokens and context, as far as they are known.
fn figures(turn: &Turn, usage: Option<&Usage>, at: &str, window: Option<u64>) -> Vec<String> {
    let mut parts = Vec::new();
    // A resumed session's old events all carry the time of the resuming: no duration.
    let elapsed = milliseconds_between(&turn.started_at, at).filter(|&elapsed| elapsed > 0);
    if let Some(milliseconds) = elapsed {
        parts.push(duration(milliseconds));
    }
    if let Some((rounds, _)) = turn.rounds {
        parts.push(counted(rounds, "round"));
    }
    let changes = &turn.changes;
    if changes.calls > 0 {
        let lines = plus_minus(changes.added, changes.removed);
        parts.push(format!("{} {lines}", counted(changes.calls, "change")));
    }
    let Some(usage) = usage else {
        return parts;
    };
    let mut cache = Vec::new();
    if let Some(read) = usage.cache_read_tokens.filter(|&tokens| tokens > 0) {
        cache.push(format!("{} cached", grouped(read)));
    }
    if let Some(written) = usage.cache_write_tokens.filter(|&tokens| tokens > 0) {
        cache.push(format!("{} to cache", grouped(written)));
    }
    let cache = if cache.is_empty() {
        String::new()
    } else {
        format!(" ({})", cache.join(", "))
    };
    let (input, output) = (grouped(usage.input_tokens), grouped(usage.output_tokens));
    parts.push(format!("tokens {input} in{cache}, {output} out"));
    if let Some(tokens) = usage.context_tokens {
        let share = window.and_then(|window| {
            let share = percent(tokens, window)?;
            Some(format!(" of {} ({share})", rough(window)))
        });
        parts.push(format!(
            "context {}{}",
            grouped(tokens),
            share.unwrap_or_default()
        ));
    }
    parts
}
