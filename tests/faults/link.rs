//! One connection through the proxy: its request, its fate, and its answer on the way back.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::RecvFlags;

use crate::answer::{Apart, Part, chunks};
use crate::proxy::{Shared, TICK};
use crate::random::Random;
use crate::schedule::{Asked, Fate, How, Pieces, Plan};

/// Why a connection is over before its answer is.
struct Over;

type Flow = Result<(), Over>;

/// Plays the plan of one connection.
pub fn run(shared: &Shared, mut client: UnixStream) {
    let Some(request) = peek_request(shared, &client) else {
        return;
    };
    let asked = asked(&request);
    let nth = shared.ledger.count(asked);
    let plan = shared.schedule.plan(asked, nth);
    let first_line = request.split(|byte| *byte == b'\r').next().unwrap();
    let first_line = String::from_utf8_lossy(first_line).into_owned();
    if first_line.contains("/turns ") {
        shared.ledger.submitted.store(true, Relaxed);
    }
    shared.ledger.note(format!("{first_line}: {plan:?}"));
    // What is left unread makes the close a reset.
    let resets = matches!(plan.cut, Some((_, How::Reset)));
    if !resets {
        let mut taken = vec![0; request.len()];
        if client.read_exact(&mut taken).is_err() {
            return;
        }
    }
    match plan.fate {
        Fate::Answered => {}
        Fate::Dropped => return lost(shared, asked),
        Fate::Ignored(time) => {
            lost(shared, asked);
            return shared.sleep(time);
        }
        Fate::AnswerLost => lost(shared, asked),
    }
    let link = Link {
        shared,
        asked,
        random: Random::new(plan.seed),
        may_cut: !plan.event_first,
        plan,
        client: &client,
        written: 0,
        body: 0,
        writes: 0,
        unfinished: Vec::new(),
    };
    link.answer(&request);
}

/// The client may notice, and may not know what its request has done.
fn lost(shared: &Shared, asked: Asked) {
    shared.ledger.harsh.store(true, Relaxed);
    if asked == Asked::Change {
        shared.ledger.change_lost.store(true, Relaxed);
    }
}

fn asked(request: &[u8]) -> Asked {
    let line = request.split(|byte| *byte == b'\r').next().unwrap();
    let line = String::from_utf8_lossy(line);
    match (line.starts_with("GET "), line.contains("/events")) {
        (true, true) => Asked::Stream,
        (true, false) => Asked::Session,
        (false, _) => Asked::Change,
    }
}

/// The whole request, left where it is; `None` if it never came.
fn peek_request(shared: &Shared, client: &UnixStream) -> Option<Vec<u8>> {
    let mut bytes = vec![0; 64 << 10];
    loop {
        let (count, _) = rustix::net::recv(client, &mut bytes[..], RecvFlags::PEEK).ok()?;
        if count == 0 || shared.stops() {
            return None;
        }
        let text = String::from_utf8_lossy(&bytes[..count]);
        if let Some((head, _)) = text.split_once("\r\n\r\n") {
            let length = head
                .to_ascii_lowercase()
                .lines()
                .find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
            let whole = head.len() + 4 + length.unwrap_or(0_usize);
            if count >= whole {
                bytes.truncate(whole);
                return Some(bytes);
            }
        }
        std::thread::sleep(Duration::from_micros(200));
    }
}

struct Link<'a> {
    shared: &'a Shared,
    asked: Asked,
    plan: Plan,
    random: Random,
    client: &'a UnixStream,
    /// Bytes written to the client.
    written: usize,
    /// Those of the body among them, without their framing.
    body: usize,
    writes: usize,
    /// In a mild schedule an event has to pass before anything happens.
    may_cut: bool,
    /// Bytes of a stream behind its last whole frame.
    unfinished: Vec<u8>,
}

impl Link<'_> {
    fn answer(mut self, request: &[u8]) {
        let Ok(mut daemon) = UnixStream::connect(self.shared.daemon.socket()) else {
            return lost(self.shared, self.asked);
        };
        if daemon.write_all(request).is_err() {
            return lost(self.shared, self.asked);
        }
        daemon.set_read_timeout(Some(TICK)).unwrap();
        let _ = self.relay(&mut daemon);
        if self.plan.restart {
            let orderly = matches!(self.plan.cut, Some((_, How::Orderly)));
            self.shared.ledger.closed.store(orderly, Relaxed);
            lost(self.shared, self.asked);
            self.shared.ledger.restarted.store(true, Relaxed);
            self.shared.daemon.forget_sessions();
        }
        if let Some(away) = self.plan.away {
            lost(self.shared, self.asked);
            *self.shared.away.lock().unwrap() = Some(away);
        }
    }

    fn relay(&mut self, daemon: &mut UnixStream) -> Flow {
        let mut apart = Apart::new();
        let mut some = vec![0; 64 << 10];
        loop {
            while let Some(part) = apart.next() {
                let end = part == Part::End;
                self.part(part, apart.chunked)?;
                if end {
                    return Ok(());
                }
            }
            if self.shared.stops() || self.has_left() {
                return Err(Over);
            }
            match daemon.read(&mut some) {
                Ok(0) => {
                    // The daemon itself has broken off.
                    lost(self.shared, self.asked);
                    return Err(Over);
                }
                Ok(count) => apart.add(&some[..count]),
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(_) => return Err(Over),
            }
        }
    }

    /// Whether the client has closed its end.
    fn has_left(&self) -> bool {
        let mut wanted = [PollFd::new(self.client, PollFlags::empty())];
        let at_once = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        let _ = poll(&mut wanted, Some(&at_once));
        wanted[0].revents().contains(PollFlags::HUP)
    }

    fn part(&mut self, part: Part, chunked: bool) -> Flow {
        if self.plan.fate == Fate::AnswerLost {
            return if part == Part::End { Err(Over) } else { Ok(()) };
        }
        match part {
            Part::Head(head) => self.write(&head),
            Part::Body(body) => {
                let whole = self.record(&body);
                if self.may_cut || self.asked != Asked::Stream {
                    return self.pass(&body, chunked);
                }
                // Up to the first end of an event nothing happens to it.
                let (first, rest) = body.split_at(whole.unwrap_or(body.len()));
                self.pass(first, chunked)?;
                self.may_cut = whole.is_some();
                self.pass(rest, chunked)
            }
            Part::End if chunked => {
                self.write(b"0\r\n\r\n")?;
                self.linger();
                Ok(())
            }
            Part::End => Ok(()),
        }
    }

    /// A stream that ended in an orderly way leaves the connection open.
    fn linger(&self) {
        let due = Instant::now() + Duration::from_millis(300);
        while Instant::now() < due && !self.has_left() && !self.shared.stops() {
            std::thread::sleep(TICK);
        }
    }

    /// Notes the events of a stream before anything is done to them; says how many of the bytes
    /// belong to the first that is whole by now.
    fn record(&mut self, body: &[u8]) -> Option<usize> {
        if self.asked != Asked::Stream {
            return None;
        }
        let before = self.unfinished.len();
        self.unfinished.extend_from_slice(body);
        let (mut taken, mut first) = (0, None);
        let mut log = self.shared.ledger.log.lock().unwrap();
        while let Some(end) = self.unfinished.windows(2).position(|two| two == b"\n\n") {
            let frame: Vec<u8> = self.unfinished.drain(..end + 2).collect();
            taken += frame.len();
            let text = String::from_utf8(frame).unwrap();
            if let Some(data) = text.lines().find_map(|line| line.strip_prefix("data: ")) {
                let event: serde_json::Value = serde_json::from_str(data).unwrap();
                let known = log.insert(event["seq"].as_u64().unwrap(), data.to_owned());
                assert!(known.is_none_or(|known| known == data), "two logs");
                first.get_or_insert(taken - before);
            }
        }
        first
    }

    /// Passes bytes of the body on, up to an end or garbage that is due in them; only a body in
    /// chunks can end early in an orderly way.
    fn pass(&mut self, body: &[u8], chunked: bool) -> Flow {
        let (at, how) = match self.plan.cut {
            Some((at, how @ (How::Orderly | How::Garbage))) if self.may_cut && chunked => (at, how),
            _ => (usize::MAX, How::Closed),
        };
        let left = at.saturating_sub(self.body).min(body.len());
        let is_cut = at != usize::MAX && at < self.body + body.len();
        self.body += left;
        let framed = if chunked {
            chunks(&body[..left], self.plan.rechunked, &mut self.random)
        } else {
            body[..left].to_vec()
        };
        self.write(&framed)?;
        if !is_cut {
            return Ok(());
        }
        if how == How::Garbage {
            self.shared.ledger.garbage.store(true, Relaxed);
            lost(self.shared, self.asked);
            let garbage = self.random.pick(&[
                &b"zz\r\nno chunk\r\n"[..],
                b"13\r\ndata: no JSON, this\n\n\r\n",
                b"\r\n\r\n\xff\xff",
            ]);
            let _ = self.write(garbage);
        } else {
            self.write(b"0\r\n\r\n")?;
            self.linger();
        }
        Err(Over)
    }

    /// Writes, in the pieces and with the pauses of the plan, up to a break that is due in it.
    fn write(&mut self, bytes: &[u8]) -> Flow {
        let cut = self.plan.cut.filter(|_| self.may_cut);
        let (left, how) = match cut {
            Some((at, how @ (How::Closed | How::Reset | How::Stalled(_)))) => {
                (at.saturating_sub(self.written), Some(how))
            }
            _ => (usize::MAX, None),
        };
        let passed = &bytes[..left.min(bytes.len())];
        let size = match self.plan.pieces {
            Pieces::AsTheyCome => bytes.len().max(1),
            // Byte by byte all the way would take too long for a long answer.
            Pieces::Single if self.written > 2000 => 997,
            Pieces::Single => 1,
            Pieces::UpTo(most) => self.random.between(1, most),
        };
        for piece in passed.chunks(size) {
            let mut client = self.client;
            client.write_all(piece).map_err(|_| Over)?;
            self.written += piece.len();
            self.writes += 1;
            if let Some((every, time)) = self.plan.pause
                && self.writes.is_multiple_of(every)
                && self.writes < 200
            {
                self.shared.sleep(time);
            }
        }
        if passed.len() == bytes.len() {
            return Ok(());
        }
        if !self.shared.schedule.mild {
            lost(self.shared, self.asked);
        }
        if let Some(How::Stalled(time)) = how {
            self.shared.sleep(time);
        }
        Err(Over)
    }
}
