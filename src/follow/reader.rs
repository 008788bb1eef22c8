//! The thread that empties one connection's socket, whatever the rest of the program does.
//!
//! It hands over batches of text and not events: one message for all that was buffered.

use std::thread;

use super::inbox::{Input, Waker};
use crate::client::{Arrived, Batch, Client};
use crate::error::Error;

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

/// Opens the session's stream and reads it to its end, on a thread of its own.
pub(super) fn start(client: Client, session_id: String, from: u64, connection: u64, to: Waker) {
    thread::spawn(move || {
        let send = |message| to.send(Input::Stream(connection, message));
        let end = read(&client, &session_id, from, &send);
        send(end);
    });
}

fn read(client: &Client, session_id: &str, from: u64, send: &impl Fn(FromStream)) -> FromStream {
    let mut stream = match client.events(session_id, from) {
        Ok(stream) => stream,
        Err(error) => return FromStream::Failed(error),
    };
    send(FromStream::Opened);
    loop {
        match stream.next_batch() {
            Arrived::Batch(batch) => send(FromStream::Batch(batch)),
            Arrived::End => return FromStream::Ended,
            Arrived::Lost(how) => return FromStream::Lost(how),
            Arrived::Silent => return FromStream::Lost("no sign of life".to_owned()),
            Arrived::Broken(error) => return FromStream::Failed(error),
        }
    }
}
