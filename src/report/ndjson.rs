//! Events as the daemon sent them, one JSON object a line.

use std::io::{self, Write};

use memchr::memchr2;

use super::{Reporter, Verdict};
use crate::protocol::Event;

/// Bytes gathered before they are written without waiting for a pause.
const ENOUGH: usize = 64 * 1024;

/// Prints the daemon's own text of every event, byte for byte.
#[derive(Debug)]
pub struct Ndjson<W: Write> {
    out: W,
    buffer: Vec<u8>,
}

impl<W: Write> Ndjson<W> {
    /// Prints to `out`, in blocks; [`Reporter::idle`] flushes.
    pub fn new(out: W) -> Self {
        Self {
            out,
            buffer: Vec::new(),
        }
    }

    fn write_out(&mut self) -> io::Result<()> {
        let result = self.out.write_all(&self.buffer);
        self.buffer.clear();
        // One huge event should not be paid for until the end.
        self.buffer.shrink_to(2 * ENOUGH);
        result
    }
}

impl<W: Write> Reporter for Ndjson<W> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        let raw = event.raw().as_bytes();
        // Inside JSON strings a line break is always an escape: a raw one stands between tokens.
        let broken = memchr2(b'\n', b'\r', raw).is_some();
        if raw.len() >= ENOUGH && !broken {
            // Not gathered but passed on, as a copy of it would cost more than all the rest.
            self.write_out()?;
            self.out.write_all(raw)?;
        } else {
            let start = self.buffer.len();
            self.buffer.extend_from_slice(raw);
            for byte in self.buffer[start..].iter_mut().filter(|_| broken) {
                if matches!(byte, b'\n' | b'\r') {
                    *byte = b' ';
                }
            }
        }
        self.buffer.push(b'\n');
        if self.buffer.len() >= ENOUGH {
            return self.write_out();
        }
        Ok(())
    }

    fn idle(&mut self) -> io::Result<()> {
        if !self.buffer.is_empty() {
            self.write_out()?;
        }
        self.out.flush()
    }

    fn end(&mut self, _verdict: Option<&Verdict>) -> io::Result<()> {
        self.idle()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b35_the_daemons_digits_come_out_as_they_came_in() {
        let raw =
            r#"{"seq":9007199254740993,"type":"x","payload":{"n":12345678901234567890,"f":1.10}}"#;
        let spread = "{\"seq\":2,\n\"type\":\"y\"\r\n}";
        let mut out = Vec::new();
        let mut ndjson = Ndjson::new(&mut out);
        for text in [raw, spread] {
            ndjson.event(&Event::parse(text).unwrap()).unwrap();
        }
        ndjson.end(None).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, format!("{raw}\n{{\"seq\":2, \"type\":\"y\"  }}\n"));
    }

    #[test]
    fn nothing_is_written_before_a_pause_and_all_of_it_at_one() {
        let mut out = Vec::new();
        let mut ndjson = Ndjson::new(&mut out);
        let event = Event::parse(r#"{"seq":1,"type":"x"}"#).unwrap();
        ndjson.event(&event).unwrap();
        assert!(ndjson.out.is_empty());
        ndjson.idle().unwrap();
        assert_eq!(ndjson.out.len(), event.raw().len() + 1);
        for _ in 0..5000 {
            ndjson.event(&event).unwrap();
        }
        assert!(ndjson.buffer.len() < ENOUGH && ndjson.out.len() > ENOUGH);
    }
}
