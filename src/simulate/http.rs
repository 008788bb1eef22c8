//! HTTP/1.1 requests, read by hand off a socket (protocol, section 1).

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use super::routes;

/// A request head.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) method: String,
    /// The path, still escaped.
    pub(super) path: String,
    pub(super) query: Option<String>,
    /// HTTP/1.0: no chunks in the answer, and the connection closes.
    pub(super) old: bool,
    /// The client wants the connection closed after the answer.
    pub(super) close: bool,
    expects_continue: bool,
}

impl Request {
    /// Path and query, as sent.
    pub(super) fn target(&self) -> String {
        match &self.query {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        }
    }
}

/// Why no request came out of a connection.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The connection ended, or the deadline passed before a byte: closed without a word.
    Gone,
    /// Not a proper request: the reason phrase of the answer, after which the connection closes.
    Bad(&'static str),
}

impl From<io::Error> for Refusal {
    fn from(_: io::Error) -> Self {
        Self::Gone
    }
}

/// How much of a body is still to be read.
#[derive(Debug, Clone, Copy)]
enum Framing {
    Length(u64),
    Chunked,
}

/// A connection with what was read ahead.
pub(super) struct Connection {
    pub(super) stream: UnixStream,
    buffer: Vec<u8>,
    framing: Framing,
    continue_due: bool,
}

const BAD: Refusal = Refusal::Bad("400 Bad Request");
/// Longer heads are no requests of any client of this daemon.
const HEAD_LIMIT: usize = 1 << 20;
/// The daemon reads this much of a body nobody wanted before it gives up the connection.
const DISCARD_LIMIT: u64 = 256 << 10;

impl Connection {
    pub(super) fn new(stream: UnixStream) -> Self {
        Self {
            stream,
            buffer: Vec::new(),
            framing: Framing::Length(0),
            continue_due: false,
        }
    }

    /// Reads the next request head. The deadline of a fresh connection runs from its start; that of
    /// a reused one from the first byte of the next request.
    pub(super) fn next_request(
        &mut self,
        fresh: bool,
        limit: Duration,
    ) -> Result<Request, Refusal> {
        if !fresh && self.buffer.is_empty() && self.fill(None)? == 0 {
            return Err(Refusal::Gone);
        }
        let deadline = Instant::now() + limit;
        let mut line = self.line(deadline, true)?;
        while line.is_empty() {
            line = self.line(deadline, true)?;
        }
        let mut request = request_line(&line)?;
        let mut headers = Vec::new();
        loop {
            let line = self.line(deadline, false)?;
            if line.is_empty() {
                break;
            }
            let text = String::from_utf8_lossy(&line);
            let (name, value) = text.split_once(':').ok_or(BAD)?;
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        self.apply(&mut request, &headers)?;
        Ok(request)
    }

    fn apply(
        &mut self,
        request: &mut Request,
        headers: &[(String, String)],
    ) -> Result<(), Refusal> {
        check_host(headers, request.old)?;
        let value = |name: &str| {
            headers
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.as_str())
        };
        let has = |name: &str, word: &str| {
            value(name).is_some_and(|value| value.to_ascii_lowercase().contains(word))
        };
        request.close = request.old || has("connection", "close");
        request.expects_continue = has("expect", "100-continue");
        self.continue_due = request.expects_continue;
        self.framing = if has("transfer-encoding", "chunked") {
            Framing::Chunked
        } else {
            let length = value("content-length").unwrap_or("0");
            Framing::Length(length.parse().map_err(|_| BAD)?)
        };
        Ok(())
    }

    /// The whole body.
    pub(super) fn body(&mut self) -> io::Result<Vec<u8>> {
        self.read_body(u64::MAX)
    }

    /// Reads away what nobody wanted of the body. False when there is so much of it that the daemon
    /// would rather close the connection.
    pub(super) fn discard_body(&mut self) -> bool {
        match self.framing {
            Framing::Length(left) if left > DISCARD_LIMIT => false,
            // Nobody asked for the body, so nobody told the client to send it.
            _ if self.continue_due => false,
            _ => self.read_body(DISCARD_LIMIT).is_ok(),
        }
    }

    fn read_body(&mut self, limit: u64) -> io::Result<Vec<u8>> {
        let empty = matches!(self.framing, Framing::Length(0));
        if std::mem::take(&mut self.continue_due) && !empty {
            self.stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        let framing = std::mem::replace(&mut self.framing, Framing::Length(0));
        let mut body = Vec::new();
        match framing {
            Framing::Length(length) => self.take(length, &mut body)?,
            Framing::Chunked => loop {
                let line = self.body_line()?;
                let size = line.split(';').next().unwrap_or_default().trim().to_owned();
                let size = u64::from_str_radix(&size, 16).map_err(io::Error::other)?;
                if size == 0 {
                    while !self.body_line()?.is_empty() {}
                    break;
                }
                if body.len() as u64 + size > limit {
                    return Err(io::ErrorKind::FileTooLarge.into());
                }
                self.take(size, &mut body)?;
                self.body_line()?;
            },
        }
        Ok(body)
    }

    fn take(&mut self, length: u64, body: &mut Vec<u8>) -> io::Result<()> {
        let mut left = usize::try_from(length).map_err(io::Error::other)?;
        while left > 0 {
            if self.buffer.is_empty() && self.fill(None)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let count = left.min(self.buffer.len());
            body.extend(self.buffer.drain(..count));
            left -= count;
        }
        Ok(())
    }

    fn body_line(&mut self) -> io::Result<String> {
        let day = Instant::now() + Duration::from_hours(24);
        let line = self
            .line(day, false)
            .map_err(|_| io::ErrorKind::InvalidData)?;
        Ok(String::from_utf8_lossy(&line).into_owned())
    }

    /// One line without its end. At the deadline the connection is refused: silently if nothing of
    /// the request was sent yet.
    fn line(&mut self, deadline: Instant, first: bool) -> Result<Vec<u8>, Refusal> {
        let mut searched = 0;
        loop {
            if let Some(at) = self.buffer[searched..]
                .iter()
                .position(|&byte| byte == b'\n')
            {
                let mut line: Vec<u8> = self.buffer.drain(..=searched + at).collect();
                line.pop();
                if line.last() == Some(&b'\r') {
                    line.pop();
                }
                return Ok(line);
            }
            searched = self.buffer.len();
            if searched > HEAD_LIMIT {
                return Err(BAD);
            }
            match self.fill(Some(deadline)) {
                Ok(0) => return Err(Refusal::Gone),
                Ok(_) => {}
                Err(_) if first && self.buffer.is_empty() => return Err(Refusal::Gone),
                Err(error) if error.kind() == io::ErrorKind::TimedOut => return Err(BAD),
                Err(_) => return Err(Refusal::Gone),
            }
        }
    }

    /// Reads some more bytes; 0 at the end of the connection.
    fn fill(&mut self, deadline: Option<Instant>) -> io::Result<usize> {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if left == Some(Duration::ZERO) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(left)?;
        let mut some = [0; 16 << 10];
        loop {
            match self.stream.read(&mut some) {
                Ok(count) => {
                    self.buffer.extend_from_slice(&some[..count]);
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                Err(error) => return Err(error),
            }
        }
    }
}

fn request_line(line: &[u8]) -> Result<Request, Refusal> {
    let text = String::from_utf8_lossy(line);
    let (method, rest) = text.split_once(' ').ok_or(BAD)?;
    let (target, version) = rest.split_once(' ').ok_or(BAD)?;
    let old = match version {
        "HTTP/1.1" => false,
        "HTTP/1.0" => true,
        _ => return Err(BAD),
    };
    let token = !method.is_empty()
        && method
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if !token || target.chars().any(char::is_control) {
        return Err(BAD);
    }
    // The absolute form names the host too, which nobody looks at.
    let path = match target.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("/", |at| &rest[at..]),
        None => target,
    };
    let path = path.split('#').next().unwrap_or_default();
    let (path, query) = match path.split_once('?') {
        Some((path, query)) => (path, Some(query.to_owned())),
        None => (path, None),
    };
    if !path.starts_with('/') || !routes::escapes_are_valid(path) {
        return Err(BAD);
    }
    Ok(Request {
        method: method.to_owned(),
        path: path.to_owned(),
        query,
        old,
        close: old,
        expects_continue: false,
    })
}

fn check_host(headers: &[(String, String)], old: bool) -> Result<(), Refusal> {
    let mut hosts = headers.iter().filter(|(name, _)| name == "host");
    let host = match (hosts.next(), hosts.next()) {
        (_, Some(_)) => return Err(BAD),
        (None, None) if old => return Ok(()),
        (None, None) => {
            return Err(Refusal::Bad(
                "400 Bad Request: missing required Host header",
            ));
        }
        (Some((_, host)), None) => host,
    };
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"!$%&()*+,-.:;='[]_~".contains(&byte);
    if host.bytes().all(fits) {
        Ok(())
    } else {
        Err(Refusal::Bad("400 Bad Request: malformed Host header"))
    }
}
