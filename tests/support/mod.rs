//! What the tests share: the built binary with an empty environment, the simulated daemon, and
//! a way to assert exit code, stdout and stderr together.

#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    clippy::pedantic,
    clippy::unwrap_used
)]

pub mod asked;
pub mod inside;
pub mod paced;
pub mod process;
pub mod programs;
pub mod schemas;
pub mod snippets;
pub mod watch;
pub mod wire;
pub mod wired;

// Not every test asks.
#[allow(unused_imports)]
pub use asked::{commands, is_busy, seen};

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use dcodectl::protocol::{Event, EventKind};
use dcodectl::simulate::{Daemon, Options, Replay, Source, Speed, scenario};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use watch::{Stream, Watch};
use wired::Wired;

/// No test waits longer than this for a process: a hang fails, it does not hang the suite.
pub const HANG: Duration = Duration::from_secs(60);

/// The built binary.
pub fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_dcodectl"))
}

/// A daemon that plays a scenario at once.
pub fn daemon(name: &str) -> Daemon {
    daemon_with(name, |options| options.speed = Speed::Instant)
}

/// A daemon that plays a scenario, further set up by `change`.
pub fn daemon_with(name: &str, change: impl FnOnce(&mut Options)) -> Daemon {
    let source = Source::Scenario(scenario(name).unwrap_or_else(|| panic!("scenario {name}")));
    start(source, change)
}

/// A daemon that plays a recording at once.
pub fn replaying(recording: &Path, change: impl FnOnce(&mut Options)) -> Daemon {
    start(
        Source::Replay(Replay::load(recording).unwrap()),
        |options| {
            options.speed = Speed::Instant;
            change(options);
        },
    )
}

/// A daemon that plays the given events, one `(type, payload)` each; `{turn}` stands for nothing
/// special: payloads are sent as they are. The first must be a `turn.started`.
pub fn playing(events: &[(&str, &str)], change: impl FnOnce(&mut Options)) -> Daemon {
    let log: Vec<String> = events
        .iter()
        .enumerate()
        .map(|(index, (kind, payload))| {
            let seq = index + 2;
            format!(r#"{{"seq":{seq},"session_id":"s","type":"{kind}","at":"2026-12-01T05:00:00Z","payload":{payload}}}"#)
        })
        .collect();
    start(
        Source::Replay(Replay::parse(&log.join("\n")).unwrap()),
        |options| {
            options.speed = Speed::Instant;
            change(options);
        },
    )
}

fn start(source: Source, change: impl FnOnce(&mut Options)) -> Daemon {
    let mut options = Options {
        source,
        ..Options::default()
    };
    change(&mut options);
    Daemon::start(options).unwrap()
}

/// The folder of recorded streams.
pub fn recording(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/recordings/sse")
        .join(format!("{name}.sse"))
}

/// The data lines of a recorded stream.
pub fn data_lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(str::to_owned)
        .collect()
}

/// What a process did.
#[derive(Debug)]
pub struct Ran {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
    pub took: Duration,
}

impl Ran {
    /// The exit code; 128 + N for one killed by signal N, as a shell has it.
    pub fn code(&self) -> i32 {
        use std::os::unix::process::ExitStatusExt;
        self.status
            .code()
            .unwrap_or_else(|| 128 + self.status.signal().unwrap_or(0))
    }

    /// Asserts the exit code, and shows everything if it is another.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code(), code, "{self:#?}");
        self
    }

    #[track_caller]
    pub fn out(self, expected: &str) -> Self {
        assert_eq!(self.stdout, expected, "{self:#?}");
        self
    }

    #[track_caller]
    pub fn err(self, expected: &str) -> Self {
        assert_eq!(self.stderr, expected, "{self:#?}");
        self
    }

    #[track_caller]
    pub fn out_has(self, part: &str) -> Self {
        assert!(
            self.stdout.contains(part),
            "stdout lacks {part:?}: {self:#?}"
        );
        self
    }

    #[track_caller]
    pub fn err_has(self, part: &str) -> Self {
        assert!(
            self.stderr.contains(part),
            "stderr lacks {part:?}: {self:#?}"
        );
        self
    }

    #[track_caller]
    pub fn within(self, bound: Duration) -> Self {
        assert!(
            self.took <= bound,
            "took {:?}, more than {bound:?}: {self:#?}",
            self.took
        );
        self
    }

    /// stdout as JSON objects, one a line and nothing else.
    #[track_caller]
    pub fn out_objects(&self) -> Vec<Value> {
        objects(&self.stdout)
    }

    /// stderr as JSON objects, one a line and nothing else.
    #[track_caller]
    pub fn err_objects(&self) -> Vec<Value> {
        objects(&self.stderr)
    }
}

/// Each line as a JSON object.
#[track_caller]
pub fn objects(text: &str) -> Vec<Value> {
    assert!(
        text.is_empty() || text.ends_with('\n'),
        "the last line is not whole: {text:?}"
    );
    text.lines()
        .map(|line| {
            let value: Value =
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
            assert!(value.is_object(), "{line}");
            value
        })
        .collect()
}

/// The types of the events in an NDJSON text.
pub fn kinds(ndjson: &str) -> Vec<String> {
    ndjson
        .lines()
        .map(|line| Event::parse(line).unwrap().kind.to_string())
        .collect()
}

/// Whether an NDJSON text ends with the end of a turn.
pub fn ends_with_the_turn(ndjson: &str) -> bool {
    ndjson
        .lines()
        .last()
        .is_some_and(|line| Event::parse(line).unwrap().kind == EventKind::TurnCompleted)
}

/// The binary with an empty environment, about to be run.
///
/// Whatever way it is run, what it prints and writes is held against the schemas (`watch`).
pub struct Run {
    command: Command,
    line: Vec<OsString>,
    odd: Vec<String>,
    stdin: Option<Vec<u8>>,
}

/// A command line of the binary; the environment is empty but for `PATH`.
pub fn dcodectl<I, S>(arguments: I) -> Run
where
    I: IntoIterator<Item = S>,
    S: AsRef<OsStr>,
{
    let mut command = Command::new(binary());
    command
        .args(arguments)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    Run {
        line: watch::line(command.get_args()),
        command,
        odd: Vec::new(),
        stdin: None,
    }
}

/// The same against a daemon.
pub fn at<I, S>(daemon: &Daemon, arguments: I) -> Run
where
    I: IntoIterator<Item = S>,
    S: AsRef<OsStr>,
{
    dcodectl(arguments).env("DCODE_SOCKET", daemon.socket())
}

impl Run {
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn dir(mut self, path: impl AsRef<Path>) -> Self {
        self.command.current_dir(path);
        self
    }

    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// Lets pass events of this type that are in no shape of the protocol: the test's own peer
    /// sends them. There has to be one.
    pub fn odd(mut self, kind: &str) -> Self {
        self.odd.push(kind.to_owned());
        self
    }

    /// Runs it behind another program, which gets these arguments, the binary and its arguments.
    pub fn behind(mut self, program: &str, arguments: &[&str]) -> Self {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .arg(self.command.get_program())
            .args(self.command.get_args())
            .env_clear();
        for (name, value) in self.command.get_envs() {
            command.env(name, value.unwrap_or_default());
        }
        command.current_dir(self.command.get_current_dir().unwrap());
        self.command = command;
        self
    }

    /// In a process group of its own.
    pub fn in_its_own_group(mut self) -> Self {
        std::os::unix::process::CommandExt::process_group(&mut self.command, 0);
        self
    }

    /// Runs it to its end; the reader takes everything at once.
    pub fn run(self) -> Ran {
        self.start().wait()
    }

    /// Starts it with both outputs piped and read by threads.
    pub fn start(self) -> Running {
        let (mut command, watch, stdin) = self.into_parts();
        command
            .stdin(if stdin.is_some() {
                Stdio::piped()
            } else {
                Stdio::null()
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let begun = Instant::now();
        let mut child = command.spawn().unwrap();
        if let (Some(bytes), Some(mut pipe)) = (stdin, child.stdin.take()) {
            thread::spawn(move || {
                let _ = pipe.write_all(&bytes);
            });
        }
        let stdout = collect(child.stdout.take().unwrap());
        let stderr = collect(child.stderr.take().unwrap());
        Running {
            child,
            begun,
            stdout: Some(stdout),
            stderr: Some(stderr),
            watch,
        }
    }

    /// Starts it with these streams, for a test that reads and writes by hand.
    pub fn spawn(
        self,
        stdin: impl Into<Stdio>,
        stdout: impl Into<Stdio>,
        stderr: impl Into<Stdio>,
    ) -> Wired {
        let (mut command, watch, _) = self.into_parts();
        command.stdin(stdin).stdout(stdout).stderr(stderr);
        Wired::new(command.spawn().unwrap(), Arc::new(watch))
    }

    /// The command itself and what is to be told of it, for support code alone.
    pub fn into_parts(self) -> (Command, Watch, Option<Vec<u8>>) {
        let mut watch = Watch::of(&self.line, self.command.get_current_dir().unwrap());
        for kind in &self.odd {
            watch.odd(kind);
        }
        (self.command, watch, self.stdin)
    }
}

fn collect(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// A process under test. Dropped early, it is killed.
pub struct Running {
    child: Child,
    begun: Instant,
    stdout: Option<thread::JoinHandle<String>>,
    stderr: Option<thread::JoinHandle<String>>,
    watch: Watch,
}

impl Running {
    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits for its end; a process that hangs is killed and fails the test.
    #[track_caller]
    pub fn wait(mut self) -> Ran {
        let status = wait_for(&mut self.child, HANG);
        let took = self.begun.elapsed();
        let stdout = self.stdout.take().unwrap().join().unwrap();
        let stderr = self.stderr.take().unwrap().join().unwrap();
        let status = status
            .unwrap_or_else(|| panic!("hung for {took:?}\nstdout: {stdout}\nstderr: {stderr}"));
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

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let Ok(status) = self.child.wait() else {
            return;
        };
        let outputs = [
            (Stream::Out, self.stdout.take()),
            (Stream::Err, self.stderr.take()),
        ];
        for (stream, output) in outputs {
            // Something that outlives it may still hold the pipe.
            if let Some(output) = output.filter(thread::JoinHandle::is_finished) {
                self.watch
                    .feed(stream, output.join().unwrap_or_default().as_bytes());
            }
        }
        if !thread::panicking() {
            self.watch.ended(status);
        }
    }
}

/// Waits for a child, at most this long; then kills it and gives `None`.
pub fn wait_for(child: &mut Child, bound: Duration) -> Option<ExitStatus> {
    let due = Instant::now() + bound;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        if Instant::now() >= due {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Waits until something holds; fails after a generous bound.
#[track_caller]
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let due = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < due, "never came: {what}");
        thread::sleep(Duration::from_millis(2));
    }
}

/// Opens a session through the binary and gives its id.
#[track_caller]
pub fn create(daemon: &Daemon) -> String {
    let ran = at(daemon, ["create"]).run().exits(0);
    ran.stdout.trim_end().to_owned()
}
