//! `--on-approval exec:CMD`: a program answers a question.
//!
//! It runs without a shell, with the question as JSON on its stdin and a bound of its own, as the
//! daemon's deadline is not on the wire. Only one of the five decisions, alone on one line, counts
//! as an answer; whatever else comes of it is a deny.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::inbox::{Inbox, Input, Pending, Waker};
use crate::error::{Error, Kind, Result};
use crate::protocol::Decision;
use crate::threads;

/// Far more than any answer: five words are known.
const OUTPUT_CAP: u64 = 4096;

/// A longer line of stderr becomes several notices, so that memory stays bounded.
const LINE_CAP: u64 = 16 * 1024;

/// How much of a wrong answer is shown.
const SHOWN: usize = 80;

/// How often the program is looked after.
const POLL: Duration = Duration::from_millis(5);

/// How long what an ended program has said may take to arrive. A program that it started and left
/// behind may hold its pipes open for ever.
const LAST_WORDS: Duration = Duration::from_secs(1);

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
    leash: Arc<Leash>,
}

impl Answerer {
    /// Starts the program; its stderr arrives as [`Input::Said`].
    pub(super) fn start(program: &Program, question: String, inbox: &mut Inbox) -> Self {
        let leash = Arc::new(Leash::default());
        let (program, held, waker) = (program.clone(), Arc::clone(&leash), inbox.waker());
        let pending = inbox.call(move || ask(&program, question, &held, &waker));
        Self {
            pending: Some(pending),
            leash,
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
        // At once and not by the thread that looks after it: this process may end right now.
        self.leash.end(Life::Cancelled);
    }
}

/// The process group of a run. The program is reaped under the same lock under which it is
/// killed, so that its number cannot have become somebody else's.
#[derive(Default)]
struct Leash(Mutex<Life>);

#[derive(Default)]
enum Life {
    #[default]
    Unborn,
    Running(Pid),
    Ended,
    /// Nobody wants to know any more.
    Cancelled,
}

impl Leash {
    fn life(&self) -> MutexGuard<'_, Life> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn spawn(&self, program: &Program) -> Result<Child> {
        let mut life = self.life();
        if matches!(*life, Life::Cancelled) {
            return Err(failed(program, "is no longer asked"));
        }
        let child = spawn(program)?;
        *life = Life::Running(Pid::from_child(&child));
        Ok(child)
    }

    /// Whether it has ended by itself.
    fn look(&self, child: &mut Child) -> std::io::Result<Option<ExitStatus>> {
        let mut life = self.life();
        let status = child.try_wait()?;
        if status.is_some() && matches!(*life, Life::Running(_)) {
            *life = Life::Ended;
        }
        Ok(status)
    }

    /// Ends its whole group, unless it has ended: it may have started others.
    fn end(&self, next: Life) {
        let mut life = self.life();
        if let Life::Running(pid) = *life {
            // A group that is gone needs no signal.
            let _ = kill_process_group(pid, Signal::KILL);
        }
        *life = next;
    }
}

/// Runs the program to its end, its bound or its cancelling.
fn ask(program: &Program, mut question: String, leash: &Leash, waker: &Waker) -> Result<Decision> {
    let mut child = leash.spawn(program)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A line, as `approvals` prints it and a shell's `read` wants it.
        question.push('\n');
        // A program that does not read its stdin must not hold the answer up.
        let _ = threads::spawn(move || {
            let _ = stdin.write_all(question.as_bytes());
        });
    }
    let notices = child.stderr.take().map(|stderr| pass_on(stderr, waker));
    let output = child.stdout.take().map(collect);
    let ended = wait(&mut child, program, leash);
    let due = Instant::now() + LAST_WORDS;
    let text = output.map_or_else(Vec::new, |output| heard(&output, due));
    // Its notices come before its answer.
    if let Some(notices) = notices {
        heard(&notices, due);
    }
    ended?;
    decision(&text).ok_or_else(|| {
        let shown: String = String::from_utf8_lossy(&text).chars().take(SHOWN).collect();
        failed(
            program,
            &format!("said {shown:?}, which is none of the five decisions"),
        )
    })
}

/// Reads stdout on a thread of its own, piece by piece.
fn collect(stdout: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, pieces) = mpsc::channel();
    // Without a thread nothing is heard, and nothing heard is no answer.
    let _ = threads::spawn(move || {
        let mut stdout = stdout.take(OUTPUT_CAP);
        let mut buffer = [0; 512];
        while let Ok(length @ 1..) = stdout.read(&mut buffer) {
            if sender.send(buffer[..length].to_vec()).is_err() {
                break;
            }
        }
    });
    pieces
}

/// Hands each line of stderr on, on a thread of its own. Nothing is ever received; what ends is
/// the channel.
fn pass_on(stderr: impl Read + Send + 'static, waker: &Waker) -> Receiver<Vec<u8>> {
    let (sender, end) = mpsc::channel();
    let waker = waker.clone();
    let _ = threads::spawn(move || {
        let _until_the_end = sender;
        let mut stderr = BufReader::new(stderr);
        let mut line = Vec::new();
        while let Ok(1..) = stderr.by_ref().take(LINE_CAP).read_until(b'\n', &mut line) {
            let text = String::from_utf8_lossy(&line);
            waker.send(Input::Said(text.trim_end_matches(['\r', '\n']).to_owned()));
            line.clear();
        }
    });
    end
}

/// All that comes until the end, or until it is due.
fn heard(pieces: &Receiver<Vec<u8>>, due: Instant) -> Vec<u8> {
    let mut text = Vec::new();
    loop {
        match pieces.recv_timeout(due.saturating_duration_since(Instant::now())) {
            Ok(piece) => text.extend(piece),
            Err(RecvTimeoutError::Disconnected | RecvTimeoutError::Timeout) => return text,
        }
    }
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

fn wait(child: &mut Child, program: &Program, leash: &Leash) -> Result<()> {
    let due = Instant::now() + program.timeout;
    let why = loop {
        match leash.look(child) {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(failed(program, &format!("failed: {status}"))),
            Err(error) => break error.to_string(),
            Ok(None) if Instant::now() >= due => {
                let bound = humantime::format_duration(program.timeout);
                break format!("did not end within {bound}");
            }
            Ok(None) => thread::sleep(POLL),
        }
    };
    leash.end(Life::Ended);
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
