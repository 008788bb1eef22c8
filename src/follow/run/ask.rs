//! The questions of a followed turn: who is to answer, and what a person typed.

use std::time::Instant;

use super::{Flow, ON, Run};
use crate::follow::Question;
use crate::follow::answering::Policy;
use crate::follow::outcome::{By, Stop};
use crate::protocol::Decision;

impl Run<'_> {
    pub(super) fn act(&mut self, now: Instant) -> Flow {
        let Some(question) = self.answering.due(now, &self.tracker) else {
            return ON;
        };
        if self.stopping.is_some() {
            return ON;
        }
        match self.plan.policy.clone() {
            Policy::Leave => ON,
            Policy::Fail => self.stop(Stop::Question(Box::new(question))),
            Policy::Exec(program) => {
                self.answering.ask_program(&question, &program, self.inbox);
                ON
            }
            Policy::Ask => {
                self.answering.asking(question.seq);
                self.observer.ask(&question, false);
                ON
            }
            Policy::Decide(decision) => {
                if decision == Decision::Deny {
                    let request = &question.request;
                    let text = format!(
                        "denied {} ({} by {}): nobody is asked here; --on-approval says who answers",
                        question.handle(),
                        request.boundary_crossed,
                        request.tool
                    );
                    self.observer.notice("approval_denied", &text);
                }
                self.answer(question, decision, By::Policy);
                ON
            }
        }
    }

    pub(super) fn answer(&mut self, question: Question, decision: Decision, by: By) {
        let peer = (&self.plan.client, self.plan.session_id.as_str());
        let limits = self.plan.limits;
        self.answering
            .send(question, decision, by, peer, (self.inbox, &limits));
    }

    /// A program has answered, or failed to: then the answer is no.
    pub(super) fn program_answered(
        &mut self,
        question: Question,
        answer: crate::error::Result<Decision>,
    ) {
        let decision = answer.unwrap_or_else(|error| {
            let text = format!("{error}; {} is denied", question.handle());
            self.observer.notice("approval_program_failed", &text);
            Decision::Deny
        });
        self.answer(question, decision, By::Exec);
    }

    pub(super) fn typed(&mut self, line: Option<&str>) {
        let Some(question) = self.answering.asked(&self.tracker).cloned() else {
            return;
        };
        let decision = match line.map(|line| line.trim().to_lowercase()).as_deref() {
            Some("y" | "yes" | "allow") => Decision::Allow,
            Some("s" | "session" | "allow_session") => Decision::AllowSession,
            Some("p" | "project" | "allow_project") => Decision::AllowProject,
            Some("a" | "always" | "allow_always") => Decision::AllowAlways,
            Some("n" | "no" | "deny") | None => Decision::Deny,
            Some(_) => {
                self.observer.asked(true);
                return self.observer.ask(&question, true);
            }
        };
        self.observer.asked(line.is_some());
        self.answer(question, decision, By::Person);
    }
}
