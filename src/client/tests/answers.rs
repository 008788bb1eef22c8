//! What goes out, and answers that are successes or refusals.

use super::*;
use crate::error::Kind;
use crate::protocol::ErrorCode;

#[test]
fn a_request_is_what_the_daemon_expects() {
    let peer = Peer::new(|mut stream| {
        let text = request(&mut stream);
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let head = head.to_ascii_lowercase();
        assert!(
            head.starts_with("post /v1/sessions/a%2fb/turns http/1.1\r\n"),
            "{head}"
        );
        assert!(head.contains("\r\nhost: dcode\r\n"), "{head}");
        assert!(
            head.contains(concat!("user-agent: dcodectl/", env!("CARGO_PKG_VERSION"))),
            "{head}"
        );
        assert!(!head.contains("expect:"), "{head}");
        assert_eq!(body, r#"{"text":"hi"}"#);
        stream
            .write_all(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")
            .unwrap();
        until_closed(&mut stream);
    });
    let turn = SubmitTurn {
        text: "hi".into(),
        images: Vec::new(),
    };
    peer.client(PATIENT).submit("a/b", &turn).unwrap();
    peer.done();
}

/// Method, path and body of each request, against an answer that suits it. The connection stays open behind it.
#[test]
fn every_endpoint_has_its_request() {
    type Case<'a> = (
        &'static str,
        &'static str,
        &'a str,
        fn(&Client) -> Result<()>,
    );
    let none = "HTTP/1.1 204 No Content\r\n\r\n";
    let accepted = "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n";
    let undone = json("200 OK", r#"{"restored":["/a"],"refused":null}"#);
    let cases: [Case<'_>; 7] = [
        ("DELETE /v1/sessions/x ", "", none, |client| {
            client.close("x")
        }),
        (
            "POST /v1/sessions/x/name ",
            r#"{"name":""}"#,
            none,
            |client| client.rename("x", ""),
        ),
        ("POST /v1/sessions/x/interrupt ", "", none, |client| {
            client.interrupt("x")
        }),
        (
            "POST /v1/sessions/x/steer ",
            r#"{"text":"t"}"#,
            accepted,
            |client| client.steer("x", "t"),
        ),
        ("POST /v1/sessions/x/undo ", "", &undone, |client| {
            client
                .undo("x")
                .map(|result| assert_eq!(result.restored, ["/a"]))
        }),
        (
            "POST /v1/sessions/x/approvals/t1-0 ",
            r#"{"decision":"deny"}"#,
            none,
            |client| client.answer("x", "t1-0", &Decision::Deny),
        ),
        (
            "POST /v1/sessions/x/approvals/%2E%2E ",
            r#"{"decision":"allow"}"#,
            none,
            |client| client.answer("x", "..", &Decision::Allow),
        ),
    ];
    for (start, body, answer, act) in cases {
        let answer = answer.to_owned();
        let peer = Peer::new(move |mut stream| {
            let text = request(&mut stream);
            assert!(text.starts_with(start), "{text}");
            assert!(text.ends_with(&format!("\r\n\r\n{body}")), "{text}");
            stream.write_all(answer.as_bytes()).unwrap();
            until_closed(&mut stream);
        });
        act(&peer.client(PATIENT)).unwrap();
        peer.done();
    }
}

#[test]
fn ids_are_one_segment() {
    let cases = [
        ("0af3", "0af3"),
        ("../x", "..%2Fx"),
        ("..", "%2E%2E"),
        (".", "%2E"),
        ("...", "..."),
        ("a/b", "a%2Fb"),
        ("?", "%3F"),
        ("%", "%25"),
        ("%2F", "%252F"),
        (" ", "%20"),
        ("#", "%23"),
        ("\n\0", "%0A%00"),
        ("é🦀", "%C3%A9%F0%9F%A6%80"),
    ];
    for (id, expected) in cases {
        assert_eq!(segment(id, "session").unwrap(), expected);
    }
    assert_eq!(*segment("", "session").unwrap_err().kind(), Kind::Usage);
    let nowhere = Client::new(Path::new("/nonexistent/s"), own_uid(), PATIENT);
    assert_eq!(*nowhere.session("").unwrap_err().kind(), Kind::Usage);
    assert_eq!(
        *nowhere.answer("x", "", &Decision::Deny).unwrap_err().kind(),
        Kind::Usage
    );
    assert_eq!(
        *nowhere.close(&"%".repeat(50_000)).unwrap_err().kind(),
        Kind::Usage
    );
}

#[test]
fn a_session_keeps_its_text() {
    let (peer, client) = Peer::answering(json("200 OK", &format!("{SESSION}\n")));
    let received = client.session("0a1").unwrap();
    assert_eq!(received.text, SESSION);
    assert_eq!(
        (received.value.id.as_str(), received.value.last_seq),
        ("0a1", 7)
    );
    peer.done();
}

#[test]
fn line_breaks_between_tokens_become_spaces() {
    let (peer, client) = Peer::answering(json(
        "201 Created",
        "\n{\"id\":\r\n\"x\",\n\"a\":\"\\n\"}\r\n",
    ));
    let received = client.create(&CreateSession::default()).unwrap();
    assert_eq!(received.text, r#"{"id": "x", "a":"\n"}"#);
    peer.done();
}

#[test]
fn a_chunked_list_is_read_whole() {
    let sessions: Vec<String> = (0..200)
        .map(|number| format!("{{\"id\":\"{number:019x}\",\n\"big\":12345678901234567890}}"))
        .collect();
    let body = format!("[{}]\n", sessions.join(","));
    assert!(body.len() > 2048);
    let mut answer =
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
            .to_vec();
    for part in body.as_bytes().chunks(700) {
        answer.extend(format!("{:x}\r\n", part.len()).into_bytes());
        answer.extend(part);
        answer.extend(b"\r\n");
    }
    answer.extend(b"0\r\n\r\n");
    let (peer, client) = Peer::answering(answer);
    let list = client.list().unwrap();
    assert_eq!(list.len(), 200);
    assert_eq!(list[199].text, sessions[199].replace('\n', " "));
    peer.done();
}

#[test]
fn an_empty_list_may_be_null() {
    for body in ["[]\n", "null"] {
        let (peer, client) = Peer::answering(json("200 OK", body));
        assert_eq!(client.list().unwrap(), []);
        peer.done();
    }
}

#[test]
fn health_and_version() {
    let (peer, client) = Peer::answering(json("200 OK", r#"{"status":"ok"}"#));
    assert_eq!(client.health().unwrap().status, "ok");
    peer.done();
    let (peer, client) = Peer::answering(json("200 OK", r#"{"protocol":"v1","version":"dev"}"#));
    assert_eq!(client.version().unwrap().version, "dev");
    peer.done();
}

#[test]
fn the_daemons_refusals_keep_their_code() {
    let cases = [
        (
            "404 Not Found",
            "session_not_found",
            ErrorCode::SessionNotFound,
        ),
        ("410 Gone", "approval_expired", ErrorCode::ApprovalExpired),
        (
            "500 Internal Server Error",
            "brand_new",
            ErrorCode::Other("brand_new".into()),
        ),
    ];
    for (status, code, expected) in cases {
        let body = format!(r#"{{"code":"{code}","message":"no \"such\" thing"}}"#);
        let (peer, client) = Peer::answering(json(status, &body));
        let error = client.interrupt("x").unwrap_err();
        assert!(error.is_refusal(&expected), "{error:?}");
        assert_eq!(
            error.to_string(),
            format!("the daemon refused: no \"such\" thing ({code})")
        );
        peer.done();
    }
}

/// The daemon answers a large request to an unknown session before it has read it, and closes.
#[test]
fn an_answer_is_read_though_the_request_was_not() {
    for close_first in [false, true] {
        let peer = Peer::new(move |mut stream| {
            let mut start = [0; 100];
            stream.read_exact(&mut start).unwrap();
            let body = r#"{"code":"session_not_found","message":"gone"}"#;
            stream
                .write_all(json("404 Not Found", body).as_bytes())
                .unwrap();
            if close_first {
                return;
            }
            stream.shutdown(std::net::Shutdown::Both).unwrap();
        });
        let turn = SubmitTurn {
            text: "x".repeat(4_000_000),
            images: Vec::new(),
        };
        let error = peer.client(PATIENT).submit("x", &turn).unwrap_err();
        assert!(error.is_refusal(&ErrorCode::SessionNotFound), "{error}");
        peer.done();
    }
}

#[test]
fn several_threads_use_one_client() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s");
    let listener = UnixListener::bind(&path).unwrap();
    let client = Client::new(&path, own_uid(), PATIENT);
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let client = client.clone();
            thread::spawn(move || client.health().unwrap().status)
        })
        .collect();
    for _ in 0..8 {
        let mut stream = listener.accept().unwrap().0;
        request(&mut stream);
        stream
            .write_all(json("200 OK", r#"{"status":"ok"}"#).as_bytes())
            .unwrap();
    }
    for thread in threads {
        assert_eq!(thread.join().unwrap(), "ok");
    }
}
