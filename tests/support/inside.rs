//! The program run inside the test, where uid, environment and every bound are arguments.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use dcodectl::Bounds;
use dcodectl::client::Timeouts;
use dcodectl::follow::Limits;
use dcodectl::simulate::Daemon;
use dcodectl::streams::{Streams, Surroundings};

use super::watch::{Stream, Watch};
use super::{HANG, Ran};

/// A buffer that can be looked at while it is written to.
#[derive(Clone, Default)]
pub struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A command line about to be run inside the test.
pub struct Inside {
    arguments: Vec<OsString>,
    variables: HashMap<String, OsString>,
    uid: u32,
    bounds: Bounds,
    odd: Vec<String>,
    stdin: Option<Box<dyn Read + Send>>,
}

/// A command line against a daemon, inside the test; no environment but the socket.
pub fn inside<I, S>(daemon: &Daemon, arguments: I) -> Inside
where
    I: IntoIterator<Item = S>,
    S: Into<OsString>,
{
    let program = std::iter::once(OsString::from("dcodectl"));
    let socket = daemon.socket().as_os_str().to_owned();
    Inside {
        arguments: program
            .chain(arguments.into_iter().map(Into::into))
            .collect(),
        variables: HashMap::from([("DCODE_SOCKET".to_owned(), socket)]),
        uid: rustix::process::geteuid().as_raw(),
        bounds: Bounds::default(),
        odd: Vec::new(),
        stdin: None,
    }
}

impl Inside {
    pub fn limits(mut self, change: impl FnOnce(&mut Limits)) -> Self {
        change(&mut self.bounds.limits);
        self
    }

    pub fn timeouts(mut self, change: impl FnOnce(&mut Timeouts)) -> Self {
        change(&mut self.bounds.timeouts);
        self
    }

    pub fn uid(mut self, uid: u32) -> Self {
        self.uid = uid;
        self
    }

    pub fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.to_owned(), value.into());
        self
    }

    pub fn stdin(mut self, reader: impl Read + Send + 'static) -> Self {
        self.stdin = Some(Box::new(reader));
        self
    }

    /// The same as [`super::Run::odd`].
    pub fn odd(mut self, kind: &str) -> Self {
        self.odd.push(kind.to_owned());
        self
    }

    /// Runs it to its end.
    #[track_caller]
    pub fn run(self) -> Ran {
        self.start().wait()
    }

    /// Runs it on a thread of its own.
    pub fn start(self) -> RunningInside {
        let (out, err) = (Shared::default(), Shared::default());
        let mut watch = Watch::of(&self.arguments, &std::env::current_dir().unwrap());
        for kind in &self.odd {
            watch.odd(kind);
        }
        let begun = Instant::now();
        let (to_out, to_err) = (out.clone(), err.clone());
        let thread = thread::spawn(move || {
            let get = |name: &str| self.variables.get(name).cloned();
            let surroundings = Surroundings {
                variable: &get,
                uid: self.uid,
            };
            let mut streams = Streams::of(Box::new(to_out), Box::new(to_err));
            if self.stdin.is_some() {
                streams.stdin = self.stdin;
            }
            dcodectl::run(self.arguments, &surroundings, streams, self.bounds, false)
        });
        RunningInside {
            thread,
            begun,
            out,
            err,
            watch,
        }
    }
}

/// A command line that runs inside the test. It cannot be killed: it has to be waited for.
#[must_use]
pub struct RunningInside {
    thread: thread::JoinHandle<u8>,
    begun: Instant,
    pub out: Shared,
    pub err: Shared,
    watch: Watch,
}

impl RunningInside {
    /// Waits for its end; one that hangs fails the test.
    #[track_caller]
    pub fn wait(self) -> Ran {
        while !self.thread.is_finished() {
            let (out, err) = (self.out.text(), self.err.text());
            assert!(
                self.begun.elapsed() < HANG,
                "hung\nstdout: {out}\nstderr: {err}"
            );
            thread::sleep(Duration::from_millis(2));
        }
        let took = self.begun.elapsed();
        let code = self.thread.join().unwrap();
        let status = ExitStatus::from_raw(i32::from(code) << 8);
        let (stdout, stderr) = (self.out.text(), self.err.text());
        self.watch.whole(Stream::Out, &stdout);
        self.watch.whole(Stream::Err, &stderr);
        self.watch.ended(status);
        Ran {
            status,
            stdout,
            stderr,
            took,
        }
    }
}
