//! A peer that sends a session of any size as fast as it is read: what neither the simulated daemon's clock nor its
//! memory is made for. The session's id says how many events it has and how long their texts are: `COUNT-BYTES`.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

/// Serves until the end of the process.
pub(crate) struct Flood {
    folder: TempDir,
    peer: Arc<Peer>,
}

/// What the connections share.
struct Peer {
    /// Events to a write.
    at_once: u64,
    /// How long a reader may not read, before its stream is ended and the session goes on without it.
    patience: Option<Duration>,
    /// The last event that was taken off this side's hands.
    sent: AtomicU64,
    /// The oldest event that is held.
    first: AtomicU64,
}

/// How many events the daemon holds (protocol, section 8).
#[allow(dead_code)]
pub(crate) const RETENTION: u64 = 10_000;

impl Flood {
    /// Listens on a socket of its own; `events` of them go into each write.
    pub(crate) fn start(events: u64) -> Self {
        Self::of(events, None)
    }

    /// The same, but as the daemon treats a reader that does not read: its stream is ended, the session goes on, and
    /// in the end only its last [`RETENTION`] events are held.
    #[allow(dead_code)]
    pub(crate) fn that_goes_on_after(patience: Duration, events: u64) -> Self {
        Self::of(events, Some(patience))
    }

    fn of(at_once: u64, patience: Option<Duration>) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let listener = UnixListener::bind(folder.path().join("s")).expect("a socket");
        let peer = Arc::new(Peer {
            at_once,
            patience,
            sent: AtomicU64::new(0),
            first: AtomicU64::new(1),
        });
        let shared = Arc::clone(&peer);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let peer = Arc::clone(&shared);
                // A client that leaves early is nobody's failure.
                thread::spawn(move || peer.serve(&stream).ok());
            }
        });
        Self { folder, peer }
    }

    /// Where it listens.
    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.path().join("s")
    }

    /// The last event that was taken off this side's hands.
    #[allow(dead_code)]
    pub(crate) fn sent(&self) -> u64 {
        self.peer.sent.load(Ordering::Relaxed)
    }

    /// The oldest event that is held.
    #[allow(dead_code)]
    pub(crate) fn first(&self) -> u64 {
        self.peer.first.load(Ordering::Relaxed)
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

impl Peer {
    fn serve(&self, mut stream: &UnixStream) -> io::Result<()> {
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
        let first = self.first.load(Ordering::Relaxed);
        if query.is_empty() {
            let body = format!(
                r#"{{"id":"{id}","state":"running","last_seq":{count},"first_seq":{first}}}"#
            );
            return answer(stream, "200 OK", &body);
        }
        let from: u64 = query.parse().map_err(io::Error::other)?;
        if from > count {
            let body = r#"{"code":"session_not_found","message":"over"}"#;
            return answer(stream, "404 Not Found", body);
        }
        if from < first {
            let body = r#"{"code":"events_expired","message":"gone"}"#;
            return answer(stream, "410 Gone", body);
        }
        stream.write_all(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
        )?;
        stream.set_write_timeout(self.patience)?;
        let (text, mut block) = (text(id), Vec::new());
        for seq in from..=count {
            let frame = format!("id: {seq}\ndata: {}\n\n", event(id, seq, &text));
            write!(block, "{:x}\r\n{frame}\r\n", frame.len())?;
            if seq % self.at_once == 0 || seq == count {
                if let Err(error) = stream.write_all(&block) {
                    let first = count.saturating_sub(RETENTION) + 1;
                    self.first.store(first, Ordering::Relaxed);
                    return Err(error);
                }
                block.clear();
                self.sent.store(seq, Ordering::Relaxed);
            }
        }
        stream.write_all(b"0\r\n\r\n")
    }
}

fn answer(mut stream: &UnixStream, status: &str, body: &str) -> io::Result<()> {
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}
