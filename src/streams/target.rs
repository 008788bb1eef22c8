//! Where the bytes of one stream go, and which of them can go at once.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;

use super::watch;

/// A pipe that polls as writable takes this many bytes without blocking.
const PIPE_BUF: usize = if cfg!(target_os = "macos") { 512 } else { 4096 };

/// Where the bytes of one stream go.
pub(super) struct Target {
    pub(super) write: Box<dyn Write + Send>,
    /// A second handle, if the stream is a pipe that may be written to at once.
    pub(super) direct: Option<Direct>,
}

impl Target {
    /// A stream of this process.
    pub(super) fn file(file: OwnedFd) -> Self {
        let swallows = watch::swallows(&file);
        let direct = (swallows || watch::can_be_left(&file))
            .then(|| file.try_clone().ok())
            .flatten();
        Self {
            write: Box::new(Patient(File::from(file))),
            direct: direct.map(|file| Direct {
                file: File::from(file),
                way: if swallows { Way::Always } else { Way::Unknown },
            }),
        }
    }

    /// Any other writer.
    pub(super) fn other(write: Box<dyn Write + Send>) -> Self {
        Self {
            write,
            direct: None,
        }
    }
}

/// A pipe or socket that is written to only as far as that does not block.
pub(super) struct Direct {
    file: File,
    way: Way,
}

/// How not to block.
enum Way {
    /// Not tried yet: many a program never writes.
    Unknown,
    /// The same pipe, opened once more. Whether a write may block belongs to what was opened, which is shared with
    /// other programs: it cannot be changed for the one that was inherited.
    Own(File),
    /// It is asked each time, and gets no more than it certainly takes.
    Asking,
    /// No write to it waits.
    Always,
}

impl Direct {
    /// Writes as much as goes at once; says how much that was.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Way::Unknown = self.way {
            self.way = watch::open_again(&self.file).map_or(Way::Asking, Way::Own);
        }
        let mut file = match &self.way {
            Way::Own(file) => file,
            Way::Always => &self.file,
            _ if bytes.len() <= PIPE_BUF && watch::takes_bytes(&self.file) => &self.file,
            _ => return Ok(0),
        };
        let mut written = 0;
        while written < bytes.len() {
            match file.write(&bytes[written..]) {
                Ok(count) => written += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(written)
    }
}

/// A file that may have been made non-blocking by another process that shares it.
struct Patient(File);

impl Write for Patient {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.0.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    watch::wait_until_writable(&self.0);
                }
                other => return other,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
