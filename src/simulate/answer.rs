//! HTTP answers, framed as the daemon frames them (protocol, section 1).

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::protocol::ErrorCode;

use super::clock;
use super::http::Request;
use super::json;

/// JSON up to this size has a `Content-Length`; above, it is chunked.
const LENGTH_LIMIT: usize = 2048;

/// An answer that is not an event stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// Headers in the order they are sent in, `Date` and the framing aside.
    headers: Vec<(&'static str, String)>,
    pub(super) body: Vec<u8>,
}

impl Answer {
    /// Compact JSON with one trailing line feed.
    pub(super) fn json(status: u16, text: &str) -> Self {
        Self::typed(status, "application/json", format!("{text}\n").into_bytes())
    }

    /// An answer of any content type.
    pub(super) fn typed(status: u16, content_type: &str, body: Vec<u8>) -> Self {
        Self {
            status,
            headers: vec![("Content-Type", content_type.to_owned())],
            body,
        }
    }

    /// An error the daemon has a code for.
    pub(super) fn error(code: &ErrorCode, message: &str) -> Self {
        let text = format!(
            "{{\"code\":\"{code}\",\"message\":{}}}",
            json::quoted(message)
        );
        Self::json(code.http_status().unwrap_or(500), &text)
    }

    /// 202 or 204: nothing to say.
    pub(super) fn empty(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    /// No such path.
    pub(super) fn not_found() -> Self {
        Self::plain(404, "404 page not found\n", None)
    }

    /// A path that exists, asked with a method it does not know.
    pub(super) fn wrong_method(allow: &str) -> Self {
        Self::plain(405, "Method Not Allowed\n", Some(allow))
    }

    fn plain(status: u16, text: &str, allow: Option<&str>) -> Self {
        let mut headers: Vec<(&'static str, String)> = Vec::new();
        headers.extend(allow.map(|allow| ("Allow", allow.to_owned())));
        headers.push(("Content-Type", "text/plain; charset=utf-8".to_owned()));
        headers.push(("X-Content-Type-Options", "nosniff".to_owned()));
        Self {
            status,
            headers,
            body: text.as_bytes().to_vec(),
        }
    }

    /// A redirect to the cleaned path; only `GET` and `HEAD` get a page with it.
    pub(super) fn redirect(method: &str, location: String) -> Self {
        let mut headers = Vec::new();
        let mut body = Vec::new();
        if matches!(method, "GET" | "HEAD") {
            headers.push(("Content-Type", "text/html; charset=utf-8".to_owned()));
            body = format!("<a href=\"{location}\">Temporary Redirect</a>.\n\n").into_bytes();
        }
        headers.push(("Location", location));
        Self {
            status: 307,
            headers,
            body,
        }
    }

    /// Writes the answer to a request. True if the connection may serve another one.
    pub(super) fn write(
        &self,
        to: &mut impl Write,
        request: &Request,
        close: bool,
    ) -> io::Result<bool> {
        let chunked = self.body.len() > LENGTH_LIMIT;
        let close = close || request.close || (chunked && request.old);
        let mut head = status_line(request.old, self.status);
        for (name, value) in &self.headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        let _ = write!(head, "Date: {}\r\n", clock::http_date());
        if chunked && !request.old {
            head.push_str("Transfer-Encoding: chunked\r\n");
        } else if !chunked && self.status != 204 {
            let _ = write!(head, "Content-Length: {}\r\n", self.body.len());
        }
        if close && !request.old {
            head.push_str("Connection: close\r\n");
        }
        head.push_str("\r\n");
        let mut bytes = head.into_bytes();
        if request.method != "HEAD" {
            if chunked && !request.old {
                bytes.extend(format!("{:x}\r\n", self.body.len()).into_bytes());
                bytes.extend_from_slice(&self.body);
                bytes.extend_from_slice(b"\r\n0\r\n\r\n");
            } else {
                bytes.extend_from_slice(&self.body);
            }
        }
        to.write_all(&bytes)?;
        Ok(!close)
    }
}

/// The head of an event stream, as recorded.
pub(super) fn stream_head(request: &Request) -> Vec<u8> {
    let mut head = status_line(request.old, 200);
    head.push_str("Cache-Control: no-cache\r\nConnection: keep-alive\r\n");
    head.push_str("Content-Type: text/event-stream\r\n");
    let _ = write!(head, "Date: {}\r\n", clock::http_date());
    if !request.old {
        head.push_str("Transfer-Encoding: chunked\r\n");
    }
    head.push_str("\r\n");
    head.into_bytes()
}

/// The answer to what is no request: plain text without a date, and the end of the connection.
pub(super) fn bad_request(reason: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 {reason}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n{reason}"
    )
    .into_bytes()
}

fn status_line(old: bool, status: u16) -> String {
    let version = if old { "1.0" } else { "1.1" };
    format!("HTTP/{version} {status} {}\r\n", reason(status))
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        204 => "No Content",
        307 => "Temporary Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        409 => "Conflict",
        410 => "Gone",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        _ => "Status",
    }
}
