//! What was asked.

use super::super::style::paint;
use super::super::text::{counted, visible_short};
use super::super::visible::visible;
use super::page::{Page, Section};

/// Lines of a prompt that are shown.
const LINES: usize = 8;

/// Shows the prompt: its beginning, or all of it if more was asked for.
pub(super) fn show(page: &mut Page, text: Option<&str>) {
    if page.is_quiet() {
        // What the model says now does not continue what it said before.
        page.break_text();
        return;
    }
    let palette = page.palette;
    let text = text.unwrap_or_default().trim_end();
    let total = text.split('\n').count();
    let limit = if page.is_verbose() || total <= LINES + 1 {
        usize::MAX
    } else {
        LINES
    };
    // A line may fill four rows of the terminal; a prompt of one endless line is cut, too.
    let room = if page.is_verbose() {
        usize::MAX
    } else {
        4 * page.width().saturating_sub(2)
    };
    if text.is_empty() {
        let empty = paint(&"(an empty prompt)", palette.dim);
        let mark = paint(&"❯", palette.accent);
        page.line(Section::Prompt, &format_args!("{mark} {empty}"));
        return;
    }
    for (number, line) in text.split('\n').take(limit).enumerate() {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let shown = if room == usize::MAX {
            visible(line).into_owned()
        } else {
            visible_short(line, room)
        };
        let mark = if number == 0 { "❯" } else { " " };
        let start = format!("{} ", paint(&mark, palette.accent));
        page.prose(Section::Prompt, (&start, 2), &shown, palette.bold);
    }
    if total > limit {
        let more = format!(
            "  … {} (-v shows all)",
            counted((total - limit) as u64, "more line")
        );
        page.line(Section::Prompt, &paint(&more, palette.dim));
    }
}
