//! The body of a stream, read off the socket into the very buffer its events are handed on in.
//!
//! ureq reads the head and is done then. Its own body reader looks at every chunk byte by byte, which is most of what
//! reading a short event costs, and copies each byte once more than is needed.

use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use rustix::buffer::spare_capacity;
use rustix::net::RecvFlags;

use super::sse::{Patience, Source};

/// There is always room for this many bytes when the socket is read. Less costs CPU, more gains nothing.
const READ_BYTES: usize = 16 * 1024;

/// Reserved at most for a chunk that is announced: a size is quickly said.
const RESERVED_BYTES: usize = super::exchange::CAP_BYTES;

/// A chunk of more than a few megabytes gets this much address space. The GNU allocator gives such a buffer back to the
/// system when it is let go; with smaller ones of changing size it would come to keep several.
const HUGE_BYTES: usize = 33 * 1024 * 1024;

/// From which size on that is worth fresh pages each time.
const HUGE_FROM: usize = 4 * 1024 * 1024;

/// Longer lines between chunks are none of a daemon's.
const LINE_BYTES: usize = 4096;

/// How the body says where it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// By its last chunk.
    Chunked,
    /// After so many bytes.
    Length(u64),
    /// Not at all: with the connection.
    Closing,
}

/// A body and how far it was read.
#[derive(Debug)]
pub(super) struct Body<S = UnixStream> {
    socket: S,
    state: State,
    /// The beginning of a line between chunks whose end has not been read yet.
    line: Vec<u8>,
}

/// What is to be read next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The line that says how long the next chunk is.
    Size,
    /// So many bytes of the chunk.
    Data(u64),
    /// The line end behind a chunk's data.
    DataEnd,
    /// What may follow the last chunk, up to an empty line.
    Trailer,
    /// So many bytes, which are not divided into chunks.
    Plain(u64),
    /// Whatever comes.
    Closing,
    /// Nothing.
    Over,
    /// Nothing, as what came makes no sense.
    Broken(&'static str),
}

impl<S: AsFd> Body<S> {
    pub(super) fn new(socket: S, framing: Framing) -> Self {
        let state = match framing {
            Framing::Chunked => State::Size,
            Framing::Length(0) => State::Over,
            Framing::Length(length) => State::Plain(length),
            Framing::Closing => State::Closing,
        };
        Self {
            socket,
            state,
            line: Vec::new(),
        }
    }

    /// Whether there is nothing more to be read off the socket, which then need not say so: it may be kept open.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.state, State::Over | State::Broken(_))
    }

    /// Takes the framing out of what was read from `start` on, in place.
    fn decode(&mut self, bytes: &mut Vec<u8>, start: usize) {
        let (mut from, mut to) = (start, start);
        while from < bytes.len() {
            let left = bytes.len() - from;
            match self.state {
                State::Data(rest) | State::Plain(rest) => {
                    let count = usize::try_from(rest).map_or(left, |rest| rest.min(left));
                    if from != to {
                        bytes.copy_within(from..from + count, to);
                    }
                    from += count;
                    to += count;
                    self.state = self.state.after(rest - count as u64);
                }
                State::Closing => return,
                State::Over | State::Broken(_) => break,
                State::Size | State::DataEnd | State::Trailer => from += self.line(&bytes[from..]),
            }
        }
        bytes.truncate(to);
    }

    /// Takes a line between chunks, or the beginning of one; says how many bytes that was.
    fn line(&mut self, bytes: &[u8]) -> usize {
        let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else {
            self.line.extend_from_slice(bytes);
            if self.line.len() > LINE_BYTES {
                self.state = State::Broken("a line between two chunks does not end");
            }
            return bytes.len();
        };
        if self.line.is_empty() {
            self.state = self.state.behind(&bytes[..end]);
        } else {
            self.line.extend_from_slice(&bytes[..end]);
            self.state = self.state.behind(&self.line);
            self.line.clear();
        }
        end + 1
    }
}

impl State {
    /// What follows when so much of the data is left.
    fn after(self, left: u64) -> Self {
        match (self, left) {
            (Self::Data(_), 0) => Self::DataEnd,
            (Self::Data(_), left) => Self::Data(left),
            (_, 0) => Self::Over,
            (_, left) => Self::Plain(left),
        }
    }

    /// What follows a line, given without its end.
    fn behind(self, line: &[u8]) -> Self {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match self {
            Self::Size => match chunk_size(line) {
                Some(0) => Self::Trailer,
                Some(size) => Self::Data(size),
                None => Self::Broken("a chunk does not say its size"),
            },
            Self::DataEnd if line.is_empty() => Self::Size,
            Self::DataEnd => Self::Broken("a chunk is longer than it says"),
            _ if line.is_empty() => Self::Over,
            _ => Self::Trailer,
        }
    }
}

/// The number at the beginning of a chunk's line; what may follow a `;` means nothing here.
fn chunk_size(line: &[u8]) -> Option<u64> {
    let mut size = 0;
    let mut digits = 0;
    for byte in line {
        let value = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' => byte - b'a' + 10,
            b'A'..=b'F' => byte - b'A' + 10,
            b';' | b' ' | b'\t' => break,
            _ => return None,
        };
        digits += 1;
        size = size << 4 | u64::from(value);
    }
    (1..=15).contains(&digits).then_some(size)
}

impl<S: AsFd> AsFd for Body<S> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl<S: AsFd> Source for Body<S> {
    /// Waits for some bytes of the body. [`ErrorKind::UnexpectedEof`] if the connection ends before the body,
    /// [`ErrorKind::InvalidData`] if the body makes no sense, [`ErrorKind::WouldBlock`] if nothing came in time.
    fn fill(&mut self, bytes: &mut Vec<u8>, patience: Patience) -> io::Result<usize> {
        let flags = match patience {
            Patience::None => RecvFlags::DONTWAIT,
            Patience::Socket => RecvFlags::empty(),
        };
        let start = bytes.len();
        while self.state != State::Over {
            let announced = match self.state {
                State::Broken(what) => return Err(io::Error::new(ErrorKind::InvalidData, what)),
                State::Data(left) => match usize::try_from(left).unwrap_or(RESERVED_BYTES) {
                    left if left > HUGE_FROM && left > bytes.capacity() - bytes.len() => {
                        left.max(HUGE_BYTES)
                    }
                    left => left,
                },
                _ => 0,
            };
            // In one step, so that a long event is not copied while it grows. What is not written to costs nothing.
            bytes.reserve(announced.clamp(READ_BYTES, RESERVED_BYTES));
            let (count, _) = rustix::net::recv(&self.socket, spare_capacity(bytes), flags)?;
            if count == 0 {
                return match self.state {
                    State::Closing => Ok(0),
                    _ => Err(ErrorKind::UnexpectedEof.into()),
                };
            }
            self.decode(bytes, start);
            if bytes.len() > start {
                return Ok(bytes.len() - start);
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// What comes out when the pieces are written one after the other.
    fn read(framing: Framing, pieces: &[&[u8]]) -> (Vec<u8>, io::Result<usize>) {
        let (mut peer, socket) = UnixStream::pair().unwrap();
        socket.set_nonblocking(true).unwrap();
        let mut body = Body::new(socket, framing);
        let mut bytes = Vec::new();
        for piece in pieces {
            peer.write_all(piece).unwrap();
            loop {
                match body.fill(&mut bytes, Patience::Socket) {
                    Ok(count) if count > 0 => {}
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                    end => return (bytes, end),
                }
            }
        }
        drop(peer);
        let end = body.fill(&mut bytes, Patience::Socket);
        (bytes, end)
    }

    #[test]
    fn chunks_are_joined_wherever_they_are_cut() {
        let text = b"3\r\nabc\r\nA;x=1\r\n0123456789\r\n1\n\xff\n0\r\nTrailer: x\r\n\r\n";
        let expected = b"abc0123456789\xff";
        for at in 0..text.len() {
            let (left, right) = text.split_at(at);
            let (bytes, end) = read(Framing::Chunked, &[left, right]);
            assert_eq!(
                (bytes.as_slice(), end.unwrap()),
                (expected.as_slice(), 0),
                "cut at {at}"
            );
        }
        let single: Vec<&[u8]> = text.chunks(1).collect();
        assert_eq!(read(Framing::Chunked, &single).0, expected);
    }

    #[test]
    fn an_early_end_is_told_and_what_came_is_kept() {
        let text = b"3\r\nabc\r\n5\r\nde";
        for at in 0..text.len() {
            let (bytes, end) = read(Framing::Chunked, &[&text[..at]]);
            assert!(b"abcde".starts_with(&bytes));
            assert_eq!(end.unwrap_err().kind(), ErrorKind::UnexpectedEof, "{at}");
        }
        let (bytes, end) = read(Framing::Length(5), &[b"ab", b"c"]);
        assert_eq!(bytes, b"abc");
        assert_eq!(end.unwrap_err().kind(), ErrorKind::UnexpectedEof);
        let (bytes, end) = read(Framing::Length(3), &[b"ab", b"cd"]);
        assert_eq!((bytes.as_slice(), end.unwrap()), (b"abc".as_slice(), 0));
        let (bytes, end) = read(Framing::Closing, &[b"ab", b"c"]);
        assert_eq!((bytes.as_slice(), end.unwrap()), (b"abc".as_slice(), 0));
    }

    #[test]
    fn what_is_no_chunk_is_refused() {
        let endless = "1".repeat(LINE_BYTES + 1);
        for text in [
            "zz\r\n",
            "\r\n",
            "-1\r\n",
            "3\r\nabcd\r\n",
            "1111111111111111\r\n",
            &endless,
        ] {
            let (_, end) = read(Framing::Chunked, &[text.as_bytes()]);
            assert_eq!(end.unwrap_err().kind(), ErrorKind::InvalidData, "{text:?}");
        }
    }
}
