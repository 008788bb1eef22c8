//! The binary at a terminal of its own.

use std::ffi::OsStr;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use dcodectl::simulate::Daemon;
use rexpect::process::WaitStatus;
use rexpect::reader::Options;
use rexpect::session::{PtySession, spawn_with_options};
use rustix::termios::{tcgetwinsize, tcsetwinsize};

use crate::support::watch::{Stream, Watch};
use crate::support::{self, Run};

/// The question at the end of its line.
pub(crate) const ASKED: &str = "allow? [y]es [n]o [s]ession [p]roject [a]lways ";

/// A command at a terminal: all three streams are the terminal's.
pub(crate) struct Terminal {
    session: PtySession,
    /// Everything that was shown so far, a character for each byte.
    seen: String,
    watch: Watch,
}

/// What was shown, and the exit code.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) code: i32,
    /// As received.
    pub(crate) text: String,
}

impl Shown {
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}", self.text);
        self
    }

    #[track_caller]
    pub(crate) fn has(self, part: &str) -> Self {
        assert!(
            self.text.contains(part),
            "{part:?} is not in\n{}",
            self.text
        );
        self
    }

    #[track_caller]
    pub(crate) fn lacks(self, part: &str) -> Self {
        assert!(!self.text.contains(part), "{part:?} is in\n{}", self.text);
        self
    }

    /// What stands on the screen in the end.
    pub(crate) fn screen(&self) -> Vec<String> {
        screen(&self.text)
    }
}

/// A command line against a daemon, about to be run at a terminal without colours.
pub(crate) fn command<S: AsRef<OsStr>>(daemon: &Daemon, arguments: &[S]) -> Run {
    let run = support::at(daemon, arguments);
    run.env("TERM", "xterm").env("NO_COLOR", "1")
}

impl Terminal {
    pub(crate) fn start(run: Run) -> Self {
        let (command, watch, _) = run.into_parts();
        let options = Options::new().timeout_ms(Some(30_000));
        let session = spawn_with_options(command, options).unwrap();
        Self {
            session,
            seen: String::new(),
            watch: watch.at_a_terminal(),
        }
    }

    /// The same on a terminal of so many columns, from the first moment on.
    pub(crate) fn of_width(columns: u16, run: Run) -> Self {
        let script = format!(r#"stty cols {columns} rows 24 && exec "$@""#);
        Self::start(run.behind("sh", &["-c", &script, "sh"]))
    }

    /// Gives the terminal another width.
    pub(crate) fn resize(&self, columns: u16) {
        let terminal = self.session.process().get_file_handle().unwrap();
        let mut size = tcgetwinsize(&terminal).unwrap();
        size.ws_col = columns;
        tcsetwinsize(&terminal, size).unwrap();
    }

    /// How many bytes were shown so far.
    pub(crate) fn position(&self) -> usize {
        self.seen.chars().count()
    }

    /// Runs it to its end.
    pub(crate) fn run(run: Run) -> Shown {
        Self::start(run).end()
    }

    /// Waits until this is shown.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, text: &str) {
        match self.session.exp_string(text) {
            Ok(before) => {
                self.seen.push_str(&before);
                self.seen.push_str(text);
            }
            Err(error) => panic!("{text:?} is not shown: {error}\nbefore: {}", self.seen),
        }
    }

    /// Types a line. The terminal does not echo, so what a person's terminal would show is noted.
    pub(crate) fn line(&mut self, text: &str) {
        self.session.send_line(text).unwrap();
        self.seen.push_str(text);
        self.seen.push_str("\r\n");
    }

    /// Types a control character.
    pub(crate) fn control(&mut self, character: char) {
        self.session.send_control(character).unwrap();
    }

    /// Waits for the end.
    #[track_caller]
    pub(crate) fn end(mut self) -> Shown {
        let rest = self
            .session
            .exp_eof()
            .unwrap_or_else(|error| panic!("no end: {error}\nbefore: {}", self.seen));
        self.seen += &rest;
        let (code, status) = match self.session.process().wait().unwrap() {
            WaitStatus::Exited(_, code) => (code, code << 8),
            WaitStatus::Signaled(_, signal, _) => (128 + signal as i32, signal as i32),
            other => panic!("{other:?}"),
        };
        // The session hands out each byte as a character of its own.
        let bytes: Vec<u8> = self.seen.chars().map(|one| one as u8).collect();
        let text = String::from_utf8(bytes).unwrap();
        self.watch.whole(Stream::Out, &text);
        self.watch.ended(ExitStatus::from_raw(status));
        Shown { code, text }
    }
}

/// What a terminal shows in the end, of text that uses no more than line breaks, returns to the
/// start of the line, and erasing from there.
pub(crate) fn screen(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let (mut shown, mut at) = (Vec::new(), 0);
        let mut rest = line.strip_suffix('\r').unwrap_or(line);
        while let Some(character) = rest.chars().next() {
            if let Some(after) = rest.strip_prefix("\x1b[K") {
                shown.truncate(at);
                rest = after;
                continue;
            }
            rest = &rest[character.len_utf8()..];
            match character {
                '\r' => at = 0,
                '\x1b' => panic!("an escape sequence that nobody asked for: {line:?}"),
                _ => {
                    if at < shown.len() {
                        shown[at] = character;
                    } else {
                        shown.push(character);
                    }
                    at += 1;
                }
            }
        }
        lines.push(shown.into_iter().collect());
    }
    lines
}

/// Waits until the session of a daemon is in this state.
#[track_caller]
pub(crate) fn until_state(daemon: &Daemon, state: &str) -> String {
    let due = Instant::now() + Duration::from_secs(20);
    loop {
        let ran = support::at(daemon, ["list", "--json"]).run().exits(0);
        if let Some(session) = ran.out_objects().iter().find(|one| one["state"] == state) {
            return session["id"].as_str().unwrap().to_owned();
        }
        assert!(Instant::now() < due, "no session is {state}: {ran:#?}");
    }
}
