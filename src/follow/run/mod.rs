//! Following one turn: the loop that ties stream, submit, questions, deadlines and the stop.

mod ask;
mod stopping;
mod submit;

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::Observer;
use super::answering::{Answering, Policy};
use super::feed::Feed;
use super::history::Located;
use super::inbox::{Inbox, Input};
use super::limits::Limits;
use super::losses::FeedEnd;
use super::outcome::{Outcome, Stop};
use super::questions::Change;
use super::reader::FromStream;
use super::stop::Stopping;
use super::turn::{Noted, Tracker};
use crate::client::Client;
use crate::error::{Error, Kind};
use crate::protocol::{ErrorCode, SubmitTurn};
use crate::shell::shell_word;
use submit::Submission;

/// What to follow, and how.
pub struct Plan {
    /// The daemon.
    pub client: Client,
    /// The session.
    pub session_id: String,
    /// The turn.
    pub target: Target,
    /// Who answers questions.
    pub policy: Policy,
    /// When to give up, and the bound as the user set it.
    pub deadline: Option<(Instant, Duration)>,
    /// Gives up when no event came for so long.
    pub idle_timeout: Option<Duration>,
    /// Stops the turn when it passes so many rounds.
    pub max_rounds: Option<u64>,
    /// How long somebody else's turn is waited for before the submit.
    pub wait_idle: Option<Duration>,
    /// Whether giving up interrupts the turn.
    pub interrupts: bool,
    /// Whether that is also so when nobody sees the output any more.
    pub interrupts_unwatched: bool,
    /// Bounds.
    pub limits: Limits,
}

/// Which turn to follow.
pub enum Target {
    /// One that is submitted now; its events come after the number.
    Submit(SubmitTurn, u64),
    /// One that is there already.
    Existing(Located),
}

/// Follows a turn to its end, or to the end of what can be known of it.
pub fn follow(plan: Plan, inbox: &mut Inbox, observer: &mut dyn Observer) -> Outcome {
    let run = Run::new(plan, inbox, observer);
    run.until_over()
}

/// Whether the loop goes on.
type Flow = ControlFlow<()>;
const ON: Flow = ControlFlow::Continue(());
const OVER: Flow = ControlFlow::Break(());

struct Run<'a> {
    plan: Plan,
    inbox: &'a mut Inbox,
    observer: &'a mut dyn Observer,
    feed: Feed,
    tracker: Tracker,
    submission: Submission,
    /// A busy refusal is retried until then.
    conflict_due: Option<Instant>,
    /// With `--wait-idle`: somebody else's turn is waited for until then.
    wait_due: Option<Instant>,
    last_pause: Duration,
    /// What the stream says while the submit is unanswered: until then nobody knows whose it is.
    held: VecDeque<(u64, FromStream)>,
    answering: Answering,
    stopping: Option<Stopping>,
    /// The bound that was reached, as the user set it.
    bound: String,
    /// When an event was last read.
    last_event: Instant,
    /// The turn has ended, and an answer on its way is given this long.
    parting: Option<Instant>,
    failure: Option<Error>,
}

impl<'a> Run<'a> {
    fn new(plan: Plan, inbox: &'a mut Inbox, observer: &'a mut dyn Observer) -> Self {
        let (from, tracker, submission) = match &plan.target {
            Target::Submit(turn, after) => (
                after.saturating_add(1),
                Tracker::new(Some(turn.text.clone())),
                Submission::Opening,
            ),
            Target::Existing(Located::Trimmed(from)) => {
                (*from, Tracker::trimmed(), Submission::None)
            }
            Target::Existing(Located::At(from) | Located::Next(from)) => {
                (*from, Tracker::new(None), Submission::None)
            }
        };
        let mut feed = Feed::new(plan.client.clone(), &plan.session_id, from, plan.limits);
        feed.set_awaiting(true);
        // Before a submit a refused connection is told at once: nothing has been sent yet.
        if matches!(plan.target, Target::Existing(_)) {
            feed = feed.of_a_known_session();
        }
        Self {
            feed,
            plan,
            inbox,
            observer,
            tracker,
            submission,
            conflict_due: None,
            wait_due: None,
            last_pause: Duration::ZERO,
            held: VecDeque::new(),
            answering: Answering::default(),
            stopping: None,
            bound: String::new(),
            last_event: Instant::now(),
            parting: None,
            failure: None,
        }
    }

    fn until_over(mut self) -> Outcome {
        self.feed.open(self.inbox);
        // A signal that came before this loop is not delivered a second time.
        let mut flow = match self.inbox.signal() {
            Some(signal) => self.stop(Stop::Signal(signal)),
            None => ON,
        };
        while flow.is_continue() {
            let deadline = self.deadline();
            let deadline = deadline.into_iter().chain(self.observer.wake_at()).min();
            let observer = &mut *self.observer;
            let input = self.inbox.next(deadline, || observer.idle());
            flow = match input {
                Some(input) => self.handle(input),
                None => ON,
            };
            if flow.is_continue() {
                flow = self.tick(Instant::now());
            }
        }
        self.outcome()
    }

    fn outcome(self) -> Outcome {
        let ended = self.tracker.ended();
        let stopping = self.stopping;
        Outcome {
            turn: self.tracker.turn,
            // The turn's end may be read before the answer to the interrupt that ended it.
            interrupted: stopping
                .as_ref()
                .is_some_and(|stopping| stopping.has_interrupted(ended)),
            silent_daemon: stopping.as_ref().is_some_and(Stopping::met_silence),
            left_alone: !self.plan.interrupts,
            stop: stopping.map(|stopping| stopping.cause),
            failure: self.failure,
            reconnects: self.feed.reconnects(),
        }
    }

    fn deadline(&self) -> Option<Instant> {
        let (whole, idle) = match &self.stopping {
            None => (
                self.plan.deadline.map(|(at, _)| at),
                self.idle_bound().map(|bound| self.last_event + bound),
            ),
            Some(stopping) if stopping.heeds_the_bound() => {
                (self.plan.deadline.map(|(at, _)| at), None)
            }
            Some(_) => (None, None),
        };
        let submission = match self.submission {
            Submission::Unanswered(until, _) | Submission::Pausing(until) => Some(until),
            _ => None,
        };
        [
            whole,
            idle,
            submission,
            self.feed.deadline(),
            self.answering.deadline(),
            self.stopping.as_ref().map(|stopping| stopping.until),
            self.parting,
        ]
        .into_iter()
        .flatten()
        .min()
    }

    fn handle(&mut self, input: Input) -> Flow {
        match input {
            Input::Stream(connection, message) if self.feed.is(connection) => {
                self.stream(connection, message)
            }
            Input::Answered(number) => self.answered(number),
            Input::Signal(signal) => self.stop(Stop::Signal(signal)),
            Input::Output if self.observer.unwatched() => self.stop(Stop::Unwatched),
            Input::Stream(..) | Input::Source(_) | Input::Output | Input::Note(_) => ON,
            Input::Said(line) => {
                self.observer.notice("approval_program", &line);
                ON
            }
            Input::Typed(line) => {
                self.typed(line.as_deref());
                ON
            }
        }
    }

    fn tick(&mut self, now: Instant) -> Flow {
        if self.observer.unwatched() && self.stopping.is_none() {
            self.stop(Stop::Unwatched)?;
        }
        if let Some(bound) = self.bound_reached(now) {
            self.overdue(bound)?;
        }
        if let Err(end) = self.feed.tick(now, self.inbox) {
            return self.feed_ended(end);
        }
        self.act(now)?;
        let peer = (&self.plan.client, self.plan.session_id.as_str());
        self.answering.tick(now, &self.tracker, peer, self.inbox);
        self.pause_tick(now);
        if let Submission::Unanswered(until, error) = &mut self.submission
            && self.tracker.turn.is_none()
            && now >= *until
        {
            self.failure = error.take();
            return OVER;
        }
        self.stop_tick(now)?;
        self.part(now)
    }

    fn stream(&mut self, connection: u64, message: FromStream) -> Flow {
        let undecided = matches!(
            self.submission,
            Submission::Posting(_) | Submission::Conflict(_) | Submission::Pausing(_)
        );
        if undecided {
            self.held.push_back((connection, message));
            return ON;
        }
        self.take(message)?;
        if matches!(self.submission, Submission::Opening) && self.feed.is_open() {
            self.post();
        }
        ON
    }

    fn take(&mut self, message: FromStream) -> Flow {
        let (tracker, answering) = (&mut self.tracker, &mut self.answering);
        let limits = &self.plan.limits;
        let (mut overtaken, mut heard) = (false, false);
        let cap = self.plan.max_rounds;
        let mut capped = false;
        let taken = self
            .feed
            .take(message, self.inbox, self.observer, |event, observer| {
                heard = true;
                match tracker.note(event) {
                    Noted::NotOurs => return ON,
                    Noted::Overtaken => {
                        overtaken = true;
                        return OVER;
                    }
                    Noted::Ours(Change::Asked) => {
                        if let Some(question) = tracker.questions.open() {
                            answering.appeared(question, limits);
                        }
                    }
                    Noted::Ours(Change::Resolved(question, _)) => {
                        if answering.closed(question.seq) {
                            observer.asked(false);
                        }
                    }
                    Noted::Ours(Change::None) => {}
                }
                observer.event(event);
                capped |= cap.is_some_and(|cap| tracker.rounds() > cap);
                if tracker.ended() { OVER } else { ON }
            });
        if heard {
            self.last_event = Instant::now();
        }
        // Also if the turn ends with that: the code must not depend on what was read at once. A
        // turn that has ended is not interrupted.
        if let Some(cap) = cap.filter(|_| capped && taken.is_ok()) {
            self.stop(Stop::Rounds(cap))?;
        }
        match taken {
            Ok(_) if overtaken => {
                let what =
                    "another turn has begun, but the end of the awaited one was not in the stream";
                self.failure = Some(Error::new(Kind::OutcomeUnknown, what));
                OVER
            }
            Ok(_) => self.part(Instant::now()),
            Err(end) => self.feed_ended(end),
        }
    }

    fn feed_ended(&mut self, end: FeedEnd) -> Flow {
        let unknown = |what: String| Error::new(Kind::OutcomeUnknown, what);
        let id = &self.plan.session_id;
        let unsent = matches!(self.submission, Submission::Opening);
        self.failure = Some(match end {
            FeedEnd::Gone { .. } if unsent => {
                let gone = Kind::Refused(ErrorCode::SessionNotFound);
                Error::new(
                    gone,
                    format!("session {id} went away; nothing was submitted"),
                )
            }
            FeedEnd::Gone { .. } => unknown(format!(
                "session {id} went away before the turn's end was seen"
            ))
            .hint(format!(
                "it was closed, or the daemon restarted; to go on from its record: dcodectl run --resume {} -- TEXT",
                shell_word(id)
            )),
            FeedEnd::NothingToCome => unknown(format!(
                "session {id} is idle and every event was read, but the turn's end is not among them"
            )),
            FeedEnd::Failed(error) if *error.kind() == Kind::OutcomeUnknown => {
                unknown(format!("{error}; the turn's end was not seen")).hint(format!(
                    "it may still run: dcodectl wait {}",
                    shell_word(id)
                ))
            }
            FeedEnd::Failed(error) => error,
        });
        OVER
    }

    /// Ends once the turn has ended and no answer is on its way.
    fn part(&mut self, now: Instant) -> Flow {
        if !self.tracker.ended() {
            return ON;
        }
        let until = *self.parting.get_or_insert(now + self.plan.limits.lag);
        if self.answering.sending() && now < until {
            ON
        } else {
            OVER
        }
    }

    fn answered(&mut self, number: u64) -> Flow {
        if self.feed.asked(number) {
            return match self.feed.answered(self.inbox, self.observer) {
                Ok(()) => ON,
                Err(end) => self.feed_ended(end),
            };
        }
        if self
            .answering
            .answered(number, &mut self.tracker, self.observer)
        {
            return self.part(Instant::now());
        }
        if let Some((question, answer)) = self.answering.program_answered(number, &self.tracker) {
            self.program_answered(question, answer);
            return ON;
        }
        match std::mem::replace(&mut self.submission, Submission::None) {
            Submission::Posting(pending) if pending.is(number) => {
                return self.posted(pending.take());
            }
            Submission::Conflict(pending) if pending.is(number) => {
                return self.conflict(pending.take());
            }
            other => self.submission = other,
        }
        self.stop_answered(number)
    }
}
