//! Terminals of several widths: nothing that is cut to fit is wider, whatever it consists of, and
//! the status line is gone without a trace.

use std::fmt::Write as _;
use std::thread;

use dcodectl::simulate::{Daemon, Speed};
use unicode_width::UnicodeWidthChar as _;

use crate::grid::{Grid, Pictures};
use crate::pty::{Shown, Terminal, command};
use crate::support;
use crate::support::paced::{STARTED, paced};

const WIDTHS: [u16; 3] = [40, 80, 132];

/// Returns to the line's start and erases it: before, and instead of, every status line.
const ERASE: &str = "\r\x1b[K";

/// What is whole on one line whatever the width: messages, and the longest of the figures.
const UNCUT: [&str; 2] = ["dcodectl: ", "  tokens "];

const WIDE: &str = "日本語の長いコマンド한국어";
const PICTURES: &str = "⚠\u{fe0f}✔\u{fe0f}🚀👍🏽🇩🇪";
const RIGHT_TO_LEFT: &str = "שלום־עולם لا سلام لا إله لالا";

/// Numbered words, ten thousand characters without a line break.
fn endless() -> String {
    let mut text = String::new();
    for number in 0.. {
        if text.len() >= 10_000 {
            break;
        }
        // Writing to a `String` cannot fail.
        let _ = write!(text, "w{number} ");
    }
    text
}

/// What the model says, piece by piece.
fn answer() -> Vec<String> {
    vec![
        format!("Answer {WIDE} {PICTURES} "),
        format!("{RIGHT_TO_LEFT} the end of it.\n"),
        endless(),
        "\nDone.".to_owned(),
    ]
}

/// An event, after a pause in which the status line is drawn.
fn event(kind: &str, payload: &serde_json::Value) -> (u64, String, String) {
    (120, kind.to_owned(), payload.to_string())
}

/// Calls that do not become what was asked for, and whatever else is told of a session.
fn oddities(events: &mut Vec<(u64, String, String)>) {
    let name = "a_tool_with_a_rather_long_name";
    let long = WIDE.repeat(20);
    for (id, name) in [("o1", "bash"), ("o2", name)] {
        let input = serde_json::json!({ "path": format!("/{}", RIGHT_TO_LEFT.repeat(20)) });
        let asked = serde_json::json!({
            "turn_id": "t1", "tool_call_id": id, "name": name, "input": input,
        });
        events.push(event("tool.requested", &asked));
    }
    let announced = serde_json::json!({
        "turn_id": "t1", "tool_call_id": "o3", "name": name, "kind": "arguments", "done": 70_000,
    });
    events.push(event("progress", &announced));
    let round = serde_json::json!({ "turn_id": "t1", "kind": "rounds", "done": 1, "total": 2000 });
    events.push(event("progress", &round));
    let steered = serde_json::json!({ "turn_id": "t1", "text": format!("{long} please") });
    events.push(event("turn.steered", &steered));
    let renamed = serde_json::json!({ "name": long });
    events.push(event("session.renamed", &renamed));
    let error = serde_json::json!({ "code": "rate_limited", "message": PICTURES.repeat(30) });
    events.push(event("session.error", &error));
    events.push(event("no.such.event", &serde_json::json!({ "text": long })));
    let plan = serde_json::json!({ "items": [
        { "id": 1, "text": long, "status": "blocked", "blocked": PICTURES.repeat(20) },
        { "id": 2, "text": "short", "status": "blocked", "blocked": long },
        { "id": 3, "text": long, "status": "blocked" },
    ]});
    events.push(event("plan.updated", &plan));
}

/// A call about something, and what came of it after this pause.
fn call(events: &mut Vec<(u64, String, String)>, input: &str, pause: u64, output: &str) {
    let id = format!("c{}", events.len());
    let input = serde_json::json!({ "command": input });
    let requested = serde_json::json!({
        "turn_id": "t1", "tool_call_id": id, "name": "bash", "input": input,
    });
    let completed = serde_json::json!({
        "tool_call_id": id, "ok": true, "output": format!("exit 1\n{output}"), "has_exit": true,
        "truncated": false, "duration_ms": 1234, "started_at": "2026-12-01T05:00:00Z",
        "finished_at": "2026-12-01T05:00:01.234Z",
    });
    events.push(event("tool.requested", &requested));
    events.push((pause, "tool.completed".to_owned(), completed.to_string()));
}

fn daemon_of(events: &[(u64, String, String)]) -> Daemon {
    let mut all = vec![STARTED];
    all.extend(
        events
            .iter()
            .map(|(pause, kind, payload)| (*pause, kind.as_str(), payload.as_str())),
    );
    paced(&all, |_| {})
}

/// A turn with text of every kind in every place.
fn manifold() -> Daemon {
    let mut events = Vec::new();
    let files = r#"{"turn_id":"t1","kind":"files","done":3,"total":123456}"#;
    events.push((200, "progress".to_owned(), files.to_owned()));
    for text in [WIDE, PICTURES, RIGHT_TO_LEFT, "e\u{301}x"] {
        let many = text.repeat(20);
        call(&mut events, &many, 1100, &format!("{many}\n{}", endless()));
    }
    oddities(&mut events);
    let item = |id: u64, text: &str, status: &str| serde_json::json!({ "id": id, "text": text.repeat(20), "status": status });
    let plan = serde_json::json!({ "items": [
        item(1, WIDE, "done"), item(2, PICTURES, "active"), item(3, RIGHT_TO_LEFT, "pending"),
    ]});
    events.push(event("plan.updated", &plan));
    for piece in answer() {
        let delta = serde_json::json!({ "turn_id": "t1", "text": piece });
        events.push(event("message.delta", &delta));
    }
    let end = serde_json::json!({
        "turn_id": "t1", "reason": "done",
        "completion": { "verification": "passed", "met": ["tests", "lint", "types and all the rest"] },
        "usage": { "input_tokens": 1_234_567, "output_tokens": 12345, "cache_read_tokens": 1_000_000,
            "context_tokens": 68708 },
    });
    events.push(event("turn.completed", &end));
    daemon_of(&events)
}

/// What a text takes where every character has columns of its own and each symbol in its picture
/// form has two: no terminal needs more.
fn most_columns(text: &str) -> usize {
    let mut columns = 0;
    let mut last = 0;
    for character in text.chars() {
        last = match character {
            '\u{fe0f}' => 2 - last,
            other => other.width().unwrap(),
        };
        columns += last;
    }
    columns
}

/// The pieces of what was shown: the status lines, each with its position, and the page.
fn divided(text: &str) -> (Vec<(usize, &str)>, String) {
    let mut lines = Vec::new();
    let mut pieces = text.split(ERASE);
    let mut page = pieces.next().unwrap().to_owned();
    let mut at = page.len();
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        at += ERASE.len();
        if piece.starts_with(|first: char| first.is_ascii_digit())
            && !piece.contains('\n')
            && pieces.peek().is_some()
        {
            lines.push((at, piece));
        } else {
            page += piece;
        }
        at += piece.len();
    }
    (lines, page)
}

/// The grid after all this, of the first width up to a position and then of the second.
fn grid(text: &str, widths: (u16, u16), from: usize, pictures: Pictures) -> Grid {
    let mut grid = Grid::new(widths.0.into(), pictures);
    grid.feed(&text[..from]);
    if widths.0 != widths.1 {
        grid.resize(widths.1.into());
    }
    grid.feed(&text[from..]);
    grid
}

/// Does the same on a terminal of each width, on all of them at once.
fn at_each_width(act: impl Fn(u16) + Sync) {
    thread::scope(|scope| {
        for columns in WIDTHS {
            let act = &act;
            scope.spawn(move || act(columns));
        }
    });
}

/// Status lines were there, none is as wide as the terminal, and nothing is left of them.
#[track_caller]
fn leaves_no_trace(shown: &Shown, columns: u16) -> String {
    let (status, page) = divided(&shown.text);
    assert!(!status.is_empty(), "{:?}", shown.text);
    for (_, line) in &status {
        assert!(most_columns(line) < usize::from(columns), "{line:?}");
    }
    let widths = (columns, columns);
    for pictures in [Pictures::Narrow, Pictures::Wide] {
        let lines = grid(&shown.text, widths, 0, pictures).lines();
        assert_eq!(lines, grid(&page, widths, 0, pictures).lines());
    }
    page
}

#[test]
fn text_of_every_kind_fits_every_width() {
    let said = answer().concat();
    at_each_width(|columns| {
        let daemon = manifold();
        let run = command(&daemon, &["run", "Fix it"]);
        let shown = Terminal::of_width(columns, run).end().exits(0);
        let page = leaves_no_trace(&shown, columns);
        // The terminal breaks what the model says; what is laid out fits.
        for pictures in [Pictures::Narrow, Pictures::Wide] {
            let lines = grid(&page, (columns, columns), 0, pictures).lines();
            for spoken in said.lines() {
                let found = lines
                    .iter()
                    .any(|(text, _)| text.trim_end() == spoken.trim_end());
                assert!(found, "{columns}: {spoken:?} is not in {lines:#?}");
            }
            let too_wide = lines.iter().filter(|(text, rows)| {
                let spoken = |line: &str| line.trim_end() == text.trim_end();
                let whole = UNCUT.iter().any(|start| text.starts_with(start));
                *rows > 1 && !whole && !said.lines().any(spoken)
            });
            let too_wide: Vec<_> = too_wide.collect();
            assert!(too_wide.is_empty(), "{columns}: {too_wide:#?}");
        }
    });
}

#[test]
fn scenarios_leave_no_trace_at_any_width() {
    at_each_width(|columns| {
        for (scenario, speed) in [("tools", 1.0), ("plan", 0.5), ("weird-output", 1.0)] {
            let daemon =
                support::daemon_with(scenario, |options| options.speed = Speed::Times(speed));
            let run = command(&daemon, &["run", "Fix it"]);
            let shown = Terminal::of_width(columns, run).end().exits(0);
            leaves_no_trace(&shown, columns);
        }
    });
}

#[test]
fn a_terminal_narrower_than_any_layout_has_no_trace_either() {
    for columns in [1, 7, 8, 12] {
        let daemon = support::daemon_with("tools", |options| options.speed = Speed::Times(1.0));
        let run = command(&daemon, &["run", "Fix it"]);
        let shown = Terminal::of_width(columns, run).end().exits(0);
        if columns < 8 {
            shown.lacks("\x1b");
        } else {
            leaves_no_trace(&shown, columns);
        }
    }
}

/// A command that takes four seconds, during which the terminal gets another width.
fn resized(from: u16, to: u16) -> (Shown, usize) {
    let mut events = Vec::new();
    call(
        &mut events,
        &format!("sleep {}", WIDE.repeat(9)),
        4000,
        &endless(),
    );
    let end = r#"{"turn_id":"t1","reason":"done"}"#.to_owned();
    events.push((120, "turn.completed".to_owned(), end));
    let daemon = daemon_of(&events);
    let mut terminal = Terminal::of_width(from, command(&daemon, &["run", "Fix it"]));
    terminal.wait_for("bash sleep ");
    terminal.resize(to);
    let position = terminal.position();
    (terminal.end().exits(0), position)
}

#[test]
fn a_resize_is_followed_by_status_lines_of_the_new_width() {
    for (from, to) in [(132, 40), (40, 132), (80, 40)] {
        let (shown, position) = resized(from, to);
        let (status, page) = divided(&shown.text);
        let fits = |line: &str| most_columns(line) < usize::from(to.min(from));
        // One that was drawn just before the resize may arrive after it.
        let narrow = to < from;
        let mut later = status
            .iter()
            .filter(|(at, line)| *at > position && line.contains("sleep") && fits(line) == narrow);
        let Some((first, _)) = later.next() else {
            panic!("{from} to {to}: none is of the new width: {status:#?}");
        };
        for (at, line) in &status {
            let width = if at < first { from.max(to) } else { to };
            assert!(most_columns(line) < usize::from(width), "{line:?}");
        }
        assert!(later.count() >= 1, "{from} to {to}: {status:#?}");
        for pictures in [Pictures::Narrow, Pictures::Wide] {
            let lines = grid(&shown.text, (from, to), first - ERASE.len(), pictures).lines();
            let start = page.find("Fix it").unwrap();
            let expected = grid(&page, (from, to), start, pictures).lines();
            assert_eq!(lines, expected, "{from} to {to}");
        }
    }
}

#[test]
fn a_dumb_terminal_gets_no_escape_at_any_width() {
    at_each_width(|columns| {
        let daemon = manifold();
        let run = support::at(&daemon, ["run", "Fix it"]).env("TERM", "dumb");
        let shown = Terminal::of_width(columns, run).end().exits(0);
        let shown = shown.lacks("\x1b").lacks("the model is at work");
        for spoken in answer().concat().lines() {
            assert!(shown.text.contains(spoken.trim_end()), "{}", shown.text);
        }
    });
}
