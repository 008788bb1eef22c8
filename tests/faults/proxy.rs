//! A socket between client and daemon, where connections are accepted, refused and broken.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::ErrorKind;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use dcodectl::simulate::Daemon;

use crate::link;
use crate::schedule::{Asked, Schedule};

/// How often whoever waits looks whether it is to stop.
pub const TICK: Duration = Duration::from_millis(2);

/// What has been done to the client so far, and what the daemon has said.
#[derive(Default)]
pub struct Ledger {
    /// Something that a reader may notice.
    pub harsh: AtomicBool,
    /// A request that changes something went without its answer.
    pub change_lost: AtomicBool,
    /// The client has written a submit.
    pub submitted: AtomicBool,
    pub garbage: AtomicBool,
    pub restarted: AtomicBool,
    /// A stream has ended in an orderly way just before a restart: as when a session is closed.
    pub closed: AtomicBool,
    /// Connections, by what they asked for.
    counts: Mutex<HashMap<Asked, usize>>,
    /// The events that the daemon has sent, by number.
    pub log: Mutex<BTreeMap<u64, String>>,
    /// What was done, for the report of a failure.
    pub story: Mutex<Vec<String>>,
}

impl Ledger {
    /// How many asked for the same before.
    pub fn count(&self, asked: Asked) -> usize {
        let mut counts = self.counts.lock().unwrap();
        let count = counts.entry(asked).or_default();
        *count += 1;
        *count - 1
    }

    pub fn note(&self, what: String) {
        self.story.lock().unwrap().push(what);
    }
}

/// What every connection needs to know.
pub struct Shared {
    pub schedule: Schedule,
    pub daemon: Daemon,
    pub ledger: Ledger,
    pub stopping: AtomicBool,
    /// Nobody listens for so long; whether the socket file goes.
    pub away: Mutex<Option<(Duration, bool)>>,
    links: AtomicUsize,
    ended: (Mutex<()>, Condvar),
}

impl Shared {
    pub fn stops(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Sleeps, unless the proxy stops meanwhile.
    pub fn sleep(&self, time: Duration) {
        let due = Instant::now() + time;
        while !self.stops() {
            let left = due.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            thread::sleep(left.min(TICK));
        }
    }
}

/// A running proxy. Dropped, it is gone with everything it made.
pub struct Proxy {
    pub shared: Arc<Shared>,
    folder: tempfile::TempDir,
    accepting: Option<thread::JoinHandle<()>>,
}

impl Proxy {
    pub fn start(schedule: Schedule, daemon: Daemon) -> Self {
        let folder = tempfile::Builder::new().prefix("f").tempdir().unwrap();
        let shared = Arc::new(Shared {
            schedule,
            daemon,
            ledger: Ledger::default(),
            stopping: AtomicBool::default(),
            away: Mutex::default(),
            links: AtomicUsize::default(),
            ended: Default::default(),
        });
        let path = folder.path().join("s");
        let listener = listen(&path);
        let accepting = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || accept(&shared, &path, listener))
        };
        Self {
            shared,
            folder,
            accepting: Some(accepting),
        }
    }

    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("s")
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::Relaxed);
        let ended = self.accepting.take().map(thread::JoinHandle::join);
        let (lock, changed) = &self.shared.ended;
        let mut guard = lock.lock().unwrap();
        while self.shared.links.load(Ordering::SeqCst) > 0 {
            guard = changed.wait_timeout(guard, TICK).unwrap().0;
        }
        if !thread::panicking() {
            assert!(ended.is_some_and(|ended| ended.is_ok()));
        }
    }
}

fn listen(path: &Path) -> UnixListener {
    let _ = fs::remove_file(path);
    let listener = UnixListener::bind(path).unwrap();
    listener.set_nonblocking(true).unwrap();
    listener
}

fn accept(shared: &Arc<Shared>, path: &Path, mut listener: UnixListener) {
    while !shared.stops() {
        if let Some((time, gone)) = shared.away.lock().unwrap().take() {
            drop(listener);
            if gone {
                fs::remove_file(path).unwrap();
            }
            shared.sleep(time);
            listener = listen(path);
        }
        match listener.accept() {
            Ok((stream, _)) => serve(shared, stream),
            Err(error) if error.kind() == ErrorKind::WouldBlock => wait_for(&listener),
            Err(error) => panic!("{error}"),
        }
    }
}

/// Until somebody comes, for a moment at most.
fn wait_for(listener: &UnixListener) {
    use rustix::event::{PollFd, PollFlags, poll};
    let mut wanted = [PollFd::new(listener, PollFlags::IN)];
    let moment = rustix::event::Timespec {
        tv_sec: 0,
        tv_nsec: 2_000_000,
    };
    let _ = poll(&mut wanted, Some(&moment));
}

fn serve(shared: &Arc<Shared>, stream: UnixStream) {
    shared.links.fetch_add(1, Ordering::SeqCst);
    stream.set_nonblocking(false).unwrap();
    let shared = Arc::clone(shared);
    thread::spawn(move || {
        struct Ended(Arc<Shared>);
        impl Drop for Ended {
            fn drop(&mut self) {
                self.0.links.fetch_sub(1, Ordering::SeqCst);
                self.0.ended.1.notify_all();
            }
        }
        let ended = Ended(shared);
        link::run(&ended.0, stream);
    });
}
