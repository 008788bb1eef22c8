//! The loop of a tail: many lanes, one output.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::cursor::Cursor;
use super::filter::Filter;
use super::lane::{Aim, End, Lane};
use crate::cli::Tail;
use crate::client::{Client, Received};
use crate::commands::context::{Context, Flushed};
use crate::commands::outputs::Outputs;
use crate::error::{Error, Kind, Result};
use crate::exit::Exit;
use crate::follow::{FeedEnd, Input, Observer, Pending, Turn};
use crate::protocol::{Event, Session};

/// How often `--all` looks for sessions that have been created.
const DISCOVERY: Duration = Duration::from_millis(500);

/// What ended a tail.
pub(super) enum Ended {
    /// Everything asked for was printed.
    Complete,
    /// A signal, by its number.
    Signal(i32),
    /// The reader of stdout left, or stdout takes nothing any more.
    Unwatched,
    /// The only session failed, or the cursor cannot be written.
    Failed(Error),
    /// Of several sessions some failed, each told when it did; the code of the first.
    Told(Exit),
}

/// Several lanes merged into one output.
pub(super) struct Merge {
    client: Client,
    lanes: Vec<Lane>,
    filter: Filter,
    cursor: Option<Cursor>,
    follow: bool,
    /// `--all`: the next look for new sessions, or the one under way.
    discovery: Option<Discovery>,
    /// Since when the daemon has not answered it.
    unanswered: Option<Instant>,
    several: bool,
    awaits_a_turn: bool,
    first_failure: Option<Exit>,
}

enum Discovery {
    At(Instant),
    Asking(Pending<Vec<Received<Session>>>),
}

impl Merge {
    pub(super) fn new(
        options: &Tail,
        cursor: Option<Cursor>,
        context: &mut Context<'_>,
    ) -> Result<Self> {
        let client = context.client()?;
        let mut merge = Self {
            client,
            lanes: Vec::new(),
            filter: Filter::new(options),
            cursor,
            follow: !options.no_follow,
            discovery: None,
            unanswered: None,
            several: options.all || options.sessions.len() > 1,
            awaits_a_turn: options.until.is_some(),
            first_failure: None,
        };
        if options.all {
            let sessions = context.ask(Client::list)?;
            merge.add(sessions, context);
            merge.discovery = merge
                .follow
                .then(|| Discovery::At(Instant::now() + DISCOVERY));
        }
        // All are looked up before the first stream is opened: who waits for an answer hears
        // nothing else.
        let mut sessions = Vec::new();
        for typed in &options.sessions {
            match context.session(typed) {
                Ok(session) => sessions.push(session.value),
                Err(error) if !merge.several || error.is_final() => return Err(error),
                Err(error) => merge.fail(typed, &error, context),
            }
        }
        for session in sessions {
            merge.open(&session, options, context);
        }
        Ok(merge)
    }

    fn open(&mut self, session: &Session, options: &Tail, context: &mut Context<'_>) {
        if self.lanes.iter().any(|lane| lane.aim.id == session.id) {
            return;
        }
        let after = self
            .cursor
            .as_ref()
            .and_then(|cursor| cursor.after(&session.id));
        let from = options.from.or(after.map(|seq| seq.saturating_add(1)));
        let end = End::of(options.until, self.follow, options.from, session);
        self.start(
            Lane::new(self.client.clone(), session, from, end, context.limits),
            context,
        );
    }

    /// Adds the sessions that are not there yet, for `--all`.
    fn add(&mut self, sessions: Vec<Received<Session>>, context: &mut Context<'_>) {
        for session in sessions {
            let session = session.value;
            if self.lanes.iter().any(|lane| lane.aim.id == session.id) {
                continue;
            }
            let after = self
                .cursor
                .as_ref()
                .and_then(|cursor| cursor.after(&session.id));
            let end = End::of(None, self.follow, None, &session);
            let from = after.map(|seq| seq.saturating_add(1));
            self.start(
                Lane::new(self.client.clone(), &session, from, end, context.limits),
                context,
            );
        }
    }

    fn start(&mut self, mut lane: Lane, context: &mut Context<'_>) {
        if !lane.aim.over {
            lane.feed.open(&mut context.inbox);
        }
        self.lanes.push(lane);
    }

    fn fail(&mut self, session: &str, error: &Error, context: &Context<'_>) {
        let exit = Exit::from(error.kind());
        let message = format!("{session}: {error}");
        context.console.error(
            Exit::code_of(error.kind()),
            exit.number(),
            &message,
            error.hint_text(),
        );
        self.first_failure.get_or_insert(exit);
    }

    /// Whether the code is that of a turn.
    pub(super) fn awaits_a_turn(&self) -> bool {
        self.awaits_a_turn
    }

    /// Whether `--until` is over although the last turn that was read has no end.
    pub(super) fn is_cut_off(&self) -> bool {
        self.awaits_a_turn
            && !self.filter.is_full()
            && self.lanes.iter().any(|lane| lane.aim.turns.is_open())
    }

    /// The last turn whose end was read.
    pub(super) fn last_turn(&self) -> Option<&Turn> {
        self.lanes.first().and_then(|lane| lane.aim.turns.last())
    }

    /// Follows until everything asked for is printed, or something ends it.
    pub(super) fn follow(&mut self, context: &mut Context<'_>, outputs: &mut Outputs) -> Ended {
        loop {
            if let Some(ended) = self.ended(outputs) {
                return ended;
            }
            let deadline = self.deadline(outputs);
            let mut settled = Ok(());
            let cursor = &mut self.cursor;
            let input = context.inbox.next(deadline, || {
                outputs.idle();
                if let Some(cursor) = cursor.as_mut().filter(|_| outputs.is_written()) {
                    settled = cursor.settle(false);
                }
            });
            if let Err(error) = settled {
                return Ended::Failed(error);
            }
            if let Some(Input::Signal(signal)) = input {
                return Ended::Signal(signal);
            }
            let step = input.map_or(Ok(()), |input| self.handle(input, context, outputs));
            if let Err(error) = step.and_then(|()| self.tick(context)) {
                return Ended::Failed(error);
            }
        }
    }

    fn ended(&self, outputs: &mut Outputs) -> Option<Ended> {
        if outputs.unwatched() || outputs.write_failure.is_some() {
            return Some(Ended::Unwatched);
        }
        let over = self.discovery.is_none() && self.lanes.iter().all(|lane| lane.aim.over);
        if !over && !self.filter.is_full() {
            return None;
        }
        Some(self.first_failure.map_or(Ended::Complete, Ended::Told))
    }

    fn deadline(&self, outputs: &Outputs) -> Option<Instant> {
        let redraw = outputs.wake_at();
        let discovery = match self.discovery {
            Some(Discovery::At(at)) => Some(at),
            _ => None,
        };
        let live = self.lanes.iter().filter(|lane| !lane.aim.over);
        let cursor = self.cursor.as_ref().filter(|_| outputs.is_written());
        live.filter_map(Lane::deadline)
            .chain(redraw)
            .chain(discovery)
            .chain(cursor.and_then(Cursor::deadline))
            .min()
    }

    fn handle(
        &mut self,
        input: Input,
        context: &mut Context<'_>,
        outputs: &mut Outputs,
    ) -> Result<()> {
        match input {
            Input::Stream(connection, message) => {
                let Some(index) = self
                    .lanes
                    .iter()
                    .position(|lane| !lane.aim.over && lane.feed.is(connection))
                else {
                    return Ok(());
                };
                let (filter, cursor) = (&mut self.filter, &mut self.cursor);
                let Lane { feed, aim, .. } = &mut self.lanes[index];
                let taken = feed.take(message, &mut context.inbox, outputs, |event, observer| {
                    step(aim, filter, cursor.as_mut(), event, observer)
                });
                self.lanes[index].check();
                self.outcome(index, taken.map(|_| ()), context)
            }
            Input::Answered(number) => self.answered(number, context, outputs),
            Input::Output => {
                outputs.check();
                Ok(())
            }
            Input::Signal(_)
            | Input::Typed(_)
            | Input::Said(_)
            | Input::Note(_)
            | Input::Source(_) => Ok(()),
        }
    }

    fn answered(
        &mut self,
        number: u64,
        context: &mut Context<'_>,
        outputs: &mut Outputs,
    ) -> Result<()> {
        if let Some(index) = self.lanes.iter().position(|lane| lane.feed.asked(number)) {
            let taken = self.lanes[index].feed.answered(&mut context.inbox, outputs);
            return self.outcome(index, taken, context);
        }
        if self.lanes.iter_mut().any(|lane| lane.answered(number)) {
            return Ok(());
        }
        match self.discovery.take() {
            Some(Discovery::Asking(pending)) if pending.is(number) => {
                let now = Instant::now();
                self.discovery = Some(Discovery::At(now + DISCOVERY));
                match pending.take() {
                    Ok(sessions) => {
                        self.unanswered = None;
                        self.add(sessions, context);
                    }
                    // The bound of a lost stream is also that of a lost daemon: without a lane
                    // nobody else would notice.
                    Err(error) => {
                        let since = *self.unanswered.get_or_insert(now);
                        if now >= since + context.limits.reconnect {
                            self.discovery = None;
                            self.fail("--all", &error, context);
                        }
                    }
                }
            }
            other => self.discovery = other,
        }
        Ok(())
    }

    fn tick(&mut self, context: &mut Context<'_>) -> Result<()> {
        let now = Instant::now();
        for index in 0..self.lanes.len() {
            let lane = &mut self.lanes[index];
            if lane.aim.over {
                continue;
            }
            lane.tick(now, &mut context.inbox);
            let ticked = lane.feed.tick(now, &mut context.inbox);
            self.outcome(index, ticked, context)?;
        }
        if let Some(Discovery::At(at)) = self.discovery
            && now >= at
        {
            let client = self.client.clone();
            self.discovery = Some(Discovery::Asking(context.inbox.call(move || client.list())));
        }
        Ok(())
    }

    /// What an end of a lane's feed means for the whole.
    fn outcome(
        &mut self,
        index: usize,
        result: Result<(), FeedEnd>,
        context: &Context<'_>,
    ) -> Result<()> {
        let Err(end) = result else { return Ok(()) };
        let lane = &mut self.lanes[index];
        lane.aim.over = true;
        let owed = lane.aim.owed(self.awaits_a_turn);
        let Some(error) = error_of(end, &lane.aim.id, owed.as_deref()) else {
            return Ok(());
        };
        if !self.several {
            return Err(error);
        }
        let id = lane.aim.id.clone();
        self.fail(&id, &error, context);
        Ok(())
    }

    /// Rewrites the cursor at the end, if everything was written.
    pub(super) fn settle(&mut self, written: Flushed) -> Result<()> {
        match &mut self.cursor {
            Some(cursor) if written == Flushed::Written => cursor.settle(true),
            _ => Ok(()),
        }
    }
}

/// One event of a lane: printed if it is asked for, and taken note of in any case.
fn step(
    aim: &mut Aim,
    filter: &mut Filter,
    cursor: Option<&mut Cursor>,
    event: &Event<'_>,
    observer: &mut dyn Observer,
) -> ControlFlow<()> {
    if aim.is_beyond(event) || filter.is_full() {
        return ControlFlow::Break(());
    }
    if filter.takes(event) {
        observer.event(event);
    }
    if let Some(cursor) = cursor {
        cursor.advance(&aim.id, event.seq);
    }
    if aim.note(event) && !filter.is_full() {
        ControlFlow::Continue(())
    } else {
        ControlFlow::Break(())
    }
}

/// The error that a feed's end is; `None` for a session that was closed when nothing was `owed` any
/// more.
fn error_of(end: FeedEnd, id: &str, owed: Option<&str>) -> Option<Error> {
    let unknown = |what: String| Some(Error::new(Kind::OutcomeUnknown, what));
    match end {
        FeedEnd::Gone { orderly: true } if owed.is_none() => None,
        FeedEnd::Gone { .. } => unknown(match owed {
            Some(owed) => format!("session {id} went away before {owed} was seen"),
            None => format!("the stream was lost, and session {id} is gone"),
        }),
        FeedEnd::NothingToCome => unknown(format!(
            "session {id} is idle and every event was read, but the turn's end is not among them"
        )),
        FeedEnd::Failed(error) => Some(error),
    }
}
