//! Escaping of text that is not trusted: what a model, a tool or a file name produced.
//!
//! What would drive a terminal, or hide from the reader, is shown as an escape. Nothing is deleted:
//! the reader should see that something was there.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Text for one line: line breaks and tabs are shown as `\n` and `\t`, too.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, Shape::OneLine)
}

/// Text of several lines: LF and tab stay, CRLF becomes LF, a lone CR is shown.
#[must_use]
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    escaped(text, Shape::Lines)
}

/// The same JSON with nothing in it that drives a terminal or hides from the reader: such characters
/// stand in strings only, where JSON has escapes of its own.
#[must_use]
pub(super) fn visible_json(json: &str) -> Cow<'_, str> {
    let must_escape = |character: char| character.is_control() || hidden(character);
    if !json.contains(must_escape) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    for character in json.chars() {
        if must_escape(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to a `String` cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(character);
        }
    }
    Cow::Owned(out)
}

/// Whether line breaks and tabs are part of the text's form.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    OneLine,
    Lines,
}

fn escaped(text: &str, shape: Shape) -> Cow<'_, str> {
    // Nearly all text is clean ASCII, and this test is a few instructions for sixteen bytes.
    let clean = match shape {
        Shape::OneLine => text.bytes().all(|byte| matches!(byte, b' '..=b'~')),
        Shape::Lines => text
            .bytes()
            .all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')),
    };
    if clean {
        return Cow::Borrowed(text);
    }
    let mut previous = None;
    let Some((first, _)) = text.char_indices().find(|&(_, character)| {
        let found = must_escape(character, previous, shape);
        previous = Some(character);
        found
    }) else {
        return Cow::Borrowed(text);
    };
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(&text[..first]);
    let mut previous = text[..first].chars().next_back();
    let mut rest = text[first..].chars().peekable();
    while let Some(character) = rest.next() {
        if character == '\r' && shape == Shape::Lines && rest.peek() == Some(&'\n') {
            continue;
        }
        if must_escape(character, previous, shape) {
            push_escape(&mut out, character);
        } else {
            out.push(character);
        }
        previous = Some(character);
    }
    Cow::Owned(out)
}

fn must_escape(character: char, previous: Option<char>, shape: Shape) -> bool {
    match character {
        ' '..='~' => false,
        '\n' | '\t' => shape == Shape::OneLine,
        // One selector of text or picture form belongs to the symbol before it ("⚠️"); a second,
        // or one behind nothing, shows nothing and can only carry hidden data.
        '\u{fe0e}' | '\u{fe0f}' => {
            let is_escaped = |symbol: char| symbol.is_control() || hidden(symbol);
            previous.is_none_or(|symbol| symbol.is_ascii() || is_escaped(symbol))
        }
        other => other.is_control() || hidden(other),
    }
}

/// Characters that show nothing, reorder what is shown, or break lines without looking like it.
pub(super) fn hidden(character: char) -> bool {
    matches!(character,
        '\u{ad}' // soft hyphen
        | '\u{34f}' // combining grapheme joiner
        | '\u{61c}' // Arabic letter mark
        | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' // Hangul fillers
        | '\u{17b4}' | '\u{17b5}' // Khmer inherent vowels
        | '\u{180b}'..='\u{180f}' // Mongolian selectors
        | '\u{200b}'..='\u{200f}' // zero width space and joiners, direction marks
        | '\u{2028}'..='\u{202e}' // line and paragraph separator, embeddings and overrides
        | '\u{2060}'..='\u{206f}' // word joiner, invisible operators, isolates
        | '\u{fe00}'..='\u{fe0f}' // variation selectors
        | '\u{feff}' // byte order mark
        | '\u{fff0}'..='\u{fffb}' // interlinear annotation, and unassigned beside it
        | '\u{110bd}' | '\u{110cd}' // Kaithi number signs
        | '\u{13430}'..='\u{1343f}' // Egyptian format controls
        | '\u{1bca0}'..='\u{1bca3}' // shorthand format controls
        | '\u{1d173}'..='\u{1d17a}' // musical format controls
        | '\u{e0000}'..='\u{e0fff}' // tags and further variation selectors
    )
}

fn push_escape(out: &mut String, character: char) {
    match character {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        control @ ('\0'..='\x1f' | '\x7f') => {
            // Writing to a `String` cannot fail.
            let _ = write!(out, "\\x{:02x}", u32::from(control));
        }
        other => {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(other));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn attacks_are_shown_and_not_obeyed() {
        let table = [
            ("\x1b[2J", r"\x1b[2J"),
            ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
            ("\u{9b}31m", r"\u{9b}31m"),
            ("\u{9f}\u{fe0f}", r"\u{9f}\u{fe0f}"),
            ("\u{90}q\u{9c}", r"\u{90}q\u{9c}"),
            ("ok\rEVIL", r"ok\rEVIL"),
            ("a\r\nb", r"a\r\nb"),
            ("a\nb", r"a\nb"),
            ("a\tb", r"a\tb"),
            ("\0\x08\x0b\x0c\x7f", r"\x00\x08\x0b\x0c\x7f"),
            ("\u{202e}gpj.exe", r"\u{202e}gpj.exe"),
            ("\u{2066}x\u{2069}", r"\u{2066}x\u{2069}"),
            ("a\u{200e}b\u{200f}c\u{61c}", r"a\u{200e}b\u{200f}c\u{61c}"),
            ("pay\u{200b}pal", r"pay\u{200b}pal"),
            (
                "a\u{200c}b\u{200d}c\u{2060}",
                r"a\u{200c}b\u{200d}c\u{2060}",
            ),
            ("\u{feff}x", r"\u{feff}x"),
            ("a\u{2028}b\u{2029}c\u{85}d", r"a\u{2028}b\u{2029}c\u{85}d"),
            ("\u{e0041}\u{e0001}", r"\u{e0041}\u{e0001}"),
            ("\u{e0100}", r"\u{e0100}"),
            ("so\u{ad}ft", r"so\u{ad}ft"),
            ("\u{3164}=1", r"\u{3164}=1"),
            ("\u{fff9}a\u{fffb}", r"\u{fff9}a\u{fffb}"),
            ("a\u{fe0f}", r"a\u{fe0f}"),
            ("⚠\u{fe0f}\u{fe0f}", "⚠\u{fe0f}\\u{fe0f}"),
        ];
        for (attack, shown) in table {
            assert_eq!(visible(attack), shown);
        }
    }

    #[test]
    fn what_people_write_stays_and_costs_nothing() {
        for text in [
            "",
            "plain ~!",
            "naïve – “só isso” 日本語 🚀 ⚠\u{fe0f} e\u{301}",
            "a\u{a0}b",
        ] {
            assert!(matches!(visible(text), Cow::Borrowed(same) if same == text));
        }
        let lines = "one\n\ttwo\n\nthree\n";
        assert!(matches!(visible_lines(lines), Cow::Borrowed(same) if same == lines));
    }

    #[test]
    fn lines_keep_their_breaks() {
        assert_eq!(visible_lines("a\r\nb\rc\n\td\r"), "a\nb\\rc\n\td\\r");
        assert_eq!(visible_lines("é\r\n\x1b"), "é\n\\x1b");
        assert_eq!(visible_lines("\r\r\n"), "\\r\n");
    }

    /// The two that may stay behind a symbol.
    const SELECTORS: [char; 2] = ['\u{fe0e}', '\u{fe0f}'];

    proptest! {
        #[test]
        fn nothing_raw_comes_out_and_nothing_is_lost(text in any::<String>()) {
            let one = visible(&text);
            let raw = one.chars().any(|c| c.is_control() || (hidden(c) && !SELECTORS.contains(&c)));
            prop_assert!(!raw);
            let lines = visible_lines(&text);
            prop_assert!(!lines.chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
            prop_assert!(one.chars().count() >= text.chars().count());
        }

        #[test]
        fn json_stays_the_same_json(text in "(?s)([\u{80}-\u{9f}\u{202e}\u{e0041}\u{7f}\"\\\\]|.){0,12}") {
            let json = serde_json::to_string(&text).unwrap();
            let shown = visible_json(&json);
            prop_assert!(!shown.chars().any(|c| c.is_control() || hidden(c)), "{}", shown);
            prop_assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
        }
    }
}
