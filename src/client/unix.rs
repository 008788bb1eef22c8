//! ureq over a Unix socket: its connector, transport and resolver.
//!
//! The only file that names `ureq::unversioned`, which may change in a minor release. It moves bytes and remembers how
//! far a request got; what that means is decided elsewhere.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rustix::net::RecvFlags;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, LazyBuffers, NextTimeout, Transport,
};
use ureq::{Agent, Error, Timeout};

use super::connect;

/// How much of what came back is remembered, in bytes: enough to show what else than HTTP it is.
const REMEMBERED_BYTES: usize = 320;

/// How far a request got.
#[derive(Debug, Default)]
pub(super) struct Trace {
    written: AtomicBool,
    received: OnceLock<Vec<u8>>,
    /// A second handle on the connection of a stream, whose body is read from the socket itself.
    socket: Mutex<Option<UnixStream>>,
}

impl Trace {
    /// Whether any byte of the request left this program.
    pub(super) fn was_written(&self) -> bool {
        self.written.load(Ordering::Relaxed)
    }

    /// The first bytes that came back; empty if none did.
    pub(super) fn received(&self) -> &[u8] {
        self.received.get().map_or(&[], Vec::as_slice)
    }

    /// The socket of a stream, behind the head of the answer.
    pub(super) fn socket(&self) -> Option<UnixStream> {
        let mut socket = self.socket.lock().unwrap_or_else(PoisonError::into_inner);
        socket.take()
    }
}

/// An agent for one request on a connection of its own, and the record of how far it got.
///
/// Nothing is pooled: a connection that died while it lay idle fails only after the request was written, and a request
/// that changes something must not be repeated then. A connect to a Unix socket is cheap. Of a
/// stream only the head is read here; the socket behind it is in the record.
pub(super) fn agent(
    config: Config,
    path: PathBuf,
    own_uid: u32,
    bound: Duration,
    is_stream: bool,
) -> (Agent, Arc<Trace>) {
    let trace = Arc::new(Trace::default());
    let connector = UnixConnector {
        path,
        own_uid,
        bound,
        is_stream,
        trace: Arc::clone(&trace),
    };
    (Agent::with_parts(config, connector, NoNames), trace)
}

/// Opens the socket, whatever the URI says.
#[derive(Debug)]
struct UnixConnector {
    path: PathBuf,
    own_uid: u32,
    bound: Duration,
    is_stream: bool,
    trace: Arc<Trace>,
}

impl Connector for UnixConnector {
    type Out = UnixTransport;

    fn connect(
        &self,
        details: &ConnectionDetails,
        _chained: Option<()>,
    ) -> Result<Option<UnixTransport>, Error> {
        let stream = connect::connect(&self.path, self.own_uid, self.bound)
            .map_err(|obstacle| Error::Other(Box::new(obstacle.into_error(&self.path))))?;
        if self.is_stream {
            let socket = stream.try_clone().map_err(Error::Io)?;
            let mut kept = self
                .trace
                .socket
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            *kept = Some(socket);
        }
        let config = details.config;
        Ok(Some(UnixTransport {
            stream,
            is_stream: self.is_stream,
            buffers: LazyBuffers::new(config.input_buffer_size(), config.output_buffer_size()),
            read_limit: None,
            write_limit: None,
            peer_stopped_reading: false,
            trace: Arc::clone(&self.trace),
        }))
    }
}

/// One connection.
#[derive(Debug)]
struct UnixTransport {
    stream: UnixStream,
    /// The answer is a stream: its head is read to its last byte and no further.
    is_stream: bool,
    buffers: LazyBuffers,
    /// What the socket is set to, so that it is not set again before each read.
    read_limit: Option<Duration>,
    write_limit: Option<Duration>,
    /// The daemon may answer a large request before it has read all of it, and close.
    peer_stopped_reading: bool,
    trace: Arc<Trace>,
}

impl Transport for UnixTransport {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        if self.peer_stopped_reading {
            return Ok(());
        }
        let timeout = timeout.for_write();
        let limit = limit(&timeout)?;
        if limit != self.write_limit {
            set_limit(limit, |limit| self.stream.set_write_timeout(limit))?;
            self.write_limit = limit;
        }
        let start = Instant::now();
        let mut rest = &self.buffers.output()[..amount];
        while !rest.is_empty() {
            if limit.is_some_and(|limit| start.elapsed() >= limit) {
                return Err(Error::Timeout(timeout.reason));
            }
            match (&self.stream).write(rest) {
                Ok(count) => {
                    self.trace.written.store(true, Ordering::Relaxed);
                    rest = &rest[count..];
                }
                Err(error) => match error.kind() {
                    ErrorKind::Interrupted => {}
                    ErrorKind::WouldBlock | ErrorKind::TimedOut => {
                        return Err(Error::Timeout(timeout.reason));
                    }
                    // The answer may be there all the same, and says more than this error.
                    ErrorKind::BrokenPipe
                    | ErrorKind::ConnectionReset
                    | ErrorKind::NotConnected => {
                        self.peer_stopped_reading = true;
                        return Ok(());
                    }
                    _ => return Err(Error::Io(error)),
                },
            }
        }
        Ok(())
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        // The head has a limit of its own; the limit of a single read, meant for the body, may be shorter.
        let timeout = match timeout.reason {
            Timeout::RecvResponse => timeout,
            _ => timeout.for_read(),
        };
        let limit = limit(&timeout)?;
        if limit != self.read_limit {
            set_limit(limit, |limit| self.stream.set_read_timeout(limit))?;
            self.read_limit = limit;
        }
        let before = last_three(self.buffers.input());
        let space = self.buffers.input_append_buf();
        if space.is_empty() {
            // Reading into no space looks like an end. What fills the buffer and makes no sense yet never will.
            let size = self.buffers.input().len();
            return Err(Error::LargeResponseHeader(size, size));
        }
        let head_only = self.is_stream && timeout.reason == Timeout::RecvResponse;
        let read = |space: &mut [u8]| {
            if head_only {
                read_head(&self.stream, before, space)
            } else {
                (&self.stream).read(space)
            }
        };
        let count = loop {
            match read(space) {
                Ok(count) => break count,
                Err(error) => match error.kind() {
                    ErrorKind::Interrupted => {}
                    ErrorKind::WouldBlock | ErrorKind::TimedOut => {
                        return Err(Error::Timeout(timeout.reason));
                    }
                    _ => return Err(Error::Io(error)),
                },
            }
        };
        if count > 0 {
            self.trace
                .received
                .get_or_init(|| space[..count.min(REMEMBERED_BYTES)].to_vec());
        }
        self.buffers.input_appended(count);
        Ok(count > 0)
    }

    /// Never offered for another request; see [`agent`].
    fn is_open(&mut self) -> bool {
        false
    }
}

/// The last bytes of what was read, filled up in front.
fn last_three(bytes: &[u8]) -> [u8; 3] {
    let mut last = [0; 3];
    let count = bytes.len().min(3);
    last[3 - count..].copy_from_slice(&bytes[bytes.len() - count..]);
    last
}

/// Reads no further than to the empty line that ends a head; `before` is what was read last.
fn read_head(mut stream: &UnixStream, before: [u8; 3], space: &mut [u8]) -> io::Result<usize> {
    let (_, count) = rustix::net::recv(stream, &mut *space, RecvFlags::PEEK)?;
    let mut last = before;
    for (at, byte) in space[..count].iter().enumerate() {
        // Lines may end in LF alone.
        if *byte == b'\n' && (last[2] == b'\n' || last[1..] == *b"\n\r") {
            return stream.read(&mut space[..=at]);
        }
        last = [last[1], last[2], *byte];
    }
    stream.read(&mut space[..count])
}

/// The time left, `None` for ever.
fn limit(timeout: &NextTimeout) -> Result<Option<Duration>, Error> {
    if timeout.after.is_zero() {
        return Err(Error::Timeout(timeout.reason));
    }
    Ok(timeout.not_zero().map(|left| *left))
}

/// Sets a limit of the socket.
fn set_limit(
    limit: Option<Duration>,
    set: impl FnOnce(Option<Duration>) -> io::Result<()>,
) -> Result<(), Error> {
    match set(limit) {
        // macOS refuses it once the peer has closed, though an answer may still be there to be read.
        Err(error) if cfg!(target_os = "macos") && error.kind() == ErrorKind::InvalidInput => {
            Ok(())
        }
        other => other.map_err(Error::Io),
    }
}

/// Resolves every name to nowhere: ureq's own resolver would look up the made-up host.
#[derive(Debug)]
struct NoNames;

impl Resolver for NoNames {
    fn resolve(
        &self,
        _uri: &Uri,
        _config: &Config,
        _timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        let mut addresses = self.empty();
        addresses.push(SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)));
        Ok(addresses)
    }
}
