//! Who answers a question of the awaited turn, and when.
//!
//! The daemon announces a question before it can take the answer, and resolves some by itself; so
//! a question is acted on a moment after it appeared, and a refusal is retried while it stands.

use std::time::{Duration, Instant};

use super::Observer;
use super::exec::{Answerer, Program};
use super::inbox::{Inbox, Pending};
use super::limits::Limits;
use super::outcome::By;
use super::questions::Question;
use super::turn::Tracker;
use crate::client::Client;
use crate::error::Kind;
use crate::protocol::{Decision, ErrorCode};

/// Who answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Policy {
    /// The person at the terminal.
    Ask,
    /// This program, with this decision.
    Decide(Decision),
    /// Somebody else.
    Leave,
    /// A program.
    Exec(Program),
    /// Nobody: the turn is stopped.
    Fail,
}

/// How long to wait before a refused answer is sent again.
const RETRY: Duration = Duration::from_millis(20);

struct Answer {
    question: Question,
    decision: Decision,
    by: By,
    /// Refused, it is sent again until then.
    due: Instant,
    /// As long as no daemon takes it, until then.
    unsent_due: Instant,
    state: AnswerState,
}

enum AnswerState {
    Sent(Pending<()>),
    Again(Instant),
}

/// See the module.
#[derive(Default)]
pub(super) struct Answering {
    /// The question to be acted on, and when.
    act: Option<(u64, Instant)>,
    answer: Option<Answer>,
    asked: Option<u64>,
    /// The program that is being asked, and about which question.
    program: Option<(u64, Answerer)>,
}

impl Answering {
    /// A question has appeared.
    pub(super) fn appeared(&mut self, question: &Question, limits: &Limits) {
        self.act = Some((question.seq, question.since + limits.question));
    }

    /// A question is closed; says whether a person was being asked about it.
    pub(super) fn closed(&mut self, seq: u64) -> bool {
        self.act.take_if(|(open, _)| *open == seq);
        self.program.take_if(|(open, _)| *open == seq);
        self.asked.take_if(|open| *open == seq).is_some()
    }

    /// Nobody is asked any more; says whether a person was.
    pub(super) fn stop_asking(&mut self) -> bool {
        self.program = None;
        self.asked.take().is_some()
    }

    /// A program is asked about this question.
    pub(super) fn ask_program(
        &mut self,
        question: &Question,
        program: &Program,
        inbox: &mut Inbox,
    ) {
        let answerer = Answerer::start(program, question.object(), inbox);
        self.program = Some((question.seq, answerer));
    }

    /// Takes a program's answer, if the number is about it and its question still stands.
    pub(super) fn program_answered(
        &mut self,
        number: u64,
        tracker: &Tracker,
    ) -> Option<(Question, crate::error::Result<Decision>)> {
        let (seq, answerer) = self.program.as_mut()?;
        let (seq, answer) = (*seq, answerer.answered(number)?);
        self.program = None;
        let open = tracker.questions.open().filter(|open| open.seq == seq)?;
        Some((open.clone(), answer))
    }

    /// Whether an answer is on its way.
    pub(super) fn sending(&self) -> bool {
        self.answer.is_some()
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        let again = self.answer.as_ref().and_then(|answer| match answer.state {
            AnswerState::Again(at) => Some(at),
            AnswerState::Sent(_) => None,
        });
        self.act.map(|(_, at)| at).into_iter().chain(again).min()
    }

    /// The question that is due to be acted on.
    pub(super) fn due(&mut self, now: Instant, tracker: &Tracker) -> Option<Question> {
        let (seq, _) = self.act.take_if(|(_, at)| now >= *at)?;
        tracker
            .questions
            .open()
            .filter(|open| open.seq == seq)
            .cloned()
    }

    /// The person is being asked about this question.
    pub(super) fn asking(&mut self, seq: u64) {
        self.asked = Some(seq);
    }

    /// The question the person is being asked about, if it is still open.
    pub(super) fn asked<'t>(&self, tracker: &'t Tracker) -> Option<&'t Question> {
        tracker
            .questions
            .open()
            .filter(|open| Some(open.seq) == self.asked)
    }

    /// Sends an answer.
    pub(super) fn send(
        &mut self,
        question: Question,
        decision: Decision,
        by: By,
        (client, session_id): (&Client, &str),
        (inbox, limits): (&mut Inbox, &Limits),
    ) {
        self.asked = None;
        let state = post(&question, &decision, client, session_id, inbox);
        let now = Instant::now();
        self.answer = Some(Answer {
            question,
            decision,
            by,
            due: now + limits.lag,
            unsent_due: now + limits.reconnect,
            state,
        });
    }

    /// Sends a refused answer again when that is due and the question still stands.
    pub(super) fn tick(
        &mut self,
        now: Instant,
        tracker: &Tracker,
        (client, session_id): (&Client, &str),
        inbox: &mut Inbox,
    ) {
        let Some(answer) = &mut self.answer else {
            return;
        };
        let AnswerState::Again(at) = answer.state else {
            return;
        };
        if !stands(&answer.question, tracker) {
            self.answer = None;
        } else if now >= at {
            answer.state = post(
                &answer.question,
                &answer.decision,
                client,
                session_id,
                inbox,
            );
        }
    }

    /// Takes the daemon's word on an answer; says whether the number was about it.
    pub(super) fn answered(
        &mut self,
        number: u64,
        tracker: &mut Tracker,
        observer: &mut dyn Observer,
    ) -> bool {
        let ours = |answer: &mut Answer| matches!(&answer.state, AnswerState::Sent(pending) if pending.is(number));
        let Some(mut answer) = self.answer.take_if(ours) else {
            return false;
        };
        let now = Instant::now();
        let stands = stands(&answer.question, tracker);
        let AnswerState::Sent(pending) =
            std::mem::replace(&mut answer.state, AnswerState::Again(now + RETRY))
        else {
            return false;
        };
        let question = &answer.question;
        let handle = question.handle();
        match pending.take() {
            Ok(()) => tracker.answered_by(question.seq, answer.by, &answer.decision),
            Err(error) if error.is_refusal(&ErrorCode::ApprovalAlreadyResolved) => {
                if stands && now < answer.due {
                    self.answer = Some(answer);
                } else if stands {
                    observer.notice("approval_already_resolved", &format!("the daemon takes no answer to {handle}, which still stands open; its deadline will deny it"));
                }
            }
            // Nothing was sent, so that nothing is repeated. The stream is being waited for, too.
            Err(error)
                if *error.kind() == Kind::Unreachable && stands && now < answer.unsent_due =>
            {
                self.answer = Some(answer);
            }
            Err(error) if matches!(error.kind(), Kind::Refused(ErrorCode::ApprovalExpired)) => {
                observer.notice(
                    "approval_expired",
                    &format!("{handle} was denied by the daemon's deadline before the answer came"),
                );
            }
            Err(error) => observer.notice(
                "approval_failed",
                &format!("{handle} could not be answered: {error}"),
            ),
        }
        true
    }
}

fn stands(question: &Question, tracker: &Tracker) -> bool {
    tracker
        .questions
        .open()
        .is_some_and(|open| open.seq == question.seq)
}

fn post(
    question: &Question,
    decision: &Decision,
    client: &Client,
    session_id: &str,
    inbox: &mut Inbox,
) -> AnswerState {
    let (client, session_id) = (client.clone(), session_id.to_owned());
    let (approval_id, decision) = (question.request.approval_id.clone(), decision.clone());
    AnswerState::Sent(inbox.call(move || client.answer(&session_id, &approval_id, &decision)))
}
