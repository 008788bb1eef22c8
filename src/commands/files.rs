//! Files that are written beside stdout.

use std::fs::{self, File, OpenOptions};
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

/// Opens a file, and empties it unless it is appended to.
pub(super) fn open(path: &Path, append: bool, context: &mut Context<'_>) -> Result<Sink> {
    let file = if may_wait(path) {
        let path = path.to_owned();
        context.wait("a file to be opened for writing", move || {
            opened(&path, append)
        })?
    } else {
        // Right here, where no signal comes first: it would leave the command without its summary.
        opened(path, append)?
    };
    let sink = Queue::to_file(file);
    let waker = context.inbox.waker();
    sink.on_change(move || waker.nudge());
    super::context::mind(&mut context.inbox, sink.clone());
    Ok(sink)
}

/// Whether opening may last: that of a named pipe waits for a reader. A regular file is opened at once.
fn may_wait(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file())
}

fn opened(path: &Path, append: bool) -> Result<File> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .append(append)
        .truncate(!append)
        .open(path)
        .map_err(|error| file_error(path, error))
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
