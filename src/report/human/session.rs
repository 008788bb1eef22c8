//! What happens to the session around its turns.

use std::fmt::Write as _;

use super::super::style::{Style, paint};
use super::super::text::{columns, counted, shorten_start, visible_short};
use super::super::visible::visible;
use super::page::{Page, Section};
use crate::protocol::{
    ContextBand, Event, Payload, Progress, ProgressKind, Session, SessionCompacted, SessionRenamed,
    SessionResumed, WireError,
};

/// Columns of an error's message that are shown.
const MESSAGE: usize = 1000;

pub(super) fn created(page: &mut Page, session: &Session) {
    if page.is_quiet() {
        return;
    }
    let mode = session
        .sandbox_mode
        .as_ref()
        .map_or("", |mode| mode.as_str());
    let [model, mode] = [session.model.as_str(), mode].map(|text| visible_short(text, 40));
    let id = format!("session {}", visible(&session.id));
    let others: usize = [&id, &model, &mode]
        .map(|text| columns(text) + 3)
        .iter()
        .sum();
    // A path says more at its end.
    let room = page.width().saturating_sub(others).max(20);
    let workspace = visible_short(&session.workspace, 4096);
    let workspace = shorten_start(&workspace, room).into_owned();
    let mut parts = vec![id, model, workspace, mode];
    parts.retain(|part| !part.is_empty());
    let dim = page.palette.dim;
    page.line(Section::Session, &paint(&parts.join(" · "), dim));
}

pub(super) fn resumed(page: &mut Page, resumed: &SessionResumed) {
    if page.is_quiet() {
        return;
    }
    let text = format!(
        "resumed from {} · {} carried over",
        visible(&resumed.source_id),
        counted(resumed.turns, "turn")
    );
    let dim = page.palette.dim;
    page.line(Section::Session, &paint(&text, dim));
}

pub(super) fn renamed(page: &mut Page, renamed: &SessionRenamed) {
    if page.is_quiet() {
        return;
    }
    let text = if renamed.name.is_empty() {
        "name cleared".to_owned()
    } else {
        let room = page.width().saturating_sub(8).min(200);
        format!("named “{}”", visible_short(&renamed.name, room))
    };
    let dim = page.palette.dim;
    page.line(Section::Session, &paint(&text, dim));
}

pub(super) fn compacted(page: &mut Page, compacted: &SessionCompacted) {
    if page.is_quiet() {
        return;
    }
    let mut text = "older history was summarised".to_owned();
    if let Some(messages) = compacted.messages {
        let _ = write!(text, ": {}", counted(messages, "message"));
    }
    if let Some(kept) = compacted.kept {
        let _ = write!(text, ", {kept} kept");
    }
    page.remark("≈", &text);
}

pub(super) fn band(page: &mut Page, band: &ContextBand) {
    if page.is_quiet() {
        return;
    }
    let palette = page.palette;
    // Shown, not computed with: what it is a share of is disputed.
    let share = if (0.0..=1000.0).contains(&band.fraction) {
        format!("{:.0} %", band.fraction * 100.0)
    } else {
        format!("{:e}", band.fraction)
    };
    let style = if band.band >= 3 {
        palette.warn
    } else {
        palette.dim
    };
    let text = format!("context at {share}, band {} of 3", band.band);
    page.line(
        Section::Steps,
        &format_args!("  {} {}", paint(&"▲", style), paint(&text, style)),
    );
}

/// Shows an error report; what it means for the turn, only the turn's end says.
pub(super) fn error(page: &mut Page, error: &WireError, running: bool) {
    let palette = page.palette;
    let style = if running { palette.bad } else { palette.warn };
    let code = visible_short(&error.code, 60);
    let start = format!("  {} {}  ", paint(&"!", style), paint(&code, style));
    let message = visible_short(&error.message, MESSAGE);
    page.prose(
        Section::Steps,
        (&start, 6 + columns(&code)),
        &message,
        Style::new(),
    );
}

pub(super) fn steered(page: &mut Page, text: &str) {
    if page.is_quiet() {
        return;
    }
    let palette = page.palette;
    let text = visible_short(text, 4 * page.width());
    let start = format!(
        "  {} {} ",
        paint(&"❯", palette.accent),
        paint(&"steered:", palette.dim)
    );
    page.prose(Section::Steps, (&start, 13), &text, palette.bold);
}

/// A count, as a line of its own.
pub(super) fn progress(page: &mut Page, progress: &Progress) {
    let mut text = progress.kind.as_str().to_owned();
    if let Some(name) = &progress.name {
        let _ = write!(text, " {name}");
    }
    let _ = write!(text, " {}", progress.done);
    if let Some(total) = progress.total {
        let _ = write!(text, " of {total}");
    }
    if progress.kind == ProgressKind::Arguments {
        text.push_str(" bytes");
    }
    page.remark("·", &text);
}

/// An event of another version: what there is to say about it.
pub(super) fn foreign(page: &mut Page, event: &Event<'_>) {
    if page.is_quiet() {
        return;
    }
    let kind = event.kind.as_str();
    let text = match event.payload() {
        Payload::Malformed(why) => format!("{kind} of a shape not known here: {why}"),
        _ => format!("{kind} (an event not known here)"),
    };
    page.remark("·", &text);
    if page.verbosity >= 2 {
        let room = 10 * page.width();
        let raw = visible_short(event.payload_json(), room);
        let dim = page.palette.dim;
        page.line(Section::Steps, &format_args!("    {}", paint(&raw, dim)));
    }
}

/// Which event comes: number, time and type.
pub(super) fn trace(page: &mut Page, event: &Event<'_>) {
    let at = visible_short(&event.at, 40);
    let kind = visible_short(event.kind.as_str(), 60);
    let text = format!("#{} {at} {kind}", event.seq);
    let dim = page.palette.dim;
    page.line(Section::Steps, &paint(&text, dim));
}
