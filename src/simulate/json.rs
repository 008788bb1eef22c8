//! JSON as the daemon reads and writes it (protocol, sections 2 and 4): lenient on the way in,
//! with `<`, `>`, `&` and the line separators escaped on the way out.

use std::fmt::Write;

use serde_json::Value;

/// What is wrong with a request body, in the daemon's words.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Malformed(pub(super) String);

/// The fields of a request body: the first JSON value of it, an object or `null`.
pub(super) struct Fields {
    /// The name that messages about wrong types give to the request.
    request: &'static str,
    members: Vec<(String, Value)>,
}

impl Fields {
    /// Reads a body. Whatever follows the first value is ignored.
    pub(super) fn read(body: &[u8], request: &'static str) -> Result<Self, Malformed> {
        let text = without_lone_surrogates(&String::from_utf8_lossy(body));
        let first = serde_json::Deserializer::from_str(&text)
            .into_iter::<Value>()
            .next();
        let members = match first {
            None => return Err(Malformed("EOF".into())),
            Some(Err(error)) if error.is_eof() => {
                return Err(Malformed("unexpected EOF".into()));
            }
            Some(Err(error)) => return Err(Malformed(invalid(&text, &error))),
            Some(Ok(Value::Null)) => Vec::new(),
            Some(Ok(Value::Object(map))) => map.into_iter().collect(),
            Some(Ok(other)) => {
                let kind = kind(&other);
                return Err(Malformed(format!(
                    "json: cannot unmarshal {kind} into Go value of type api.{request}"
                )));
            }
        };
        Ok(Self { request, members })
    }

    /// The member of that name, in whatever case its key is written.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        let exact = self.members.iter().find(|(key, _)| key == name);
        let any_case = || {
            let same = |(key, _): &&(String, Value)| key.eq_ignore_ascii_case(name);
            self.members.iter().find(same)
        };
        exact.or_else(any_case).map(|(_, value)| value)
    }

    /// A string member; absent and `null` are empty.
    pub(super) fn string(&self, name: &str) -> Result<String, Malformed> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(String::new()),
            Some(Value::String(text)) => Ok(text.clone()),
            Some(other) => Err(self.wrong_type(name, other, "string")),
        }
    }

    /// The message about a member of the wrong type.
    pub(super) fn wrong_type(&self, name: &str, value: &Value, wanted: &str) -> Malformed {
        let (kind, request) = (kind(value), self.request);
        Malformed(format!(
            "json: cannot unmarshal {kind} into Go struct field {request}.{name} of type {wanted}"
        ))
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn invalid(text: &str, error: &serde_json::Error) -> String {
    let line = text.lines().nth(error.line().saturating_sub(1));
    let at = line.and_then(|line| line.get(error.column().saturating_sub(1)..)?.chars().next());
    let character = at.unwrap_or(' ');
    format!("invalid character '{character}' looking for beginning of value")
}

/// Replaces `\ud800` and its like, where no other half follows, by the replacement character.
fn without_lone_surrogates(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        clean.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match (escape(rest), rest.get(6..).and_then(escape)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                clean.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
            // Backslash and the one character behind it, whatever it is.
            _ => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        clean.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    clean.push_str(rest);
    clean
}

/// The code unit of a `\uXXXX` escape at the start of the text.
fn escape(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}

/// A JSON string literal, escaped as the daemon escapes it.
pub(super) fn quoted(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('"');
    let mut plain = 0;
    for (at, character) in text.char_indices() {
        let short = match character {
            '"' => "\\\"",
            '\\' => "\\\\",
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            '\u{8}' => "\\b",
            '\u{c}' => "\\f",
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => "",
            _ => continue,
        };
        literal.push_str(&text[plain..at]);
        plain = at + character.len_utf8();
        if short.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(literal, "\\u{:04x}", u32::from(character));
        } else {
            literal.push_str(short);
        }
    }
    literal.push_str(&text[plain..]);
    literal.push('"');
    literal
}

/// Valid JSON as the daemon would write it: without blanks between the tokens, escaped like
/// [`quoted`]. Digits and the order of keys stay as they are, which parsing would not grant.
pub(super) fn compact(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    let (mut in_string, mut escaped) = (false, false);
    for character in json.chars() {
        let ends = character == '"' && !escaped;
        escaped = in_string && character == '\\' && !escaped;
        in_string ^= ends;
        match character {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                // Writing to a string cannot fail.
                let _ = write!(text, "\\u{:04x}", u32::from(character));
            }
            ' ' | '\t' if !in_string => {}
            other => text.push(other),
        }
    }
    text
}

/// Checks base64 as the daemon does: standard alphabet, padded, line breaks allowed. The error is
/// the position of the first byte that does not fit.
pub(super) fn check_base64(data: &str) -> Result<(), usize> {
    let mut quantum = 0;
    let mut quantum_start = 0;
    let mut padding = 0;
    for (at, byte) in data.bytes().enumerate() {
        match byte {
            b'\r' | b'\n' => continue,
            b'=' if quantum >= 2 => padding += 1,
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' if padding == 0 => {}
            _ => return Err(at),
        }
        if quantum == 0 {
            quantum_start = at;
        }
        quantum = (quantum + 1) % 4;
    }
    if quantum == 0 {
        Ok(())
    } else {
        Err(quantum_start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_read_leniently() {
        let table: [(&[u8], Result<&str, &str>); 12] = [
            (b"{\"text\":\"a\"}", Ok("a")),
            (b"{\"TEXT\":\"a\"} trailing", Ok("a")),
            (b"null", Ok("")),
            (b"{}", Ok("")),
            (b"{\"text\":null,\"more\":1}", Ok("")),
            (b"{\"text\":\"\xff\"}", Ok("\u{fffd}")),
            (b"{\"text\":\"x\\ud800y\"}", Ok("x\u{fffd}y")),
            (
                b"{\"text\":\"\\ud83d\\ude80 \\\\ud800\"}",
                Ok("\u{1f680} \\ud800"),
            ),
            (b"", Err("EOF")),
            (b"{\"text\":", Err("unexpected EOF")),
            (
                b"7",
                Err("json: cannot unmarshal number into Go value of type api.R"),
            ),
            (
                b"{\"text\":[\"a\"]}",
                Err("json: cannot unmarshal array into Go struct field R.text of type string"),
            ),
        ];
        for (body, expected) in table {
            let read = Fields::read(body, "R").and_then(|fields| fields.string("text"));
            let expected = expected
                .map(str::to_owned)
                .map_err(|message| Malformed(message.to_owned()));
            assert_eq!(read, expected, "{}", String::from_utf8_lossy(body));
        }
    }

    #[test]
    fn strings_are_escaped_like_the_daemons() {
        assert_eq!(
            quoted("<a & \"b\">\n\u{1b}\u{7f}\u{9b}\u{2028}é\\"),
            "\"\\u003ca \\u0026 \\\"b\\\"\\u003e\\n\\u001b\u{7f}\u{9b}\\u2028é\\\\\""
        );
    }

    #[test]
    fn compact_json_keeps_digits_and_order() {
        let json = r#"{"b": 1.10, "a": [12345678901234567890, "x && \" y \\", ""], "c": {}}"#;
        let expected =
            r#"{"b":1.10,"a":[12345678901234567890,"x \u0026\u0026 \" y \\",""],"c":{}}"#;
        assert_eq!(compact(json), expected);
    }

    #[test]
    fn base64_errors_name_the_byte() {
        let table = [
            ("iVBORw0KGgo=", Ok(())),
            ("iVBO\nRw0K\nGgo=", Ok(())),
            ("", Ok(())),
            ("not base64!", Err(3)),
            ("iVBORw0KGgo", Err(8)),
            ("-_-_", Err(0)),
            ("=", Err(0)),
            ("YQ==YQ==", Err(4)),
        ];
        for (data, expected) in table {
            assert_eq!(check_base64(data), expected, "{data}");
        }
    }
}
