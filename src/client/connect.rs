//! Opening a connection to a Unix socket, bounded in time and only to a peer that may be trusted.
//!
//! Knows nothing of HTTP.

use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Error, Kind};

/// The longest path a Unix socket can have, in bytes, without the closing NUL.
pub(super) const PATH_LIMIT: usize = if cfg!(target_os = "macos") { 103 } else { 107 };

/// What to try when nothing is there.
pub(super) const START: &str =
    "start the dcode daemon, or name its socket with --socket or DCODE_SOCKET";

/// How long to wait before a full queue is tried again: at first, and at most.
const PAUSE_FIRST: Duration = Duration::from_millis(1);
const PAUSE_LONGEST: Duration = Duration::from_millis(20);

/// Why there is no connection.
#[derive(Debug)]
pub(super) struct Obstacle {
    /// [`Kind::Unreachable`], [`Kind::Permission`] or [`Kind::Usage`].
    pub(super) kind: Kind,
    /// A few words, such as `connection refused`.
    pub(super) reason: String,
    /// The next step.
    pub(super) hint: &'static str,
}

impl Obstacle {
    fn new(kind: Kind, reason: impl Into<String>, hint: &'static str) -> Self {
        Self {
            kind,
            reason: reason.into(),
            hint,
        }
    }

    /// The failure as the user sees it.
    pub(super) fn into_error(self, path: &Path) -> Error {
        let (path, reason) = (path.display(), self.reason);
        let message = match self.kind {
            Kind::Permission => format!("the socket {path} may not be used: {reason}"),
            Kind::Usage => format!("the socket path {path} cannot be used: {reason}"),
            _ => format!("no daemon answers at {path}: {reason}"),
        };
        Error::new(self.kind, message).hint(self.hint)
    }
}

/// Connects within `bound` and checks who listens.
///
/// # Errors
///
/// An [`Obstacle`]: nobody listens or accepts in time, access is denied, or the peer is neither `own_uid` nor root
/// (whoever is root may talk to anybody).
pub(super) fn connect(path: &Path, own_uid: u32, bound: Duration) -> Result<UnixStream, Obstacle> {
    let stream = open(path, bound).map_err(|error| obstacle(path, &error, bound))?;
    let peer = peer_uid(&stream).map_err(|error| {
        let reason = format!("its owner cannot be told: {error}");
        Obstacle::new(Kind::Permission, reason, START)
    })?;
    if is_trusted_peer(peer, own_uid) {
        return Ok(stream);
    }
    Err(Obstacle::new(
        Kind::Permission,
        format!("it is served by uid {peer}, not by uid {own_uid} or root"),
        "name the socket of your own daemon with --socket or DCODE_SOCKET",
    ))
}

/// Whether a peer running as `peer` may be talked to.
pub(super) fn is_trusted_peer(peer: u32, own_uid: u32) -> bool {
    peer == own_uid || peer == 0 || own_uid == 0
}

/// Says what a failed connect means.
fn obstacle(path: &Path, error: &io::Error, bound: Duration) -> Obstacle {
    let unreachable = |reason: String, hint| Obstacle::new(Kind::Unreachable, reason, hint);
    match error.kind() {
        io::ErrorKind::NotFound => unreachable("no such file".into(), START),
        io::ErrorKind::NotADirectory => {
            unreachable("a part of the path is not a directory".into(), START)
        }
        // Linux refuses what is no socket, too; macOS has an error of its own for it.
        io::ErrorKind::ConnectionRefused => not_a_socket(path).unwrap_or_else(|| {
            unreachable(
                "connection refused".into(),
                "the socket file is a leftover; start the daemon",
            )
        }),
        io::ErrorKind::TimedOut => unreachable(
            format!("no connection was accepted within {:?}", rounded(bound)),
            "the daemon is stuck or overloaded; restart it, or allow more time with --connect-timeout",
        ),
        io::ErrorKind::PermissionDenied => Obstacle::new(
            Kind::Permission,
            "permission denied",
            "run as the user whose daemon it is, or look at the modes of the socket and its directories",
        ),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidFilename => Obstacle::new(
            Kind::Usage,
            error.to_string(),
            "name another path with --socket or DCODE_SOCKET",
        ),
        _ => not_a_socket(path).unwrap_or_else(|| unreachable(error.to_string(), START)),
    }
}

/// A bound as the user gave it, though a moment of it may already have gone.
fn rounded(bound: Duration) -> Duration {
    let tens = (bound.as_millis() + 5) / 10;
    u64::try_from(tens * 10).map_or(bound, Duration::from_millis)
}

/// What stands at the path if it is no socket.
fn not_a_socket(path: &Path) -> Option<Obstacle> {
    let kind = fs::metadata(path).ok()?.file_type();
    let reason = if kind.is_dir() {
        "it is a directory, not a socket"
    } else if kind.is_socket() {
        return None;
    } else {
        "it is a file, not a socket"
    };
    Some(Obstacle::new(Kind::Unreachable, reason, START))
}

/// Connects without ever blocking in the kernel, where a full queue would hold it for as long as the daemon is stuck.
#[cfg(target_os = "linux")]
fn open(path: &Path, bound: Duration) -> io::Result<UnixStream> {
    use rustix::io::Errno;
    use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};

    let address = SocketAddrUnix::new(path)?;
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    let start = Instant::now();
    let mut pause = PAUSE_FIRST;
    loop {
        match rustix::net::connect(&socket, &address) {
            Ok(()) => break,
            Err(Errno::INTR) => continue,
            Err(Errno::AGAIN) if start.elapsed() < bound => {}
            Err(Errno::AGAIN) => return Err(io::ErrorKind::TimedOut.into()),
            Err(error) => return Err(error.into()),
        }
        thread::sleep(pause.min(bound.saturating_sub(start.elapsed())));
        pause = (pause * 2).min(PAUSE_LONGEST);
    }
    let stream = UnixStream::from(socket);
    stream.set_nonblocking(false)?;
    Ok(stream)
}

/// A full queue refuses at once here, so that a connect does not block. A leftover file refuses in the same way: only a
/// moment is spent on trying again, whatever the bound.
#[cfg(target_os = "macos")]
fn open(path: &Path, bound: Duration) -> io::Result<UnixStream> {
    let start = Instant::now();
    let bound = bound.min(PAUSE_LONGEST * 5);
    let mut pause = PAUSE_FIRST;
    loop {
        match UnixStream::connect(path) {
            Err(error)
                if error.kind() == io::ErrorKind::ConnectionRefused && start.elapsed() < bound => {}
            other => return other,
        }
        thread::sleep(pause);
        pause = (pause * 2).min(PAUSE_LONGEST);
    }
}

/// The uid of the process that listens.
#[cfg(target_os = "linux")]
fn peer_uid(stream: &UnixStream) -> io::Result<u32> {
    Ok(rustix::net::sockopt::socket_peercred(stream)?.uid.as_raw())
}

/// The uid of the process that listens.
#[cfg(target_os = "macos")]
fn peer_uid(stream: &UnixStream) -> io::Result<u32> {
    let (uid, _) = nix::unistd::getpeereid(stream)?;
    Ok(uid.as_raw())
}
