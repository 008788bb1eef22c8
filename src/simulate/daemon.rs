//! The simulated daemon as its owner holds it: started, watched, stopped.

use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::core::Core;
use super::faults::{Fault, PathIs};
use super::place::Place;
use super::server;
use super::{Options, Seen};

/// How long a stopping daemon waits for its threads, which normally take a few milliseconds.
const THREADS_LIMIT: Duration = Duration::from_secs(2);

/// A running simulated daemon. Dropped, it stops and leaves nothing behind.
pub struct Daemon {
    core: Arc<Core>,
    place: Place,
    wake: UnixStream,
    expected: Mutex<Vec<(String, PathIs)>>,
}

impl Daemon {
    /// Starts serving.
    ///
    /// # Errors
    /// `AlreadyExists` if the socket path exists; whatever else binding a socket can fail with.
    pub fn start(options: Options) -> io::Result<Self> {
        let (wake, woken) = UnixStream::pair()?;
        let (place, listener) = Place::listen(options.socket.as_deref())?;
        let core = Arc::new(Core::new(options));
        core.spawn(move |core| server::accept(core, &listener, &woken));
        Ok(Self {
            core,
            place,
            wake,
            expected: Mutex::default(),
        })
    }

    /// The socket to connect to.
    #[must_use]
    pub fn socket(&self) -> &Path {
        self.place.socket()
    }

    /// Every request seen so far, in the order of their heads.
    #[must_use]
    pub fn requests(&self) -> Vec<Seen> {
        self.core.seen()
    }

    /// Adds a rule of misbehaviour; it counts requests from now on.
    pub fn add_fault(&self, fault: Fault) {
        self.core.add_fault(fault);
    }

    /// Expects a request: if none comes until the end, the end panics. In strict mode a request
    /// that nobody expected does so too.
    pub fn expect(&self, method: &str, path: PathIs) {
        super::lock(&self.expected).push((method.to_owned(), path));
    }

    /// Stops as on SIGTERM: connections close without the zero chunk, the socket file goes.
    pub fn stop(&self) {
        self.place.remove_socket();
        self.end();
    }

    /// Stops as on SIGKILL: as [`Self::stop`], but the socket file stays behind as a leftover.
    pub fn kill(&self) {
        self.end();
    }

    /// Breaks every open event stream; the turns go on.
    pub fn cut_streams(&self) {
        self.core.cut_connections(true);
    }

    /// Does to clients what a restart does: streams break and sessions are unknown, records stay.
    pub fn forget_sessions(&self) {
        self.core.forget_sessions();
    }

    /// Checks the expectations and stops.
    ///
    /// # Panics
    /// If an expected request never came or, in strict mode, another one did.
    pub fn finish(self) {
        drop(self);
    }

    fn end(&self) {
        self.core.stop();
        // The accepting thread may wait for a connection; if nobody reads the byte it has ended.
        let _ = (&self.wake).write_all(b"!");
        self.core.wait_for_threads(THREADS_LIMIT);
    }

    /// What is wrong with the requests that came, if something is.
    fn complaint(&self) -> Option<String> {
        let expected = super::lock(&self.expected);
        let seen = self.requests();
        let meets = |(method, path): &(String, PathIs), request: &Seen| {
            (method.is_empty() || *method == request.method) && path.matches(request.path())
        };
        let missing = expected
            .iter()
            .find(|rule| !seen.iter().any(|request| meets(rule, request)));
        if let Some((method, path)) = missing {
            return Some(format!("the request {method} {path:?} never came"));
        }
        let surprise = seen
            .iter()
            .find(|request| !expected.iter().any(|rule| meets(rule, request)))?;
        self.core.options.strict.then(|| {
            let (method, target) = (&surprise.method, &surprise.target);
            format!("nobody expected the request {method} {target}")
        })
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.end();
        self.place.remove();
        if std::thread::panicking() {
            return;
        }
        let complaint = self.complaint();
        assert!(complaint.is_none(), "{}", complaint.unwrap_or_default());
    }
}
