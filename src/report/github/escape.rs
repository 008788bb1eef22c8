//! GitHub's own escapes: those of workflow commands, and the delimiters of multi-line outputs.

use serde::Serialize;

use super::super::digest::sha256_hex;
use super::super::visible::{visible, visible_json};

/// A workflow command, one line.
pub(super) fn annotation(command: &str, properties: &[(&str, &str)], message: &str) -> String {
    let properties: Vec<String> = properties
        .iter()
        .map(|(name, value)| format!("{name}={}", property(value)))
        .collect();
    let properties = properties.join(",");
    format!("::{command} {properties}::{}", data(message))
}

fn data(text: &str) -> String {
    // The last is not GitHub's: it keeps the older form of a command out of the newer one.
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
        .replace("##[", "##\\x5b")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// Names as JSON, for a workflow's `fromJSON`. Nothing is left in it for [`visible`], whose escapes are
/// none of JSON's.
pub(super) fn json(names: &[impl Serialize]) -> String {
    // Names serialise without fail.
    let plain = serde_json::to_string(names).unwrap_or_default();
    visible_json(&plain).into_owned()
}

/// One output of the step. The value ends where the delimiter stands alone in a line, so it must
/// not be in the value, nor may whoever wrote the value know it before.
pub(super) fn assignment(name: &str, value: &str) -> String {
    let value = visible(value);
    let mut delimiter = format!("dcodectl_{}", sha256_hex(&format!("{name}\n{value}")));
    while value.contains(&delimiter) {
        delimiter = format!("dcodectl_{}", sha256_hex(&delimiter));
    }
    format!("{name}<<{delimiter}\n{value}\n{delimiter}\n")
}
