//! One session of a tail: its feed, and when it is over.

use std::time::{Duration, Instant};

use crate::cli::Until;
use crate::client::{Client, Received};
use crate::follow::{Feed, Inbox, Limits, Pending, Turns};
use crate::protocol::{Event, Session, SessionState};

/// How often a session is asked whether it is idle by now.
const PROBE: Duration = Duration::from_millis(100);

/// See the module.
pub(in crate::commands) struct Lane {
    pub(in crate::commands) feed: Feed,
    pub(in crate::commands) aim: Aim,
    client: Client,
    /// The last event that the daemon has spoken of.
    known_seq: u64,
    idle: bool,
    probe: Option<Pending<Received<Session>>>,
    probe_at: Option<Instant>,
}

/// What was read of a lane, and whether that is all.
pub(in crate::commands) struct Aim {
    /// The session.
    pub(in crate::commands) id: String,
    /// Its turns as they pass by; only with `--until`.
    pub(in crate::commands) turns: Turns,
    /// Nothing more is wanted of it.
    pub(in crate::commands) over: bool,
    end: End,
}

/// When a lane is over, besides its session's end.
#[derive(Debug, Clone, Copy)]
pub(in crate::commands) enum End {
    /// Not by itself.
    Never,
    /// After this event.
    Through(u64),
    /// At the first end of a turn at or after this event.
    Turn(u64),
    /// Once no turn runs and everything is read.
    Idle,
}

impl End {
    pub(in crate::commands) fn of(
        until: Option<Until>,
        follow: bool,
        from: Option<u64>,
        session: &Session,
    ) -> Self {
        match until {
            _ if !follow => Self::Through(session.last_seq),
            Some(Until::Turn) => Self::Turn(from.unwrap_or(session.last_seq.saturating_add(1))),
            Some(Until::Idle) => Self::Idle,
            None => Self::Never,
        }
    }
}

impl Lane {
    pub(in crate::commands) fn new(
        client: Client,
        session: &Session,
        from: Option<u64>,
        end: End,
        limits: Limits,
    ) -> Self {
        let first = session.first_seq.unwrap_or(1);
        let feed = match from {
            Some(from) => Feed::new(client.clone(), &session.id, from, limits),
            None => Feed::new(client.clone(), &session.id, first, limits).from_oldest(),
        };
        let mut feed = feed.of_a_known_session();
        feed.heard_of(session.last_seq);
        let idle = session.state == SessionState::Idle;
        let mut lane = Self {
            feed,
            aim: Aim {
                id: session.id.clone(),
                turns: Turns::default(),
                over: false,
                end,
            },
            client,
            known_seq: session.last_seq,
            idle,
            probe: None,
            probe_at: None,
        };
        lane.check();
        lane
    }

    /// Looks whether the lane is over, or whether the session has to be asked.
    pub(in crate::commands) fn check(&mut self) {
        match self.aim.end {
            End::Through(last) => self.aim.over |= self.feed.next_seq() > last,
            End::Turn(_) => self.feed.set_awaiting(self.aim.turns.is_open()),
            End::Idle => {
                let caught_up = self.feed.next_seq() > self.known_seq;
                let at_rest = self.idle || !self.aim.turns.is_open();
                if caught_up && at_rest && self.probe.is_none() {
                    self.probe_at.get_or_insert_with(Instant::now);
                }
            }
            End::Never => {}
        }
    }

    pub(in crate::commands) fn deadline(&self) -> Option<Instant> {
        self.feed.deadline().into_iter().chain(self.probe_at).min()
    }

    /// Asks the session whether it is idle, if that is due.
    pub(in crate::commands) fn tick(&mut self, now: Instant, inbox: &mut Inbox) {
        if self.aim.over || self.probe_at.take_if(|at| now >= *at).is_none() {
            return;
        }
        let (client, id) = (self.client.clone(), self.aim.id.clone());
        self.probe = Some(inbox.call(move || client.session(&id)));
    }

    /// Takes the answer of [`Lane::tick`]; says whether the number was about it.
    pub(in crate::commands) fn answered(&mut self, number: u64) -> bool {
        let Some(pending) = self.probe.take_if(|pending| pending.is(number)) else {
            return false;
        };
        let again = Some(Instant::now() + PROBE);
        match pending.take() {
            Ok(session) => {
                let session = session.value;
                self.idle = session.state == SessionState::Idle;
                self.known_seq = session.last_seq;
                self.feed.heard_of(session.last_seq);
                let caught_up = self.feed.next_seq() > session.last_seq;
                self.aim.over |= self.idle && caught_up;
                // Not caught up: the next event brings us back here.
                self.probe_at = if caught_up { again } else { None };
            }
            // The feed meets the same trouble, and knows what it means.
            Err(_) => self.probe_at = again,
        }
        true
    }
}

impl Aim {
    /// What was asked for and was not read yet.
    pub(super) fn owed(&self, awaits_a_turn: bool) -> Option<String> {
        match self.end {
            End::Through(last) => Some(format!("seq {last}")),
            // Also if none has begun: whoever waits for the end of a turn has not seen one.
            End::Turn(_) => Some("the turn's end".to_owned()),
            End::Idle if awaits_a_turn && self.turns.is_open() => Some("the turn's end".to_owned()),
            End::Idle | End::Never => None,
        }
    }

    /// Whether the event lies beyond the end that was asked for.
    pub(in crate::commands) fn is_beyond(&self, event: &Event<'_>) -> bool {
        matches!(self.end, End::Through(last) if event.seq > last)
    }

    /// An event was read; says whether the lane goes on.
    pub(in crate::commands) fn note(&mut self, event: &Event<'_>) -> bool {
        self.over = match self.end {
            End::Never => false,
            End::Through(last) => event.seq >= last,
            End::Turn(from) => self.turns.note(event) && event.seq >= from,
            End::Idle => {
                self.turns.note(event);
                false
            }
        };
        !self.over
    }
}
