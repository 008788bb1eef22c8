//! Events as the daemon sent them, one JSON object a line.

use std::io::{self, Write};

use super::{Reporter, Verdict};
use crate::protocol::Event;

/// Prints the daemon's own text of every event, byte for byte.
#[derive(Debug)]
pub struct Ndjson<W: Write> {
    out: W,
}

impl<W: Write> Ndjson<W> {
    /// Prints to `out`, which gathers what is written; [`Reporter::idle`] flushes it.
    pub fn new(out: W) -> Self {
        Self { out }
    }
}

impl<W: Write> Reporter for Ndjson<W> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        self.out.write_all(event.line().as_bytes())
    }

    fn idle(&mut self) -> io::Result<()> {
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
        let line = raw.to_owned() + "\n";
        ndjson.event(&Event::parse_line(&line).unwrap()).unwrap();
        ndjson.end(None).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(
            text,
            format!("{raw}\n{{\"seq\":2, \"type\":\"y\"  }}\n{raw}\n")
        );
    }
}
