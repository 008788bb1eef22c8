//! Event streams: every way they arrive and end.

use std::time::Instant;

use super::*;
use crate::error::Kind;

const HEAD: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

fn chunk(text: &str) -> String {
    format!("{:x}\r\n{text}\r\n", text.len())
}

/// What a stream brought, in a form that can be compared.
fn collect(stream: &mut EventStream) -> Vec<String> {
    let mut seen = Vec::new();
    loop {
        match stream.next() {
            Next::Data(text) => seen.push(text.to_owned()),
            Next::Alive => seen.push("alive".into()),
            Next::End => seen.push("end".into()),
            Next::Lost(reason) => seen.push(format!("lost: {reason}")),
            Next::Silent => seen.push("silent".into()),
            Next::Broken(error) => {
                assert_eq!(*error.kind(), Kind::Protocol);
                seen.push(format!("broken: {error}"));
            }
        }
        let last = seen.last().map_or("", String::as_str);
        if !matches!(last, "alive" | "silent") && !last.starts_with('{') {
            return seen;
        }
    }
}

/// Plays `body` behind the head and then closes the connection.
fn play(head: &'static str, body: String) -> Vec<String> {
    let peer = Peer::new(move |mut stream| {
        let text = request(&mut stream);
        assert!(
            text.starts_with("GET /v1/sessions/x/events?from=3 HTTP/1.1\r\n"),
            "{text}"
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
    });
    let mut stream = peer.client(PATIENT).events("x", 3).unwrap();
    peer.done();
    collect(&mut stream)
}

#[test]
fn the_head_is_enough_to_return_and_an_orderly_end_needs_no_close() {
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let peer = Peer::new(move |mut stream| {
        request(&mut stream);
        stream.write_all(HEAD.as_bytes()).unwrap();
        wait.recv().unwrap();
        let body = chunk(": ping\n\n")
            + &chunk("id: 3\ndata: {\"a\":1}\n\n")
            + &chunk("data: {}\n\n")
            + "0\r\n\r\n";
        stream.write_all(body.as_bytes()).unwrap();
        until_closed(&mut stream);
    });
    let mut stream = peer.client(PATIENT).events("x", 3).unwrap();
    go.send(()).unwrap();
    assert!(matches!(stream.next(), Next::Alive));
    assert_eq!(collect(&mut stream), [r#"{"a":1}"#, "{}", "end"]);
    assert!(matches!(stream.next(), Next::End));
    drop(stream);
    peer.done();
}

#[test]
fn an_abrupt_end_is_a_loss() {
    let event = "data: {}\n\n";
    let lost = "lost: the connection was closed too early";
    assert_eq!(play(HEAD, chunk(event)), ["{}", lost]);
    assert_eq!(
        play(HEAD, chunk(event) + "64\r\ndata: {\"cut"),
        ["{}", lost]
    );
    assert_eq!(play(HEAD, chunk(event) + "6").len(), 2);
    assert!(play(HEAD, chunk(event) + "6")[1].starts_with("lost: "));
    assert_eq!(play(HEAD, String::new()), [lost]);
    let unframed = "HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    assert_eq!(
        play(unframed, event.into()),
        ["{}", "lost: the connection was closed"]
    );
    assert!(play(HEAD, "zz\r\n".into())[0].starts_with("broken: "));
    // What is incomplete when an orderly end comes was never an event.
    assert_eq!(play(HEAD, chunk("data: {}\n") + "0\r\n\r\n"), ["end"]);
}

#[test]
fn a_reset_is_a_loss_behind_what_came_before() {
    let peer = Peer::new(|mut stream| {
        // Closing with a part of the request unread resets the connection.
        stream.read_exact(&mut [0]).unwrap();
        stream
            .write_all((HEAD.to_owned() + &chunk("data: {}\n\n")).as_bytes())
            .unwrap();
    });
    let mut stream = peer.client(PATIENT).events("x", 1).unwrap();
    let seen = collect(&mut stream);
    assert_eq!(seen[0], "{}");
    assert!(seen[1].starts_with("lost: "), "{seen:?}");
    assert!(matches!(stream.next(), Next::Lost(_)));
    peer.done();
}

#[test]
fn silence_is_told_and_can_end() {
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let peer = Peer::new(move |mut stream| {
        request(&mut stream);
        stream
            .write_all((HEAD.to_owned() + "9\r\ndata: ").as_bytes())
            .unwrap();
        wait.recv().unwrap();
        stream.write_all(b"{}\n\r\n1\r\n\n\r\n").unwrap();
        until_closed(&mut stream);
    });
    let timeouts = Timeouts {
        silence: SHORT,
        ..PATIENT
    };
    let mut stream = peer.client(timeouts).events("x", 1).unwrap();
    let start = Instant::now();
    assert!(matches!(stream.next(), Next::Silent));
    assert!(start.elapsed() >= SHORT / 2 && start.elapsed() < Duration::from_secs(10));
    assert!(matches!(stream.next(), Next::Silent));
    go.send(()).unwrap();
    let text = loop {
        match stream.next() {
            Next::Silent => {}
            Next::Data(text) => break text.to_owned(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(text, "{}");
    drop(stream);
    peer.done();
}

/// What a poll of the socket and a read that does not wait make of it.
fn polled(stream: &mut EventStream) -> Vec<String> {
    let mut seen = Vec::new();
    loop {
        if !stream.has_stopped() {
            use rustix::event::{PollFd, PollFlags, Timespec, poll};
            let patience: Timespec = PATIENT.silence.try_into().unwrap();
            let mut files = [PollFd::new(&stream, PollFlags::IN)];
            assert_eq!(poll(&mut files, Some(&patience)).unwrap(), 1, "{seen:?}");
        }
        match stream.try_batch() {
            Some(Arrived::Batch(batch)) => {
                seen.extend(batch.texts().map(str::to_owned));
                let lines = batch.texts().map(|text| text.to_owned() + "\n");
                assert!(batch.lines().eq(lines));
            }
            Some(Arrived::Partly) | None => {}
            Some(stopped) => {
                seen.push(format!("{stopped:?}"));
                return seen;
            }
        }
    }
}

#[test]
fn a_read_that_does_not_wait_finds_what_is_there_and_the_end_behind_it() {
    let event = chunk("data: {}\n\n");
    // The peer keeps the socket open: only what was read says that nothing more comes.
    for (rest, end) in [
        ("0\r\n\r\n", "End"),
        ("zz\r\n", "a chunk does not say its size"),
        ("8\r\ndata: 1\n\r\n0\r\n\r\n", "End"),
    ] {
        let (peer, client) = Peer::answering(HEAD.to_owned() + &event + rest);
        let mut stream = client.events("x", 1).unwrap();
        let seen = polled(&mut stream);
        assert_eq!(seen[0], "{}");
        assert!(seen[1].contains(end), "{seen:?}");
        drop(stream);
        peer.done();
    }
}

#[test]
fn a_read_that_does_not_wait_tells_parts_silence_and_events_that_are_no_text() {
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let peer = Peer::new(move |mut stream| {
        request(&mut stream);
        stream
            .write_all((HEAD.to_owned() + "9\r\ndata: ").as_bytes())
            .unwrap();
        wait.recv().unwrap();
        stream
            .write_all(b"{}\n\r\n1\r\n\n\r\n9\r\ndata: \xff\n\n\r\n")
            .unwrap();
        until_closed(&mut stream);
    });
    let timeouts = Timeouts {
        silence: SHORT,
        ..PATIENT
    };
    let mut stream = peer.client(timeouts).events("x", 1).unwrap();
    let start = Instant::now();
    while !matches!(stream.try_batch(), Some(Arrived::Partly)) {
        assert!(start.elapsed() < PATIENT.silence);
    }
    let due = stream.silent_at();
    assert!(due > start);
    loop {
        match stream.try_batch() {
            None => assert!(start.elapsed() < PATIENT.silence),
            Some(Arrived::Silent) => break,
            other => panic!("{other:?}"),
        }
    }
    assert!(Instant::now() >= due);
    go.send(()).unwrap();
    let seen = polled(&mut stream);
    assert_eq!(seen[0], "{}");
    assert!(seen[1].contains("not UTF-8"), "{seen:?}");
    drop(stream);
    peer.done();
}

/// The limit of a read on the stream is not the limit of its head.
#[test]
fn a_head_may_take_longer_than_a_silence() {
    let peer = Peer::new(move |mut stream| {
        request(&mut stream);
        thread::sleep(SHORT * 3);
        stream
            .write_all((HEAD.to_owned() + "0\r\n\r\n").as_bytes())
            .unwrap();
    });
    let timeouts = Timeouts {
        silence: SHORT,
        ..PATIENT
    };
    let mut stream = peer.client(timeouts).events("x", 1).unwrap();
    assert_eq!(collect(&mut stream), ["end"]);
    peer.done();
}

#[test]
fn events_of_any_size_arrive_whole() {
    for size in [16_383, 16_384, 16_385, 1_000_000, 5 * 1024 * 1024] {
        let text = format!("{{\"t\":\"{}\"}}", "é".repeat(size / 2));
        let event = format!("data: {text}\n\n");
        let body = chunk(&event) + &chunk("data: {}\n\n") + "0\r\n\r\n";
        let peer = Peer::new(move |mut stream| {
            request(&mut stream);
            stream.write_all(HEAD.as_bytes()).unwrap();
            stream.write_all(body.as_bytes()).unwrap();
        });
        let mut stream = peer.client(PATIENT).events("x", 1).unwrap();
        assert_eq!(collect(&mut stream), [text.as_str(), "{}", "end"]);
        peer.done();
    }
}

#[test]
fn a_line_over_the_cap_or_not_utf8_breaks_the_stream() {
    let bodies = [
        (
            format!("data: {}\n\n", "x".repeat(2000)).into_bytes(),
            "over 1000 bytes",
        ),
        (b"data: \xff\n\n".to_vec(), "not UTF-8"),
    ];
    for (body, expected) in bodies {
        let peer = Peer::new(move |mut stream| {
            request(&mut stream);
            stream.write_all(HEAD.as_bytes()).unwrap();
            stream
                .write_all(format!("{:x}\r\n", body.len()).as_bytes())
                .unwrap();
            stream.write_all(&body).unwrap();
            stream.write_all(b"\r\n").unwrap();
        });
        let client = Client::with_cap(&peer.path(), own_uid(), PATIENT, 1000);
        let mut stream = client.events("x", 1).unwrap();
        let seen = collect(&mut stream);
        assert!(
            seen[0].starts_with("broken: ") && seen[0].contains(expected),
            "{seen:?}"
        );
        assert!(matches!(stream.next(), Next::Lost(_)));
        peer.done();
    }
}

#[test]
fn what_is_no_stream_is_protocol() {
    for answer in [
        json("200 OK", "{}"),
        plain("201 Created", "text/event-stream", ""),
    ] {
        let (peer, client) = Peer::answering(answer);
        assert_eq!(*client.events("x", 1).unwrap_err().kind(), Kind::Protocol);
        peer.done();
    }
}

#[test]
fn a_refused_stream_keeps_its_code() {
    let body = r#"{"code":"events_expired","message":"oldest is 5"}"#;
    let (peer, client) = Peer::answering(json("410 Gone", body));
    let error = client.events("x", 1).unwrap_err();
    assert!(error.is_refusal(&crate::protocol::ErrorCode::EventsExpired));
    peer.done();
}

#[test]
fn a_stream_can_be_read_by_another_thread() {
    fn is_send<T: Send>() {}
    fn is_shared<T: Send + Sync + Clone>() {}
    is_send::<EventStream>();
    is_shared::<Client>();
}
