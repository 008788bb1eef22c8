//! Answers: reading a body within bounds, and telling a refusal from something that is no daemon's answer.

use std::io::{ErrorKind, Read};
use std::path::Path;
use std::time::Instant;

use serde::Deserialize;
use ureq::Body;
use ureq::http::{HeaderMap, Response, StatusCode, header};

use super::exchange::Sent;
use crate::error::{Error, Kind, Result};
use crate::protocol::{ErrorCode, WireError};

/// What to try when something answers, but not as a daemon does.
pub(super) const HINT: &str = "is it the dcode daemon, in a version that knows this request? `dcodectl ping` shows its version";

/// How much of a strange answer is shown, in characters.
const EXCERPT_CHARACTERS: usize = 80;

/// How much is read at once, in bytes.
const BLOCK_BYTES: usize = 16 * 1024;

/// The JSON of a successful answer, as text and read by `read`.
pub(super) fn json<T>(
    response: Response<Body>,
    sent: &Sent,
    read: impl FnOnce(&str) -> serde_json::Result<T>,
) -> Result<T> {
    let (head, body) = response.into_parts();
    let bytes = read_all(body, sent)?;
    let strange = |reason: String| {
        let what = format!(
            "{} ({reason})",
            describe(head.status, &head.headers, &bytes)
        );
        not_understood(&sent.path, &what)
    };
    let text = std::str::from_utf8(&bytes).map_err(|error| strange(error.to_string()))?;
    read(text).map_err(|error| strange(error.to_string()))
}

/// Checks a success that brings nothing: 202 and 204, and whatever JSON a newer daemon may say instead.
///
/// Any other server would be glad to answer 200 to everything.
pub(super) fn nothing(response: Response<Body>, sent: &Sent) -> Result<()> {
    let (head, body) = response.into_parts();
    let is_expected = matches!(head.status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT)
        || content_type(&head.headers) == "application/json";
    if is_expected {
        return Ok(());
    }
    let bytes = read_all(body, sent)?;
    Err(not_understood(
        &sent.path,
        &describe(head.status, &head.headers, &bytes),
    ))
}

/// The failure that an answer other than a success stands for.
pub(super) fn refusal(response: Response<Body>, sent: &Sent) -> Error {
    let (head, body) = response.into_parts();
    let bytes = match read_all(body, sent) {
        Ok(bytes) => bytes,
        Err(error) => return error,
    };
    let is_error = head.status.is_client_error() || head.status.is_server_error();
    match serde_json::from_slice::<WireError>(&bytes) {
        Ok(error) if is_error => refused(error),
        _ => {
            let what = describe(head.status, &head.headers, &bytes);
            let error = not_understood(&sent.path, &what);
            // A proxy answers so while the daemon behind it is away.
            if head.status.is_server_error() {
                error.passing()
            } else {
                error
            }
        }
    }
}

/// The daemon's own error. Its text is shown as it is, never matched.
fn refused(error: WireError) -> Error {
    let WireError { code, message } = error;
    let message = if message.is_empty() {
        format!("the daemon refused: {code}")
    } else {
        format!("the daemon refused: {message} ({code})")
    };
    Error::new(Kind::Refused(ErrorCode::from(code.as_str())), message)
}

/// An answer that is HTTP, but none of a daemon this program understands.
pub(super) fn not_understood(path: &Path, what: &str) -> Error {
    let message = format!(
        "the answer from {} is not understood: {what}",
        path.display()
    );
    Error::new(Kind::Protocol, message).hint(HINT)
}

/// Status, type and beginning of an answer.
pub(super) fn describe(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> String {
    let mut what = status.as_u16().to_string();
    match content_type(headers).as_str() {
        "" => what.push_str(" without a content type"),
        kind => {
            what.push(' ');
            what.push_str(kind);
        }
    }
    if let Some(location) = headers.get(header::LOCATION) {
        what.push_str(" to ");
        what.push_str(&excerpt(location.as_bytes()));
    }
    what.push_str(": ");
    what.push_str(&excerpt(body));
    what
}

/// The media type in lower case, without parameters; empty if there is none.
pub(super) fn content_type(headers: &HeaderMap) -> String {
    let value = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let kind = value.and_then(|value| value.split(';').next());
    kind.unwrap_or_default().trim().to_ascii_lowercase()
}

/// The beginning of what came back, quoted, with everything unprintable escaped.
pub(super) fn excerpt(bytes: &[u8]) -> String {
    // A character takes at most four bytes.
    let start = &bytes[..bytes.len().min(EXCERPT_CHARACTERS * 4)];
    let text = String::from_utf8_lossy(start);
    let shown: String = text.trim_end().chars().take(EXCERPT_CHARACTERS).collect();
    let more = if shown.len() < text.trim_end().len() || start.len() < bytes.len() {
        "…"
    } else {
        ""
    };
    if shown.is_empty() {
        return "an empty body".into();
    }
    format!("{shown:?}{more}")
}

/// Reads a body to its end, up to the cap and until it is due.
fn read_all(body: Body, sent: &Sent) -> Result<Vec<u8>> {
    let mut reader = body.into_reader();
    let mut bytes = Vec::new();
    let mut block = vec![0; BLOCK_BYTES];
    loop {
        match reader.read(&mut block) {
            Ok(0) => return Ok(bytes),
            Ok(count) => bytes.extend_from_slice(&block[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(sent.body_failure(error)),
        }
        if bytes.len() > sent.cap {
            let what = format!("its body is over {} bytes", sent.cap);
            return Err(not_understood(&sent.path, &what));
        }
        // A single read is bounded by itself; this stops a peer that sends a byte now and then.
        if Instant::now() >= sent.due {
            return Err(sent.lost("the answer did not end in time"));
        }
    }
}

/// Text of JSON on one line: a line break between tokens becomes a space. Within strings JSON allows none.
pub(super) fn one_line(json: &str) -> String {
    let json = json.trim();
    if json.contains(['\r', '\n']) {
        json.replace("\r\n", " ").replace(['\r', '\n'], " ")
    } else {
        json.into()
    }
}

/// A list that may be `null`, which a server of another kind writes for an empty one.
pub(super) fn nullable<'a, T: Deserialize<'a> + Default>(text: &'a str) -> serde_json::Result<T> {
    Ok(serde_json::from_str::<Option<T>>(text)?.unwrap_or_default())
}
