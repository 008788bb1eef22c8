//! Whatever a test makes the program print or write is held against its schema, without the test's doing: every command
//! line that is run has a watch beside it, which reads off the line what is to come (as the program does), sees each line of
//! stdout and stderr that anybody reads, looks into the files that the line names, and fails the test in the end.
//!
//! Each line is parsed and validated as a whole: some 20 µs, most of them for parsing. What nobody reads is not seen, and
//! neither is what goes into a file or a pipe that is no `--events` and no `--summary`.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Mutex;

use clap::FromArgMatches;
use dcodectl::cli::{self, Cli, Command, Gate, Output, ReportTarget, WaitFor};
use serde_json::Value;

use super::schemas::Shape;

/// Ways out that may leave a text in the middle of a line, or before the summary: 74, 124, 141 and signals.
const ABRUPT: [i32; 6] = [74, 124, 129, 130, 141, 143];

/// A second signal leaves no time for a summary.
const SIGNALS: [i32; 3] = [129, 130, 143];

/// What a command line prints on stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Printed {
    /// Events, and a summary behind them if it goes there.
    Events,
    /// JSON objects.
    Objects,
    /// Text for people, and a summary as its last line if it goes there.
    Text,
    /// Anybody's: a line that seems to be one of ours is held to it.
    Anything,
}

/// Where a text comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    Out,
    Err,
}

/// How the command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Ended {
    /// Nobody waited for it.
    #[default]
    Unknown,
    Killed,
    Code(i32),
}

/// The lines of a stream.
#[derive(Debug, Default)]
struct Lines {
    /// What came of the line that is not over.
    pending: Vec<u8>,
    /// The last whole line.
    last: String,
    /// All of it was read.
    whole: bool,
}

#[derive(Debug, Default)]
struct Found {
    out: Lines,
    err: Lines,
    ended: Ended,
    /// The codes that errors on stderr name.
    codes: Vec<i32>,
    /// The exempt types that were indeed wrong somewhere.
    odd: Vec<String>,
    faults: Vec<String>,
}

impl Found {
    fn of(&mut self, stream: Stream) -> &mut Lines {
        match stream {
            Stream::Out => &mut self.out,
            Stream::Err => &mut self.err,
        }
    }
}

/// What is held against the schemas of one command line.
#[derive(Debug)]
pub struct Watch {
    line: Vec<OsString>,
    printed: Printed,
    /// stderr has objects only.
    objects_on_stderr: bool,
    /// Annotations of `--report github` stand on stderr, too.
    annotates: bool,
    summary: Option<PathBuf>,
    summary_on_stdout: bool,
    events: Option<PathBuf>,
    /// Types of events that a test's own peer sends in a shape of no protocol.
    odd: Vec<String>,
    found: Mutex<Found>,
}

impl Watch {
    /// Reads off the arguments, the program's name among them, what is to come.
    pub fn of(line: &[OsString], folder: &Path) -> Self {
        let matches = cli::command().try_get_matches_from(line);
        let parsed = matches.and_then(|matches| Cli::from_arg_matches(&matches));
        let parsed = parsed.ok();
        let runs_something = matches!(parsed.as_ref().map(|cli| &cli.command), Some(Command::Simulate(simulate)) if !simulate.cmd.is_empty());
        let gate = parsed.as_ref().and_then(gate);
        let file = |path: Option<&PathBuf>| path.map(|path| folder.join(path));
        let summary = gate.and_then(|gate| gate.summary.as_ref());
        let on_stdout = summary.is_some_and(|path| path.as_os_str() == "-");
        let reports =
            gate.map(|gate| &gate.reports)
                .or(match parsed.as_ref().map(|cli| &cli.command) {
                    Some(Command::Render(render)) => Some(&render.reports),
                    _ => None,
                });
        let annotates = reports.is_some_and(|reports| {
            let is_github = |target| matches!(target, &ReportTarget::GitHub);
            reports.report.iter().any(is_github)
        });
        Self {
            line: line.to_owned(),
            printed: parsed.as_ref().map_or(Printed::Anything, printed),
            objects_on_stderr: cli::asks_for_json(line) && !runs_something,
            annotates,
            summary: file(summary.filter(|_| !on_stdout)),
            summary_on_stdout: on_stdout,
            events: file(gate.and_then(|gate| gate.events.as_ref())),
            odd: Vec::new(),
            found: Mutex::default(),
        }
    }

    /// A script's: whatever it runs.
    pub fn of_a_script(text: &str) -> Self {
        let mut watch = Self::of(&[], Path::new("/"));
        watch.line = vec![text.into()];
        watch
    }

    /// Both streams go to a terminal, and its text is both.
    pub fn at_a_terminal(mut self) -> Self {
        self.printed = Printed::Anything;
        self.summary_on_stdout = false;
        self
    }

    /// Events of this type need not hold to the schema, and one of them indeed does not.
    pub fn odd(&mut self, kind: &str) {
        self.odd.push(kind.to_owned());
    }

    /// Looks at more of a stream.
    pub fn feed(&self, stream: Stream, bytes: &[u8]) {
        let mut found = self.found.lock().unwrap();
        let mut pending = std::mem::take(&mut found.of(stream).pending);
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            pending.extend_from_slice(&rest[..end]);
            self.look(stream, &pending, &mut found);
            pending.clear();
            rest = &rest[end + 1..];
        }
        pending.extend_from_slice(rest);
        found.of(stream).pending = pending;
    }

    /// There is no more of a stream.
    pub fn over(&self, stream: Stream) {
        self.found.lock().unwrap().of(stream).whole = true;
    }

    /// Looks at all of a stream at once.
    pub fn whole(&self, stream: Stream, text: &str) {
        self.feed(stream, text.as_bytes());
        self.over(stream);
    }

    /// The command has ended: what it wrote into files is looked at.
    pub fn ended(&self, status: ExitStatus) {
        let ended = match status.code() {
            Some(code) => Ended::Code(code),
            None if status.signal().is_some() => Ended::Killed,
            None => Ended::Unknown,
        };
        let mut found = self.found.lock().unwrap();
        found.ended = ended;
        if let Some(path) = &self.summary {
            self.summary_file(path, &mut found);
        }
        if let Some(path) = &self.events {
            self.events_file(path, &mut found);
        }
    }

    /// Looks at every line of every file in a folder that seems to be one of ours.
    pub fn folder(&self, folder: &Path) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                self.folder(&path);
            } else if let Ok(text) = fs::read_to_string(&path) {
                self.feed(Stream::Out, text.as_bytes());
                // What is left of a line is whole here.
                self.feed(Stream::Out, b"\n");
            }
        }
    }

    fn look(&self, stream: Stream, line: &[u8], found: &mut Found) {
        let line = String::from_utf8_lossy(line);
        match (stream, self.printed) {
            (Stream::Out, Printed::Events) => {
                let over = Shape::of(&parsed(&found.out.last)) == Shape::Summary;
                let value = self.object(&line, found);
                let shape = Shape::of(&value);
                if over || (shape == Shape::Summary && !self.summary_on_stdout) {
                    found.faults.push(format!("out of place: {line}"));
                } else if !value.is_null() {
                    let shape = if shape == Shape::Summary {
                        shape
                    } else {
                        Shape::Event
                    };
                    self.hold(shape, &value, &line, found);
                }
            }
            (Stream::Out, Printed::Objects) => {
                let value = self.object(&line, found);
                self.hold(Shape::of(&value), &value, &line, found);
            }
            (Stream::Out, Printed::Text) => {}
            (Stream::Err, _) if self.objects_on_stderr => {
                if !(self.annotates && line.starts_with("::")) {
                    let value = self.object(&line, found);
                    self.hold(Shape::Message, &value, &line, found);
                    let code = &value["error"]["exit_code"];
                    found.codes.extend(code.as_i64().map(|code| code as i32));
                }
            }
            (Stream::Out | Stream::Err, _) => {
                let value = parsed(&line);
                self.hold(Shape::of(&value), &value, &line, found);
            }
        }
        // Kept where it matters what comes last.
        if stream == Stream::Out && self.summary_on_stdout {
            found.out.last = line.into_owned();
        }
    }

    /// The line as an object; null, and a fault, if it is none.
    fn object(&self, line: &str, found: &mut Found) -> Value {
        match serde_json::from_str(line) {
            Ok(value @ Value::Object(_)) => value,
            _ => {
                found.faults.push(format!("no JSON object: {line:?}"));
                Value::Null
            }
        }
    }

    fn hold(&self, shape: Shape, value: &Value, line: &str, found: &mut Found) {
        if value.is_null() {
            return;
        }
        let Some(fault) = shape.fault(value) else {
            return;
        };
        let kind = value["type"].as_str().unwrap_or_default();
        if shape == Shape::Event && self.odd.iter().any(|odd| odd == kind) {
            found.odd.push(kind.to_owned());
        } else {
            let line: String = line.chars().take(2000).collect();
            found.faults.push(format!("no {shape:?}: {fault}: {line}"));
        }
    }

    /// One object, one line, which names the code that the command ended with.
    fn summary_file(&self, path: &Path, found: &mut Found) {
        // It is opened before all else, so only what comes earlier leaves none.
        let none = [2, 74]
            .iter()
            .chain(&SIGNALS)
            .any(|code| found.ended == Ended::Code(*code));
        let Some(text) = content(path, none, found) else {
            return;
        };
        match (found.ended, text.strip_suffix('\n')) {
            // Wrong arguments: it was not touched, or emptied.
            (Ended::Code(2), _) | (Ended::Killed, None) => {}
            (Ended::Code(code), None) if SIGNALS.contains(&code) && text.is_empty() => {}
            (_, Some(line)) => self.is_summary(line, found),
            (_, None) => found
                .faults
                .push(format!("{path:?} is not whole: {text:?}")),
        }
    }

    fn is_summary(&self, line: &str, found: &mut Found) {
        let value = self.object(line, found);
        self.hold(Shape::Summary, &value, line, found);
        if let (Ended::Code(code), false) = (found.ended, value.is_null())
            && value["exit_code"] != code
        {
            found.faults.push(format!("the code is {code}: {line}"));
        }
    }

    fn events_file(&self, path: &Path, found: &mut Found) {
        let none = is_abrupt(found.ended) || found.ended == Ended::Code(2);
        let Some(text) = content(path, none, found) else {
            return;
        };
        if found.ended == Ended::Code(2) {
            return;
        }
        for line in text.split_inclusive('\n') {
            if let Some(line) = line.strip_suffix('\n') {
                let value = self.object(line, found);
                self.hold(Shape::Event, &value, line, found);
            } else if !is_abrupt(found.ended) {
                found
                    .faults
                    .push(format!("{path:?} is not whole: {line:?}"));
            }
        }
    }

    /// What can only be said when all is over.
    fn conclude(&self, found: &mut Found) {
        let ended = found.ended;
        if self.summary_on_stdout && found.out.whole && ended != Ended::Code(2) {
            let last = std::mem::take(&mut found.out.last);
            // After an abrupt end there may be none; one that is there has to be right.
            if !is_abrupt(ended) || Shape::of(&parsed(&last)) == Shape::Summary {
                self.is_summary(&last, found);
            }
        }
        let in_lines = matches!(self.printed, Printed::Events | Printed::Objects);
        for (lines, in_lines) in [(&found.out, in_lines), (&found.err, self.objects_on_stderr)] {
            if in_lines && lines.whole && !lines.pending.is_empty() && !is_abrupt(ended) {
                let rest = String::from_utf8_lossy(&lines.pending).into_owned();
                found
                    .faults
                    .push(format!("the last line is not whole: {rest}"));
                break;
            }
        }
        if let (Ended::Code(code), true) = (ended, self.objects_on_stderr && found.err.whole) {
            let named = found.codes.contains(&code);
            // Results are notices, a reader that left is no message, and a second signal leaves at once.
            let silent = [0, 10, 11, 129, 130, 141, 143].contains(&code);
            if !(named || silent) || (code == 0 && !found.codes.is_empty()) {
                let codes = &found.codes;
                found
                    .faults
                    .push(format!("the code is {code}, and the errors name {codes:?}"));
            }
        }
        for kind in &self.odd {
            if !found.odd.contains(kind) {
                found
                    .faults
                    .push(format!("{kind} is exempt, and nothing of it is wrong"));
            }
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // What failed already is said already.
        if std::thread::panicking() {
            return;
        }
        let mut found = std::mem::take(&mut *self.found.lock().unwrap());
        self.conclude(&mut found);
        let line: Vec<_> = self
            .line
            .iter()
            .map(|word| word.to_string_lossy())
            .collect();
        let faults = found.faults;
        assert!(faults.is_empty(), "{}: {faults:#?}", line.join(" "));
    }
}

fn parsed(line: &str) -> Value {
    let value = if line.starts_with('{') {
        serde_json::from_str(line.trim_end_matches('\r'))
    } else {
        Ok(Value::Null)
    };
    value.unwrap_or(Value::Null)
}

/// The text of a file that was to be written, which may not be there at all after an end that
/// nobody waited for or, if `none`, as this one; `None` if there is nothing to be looked into.
fn content(path: &Path, none: bool, found: &mut Found) -> Option<String> {
    match fs::metadata(path) {
        Ok(data) if data.is_file() => Some(fs::read_to_string(path).unwrap()),
        // A pipe, a full disk.
        Ok(_) => None,
        Err(error) => {
            if !none && matches!(found.ended, Ended::Code(_)) {
                found.faults.push(format!("{path:?}: {error}"));
            }
            None
        }
    }
}

fn is_abrupt(ended: Ended) -> bool {
    match ended {
        Ended::Unknown | Ended::Killed => true,
        Ended::Code(code) => ABRUPT.contains(&code),
    }
}

fn gate(cli: &Cli) -> Option<&Gate> {
    match &cli.command {
        Command::Run(run) => Some(&run.gate),
        Command::Submit(submit) => Some(&submit.gate),
        Command::Wait(wait) => Some(&wait.gate),
        _ => None,
    }
}

fn printed(cli: &Cli) -> Printed {
    let json = cli.global.format() == Output::Ndjson;
    match &cli.command {
        Command::Schema(_) | Command::Completions(_) | Command::Man(_) => Printed::Text,
        Command::Simulate(simulate) if !simulate.cmd.is_empty() => Printed::Anything,
        _ if !json => Printed::Text,
        Command::Submit(submit) if submit.detach => Printed::Objects,
        Command::Wait(wait) if !matches!(wait.target, WaitFor::Turn) => Printed::Objects,
        Command::Run(_)
        | Command::Submit(_)
        | Command::Wait(_)
        | Command::Tail(_)
        | Command::Render(_) => Printed::Events,
        _ => Printed::Objects,
    }
}

/// The words of a command line behind the program's name.
pub fn line<'w>(words: impl IntoIterator<Item = &'w OsStr>) -> Vec<OsString> {
    let program = std::iter::once(OsString::from("dcodectl"));
    let words = words.into_iter().map(OsStr::to_owned);
    program.chain(words).collect()
}
