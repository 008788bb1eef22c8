//! A peer that sends a session of any size as fast as it is read: what neither the simulated daemon's clock nor its
//! memory is made for. The session's id says how many events it has and how long their texts are: `COUNT-BYTES`.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use tempfile::TempDir;

/// Serves until the end of the process.
pub(crate) struct Flood {
    folder: TempDir,
    sent: Arc<AtomicU64>,
}

impl Flood {
    /// Listens on a socket of its own; `events` of them go into each write.
    pub(crate) fn start(events: u64) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let listener = UnixListener::bind(folder.path().join("s")).expect("a socket");
        let sent = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&sent);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let counter = Arc::clone(&counter);
                // A client that leaves early is nobody's failure.
                thread::spawn(move || serve(&stream, events, &counter).ok());
            }
        });
        Self { folder, sent }
    }

    /// Where it listens.
    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.path().join("s")
    }

    /// The last event that was taken off this side's hands.
    #[allow(dead_code)]
    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Where temporary files may be put.
    #[allow(dead_code)]
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// The event with this number, as it is to be printed.
pub(crate) fn event(id: &str, seq: u64, text: &str) -> String {
    let (count, _) = parse(id);
    let (kind, payload) = match seq {
        1 => ("turn.started", r#"{"turn_id":"t1","text":"go"}"#.to_owned()),
        _ if seq == count => (
            "turn.completed",
            r#"{"turn_id":"t1","reason":"done"}"#.to_owned(),
        ),
        _ => (
            "message.delta",
            format!(r#"{{"turn_id":"t1","text":"{text}"}}"#),
        ),
    };
    format!(
        r#"{{"seq":{seq},"session_id":"{id}","type":"{kind}","at":"2026-01-01T00:00:00Z","payload":{payload}}}"#
    )
}

/// The text of every event of a session.
pub(crate) fn text(id: &str) -> String {
    let (_, bytes) = parse(id);
    let piece = r#"lorem ipsum dolor sit amet, \"consectetur\" adipiscing\n"#;
    let mut text = piece.repeat(bytes / piece.len());
    text.push_str(&"x".repeat(bytes - text.len()));
    text
}

fn parse(id: &str) -> (u64, usize) {
    let (count, bytes) = id.split_once('-').expect("COUNT-BYTES");
    (
        count.parse().expect("a count"),
        bytes.parse().expect("a size"),
    )
}

fn serve(mut stream: &UnixStream, at_once: u64, sent: &AtomicU64) -> io::Result<()> {
    let mut line = String::new();
    let mut reader = BufReader::new(stream);
    reader.read_line(&mut line)?;
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }
    let path = line.split(' ').nth(1).unwrap_or_default();
    let rest = path.strip_prefix("/v1/sessions/").unwrap_or("0-0");
    let (id, query) = rest.split_once("/events?from=").unwrap_or((rest, ""));
    let (count, _) = parse(id);
    if query.is_empty() {
        let body = format!(r#"{{"id":"{id}","state":"running","last_seq":{count},"first_seq":1}}"#);
        return answer(stream, "200 OK", &body);
    }
    let from: u64 = query.parse().map_err(io::Error::other)?;
    if from > count {
        return answer(
            stream,
            "404 Not Found",
            r#"{"code":"session_not_found","message":"over"}"#,
        );
    }
    stream.write_all(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
    )?;
    let (text, mut block) = (text(id), Vec::new());
    for seq in from..=count {
        let frame = format!("id: {seq}\ndata: {}\n\n", event(id, seq, &text));
        write!(block, "{:x}\r\n{frame}\r\n", frame.len())?;
        if seq % at_once == 0 || seq == count {
            stream.write_all(&block)?;
            block.clear();
            sent.store(seq, Ordering::Relaxed);
        }
    }
    stream.write_all(b"0\r\n\r\n")
}

fn answer(mut stream: &UnixStream, status: &str, body: &str) -> io::Result<()> {
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}
