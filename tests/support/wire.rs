//! Answers written by hand, for daemons that do what the simulated one never would.

use dcodectl::simulate::{Act, Fault, PathIs};

/// One event of session `s`; the daemon's own form.
pub fn event(seq: u64, kind: &str, payload: &str) -> String {
    format!(
        r#"{{"seq":{seq},"session_id":"s","type":"{kind}","at":"2026-12-01T05:00:00Z","payload":{payload}}}"#
    )
}

/// An event's frame.
pub fn frame(event: &str) -> String {
    format!("data: {event}\n\n")
}

/// A whole answer that is an event stream with these bytes as its body; ended in an orderly way,
/// or else cut where it stops.
pub fn stream(body: impl AsRef<[u8]>, orderly: bool) -> Vec<u8> {
    let body = body.as_ref();
    let mut answer =
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
            .to_vec();
    if !body.is_empty() {
        answer.extend(format!("{:x}\r\n", body.len()).bytes());
        answer.extend_from_slice(body);
        answer.extend(b"\r\n");
    }
    if orderly {
        answer.extend(b"0\r\n\r\n");
    }
    answer
}

/// The same, its body in chunks of these sizes, the rest in one.
pub fn stream_in_chunks(body: &[u8], sizes: &[usize]) -> Vec<u8> {
    let mut answer = stream(b"", false);
    let mut rest = body;
    for size in sizes.iter().copied().chain([usize::MAX]) {
        let (chunk, left) = rest.split_at(size.min(rest.len()));
        if !chunk.is_empty() {
            answer.extend(format!("{:x}\r\n", chunk.len()).bytes());
            answer.extend_from_slice(chunk);
            answer.extend(b"\r\n");
        }
        rest = left;
    }
    answer
}

/// Answers `GET` of a session, from now on, with this state and numbers.
pub fn session_is(id: &str, state: &str, last_seq: u64, first_seq: Option<u64>) -> Fault {
    let first = first_seq.map_or(String::new(), |first| format!(",\"first_seq\":{first}"));
    let body = format!(
        r#"{{"id":"{id}","state":"{state}","workspace":"/tmp","model":"m","last_seq":{last_seq}{first}}}"#
    );
    Fault::new(
        "GET",
        PathIs::Exactly(format!("/v1/sessions/{id}")),
        json(200, &body),
    )
}

/// A JSON answer.
pub fn json(status: u16, body: &str) -> Act {
    Act::Answer {
        status,
        content_type: "application/json".into(),
        body: format!("{body}\n"),
    }
}

/// A refusal of the daemon's.
pub fn refusal(status: u16, code: &str) -> Act {
    json(
        status,
        &format!(r#"{{"code":"{code}","message":"as told"}}"#),
    )
}

/// A rule on submits.
pub fn on_submits(act: Act) -> Fault {
    Fault::new("POST", PathIs::Suffix("/turns".into()), act)
}

/// A rule on the session itself.
pub fn on_session(id: &str, act: Act) -> Fault {
    Fault::new("GET", PathIs::Exactly(format!("/v1/sessions/{id}")), act)
}
