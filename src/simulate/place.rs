//! Where the simulated daemon listens: a path that was asked for, or a fresh private directory.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A socket path above this length cannot be bound everywhere.
const PATH_LIMIT: usize = 100;

/// A socket of ours, and what has to be removed with it.
#[derive(Debug)]
pub(super) struct Place {
    socket: PathBuf,
    /// Device and inode, so that nobody else's file is ever removed.
    identity: (u64, u64),
    directory: Option<PathBuf>,
}

impl Place {
    /// Listens on a path that must not exist, or in a directory of its own.
    pub(super) fn listen(socket: Option<&Path>) -> io::Result<(Self, UnixListener)> {
        let (socket, directory) = if let Some(path) = socket {
            (path.to_owned(), None)
        } else {
            let directory = private_directory()?;
            (directory.join("s"), Some(directory))
        };
        let result = bind(&socket);
        if result.is_err()
            && let Some(directory) = &directory
        {
            let _ = fs::remove_dir(directory);
        }
        let (listener, identity) = result?;
        let place = Self {
            socket,
            identity,
            directory,
        };
        Ok((place, listener))
    }

    pub(super) fn socket(&self) -> &Path {
        &self.socket
    }

    /// Removes the socket file, if it is still the one that was made here.
    pub(super) fn remove_socket(&self) {
        if identity(&self.socket).is_ok_and(|found| found == self.identity) {
            let _ = fs::remove_file(&self.socket);
        }
    }

    /// Removes everything that was made here.
    pub(super) fn remove(&self) {
        self.remove_socket();
        if let Some(directory) = &self.directory {
            let _ = fs::remove_dir(directory);
        }
    }
}

fn bind(socket: &Path) -> io::Result<(UnixListener, (u64, u64))> {
    if fs::symlink_metadata(socket).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let listener = UnixListener::bind(socket).map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => io::ErrorKind::AlreadyExists.into(),
        _ => error,
    })?;
    fs::set_permissions(socket, Permissions::from_mode(0o700))?;
    listener.set_nonblocking(true)?;
    Ok((listener, identity(socket)?))
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let metadata = fs::symlink_metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}

/// Makes a directory that nobody else can enter, in `TMPDIR` if a socket path fits there.
fn private_directory() -> io::Result<PathBuf> {
    let mut parent = std::env::temp_dir();
    if parent.as_os_str().len() + "/dcodectl-00000000/s".len() > PATH_LIMIT {
        parent = PathBuf::from("/tmp");
    }
    let mut name = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .subsec_nanos()
        ^ std::process::id().rotate_left(16);
    for _ in 0..100 {
        let directory = parent.join(format!("dcodectl-{name:08x}"));
        match DirBuilder::new().mode(0o700).create(&directory) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(()) => return Ok(directory),
        }
        // Any full cycle will do: names only have to differ, not to be secret.
        name = name.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    }
    Err(io::ErrorKind::AlreadyExists.into())
}
