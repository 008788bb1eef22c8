//! The simulated daemon's questions, corrections and interrupts: what a turn waits for.

#![allow(clippy::unwrap_used)]

#[path = "support/one.rs"]
mod one;
#[path = "support/raw.rs"]
mod raw;

use std::time::{Duration, Instant};

use dcodectl::simulate::Speed;
use one::{One, answer_text, count, kinds};
use raw::{submit, wait_for_state};
use serde_json::Value;

#[test]
fn a_question_blocks_the_session_until_its_first_answer() {
    let one = One::instant("approval");
    let mut stream = one.stream("?from=2");
    one.submit();
    let asked = stream.events_until("tool.approval_required");
    let question = &asked.last().unwrap()["payload"];
    assert_eq!(question["approval_id"], "t1-0");
    assert_eq!(question["expires_at"], "0001-01-01T00:00:00Z");
    assert_eq!(one.get().json()["state"], "blocked");
    assert_eq!(
        submit(one.socket(), &one.id, "x").code(),
        "turn_already_active"
    );
    assert_eq!(
        one.post("steer", "{\"text\":\"x\"}").code(),
        "no_active_turn"
    );
    assert_eq!(one.post("undo", "").status(), 200);
    // The word is checked before the id.
    assert_eq!(one.decide("t9-9", "maybe").code(), "internal");
    assert_eq!(
        one.decide("t9-9", "allow").code(),
        "approval_already_resolved"
    );
    assert_eq!(one.decide("t1-0", "allow").status(), 204);
    assert_eq!(
        one.decide("t1-0", "deny").code(),
        "approval_already_resolved"
    );
    let rest = stream.events_until("turn.completed");
    assert_eq!(rest[0]["payload"]["decision"], "allow");
    assert_eq!(count(&rest, "tool.completed"), 1);
    assert!(answer_text(&rest).starts_with("Removed build/"));
}

#[test]
fn a_denied_call_never_completes_and_the_turn_ends_done() {
    let one = One::instant("approval");
    let mut stream = one.stream("?from=2");
    one.submit();
    stream.events_until("tool.approval_required");
    one.decide("t1-0", "deny");
    let rest = stream.events_until("turn.completed");
    assert_eq!(count(&rest, "tool.completed"), 0);
    assert!(answer_text(&rest).starts_with("I was not allowed"));
    assert_eq!(rest.last().unwrap()["payload"]["reason"], "done");
}

#[test]
fn of_two_answers_at_once_one_wins() {
    let one = One::instant("approval");
    one.submit();
    wait_for_state(one.socket(), &one.id, "blocked");
    let mut statuses: Vec<u16> = std::thread::scope(|scope| {
        let threads: Vec<_> = ["allow", "deny"]
            .map(|word| scope.spawn(|| one.decide("t1-0", word).status()))
            .into_iter()
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    statuses.sort_unstable();
    assert_eq!(statuses, [204, 409]);
}

#[test]
fn an_answer_right_after_the_question_may_be_refused_although_nobody_answered() {
    let one = One::new("approval", Speed::Instant, |options| {
        options.early_answer_window = Duration::from_millis(300);
    });
    let mut stream = one.stream("");
    one.submit();
    stream.events_until("tool.approval_required");
    assert_eq!(
        one.decide("t1-0", "allow").code(),
        "approval_already_resolved"
    );
    wait_for_state(one.socket(), &one.id, "blocked");
    assert_eq!(one.decide("t1-0", "allow").status(), 204);
}

#[test]
fn the_deadline_denies_and_a_late_answer_is_told_so() {
    let one = One::instant("approval-expires");
    let mut stream = one.stream("");
    one.submit();
    stream.events_until("tool.approval_required");
    let rest = stream.events_until("turn.completed");
    assert_eq!(rest[0]["payload"]["decision"], "deny");
    assert_eq!(one.decide("t1-0", "allow").code(), "approval_expired");
}

#[test]
fn a_late_answer_is_taken_for_the_next_question_of_that_id() {
    let one = One::new("approval-reused-id", Speed::Instant, |options| {
        options.approval_timeout = Duration::from_millis(700);
    });
    let mut stream = one.stream("");
    one.submit();
    for _ in 0..2 {
        let events = stream.events_until("tool.approval_required");
        assert_eq!(events.last().unwrap()["payload"]["approval_id"], "t1-0");
    }
    // Meant for the first, which has expired.
    assert_eq!(one.decide("t1-0", "allow").status(), 204);
    let rest = stream.events_until("turn.completed");
    assert_eq!(rest[0]["payload"]["decision"], "allow");
}

#[test]
fn allow_session_answers_the_next_crossing_of_the_same_rule() {
    let one = One::instant("approval-session");
    let mut stream = one.stream("");
    one.submit();
    stream.events_until("tool.approval_required");
    one.decide("t1-0", "allow_session");
    let rest = stream.events_until("turn.completed");
    let decisions: Vec<&Value> = rest
        .iter()
        .filter(|event| event["type"] == "tool.approval_resolved")
        .map(|event| &event["payload"]["decision"])
        .collect();
    assert_eq!(decisions, ["allow_session", "allow_session"]);
    assert_eq!(count(&rest, "tool.approval_required"), 1);
    assert_eq!(count(&rest, "tool.completed"), 2);
}

#[test]
fn a_correction_is_delivered_at_the_start_of_the_next_round() {
    let one = One::new("steering", Speed::Times(6.0), |_| {});
    let mut stream = one.stream("");
    one.submit();
    assert_eq!(
        one.post("steer", "{\"text\":\" \"}").code(),
        "invalid_input"
    );
    for text in ["use tabs", "be brief"] {
        assert_eq!(
            one.post("steer", &format!("{{\"text\":\"{text}\"}}"))
                .status(),
            202
        );
    }
    let events = stream.events_until("turn.completed");
    let first = events
        .iter()
        .position(|event| event["type"] == "turn.steered")
        .unwrap();
    assert_eq!(events[first]["payload"]["text"], "use tabs");
    assert_eq!(events[first + 1]["payload"]["text"], "be brief");
    assert_eq!(events[first - 1]["payload"]["kind"], "rounds");
    assert!(answer_text(&events).contains("with your correction"));
    assert_eq!(
        one.post("steer", "{\"text\":\"x\"}").code(),
        "no_active_turn"
    );
}

#[test]
fn a_correction_of_the_last_round_is_reported_lost_after_the_end() {
    let one = One::new("long-answer", Speed::Times(4.0), |_| {});
    let mut stream = one.stream("");
    one.submit();
    assert_eq!(one.post("steer", "{\"text\":\"x\"}").status(), 202);
    stream.events_until("turn.completed");
    let notice = stream.json_event().unwrap();
    assert_eq!(notice["type"], "session.error");
    assert_eq!(notice["payload"]["code"], "no_active_turn");
    assert_eq!(one.get().json()["state"], "idle");
}

#[test]
fn an_interrupt_ends_a_command_at_once() {
    let one = One::new("slow", Speed::Times(1.0), |_| {});
    let mut stream = one.stream("");
    one.submit();
    // Idle or not, known or not, an interrupt has no other answer.
    stream.events_until("tool.requested");
    stream.json_event().unwrap();
    let start = Instant::now();
    assert_eq!(one.post("interrupt", "").status(), 204);
    let events = stream.events_until("turn.completed");
    assert!(start.elapsed() < Duration::from_secs(3));
    assert_eq!(
        kinds(&events),
        ["tool.completed", "progress", "turn.completed"]
    );
    assert_eq!(events[0]["payload"]["ok"], false);
    assert_eq!(events[2]["payload"]["reason"], "interrupted");
    wait_for_state(one.socket(), &one.id, "idle");
    assert_eq!(one.post("interrupt", "").status(), 204);
    one.submit();
}

#[test]
fn an_interrupt_denies_the_open_question() {
    let one = One::instant("approval");
    let mut stream = one.stream("");
    one.submit();
    stream.events_until("tool.approval_required");
    assert_eq!(one.post("interrupt", "").status(), 204);
    assert_eq!(
        one.decide("t1-0", "allow").code(),
        "approval_already_resolved"
    );
    let events = stream.events_until("turn.completed");
    assert_eq!(
        kinds(&events),
        ["tool.approval_resolved", "progress", "turn.completed"]
    );
    assert_eq!(events[0]["payload"]["decision"], "deny");
}

#[test]
fn one_grant_opens_the_network_for_the_session() {
    let one = One::instant("approval-network");
    let mut stream = one.stream("");
    one.submit();
    stream.events_until("tool.approval_required");
    one.decide("t1-0", "allow");
    let rest = stream.events_until("turn.completed");
    assert_eq!(count(&rest, "tool.approval_required"), 0);
    assert_eq!(count(&rest, "tool.completed"), 2);
}

#[test]
fn an_interrupt_right_after_the_submit_finds_a_turn_that_has_started() {
    for _ in 0..20 {
        let one = One::new("slow", Speed::Times(1.0), |_| {});
        let mut stream = one.stream("?from=2");
        one.submit();
        assert_eq!(one.post("interrupt", "").status(), 204);
        let events = stream.events_until("turn.completed");
        assert_eq!(events[0]["type"], "turn.started");
        assert_eq!(events.last().unwrap()["payload"]["reason"], "interrupted");
    }
}
