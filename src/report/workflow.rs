//! Keeping text from being taken for a command by the runner of a GitHub workflow.
//!
//! The runner reads what a step prints. It obeys a line that begins, blanks aside, with `::`, and
//! one that has `##[` anywhere in it. Each is broken by showing one of its characters as an escape.

use std::borrow::Cow;

use super::visible::hidden;

/// How far a line has come towards being a command.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Start {
    /// Nothing but blanks.
    #[default]
    Blank,
    /// Blanks and one colon.
    Colon,
    /// Something else: the line is none.
    Inside,
}

/// How far a sequence has come that sets a colour. No other is ever printed: what looks like the
/// beginning of one is text, which hides nothing behind it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Sequence {
    #[default]
    None,
    Escape,
    Numbers,
}

impl Sequence {
    fn after(self, character: char) -> Self {
        match (self, character) {
            (_, '\x1b') => Self::Escape,
            (Self::Escape, '[') | (Self::Numbers, '0'..='9' | ';') => Self::Numbers,
            _ => Self::None,
        }
    }
}

/// Watches text that is printed piece by piece.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Workflow {
    start: Start,
    /// Number signs just before.
    signs: u8,
    /// Inside a sequence that sets a colour, which shows nothing.
    sequence: Sequence,
}

impl Workflow {
    /// The next piece, made harmless.
    pub(super) fn safe<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        let mut out = String::new();
        let mut copied = 0;
        for (at, character) in text.char_indices() {
            if self.completes_a_command(character) {
                out.push_str(&text[copied..at]);
                out.push_str(if character == ':' { "\\x3a" } else { "\\x5b" });
                copied = at + character.len_utf8();
            }
        }
        if copied == 0 {
            return Cow::Borrowed(text);
        }
        out.push_str(&text[copied..]);
        Cow::Owned(out)
    }

    fn completes_a_command(&mut self, character: char) -> bool {
        if character == '\n' || character == '\r' {
            *self = Self::default();
            return false;
        }
        let before = self.sequence;
        self.sequence = before.after(character);
        let ends = before == Sequence::Numbers && character == 'm';
        if ends || self.sequence != Sequence::None {
            return false;
        }
        let signs = std::mem::take(&mut self.signs);
        if character == '#' {
            self.signs = (signs + 1).min(2);
        }
        let blank = character.is_whitespace() || hidden(character);
        match (self.start, character) {
            (Start::Blank, _) if blank => {}
            (Start::Blank, ':') => self.start = Start::Colon,
            (Start::Colon, ':') => {
                self.start = Start::Inside;
                return true;
            }
            _ => self.start = Start::Inside,
        }
        character == '[' && signs == 2
    }
}

/// Whole lines, made harmless.
#[must_use]
pub fn workflow_safe(text: &str) -> Cow<'_, str> {
    Workflow::default().safe(text)
}

/// A line of JSON, made harmless without becoming other JSON: number signs stand in strings only.
pub(super) fn workflow_safe_json(line: &str) -> String {
    line.replace("##[", "##\\u005b")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Whether the runner would try to read a command in the line.
    fn is_command(line: &str) -> bool {
        let start = line.trim_start();
        start.starts_with("::") || line.contains("##[")
    }

    #[test]
    fn commands_are_broken_and_all_else_stays() {
        let table = [
            ("::error::x", ":\\x3aerror::x"),
            (
                " \t\u{3000}::set-env name=X::y",
                " \t\u{3000}:\\x3aset-env name=X::y",
            ),
            ("a\n::x\r::y", "a\n:\\x3ax\r:\\x3ay"),
            ("a ##[error]b ###[c]", "a ##\\x5berror]b ###\\x5bc]"),
            ("\x1b[1m::x\x1b[0m", "\x1b[1m:\\x3ax\x1b[0m"),
            ("\x1b\x1b##[x", "\x1b\x1b##\\x5bx"),
            ("\x1b]::##[x", "\x1b]::##\\x5bx"),
            ("#\x1b[1m#\x1b[0m[x", "#\x1b[1m#\x1b[0m\\x5bx"),
            ("a::b # [x] #[y] : :", "a::b # [x] #[y] : :"),
        ];
        for (text, expected) in table {
            assert_eq!(workflow_safe(text), expected);
        }
        assert!(matches!(workflow_safe("std::fmt ##"), Cow::Borrowed(_)));
    }

    #[test]
    fn json_stays_the_same_json() {
        let line = serde_json::json!({"a": "##[error]", "b": ["x##["]}).to_string();
        let safe = workflow_safe_json(&line);
        let (before, after): (serde_json::Value, serde_json::Value) = (
            serde_json::from_str(&line).unwrap(),
            serde_json::from_str(&safe).unwrap(),
        );
        assert_eq!(before, after);
        assert!(!safe.contains("##["));
    }

    proptest! {
        #[test]
        fn no_piece_completes_a_command(
            pieces in proptest::collection::vec("[:#\\[\n\r \ta]{0,4}", 0..12)
        ) {
            let mut workflow = Workflow::default();
            let text: String = pieces.iter().map(|piece| workflow.safe(piece).into_owned()).collect();
            for line in text.split(['\n', '\r']) {
                prop_assert!(!is_command(line), "{text:?}");
            }
        }
    }
}
