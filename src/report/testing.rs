//! What the reporters' tests share.

use std::cell::RefCell;
use std::io::{self, Write};
use std::path::PathBuf;
use std::rc::Rc;

/// A writer whose clones tell what was written.
#[derive(Debug, Clone, Default)]
pub(super) struct Capture(Rc<RefCell<Vec<u8>>>);

impl Capture {
    pub(super) fn text(&self) -> String {
        String::from_utf8(self.0.borrow().clone()).unwrap()
    }
}

impl Write for Capture {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/recordings/sse")
}

/// The events of a recording, as text.
pub(super) fn recording(name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(folder().join(format!("{name}.sse"))).unwrap();
    text.lines()
        .filter_map(|line| line.strip_prefix("data: ").map(str::to_owned))
        .collect()
}

/// The names of all recordings.
pub(super) fn recordings() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| {
            entry
                .unwrap()
                .path()
                .file_stem()
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    names.sort();
    names
}

/// The lines that a terminal shows after these bytes: as much of one as a status line needs.
pub(super) fn screen(bytes: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut rest = bytes;
    while let Some(character) = rest.chars().next() {
        let line = lines.last_mut().unwrap();
        if let Some(after) = rest.strip_prefix("\r\x1b[K") {
            line.clear();
            rest = after;
            continue;
        }
        // The cursor goes back to the start of a status line, and nothing but that erases it is written there.
        if character == '\r' && (rest.len() == 1 || rest.starts_with("\r\r\x1b[K")) {
            rest = &rest[1..];
            continue;
        }
        assert!(character == '\n' || !character.is_control(), "{bytes:?}");
        if character == '\n' {
            lines.push(String::new());
        } else {
            line.push(character);
        }
        rest = &rest[character.len_utf8()..];
    }
    lines
}
