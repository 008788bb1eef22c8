//! Open questions: what each is about, and the exact commands that answer it.

use std::fmt::Write as _;

use serde_json::value::RawValue;

use super::super::approval::{answers, approval_handle, approval_subject};
use super::super::style::{Palette, paint};
use super::super::text::usable;
use super::super::visible::visible;
use crate::protocol::ApprovalRequest;

/// A question as it stands in the stream.
#[derive(Debug, Clone, Copy)]
pub struct OpenQuestion<'a> {
    /// The session.
    pub session_id: &'a str,
    /// Sequence number of its `tool.approval_required`.
    pub seq: u64,
    /// The question.
    pub request: &'a ApprovalRequest,
    /// Input of the call it is about, if its `tool.requested` is held.
    pub input: Option<&'a RawValue>,
}

/// A block a question.
///
/// The command or path is never cut: whoever answers must have seen all of it.
#[must_use]
pub fn approvals(questions: &[OpenQuestion<'_>], palette: &Palette, width: usize) -> String {
    if questions.is_empty() {
        return "no open question\n".to_owned();
    }
    let blocks: Vec<String> = questions
        .iter()
        .map(|question| block(question, palette, usable(width)))
        .collect();
    blocks.join("\n")
}

fn block(question: &OpenQuestion<'_>, palette: &Palette, width: usize) -> String {
    let handle = approval_handle(&question.request.approval_id, question.seq);
    let mut text = approval(question, palette);
    let [allow, deny] =
        answers(question.session_id, &handle).map(|line| visible(&line).into_owned());
    if allow.len() + deny.len() + 10 <= width {
        let or = paint(&"or", palette.dim);
        let _ = writeln!(text, "  {} {allow} {or} {deny}", paint(&"→", palette.dim));
    } else {
        for line in [allow, deny] {
            let _ = writeln!(text, "  {} {line}", paint(&"→", palette.dim));
        }
    }
    text
}

/// What a question is about, without the commands that answer it: what to show before asking.
#[must_use]
pub fn approval(question: &OpenQuestion<'_>, palette: &Palette) -> String {
    let request = question.request;
    let handle = approval_handle(&request.approval_id, question.seq);
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{} {} asks: {}  {}",
        paint(&"?", palette.warn),
        paint(&visible(&request.tool), palette.bold),
        visible(&request.boundary_crossed),
        paint(&visible(&handle), palette.dim),
    );
    if let Some(subject) = approval_subject(request, question.input) {
        let _ = writeln!(text, "    {}", paint(&visible(&subject), palette.accent));
    }
    let named = |label: &str, value: &Option<String>| {
        let value = value.as_deref().filter(|value| !value.is_empty())?;
        Some(format!("{label}: {}", visible(value)))
    };
    let lines = [
        named("reason", &request.reason),
        named("rule", &request.rule),
    ];
    for line in lines.into_iter().flatten() {
        let _ = writeln!(text, "    {}", paint(&line, palette.dim));
    }
    text
}

/// The line that asks a person; `again` after something that is no answer.
#[must_use]
pub fn approval_prompt(again: bool, palette: &Palette) -> String {
    let asks = if again { "a letter, please:" } else { "allow?" };
    let key = |letter: char, rest: &str| format!("[{}]{rest}", paint(&letter, palette.bold));
    format!(
        "  {} {asks} {} {} {} {} {} ",
        paint(&"▸", palette.warn),
        key('y', "es"),
        key('n', "o"),
        key('s', "ession"),
        key('p', "roject"),
        key('a', "lways"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_says_what_it_is_about_and_how_to_answer() {
        let request: ApprovalRequest = serde_json::from_value(serde_json::json!({
            "approval_id": "t1-0", "tool": "write", "boundary_crossed": "rule:write",
            "reason": "writing .env matches the rule .env", "rule": ".env",
        }))
        .unwrap();
        let input: Box<RawValue> = serde_json::from_str(r#"{"path":".env\u001b[8m"}"#).unwrap();
        let question = OpenQuestion {
            session_id: "1a22ffe77291e6ee875",
            seq: 13,
            request: &request,
            input: Some(&input),
        };
        let expected = "\
? write asks: rule:write  t1-0@13
    .env\\x1b[8m
    reason: writing .env matches the rule .env
    rule: .env
  → dcodectl approve 1a22ffe77291e6ee875 t1-0@13
  → dcodectl deny 1a22ffe77291e6ee875 t1-0@13
";
        assert_eq!(approvals(&[question], &Palette::plain(), 80), expected);
        assert_eq!(approvals(&[], &Palette::plain(), 80), "no open question\n");
        let wide = approvals(&[question, question], &Palette::plain(), 132);
        assert_eq!(wide.matches(" or dcodectl deny ").count(), 2);
    }
}
