//! The approval questions of one session (protocol, section 9): at most one is open.

use std::collections::{HashSet, VecDeque};

use crate::protocol::{Decision, ErrorCode};

/// How many expired questions are remembered as such.
const EXPIRED_REMEMBERED: usize = 64;

/// The open question, and what is remembered of earlier ones.
#[derive(Debug, Default)]
pub(super) struct Questions {
    open: Option<String>,
    answer: Option<Decision>,
    expired: VecDeque<String>,
    granted: HashSet<String>,
}

impl Questions {
    /// Asks under an id, which may have been used before: a late answer to an earlier question of
    /// that id is then taken for an answer to this one, as the daemon does.
    pub(super) fn open(&mut self, id: &str) {
        self.open = Some(id.to_owned());
        self.answer = None;
    }

    /// Closes the question without an answer.
    pub(super) fn close(&mut self) {
        self.open = None;
    }

    /// Closes the question because the time is up.
    pub(super) fn expire(&mut self, id: &str) {
        self.open = None;
        self.expired.push_back(id.to_owned());
        if self.expired.len() > EXPIRED_REMEMBERED {
            self.expired.pop_front();
        }
    }

    /// Takes the first answer; that to an expired question comes too late.
    pub(super) fn answer(
        &mut self,
        id: &str,
        decision: Decision,
    ) -> Result<(), (ErrorCode, String)> {
        if self.open.as_deref() == Some(id) {
            self.open = None;
            self.answer = Some(decision);
            return Ok(());
        }
        Err(if self.expired.iter().any(|expired| expired == id) {
            let message =
                format!("approval {id} ran out of time and was denied; nobody answered it");
            (ErrorCode::ApprovalExpired, message)
        } else {
            let message = format!("approval {id} is not pending; it was already answered");
            (ErrorCode::ApprovalAlreadyResolved, message)
        })
    }

    /// The answer that was given, once.
    pub(super) fn take_answer(&mut self) -> Option<Decision> {
        self.answer.take()
    }

    /// Allows such calls for the rest of the session.
    pub(super) fn grant(&mut self, key: String) {
        self.granted.insert(key);
    }

    /// Whether such a call was allowed for the rest of the session.
    pub(super) fn is_granted(&self, key: &str) -> bool {
        self.granted.contains(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_answer_wins_and_an_expired_question_says_so() {
        let mut questions = Questions::default();
        let code = |result: Result<(), (ErrorCode, String)>| result.unwrap_err().0;
        assert_eq!(
            code(questions.answer("t1-0", Decision::Allow)),
            ErrorCode::ApprovalAlreadyResolved
        );
        questions.open("t1-0");
        questions.answer("t1-0", Decision::Allow).unwrap();
        assert_eq!(
            code(questions.answer("t1-0", Decision::Deny)),
            ErrorCode::ApprovalAlreadyResolved
        );
        assert_eq!(questions.take_answer(), Some(Decision::Allow));
        for number in 0..=EXPIRED_REMEMBERED {
            questions.expire(&format!("t{number}-0"));
        }
        assert_eq!(
            code(questions.answer("t1-0", Decision::Deny)),
            ErrorCode::ApprovalExpired
        );
        assert_eq!(
            code(questions.answer("t0-0", Decision::Deny)),
            ErrorCode::ApprovalAlreadyResolved
        );
        // The id of an expired question is asked again: the answer is for the new one.
        questions.open("t1-0");
        questions.answer("t1-0", Decision::Deny).unwrap();
    }
}
