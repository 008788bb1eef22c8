use std::time::Instant;

use clap::Parser;

use super::*;
use crate::cli::{Cli, Command};
use crate::error::Error;
use crate::follow::Question;
use crate::protocol::{ApprovalRequest, EventKind, TurnCompleted};

/// A turn, ended with this reason or still running.
fn turn(reason: Option<StopReason>) -> Turn {
    Turn {
        turn_id: "t1".into(),
        first_seq: 2,
        last_seq: 9,
        last_kind: EventKind::TurnCompleted,
        last_read: Instant::now(),
        started_at: None,
        ended_at: None,
        end: reason.map(|reason| TurnCompleted {
            turn_id: "t1".into(),
            reason: Some(reason),
            usage: None,
            completion: None,
        }),
        error: None,
        rounds: None,
        approvals: Vec::new(),
    }
}

fn question() -> Stop {
    let request: ApprovalRequest = serde_json::from_str(
        r#"{"approval_id":"t1-0","turn_id":"t1","tool_call_id":"c","tool":"bash","boundary_crossed":"network"}"#,
    )
    .unwrap();
    Stop::Question(Box::new(Question {
        request,
        seq: 5,
        input: None,
        payload: "{}".into(),
        since: Instant::now(),
    }))
}

/// What can hold, from the last of the contract's order to the first, each with its code. Whatever
/// is added to what holds already wins.
#[test]
fn the_first_of_the_order_decides() {
    let (mut outcome, mut facts) = (Outcome::default(), Facts::default());
    outcome.turn = Some(turn(Some(StopReason::Done)));
    let number = |outcome: &Outcome, facts: &Facts<'_>, expected: u8| {
        assert_eq!(judge(outcome, facts).exit.number(), expected);
    };
    number(&outcome, &facts, 0);
    facts.write_failed = true;
    number(&outcome, &facts, 74);
    facts.unwatched = true;
    number(&outcome, &facts, 141);
    outcome.turn = Some(turn(Some(StopReason::Error)));
    number(&outcome, &facts, 16);
    outcome.failure = Some(Error::new(Kind::OutcomeUnknown, "lost"));
    number(&outcome, &facts, 75);
    outcome.stop = Some(Stop::Rounds(3));
    number(&outcome, &facts, 12);
    outcome.stop = Some(question());
    number(&outcome, &facts, 20);
    outcome.stop = Some(Stop::Timeout("late".into()));
    number(&outcome, &facts, 124);
    for (signal, expected) in [(1, 129), (2, 130), (15, 143)] {
        outcome.stop = Some(Stop::Signal(signal));
        number(&outcome, &facts, expected);
    }
}

/// A gate with this list.
fn accepting(list: &str) -> Gate {
    let line = ["dcodectl", "wait", "s", "--accept", list];
    let cli = Cli::try_parse_from(line).unwrap();
    match cli.command {
        Command::Wait(wait) => wait.gate,
        other => panic!("{other:?}"),
    }
}

/// What `accepted` says is about the turn, whatever decides in the end.
#[test]
fn an_outcome_is_accepted_whatever_the_code() {
    let gate = accepting("done,unverified,interrupted,max_iterations");
    let ended = |reason| Outcome {
        turn: Some(turn(reason)),
        ..Outcome::default()
    };
    let facts = || Facts {
        gate: Some(&gate),
        ..Facts::default()
    };
    let row = |outcome: &Outcome, facts: &Facts<'_>| {
        let judgement = judge(outcome, facts);
        (judgement.exit.number(), judgement.accepted)
    };
    let mut outcome = ended(Some(StopReason::Unverified));
    assert_eq!(row(&outcome, &facts()), (0, true));
    let full = Facts {
        write_failed: true,
        ..facts()
    };
    assert_eq!(row(&outcome, &full), (74, true));
    let unread = Facts {
        unwatched: true,
        ..facts()
    };
    assert_eq!(row(&outcome, &unread), (141, true));
    for (stop, code) in [
        (Stop::Timeout("late".into()), 124),
        (Stop::Signal(15), 143),
        (question(), 20),
        (Stop::Rounds(3), 12),
    ] {
        outcome.stop = Some(stop);
        assert_eq!(row(&outcome, &facts()), (code, true));
        // An interrupt of this program's making is no outcome that anybody accepts.
        let mut interrupted = ended(Some(StopReason::Interrupted));
        interrupted.interrupted = true;
        interrupted.stop = outcome.stop.take();
        assert_eq!(row(&interrupted, &facts()), (code, false));
    }
    assert_eq!(
        row(&ended(Some(StopReason::Interrupted)), &facts()),
        (0, true)
    );
    assert_eq!(row(&ended(Some(StopReason::Done)), &facts()), (0, false));
    assert_eq!(row(&ended(Some(StopReason::Error)), &facts()), (16, false));
    assert_eq!(row(&ended(None), &facts()), (0, false));
}

#[test]
fn an_interrupt_of_our_own_making_is_not_somebody_elses() {
    let mut outcome = Outcome {
        turn: Some(turn(Some(StopReason::Interrupted))),
        stop: Some(Stop::Unwatched),
        ..Outcome::default()
    };
    let left = Facts {
        unwatched: true,
        ..Facts::default()
    };
    assert_eq!(judge(&outcome, &left).exit, Exit::Interrupted);
    outcome.interrupted = true;
    assert_eq!(judge(&outcome, &left).exit, Exit::StdoutClosed);
    assert_eq!(judge(&outcome, &left).message, None);
}

#[test]
fn what_became_of_the_turn_is_said_truthfully() {
    let mut outcome = Outcome {
        stop: Some(Stop::Signal(2)),
        ..Outcome::default()
    };
    let says = |outcome: &Outcome, expected: &str| {
        let message = judge(outcome, &Facts::default()).message.unwrap();
        assert_eq!(message, format!("stopped by INT; {expected}"));
    };
    says(&outcome, "no turn was seen to start");
    outcome.turn = Some(turn(None));
    says(
        &outcome,
        "the turn could not be interrupted and may still run",
    );
    outcome.interrupted = true;
    says(
        &outcome,
        "the turn was interrupted, but its end was not seen",
    );
    outcome.turn = Some(turn(Some(StopReason::Interrupted)));
    says(&outcome, "the turn ended: interrupted");
    outcome.left_alone = true;
    says(&outcome, "the turn is left to the daemon");
}
