//! Sessions: a table of many, keys and values of one.

use std::fmt::Write as _;

use super::super::style::{Palette, Style, paint};
use super::super::text::{columns, grouped, pad, shorten, shorten_start, usable};
use super::super::visible::visible;
use crate::protocol::{Session, SessionState, is_set};

/// Columns between two columns of the table.
const GAP: usize = 2;

/// What a workspace is cut to at most, if anything else can give way.
const LEAST: usize = 12;

/// One line a session, with a heading. Where it is narrow the workspace gives way, then the model,
/// and then sandbox and model are left out: what `show` tells too.
#[must_use]
pub fn sessions(sessions: &[Session], palette: &Palette, width: usize) -> String {
    if sessions.is_empty() {
        return "no live sessions\n".to_owned();
    }
    let heads = ["ID", "STATE", "MODEL", "SANDBOX", "WORKSPACE"].map(str::to_owned);
    let rows: Vec<[String; 5]> = sessions.iter().map(row).collect();
    let mut widths = [0; 5];
    for row in rows.iter().chain([&heads]) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = columns(cell).max(*width);
        }
    }
    // An id is for copying and stays whole; a model's name need not.
    widths[2] = widths[2].min(28);
    let used = |widths: &[usize; 5]| {
        let shown = widths[..4].iter().filter(|width| **width > 0);
        shown.map(|width| width + GAP).sum::<usize>()
    };
    let width = usable(width);
    let lacks = (used(&widths) + LEAST).saturating_sub(width);
    widths[2] = widths[2].saturating_sub(lacks).max(widths[2].min(LEAST));
    for column in [3, 2] {
        if used(&widths) + LEAST > width {
            widths[column] = 0;
        }
    }
    let room = width.saturating_sub(used(&widths)).max(8);
    let mut text = String::new();
    let head = line(&heads, &widths, room);
    let _ = writeln!(text, "{}", paint(&head.concat().trim_end(), palette.dim));
    for (row, session) in rows.iter().zip(sessions) {
        let [id, state, rest @ ..] = line(row, &widths, room);
        let state = paint(&state, style(&session.state, palette)).to_string();
        let _ = writeln!(text, "{id}{state}{}", rest.concat().trim_end());
    }
    text
}

fn row(session: &Session) -> [String; 5] {
    let mode = session
        .sandbox_mode
        .as_ref()
        .map_or("-", |mode| mode.as_str());
    [
        session.id.as_str(),
        session.state.as_str(),
        session.model.as_str(),
        mode,
        session.workspace.as_str(),
    ]
    .map(|cell| match cell {
        "" => "-".to_owned(),
        cell => visible(cell).into_owned(),
    })
}

fn line(cells: &[String; 5], widths: &[usize; 5], room: usize) -> [String; 5] {
    std::array::from_fn(|at| match at {
        2 | 3 if widths[at] == 0 => String::new(),
        2 => pad(&shorten(&cells[at], widths[at]), widths[at] + GAP),
        4 => shorten_start(&cells[at], room).into_owned(),
        _ => pad(&cells[at], widths[at] + GAP),
    })
}

fn style(state: &SessionState, palette: &Palette) -> Style {
    match state {
        SessionState::Idle | SessionState::Closed => palette.dim,
        SessionState::Running => palette.good,
        SessionState::Blocked | SessionState::Other(_) => palette.warn,
    }
}

/// One session, a line a fact.
#[must_use]
pub fn session(session: &Session, palette: &Palette) -> String {
    let mode = session
        .sandbox_mode
        .as_ref()
        .map_or("", |mode| mode.as_str());
    let created = match session.created_at.as_str() {
        at if is_set(at) => at,
        _ => "",
    };
    let first = session.first_seq.unwrap_or(1);
    let events = match session.last_seq {
        0 => "none".to_owned(),
        last => format!("{first} to {last}"),
    };
    let window = session.context_window.map(grouped);
    let window = window.map_or(String::new(), |window| format!("{window} tokens"));
    let facts = [
        ("session", session.id.as_str()),
        ("state", session.state.as_str()),
        ("workspace", session.workspace.as_str()),
        ("model", session.model.as_str()),
        ("sandbox", mode),
        ("created", created),
        ("events", events.as_str()),
        ("context", window.as_str()),
    ];
    let mut text = String::new();
    for (key, value) in facts {
        let value = if value.is_empty() { "-" } else { value };
        let style = match key {
            "session" => palette.bold,
            "state" => style(&session.state, palette),
            _ => Style::new(),
        };
        let key = pad(key, 11);
        let value = visible(value);
        let _ = writeln!(text, "{}{}", paint(&key, palette.dim), paint(&value, style));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(id: &str, state: &str, workspace: &str) -> Session {
        serde_json::from_value(serde_json::json!({
            "id": id, "state": state, "workspace": workspace, "model": "MiniMax-M3",
            "sandbox_mode": "workspace-write", "created_at": "2026-12-01T05:04:07.7Z",
            "last_seq": 12, "context_window": 128_000,
        }))
        .unwrap()
    }

    #[test]
    fn columns_align_whatever_is_in_them() {
        let list = [
            example("1a22ffd2019c9c5f2ea", "idle", "/tmp/ws"),
            example(
                "1a22ffd2019c9c5f2eb",
                "blocked",
                "/home/日本語/\x1b[2Jproject/with/a/long/path",
            ),
        ];
        let expected = "\
ID                   STATE    MODEL       SANDBOX          WORKSPACE
1a22ffd2019c9c5f2ea  idle     MiniMax-M3  workspace-write  /tmp/ws
1a22ffd2019c9c5f2eb  blocked  MiniMax-M3  workspace-write  …ect/with/a/long/path
";
        assert_eq!(sessions(&list, &Palette::plain(), 80), expected);
        assert_eq!(sessions(&[], &Palette::plain(), 80), "no live sessions\n");
    }

    #[test]
    fn a_narrow_table_leaves_out_what_show_tells_too() {
        let list = [example(
            "1a22ffd2019c9c5f2ea",
            "blocked",
            "/home/日本語/a/long/path",
        )];
        let at = |width| sessions(&list, &Palette::plain(), width);
        let expected = "\
ID                   STATE    MODEL       WORKSPACE
1a22ffd2019c9c5f2ea  blocked  MiniMax-M3  …a/long/path
";
        assert_eq!(at(54), expected);
        let expected = "\
ID                   STATE    WORKSPACE
1a22ffd2019c9c5f2ea  blocked  …long/path
";
        assert_eq!(at(40), expected);
        let mut long = example("1a22ffd2019c9c5f2ea", "blocked", "/tmp/ws");
        long.model = "a model of a very long name indeed".into();
        let expected = "\
ID                   STATE    MODEL          SANDBOX          WORKSPACE
1a22ffd2019c9c5f2ea  blocked  a model of a…  workspace-write  /tmp/ws
";
        let table = sessions(&[long], &Palette::plain(), 74);
        assert_eq!(table, expected);
    }

    #[test]
    fn one_session_is_a_list_of_facts() {
        let text = session(&example("x\n", "dreaming", ""), &Palette::plain());
        let expected = "\
session    x\\n
state      dreaming
workspace  -
model      MiniMax-M3
sandbox    workspace-write
created    2026-12-01T05:04:07.7Z
events     1 to 12
context    128,000 tokens
";
        assert_eq!(text, expected);
    }
}
