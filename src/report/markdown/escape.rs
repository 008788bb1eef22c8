//! Untrusted text in Markdown: always code, never prose.
//!
//! Inside code nothing has a meaning: no HTML, no link, no emphasis, no `@mention`, no reference.
//! So all there is to do is to see to it that the text cannot end the code.

use std::fmt::Write as _;

use super::super::text::visible_short;
use super::super::visible::visible_lines;

/// Columns of one text that are shown.
const ROOM: usize = 500;

/// Text in a line.
pub(super) fn code(text: &str) -> String {
    span(&visible_short(text, ROOM))
}

/// Text in a cell of a table. How a pipe is escaped there differs from one reader to the other when
/// a backslash stands before it; so there is none.
pub(super) fn cell(text: &str) -> String {
    span(&visible_short(text, ROOM).replace('|', "\\x7c"))
}

fn span(text: &str) -> String {
    if text.is_empty() {
        return "(empty)".to_owned();
    }
    let fence = "`".repeat(longest_run(text) + 1);
    // One space at either end is taken away by the reader, if there is one at both and more than
    // spaces between them.
    let blank = text.trim_matches(' ').is_empty();
    let pad = !blank && (text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']));
    let pad = if pad { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Lines of text below an item of a list.
pub(super) fn block(out: &mut String, text: &str, cut: bool) {
    let shown = visible_lines(text);
    if shown.trim().is_empty() {
        return;
    }
    let fence = "`".repeat((longest_run(&shown) + 1).max(3));
    // Writing to a `String` cannot fail.
    let _ = writeln!(out, "\n  {fence}text");
    if cut {
        out.push_str("  …\n");
    }
    for line in shown.split('\n') {
        let _ = writeln!(out, "  {line}");
    }
    let _ = writeln!(out, "  {fence}");
}

fn longest_run(text: &str) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for byte in text.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}
