//! Random input, read here and by a conforming crate: both find the same events.

use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use eventsource_stream::EventStream;
use futures_core::Stream;
use proptest::prelude::*;

use super::Frames;
use super::tests::{Pieces, frames, next};

/// What streams are made of: everything that means something to the algorithm, and text.
const TOKENS: [&str; 28] = [
    "data: x",
    "data:",
    "data",
    "data: ",
    ": c",
    ":",
    " ",
    "\n",
    "\n",
    "\n\n",
    "\r",
    "\r\r",
    "\r\n",
    "\r\n\r\n",
    "id: 1",
    "id: \0",
    "event: e",
    "retry: 10",
    "foo: bar",
    "\u{feff}",
    "\0",
    "a",
    "ä",
    "🦀",
    "\u{2028}",
    "\u{85}",
    "{\"seq\":1}",
    "\u{c}",
];

/// All of the input at once.
struct AtOnce(Option<Vec<u8>>);

impl Stream for AtOnce {
    type Item = Result<Vec<u8>, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.0.take().map(Ok))
    }
}

/// The data of each event, as the other crate reads it; lines are joined as here.
fn reference(text: &str) -> Vec<String> {
    // It panics at a byte order mark, of which the algorithm drops one.
    let text = format!(":\n{}", text.strip_prefix('\u{feff}').unwrap_or(text));
    let mut stream = pin!(EventStream::new(AtOnce(Some(text.into_bytes()))));
    let mut context = Context::from_waker(Waker::noop());
    let mut events = Vec::new();
    loop {
        match stream.as_mut().poll_next(&mut context) {
            Poll::Ready(Some(event)) => events.push(event.unwrap().data.replace('\n', " ")),
            Poll::Ready(None) => return events,
            Poll::Pending => unreachable!("all of it is there"),
        }
    }
}

/// Cuts text into pieces of these sizes, over and over.
fn cut<'a>(text: &'a str, sizes: &[usize]) -> Vec<&'a [u8]> {
    let mut rest = text.as_bytes();
    let mut pieces = Vec::new();
    for size in sizes.iter().copied().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, left) = rest.split_at(size.min(rest.len()));
        pieces.push(piece);
        rest = left;
    }
    pieces
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_conforming_crate_finds_the_same_events(
        tokens in prop::collection::vec(prop::sample::select(&TOKENS[..]), 0..40),
        sizes in prop::collection::vec(1_usize..12, 1..6),
    ) {
        // The other crate waits for the byte behind a final CR.
        let text = tokens.concat() + "\n: end\n";
        let mut found = frames(&cut(&text, &sizes));
        found.retain(|frame| frame != "<comment>");
        prop_assert_eq!(found, reference(&text), "{:?}", text);
    }
}

/// Bytes that are mostly tokens, and now and then anything.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let token = prop::sample::select(&TOKENS[..]).prop_map(|token| token.as_bytes().to_vec());
    let piece = prop_oneof![4 => token, 1 => prop::collection::vec(any::<u8>(), 0..20)];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_comes_nothing_panics_and_the_cap_holds(
        bytes in bytes(),
        size in 1_usize..50,
        cap in 1_usize..60,
    ) {
        let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
        let mut frames = Frames::new(Pieces::of(&pieces), cap);
        while let Some(frame) = next(&mut frames).unwrap() {
            if frame == "<too long>" {
                break;
            }
            prop_assert!(frame == "<comment>" || frame == "<not text>" || frame.len() <= cap);
        }
    }
}

/// An event that is never completed, and lines without end that mean nothing: they are not kept.
#[test]
fn what_means_nothing_is_not_kept() {
    for line in ["id: 7\n", ": ping\n", "foo: bar\r\n", "data\u{20}: x\r"] {
        let many = line.repeat(1000);
        let mut pieces = vec![b"data: x\n".as_slice()];
        pieces.extend(std::iter::repeat_n(many.as_bytes(), 100));
        pieces.push(b"data: y\n\n");
        let mut frames = Frames::new(Pieces::of(&pieces), 100);
        let mut most = 0;
        while let Some(frame) = next(&mut frames).unwrap() {
            most = most.max(frames.buffer.len());
            if frame != "<comment>" {
                assert_eq!(frame, "x y");
            }
        }
        assert!(
            frames.buffer.capacity() < 200_000,
            "{line:?}: {}",
            frames.buffer.capacity()
        );
        assert!(most < 100_000, "{line:?}: {most}");
    }
}
