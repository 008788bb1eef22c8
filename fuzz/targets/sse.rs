//! A stream however it is cut, framed and broken: the events are those of a plain reading of the
//! algorithm, read one by one or in batches, and the cap holds.
//!
//! The first byte of the input says how the rest becomes a stream: the sizes of its chunks, and
//! whether they are taken for chunks as they are.

#![no_main]

use std::io::Write;
use std::os::unix::net::UnixStream;

use dcodectl::client::{Arrived, EventStream, Next};
use libfuzzer_sys::fuzz_target;

const CAP: usize = 1000;

/// The socket's buffer has to take all of it.
const LONGEST: usize = 16 * 1024;

fn stream(wire: &[u8]) -> EventStream {
    let (mut peer, socket) = UnixStream::pair().unwrap();
    peer.write_all(wire).unwrap();
    EventStream::of_socket(socket, CAP)
}

fn one_by_one(wire: &[u8]) -> (Vec<String>, String) {
    let mut stream = stream(wire);
    let mut events = Vec::new();
    let end = loop {
        match stream.next() {
            Next::Data(text) => events.push(text.to_owned()),
            Next::Alive => {}
            Next::End => break "end".to_owned(),
            Next::Lost(how) => break how,
            Next::Silent => panic!("silent"),
            Next::Broken(error) => break error.to_string(),
        }
    };
    (events, end)
}

fn in_batches(wire: &[u8]) -> (Vec<String>, String) {
    let mut stream = stream(wire);
    let mut events = Vec::new();
    let end = loop {
        match stream.next_batch() {
            Arrived::Batch(batch) => events.extend(batch.texts().map(str::to_owned)),
            Arrived::Partly => {}
            Arrived::End => break "end".to_owned(),
            Arrived::Lost(how) => break how,
            Arrived::Silent => panic!("silent"),
            Arrived::Broken(error) => break error.to_string(),
        }
        assert!(stream.pending() <= LONGEST);
    };
    (events, end)
}

/// The events of a body, as the algorithm has them; `None` where the cap or UTF-8 matters.
fn expected(body: &[u8]) -> Option<Vec<String>> {
    let text = std::str::from_utf8(body).ok()?;
    if text.len() > CAP {
        return None;
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let (whole, _) = text.rsplit_once('\n').unwrap_or_default();
    let mut events = Vec::new();
    let mut data: Vec<&str> = Vec::new();
    // A text without a line end has no line.
    for line in whole.split('\n').filter(|_| text.contains('\n')) {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        if line.is_empty() && !data.is_empty() {
            events.push(data.join(" "));
            data.clear();
        } else if field == "data" {
            data.push(value.strip_prefix(' ').unwrap_or(value));
        }
    }
    Some(events)
}

fuzz_target!(|input: &[u8]| {
    let Some((how, body)) = input.split_first() else { return };
    if body.len() > LONGEST {
        return;
    }
    if *how == 0 {
        // Chunks or not: both ways of reading say the same.
        assert_eq!(one_by_one(body), in_batches(body));
        return;
    }
    let mut wire = Vec::new();
    for chunk in body.chunks(usize::from(*how)) {
        wire.extend(format!("{:x}\r\n", chunk.len()).bytes());
        wire.extend_from_slice(chunk);
        wire.extend_from_slice(b"\r\n");
    }
    wire.extend_from_slice(b"0\r\n\r\n");
    let (events, end) = one_by_one(&wire);
    if let Some(expected) = expected(body) {
        assert_eq!((&events, end.as_str()), (&expected, "end"));
    }
    assert!(events.iter().all(|event| event.len() <= CAP));
    assert_eq!(in_batches(&wire), (events, end));
});
