//! Which socket to use, and whether a default one may be trusted.
//!
//! Environment and own uid are injected. A path the user chose is taken as it is: the first request tells whether a
//! daemon answers there. The default paths lie where others may write, so they are looked at before they are used.

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::connect::{self, PATH_LIMIT, START};
use crate::error::{Error, Kind, Result};

/// What the choice depends on.
#[derive(Clone, Copy)]
pub struct Environment<'a> {
    /// Reads an environment variable.
    pub get: &'a dyn Fn(&str) -> Option<OsString>,
    /// The user's own uid.
    pub uid: u32,
}

/// The socket to use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its path.
    pub path: PathBuf,
    /// One note for each default path that was refused because it may not be trusted, with the reason.
    pub passed_over: Vec<String>,
    /// Each path that was looked at, in order, the one taken last.
    pub tried: Vec<Tried>,
}

/// One path that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    /// The path.
    pub path: PathBuf,
    /// Why it was taken or passed over, in a few words.
    pub outcome: String,
    /// Whether it was refused because it may not be trusted or used; such a path is never written to.
    pub is_refused: bool,
    /// How long it took to find out.
    pub took: Duration,
}

/// Finds the socket: `explicit` (`--socket`), else `$DCODE_SOCKET`, else the first default path that answers.
///
/// An empty variable counts as unset. Only default paths are connected to, all within `connect` together, but each at
/// least once.
///
/// # Errors
///
/// [`Kind::Usage`] if a chosen path is empty or over-long; if no default path answers, [`Kind::Permission`] when one
/// was refused, else [`Kind::Unreachable`]. The message lists each path tried and why it was passed over.
pub fn find(
    explicit: Option<&Path>,
    environment: &Environment<'_>,
    connect: Duration,
) -> Result<Found> {
    find_in(Path::new("/tmp"), explicit, environment, connect)
}

/// The same with another directory for `/tmp`.
fn find_in(
    base: &Path,
    explicit: Option<&Path>,
    environment: &Environment<'_>,
    connect: Duration,
) -> Result<Found> {
    if let Some(named) = named(explicit, environment) {
        return named;
    }
    let start = Instant::now();
    let mut tried = Vec::new();
    for path in default_paths(base, environment) {
        let before = start.elapsed();
        let outcome = probe(&path, base, environment.uid, connect.saturating_sub(before));
        let is_refused = matches!(outcome, Err(Passed::Refused(_)));
        let is_taken = outcome.is_ok();
        let outcome = match outcome {
            Ok(()) => "a daemon answers".into(),
            Err(Passed::Silent(reason) | Passed::Refused(reason)) => reason,
        };
        tried.push(Tried {
            path,
            outcome,
            is_refused,
            took: start.elapsed().saturating_sub(before),
        });
        if is_taken {
            return Ok(taken(tried));
        }
    }
    Err(none(&tried))
}

/// The socket if the user chose one, by `explicit` or `$DCODE_SOCKET`. Looks at nothing, so it never waits.
///
/// # Errors
///
/// [`Kind::Usage`] as for [`find`].
#[must_use]
pub fn named(explicit: Option<&Path>, environment: &Environment<'_>) -> Option<Result<Found>> {
    if let Some(path) = explicit {
        return Some(chosen(path, "--socket"));
    }
    let path = variable(environment, "DCODE_SOCKET")?;
    Some(chosen(&path, "DCODE_SOCKET"))
}

/// A path the user named.
fn chosen(path: &Path, origin: &str) -> Result<Found> {
    let length = path.as_os_str().len();
    if length == 0 {
        return Err(Error::usage(format!(
            "the socket path in {origin} is empty"
        )));
    }
    if length > PATH_LIMIT {
        return Err(Error::usage(format!(
            "the socket path in {origin} is too long: {length} bytes, at most {PATH_LIMIT} are possible: {}",
            path.display()
        ))
        .hint("use a shorter path to it, such as a symbolic link in a directory of your own"));
    }
    Ok(Found {
        path: path.into(),
        passed_over: Vec::new(),
        tried: vec![Tried {
            path: path.into(),
            outcome: format!("named by {origin}"),
            is_refused: false,
            took: Duration::ZERO,
        }],
    })
}

/// The last path tried is the one.
fn taken(tried: Vec<Tried>) -> Found {
    let passed_over = tried
        .iter()
        .filter(|tried| tried.is_refused)
        .map(|tried| {
            format!(
                "passed over the socket {}: {}",
                tried.path.display(),
                tried.outcome
            )
        })
        .collect();
    Found {
        path: tried
            .last()
            .map(|last| last.path.clone())
            .unwrap_or_default(),
        passed_over,
        tried,
    }
}

/// No default path can be used.
fn none(tried: &[Tried]) -> Error {
    let list: Vec<String> = tried
        .iter()
        .map(|tried| format!("{} ({})", tried.path.display(), tried.outcome))
        .collect();
    let list = list.join(", ");
    if tried.iter().any(|tried| tried.is_refused) {
        return Error::new(
            Kind::Permission,
            format!("no socket that may be used: {list}"),
        )
        .hint("name the socket with --socket or DCODE_SOCKET if you trust it");
    }
    Error::new(Kind::Unreachable, format!("no daemon answers: {list}")).hint(START)
}

/// A variable that is set to something. A path need not be UTF-8.
fn variable(environment: &Environment<'_>, name: &str) -> Option<PathBuf> {
    (environment.get)(name)
        .filter(|value| !value.as_bytes().is_empty())
        .map(PathBuf::from)
}

/// Where daemons of any version listen by default (protocol, sections 1 and 13), each path once.
fn default_paths(base: &Path, environment: &Environment<'_>) -> Vec<PathBuf> {
    let uid = environment.uid;
    let flat = format!("dcode-{uid}.sock");
    let candidates = [
        Some(base.join(format!("dcode-{uid}")).join("dcode.sock")),
        variable(environment, "XDG_RUNTIME_DIR").map(|directory| directory.join("dcode.sock")),
        variable(environment, "TMPDIR").map(|directory| directory.join(&flat)),
        Some(base.join(&flat)),
    ];
    let mut paths: Vec<PathBuf> = Vec::new();
    for path in candidates.into_iter().flatten() {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

/// Why a default path is passed over.
enum Passed {
    /// Nobody answers there.
    Silent(String),
    /// It may not be trusted or used.
    Refused(String),
}

/// Looks at a default path, and connects to it only if it may be trusted.
fn probe(path: &Path, base: &Path, uid: u32, bound: Duration) -> Result<(), Passed> {
    let length = path.as_os_str().len();
    if length > PATH_LIMIT {
        let reason = format!("too long: {length} bytes, at most {PATH_LIMIT} are possible");
        return Err(Passed::Silent(reason));
    }
    let socket = look(fs::symlink_metadata(path))?;
    check_socket(&socket, uid)?;
    check_directory(path.parent().unwrap_or(base), base, uid)?;
    match connect::connect(path, uid, bound) {
        Ok(_) => Ok(()),
        Err(obstacle) if obstacle.kind == Kind::Permission => Err(Passed::Refused(obstacle.reason)),
        Err(obstacle) => Err(Passed::Silent(obstacle.reason)),
    }
}

/// Tells what cannot be looked at from what is not there.
fn look(metadata: io::Result<Metadata>) -> Result<Metadata, Passed> {
    metadata.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Passed::Silent("no such file".into()),
        io::ErrorKind::NotADirectory => {
            Passed::Silent("a part of the path is not a directory".into())
        }
        io::ErrorKind::PermissionDenied => Passed::Refused("permission denied".into()),
        _ => Passed::Silent(error.to_string()),
    })
}

/// The socket itself must be this user's or root's.
fn check_socket(socket: &Metadata, uid: u32) -> Result<(), Passed> {
    if socket.is_symlink() {
        return Err(Passed::Refused("it is a symbolic link".into()));
    }
    if !socket.file_type().is_socket() {
        return Err(Passed::Silent("it is not a socket".into()));
    }
    if !is_trusted(socket.uid(), uid) {
        return Err(Passed::Refused(format!(
            "it belongs to uid {}",
            socket.uid()
        )));
    }
    Ok(())
}

/// Its directory must be nobody else's to write in. In a sticky one others cannot replace what is ours.
fn check_directory(directory: &Path, base: &Path, uid: u32) -> Result<(), Passed> {
    let refuse = |reason: String| Err(Passed::Refused(reason));
    let directory = if directory.as_os_str().is_empty() {
        Path::new(".")
    } else {
        directory
    };
    let mut data = look(fs::symlink_metadata(directory))?;
    // On macOS `/tmp` itself is a link, which only root could have made.
    if data.is_symlink() && directory == base && data.uid() == 0 {
        data = look(fs::metadata(directory))?;
    }
    let name = directory.display();
    if data.is_symlink() {
        return refuse(format!("its directory {name} is a symbolic link"));
    }
    if !is_trusted(data.uid(), uid) {
        return refuse(format!(
            "its directory {name} belongs to uid {}",
            data.uid()
        ));
    }
    let mode = data.mode();
    let (others_write, sticky) = (mode & 0o022 != 0, mode & 0o1000 != 0);
    if others_write && !sticky {
        return refuse(format!("others may write in its directory {name}"));
    }
    Ok(())
}

/// Whether what belongs to `owner` may be trusted by `uid`.
fn is_trusted(owner: u32, uid: u32) -> bool {
    owner == uid || owner == 0
}

#[cfg(test)]
#[path = "socket_tests.rs"]
mod tests;
