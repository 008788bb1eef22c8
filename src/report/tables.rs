//! What commands that follow no turn print for people: pure functions from answers to text.
//!
//! Every text of the daemon's is made visible; every text returned ends in a line break.

mod approvals;
mod sessions;

use std::fmt::Write as _;

use super::style::{Palette, paint};
use super::text::duration;
use super::visible::visible;
use crate::protocol::{UndoResult, Version};

pub use approvals::{OpenQuestion, approval, approval_prompt, approvals};
pub use sessions::{session, sessions};

/// What `undo` put back and what it left alone.
#[must_use]
pub fn undo(result: &UndoResult, palette: &Palette) -> String {
    let mut text = String::new();
    for path in &result.restored {
        let symbol = paint(&"✓", palette.good);
        let _ = writeln!(text, "{symbol} restored  {}", visible(path));
    }
    for path in &result.refused {
        let symbol = paint(&"✗", palette.bad);
        let why = paint(&"(edited since, left alone)", palette.dim);
        let _ = writeln!(text, "{symbol} refused   {} {why}", visible(path));
    }
    if text.is_empty() {
        text.push_str("nothing to undo\n");
    }
    text
}

/// The daemon that answered, and after how many milliseconds.
#[must_use]
pub fn ping(version: &Version, socket: &str, elapsed_ms: u64, palette: &Palette) -> String {
    let name = match version.version.as_str() {
        "" => "dcode".to_owned(),
        version => format!("dcode {}", visible(version)),
    };
    let place = format!("at {} in {}", visible(socket), duration(elapsed_ms));
    format!(
        "{} {name} (protocol {}) {}\n",
        paint(&"✓", palette.good),
        visible(&version.protocol),
        paint(&place, palette.dim)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undo_says_what_it_did_or_that_there_was_nothing() {
        let mut result = UndoResult::default();
        assert_eq!(undo(&result, &Palette::plain()), "nothing to undo\n");
        result.restored = vec!["/tmp/ws/a\n.txt".into()];
        result.refused = vec!["/tmp/ws/b".into()];
        assert_eq!(
            undo(&result, &Palette::plain()),
            "✓ restored  /tmp/ws/a\\n.txt\n✗ refused   /tmp/ws/b (edited since, left alone)\n"
        );
    }

    #[test]
    fn ping_is_one_line() {
        let version = Version {
            protocol: "v1".into(),
            version: "0.5.1\x1b".into(),
        };
        let line = ping(&version, "/tmp/d.sock", 3, &Palette::plain());
        assert_eq!(
            line,
            "✓ dcode 0.5.1\\x1b (protocol v1) at /tmp/d.sock in 3 ms\n"
        );
    }
}
