//! Streams in the hands of the main thread and of their own threads, against a peer on a socket.

use std::cell::Cell;
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::rc::Rc;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use tempfile::TempDir;

use super::*;
use crate::client::{Batch, Client, Timeouts};
use crate::follow::reader;

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

/// Longer than anything here takes, unless it hangs.
const HANG: Duration = Duration::from_secs(30);

/// A peer that answers one request with a stream, and goes on by a script.
struct Peer {
    directory: TempDir,
    thread: JoinHandle<()>,
}

impl Peer {
    fn new(script: impl FnOnce(UnixStream) + Send + 'static) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(directory.path().join("s")).unwrap();
        let thread = thread::spawn(move || {
            let mut stream = listener.accept().unwrap().0;
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).unwrap();
                head.push(byte[0]);
            }
            stream.write_all(HEAD).unwrap();
            script(stream);
        });
        Self { directory, thread }
    }

    fn open(&self, silence: Duration, inbox: &mut Inbox) -> reader::Reader {
        let timeouts = Timeouts {
            silence,
            ..Timeouts::default()
        };
        let uid = rustix::process::getuid().as_raw();
        let client = Client::new(&self.directory.path().join("s"), uid, timeouts);
        let number = inbox.number();
        reader::start(client, "x".to_owned(), (1, false), number, inbox.waker())
    }
}

fn until_closed(stream: &mut UnixStream) {
    while stream.read(&mut [0; 64]).unwrap() > 0 {}
}

/// What comes next; a hang fails the test.
fn next(inbox: &mut Inbox) -> Input {
    let input = inbox.next(Some(Instant::now() + HANG), || ());
    input.expect("something happens")
}

#[test]
fn nothing_is_lost_between_the_hands() {
    const EVENTS: usize = 60_000;
    let peer = Peer::new(move |mut stream| {
        for number in 0..EVENTS {
            // Wherever a read ends, and with pauses in which whoever reads has to wait.
            if number % 5000 == 0 {
                thread::sleep(Duration::from_millis(5));
            }
            stream
                .write_all(format!("data: {number}\n\n").as_bytes())
                .unwrap();
        }
    });
    let mut inbox = Inbox::default();
    let level = Rc::new(Cell::new(Backlog::Low));
    let told = Rc::clone(&level);
    inbox.mind(move || told.get());
    let _reader = peer.open(HANG, &mut inbox);
    let (mut seen, mut batches, mut by_hand) = (0, 0, 0);
    while seen < EVENTS {
        by_hand += usize::from(!inbox.sources.is_empty());
        let Input::Stream(_, FromStream::Batch(batch)) = next(&mut inbox) else {
            continue;
        };
        for text in batch.texts() {
            assert_eq!(text, seen.to_string());
            seen += 1;
        }
        batches += 1;
        level.set(match batches % 16 {
            0..10 => Backlog::Low,
            10..15 => Backlog::High,
            _ => {
                // Behind for a moment: somebody reads on meanwhile.
                level.set(Backlog::Full);
                assert!(inbox.next(Some(Instant::now()), || ()).is_none());
                assert!(inbox.sources.is_empty());
                Backlog::Low
            }
        });
    }
    assert!(by_hand > 0, "the main thread read, too");
    peer.thread.join().unwrap();
}

#[test]
fn what_other_threads_say_is_heard_beside_a_quiet_stream() {
    let peer = Peer::new(|mut stream| until_closed(&mut stream));
    let mut inbox = Inbox::default();
    let reader = peer.open(HANG, &mut inbox);
    assert!(matches!(
        next(&mut inbox),
        Input::Stream(_, FromStream::Opened(_))
    ));
    for number in 1..=100 {
        let waker = inbox.waker();
        let sender = thread::spawn(move || {
            thread::sleep(Duration::from_micros(number * 20));
            waker.send(Input::Answered(number));
        });
        assert!(matches!(next(&mut inbox), Input::Answered(answered) if answered == number));
        sender.join().unwrap();
    }
    assert!(!inbox.sources.is_empty());
    let begun = Instant::now();
    let deadline = begun + Duration::from_millis(30);
    assert!(inbox.next(Some(deadline), || ()).is_none());
    assert!(Instant::now() >= deadline);
    // Nobody wants it any more: the next wait closes the connection.
    drop(reader);
    inbox.next(Some(Instant::now() + Duration::from_millis(10)), || ());
    peer.thread.join().unwrap();
}

#[test]
fn silence_is_a_loss_whoever_reads() {
    for backlog in [Backlog::Low, Backlog::High] {
        let peer = Peer::new(|mut stream| until_closed(&mut stream));
        let mut inbox = Inbox::default();
        inbox.mind(move || backlog);
        let begun = Instant::now();
        let silence = Duration::from_millis(200);
        let _reader = peer.open(silence, &mut inbox);
        loop {
            match next(&mut inbox) {
                Input::Stream(_, FromStream::Opened(_)) => {}
                Input::Stream(_, FromStream::Lost(how)) => {
                    assert_eq!(how, "no sign of life");
                    break;
                }
                _ => panic!("something else than silence"),
            }
        }
        assert!(begun.elapsed() >= silence);
        peer.thread.join().unwrap();
    }
}

/// Opens the peer's stream, and waits until the main thread has it.
fn by_hand(peer: &Peer, silence: Duration, inbox: &mut Inbox) -> reader::Reader {
    let reader = peer.open(silence, inbox);
    assert!(matches!(
        next(inbox),
        Input::Stream(_, FromStream::Opened(_))
    ));
    while inbox.sources.is_empty() {
        let soon = Instant::now() + Duration::from_millis(1);
        assert!(inbox.next(Some(soon), || ()).is_none());
    }
    reader
}

#[test]
fn a_stream_is_read_beside_a_thread_that_never_pauses() {
    const OTHERS: usize = 100;
    let (go, told) = mpsc::channel();
    let (tell, sent) = mpsc::channel();
    let peer = Peer::new(move |mut stream| {
        told.recv().unwrap();
        stream.write_all(b"data: 1\n\n").unwrap();
        tell.send(()).unwrap();
        until_closed(&mut stream);
    });
    let mut inbox = Inbox::default();
    let reader = by_hand(&peer, HANG, &mut inbox);
    go.send(()).unwrap();
    sent.recv().unwrap();
    for _ in 0..OTHERS {
        let other = FromStream::Batch(Batch::default());
        inbox.waker().send(Input::Stream(0, other));
    }
    let mut others = 0;
    while let Input::Stream(0, _) = next(&mut inbox) {
        others += 1;
    }
    assert!(others < 10, "{others} of {OTHERS} others came first");
    for _ in others..OTHERS {
        assert!(matches!(next(&mut inbox), Input::Stream(0, _)));
    }
    drop(inbox);
    drop(reader);
    peer.thread.join().unwrap();
}

#[test]
fn the_silence_of_a_stream_goes_on_when_a_thread_gets_it() {
    const SILENCE: Duration = Duration::from_secs(2);
    let peer = Peer::new(|mut stream| until_closed(&mut stream));
    let mut inbox = Inbox::default();
    let level = Rc::new(Cell::new(Backlog::Low));
    let told = Rc::clone(&level);
    inbox.mind(move || told.get());
    let reader = by_hand(&peer, SILENCE, &mut inbox);
    let begun = Instant::now();
    assert!(inbox.next(Some(begun + SILENCE * 9 / 10), || ()).is_none());
    level.set(Backlog::High);
    assert!(matches!(
        next(&mut inbox),
        Input::Stream(_, FromStream::Lost(_))
    ));
    // It would be another whole silence.
    assert!(begun.elapsed() < SILENCE * 18 / 10);
    drop(reader);
    peer.thread.join().unwrap();
}
