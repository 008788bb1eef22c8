//! Files that are written beside stdout.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::Context;
use crate::error::{Error, Kind, Result};
use crate::report::Reporter;
use crate::shell::shell_word;
use crate::streams::{Queue, Sink};

/// A file that was asked for.
pub(super) struct FileOutput {
    pub(super) path: PathBuf,
    pub(super) sink: Sink,
    pub(super) reporter: Box<dyn Reporter>,
    failed: bool,
}

impl FileOutput {
    /// `sink` writes to the file, and `reporter` to the sink.
    pub(super) fn new(path: &Path, sink: Sink, reporter: Box<dyn Reporter>) -> Self {
        Self {
            path: path.into(),
            sink,
            reporter,
            failed: false,
        }
    }

    /// The failure of a write, once.
    pub(super) fn new_failure(&mut self) -> Option<Error> {
        let kind = self.sink.failure().filter(|_| !self.failed)?;
        self.failed = true;
        Some(file_error(&self.path, io::Error::from(kind)))
    }
}

/// Opens a file, and empties it unless it is appended to. On a thread of its own, as opening a named pipe waits for a reader.
pub(super) fn open(path: &Path, append: bool, context: &mut Context<'_>) -> Result<Sink> {
    let path = path.to_owned();
    let file: File = context.wait("a file to be opened for writing", move || {
        OpenOptions::new()
            .write(true)
            .create(true)
            .append(append)
            .truncate(!append)
            .open(&path)
            .map_err(|error| file_error(&path, error))
    })?;
    let sink = Queue::to_file(file);
    let waker = context.inbox.waker();
    sink.on_change(move || waker.nudge());
    super::context::mind(&mut context.inbox, sink.clone());
    Ok(sink)
}

fn file_error(path: &Path, error: io::Error) -> Error {
    let kind = error.kind();
    let failed = Error::new(
        Kind::OutputFailed,
        format!("{} cannot be written", path.display()),
    )
    .caused_by(error);
    match (kind, path.parent()) {
        (io::ErrorKind::NotFound, Some(folder))
            if !folder.as_os_str().is_empty() && !folder.exists() =>
        {
            let folder = folder.to_string_lossy();
            failed.hint(format!("mkdir -p {}", shell_word(&folder)))
        }
        _ => failed,
    }
}
