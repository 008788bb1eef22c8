//! Accepts connections and serves each on a thread of its own.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};

use super::answer::{self, Answer};
use super::core::Core;
use super::endpoints::{self, Reply};
use super::faults::{Act, Style};
use super::http::{Connection, Refusal, Request};
use super::routes::{self, Route};
use super::scenario::Door;
use super::session::Subscription;
use super::stream::Stream;

/// What the other end of `wake` says is only that the daemon stops.
pub(super) fn accept(core: &Arc<Core>, listener: &UnixListener, wake: &UnixStream) {
    while !core.is_stopping() {
        let mut ready = [
            PollFd::new(listener, PollFlags::IN),
            PollFd::new(wake, PollFlags::IN),
        ];
        if poll(&mut ready, None).is_err() {
            continue;
        }
        match listener.accept() {
            Ok((stream, _)) if is_ours(&stream) && stream.set_nonblocking(false).is_ok() => {
                core.spawn(move |core| connection(core, stream));
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            // No descriptors left, most likely: the ones in use come back.
            Err(_) => core.pause(Duration::from_millis(10)),
        }
    }
}

/// Only the user who started the daemon, and root, are answered.
#[cfg(target_os = "linux")]
fn is_ours(stream: &UnixStream) -> bool {
    rustix::net::sockopt::socket_peercred(stream)
        .is_ok_and(|peer| peer.uid.is_root() || peer.uid == rustix::process::getuid())
}

/// Elsewhere the mode of the socket and of its directory have to do.
#[cfg(not(target_os = "linux"))]
fn is_ours(_stream: &UnixStream) -> bool {
    true
}

fn connection(core: &Arc<Core>, stream: UnixStream) {
    let Some(number) = core.register(&stream) else {
        return;
    };
    let mut served = Served {
        core,
        number,
        connection: Connection::new(stream),
    };
    match core.options.source.door() {
        None => served.requests(),
        Some(Door::Silent) => served.wait_for_the_end(),
        Some(Door::NotHttp) => {
            let _ = served.write(b"SSH-2.0-OpenSSH_9.6\r\n");
            served.wait_for_the_end();
        }
    }
}

/// One connection while it is served.
struct Served<'a> {
    core: &'a Arc<Core>,
    number: usize,
    connection: Connection,
}

impl Drop for Served<'_> {
    fn drop(&mut self) {
        // The list holds a copy of the socket, so that dropping ours would not close it.
        let _ = self.connection.stream.shutdown(Shutdown::Both);
        self.core.forget_connection(self.number);
    }
}

impl Served<'_> {
    fn requests(&mut self) {
        let mut fresh = true;
        loop {
            let limit = self.core.options.header_deadline;
            match self.connection.next_request(fresh, limit) {
                Ok(request) => {
                    if !self.request(&request).unwrap_or(false) {
                        return;
                    }
                }
                Err(Refusal::Gone) => return,
                Err(Refusal::Bad(reason)) => {
                    let _ = self.write(&answer::bad_request(reason));
                    return;
                }
            }
            fresh = false;
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.connection.stream.write_all(bytes)
    }

    /// Serves one request. True if the connection is good for another.
    fn request(&mut self, request: &Request) -> io::Result<bool> {
        let (method, path) = (&request.method, &request.path);
        let (number, acts) = self.core.note_request(method, path, request.target());
        let mut style = Style::default();
        let mut hold_back = Duration::ZERO;
        let mut lose = false;
        for act in &acts {
            match act {
                Act::Delay(time) => self.core.pause(*time),
                Act::DelayAnswer(time) => hold_back = *time,
                Act::LoseAnswer => lose = true,
                other => style.apply(other),
            }
            if let Some(result) = self.misbehave(request, number, act) {
                return result;
            }
        }
        let reply = self.reply(request, number)?;
        self.core.pause(hold_back);
        if lose {
            return Ok(false);
        }
        match reply {
            Reply::Answer(answer) => {
                let close = !self.connection.discard_body();
                answer.write(&mut self.connection.stream, request, close)
            }
            Reply::Stream(subscription) => self.stream(request, style, &subscription),
        }
    }

    /// What a rule does instead of an answer, if it does.
    fn misbehave(
        &mut self,
        request: &Request,
        number: usize,
        act: &Act,
    ) -> Option<io::Result<bool>> {
        let instead = |result: io::Result<()>| Some(result.map(|()| false));
        match act {
            Act::Answer {
                status,
                content_type,
                body,
            } => {
                self.note_body(number);
                let answer = Answer::typed(*status, content_type, body.clone().into_bytes());
                Some(answer.write(&mut self.connection.stream, request, false))
            }
            Act::Raw(bytes) => {
                self.note_body(number);
                instead(self.write(bytes))
            }
            Act::Reset => instead(Ok(())),
            Act::Silence => {
                self.note_body(number);
                self.wait_for_the_end();
                instead(Ok(()))
            }
            Act::HeadOnly => {
                self.note_body(number);
                let head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n";
                let result = self.write(head);
                self.wait_for_the_end();
                instead(result)
            }
            _ => None,
        }
    }

    fn note_body(&mut self, number: usize) {
        if let Ok(body) = self.connection.body() {
            self.core.note_body(number, &body);
        }
    }

    /// Reads until the client or the daemon ends the connection.
    fn wait_for_the_end(&mut self) {
        let stream = &mut self.connection.stream;
        let mut some = [0; 4096];
        if stream.set_read_timeout(None).is_ok() {
            while matches!(stream.read(&mut some), Ok(count) if count > 0) {}
        }
    }

    fn reply(&mut self, request: &Request, number: usize) -> io::Result<Reply> {
        let (method, path) = (request.method.as_str(), request.path.as_str());
        if let Some(clean) = routes::cleaned(path) {
            let location = match &request.query {
                Some(query) => format!("{clean}?{query}"),
                None => clean,
            };
            return Ok(Reply::Answer(Answer::redirect(method, location)));
        }
        let Some(route) = Route::find(path) else {
            return Ok(Reply::Answer(Answer::not_found()));
        };
        if !route.allows(method) {
            return Ok(Reply::Answer(Answer::wrong_method(route.allow())));
        }
        let query = request.query.as_deref().unwrap_or_default();
        let (core, connection) = (self.core, &mut self.connection);
        let mut body = || {
            let body = connection.body()?;
            core.note_body(number, &body);
            Ok(body)
        };
        endpoints::handle(core, &route, method, query, &mut body)
    }

    fn stream(
        &mut self,
        request: &Request,
        style: Style,
        subscription: &Subscription,
    ) -> io::Result<bool> {
        // Marked first: whoever has read the head may cut the stream.
        self.core.mark_stream(self.number, request.method != "HEAD");
        self.write(&answer::stream_head(request))?;
        if request.method == "HEAD" {
            return Ok(!request.close);
        }
        let mut stream = Stream {
            to: &self.connection.stream,
            chunked: !request.old,
            style,
            ping_interval: self.core.options.ping_interval,
            sent: 0,
            events: 0,
        };
        stream.run(subscription)?;
        self.core.mark_stream(self.number, false);
        Ok(!request.close)
    }
}
