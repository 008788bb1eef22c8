//! Questions about the file behind a stream that the standard library cannot answer.

use std::fs::{File, Metadata};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, fstat};

/// Whether the reader of this file can leave while the file stays open: a pipe or a socket.
pub(super) fn can_be_left(file: &OwnedFd) -> bool {
    fstat(file).is_ok_and(|stat| {
        matches!(
            FileType::from_raw_mode(stat.st_mode),
            FileType::Fifo | FileType::Socket
        )
    })
}

/// The device and number of a regular file; `None` for anything else.
pub(super) fn regular_file(file: &impl AsFd) -> Option<(u64, u64)> {
    let file = File::from(file.as_fd().try_clone_to_owned().ok()?);
    let found = file.metadata().ok().filter(Metadata::is_file)?;
    Some((found.dev(), found.ino()))
}

/// A regular file that a stream goes to.
#[derive(Debug, Clone, Copy)]
pub struct OpenFile {
    /// The device it is on.
    pub device: u64,
    /// Its number there.
    pub number: u64,
    /// Whether each write goes to the end of the file, wherever that is by then.
    pub appends: bool,
}

/// See [`OpenFile`]; `None` for anything but a regular file.
pub(super) fn open_file(file: &impl AsFd) -> Option<OpenFile> {
    let (device, number) = regular_file(file)?;
    let flags = rustix::fs::fcntl_getfl(file).ok()?;
    Some(OpenFile {
        device,
        number,
        appends: flags.contains(rustix::fs::OFlags::APPEND),
    })
}

/// Whether the file is the one that takes everything and keeps nothing, which no write ever waits for.
#[cfg(target_os = "linux")]
pub(super) fn swallows(file: &impl AsFd) -> bool {
    let null = rustix::fs::makedev(1, 3);
    fstat(file).is_ok_and(|stat| {
        FileType::from_raw_mode(stat.st_mode) == FileType::CharacterDevice && stat.st_rdev == null
    })
}

/// Elsewhere its number is another; it is written to like any file.
#[cfg(not(target_os = "linux"))]
pub(super) fn swallows(_file: &impl AsFd) -> bool {
    false
}

/// Whether two descriptors lead to the same file, such as one terminal or one pipe.
pub(super) fn same_file(one: &OwnedFd, other: &OwnedFd) -> bool {
    match (fstat(one), fstat(other)) {
        (Ok(one), Ok(other)) => one.st_dev == other.st_dev && one.st_ino == other.st_ino,
        _ => false,
    }
}

/// Whether the file takes a few bytes, or will before the bound is over.
pub(super) fn takes_bytes(file: &impl AsFd, bound: Duration) -> bool {
    let mut files = [PollFd::new(file, PollFlags::OUT)];
    let bound = bound.try_into().ok();
    poll(&mut files, bound.or(Some(Timespec::default())).as_ref()).is_ok_and(|ready| ready == 1)
        && files[0].revents().contains(PollFlags::OUT)
}

/// Opens a pipe once more, so that writing to it does not block; `None` where that cannot be done.
#[cfg(target_os = "linux")]
pub(super) fn open_again(file: &impl AsFd) -> Option<File> {
    use rustix::fs::{Mode, OFlags};
    use std::os::fd::AsRawFd;

    let stat = fstat(file).ok()?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::Fifo {
        return None;
    }
    let path = format!("/proc/self/fd/{}", file.as_fd().as_raw_fd());
    let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Some(rustix::fs::open(path, flags, Mode::empty()).ok()?.into())
}

/// Elsewhere opening again means the same open file, with what is shared of it.
#[cfg(not(target_os = "linux"))]
pub(super) fn open_again(_file: &impl AsFd) -> Option<File> {
    None
}

/// Lets a pipe take as much at once as anybody may let it: its reader is woken, and waited for, that much less often.
/// Where it cannot be done all stays as it is.
#[cfg(target_os = "linux")]
pub(super) fn widen(file: &impl AsFd) {
    /// The most that is allowed by default (`/proc/sys/fs/pipe-max-size`).
    const BYTES: usize = 1024 * 1024;
    let _ = rustix::pipe::fcntl_setpipe_size(file, BYTES);
}

/// Elsewhere a pipe widens by itself.
#[cfg(not(target_os = "linux"))]
pub(super) fn widen(_file: &impl AsFd) {}

/// Blocks until the file takes bytes or is broken.
pub(super) fn wait_until_writable(file: &impl AsFd) {
    let mut files = [PollFd::new(file, PollFlags::OUT)];
    // An interrupted or failed wait only means that the write is tried earlier.
    let _ = poll(&mut files, None);
}

/// Blocks until the reader of a pipe or socket has left. For a thread of its own: it may last as
/// long as the program.
pub fn reader_left(file: &OwnedFd) {
    loop {
        let mut files = [PollFd::new(file, PollFlags::empty())];
        match poll(&mut files, None) {
            Ok(_) if !files[0].revents().is_empty() => return,
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
        }
    }
}
