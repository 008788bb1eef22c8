//! The client against small scripted peers, each on a socket of its own in a temporary directory.

mod answers;
mod connecting;
mod failures;
mod streams;

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tempfile::TempDir;

use super::*;

/// Bounds that a busy machine does not reach by accident.
const PATIENT: Timeouts = Timeouts {
    connect: Duration::from_secs(10),
    head: Duration::from_secs(20),
    silence: Duration::from_secs(20),
};

/// How long a test waits at most where it waits for a bound on purpose.
const SHORT: Duration = Duration::from_millis(150);

/// A peer that serves one connection by a script.
struct Peer {
    directory: TempDir,
    thread: JoinHandle<()>,
}

impl Peer {
    fn new(script: impl FnOnce(UnixStream) + Send + 'static) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(directory.path().join("s")).unwrap();
        let thread = thread::spawn(move || script(listener.accept().unwrap().0));
        Self { directory, thread }
    }

    /// A peer that reads one request, answers and keeps the connection open until the client closes it.
    fn answering(answer: impl Into<Vec<u8>>) -> (Self, Client) {
        let answer = answer.into();
        let peer = Self::new(move |mut stream| {
            request(&mut stream);
            stream.write_all(&answer).unwrap();
            until_closed(&mut stream);
        });
        let client = peer.client(PATIENT);
        (peer, client)
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("s")
    }

    fn client(&self, timeouts: Timeouts) -> Client {
        Client::new(&self.path(), own_uid(), timeouts)
    }

    /// Waits for the script, and fails if it did.
    fn done(self) {
        self.thread.join().unwrap();
    }
}

fn own_uid() -> u32 {
    rustix::process::getuid().as_raw()
}

/// Reads one request: its head and as many bytes of body as the head announces.
fn request(stream: &mut UnixStream) -> String {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !bytes.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).unwrap();
        bytes.push(byte[0]);
    }
    let head = String::from_utf8(bytes).unwrap();
    let length = head
        .to_ascii_lowercase()
        .lines()
        .find_map(|line| line.strip_prefix("content-length: ").map(str::to_owned))
        .map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    head + std::str::from_utf8(&body).unwrap()
}

/// Reads until the client has closed the connection, so that it is not this side that ends it.
fn until_closed(stream: &mut UnixStream) {
    let mut block = [0; 4096];
    while matches!(stream.read(&mut block), Ok(count) if count > 0) {}
}

/// An answer of known length.
fn plain(status: &str, kind: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{body}")
}

fn json(status: &str, body: &str) -> String {
    plain(status, "application/json", body)
}

const SESSION: &str = r#"{"id":"0a1","state":"idle","last_seq":7,"later":1.10}"#;

fn turn() -> SubmitTurn {
    SubmitTurn {
        text: "hi".into(),
        images: Vec::new(),
    }
}
