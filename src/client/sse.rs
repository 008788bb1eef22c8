//! Server-sent events: bytes in, frames out, by the algorithm of the WHATWG.
//!
//! Knows nothing of HTTP or of dcode. Only `data` fields and comments come out: `event`, `id` and `retry` mean nothing
//! to this program's callers, and unknown fields are ignored as the algorithm says.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::mem;

/// Larger buffers make no measurable difference; smaller ones than 8 KiB cost CPU.
const BUFFER_BYTES: usize = 16 * 1024;

const LF: u8 = b'\n';
const CR: u8 = b'\r';
const BOM: &[u8] = b"\xef\xbb\xbf";

/// What comes next in a stream of server-sent events.
#[derive(Debug)]
pub(super) enum Frame<'a> {
    /// The data of one event. Several `data` lines are joined by a space, not by a line break: whoever reads JSON out
    /// of it sees no difference, and it can be printed as one line.
    Data(&'a str),
    /// A comment, such as a heartbeat.
    Comment,
    /// The reader ended. An event without its closing blank line is dropped, as the algorithm demands.
    End,
    /// The reader failed. Asking again goes on where it failed, if the reader can.
    Failed(io::Error),
    /// A line, or the data of one event, is over the cap. The stream is of no more use.
    TooLong,
    /// The data of one event is not UTF-8.
    NotText,
}

/// Reads frames.
#[derive(Debug)]
pub(super) struct Frames<R> {
    reader: BufReader<R>,
    /// Bytes; bounds a line and the data of one event.
    cap: usize,
    /// The beginning of a line whose end has not been read yet.
    partial: Vec<u8>,
    event: Pending,
    /// The last line ended in CR: an LF that follows belongs to it. It is skipped late, so that the line counts at once.
    after_cr: bool,
}

/// Why reading lines stops.
enum Stop {
    Dispatch,
    Comment,
    End,
    Failed(io::Error),
    TooLong,
}

impl<R: Read> Frames<R> {
    /// Frames of `reader`, none with more than `cap` bytes in a line or in its data.
    pub(super) fn new(reader: R, cap: usize) -> Self {
        Self {
            reader: BufReader::with_capacity(BUFFER_BYTES, reader),
            cap,
            partial: Vec::new(),
            event: Pending::new(),
            after_cr: false,
        }
    }

    /// Blocks until a frame is complete, the reader ends or fails.
    pub(super) fn next(&mut self) -> Frame<'_> {
        self.event.forget_dispatched(&mut self.partial);
        match self.read_lines() {
            Stop::Dispatch => {
                std::str::from_utf8(self.event.data()).map_or(Frame::NotText, Frame::Data)
            }
            Stop::Comment => Frame::Comment,
            Stop::End => Frame::End,
            Stop::Failed(error) => Frame::Failed(error),
            Stop::TooLong => Frame::TooLong,
        }
    }

    /// Reads line by line until one of them completes a frame.
    fn read_lines(&mut self) -> Stop {
        loop {
            let buffer = match self.reader.fill_buf() {
                Ok([]) => return Stop::End,
                Ok(buffer) => buffer,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Stop::Failed(error),
            };
            if mem::take(&mut self.after_cr) && buffer[0] == LF {
                self.reader.consume(1);
                continue;
            }
            let end = line_end(buffer);
            let length = end.unwrap_or(buffer.len());
            if self.partial.len() + self.event.data().len() + length > self.cap {
                return Stop::TooLong;
            }
            let Some(end) = end else {
                self.partial.extend_from_slice(buffer);
                self.reader.consume(length);
                continue;
            };
            self.after_cr = buffer[end] == CR;
            let effect = if self.partial.is_empty() {
                self.event.line(&buffer[..end])
            } else {
                self.partial.extend_from_slice(&buffer[..end]);
                self.event.carried_line(&mut self.partial)
            };
            self.reader.consume(end + 1);
            match effect {
                Effect::None => {}
                Effect::Comment => return Stop::Comment,
                Effect::Dispatch => return Stop::Dispatch,
            }
        }
    }

    /// Whether [`next`](Self::next) would have to ask the reader: no frame is complete in the buffer.
    ///
    /// It looks ahead exactly. Saying "no wait" wrongly would keep printed lines in a buffer until the next event.
    pub(super) fn would_wait(&self) -> bool {
        let mut rest = self.reader.buffer();
        let mut after_cr = self.after_cr;
        let mut at_start = self.event.at_start;
        let mut has_data = self.event.has_data && !self.event.dispatched;
        loop {
            if after_cr && rest.first() == Some(&LF) {
                rest = &rest[1..];
            }
            let Some(end) = line_end(rest) else {
                return true;
            };
            match Line::of(&rest[..end], mem::take(&mut at_start)) {
                Line::Comment => return false,
                Line::Blank if has_data => return false,
                Line::Data(_) => has_data = true,
                Line::Blank | Line::Ignored => {}
            }
            after_cr = rest[end] == CR;
            rest = &rest[end + 1..];
        }
    }
}

/// The event that is being put together, or that was handed out last.
#[derive(Debug)]
struct Pending {
    bytes: Vec<u8>,
    /// Where the data begins in `bytes`: a long line is taken over whole, with its field name.
    from: usize,
    has_data: bool,
    dispatched: bool,
    /// No line was read yet: a byte order mark may stand before it.
    at_start: bool,
}

/// What a line leads to.
enum Effect {
    None,
    Comment,
    Dispatch,
}

impl Pending {
    fn new() -> Self {
        Self {
            bytes: Vec::new(),
            from: 0,
            has_data: false,
            dispatched: false,
            at_start: true,
        }
    }

    fn data(&self) -> &[u8] {
        &self.bytes[self.from..]
    }

    /// Makes room for the next event once the last one was handed out.
    ///
    /// The larger allocation goes back to `spare`, where long lines are gathered: else both would grow to the size of
    /// the longest event.
    fn forget_dispatched(&mut self, spare: &mut Vec<u8>) {
        if mem::take(&mut self.dispatched) {
            self.bytes.clear();
            self.from = 0;
            self.has_data = false;
            if spare.is_empty() && spare.capacity() < self.bytes.capacity() {
                mem::swap(spare, &mut self.bytes);
            }
        }
    }

    fn line(&mut self, line: &[u8]) -> Effect {
        match Line::of(line, mem::take(&mut self.at_start)) {
            Line::Blank => {
                self.dispatched = self.has_data;
                if self.has_data {
                    Effect::Dispatch
                } else {
                    Effect::None
                }
            }
            Line::Comment => Effect::Comment,
            Line::Data(value) => {
                if self.has_data {
                    self.bytes.push(b' ');
                }
                self.bytes.extend_from_slice(value);
                self.has_data = true;
                Effect::None
            }
            Line::Ignored => Effect::None,
        }
    }

    /// A line that did not lie in the buffer at once. It is emptied; a long one is taken over, not copied.
    fn carried_line(&mut self, line: &mut Vec<u8>) -> Effect {
        if !self.has_data
            && let Line::Data(value) = Line::of(line, self.at_start)
        {
            self.from = line.len() - value.len();
            self.at_start = false;
            self.has_data = true;
            mem::swap(&mut self.bytes, line);
            line.clear();
            return Effect::None;
        }
        let effect = self.line(line);
        line.clear();
        effect
    }
}

/// A line without its end, by what it means here.
#[derive(Debug, PartialEq)]
enum Line<'a> {
    Blank,
    Comment,
    Data(&'a [u8]),
    Ignored,
}

impl<'a> Line<'a> {
    fn of(line: &'a [u8], first: bool) -> Self {
        let line = if first {
            line.strip_prefix(BOM).unwrap_or(line)
        } else {
            line
        };
        match line {
            [] => Self::Blank,
            [b':', ..] => Self::Comment,
            b"data" => Self::Data(&[]),
            _ => match line.strip_prefix(b"data:") {
                Some(value) => Self::Data(value.strip_prefix(b" ").unwrap_or(value)),
                None => Self::Ignored,
            },
        }
    }
}

/// Where the first LF or CR is.
///
/// Blocks of fixed size let the compiler look at many bytes at once; a plain search takes them one by one, which shows
/// with events of a megabyte.
fn line_end(bytes: &[u8]) -> Option<usize> {
    let is_end = |byte: &u8| matches!(*byte, LF | CR);
    let (blocks, _) = bytes.as_chunks::<32>();
    let clean = blocks
        .iter()
        .take_while(|block| !block.iter().fold(false, |found, byte| found | is_end(byte)))
        .count()
        * 32;
    bytes[clean..].iter().position(is_end).map(|at| clean + at)
}

#[cfg(test)]
#[path = "sse_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "sse_random_tests.rs"]
mod random_tests;
