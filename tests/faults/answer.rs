//! An answer on its way from the daemon: its framing taken apart, and put together again with other
//! chunk borders.

use crate::random::Random;

/// What was taken from the daemon's bytes.
#[derive(Debug, PartialEq, Eq)]
pub enum Part {
    /// Status line and headers, with the blank line.
    Head(Vec<u8>),
    /// Bytes of the body.
    Body(Vec<u8>),
    /// The answer is complete.
    End,
}

#[derive(Debug, Clone, Copy)]
enum State {
    Head,
    Length(usize),
    /// Before a chunk's size.
    Size,
    Chunk(usize),
    /// Behind a chunk's bytes.
    ChunkEnd,
    Over,
}

/// Takes an answer apart as it arrives.
pub struct Apart {
    bytes: Vec<u8>,
    state: State,
    pub chunked: bool,
}

impl Apart {
    pub fn new() -> Self {
        Self {
            bytes: Vec::new(),
            state: State::Head,
            chunked: false,
        }
    }

    pub fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next part, if enough has arrived for one.
    pub fn next(&mut self) -> Option<Part> {
        match self.state {
            State::Head => self.head(),
            State::Length(0) => {
                self.state = State::Over;
                Some(Part::End)
            }
            State::Length(left) => {
                let body = self.take(left)?;
                self.state = State::Length(left - body.len());
                Some(Part::Body(body))
            }
            State::Size => self.size(),
            State::Chunk(left) => {
                let body = self.take(left)?;
                self.state = match left - body.len() {
                    0 => State::ChunkEnd,
                    left => State::Chunk(left),
                };
                Some(Part::Body(body))
            }
            State::ChunkEnd => {
                self.line()?;
                self.state = State::Size;
                self.next()
            }
            State::Over => None,
        }
    }

    fn head(&mut self) -> Option<Part> {
        let end = self.bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
        let head: Vec<u8> = self.bytes.drain(..end + 4).collect();
        let text = String::from_utf8_lossy(&head).to_ascii_lowercase();
        let length = text
            .lines()
            .find_map(|line| line.strip_prefix("content-length:"))
            .and_then(|length| length.trim().parse().ok());
        self.chunked = text.contains("transfer-encoding: chunked");
        self.state = if self.chunked {
            State::Size
        } else {
            State::Length(length.unwrap_or_default())
        };
        Some(Part::Head(head))
    }

    fn size(&mut self) -> Option<Part> {
        let line = self.line()?;
        let size = usize::from_str_radix(&line, 16).unwrap();
        if size > 0 {
            self.state = State::Chunk(size);
            return self.next();
        }
        self.state = State::Over;
        Some(Part::End)
    }

    fn line(&mut self) -> Option<String> {
        let end = self.bytes.windows(2).position(|two| two == b"\r\n")?;
        let line: Vec<u8> = self.bytes.drain(..end + 2).collect();
        Some(String::from_utf8_lossy(&line[..end]).into_owned())
    }

    fn take(&mut self, most: usize) -> Option<Vec<u8>> {
        let count = most.min(self.bytes.len());
        (count > 0).then(|| self.bytes.drain(..count).collect())
    }
}

/// Bytes of a body as one chunk, or as several of random sizes.
pub fn chunks(body: &[u8], several: bool, random: &mut Random) -> Vec<u8> {
    let mut framed = Vec::with_capacity(body.len() + 32);
    let mut rest = body;
    while !rest.is_empty() {
        let most = if several {
            rest.len().min(300)
        } else {
            rest.len()
        };
        let size = if several {
            random.between(1, most)
        } else {
            most
        };
        let (chunk, left) = rest.split_at(size);
        // Sizes may be written in either case and with leading zeros.
        let size = match random.below(3) {
            _ if !several => format!("{size:x}"),
            0 => format!("{size:X}"),
            1 => format!("00{size:x}"),
            _ => format!("{size:x}"),
        };
        framed.extend(format!("{size}\r\n").bytes());
        framed.extend_from_slice(chunk);
        framed.extend_from_slice(b"\r\n");
        rest = left;
    }
    framed
}
