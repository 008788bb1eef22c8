//! A tiny HTTP client that hides nothing: what goes over the socket and what comes back.

// Every test file includes it and uses a part of it.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

/// Longer than anything takes on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// How the length of a body is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    Length(usize),
    Chunked,
    /// Neither: no body, or one up to the end of the connection.
    Bare,
}

/// The head of an answer.
#[derive(Debug, Clone)]
pub struct Head {
    pub status_line: String,
    pub headers: Vec<(String, String)>,
}

impl Head {
    pub fn parse(text: &str) -> Self {
        let mut lines = text.split("\r\n");
        let status_line = lines.next().unwrap().to_owned();
        let headers = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
            .collect();
        Self {
            status_line,
            headers,
        }
    }

    pub fn status(&self) -> u16 {
        let word = self.status_line.split(' ').nth(1).unwrap_or_default();
        word.parse().unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    pub fn framing(&self) -> Framing {
        match self.header("Content-Length") {
            Some(length) => Framing::Length(length.parse().unwrap()),
            None if self.header("Transfer-Encoding") == Some("chunked") => Framing::Chunked,
            None => Framing::Bare,
        }
    }
}

/// An answer with its decoded body.
#[derive(Debug, Clone)]
pub struct Answer {
    pub head: Head,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn status(&self) -> u16 {
        self.head.status()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// What ended a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The zero chunk; the connection is still open.
    Orderly,
    /// The connection closed.
    Abrupt,
}

/// One connection.
pub struct Raw {
    stream: UnixStream,
    buffer: Vec<u8>,
    frame: String,
}

impl Raw {
    pub fn connect(socket: &Path) -> Self {
        let stream = UnixStream::connect(socket).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self {
            stream,
            buffer: Vec::new(),
            frame: String::new(),
        }
    }

    /// Sends bytes. A peer that has closed may still have said something worth reading.
    pub fn send(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).is_ok()
    }

    pub fn request(&mut self, method: &str, path: &str, body: &str) -> Answer {
        let length = body.len();
        let text = format!(
            "{method} {path} HTTP/1.1\r\nHost: dcode\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        assert!(self.send(text.as_bytes()));
        self.answer(method)
    }

    pub fn answer(&mut self, method: &str) -> Answer {
        let head = self.head();
        let bare = method == "HEAD" || matches!(head.status(), 204);
        let body = match head.framing() {
            _ if bare => Vec::new(),
            Framing::Length(length) => self.take(length),
            Framing::Chunked => {
                let mut body = Vec::new();
                while let Ok(chunk) = self.chunk() {
                    body.extend(chunk);
                }
                body
            }
            Framing::Bare => self.rest(),
        };
        Answer { head, body }
    }

    pub fn head(&mut self) -> Head {
        loop {
            let end = self.buffer.windows(4).position(|four| four == b"\r\n\r\n");
            if let Some(end) = end {
                let head: Vec<u8> = self.buffer.drain(..end + 4).collect();
                return Head::parse(&String::from_utf8(head).unwrap());
            }
            assert!(self.fill(), "the connection closed: {:?}", self.buffer);
        }
    }

    /// Everything up to the end of the connection.
    pub fn rest(&mut self) -> Vec<u8> {
        while self.fill() {}
        std::mem::take(&mut self.buffer)
    }

    /// Whatever comes next.
    pub fn some(&mut self) -> Vec<u8> {
        self.fill();
        std::mem::take(&mut self.buffer)
    }

    /// True if the connection has been closed.
    pub fn is_closed(&mut self) -> bool {
        self.buffer.is_empty() && !self.fill()
    }

    /// Sends the request of a stream and reads its head.
    pub fn open_stream(socket: &Path, id: &str, query: &str) -> Self {
        let mut raw = Self::connect(socket);
        raw.send(
            format!("GET /v1/sessions/{id}/events{query} HTTP/1.1\r\nHost: d\r\n\r\n").as_bytes(),
        );
        let head = raw.head();
        assert_eq!(head.status(), 200, "{head:?}");
        assert_eq!(head.framing(), Framing::Chunked);
        raw
    }

    /// The data line of the next event; comments are skipped.
    pub fn event(&mut self) -> Result<String, End> {
        loop {
            if let Some(at) = self.frame.find("\n\n") {
                let frame: String = self.frame.drain(..at + 2).collect();
                let data = frame.lines().find_map(|line| line.strip_prefix("data: "));
                match data {
                    Some(data) => return Ok(data.to_owned()),
                    None => continue,
                }
            }
            let chunk = self.chunk()?;
            // The simulated daemon splits big events between any two bytes.
            let mut bytes = std::mem::take(&mut self.frame).into_bytes();
            bytes.extend(chunk);
            while std::str::from_utf8(&bytes).is_err() {
                bytes.extend(self.chunk()?);
            }
            self.frame = String::from_utf8(bytes).unwrap();
        }
    }

    /// The next event as JSON.
    pub fn json_event(&mut self) -> Result<Value, End> {
        self.event()
            .map(|line| serde_json::from_str(&line).unwrap())
    }

    /// Events up to one of that type, with it.
    pub fn events_until(&mut self, kind: &str) -> Vec<Value> {
        let mut events = Vec::new();
        loop {
            let event = self.json_event().unwrap();
            let last = event["type"] == kind;
            events.push(event);
            if last {
                return events;
            }
        }
    }

    /// The bytes of the next chunk, whatever they are.
    pub fn chunk(&mut self) -> Result<Vec<u8>, End> {
        let line = self.line()?;
        let size = usize::from_str_radix(&line, 16).map_err(|_| End::Abrupt)?;
        if size == 0 {
            self.line()?;
            return Err(End::Orderly);
        }
        let chunk = self.take(size);
        self.line()?;
        Ok(chunk)
    }

    fn line(&mut self) -> Result<String, End> {
        loop {
            let end = self.buffer.windows(2).position(|two| two == b"\r\n");
            if let Some(end) = end {
                let line: Vec<u8> = self.buffer.drain(..end + 2).collect();
                return Ok(String::from_utf8_lossy(&line[..end]).into_owned());
            }
            if !self.fill() {
                return Err(End::Abrupt);
            }
        }
    }

    fn take(&mut self, length: usize) -> Vec<u8> {
        while self.buffer.len() < length && self.fill() {}
        let length = length.min(self.buffer.len());
        self.buffer.drain(..length).collect()
    }

    fn fill(&mut self) -> bool {
        let mut some = vec![0; 64 << 10];
        match self.stream.read(&mut some) {
            Ok(count) => {
                self.buffer.extend_from_slice(&some[..count]);
                count > 0
            }
            // Closing with something unread resets a connection.
            Err(error) if error.kind() == ErrorKind::ConnectionReset => false,
            Err(error) => panic!("nothing came: {error}"),
        }
    }
}

/// One exchange on a connection of its own.
pub fn exchange(socket: &Path, method: &str, path: &str, body: &str) -> Answer {
    Raw::connect(socket).request(method, path, body)
}

/// Creates a session and returns its id.
pub fn create(socket: &Path, workspace: &Path) -> String {
    let body = format!("{{\"workspace\":\"{}\"}}", workspace.display());
    let answer = exchange(socket, "POST", "/v1/sessions", &body);
    assert_eq!(answer.status(), 201, "{answer:?}");
    answer.json()["id"].as_str().unwrap().to_owned()
}

/// Submits a prompt.
pub fn submit(socket: &Path, id: &str, text: &str) -> Answer {
    let body = serde_json::json!({ "text": text }).to_string();
    exchange(socket, "POST", &format!("/v1/sessions/{id}/turns"), &body)
}

/// Answers a question.
pub fn decide(socket: &Path, id: &str, approval: &str, decision: &str) -> Answer {
    let path = format!("/v1/sessions/{id}/approvals/{approval}");
    let body = format!("{{\"decision\":\"{decision}\"}}");
    exchange(socket, "POST", &path, &body)
}

/// Waits until the session is in the state.
pub fn wait_for_state(socket: &Path, id: &str, state: &str) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let session = exchange(socket, "GET", &format!("/v1/sessions/{id}"), "").json();
        if session["state"] == state {
            return;
        }
        assert!(Instant::now() < deadline, "never {state}: {session}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
