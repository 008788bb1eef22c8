//! The queue behind the inbox: what is urgent, what a stream has brought, and who waits for it.
//!
//! Streams are bounded by bytes and not by messages: a message is one event or a thousand. What is urgent never waits
//! behind them. Nobody is woken who does not wait, which would cost a system call an event. The main thread waits here
//! for messages alone, or beside its sockets for a bell that is rung when one comes.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::inbox::Input;
use super::reader::FromStream;
use super::sources::Bell;

/// So many bytes of events may be on their way to the main thread, the ones in its hands included.
const BYTES: usize = 128 * 1024;

/// What a message takes besides its text.
const MESSAGE_BYTES: usize = 128;

/// How many other inputs may queue up before their senders wait.
const URGENT: usize = 64;

/// See the module.
#[derive(Default)]
pub(super) struct Mailbox {
    state: Mutex<State>,
    arrived: Condvar,
    room: Condvar,
    /// `None` if it cannot be had.
    bell: OnceLock<Option<Bell>>,
}

/// What the receiver takes.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Want {
    /// Nothing of a stream.
    #[default]
    Urgent,
    /// What the threads of the streams read.
    Batches,
    /// That, and the streams themselves, as it has the time to read them.
    Sources,
}

/// How the main thread is to be woken.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Wake {
    /// Not at all: it looks by itself when it is done with something.
    #[default]
    None,
    /// It waits for a message.
    Notify,
    /// It waits for its sockets and the bell.
    Ring,
}

#[derive(Default)]
struct State {
    urgent: VecDeque<Input>,
    streams: VecDeque<Input>,
    /// Bytes of stream messages that are not dealt with.
    bytes: usize,
    /// Those of them that were handed out last.
    in_hand: usize,
    /// [`Input::Output`] is among the urgent ones: one is enough.
    output: bool,
    receiver: Wake,
    want: Want,
    senders_wait: bool,
    closed: bool,
}

impl State {
    fn pop(&mut self, want: Want) -> Option<Input> {
        self.receiver = Wake::None;
        self.want = want;
        if let Some(input) = self.urgent.pop_front() {
            self.output &= !matches!(input, Input::Output);
            return Some(input);
        }
        if want == Want::Urgent {
            return None;
        }
        let input = self.streams.pop_front()?;
        self.in_hand = size(&input);
        Some(input)
    }

    /// What was handed out last is dealt with. While nothing of a stream is wanted it is still being written.
    fn release(&mut self, want: Want) -> usize {
        if want == Want::Urgent {
            return 0;
        }
        let released = std::mem::take(&mut self.in_hand);
        self.bytes -= released;
        released
    }

    /// Whether a message of this size has to wait. One message may always be on its way, however large.
    fn has_no_room(&mut self, size: usize) -> bool {
        !self.closed && self.bytes > 0 && self.bytes + size > BYTES
    }
}

/// How many bytes of memory the message holds.
fn size(input: &Input) -> usize {
    match input {
        Input::Stream(_, FromStream::Batch(batch)) => MESSAGE_BYTES + batch.size(),
        _ => MESSAGE_BYTES,
    }
}

impl Mailbox {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bell, if one can be had.
    pub(super) fn bell(&self) -> Option<&Bell> {
        self.bell.get_or_init(|| Bell::new().ok()).as_ref()
    }

    /// Delivers; waits for room if there is none. Says whether the receiver was waiting and would read a stream
    /// itself.
    pub(super) fn push(&self, input: Input) -> bool {
        let mut state = self.lock();
        if let Input::Stream(..) | Input::Source(_) = input {
            let size = size(&input);
            state = self.wait_while(state, |state| state.has_no_room(size));
            state.bytes += size;
            state.streams.push_back(input);
        } else if let Input::Output = input {
            if std::mem::replace(&mut state.output, true) {
                return false;
            }
            state.urgent.push_back(input);
        } else {
            // An answer never waits: where no thread can be started it is the main thread that sends it. No more of
            // them come than the main thread has asked for.
            let waits = !matches!(input, Input::Answered(_));
            state = self.wait_while(state, |state| {
                waits && !state.closed && state.urgent.len() >= URGENT
            });
            state.urgent.push_back(input);
        }
        self.deliver(state)
    }

    /// Delivers what a stream says, from the main thread itself: nobody else would make room while it waits.
    pub(super) fn push_own(&self, input: Input) {
        let mut state = self.lock();
        state.bytes += size(&input);
        state.streams.push_back(input);
        self.deliver(state);
    }

    fn deliver(&self, mut state: MutexGuard<'_, State>) -> bool {
        let receiver = std::mem::take(&mut state.receiver);
        let is_awaited = receiver != Wake::None && state.want == Want::Sources;
        drop(state);
        match (receiver, self.bell.get()) {
            (Wake::None, _) => {}
            (Wake::Ring, Some(Some(bell))) => bell.ring(),
            _ => self.arrived.notify_one(),
        }
        is_awaited
    }

    fn wait_while<'a>(
        &self,
        mut state: MutexGuard<'a, State>,
        mut condition: impl FnMut(&mut State) -> bool,
    ) -> MutexGuard<'a, State> {
        while condition(&mut state) {
            state.senders_wait = true;
            state = self
                .room
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state
    }

    /// Waits until everything a stream has brought is dealt with, at most so long; for a sender that is about to need
    /// much more memory.
    pub(super) fn wait_for_rest(&self, bound: Duration) {
        let due = Instant::now() + bound;
        let mut state = self.lock();
        while state.bytes > 0 && !state.closed {
            let left = due.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state.senders_wait = true;
            let woken = self.room.wait_timeout(state, left);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The next input that is there; the one handed out before counts as dealt with.
    pub(super) fn try_pop(&self, want: Want) -> Option<Input> {
        self.take(want, Wake::None)
    }

    /// The same; if there is none, the bell will be rung for the next.
    pub(super) fn pop_or_ring(&self, want: Want) -> Option<Input> {
        self.take(want, Wake::Ring)
    }

    fn take(&self, want: Want, otherwise: Wake) -> Option<Input> {
        let mut state = self.lock();
        let released = state.release(want);
        let input = state.pop(want);
        if input.is_none() {
            state.receiver = otherwise;
        }
        if (released > 0 || input.is_some()) && std::mem::take(&mut state.senders_wait) {
            drop(state);
            self.room.notify_all();
        }
        input
    }

    /// The next input, or `None` at the deadline.
    pub(super) fn pop(&self, want: Want, deadline: Option<Instant>) -> Option<Input> {
        let mut state = self.lock();
        if state.release(want) > 0 && std::mem::take(&mut state.senders_wait) {
            self.room.notify_all();
        }
        loop {
            if let Some(input) = state.pop(want) {
                return Some(input);
            }
            let left = deadline.map(|due| due.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return None;
            }
            state.receiver = Wake::Notify;
            state = match left {
                None => self
                    .arrived
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner),
                Some(left) => {
                    let woken = self.arrived.wait_timeout(state, left);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// Nobody takes anything any more.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.room.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use super::*;

    fn stream(number: u64) -> Input {
        Input::Stream(number, FromStream::Ended)
    }

    #[expect(clippy::needless_pass_by_value, reason = "it is the end of the input")]
    fn number(input: Option<Input>) -> u64 {
        match input {
            Some(Input::Stream(number, _) | Input::Answered(number)) => number,
            Some(Input::Output) => 99,
            _ => 0,
        }
    }

    #[test]
    fn what_is_urgent_overtakes_streams_and_streams_keep_their_order() {
        let mailbox = Mailbox::default();
        for input in [
            stream(1),
            Input::Output,
            stream(2),
            Input::Output,
            Input::Answered(7),
        ] {
            mailbox.push(input);
        }
        assert_eq!(number(mailbox.try_pop(Want::Urgent)), 99);
        assert_eq!(number(mailbox.try_pop(Want::Batches)), 7);
        assert_eq!(number(mailbox.try_pop(Want::Urgent)), 0);
        assert_eq!(number(mailbox.try_pop(Want::Batches)), 1);
        assert_eq!(number(mailbox.pop(Want::Batches, None)), 2);
        assert_eq!(number(mailbox.pop(Want::Batches, Some(Instant::now()))), 0);
        mailbox.push(Input::Output);
        assert_eq!(number(mailbox.try_pop(Want::Batches)), 99);
    }

    #[test]
    fn a_sender_waits_for_room_and_an_urgent_one_does_not() {
        let mailbox = Arc::new(Mailbox::default());
        let count = (BYTES / MESSAGE_BYTES) as u64 + 50;
        let sender = thread::spawn({
            let mailbox = Arc::clone(&mailbox);
            move || (1..=count).for_each(|number| _ = mailbox.push(stream(number)))
        });
        thread::sleep(Duration::from_millis(50));
        assert!(!sender.is_finished());
        mailbox.push(Input::Signal(2));
        assert!(matches!(
            mailbox.try_pop(Want::Batches),
            Some(Input::Signal(2))
        ));
        for expected in 1..=count {
            assert_eq!(number(mailbox.pop(Want::Batches, None)), expected);
        }
        sender.join().unwrap();
        // What is handed out is dealt with when the next is asked for.
        mailbox.try_pop(Want::Batches);
        mailbox.wait_for_rest(Duration::from_mins(1));
    }

    #[test]
    fn the_receiver_itself_never_waits_for_room() {
        let mailbox = Mailbox::default();
        let count = (BYTES / MESSAGE_BYTES) as u64;
        (1..=count).for_each(|number| _ = mailbox.push(stream(number)));
        mailbox.push_own(stream(count + 1));
        (0..URGENT).for_each(|_| _ = mailbox.push(Input::Signal(2)));
        mailbox.push(Input::Answered(7));
        (0..URGENT).for_each(|_| _ = mailbox.try_pop(Want::Batches));
        assert_eq!(number(mailbox.try_pop(Want::Batches)), 7);
        for expected in 1..=count + 1 {
            assert_eq!(number(mailbox.try_pop(Want::Batches)), expected);
        }
    }

    #[test]
    fn nobody_waits_for_a_receiver_that_is_gone() {
        let mailbox = Arc::new(Mailbox::default());
        let sender = thread::spawn({
            let mailbox = Arc::clone(&mailbox);
            move || (0..9000).for_each(|number| _ = mailbox.push(stream(number)))
        });
        thread::sleep(Duration::from_millis(20));
        mailbox.close();
        sender.join().unwrap();
    }
}
