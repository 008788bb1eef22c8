//! The person at the terminal who answers questions under `ask`.

use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{self, Receiver, Sender};

use super::Context;
use crate::follow::{Input, Waker};
use crate::threads;

/// The terminal's lines, read from the first question on and not before.
pub(super) struct Keyboard {
    stdin: Option<Box<dyn Read + Send>>,
    waker: Waker,
    drop_typed: fn(),
    /// Lets reading go on after an end of input: on a terminal more may follow it.
    reading: Option<Sender<()>>,
}

impl Keyboard {
    /// One that has no terminal yet: the prompt may have to be read from it first.
    pub(super) fn new(context: &Context<'_>) -> Self {
        Self {
            stdin: None,
            waker: context.inbox.waker(),
            drop_typed: context.streams.drop_typed,
            reading: None,
        }
    }

    /// Takes the terminal's stdin, unless the prompt was read from it.
    pub(super) fn attach(&mut self, context: &mut Context<'_>) {
        if context.streams.in_terminal {
            self.stdin = context.streams.stdin.take();
        }
    }

    /// Listens for the answer to a question that is about to be shown.
    pub(super) fn listen(&mut self) {
        // What was typed before could not be meant for this question.
        (self.drop_typed)();
        if let Some(reading) = &self.reading {
            let _ = reading.send(());
            return;
        }
        let (sender, receiver) = mpsc::channel();
        self.reading = Some(sender);
        let (stdin, waker) = (self.stdin.take(), self.waker.clone());
        let nobody = waker.clone();
        let started = threads::spawn(move || match stdin {
            Some(stdin) => read(stdin, &waker, &receiver),
            None => waker.send(Input::Typed(None)),
        });
        if !started {
            nobody.send(Input::Typed(None));
        }
    }
}

/// Sends line after line. An end of input answers the question that stands, and no other one.
fn read(stdin: Box<dyn Read + Send>, waker: &Waker, go_on: &Receiver<()>) {
    let mut stdin = BufReader::new(stdin);
    loop {
        let mut line = String::new();
        match stdin.read_line(&mut line) {
            Ok(read) if read > 0 => waker.send(Input::Typed(Some(line))),
            _ => {
                // Whatever asked to go on before this end was about a question before it.
                while go_on.try_recv().is_ok() {}
                waker.send(Input::Typed(None));
                if go_on.recv().is_err() {
                    return;
                }
            }
        }
    }
}
