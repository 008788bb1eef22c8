//! The order of the paths, and what keeps one from being used. `/tmp` is a temporary directory here.

use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;

use tempfile::TempDir;

use super::*;

const BOUND: Duration = Duration::from_secs(10);

/// A directory that stands for `/tmp`, with room for the others.
struct Place {
    directory: TempDir,
    variables: Vec<(&'static str, OsString)>,
    listeners: Vec<UnixListener>,
    uid: u32,
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let place = Self {
            variables: Vec::new(),
            listeners: Vec::new(),
            uid: rustix::process::getuid().as_raw(),
            directory,
        };
        place.mode("", 0o1777);
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.directory
            .path()
            .join(name.replace("UID", &self.uid.to_string()))
    }

    fn folder(&self, name: &str) -> PathBuf {
        let path = self.at(name);
        fs::create_dir_all(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
        path
    }

    fn mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.at(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    fn set(&mut self, name: &'static str, value: impl Into<OsString>) {
        self.variables.push((name, value.into()));
    }

    fn listen(&mut self, name: &str) -> PathBuf {
        let path = self.at(name);
        self.listeners.push(UnixListener::bind(&path).unwrap());
        path
    }

    fn find(&self, explicit: Option<&Path>) -> Result<Found> {
        let get = |name: &str| {
            let found = self.variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| value.clone())
        };
        let environment = Environment {
            get: &get,
            uid: self.uid,
        };
        find_in(self.directory.path(), explicit, &environment, BOUND)
    }

    fn path(&self) -> PathBuf {
        self.find(None).unwrap().path
    }

    fn error(&self) -> Error {
        self.find(None).unwrap_err()
    }
}

#[test]
fn the_first_that_is_named_or_answers_is_taken() {
    let mut place = Place::new();
    let (run, tmp) = (place.folder("run"), place.folder("t"));
    place.folder("dcode-UID");
    place.set("XDG_RUNTIME_DIR", run);
    place.set("TMPDIR", tmp);
    assert_eq!(*place.error().kind(), Kind::Unreachable);
    for name in [
        "dcode-UID.sock",
        "t/dcode-UID.sock",
        "run/dcode.sock",
        "dcode-UID/dcode.sock",
    ] {
        let path = place.listen(name);
        assert_eq!(place.path(), path);
    }
    place.set("DCODE_SOCKET", "/chosen/by/variable");
    assert_eq!(place.path(), Path::new("/chosen/by/variable"));
    let found = place.find(Some(Path::new("relative/by/option"))).unwrap();
    assert_eq!(found.path, Path::new("relative/by/option"));
    assert_eq!(found.tried[0].outcome, "named by --socket");
}

#[test]
fn empty_variables_count_as_unset() {
    let mut place = Place::new();
    for name in ["DCODE_SOCKET", "XDG_RUNTIME_DIR", "TMPDIR"] {
        place.set(name, "");
    }
    let path = place.listen("dcode-UID.sock");
    let found = place.find(None).unwrap();
    assert_eq!(found.path, path);
    assert_eq!(found.tried.len(), 2, "{:?}", found.tried);
    assert!(found.passed_over.is_empty());
}

#[test]
fn paths_need_not_be_utf8() {
    let mut place = Place::new();
    let odd = OsString::from_vec(b"/x/\xff\xfe.sock".to_vec());
    place.set("DCODE_SOCKET", odd.clone());
    assert_eq!(place.path(), Path::new(&odd));
    let mut place = Place::new();
    let name = OsString::from_vec(b"r\xff".to_vec());
    let run = place.directory.path().join(name);
    fs::create_dir(&run).unwrap();
    place
        .listeners
        .push(UnixListener::bind(run.join("dcode.sock")).unwrap());
    place.set("XDG_RUNTIME_DIR", run.clone());
    assert_eq!(place.path(), run.join("dcode.sock"));
}

#[test]
fn over_long_chosen_paths_name_their_origin() {
    let mut place = Place::new();
    for length in [PATH_LIMIT + 1, 120, 4000] {
        let long = "x".repeat(length);
        let error = place.find(Some(Path::new(&long))).unwrap_err();
        assert_eq!(*error.kind(), Kind::Usage);
        let expected = format!("in --socket is too long: {length} bytes, at most {PATH_LIMIT}");
        assert!(error.to_string().contains(&expected), "{error}");
    }
    place.set("DCODE_SOCKET", "x".repeat(120));
    assert!(
        place
            .error()
            .to_string()
            .contains("in DCODE_SOCKET is too long: 120 bytes")
    );
    assert!(place.find(Some(Path::new(&"x".repeat(PATH_LIMIT)))).is_ok());
    assert_eq!(
        *place.find(Some(Path::new(""))).unwrap_err().kind(),
        Kind::Usage
    );
}

#[test]
fn an_over_long_default_path_is_passed_over() {
    let mut place = Place::new();
    place.set("TMPDIR", format!("/{}", "x".repeat(120)));
    let path = place.listen("dcode-UID.sock");
    assert_eq!(place.path(), path);
}

#[test]
fn what_does_not_answer_is_passed_over_without_a_note() {
    let mut place = Place::new();
    let run = place.folder("run");
    place.folder("dcode-UID");
    drop(UnixListener::bind(place.at("dcode-UID/dcode.sock")).unwrap());
    fs::write(run.join("dcode.sock"), "").unwrap();
    place.set("XDG_RUNTIME_DIR", run);
    let error = place.error();
    assert_eq!(*error.kind(), Kind::Unreachable);
    for reason in [
        "dcode.sock (connection refused)",
        "it is not a socket",
        "dcode-UID.sock (no such file)",
    ] {
        let reason = reason.replace("UID", &place.uid.to_string());
        assert!(error.to_string().contains(&reason), "{error}");
    }
    assert_eq!(error.hint_text(), Some(START));
    let path = place.listen("dcode-UID.sock");
    let found = place.find(None).unwrap();
    assert_eq!(
        (found.path, found.passed_over.len(), found.tried.len()),
        (path, 0, 3)
    );
}

/// Makes the first default path one that must not be used, and says why.
type Spoil = fn(&mut Place) -> &'static str;

#[test]
fn untrusted_default_paths_are_never_connected_to() {
    let cases: [Spoil; 5] = [
        |place| {
            place.mode("dcode-UID", 0o777);
            "others may write in its directory"
        },
        |place| {
            place.mode("dcode-UID", 0o770);
            "others may write in its directory"
        },
        |place| {
            fs::rename(place.at("dcode-UID"), place.at("real")).unwrap();
            symlink(place.at("real"), place.at("dcode-UID")).unwrap();
            "is a symbolic link"
        },
        |place| {
            fs::rename(place.at("dcode-UID/dcode.sock"), place.at("real.sock")).unwrap();
            symlink(place.at("real.sock"), place.at("dcode-UID/dcode.sock")).unwrap();
            "it is a symbolic link"
        },
        |place| {
            if place.uid == 0
                && rustix::fs::chown(place.at("dcode-UID"), Some(uid(4711)), None).is_ok()
            {
                return "belongs to uid 4711";
            }
            place.mode("dcode-UID", 0o720);
            "others may write in its directory"
        },
    ];
    for spoil in cases {
        let mut place = Place::new();
        place.folder("dcode-UID");
        place.listen("dcode-UID/dcode.sock");
        assert_eq!(place.path(), place.at("dcode-UID/dcode.sock"));
        place.listeners[0].accept().unwrap();
        let reason = spoil(&mut place);
        let error = place.error();
        assert_eq!(*error.kind(), Kind::Permission, "{error}");
        assert!(error.to_string().contains(reason), "{error}\n{reason}");
        let path = place.listen("dcode-UID.sock");
        let found = place.find(None).unwrap();
        assert_eq!(found.path, path);
        assert!(
            found.passed_over.len() == 1 && found.passed_over[0].contains(reason),
            "{found:?}"
        );
        place.listeners[0].set_nonblocking(true).unwrap();
        assert!(place.listeners[0].accept().is_err(), "it was connected to");
    }
}

fn uid(number: u32) -> rustix::fs::Uid {
    rustix::fs::Uid::from_raw(number)
}

/// Ownership is judged by numbers, so that no second user is needed.
#[test]
fn owners_are_this_user_or_root() {
    assert!(is_trusted(1000, 1000) && is_trusted(0, 1000));
    assert!(!is_trusted(1001, 1000) && !is_trusted(1000, 0));
}

/// A socket of another user is passed over; only root can make one here.
#[test]
fn a_socket_of_another_user_is_refused() {
    let mut place = Place::new();
    if place.uid != 0 {
        return;
    }
    let path = place.listen("dcode-UID.sock");
    rustix::fs::chown(&path, Some(uid(4711)), None).unwrap();
    let error = place.error();
    assert_eq!(*error.kind(), Kind::Permission);
    assert!(
        error.to_string().contains("it belongs to uid 4711"),
        "{error}"
    );
}

#[test]
fn a_path_is_tried_once() {
    let mut place = Place::new();
    let base = place.at("");
    place.set("TMPDIR", base);
    let count = place.error().to_string().matches("no such file").count();
    assert_eq!(count, 2);
}

/// A daemon that accepts nothing does not hold up the search for longer than the bound.
#[cfg(target_os = "linux")]
#[test]
fn a_stuck_daemon_is_passed_over() {
    use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, bind, listen, socket};
    use std::os::unix::net::UnixStream;
    let mut place = Place::new();
    place.folder("dcode-UID");
    let stuck = place.at("dcode-UID/dcode.sock");
    let listener = socket(AddressFamily::UNIX, SocketType::STREAM, None).unwrap();
    bind(&listener, &SocketAddrUnix::new(&stuck).unwrap()).unwrap();
    listen(&listener, 0).unwrap();
    let _first = UnixStream::connect(&stuck).unwrap();
    let path = place.listen("dcode-UID.sock");
    let none = |_: &str| None;
    let environment = Environment {
        get: &none,
        uid: place.uid,
    };
    let found = find_in(
        place.directory.path(),
        None,
        &environment,
        Duration::from_millis(100),
    )
    .unwrap();
    assert_eq!(found.path, path);
    assert!(
        found.tried[0]
            .outcome
            .contains("no connection was accepted"),
        "{found:?}"
    );
}
