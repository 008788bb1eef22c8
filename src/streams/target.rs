//! Where the bytes of one stream go, and which of them can go at once.

use std::fs::File;
use std::io::{self, Write};
use std::mem;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use super::watch;

/// A pipe that polls as writable takes this many bytes without blocking.
const PIPE_BUF: usize = if cfg!(target_os = "macos") { 512 } else { 4096 };

/// More bytes than these do not go into most pipes at once. A reader that takes them is given a moment for the rest:
/// queueing that would cost a copy of it, and a thread to write it.
const LARGE: usize = 64 * 1024;

/// For more than these, which is a large event and not many small ones, the pipe is made wider: once its reader has taken
/// some of them, as one that never reads is better noticed soon.
const HUGE: usize = 4 * LARGE;

/// How long a reader may take for a part of them, and for all. Nothing else is done meanwhile.
const MOMENT: Duration = Duration::from_millis(5);
const MOMENTS: Duration = Duration::from_millis(100);

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
                is_wide: false,
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
    /// It was made to take more at once, or that was tried.
    is_wide: bool,
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
    /// Writes as much as goes at once, or nearly so; says how much that was.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Way::Unknown = self.way {
            self.way = watch::open_again(&self.file).map_or(Way::Asking, Way::Own);
        }
        let mut file = match &self.way {
            Way::Own(file) => file,
            Way::Always => &self.file,
            _ if bytes.len() <= PIPE_BUF && watch::takes_bytes(&self.file, Duration::ZERO) => {
                &self.file
            }
            _ => return Ok(0),
        };
        let (mut written, mut until) = (0, None);
        loop {
            match file.write(&bytes[written..]) {
                Ok(count) => written += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
            if written == bytes.len() {
                break;
            }
            // A part was taken, or nothing: the pipe is full.
            let now = Instant::now();
            let waits = bytes.len() > LARGE
                && now < *until.get_or_insert(now + MOMENTS)
                && watch::takes_bytes(file, MOMENT);
            if !waits {
                break;
            }
            if bytes.len() > HUGE && !mem::replace(&mut self.is_wide, true) {
                watch::widen(file);
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

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::thread;

    use super::*;

    #[test]
    fn a_large_write_waits_for_a_reader_that_reads_and_hardly_for_one_that_does_not() {
        let (mut reader, writer) = io::pipe().unwrap();
        let mut direct = Target::file(writer.into()).direct.unwrap();
        let bytes = vec![b'x'; 32 * LARGE];
        let begun = Instant::now();
        let written = direct.write(&bytes).unwrap();
        assert!(written < bytes.len());
        assert!(written <= LARGE);
        assert!(begun.elapsed() < Duration::from_secs(5));
        let rest = thread::spawn(move || {
            let mut count = 0;
            let mut block = vec![0; LARGE];
            while let Ok(read) = reader.read(&mut block)
                && read > 0
            {
                count += read;
            }
            count
        });
        let mut all = written;
        let mut whole = false;
        for _ in 0..50 {
            let more = direct.write(&bytes).unwrap();
            all += more;
            whole |= more == bytes.len();
        }
        // Only Linux opens the pipe once more; elsewhere no more is written than certainly goes.
        assert!(whole || !cfg!(target_os = "linux"));
        #[cfg(target_os = "linux")]
        assert!(rustix::pipe::fcntl_getpipe_size(&direct.file).unwrap() > LARGE);
        drop(direct);
        assert_eq!(rest.join().unwrap(), all);
    }
}
