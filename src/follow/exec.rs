//! `--on-approval exec:CMD`: a program answers a question.
//!
//! It runs without a shell, with the question as JSON on its stdin and a bound of its own, as the
//! daemon's deadline is not on the wire. Only one of the five decisions, alone on one line, counts
//! as an answer; whatever else comes of it is a deny.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::inbox::{Inbox, Input, Pending, Waker};
use crate::error::{Error, Kind, Result};
use crate::protocol::Decision;

/// Far more than any answer: five words are known.
const OUTPUT_CAP: u64 = 4096;

/// How often the program is looked after.
const POLL: Duration = Duration::from_millis(5);

/// A program that answers questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The program and its arguments; never empty.
    pub argv: Vec<String>,
    /// How long it may take.
    pub timeout: Duration,
}

/// A run of the program for one question. Dropped, the run is ended.
pub(super) struct Answerer {
    pending: Option<Pending<Decision>>,
    cancelled: Arc<AtomicBool>,
}

impl Answerer {
    /// Starts the program; its stderr arrives as [`Input::Said`].
    pub(super) fn start(program: &Program, question: String, inbox: &mut Inbox) -> Self {
        let cancelled = Arc::new(AtomicBool::new(false));
        let (program, flag, waker) = (program.clone(), Arc::clone(&cancelled), inbox.waker());
        let pending = inbox.call(move || ask(&program, question, &flag, &waker));
        Self {
            pending: Some(pending),
            cancelled,
        }
    }

    /// Takes the answer, if the number is about it.
    pub(super) fn answered(&mut self, number: u64) -> Option<Result<Decision>> {
        let pending = self.pending.take_if(|pending| pending.is(number))?;
        Some(pending.take())
    }
}

impl Drop for Answerer {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
}

/// Runs the program to its end, its bound or its cancelling.
fn ask(
    program: &Program,
    question: String,
    cancelled: &AtomicBool,
    waker: &Waker,
) -> Result<Decision> {
    let mut child = spawn(program)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read its stdin must not hold the answer up.
        thread::spawn(move || {
            let _ = stdin.write_all(question.as_bytes());
        });
    }
    if let Some(stderr) = child.stderr.take() {
        let waker = waker.clone();
        thread::spawn(move || {
            for line in BufReader::new(stderr)
                .lines()
                .map_while(std::result::Result::ok)
            {
                waker.send(Input::Said(line));
            }
        });
    }
    let (sender, output) = mpsc::channel();
    if let Some(stdout) = child.stdout.take() {
        thread::spawn(move || {
            let mut text = Vec::new();
            let _ = stdout.take(OUTPUT_CAP).read_to_end(&mut text);
            let _ = sender.send(text);
        });
    }
    wait(&mut child, program, cancelled)?;
    // A grandchild may hold the pipe open; what the program itself said is there at once.
    let text = output
        .recv_timeout(Duration::from_secs(1))
        .unwrap_or_default();
    decision(&text).ok_or_else(|| {
        let shown = String::from_utf8_lossy(&text).into_owned();
        failed(
            program,
            &format!("said {shown:?}, which is none of the five decisions"),
        )
    })
}

fn spawn(program: &Program) -> Result<Child> {
    let [name, arguments @ ..] = program.argv.as_slice() else {
        return Err(failed(program, "is empty"));
    };
    Command::new(name)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // A group of its own, so that ending it also ends what it started.
        .process_group(0)
        .spawn()
        .map_err(|error| failed(program, &format!("cannot be run: {error}")))
}

fn wait(child: &mut Child, program: &Program, cancelled: &AtomicBool) -> Result<()> {
    let due = Instant::now() + program.timeout;
    let why = loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(failed(program, &format!("failed: {status}"))),
            Err(error) => break error.to_string(),
            Ok(None) if cancelled.load(Ordering::Relaxed) => break "is no longer asked".to_owned(),
            Ok(None) if Instant::now() >= due => {
                break format!(
                    "did not end within {}",
                    humantime::format_duration(program.timeout)
                );
            }
            Ok(None) => thread::sleep(POLL),
        }
    };
    // Its whole group: it may have started others. A group that is gone needs no signal.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    let _ = child.wait();
    Err(failed(program, &why))
}

/// One of the five decisions, alone on one line.
fn decision(output: &[u8]) -> Option<Decision> {
    let text = std::str::from_utf8(output).ok()?;
    let word = text.strip_suffix('\n').unwrap_or(text);
    let decision = Decision::from(word);
    decision.is_valid().then_some(decision)
}

fn failed(program: &Program, why: &str) -> Error {
    let name = program.argv.first().map_or("", String::as_str);
    Error::new(Kind::Failure, format!("{name} {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_decision_alone_on_one_line_is_an_answer() {
        for (output, expected) in [
            ("allow\n", Some(Decision::Allow)),
            ("deny", Some(Decision::Deny)),
            ("allow_session\n", Some(Decision::AllowSession)),
            ("allow\n\n", None),
            ("allow\ndeny\n", None),
            (" allow\n", None),
            ("allow\r\n", None),
            ("ALLOW\n", None),
            ("yes\n", None),
            ("", None),
        ] {
            assert_eq!(decision(output.as_bytes()), expected, "{output:?}");
        }
        assert_eq!(decision(b"\xff"), None);
    }
}
