//! Small shapes of text that several reporters share: columns, counts, durations.
//!
//! Columns are those of a terminal: a wide character takes two.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar as _;

use super::visible::visible;

/// The width taken when none is known, as in a file.
pub(super) const UNKNOWN_WIDTH: usize = 160;

/// Columns that the text takes at most. Terminals disagree: some draw several characters as one,
/// and a line that is too long is worse than one that is too short.
pub(super) fn columns(text: &str) -> usize {
    widths(text).map(|(_, width)| width).sum()
}

/// Asks for the picture form of the symbol before it, which takes two columns.
const PICTURE: char = '\u{fe0f}';

/// Where each character starts, and by how many columns it makes the text wider at most.
fn widths(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut last = 0;
    text.char_indices().map(move |(at, character)| {
        let width = match character {
            PICTURE if last == 1 => 1,
            other => other.width().unwrap_or(0),
        };
        match (character, width) {
            (PICTURE, 1) => last = 2,
            (_, 0) => {}
            (_, width) => last = width,
        }
        (at, width)
    })
}

/// Whether the character is drawn with the one before it.
fn is_joined(character: char) -> bool {
    character.width().unwrap_or(0) == 0
}

/// A width to lay out by: a terminal of no width is one that does not say.
pub(super) fn usable(width: usize) -> usize {
    match width {
        0 => UNKNOWN_WIDTH,
        width => width.clamp(20, 400),
    }
}

/// The text, cut at the end to at most `limit` columns; a cut is marked.
pub(super) fn shorten(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit || columns(text) <= limit {
        return Cow::Borrowed(text);
    }
    let mut used = 0;
    let end = widths(text).find_map(|(at, width)| {
        used += width;
        (used >= limit).then_some(at)
    });
    let end = end.unwrap_or(text.len());
    Cow::Owned(format!("{}…", text[..end].trim_end()))
}

/// The text, cut at the start to at most `limit` columns: of a path the end says more.
pub(super) fn shorten_start(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit || columns(text) <= limit {
        return Cow::Borrowed(text);
    }
    let mut left = columns(text);
    let start = widths(text).find_map(|(at, width)| {
        let fits = left < limit && !text[at..].starts_with(is_joined);
        left -= width;
        fits.then_some(at)
    });
    Cow::Owned(format!("…{}", &text[start.unwrap_or(text.len())..]))
}

/// Untrusted text for one line, of at most about `limit` columns, however long it was.
pub(super) fn visible_short(text: &str, limit: usize) -> String {
    // Escaping megabytes to show eighty columns of them would be waste.
    let bytes = text.floor_char_boundary(limit.saturating_mul(4).saturating_add(4));
    let shown = visible(&text[..bytes]);
    if bytes < text.len() {
        let roomy = shorten(&shown, limit.saturating_sub(1).max(1));
        return if roomy.ends_with('…') {
            roomy.into_owned()
        } else {
            format!("{roomy}…")
        };
    }
    shorten(&shown, limit).into_owned()
}

/// Padded to `width` columns.
pub(super) fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

/// `1,234,567`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `128k`, `1M`: a round number in few columns; any other as it is.
pub(super) fn rough(number: u64) -> String {
    match number {
        1_000_000.. if number.is_multiple_of(100_000) => {
            let tenths = number / 100_000;
            match tenths % 10 {
                0 => format!("{}M", grouped(tenths / 10)),
                tenth => format!("{}.{tenth}M", grouped(tenths / 10)),
            }
        }
        1000.. if number.is_multiple_of(1000) => format!("{}k", number / 1000),
        _ => grouped(number),
    }
}

/// `1 line`, `2 lines`.
pub(super) fn counted(number: u64, one: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {one}{plural}", grouped(number))
}

/// `12 ms`, `3.4 s`, `2 m 05 s`, `1 h 02 m`.
pub(super) fn duration(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    match milliseconds {
        0..1000 => format!("{milliseconds} ms"),
        1000..60_000 => format!("{seconds}.{} s", milliseconds % 1000 / 100),
        60_000..3_600_000 => format!("{} m {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} m", seconds / 3600, seconds / 60 % 60),
    }
}

/// The share in per cent, with one digit below ten; `None` of nothing.
pub(super) fn percent(part: u64, whole: u64) -> Option<String> {
    let tenths = u128::from(part) * 1000 / u128::from((whole > 0).then_some(whole)?);
    Some(if tenths == 0 && part > 0 {
        "<0.1 %".to_owned()
    } else if tenths < 100 {
        format!("{}.{} %", tenths / 10, tenths % 10)
    } else {
        format!("{} %", tenths / 10)
    })
}

/// `+3 −1`; what is nought is left out, and `±0` if both are.
pub(super) fn plus_minus(added: u64, removed: u64) -> String {
    match (added, removed) {
        (0, 0) => "±0".to_owned(),
        (added, 0) => format!("+{added}"),
        (0, removed) => format!("−{removed}"),
        (added, removed) => format!("+{added} −{removed}"),
    }
}

/// Parts joined by ` · `, broken into lines of at most `width` columns where they do not fit.
pub(super) fn flow(parts: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if columns(line) + 3 + columns(part) <= width => {
                line.push_str(" · ");
                line.push_str(part);
            }
            _ => lines.push(part.clone()),
        }
    }
    lines
}

/// The text in lines of at most `width` columns, broken at spaces where there are any.
pub(super) fn wrap(text: &str, width: usize) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    loop {
        // Where the line must end at the latest, and where it had better.
        let (mut used, mut space, mut symbol) = (0, None, 0);
        let full = widths(rest).find_map(|(at, more)| {
            used += more;
            let is_space = rest[at..].starts_with(' ');
            if is_space && at > 0 {
                space = Some(at);
            }
            if !rest[at..].starts_with(is_joined) {
                symbol = at;
            }
            (used > width && symbol > 0 && !is_space).then_some(symbol)
        });
        let Some(full) = full else {
            lines.push(rest.trim_end_matches(' '));
            return lines;
        };
        let end = space.filter(|&space| !rest[..space].trim().is_empty());
        let end = end.unwrap_or(full);
        lines.push(rest[..end].trim_end_matches(' '));
        rest = rest[end..].trim_start_matches(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_by_columns() {
        assert_eq!(shorten("hello", 5), "hello");
        assert_eq!(shorten("hello world", 7), "hello…");
        assert_eq!(shorten("日本語日本語", 6), "日本…");
        assert_eq!(shorten_start("src/deep/file.rs", 8), "…file.rs");
        // A symbol and the selector of its picture form stay together, and take two columns.
        assert_eq!(shorten_start("a⚠\u{fe0f}b", 3), "…b");
        assert_eq!(shorten_start("a⚠\u{fe0f}⚠\u{fe0f}", 4), "…⚠\u{fe0f}");
        assert_eq!(shorten("⚠\u{fe0f}⚠\u{fe0f}b", 4), "⚠\u{fe0f}⚠…");
        // Drawn as one by some terminals only.
        assert_eq!(columns("لا"), 2);
        assert_eq!(columns("👍🏽"), 4);
        for limit in 1..12 {
            assert!(columns(&shorten("日本語日本語", limit)) <= limit.max(1));
            assert!(columns(&shorten_start("日本語日本語", limit)) <= limit.max(1));
            assert!(columns(&visible_short(&"\x1b日".repeat(99), limit)) <= limit.max(1));
        }
        assert_eq!(
            visible_short(&"x".repeat(5000), 10),
            "xxxxxxxxx…".replacen('x', "", 1)
        );
    }

    #[test]
    fn numbers_are_readable() {
        assert_eq!(grouped(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!(grouped(999), "999");
        let windows = [1_000_000, 1_500_000, 128_000, 131_072, 0].map(rough);
        assert_eq!(windows, ["1M", "1.5M", "128k", "131,072", "0"]);
        assert_eq!(counted(1, "line"), "1 line");
        let durations = [5, 1500, 59_999, 125_000, 3_720_000].map(duration);
        assert_eq!(
            durations,
            ["5 ms", "1.5 s", "59.9 s", "2 m 05 s", "1 h 02 m"]
        );
        assert_eq!(percent(870, 1_000_000).as_deref(), Some("<0.1 %"));
        assert_eq!(percent(68_708, 128_000).as_deref(), Some("53 %"));
        assert_eq!(percent(1, 0), None);
        assert!(percent(u64::MAX, 1).is_some());
        let counts = [(0, 0), (3, 0), (0, 2), (3, 1)].map(|(a, r)| plus_minus(a, r));
        assert_eq!(counts, ["±0", "+3", "−2", "+3 −1"]);
    }

    #[test]
    fn prose_is_broken_between_words() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("one two  three", 80), ["one two  three"]);
        assert_eq!(wrap("  indented text", 10), ["  indented", "text"]);
        assert_eq!(wrap("abcdefgh ij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("日本語日本", 4), ["日本", "語日", "本"]);
        assert_eq!(wrap("", 4), [""]);
        assert_eq!(wrap("日日", 1), ["日", "日"]);
        let sign = "⚠\u{fe0f}";
        assert_eq!(wrap(&sign.repeat(3), 3), [sign; 3]);
        assert_eq!(wrap(&sign.repeat(2), 1), [sign; 2]);
    }
}
