//! Checks that text is JSON, as fast as it can be read and without building anything.
//!
//! Every event that is passed through has to be JSON, or a line of stdout would be none. serde takes many times as
//! long to say so. What is read as a whole here is accepted only if serde would accept it, which a test holds it to;
//! whatever is refused is given to serde, whose judgement and message count.

mod string;

use string::string_end;

/// How deep values may be nested before they are left to serde.
const DEPTH: u32 = u128::BITS;

/// Whether the text is one JSON value, without white space around it.
pub(super) fn is_value(text: &[u8]) -> bool {
    let starts_at_once = text.first().is_some_and(|byte| !byte.is_ascii_whitespace());
    starts_at_once && value_end(text, 0) == Some(text.len())
}

/// Where the inside of a string ends that has no escape.
#[inline]
pub(super) fn plain_end(text: &[u8]) -> Option<usize> {
    string::plain_end(text)
}

/// Where the JSON value that begins at `at` ends; `None` if there is none that can be told.
fn value_end(text: &[u8], mut at: usize) -> Option<usize> {
    let mut open = Open::default();
    loop {
        at = space_end(text, at);
        at = match *text.get(at)? {
            b'{' => {
                open.push(true)?;
                let inside = space_end(text, at + 1);
                if text.get(inside)? == &b'}' {
                    open.pop();
                    inside + 1
                } else {
                    at = key_end(text, inside)?;
                    continue;
                }
            }
            b'[' => {
                open.push(false)?;
                let inside = space_end(text, at + 1);
                if text.get(inside)? == &b']' {
                    open.pop();
                    inside + 1
                } else {
                    at = inside;
                    continue;
                }
            }
            b'"' => string_end(text, at + 1)?,
            b't' => word_end(text, at, b"true")?,
            b'f' => word_end(text, at, b"false")?,
            b'n' => word_end(text, at, b"null")?,
            _ => number_end(text, at)?,
        };
        match after_value(text, at, &mut open)? {
            After::End(end) => return Some(end),
            After::Value(next) => at = next,
        }
    }
}

/// What follows a value.
enum After {
    /// Nothing: it was the outermost one, and ended here.
    End(usize),
    /// The next value of the array or object.
    Value(usize),
}

/// Closes what ends behind a value, and goes to the next one.
fn after_value(text: &[u8], mut at: usize, open: &mut Open) -> Option<After> {
    loop {
        let Some(in_object) = open.innermost() else {
            return Some(After::End(at));
        };
        at = space_end(text, at);
        match (*text.get(at)?, in_object) {
            (b',', true) => return key_end(text, space_end(text, at + 1)).map(After::Value),
            (b',', false) => return Some(After::Value(at + 1)),
            (b'}', true) | (b']', false) => open.pop(),
            _ => return None,
        }
        at += 1;
    }
}

/// The objects and arrays that are open, one bit each: set for an object.
#[derive(Default)]
struct Open {
    kinds: u128,
    depth: u32,
}

impl Open {
    fn push(&mut self, object: bool) -> Option<()> {
        if self.depth == DEPTH {
            return None;
        }
        self.kinds = self.kinds << 1 | u128::from(object);
        self.depth += 1;
        Some(())
    }

    fn pop(&mut self) {
        self.kinds >>= 1;
        self.depth -= 1;
    }

    fn innermost(&self) -> Option<bool> {
        (self.depth > 0).then_some(self.kinds & 1 == 1)
    }
}

fn space_end(text: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\t' | b'\r') = text.get(at) {
        at += 1;
    }
    at
}

fn word_end(text: &[u8], at: usize, word: &[u8]) -> Option<usize> {
    text[at..].starts_with(word).then_some(at + word.len())
}

/// Behind the colon of the key that begins at `at`.
fn key_end(text: &[u8], at: usize) -> Option<usize> {
    if text.get(at)? != &b'"' {
        return None;
    }
    let colon = space_end(text, string_end(text, at + 1)?);
    (text.get(colon)? == &b':').then_some(colon + 1)
}

fn number_end(text: &[u8], at: usize) -> Option<usize> {
    let digits = |mut at: usize| {
        let start = at;
        while text.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        (at > start).then_some(at)
    };
    let whole = at + usize::from(text.get(at)? == &b'-');
    let mut at = if text.get(whole)? == &b'0' {
        whole + 1
    } else {
        digits(whole)?
    };
    if text.get(at) == Some(&b'.') {
        at = digits(at + 1)?;
    }
    if let Some(b'e' | b'E') = text.get(at) {
        let sign = usize::from(matches!(text.get(at + 1), Some(b'+' | b'-')));
        at = digits(at + 1 + sign)?;
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::value::RawValue;

    use super::*;

    fn is_json(text: &str) -> bool {
        space_end(text.as_bytes(), 0) == 0 && value_end(text.as_bytes(), 0) == Some(text.len())
    }

    #[test]
    fn json_is_accepted() {
        let deep = format!("{}0{}", "[".repeat(128), "]".repeat(128));
        for text in [
            "{}",
            "[]",
            "null",
            "true",
            "false",
            "0",
            "-0",
            "10",
            "-1.5e+30",
            "1E5",
            "0.0",
            r#""""#,
            r#"{"a":[1,{"b":[]},"c"],"d":{}}"#,
            "{ \"a\" : [ 1 , 2 ] ,\r\n\t\"b\" : null }",
            r#""\"\\\/\b\f\n\r\t\u00e9\uD800""#,
            "\"\u{7f}\u{85}\u{2028}é日本\"",
            &deep,
        ] {
            assert!(is_json(text), "{text}");
        }
    }

    #[test]
    fn what_is_not_json_is_left_to_serde() {
        let deeper = format!("{}0{}", "[".repeat(129), "]".repeat(129));
        for text in [
            "",
            "{",
            "}",
            "{]",
            "[}",
            "{\"a\"}",
            "{\"a\":}",
            "{a:1}",
            "{\"a\":1,}",
            "[1,]",
            "[,]",
            "[1 2]",
            "nul",
            "nulll",
            "01",
            "-",
            "1.",
            ".5",
            "1e",
            "+1",
            "\"",
            "\"\\\"",
            "\"\\x\"",
            "\"\\u12g4\"",
            "\"\\u123\"",
            "\"\n\"",
            "\"a\u{1}\"",
            "\u{feff}1",
            "1 ",
            "{}{}",
            "{\"a\":1 \"b\":2}",
            "tru",
            "\"é",
            &deeper,
        ] {
            assert!(!is_json(text), "{text}");
        }
    }

    #[test]
    fn a_long_text_is_read_to_its_end() {
        let long = format!(r#"{{"output":"{}"}}"#, r"x\n".repeat(100_000));
        assert!(is_json(&long));
        let middle = long.len() / 2 / 3 * 3;
        for wrong in ["\"", "\n", "\u{1}", "\\q"] {
            let mut broken = long.clone();
            broken.insert_str(middle, wrong);
            assert!(!is_json(&broken), "{wrong:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn it_accepts_nothing_that_serde_refuses(
            text in r#"([\[\]{}:, "\\a0-9eE.+\-tnu/]|"[a\\"u0d8é\n]{0,20}"|\\u00e9|true|null|false|"k":){0,24}"#,
        ) {
            if is_json(&text) {
                prop_assert!(serde_json::from_str::<&RawValue>(&text).is_ok(), "{}", text);
            }
        }

        #[test]
        fn it_accepts_what_serde_writes(keys in prop::collection::vec(".{0,40}", 0..6), number: f64) {
            let value = serde_json::json!({ "keys": keys, "n": [number, null, { "x": keys }] });
            prop_assert!(is_json(&value.to_string()));
            prop_assert!(is_json(&serde_json::to_string_pretty(&value).unwrap()));
        }
    }
}
