//! Everything that is no answer of a daemon, and what it means for a request.

use std::time::Instant;

use super::*;
use crate::error::Kind;

/// Answers, and what the message about each contains.
fn strange_answers() -> Vec<(String, &'static str)> {
    let redirect =
        "HTTP/1.1 307 Temporary Redirect\r\nLocation: /v1/else\r\nContent-Length: 0\r\n\r\n";
    vec![
        (
            plain(
                "404 Not Found",
                "text/plain; charset=utf-8",
                "404 page not found\n",
            ),
            "404 text/plain: \"404 page not found\"",
        ),
        (
            plain(
                "405 Method Not Allowed",
                "text/plain",
                "Method Not Allowed\n",
            ),
            "405 text/plain",
        ),
        (
            plain("500 Oh", "text/html", "<b>\u{1b}[31m\u{202e}"),
            r#"500 text/html: "<b>\u{1b}[31m\u{202e}""#,
        ),
        (json("500 Oh", "{}"), "500 application/json: \"{}\""),
        (
            json("404 Not Found", r#"{"error":"x"}"#),
            "404 application/json",
        ),
        (
            redirect.into(),
            "307 without a content type to \"/v1/else\": an empty body",
        ),
        (
            plain("302 Found", "text/html", "<a>"),
            "302 text/html: \"<a>\"",
        ),
        (
            json("200 OK", r#"{"id":"x""#),
            "200 application/json: \"{\\\"id\\\":\\\"x\\\"\" (EOF",
        ),
        (json("200 OK", "[]"), "200 application/json"),
        (plain("200 OK", "text/html", &"z".repeat(500)), "zzz\"…"),
        (
            "HTTP/1.1 204 No Content\r\n\r\n".into(),
            "204 without a content type: an empty body",
        ),
        ("SSH-2.0-OpenSSH_9\r\n".into(), "\"SSH-2.0-OpenSSH_9\""),
        ("HTTP/1.1 2x0 OK\r\n\r\n".into(), "does not speak HTTP"),
        (
            format!("HTTP/1.1 200 OK\r\nA: {}\r\n\r\n", "x".repeat(100_000)),
            "does not speak HTTP",
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n".into(),
            "does not speak HTTP",
        ),
    ]
}

#[test]
fn what_is_no_answer_of_a_daemon_is_protocol() {
    for (answer, expected) in strange_answers() {
        let (peer, client) = Peer::answering(answer);
        let error = client.session("x").unwrap_err();
        assert_eq!(*error.kind(), Kind::Protocol, "{error}");
        assert!(error.to_string().contains(expected), "{error}\n{expected}");
        assert!(
            error
                .to_string()
                .contains(&peer.path().display().to_string()),
            "{error}"
        );
        assert!(error.hint_text().is_some());
        peer.thread.join().ok();
    }
}

/// Any web server says 200; only what the daemon says counts as done.
#[test]
fn a_foreign_200_is_no_success_of_a_submit() {
    let (peer, client) = Peer::answering(plain("200 OK", "text/html", "hello"));
    let error = client.submit("x", &turn()).unwrap_err();
    assert_eq!(*error.kind(), Kind::Protocol);
    peer.done();
}

#[test]
fn a_body_over_the_cap_is_protocol() {
    for length in [1000, 1001] {
        let body = format!("{:>length$}", r#"{"status":"ok"}"#);
        let (peer, _) = Peer::answering(json("200 OK", &body));
        let result = Client::with_cap(&peer.path(), own_uid(), PATIENT, 1000).health();
        if length == 1000 {
            assert!(result.is_ok());
        } else {
            let error = result.unwrap_err();
            assert_eq!(*error.kind(), Kind::Protocol);
            assert!(error.to_string().contains("over 1000 bytes"), "{error}");
        }
        peer.done();
    }
}

/// What a lost answer means: nothing for a request that only asks, an unknown outcome for one that changes something.
#[test]
fn a_lost_answer_is_unreachable_or_unknown() {
    let scripts: [fn(UnixStream); 4] = [
        // Reset: closed with the request unread.
        |_| {},
        |mut stream| {
            request(&mut stream);
        },
        |mut stream| {
            request(&mut stream);
            stream.write_all(b"HTTP/1.1 20").unwrap();
        },
        |mut stream| {
            request(&mut stream);
            stream
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"resto")
                .unwrap();
        },
    ];
    for script in scripts {
        let peer = Peer::new(script);
        let error = peer.client(PATIENT).session("x").unwrap_err();
        assert_eq!(*error.kind(), Kind::Unreachable, "{error}");
        assert!(
            error
                .to_string()
                .contains(&peer.path().display().to_string())
        );
        let peer = Peer::new(script);
        let error = peer.client(PATIENT).undo("x").unwrap_err();
        // A connection that was closed before anything was written is a clean failure.
        let is_early = *error.kind() == Kind::Unreachable && !error.to_string().contains("sent");
        assert!(*error.kind() == Kind::OutcomeUnknown || is_early, "{error}");
    }
}

#[test]
fn a_written_submit_without_an_answer_is_unknown() {
    let peer = Peer::new(|mut stream| {
        request(&mut stream);
    });
    let error = peer.client(PATIENT).submit("x", &turn()).unwrap_err();
    assert_eq!(*error.kind(), Kind::OutcomeUnknown, "{error}");
    assert!(
        error
            .to_string()
            .contains("never came: the connection was closed too early"),
        "{error}"
    );
    peer.done();
}

#[test]
fn a_head_that_does_not_come_is_bounded() {
    let hasty = Timeouts {
        head: SHORT,
        ..PATIENT
    };
    let expected = [Kind::Unreachable, Kind::OutcomeUnknown];
    for (changes, expected) in [false, true].into_iter().zip(expected) {
        let peer = Peer::new(|mut stream| until_closed(&mut stream));
        let start = Instant::now();
        let client = peer.client(hasty);
        let result = if changes {
            client.interrupt("x")
        } else {
            client.events("x", 1).map(drop)
        };
        let error = result.unwrap_err();
        assert_eq!(*error.kind(), expected, "{error}");
        assert!(
            error.to_string().contains("no answer within 150ms"),
            "{error}"
        );
        assert!(start.elapsed() < Duration::from_secs(10));
        peer.done();
    }
}

#[test]
fn a_large_request_that_nobody_reads_is_bounded() {
    let peer = Peer::new(|stream| {
        thread::sleep(SHORT * 10);
        drop(stream);
    });
    let large = SubmitTurn {
        text: "x".repeat(4_000_000),
        images: Vec::new(),
    };
    let error = peer
        .client(Timeouts {
            head: SHORT,
            ..PATIENT
        })
        .submit("x", &large)
        .unwrap_err();
    assert_eq!(*error.kind(), Kind::OutcomeUnknown, "{error}");
    assert!(
        error.to_string().contains("not read within 150ms"),
        "{error}"
    );
    peer.done();
}

/// Each read brings a byte in time, so that only the bound of the whole answer ends it.
#[test]
fn an_answer_that_drips_is_bounded() {
    let peer = Peer::new(|mut stream| {
        request(&mut stream);
        stream
            .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            .unwrap();
        while stream.write_all(b" ").is_ok() {
            thread::sleep(Duration::from_millis(5));
        }
    });
    let error = peer
        .client(Timeouts {
            head: SHORT,
            ..PATIENT
        })
        .health()
        .unwrap_err();
    assert_eq!(*error.kind(), Kind::Unreachable, "{error}");
    assert!(error.to_string().contains("did not end in time"), "{error}");
    peer.done();
}
