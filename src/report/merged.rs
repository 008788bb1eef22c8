//! Several sessions in one output for people: each line says whose it is.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::rc::Rc;

use super::{Human, Reporter, Verdict, visible};
use crate::protocol::Event;

/// Makes the reporter of one session.
type Make = Box<dyn Fn(Box<dyn Write>) -> Human>;

/// Shows each session by a reporter of its own and merges their lines.
pub struct Merged<W: Write> {
    out: Rc<RefCell<W>>,
    make: Make,
    sessions: BTreeMap<String, Human>,
}

impl<W: Write + 'static> Merged<W> {
    /// Writes to `out`; `make` gives each session's reporter.
    pub fn new(out: W, make: Make) -> Self {
        Self {
            out: Rc::new(RefCell::new(out)),
            make,
            sessions: BTreeMap::new(),
        }
    }

    fn session(&mut self, id: &str) -> &mut Human {
        let Self {
            out,
            make,
            sessions,
        } = self;
        sessions.entry(id.to_owned()).or_insert_with(|| {
            make(Box::new(Lines {
                out: Rc::clone(out),
                prefix: format!("{} │ ", visible(id)).into_bytes(),
                line: Vec::new(),
            }))
        })
    }
}

impl<W: Write + 'static> Reporter for Merged<W> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        let session = self.session(&event.session_id);
        session.event(event)?;
        // What is complete goes out before another session speaks: that is the order of arrival.
        session.idle()
    }

    fn idle(&mut self) -> io::Result<()> {
        self.out.borrow_mut().flush()
    }

    fn end(&mut self, verdict: Option<&Verdict>) -> io::Result<()> {
        for session in self.sessions.values_mut() {
            session.end(verdict)?;
        }
        // Dropping a session's reporter lets go of the line it had begun.
        self.sessions.clear();
        self.out.borrow_mut().flush()
    }
}

/// Hands on whole lines only, each with its prefix.
struct Lines<W: Write> {
    out: Rc<RefCell<W>>,
    prefix: Vec<u8>,
    line: Vec<u8>,
}

impl<W: Write> Lines<W> {
    fn hand_on(&mut self) -> io::Result<()> {
        let mut out = self.out.borrow_mut();
        out.write_all(&self.prefix)?;
        out.write_all(&self.line)?;
        self.line.clear();
        Ok(())
    }
}

impl<W: Write> Write for Lines<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend_from_slice(part);
            if self.line.ends_with(b"\n") {
                self.hand_on()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<W: Write> Drop for Lines<W> {
    fn drop(&mut self) {
        if !self.line.is_empty() {
            self.line.push(b'\n');
            // The failure of a write stays with the output, which is looked at afterwards.
            let _ = self.hand_on();
        }
    }
}
