//! What a question is about and how it is named.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::visible::visible;
use crate::protocol::ApprovalRequest;
use crate::shell::shell_word;

/// Keys of a tool's input that say what the call is about, the most telling first.
const TELLING: [&str; 8] = [
    "command",
    "pattern",
    "path",
    "file_path",
    "url",
    "query",
    "action",
    "name",
];

/// The name of a question that no other question has: ids repeat inside a turn, this does not.
#[must_use]
pub fn approval_handle(approval_id: &str, seq: u64) -> String {
    format!("{approval_id}@{seq}")
}

/// What the question is about: the command, else the path (or what else tells most) in the input
/// of the call. As received, so not to be shown before it is made visible.
#[must_use]
pub fn approval_subject(request: &ApprovalRequest, input: Option<&RawValue>) -> Option<String> {
    let command = request.command.clone();
    command.or_else(|| input.and_then(|input| subject(input.get())))
}

/// What a call is about, from its input: JSON of any shape.
pub(super) fn subject(input: &str) -> Option<String> {
    let Some(fields) = object(input) else {
        let text = input.trim();
        return (!matches!(text, "" | "null")).then(|| text.to_owned());
    };
    let (key, value) = TELLING
        .iter()
        .find_map(|&key| Some((key, fields.get(key)?.get())))?;
    let value = plain(value);
    match (key, fields.get("path")) {
        ("pattern", Some(path)) => Some(format!("{value} in {}", plain(path.get()))),
        _ => Some(value.into_owned()),
    }
    .filter(|subject| !subject.is_empty())
}

/// Whether the input names a path, of which the end says more than the start.
pub(super) fn is_path(input: &str) -> bool {
    object(input).is_some_and(|fields| {
        !fields.contains_key("command")
            && (fields.contains_key("path") || fields.contains_key("file_path"))
    })
}

fn object(json: &str) -> Option<BTreeMap<Cow<'_, str>, &RawValue>> {
    serde_json::from_str(json).ok()
}

/// A string's content; of anything else the JSON itself.
fn plain(json: &str) -> Cow<'_, str> {
    serde_json::from_str::<String>(json).map_or(Cow::Borrowed(json), Cow::Owned)
}

/// The commands that answer a question: allow and deny.
pub(super) fn answers(session_id: &str, handle: &str) -> [String; 2] {
    let (session, handle) = (visible(session_id), visible(handle));
    let (session, handle) = (shell_word(&session), shell_word(&handle));
    ["approve", "deny"].map(|command| format!("dcodectl {command} {session} {handle}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_subject_is_the_command_or_what_the_input_says() {
        let mut request: ApprovalRequest =
            serde_json::from_str(r#"{"approval_id":"t1-0"}"#).unwrap();
        let input: Box<RawValue> =
            serde_json::from_str(r#"{"content":"x","path":"/etc/é\n"}"#).unwrap();
        assert_eq!(approval_subject(&request, None), None);
        assert_eq!(
            approval_subject(&request, Some(&input)).as_deref(),
            Some("/etc/é\n")
        );
        request.command = Some("rm -rf x".into());
        assert_eq!(
            approval_subject(&request, Some(&input)).as_deref(),
            Some("rm -rf x")
        );
    }

    #[test]
    fn inputs_of_any_shape_are_survived() {
        let table = [
            (r#"{"pattern":"a","path":"b"}"#, Some("a in b")),
            (r#"{"path":17}"#, Some("17")),
            (r#"{"path":null,"file_path":"x"}"#, Some("null")),
            (r#"{"x":1}"#, None),
            (r#"{"command":""}"#, None),
            ("[1,2]", Some("[1,2]")),
            ("null", None),
            ("\"text\"", Some("\"text\"")),
        ];
        for (input, expected) in table {
            assert_eq!(subject(input).as_deref(), expected, "{input}");
        }
    }
}
