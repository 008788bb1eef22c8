//! An event stream on the wire (protocol, sections 4 and 8).

use std::io::{self, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use super::faults::Style;
use super::session::{Item, Subscription};

/// A big event spans chunks of this size.
const CHUNK: usize = 4096;

/// Writes the body of one stream.
pub(super) struct Stream<'a> {
    pub(super) to: &'a UnixStream,
    pub(super) chunked: bool,
    pub(super) style: Style,
    pub(super) ping_interval: Duration,
    pub(super) sent: usize,
    pub(super) events: usize,
}

impl Stream<'_> {
    /// Sends the held events, then those that follow, until the stream is let go: an orderly end,
    /// after which the connection is still good.
    pub(super) fn run(&mut self, subscription: &Subscription) -> io::Result<()> {
        let mut next_ping = Instant::now() + self.ping_interval;
        for event in &subscription.held {
            if self.event(event.seq, &event.line)? {
                return self.end();
            }
        }
        let mut mute = false;
        loop {
            let left = next_ping.saturating_duration_since(Instant::now());
            match subscription.live.recv_timeout(left) {
                Ok(_) if mute => {}
                Ok(Item::Event(event)) => {
                    let wanted = event.seq >= subscription.from;
                    if wanted && self.event(event.seq, &event.line)? {
                        return self.end();
                    }
                }
                Ok(Item::Half(event)) => {
                    return self.half(&self.style.frame(event.seq, &event.line));
                }
                Ok(Item::Raw(bytes)) => self.write(bytes.as_bytes())?,
                Ok(Item::Mute) => mute = true,
                Err(RecvTimeoutError::Timeout) => {
                    next_ping += self.ping_interval;
                    if !mute {
                        self.write(b": ping\n\n")?;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return self.end(),
            }
        }
    }

    /// True if the stream is to end after this event.
    fn event(&mut self, seq: u64, line: &str) -> io::Result<bool> {
        self.write(&self.style.frame(seq, line))?;
        self.events += 1;
        Ok(self.style.end_after_events == Some(self.events))
    }

    fn end(&mut self) -> io::Result<()> {
        if self.chunked {
            return self.to.write_all(b"0\r\n\r\n");
        }
        // Without chunks, only the end of the connection tells.
        self.to.shutdown(Shutdown::Both)
    }

    /// Announces a frame and breaks off in its middle.
    fn half(&self, frame: &[u8]) -> io::Result<()> {
        let mut bytes = Vec::new();
        if self.chunked {
            bytes.extend(format!("{:x}\r\n", frame.len()).into_bytes());
        }
        bytes.extend_from_slice(&frame[..frame.len() / 2]);
        self.cut(&bytes)
    }

    fn cut(&self, last: &[u8]) -> io::Result<()> {
        let mut to = self.to;
        to.write_all(last)?;
        self.to.shutdown(Shutdown::Both)?;
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn write(&mut self, frame: &[u8]) -> io::Result<()> {
        let limit = match (self.style.cut_after_bytes, self.style.stall_after_bytes) {
            (Some(cut), Some(stall)) => Some(cut.min(stall)),
            (cut, stall) => cut.or(stall),
        };
        let left = limit.map_or(frame.len(), |limit| limit.saturating_sub(self.sent));
        let frame = &frame[..left.min(frame.len())];
        self.sent += frame.len();
        if self.style.single_bytes {
            for byte in frame {
                self.chunks(&[*byte])?;
            }
        } else if !frame.is_empty() {
            self.chunks(frame)?;
        }
        if self
            .style
            .cut_after_bytes
            .is_some_and(|limit| self.sent >= limit)
        {
            return self.cut(b"");
        }
        Ok(())
    }

    fn chunks(&self, bytes: &[u8]) -> io::Result<()> {
        let mut to = self.to;
        if !self.chunked {
            return to.write_all(bytes);
        }
        let mut framed = Vec::with_capacity(bytes.len() + 16);
        for chunk in bytes.chunks(CHUNK) {
            framed.extend(format!("{:x}\r\n", chunk.len()).into_bytes());
            framed.extend_from_slice(chunk);
            framed.extend_from_slice(b"\r\n");
        }
        to.write_all(&framed)
    }
}
