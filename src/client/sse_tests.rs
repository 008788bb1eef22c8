//! Vectors, and every way a stream can be cut into reads.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;

use super::*;

/// A reader that hands out the given pieces, one a read; an error of its kind stands between two of them.
struct Pieces(VecDeque<Result<Vec<u8>, ErrorKind>>);

impl Pieces {
    fn of(pieces: &[&[u8]]) -> Self {
        Self(pieces.iter().map(|piece| Ok(piece.to_vec())).collect())
    }
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.pop_front() {
            None => Ok(0),
            Some(Err(kind)) => Err(kind.into()),
            Some(Ok(mut piece)) => {
                let count = piece.len().min(buffer.len());
                buffer[..count].copy_from_slice(&piece[..count]);
                let rest = piece.split_off(count);
                if !rest.is_empty() {
                    self.0.push_front(Ok(rest));
                }
                Ok(count)
            }
        }
    }
}

pub(super) fn frames(pieces: &[&[u8]]) -> Vec<String> {
    let mut frames = Frames::new(Pieces::of(pieces), 1 << 20);
    let mut seen = Vec::new();
    loop {
        match frames.next() {
            Frame::Data(text) => seen.push(text.to_owned()),
            Frame::Comment => seen.push("<comment>".into()),
            Frame::End => return seen,
            other => panic!("{other:?}"),
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
        let mut frames = Frames::new(Pieces::of(&pieces), 1 << 26);
        let mut seen = 0;
        loop {
            match frames.next() {
                Frame::Data(text) => seen += usize::from(text.ends_with('}')),
                Frame::Comment => {}
                Frame::End => break,
                other => panic!("{other:?}"),
            }
        }
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
    assert!(matches!(frames.next(), Frame::Data("a")));
    assert!(matches!(frames.next(), Frame::Failed(_)));
    assert!(matches!(frames.next(), Frame::Data("b")));
    assert!(matches!(frames.next(), Frame::End));
}

/// Nothing is lost by a failure that passes, and a signal is none.
#[test]
fn failures_in_between() {
    let text = b"data: {\"long\":1}\ndata: 2\n\n";
    for at in 0..text.len() {
        let mut pieces = Pieces(VecDeque::new());
        pieces.0.push_back(Ok(text[..at].to_vec()));
        pieces.0.push_back(Err(ErrorKind::Interrupted));
        pieces.0.push_back(Err(ErrorKind::TimedOut));
        pieces.0.push_back(Ok(text[at..].to_vec()));
        pieces
            .0
            .retain(|piece| !matches!(piece, Ok(bytes) if bytes.is_empty()));
        let mut frames = Frames::new(pieces, 100);
        assert!(
            matches!(frames.next(), Frame::Failed(error) if error.kind() == ErrorKind::TimedOut)
        );
        assert!(matches!(frames.next(), Frame::Data("{\"long\":1} 2")));
    }
}

#[test]
fn the_cap_holds_for_lines_and_for_whole_events() {
    let within = format!("data:{}\n\n", "x".repeat(95));
    let mut frames = Frames::new(within.as_bytes(), 100);
    assert!(matches!(frames.next(), Frame::Data(text) if text.len() == 95));
    let over = format!("data:{}\n\n", "x".repeat(96));
    assert!(matches!(
        Frames::new(over.as_bytes(), 100).next(),
        Frame::TooLong
    ));
    let endless = io::repeat(b'x');
    assert!(matches!(
        Frames::new(endless, 1 << 20).next(),
        Frame::TooLong
    ));
    let lines = "data: 123456\n".repeat(20);
    assert!(matches!(
        Frames::new(lines.as_bytes(), 100).next(),
        Frame::TooLong
    ));
}

#[test]
fn what_is_not_utf8_is_told() {
    let mut frames = Frames::new(b"junk: \xff\n: \xff\ndata: \xff\n\n".as_slice(), 100);
    assert!(matches!(frames.next(), Frame::Comment));
    assert!(matches!(frames.next(), Frame::NotText));
}

/// `would_wait` says in advance whether the reader is asked, at every point of every cut.
#[test]
fn would_wait_is_exact() {
    let text =
        "\u{feff}data: a\r\n\r\n: ping\n\nid: 7\n\ndata: b\ndata: c\n\n\n:x\rdata\r\rdata: cut\n";
    for at in 1..text.len() {
        let (left, right) = text.as_bytes().split_at(at);
        let mut frames = Frames::new(Pieces::of(&[left, right]), 100);
        loop {
            let promised = frames.would_wait();
            let before = frames.reader.get_ref().0.len();
            let is_end = matches!(frames.next(), Frame::End);
            let asked = frames.reader.get_ref().0.len() != before || is_end;
            assert_eq!(promised, asked, "cut at {at}");
            if is_end {
                break;
            }
        }
    }
}

/// A long event does not leave two buffers of its size behind, however many come.
#[test]
fn memory_stays_at_one_long_event() {
    let text = format!("data: {}\n\n", "x".repeat(1 << 20)).repeat(5);
    let mut frames = Frames::new(text.as_bytes(), 1 << 22);
    while let Frame::Data(_) = frames.next() {}
    let held = frames.partial.capacity() + frames.event.bytes.capacity();
    assert!(held < 3 << 20, "{held}");
}

#[test]
fn line_ends_are_found_at_every_place() {
    for length in 0..100 {
        let mut bytes = vec![b'x'; length];
        assert_eq!(line_end(&bytes), None);
        for at in (0..length).rev() {
            bytes[at] = if at % 2 == 0 { LF } else { CR };
            assert_eq!(line_end(&bytes), Some(at));
        }
    }
}
