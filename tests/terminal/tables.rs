//! What the commands print that follow no turn: rows that are laid out fit the terminal, and what is for copying or
//! for judging is whole, whatever it consists of.

use std::fs;
use std::path::PathBuf;

use dcodectl::simulate::Daemon;
use tempfile::TempDir;

use crate::grid::{Grid, Pictures};
use crate::pty::{Terminal, command, until_state};
use crate::support;
use crate::support::paced::{STARTED, paced};

const WIDTHS: [u16; 2] = [40, 80];

/// Names of folders: wide, from right to left, with pictures, and long.
const NAMES: [&str; 4] = [
    "日本語の長いフォルダー한국어",
    "שלום־עולם لا سلام لا إله",
    "🚀👍🏽⚠\u{fe0f}e\u{301}",
    "a-rather-long-name-of-a-folder-that-fits-no-narrow-terminal",
];

/// Each line of what a command shows at a width, with the number of rows it takes; the wider of what terminals make
/// of pictures.
fn lines(daemon: &Daemon, columns: u16, arguments: &[&str]) -> Vec<(String, usize)> {
    let shown = Terminal::of_width(columns, command(daemon, arguments)).end();
    let mut grid = Grid::new(columns.into(), Pictures::Wide);
    grid.feed(&shown.exits(0).text);
    let lines = grid.lines().into_iter();
    lines
        .map(|(text, rows)| (text.trim_end().to_owned(), rows))
        .collect()
}

/// Sessions in folders of every kind.
fn sessions(daemon: &Daemon) -> (TempDir, Vec<(String, PathBuf)>) {
    let folder = tempfile::tempdir().unwrap();
    let sessions = NAMES.map(|name| {
        let workspace = folder.path().join(name);
        fs::create_dir(&workspace).unwrap();
        let create = ["create", "--workspace", workspace.to_str().unwrap()];
        let ran = support::at(daemon, create).run().exits(0);
        (ran.stdout.trim_end().to_owned(), workspace)
    });
    (folder, sessions.into())
}

#[test]
fn the_list_of_sessions_takes_a_row_each_and_its_columns_align() {
    let daemon = support::daemon("done");
    let (_folder, sessions) = sessions(&daemon);
    for columns in WIDTHS {
        let lines = lines(&daemon, columns, &["list"]);
        assert_eq!(lines.len(), 1 + sessions.len(), "{lines:#?}");
        let (head, _) = &lines[0];
        for ((line, rows), (id, _)) in lines[1..].iter().zip(&sessions) {
            assert_eq!(*rows, 1, "{columns}: {lines:#?}");
            assert!(line.starts_with(&format!("{id}  idle")), "{lines:#?}");
            // Everything before the workspace is plain: columns are characters there.
            let at = head.find("WORKSPACE").unwrap();
            let cut = line.char_indices().nth(at).unwrap().0;
            assert!(
                line[..cut].ends_with("  ") && !line[cut..].starts_with(' '),
                "{lines:#?}"
            );
        }
        assert_eq!(head.contains("SANDBOX"), columns == 80, "{head}");
    }
}

#[test]
fn a_session_is_shown_whole_at_any_width() {
    let daemon = support::daemon("done");
    let (_folder, sessions) = sessions(&daemon);
    for (id, workspace) in &sessions {
        for columns in WIDTHS {
            let lines = lines(&daemon, columns, &["show", id]);
            let has = |line: String| lines.iter().any(|(text, _)| *text == line);
            assert!(has(format!("session    {id}")), "{lines:#?}");
            assert!(
                has(format!("workspace  {}", workspace.display())),
                "{lines:#?}"
            );
            assert_eq!(lines.len(), 8, "{lines:#?}");
        }
    }
}

#[test]
fn a_question_and_the_commands_that_answer_it_are_whole_at_any_width() {
    let subject = NAMES.join(" ; rm -rf ");
    let asked = serde_json::json!({
        "turn_id": "t1", "tool_call_id": "c1", "name": "bash", "input": { "command": subject },
    });
    let question = serde_json::json!({
        "turn_id": "t1", "approval_id": "t1-0", "tool_call_id": "c1", "tool": "bash",
        "boundary_crossed": "rule:command", "reason": NAMES[1],
    });
    let (asked, question) = (asked.to_string(), question.to_string());
    let events = [
        STARTED,
        (0, "tool.requested", asked.as_str()),
        (0, "tool.approval_required", question.as_str()),
        (
            60_000,
            "turn.completed",
            r#"{"turn_id":"t1","reason":"done"}"#,
        ),
    ];
    let daemon = paced(&events, |_| {});
    let id = support::create(&daemon);
    support::at(&daemon, ["submit", "--detach", &id, "x"])
        .run()
        .exits(0);
    until_state(&daemon, "blocked");
    for columns in WIDTHS {
        let lines = lines(&daemon, columns, &["approvals", &id]);
        let texts: Vec<&str> = lines.iter().map(|(text, _)| text.as_str()).collect();
        let handle = "t1-0@4";
        let expected = [
            format!("? bash asks: rule:command  {handle}"),
            format!("    {subject}"),
            format!("    reason: {}", NAMES[1]),
            format!("  → dcodectl approve {id} {handle}"),
            format!("  → dcodectl deny {id} {handle}"),
        ];
        assert_eq!(texts, expected, "{columns}");
    }
}
