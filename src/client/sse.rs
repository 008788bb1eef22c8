//! Server-sent events: bytes in, frames out, by the algorithm of the WHATWG.
//!
//! Knows nothing of HTTP or of dcode. Only `data` fields and comments come out: `event`, `id` and `retry` mean nothing
//! to this program's callers, and unknown fields are ignored as the algorithm says. Events are put together in the
//! buffer that was read into, and handed on with it.

use std::io;
use std::mem;
use std::ops::Range;

use memchr::memchr2;

/// How large a new buffer is: four reads from a busy stream.
const BUFFER_BYTES: usize = 64 * 1024;

/// What is shorter than this is copied out of its buffer, so that a live event does not cost a buffer of its own.
const SHORT_BYTES: usize = 8 * 1024;

const LF: u8 = b'\n';
const CR: u8 = b'\r';
const BOM: &[u8] = b"\xef\xbb\xbf";

/// How long a read may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// It does not wait: [`ErrorKind::WouldBlock`](io::ErrorKind::WouldBlock) if nothing is there.
    None,
    /// As long as the socket is set to.
    Socket,
}

/// Where bytes come from.
pub(super) trait Source {
    /// Waits for some bytes, and puts them behind those in the buffer; 0 at the end.
    ///
    /// # Errors
    ///
    /// Its own. Asking again goes on where it failed, if it can.
    fn fill(&mut self, bytes: &mut Vec<u8>, patience: Patience) -> io::Result<usize>;
}

/// What is complete in the buffer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// The data of one event, as a place in the buffer; an LF stands behind it. Several `data` lines are joined by a
    /// space, not by a line break: whoever reads JSON out of it sees no difference, and it can be printed as one line.
    Data(Range<usize>),
    /// A comment, such as a heartbeat.
    Comment,
    /// A line, or the data of one event, is over the cap. The stream is of no more use.
    TooLong,
}

/// Reads frames.
#[derive(Debug)]
pub(super) struct Frames<S> {
    source: S,
    /// Bytes; bounds a line and the data of one event.
    cap: usize,
    buffer: Vec<u8>,
    /// Where the first line begins that was not looked at.
    line: usize,
    /// No line end stands between there and here.
    searched: usize,
    /// The data of the event that is being put together.
    event: Option<Range<usize>>,
    /// The last line ended in CR: an LF that follows belongs to it. It is skipped late, so that the line counts at once.
    after_cr: bool,
    /// No line was read yet: a byte order mark may stand before it.
    at_start: bool,
}

impl<S: Source> Frames<S> {
    /// Frames of `source`, none with more than `cap` bytes in a line or in its data.
    pub(super) fn new(source: S, cap: usize) -> Self {
        Self {
            source,
            cap,
            buffer: Vec::with_capacity(BUFFER_BYTES),
            line: 0,
            searched: 0,
            event: None,
            after_cr: false,
            at_start: true,
        }
    }

    /// The next frame that is complete; `None` if more has to be read first.
    pub(super) fn parse(&mut self) -> Option<Frame> {
        loop {
            if self.line < self.buffer.len() && mem::take(&mut self.after_cr) {
                let lf = usize::from(self.buffer[self.line] == LF);
                self.line += lf;
                self.searched = self.line;
            }
            let found = line_end(&self.buffer[self.searched..]);
            let end = found.map_or(self.buffer.len(), |at| self.searched + at);
            self.searched = end;
            let data = self.event.as_ref().map_or(0, Range::len);
            if data + (end - self.line) > self.cap {
                return Some(Frame::TooLong);
            }
            found?;
            let line = self.line..end;
            self.after_cr = self.buffer[end] == CR;
            self.line = end + 1;
            self.searched = self.line;
            match Line::of(&self.buffer[line], mem::take(&mut self.at_start)) {
                Line::Blank => {
                    if let Some(data) = self.event.take() {
                        return Some(Frame::Data(data));
                    }
                }
                Line::Comment => return Some(Frame::Comment),
                Line::Data(length) => self.add(end - length..end),
                Line::Ignored => {}
            }
        }
    }

    /// Adds the value of a `data` line to the event. What it is moved over was read before.
    fn add(&mut self, value: Range<usize>) {
        let data = match self.event.take() {
            None => value,
            Some(data) => {
                self.buffer[data.end] = b' ';
                let end = data.end + 1 + value.len();
                self.buffer.copy_within(value, data.end + 1);
                data.start..end
            }
        };
        self.buffer[data.end] = LF;
        self.event = Some(data);
    }

    /// Waits for more bytes; false at the end. An event without its closing blank line is dropped there, as the
    /// algorithm demands.
    ///
    /// What [`parse`](Self::parse) gave before is forgotten.
    ///
    /// # Errors
    ///
    /// The source's own. Asking again goes on where it failed, if the source can.
    pub(super) fn fill(&mut self, patience: Patience) -> io::Result<bool> {
        let start = self.open();
        if start > 0 {
            self.buffer.drain(..start);
            self.rebase(start);
        }
        self.close_gap();
        Ok(self.source.fill(&mut self.buffer, patience)? > 0)
    }

    /// Drops what has come since the last data of an event that stays open: lines that mean nothing, of which there may
    /// be any number.
    fn close_gap(&mut self) {
        let gap = self.event.as_ref().map(|data| data.end + 1..self.line);
        if let Some(gap) = gap.filter(|gap| gap.len() > SHORT_BYTES) {
            self.line -= gap.len();
            self.searched -= gap.len();
            self.buffer.drain(gap);
        }
    }

    /// Where the bytes come from.
    pub(super) fn source(&self) -> &S {
        &self.source
    }

    /// The bytes behind a [`Frame::Data`].
    pub(super) fn bytes(&self, data: Range<usize>) -> &[u8] {
        &self.buffer[data]
    }

    /// The bytes of an event that has begun.
    pub(super) fn pending(&self) -> usize {
        self.buffer.len() - self.open()
    }

    /// Hands out everything up to the first event that is not complete.
    pub(super) fn take(&mut self) -> Vec<u8> {
        let start = self.open();
        let taken = if start < SHORT_BYTES {
            let short = self.buffer[..start].to_vec();
            self.buffer.drain(..start);
            short
        } else {
            let mut next = Vec::with_capacity(BUFFER_BYTES);
            next.extend_from_slice(&self.buffer[start..]);
            self.buffer.truncate(start);
            mem::replace(&mut self.buffer, next)
        };
        self.rebase(start);
        taken
    }

    /// Where the first event begins that is not complete.
    fn open(&self) -> usize {
        self.event.as_ref().map_or(self.line, |data| data.start)
    }

    /// The buffer now begins where `start` was.
    fn rebase(&mut self, start: usize) {
        self.line -= start;
        self.searched -= start;
        if let Some(data) = &mut self.event {
            *data = data.start - start..data.end - start;
        }
    }
}

/// Where the first LF or CR is.
fn line_end(bytes: &[u8]) -> Option<usize> {
    const SHORT: usize = 16;
    let is_end = |byte: &u8| matches!(*byte, LF | CR);
    // Two lines of three are an `id` or empty, for which calling a fast search takes longer than the search.
    if let Some((start, _)) = bytes.split_first_chunk::<SHORT>()
        && start[0] != b'd'
        && let Some(end) = start.iter().position(is_end)
    {
        return Some(end);
    }
    memchr2(LF, CR, bytes)
}

/// A line without its end, by what it means here.
#[derive(Debug, PartialEq)]
enum Line {
    Blank,
    Comment,
    /// So many bytes at its end are data.
    Data(usize),
    Ignored,
}

impl Line {
    fn of(line: &[u8], first: bool) -> Self {
        let line = if first {
            line.strip_prefix(BOM).unwrap_or(line)
        } else {
            line
        };
        match line {
            [] => Self::Blank,
            [b':', ..] => Self::Comment,
            b"data" => Self::Data(0),
            [b'd', b'a', b't', b'a', b':', b' ', value @ ..]
            | [b'd', b'a', b't', b'a', b':', value @ ..] => Self::Data(value.len()),
            _ => Self::Ignored,
        }
    }
}

#[cfg(test)]
#[path = "sse_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "sse_random_tests.rs"]
mod random_tests;
