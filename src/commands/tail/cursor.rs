//! `--cursor FILE`: how far each session was read, so that a later tail goes on from there.
//!
//! A line a session, `SESSION SEQ`. It is rewritten only after what it names is written to stdout:
//! a crash in between repeats events, it never loses one.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::error::{Error, Kind, Result};

/// How often the file is rewritten at most.
const INTERVAL: Duration = Duration::from_millis(100);

/// See the module.
pub(super) struct Cursor {
    path: PathBuf,
    /// As it was given.
    shown: String,
    /// How far each session was read.
    read: BTreeMap<String, u64>,
    dirty: bool,
    written: Option<Instant>,
}

impl Cursor {
    /// Reads the file, and makes sure that it can be written.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let mut cursor = Self {
            // Behind a link it is the file that is replaced.
            path: path.canonicalize().unwrap_or_else(|_| path.to_owned()),
            shown: path.display().to_string(),
            read: BTreeMap::new(),
            dirty: false,
            written: None,
        };
        match fs::read_to_string(path) {
            Ok(text) => cursor.read = parse(&text, path)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            // Not even text: no cursor of ours, and left alone like any other.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                let message = format!("{} is no cursor: it is not text", path.display());
                return Err(Error::usage(message).hint("remove the file to begin anew"));
            }
            Err(error) => return Err(cursor.failed(error)),
        }
        cursor.write()?;
        Ok(cursor)
    }

    /// The last event of the session that an earlier tail has printed.
    pub(super) fn after(&self, session_id: &str) -> Option<u64> {
        self.read.get(session_id).copied()
    }

    /// An event was read. It is not yet written anywhere.
    pub(super) fn advance(&mut self, session_id: &str, seq: u64) {
        match self.read.get_mut(session_id) {
            Some(last) => *last = seq,
            None => {
                self.read.insert(session_id.to_owned(), seq);
            }
        }
        self.dirty = true;
    }

    /// Everything read was printed: rewrites the file, unless that was done a moment ago.
    pub(super) fn settle(&mut self, now: bool) -> Result<()> {
        let recent = self
            .written
            .is_some_and(|written| written.elapsed() < INTERVAL);
        if !self.dirty || (recent && !now) {
            return Ok(());
        }
        self.write()
    }

    /// When [`Cursor::settle`] has something to do.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.dirty.then(|| {
            self.written
                .map_or_else(Instant::now, |written| written + INTERVAL)
        })
    }

    /// Through a second file and a rename, so that a crash leaves the old lines or the new ones.
    fn write(&mut self) -> Result<()> {
        let mut text = String::new();
        for (session, seq) in &self.read {
            text.push_str(session);
            text.push(' ');
            text.push_str(&seq.to_string());
            text.push('\n');
        }
        let mut beside = self.path.clone().into_os_string();
        beside.push(".new");
        let write = || -> io::Result<()> {
            let mut file = fs::File::create(&beside)?;
            file.write_all(text.as_bytes())?;
            if let Ok(old) = fs::metadata(&self.path) {
                file.set_permissions(old.permissions())?;
            }
            drop(file);
            fs::rename(&beside, &self.path)
        };
        write().map_err(|error| self.failed(error))?;
        self.dirty = false;
        self.written = Some(Instant::now());
        Ok(())
    }

    fn failed(&self, error: io::Error) -> Error {
        let message = format!("the cursor {} cannot be written", self.shown);
        Error::new(Kind::OutputFailed, message).caused_by(error)
    }
}

fn parse(text: &str, path: &Path) -> Result<BTreeMap<String, u64>> {
    let line = |(index, line): (usize, &str)| {
        let (session, seq) = line.split_once(' ')?;
        let seq = seq.trim().parse().ok()?;
        (!session.is_empty())
            .then(|| (session.to_owned(), seq))
            .ok_or(index)
            .ok()
    };
    let mut read = BTreeMap::new();
    for (index, text) in text
        .lines()
        .enumerate()
        .filter(|(_, text)| !text.trim().is_empty())
    {
        let Some((session, seq)) = line((index, text)) else {
            let message = format!(
                "line {} of {} is no 'SESSION SEQ'",
                index + 1,
                path.display()
            );
            return Err(Error::usage(message).hint("remove the file to begin anew"));
        };
        read.insert(session, seq);
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_found_again_and_other_sessions_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cursor");
        fs::write(&path, "a 7\nb 9\n").unwrap();
        let mut cursor = Cursor::open(&path).unwrap();
        assert_eq!((cursor.after("a"), cursor.after("c")), (Some(7), None));
        cursor.advance("a", 8);
        cursor.advance("c", 1);
        cursor.settle(true).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "a 8\nb 9\nc 1\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_is_no_cursor_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cursor");
        fs::write(&path, "precious").unwrap();
        assert!(Cursor::open(&path).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
    }
}
