//! Recorded exchanges, taken apart: `=== REQUEST ===` and `=== RESPONSE ===` stand between raw bytes.

#![allow(unreachable_pub, clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// One recorded exchange.
pub struct Exchange {
    pub request: Vec<u8>,
    pub response: Vec<u8>,
}

pub fn recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings")
}

pub fn exchanges(path: &Path) -> Vec<Exchange> {
    let bytes = fs::read(path).unwrap();
    let split = |bytes: &[u8], mark: &[u8]| -> Vec<Vec<u8>> {
        let mut parts = vec![Vec::new()];
        let mut rest = bytes;
        while let Some((first, more)) = rest.split_first() {
            if rest.starts_with(mark) {
                parts.push(Vec::new());
                rest = &rest[mark.len()..];
            } else {
                parts.last_mut().unwrap().push(*first);
                rest = more;
            }
        }
        parts
    };
    split(&bytes, b"=== REQUEST ===\n")[1..]
        .iter()
        .map(|part| {
            let mut halves = split(part, b"=== RESPONSE ===\n");
            Exchange {
                response: halves.pop().unwrap(),
                request: halves.pop().unwrap(),
            }
        })
        .collect()
}

/// Head and body of a recorded message; the head keeps its blank line.
pub fn split_head(message: &[u8]) -> (String, &[u8]) {
    let end = message.windows(4).position(|four| four == b"\r\n\r\n");
    let end = end.unwrap() + 4;
    (
        String::from_utf8_lossy(&message[..end]).into_owned(),
        &message[end..],
    )
}

/// The recorded session's id is replaced by ours wherever it stands.
pub fn with_id(text: &str, id: &str) -> String {
    let mut text = text.to_owned();
    let mut from = 0;
    while let Some(at) = text[from..].find("1a2") {
        let at = from + at;
        let end = at + 19;
        let is_id = text
            .get(at..end)
            .is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_hexdigit()));
        if is_id {
            text.replace_range(at..end, id);
        }
        from = at + 3;
    }
    text.replace("t79-0", "t1-0")
}

/// The keys and types of a value; of a list, those of its first element.
pub fn shape(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let members = map
                .iter()
                .map(|(key, value)| format!("{key}:{}", shape(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Value::Array(list) => format!("[{}]", list.first().map_or(String::new(), shape)),
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "bool".to_owned(),
        Value::Number(_) => "number".to_owned(),
        Value::String(_) => "string".to_owned(),
    }
}

/// Sequence numbers depend on what was played.
pub fn numberless(message: &str) -> String {
    message.replace(|character: char| character.is_ascii_digit(), "")
}
