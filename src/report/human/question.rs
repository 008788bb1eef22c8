//! Approvals: what a question is about, how to answer it, what became of it.

use super::super::approval::{answers, approval_handle};
use super::super::style::paint;
use super::super::text::visible_short;
use super::super::visible::visible;
use super::page::{Page, Section};
use super::tools;
use super::turn::{Question, Turn};
use crate::protocol::{ApprovalRequest, ApprovalResolved, Decision, Event};

/// Shows a question. How to answer it is said at the next pause: in a replay the answer follows.
pub(super) fn asked(
    page: &mut Page,
    turn: &mut Turn,
    event: &Event<'_>,
    request: &ApprovalRequest,
) {
    let palette = page.palette;
    let handle = approval_handle(&request.approval_id, event.seq);
    let room = page.width().saturating_sub(8);
    let call = turn.call(&request.tool_call_id);
    let tool = match (request.tool.as_str(), call) {
        ("", Some(call)) => call.name.as_str(),
        (tool, _) => tool,
    };
    let head = format!(
        "  {} {} asks: {}  {}",
        paint(&"?", palette.warn),
        paint(&visible_short(tool, 24), palette.bold),
        visible_short(&request.boundary_crossed, room),
        paint(&visible_short(&handle, room), palette.dim),
    );
    let subject = request
        .command
        .clone()
        .or_else(|| call.and_then(|call| call.subject.clone()));
    page.line(Section::Steps, &head);
    if let Some(subject) = subject {
        // Whoever answers must see all of it, not a line's worth.
        let text = visible_short(&subject, 20_000);
        page.line(
            Section::Steps,
            &format_args!("      {}", paint(&text, palette.accent)),
        );
    }
    if let Some(reason) = request
        .reason
        .as_deref()
        .filter(|reason| !reason.is_empty())
    {
        let text = visible_short(reason, 4 * room);
        page.prose(Section::Steps, ("      ", 6), &text, palette.dim);
    } else if let Some(rule) = &request.rule {
        let text = format!("rule {}", visible_short(rule, room));
        page.line(
            Section::Steps,
            &format_args!("      {}", paint(&text, palette.dim)),
        );
    }
    turn.question = Some(Question {
        approval_id: request.approval_id.clone(),
        handle,
        session_id: event.session_id.clone().into_owned(),
        tool_call_id: request.tool_call_id.clone(),
        explained: false,
    });
}

/// Says how to answer the open question, once.
pub(super) fn explain(page: &mut Page, turn: &mut Turn) {
    let Some(question) = turn
        .question
        .as_mut()
        .filter(|question| !question.explained)
    else {
        return;
    };
    question.explained = true;
    for command in answers(&question.session_id, &question.handle) {
        let dim = page.palette.dim;
        page.line(
            Section::Steps,
            &format_args!("      {} {}", paint(&"→", dim), visible(&command)),
        );
    }
}

/// What became of a question. A denied call never completes, so this is its last line.
pub(super) fn resolved(page: &mut Page, turn: &mut Turn, resolved: &ApprovalResolved) {
    let matches = |question: &Question| question.approval_id == resolved.approval_id;
    let question = turn.question.take_if(|question| matches(question));
    let palette = page.palette;
    let word = visible_short(resolved.decision.as_str(), 40);
    let (symbol, style, text) = match &resolved.decision {
        Decision::Deny => ("✗", palette.warn, "denied".to_owned()),
        Decision::Allow => ("✓", palette.good, "allowed".to_owned()),
        decision if decision.grants() => ("✓", palette.good, format!("allowed ({word})")),
        _ => ("?", palette.warn, word),
    };
    if let Some(question) = &question
        && resolved.decision == Decision::Deny
        && let Some(call) = turn.take(&question.tool_call_id)
    {
        tools::not_run(page, &call, symbol, "denied, not run");
        return;
    }
    if page.is_quiet() {
        return;
    }
    let which = if question.is_some() {
        String::new()
    } else {
        format!("  question {}", visible_short(&resolved.approval_id, 40))
    };
    page.line(
        Section::Steps,
        &format_args!(
            "  {} {text}{}",
            paint(&symbol, style),
            paint(&which, palette.dim)
        ),
    );
}
