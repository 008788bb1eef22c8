//! Vectors, and every way a stream can be cut into reads.

use std::collections::VecDeque;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use super::*;

/// A reader that hands out the given pieces, one a read; an error of its kind stands between two of them.
pub(super) struct Pieces(VecDeque<Result<Vec<u8>, ErrorKind>>);

impl Pieces {
    pub(super) fn of(pieces: &[&[u8]]) -> Self {
        Self(pieces.iter().map(|piece| Ok(piece.to_vec())).collect())
    }
}

impl Source for Pieces {
    fn fill(&mut self, bytes: &mut Vec<u8>, _: Patience) -> io::Result<usize> {
        match self.0.pop_front() {
            None => Ok(0),
            Some(Err(kind)) => Err(kind.into()),
            Some(Ok(piece)) => {
                bytes.extend_from_slice(&piece);
                Ok(piece.len())
            }
        }
    }
}

/// What is next, as text; `None` at the end.
pub(super) fn next(frames: &mut Frames<impl Source>) -> io::Result<Option<String>> {
    loop {
        match frames.parse() {
            Some(Frame::Data(data)) => {
                assert_eq!(frames.buffer[data.end], LF);
                let text = String::from_utf8(frames.bytes(data).to_vec());
                return Ok(Some(text.unwrap_or("<not text>".into())));
            }
            Some(Frame::Comment) => return Ok(Some("<comment>".into())),
            Some(Frame::TooLong) => return Ok(Some("<too long>".into())),
            None if frames.fill(Patience::Socket)? => {}
            None => return Ok(None),
        }
    }
}

/// The same frames, once one by one and once with the buffer handed out after each read.
pub(super) fn frames(pieces: &[&[u8]]) -> Vec<String> {
    let mut frames = Frames::new(Pieces::of(pieces), 1 << 26);
    let mut seen = Vec::new();
    while let Some(frame) = next(&mut frames).unwrap() {
        seen.push(frame);
    }
    assert_eq!(seen, batches(pieces));
    seen
}

fn batches(pieces: &[&[u8]]) -> Vec<String> {
    let mut frames = Frames::new(Pieces::of(pieces), 1 << 26);
    let mut seen = Vec::new();
    loop {
        let (mut places, first) = (Vec::new(), seen.len());
        while let Some(frame) = frames.parse() {
            match frame {
                Frame::Data(data) => {
                    places.push((seen.len(), data));
                    seen.push(String::new());
                }
                _ => seen.push("<comment>".into()),
            }
        }
        let bytes = if first < seen.len() {
            frames.take()
        } else {
            Vec::new()
        };
        for (at, place) in places {
            seen[at] = String::from_utf8(bytes[place].to_vec()).unwrap();
        }
        if !frames.fill(Patience::Socket).unwrap() {
            return seen;
        }
    }
}

#[test]
fn vectors() {
    let cases: &[(&str, &[&str])] = &[
        ("", &[]),
        ("\n\n\n", &[]),
        ("data: a\n\n", &["a"]),
        ("data:a\n\n", &["a"]),
        ("data:  a\n\n", &[" a"]),
        ("data:{\"a\":1}\r\n\r\n", &["{\"a\":1}"]),
        ("data: a\r\rdata: b\r\r", &["a", "b"]),
        ("data: a\r\n\ndata: b\n\r\n", &["a", "b"]),
        ("data: {\ndata: }\n\n", &["{ }"]),
        ("data\n\n", &[""]),
        ("data\ndata\n\n", &[" "]),
        ("data:\n\ndata: x\n\n", &["", "x"]),
        (
            "id: 1\nevent: e\nretry: 5\nfoo: bar\nbaz\ndata: a\n\n",
            &["a"],
        ),
        ("id: 1\n\ndata: a\n\n", &["a"]),
        (": ping\n\n", &["<comment>"]),
        (
            ":\ndata: a\n: in between\ndata: b\n\n",
            &["<comment>", "<comment>", "a b"],
        ),
        ("\u{feff}data: a\n\n", &["a"]),
        ("\u{feff}: c\n", &["<comment>"]),
        ("\n\u{feff}data: a\n\n", &[]),
        ("\u{feff}\u{feff}data: a\n\n", &[]),
        ("data: a\u{0}b\n\n", &["a\u{0}b"]),
        ("data: a\u{2028}\u{85}b\n\n", &["a\u{2028}\u{85}b"]),
        ("Data: a\n\n data: b\n\ndata : c\n\ndatax: d\n\n", &[]),
        ("data: a\n\ndata: cut\n", &["a"]),
        ("data: cut", &[]),
        (": cut", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(frames(&[text.as_bytes()]), *expected, "{text:?}");
        let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        assert_eq!(frames(&bytes), *expected, "{text:?}, byte by byte");
        for at in 0..=text.len() {
            let (left, right) = text.as_bytes().split_at(at);
            let pieces: Vec<&[u8]> = [left, right]
                .into_iter()
                .filter(|piece| !piece.is_empty())
                .collect();
            assert_eq!(frames(&pieces), *expected, "{text:?}, cut at {at}");
        }
    }
}

/// A recording, cut once at every position, with each kind of line end.
#[test]
fn a_recording_cut_anywhere() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings/sse");
    let recording = fs::read_to_string(folder.join("done-plain.sse")).unwrap();
    let expected: Vec<&str> = recording
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .collect();
    assert!(expected.len() > 3);
    for end in ["\n", "\r\n", "\r"] {
        let text = recording.replace('\n', end);
        for at in 1..text.len() {
            let (left, right) = text.as_bytes().split_at(at);
            assert_eq!(frames(&[left, right]), expected, "{end:?}, cut at {at}");
        }
    }
}

#[test]
fn every_recording_is_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings/sse");
    let mut events = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let bytes = fs::read(entry.unwrap().path()).unwrap();
        let text = String::from_utf8(bytes.clone()).unwrap();
        let expected = text
            .split('\n')
            .filter(|line| line.starts_with("data: "))
            .count();
        let pieces: Vec<&[u8]> = bytes.chunks(1000).collect();
        let seen = frames(&pieces)
            .iter()
            .filter(|text| text.ends_with('}'))
            .count();
        assert_eq!(seen, expected);
        events += seen;
    }
    assert!(events > 500, "{events}");
}

#[test]
fn an_emoji_cut_at_each_byte() {
    let emoji = "🦀".as_bytes();
    let pieces = [
        b"data:{\"t\":\"".as_slice(),
        &emoji[..1],
        &emoji[1..2],
        &emoji[2..3],
        &emoji[3..],
        b"\"}\n\n",
    ];
    assert_eq!(frames(&pieces), ["{\"t\":\"🦀\"}"]);
}

/// An event whose end is a lone CR counts before the byte behind it is there.
#[test]
fn a_final_cr_does_not_wait() {
    let mut pieces = Pieces::of(&[b"data: a\r\n\r"]);
    pieces.0.push_back(Err(ErrorKind::WouldBlock));
    pieces.0.push_back(Ok(b"\ndata: b\r\n\r\n".to_vec()));
    let mut frames = Frames::new(pieces, 100);
    assert_eq!(next(&mut frames).unwrap().as_deref(), Some("a"));
    assert!(next(&mut frames).is_err());
    assert_eq!(next(&mut frames).unwrap().as_deref(), Some("b"));
    assert_eq!(next(&mut frames).unwrap(), None);
}

/// Nothing is lost by a failure that passes.
#[test]
fn failures_in_between() {
    let text = b"data: {\"long\":1}\ndata: 2\n\n";
    for at in 0..text.len() {
        let mut pieces = Pieces(VecDeque::new());
        pieces.0.push_back(Ok(text[..at].to_vec()));
        pieces.0.push_back(Err(ErrorKind::TimedOut));
        pieces.0.push_back(Ok(text[at..].to_vec()));
        pieces
            .0
            .retain(|piece| !matches!(piece, Ok(bytes) if bytes.is_empty()));
        let mut frames = Frames::new(pieces, 100);
        assert_eq!(next(&mut frames).unwrap_err().kind(), ErrorKind::TimedOut);
        assert_eq!(
            next(&mut frames).unwrap().as_deref(),
            Some("{\"long\":1} 2")
        );
    }
}

#[test]
fn the_cap_holds_for_lines_and_for_whole_events() {
    let first = |text: &str| {
        let mut frames = Frames::new(Pieces::of(&[text.as_bytes()]), 100);
        next(&mut frames).unwrap().unwrap()
    };
    assert_eq!(first(&format!("data:{}\n\n", "x".repeat(95))).len(), 95);
    assert_eq!(first(&format!("data:{}\n\n", "x".repeat(96))), "<too long>");
    assert_eq!(first(&"x".repeat(101)), "<too long>");
    assert_eq!(first(&"data: 123456\n".repeat(20)), "<too long>");
}

#[test]
fn what_is_not_utf8_is_told() {
    let text = b"junk: \xff\n: \xff\ndata: \xff\n\n";
    let mut frames = Frames::new(Pieces::of(&[text]), 100);
    assert_eq!(next(&mut frames).unwrap().as_deref(), Some("<comment>"));
    assert_eq!(next(&mut frames).unwrap().as_deref(), Some("<not text>"));
}

/// A long event leaves no buffer of its size behind, however many come.
#[test]
fn memory_stays_at_one_long_event() {
    let text = format!("data: {}\n\n", "x".repeat(1 << 20)).repeat(5);
    let pieces: Vec<&[u8]> = text.as_bytes().chunks(10_000).collect();
    let mut frames = Frames::new(Pieces::of(&pieces), 1 << 22);
    let mut events = 0;
    while frames.fill(Patience::Socket).unwrap() {
        assert!(
            frames.buffer.capacity() < 3 << 20,
            "{}",
            frames.buffer.capacity()
        );
        if let Some(Frame::Data(data)) = frames.parse() {
            assert_eq!(frames.take()[data].len(), 1 << 20);
            assert!(frames.buffer.capacity() < 2 * BUFFER_BYTES);
            events += 1;
        }
    }
    assert_eq!(events, 5);
}
