//! Events as they came off the socket together: one allocation for all of them.

use std::ops::Range;

/// The texts of some events, in order. Each is one line: it holds no line break, and one stands behind it.
#[derive(Debug, Default)]
pub struct Batch {
    text: String,
    events: Vec<Range<usize>>,
}

impl Batch {
    pub(super) fn new(text: String, events: Vec<Range<usize>>) -> Self {
        Self { text, events }
    }

    /// The events up to the first that is not UTF-8, each looked at by itself; also says whether those are all. What
    /// is not UTF-8 may stand in a comment, where nobody minds.
    pub(super) fn of_bytes(bytes: &[u8], events: &[Range<usize>]) -> (Self, bool) {
        let mut batch = Self::default();
        for event in events {
            let Ok(text) = std::str::from_utf8(&bytes[event.clone()]) else {
                return (batch, false);
            };
            let start = batch.text.len();
            batch.text.push_str(text);
            batch.events.push(start..batch.text.len());
            batch.text.push('\n');
        }
        (batch, true)
    }

    /// How much memory it holds, in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.text.capacity()
    }

    /// Whether it has no event: there was but a sign of life.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// The texts, in order.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.events.iter().map(|event| &self.text[event.clone()])
    }

    /// The same with the line break behind each.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.events
            .iter()
            .map(|event| &self.text[event.start..=event.end])
    }
}
