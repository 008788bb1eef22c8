//! Misbehaviour on demand, for tests of clients: rules on requests and on the form of streams.

use std::ops::RangeInclusive;
use std::time::Duration;

/// What is done to the requests that a rule matches.
#[derive(Debug, Clone)]
pub struct Fault {
    method: String,
    path: PathIs,
    /// Which of the matching requests, counted from 1.
    which: RangeInclusive<usize>,
    seen: usize,
    act: Act,
}

/// Which paths a rule matches, query left aside.
#[derive(Debug, Clone)]
pub enum PathIs {
    /// Every path.
    Any,
    /// Paths that are exactly this.
    Exactly(String),
    /// Paths that start like this.
    Prefix(String),
    /// Paths that end like this, such as `/turns`.
    Suffix(String),
}

/// What a rule does.
#[derive(Debug, Clone)]
pub enum Act {
    /// Answers this instead.
    Answer {
        /// HTTP status.
        status: u16,
        /// Content type.
        content_type: String,
        /// Body.
        body: String,
    },
    /// Writes these bytes instead of an answer and closes the connection.
    Raw(Vec<u8>),
    /// Reads the request and never answers.
    Silence,
    /// Writes a head that announces a body, which never comes.
    HeadOnly,
    /// Closes the connection without an answer.
    Reset,
    /// Does nothing for so long, then handles the request as if nothing had been.
    Delay(Duration),
    /// Handles the request at once and holds the answer back for so long.
    DelayAnswer(Duration),
    /// Handles the request at once and closes the connection instead of answering.
    LoseAnswer,
    /// Cuts the stream abruptly after so many bytes of its body.
    CutStreamAfterBytes(usize),
    /// Lets the stream hang after so many bytes of its body: open, without another byte.
    StallStreamAfterBytes(usize),
    /// Ends the stream in an orderly way after so many events.
    EndStreamAfterEvents(usize),
    /// Sends the stream with CRLF as line end.
    CrLf,
    /// Sends `data:` and `id:` without the space behind the colon.
    NoSpace,
    /// Sends every byte of the stream in a chunk and a write of its own.
    SingleBytes,
    /// Sends every event's data on two `data:` lines.
    TwoDataLines,
}

impl Fault {
    /// A rule on a method (empty: any) and a path, for each matching request.
    #[must_use]
    pub fn new(method: &str, path: PathIs, act: Act) -> Self {
        Self {
            method: method.to_owned(),
            path,
            which: 1..=usize::MAX,
            seen: 0,
            act,
        }
    }

    /// Limits the rule to one of the matching requests, counted from 1.
    #[must_use]
    pub fn only(mut self, nth: usize) -> Self {
        self.which = nth..=nth;
        self
    }

    /// Limits the rule to the first of the matching requests.
    #[must_use]
    pub fn first(mut self, count: usize) -> Self {
        self.which = 1..=count;
        self
    }

    /// A rule on every event stream.
    #[must_use]
    pub fn on_streams(act: Act) -> Self {
        Self::new("GET", PathIs::Suffix("/events".into()), act)
    }

    /// What is to be done to this request, which is counted if it matches.
    fn meets(&mut self, method: &str, path: &str) -> Option<Act> {
        if !(self.method.is_empty() || self.method == method) || !self.path.matches(path) {
            return None;
        }
        self.seen += 1;
        self.which.contains(&self.seen).then(|| self.act.clone())
    }
}

impl PathIs {
    /// Whether a path, without its query, is meant.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Exactly(text) => path == text,
            Self::Prefix(text) => path.starts_with(text.as_str()),
            Self::Suffix(text) => path.ends_with(text.as_str()),
        }
    }
}

/// Everything that the rules say about one request, in their order.
pub(super) fn acts_on(faults: &mut [Fault], method: &str, path: &str) -> Vec<Act> {
    faults
        .iter_mut()
        .filter_map(|fault| fault.meets(method, path))
        .collect()
}

/// The form of one event stream.
#[derive(Debug, Clone)]
pub(super) struct Style {
    pub(super) cut_after_bytes: Option<usize>,
    pub(super) stall_after_bytes: Option<usize>,
    pub(super) end_after_events: Option<usize>,
    pub(super) single_bytes: bool,
    line_end: &'static str,
    space: &'static str,
    two_data_lines: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            cut_after_bytes: None,
            stall_after_bytes: None,
            end_after_events: None,
            single_bytes: false,
            line_end: "\n",
            space: " ",
            two_data_lines: false,
        }
    }
}

impl Style {
    /// Takes over a rule about streams.
    pub(super) fn apply(&mut self, act: &Act) {
        match act {
            Act::CutStreamAfterBytes(bytes) => self.cut_after_bytes = Some(*bytes),
            Act::StallStreamAfterBytes(bytes) => self.stall_after_bytes = Some(*bytes),
            Act::EndStreamAfterEvents(events) => self.end_after_events = Some(*events),
            Act::CrLf => self.line_end = "\r\n",
            Act::NoSpace => self.space = "",
            Act::SingleBytes => self.single_bytes = true,
            Act::TwoDataLines => self.two_data_lines = true,
            _ => {}
        }
    }

    /// One event as it goes over the wire.
    pub(super) fn frame(&self, seq: u64, line: &str) -> Vec<u8> {
        let (end, space) = (self.line_end, self.space);
        let data = match line.split_at_checked(1) {
            // Behind the brace the JSON may be broken in two.
            Some((brace, rest)) if self.two_data_lines => {
                format!("{brace}{end}data:{space}{rest}")
            }
            _ => line.to_owned(),
        };
        format!("id:{space}{seq}{end}data:{space}{data}{end}{end}").into_bytes()
    }
}
