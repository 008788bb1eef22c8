//! The thread that empties one connection's socket, whatever the rest of the program does.
//!
//! It hands over batches of text and not events: one message for all that was buffered.

use std::sync::Arc;

use super::inbox::{Input, Waker};
use crate::client::{Arrived, Batch, Client};
use crate::error::{Error, Kind};
use crate::threads;

/// What a connection says.
pub enum FromStream {
    /// The response head is there.
    Opened,
    /// Some events, or none where only a sign of life came.
    Batch(Batch),
    /// The daemon ended the stream in an orderly way.
    Ended,
    /// The connection broke, was silent for too long, or could not be made again; says how.
    Lost(String),
    /// Opening failed, or what came is no event stream.
    Failed(Error),
}

/// Keeps a connection's thread going: once this is dropped, the thread ends at its next message.
#[derive(Default)]
pub(super) struct Reader {
    wanted: Arc<()>,
}

/// An event that is larger than this is read when the one before it is dealt with: not two of them in memory for nothing.
const LARGE_BYTES: usize = 1024 * 1024;

/// Opens the session's stream and reads it to its end, on a thread of its own.
pub(super) fn start(
    client: Client,
    session_id: String,
    from: u64,
    connection: u64,
    to: Waker,
) -> Reader {
    let reader = Reader::default();
    let wanted = Arc::downgrade(&reader.wanted);
    let told = to.clone();
    let started = threads::spawn(move || {
        let send = |message| {
            // Nobody listens any more: the end of this thread closes the connection.
            if wanted.strong_count() == 0 {
                return false;
            }
            to.send(Input::Stream(connection, message));
            true
        };
        if let Some(end) = read(&client, &session_id, from, &send, &|| to.pause()) {
            send(end);
        }
    });
    if !started {
        let error = Error::new(Kind::Failure, "no thread can be started to read the stream");
        told.send(Input::Stream(connection, FromStream::Failed(error)));
    }
    reader
}

/// Gives the last message; `None` if nobody listens any more.
fn read(
    client: &Client,
    session_id: &str,
    from: u64,
    send: &impl Fn(FromStream) -> bool,
    pause: &impl Fn(),
) -> Option<FromStream> {
    let mut stream = match client.events(session_id, from) {
        Ok(stream) => stream,
        Err(error) => return Some(FromStream::Failed(error)),
    };
    if !send(FromStream::Opened) {
        return None;
    }
    loop {
        match stream.next_batch() {
            Arrived::Partly if stream.pending() > LARGE_BYTES => pause(),
            Arrived::Partly => {}
            Arrived::Batch(batch) => {
                if !send(FromStream::Batch(batch)) {
                    return None;
                }
            }
            Arrived::End => return Some(FromStream::Ended),
            Arrived::Lost(how) => return Some(FromStream::Lost(how)),
            Arrived::Silent => return Some(FromStream::Lost("no sign of life".to_owned())),
            Arrived::Broken(error) => return Some(FromStream::Failed(error)),
        }
    }
}
