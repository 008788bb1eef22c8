//! One line a tool call: what it was about, how it ended; of a failure the output, too.

use super::super::style::{Style, paint};
use super::super::text::visible_short;
use super::super::text::{columns, counted, duration, pad, plus_minus, shorten, shorten_start};
use super::page::{Page, Section};
use super::turn::{Announced, Call};
use crate::protocol::{ToolCompleted, milliseconds_between};

/// Columns of the longest of the daemon's own short tool names.
const NAME: usize = 5;

/// Columns that a call's subject has at least, if it needs them.
const SUBJECT: usize = 12;

/// Columns before details that stand below their call.
const BELOW: usize = 8;

/// From here on the time that a call took is worth a word, whatever the tool.
const SLOW: u64 = 100;

/// Lines of a failed call's output: so many from its start and from its end.
const EXCERPT: usize = 4;

/// Lines of a diff that are shown.
const DIFF: usize = 2000;

/// A detail behind the subject, with its style.
type Detail = (String, Style);

/// A call that ran.
pub(super) fn completed(page: &mut Page, call: Option<&Call>, done: &ToolCompleted<'_>) {
    let failed = !done.ok || done.exit_status().is_some_and(|code| code != 0);
    let plan = call.is_some_and(|call| call.name == "plan");
    if page.is_quiet() || (plan && !failed) {
        // The plan itself follows.
        return;
    }
    let palette = page.palette;
    let (symbol, style) = if failed {
        ("✗", palette.bad)
    } else {
        ("✓", palette.good)
    };
    let details = details(page, done);
    line(page, (symbol, style), call, &details);
    if failed || page.verbosity >= 2 {
        // What went wrong is there to be read; any other output was asked for on the side.
        let style = if failed { Style::new() } else { palette.dim };
        excerpt(page, done, style);
    }
    if page.is_verbose()
        && let Some(diff) = done.diff.as_deref()
    {
        show_diff(page, diff);
    }
}

/// A call that never ran or whose end is not in the stream.
pub(super) fn not_run(page: &mut Page, call: &Call, symbol: &str, why: &str) {
    if page.is_quiet() {
        return;
    }
    let style = page.palette.warn;
    let why = (why.to_owned(), style);
    line(page, (symbol, style), Some(call), &[why]);
}

/// A call that was announced and never asked for.
pub(super) fn never_asked(page: &mut Page, announced: &Announced, why: &str) {
    let call = Call {
        id: announced.id.clone(),
        name: announced.name.clone(),
        subject: None,
        is_path: false,
    };
    not_run(page, &call, "–", why);
}

fn details(page: &Page, done: &ToolCompleted<'_>) -> Vec<Detail> {
    let palette = page.palette;
    let mut details = Vec::new();
    let exit = done.exit_status();
    if let Some(code) = exit {
        let style = if code == 0 { palette.dim } else { palette.bad };
        details.push((format!("exit {code}"), style));
    } else if !done.ok {
        details.push(("failed".to_owned(), palette.bad));
    }
    if done.diff.is_some() {
        let (added, removed) = (done.added.unwrap_or(0), done.removed.unwrap_or(0));
        let style = if removed > added {
            palette.removed
        } else {
            palette.added
        };
        details.push((plus_minus(added, removed), style));
    } else if exit.is_none() && done.ok {
        if let Some(lines) = done.lines {
            details.push((counted(lines, "line"), palette.dim));
        }
        if let Some(files @ 2..) = done.files {
            details.push((counted(files, "file"), palette.dim));
        }
    }
    if done.truncated && done.ok {
        details.push(("cut".to_owned(), palette.warn));
    }
    let measured = milliseconds_between(&done.started_at, &done.finished_at);
    let slow = measured.filter(|&milliseconds| milliseconds >= SLOW);
    if let Some(milliseconds) = done.duration_ms.or(slow) {
        details.push((duration(milliseconds), palette.dim));
    }
    details
}

fn line(page: &mut Page, symbol: (&str, Style), call: Option<&Call>, details: &[Detail]) {
    let palette = page.palette;
    let width = page.width();
    let name = call.map_or("tool", |call| call.name.as_str());
    let name = pad(&visible_short(name, (width / 2).min(24)), NAME);
    let tail: usize = details.iter().map(|(text, _)| columns(text) + 3).sum();
    let start = 5 + columns(&name);
    let about = call.and_then(|call| call.subject.as_deref());
    let least = about.map_or(0, |text| columns(&visible_short(text, SUBJECT)));
    // What does not fit behind the subject stands below it.
    let below = start + least + tail > width;
    let room = width.saturating_sub(if below { start } else { start + tail });
    let mut text = format!(
        "  {} {}",
        paint(&symbol.0, symbol.1),
        paint(&name, palette.bold)
    );
    if let Some(subject) = call.and_then(|call| subject(call, room, page.verbosity)) {
        text.push(' ');
        text.push_str(&subject);
    }
    if below {
        page.line(Section::Steps, &text);
        let words: Vec<&str> = details.iter().map(|(text, _)| text.as_str()).collect();
        let style = details.first().map_or(palette.dim, |(_, style)| *style);
        let indent = " ".repeat(BELOW);
        page.prose(Section::Steps, (&indent, BELOW), &words.join(" · "), style);
        return;
    }
    for (number, (detail, style)) in details.iter().enumerate() {
        text.push_str(if number == 0 { "  " } else { " · " });
        text.push_str(&paint(detail, *style).to_string());
    }
    page.line(Section::Steps, &text);
}

/// What the call is about, on one line. Of a path the end is kept, of a command the start.
fn subject(call: &Call, room: usize, verbosity: i8) -> Option<String> {
    let text = call.subject.as_deref()?;
    if verbosity >= 1 {
        return Some(visible_short(text, 4096));
    }
    if call.is_path {
        let shown = visible_short(text, 4096);
        return Some(shorten_start(&shown, room).into_owned());
    }
    Some(visible_short(text, room))
}

/// The first and the last lines of an output, behind a bar.
fn excerpt(page: &mut Page, done: &ToolCompleted<'_>, style: Style) {
    let exit = done.exit_status().map(|code| format!("exit {code}"));
    let mut output = done.output.as_ref();
    if let Some(exit) = exit
        && let Some(rest) = output.strip_prefix(exit.as_str())
    {
        // The line above says so already.
        output = rest.trim_start_matches('\r');
    }
    let output = output.trim_start_matches('\n').trim_end();
    if output.is_empty() {
        return;
    }
    let each = if page.verbosity >= 1 {
        5 * EXCERPT
    } else {
        EXCERPT
    };
    // Blank lines only make room, and a log has none to give.
    let lines = || output.split('\n').filter(|line| !line.trim().is_empty());
    let total = lines().count();
    let skipped = if total <= 2 * each + 1 {
        0
    } else {
        total - 2 * each
    };
    for (number, text) in lines().enumerate() {
        if skipped > 0 && number == each {
            let more = format!("… {} …", counted(skipped as u64, "more line"));
            behind_bar(page, &more, page.palette.dim);
        }
        if skipped == 0 || number < each || number >= each + skipped {
            behind_bar(page, text, style);
        }
    }
}

fn behind_bar(page: &mut Page, text: &str, style: Style) {
    let room = page.width().saturating_sub(6);
    let text = text.strip_suffix('\r').unwrap_or(text);
    let cut = text.floor_char_boundary(room.saturating_mul(4).saturating_add(8));
    let tabs = text[..cut].replace('\t', "    ");
    let text = visible_short(&tabs, room);
    let dim = page.palette.dim;
    page.line(
        Section::Steps,
        &format_args!("    {} {}", paint(&"│", dim), paint(&text, style)),
    );
}

fn show_diff(page: &mut Page, diff: &str) {
    let palette = page.palette;
    for text in diff.split('\n').take(DIFF) {
        let style = match text.as_bytes().first() {
            Some(b'+') => palette.added,
            Some(b'-') => palette.removed,
            Some(b'@') => palette.accent,
            _ => palette.dim,
        };
        let text = text.strip_suffix('\r').unwrap_or(text);
        let room = page.width().saturating_sub(6);
        let cut = text.floor_char_boundary(room.saturating_mul(4).saturating_add(8));
        let shown = visible_short(&text[..cut].replace('\t', "    "), room);
        page.line(
            Section::Steps,
            &format_args!("      {}", paint(&shown, style)),
        );
    }
}

/// What a call is doing, for the status line.
pub(super) fn in_short(call: &Call) -> String {
    let subject = call.subject.as_deref().unwrap_or_default();
    let text = format!(
        "{} {}",
        call.name,
        &subject[..subject.floor_char_boundary(300)]
    );
    shorten(text.trim_end(), 60).into_owned()
}
