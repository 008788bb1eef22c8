//! What a feed does about trouble: a loss, a refusal, a hole.

use std::time::Instant;

use super::{Feed, State, Why};
use crate::error::{Error, Kind};
use crate::follow::Observer;
use crate::follow::inbox::Inbox;
use crate::follow::losses::{self, FeedEnd, Outage};
use crate::protocol::{ErrorCode, Session};

impl Feed {
    pub(super) fn lost(
        &mut self,
        how: &str,
        inbox: &mut Inbox,
        observer: &mut dyn Observer,
    ) -> Result<(), FeedEnd> {
        self.reconnects += 1;
        observer.detail(
            "reconnect",
            &format!("the stream stopped after seq {}: {how}", self.next - 1),
        );
        let now = Instant::now();
        let begins = || Outage {
            since: now,
            pause: self.limits.first_pause,
            told: false,
        };
        if self.progressed {
            // The bound begins here, too: the first try may take as long as it likes to fail.
            self.outage = Some(begins());
            self.connect(self.ended, inbox);
            return Ok(());
        }
        let outage = self.outage.get_or_insert_with(begins);
        if !std::mem::replace(&mut outage.told, true) {
            let bound = humantime::format_duration(self.limits.reconnect);
            observer.notice(
                "reconnecting",
                &format!(
                    "the stream is lost after seq {}: {how}; trying for {bound}",
                    self.next - 1
                ),
            );
        }
        if now >= outage.since + self.limits.reconnect {
            return Err(FeedEnd::Failed(losses::not_regained(
                self.next - 1,
                self.limits.reconnect,
            )));
        }
        self.state = State::Pausing(now + outage.pause);
        outage.pause = (outage.pause * 2).min(self.limits.longest_pause);
        Ok(())
    }

    /// Opening failed, or what came is no event stream.
    pub(super) fn refused(
        &mut self,
        error: Error,
        inbox: &mut Inbox,
        observer: &mut dyn Observer,
    ) -> Result<(), FeedEnd> {
        match error.kind() {
            Kind::Refused(ErrorCode::SessionNotFound) => Err(self.gone()),
            Kind::Refused(ErrorCode::EventsExpired) => {
                self.ask(Why::Expired, inbox);
                Ok(())
            }
            // A daemon that fails once may work at the next try; one that never worked may not.
            _ if self.answers && error.may_pass() => {
                self.ended = false;
                self.lost(&error.to_string(), inbox, observer)
            }
            // No thread could be started. That of the connection before is about to rest, and then free for the next.
            Kind::Failure if self.reconnects > 0 => self.lost(&error.to_string(), inbox, observer),
            _ => Err(FeedEnd::Failed(error)),
        }
    }

    pub(super) fn expired(
        &mut self,
        session: &Session,
        inbox: &mut Inbox,
        observer: &mut dyn Observer,
    ) -> Result<(), FeedEnd> {
        let Some(first) = session.first_seq else {
            // An older daemon does not say which event is the oldest: nothing is left to try.
            return Err(FeedEnd::Failed(losses::expired(self.next)));
        };
        if first <= self.next {
            return self.lost(
                "the daemon says that events are gone which it holds",
                inbox,
                observer,
            );
        }
        if !self.oldest {
            return Err(FeedEnd::Failed(losses::missing(self.next, first - 1)));
        }
        self.next = first;
        self.open(inbox);
        Ok(())
    }

    pub(super) fn hole(&mut self, seen: u64, inbox: &mut Inbox) -> Result<(), FeedEnd> {
        if self.hole_at == Some(self.next) {
            return Err(FeedEnd::Failed(losses::missing(self.next, seen - 1)));
        }
        self.hole_at = Some(self.next);
        self.reconnects += 1;
        self.open(inbox);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::client::Timeouts;
    use crate::follow::limits::Limits;
    use crate::follow::reader::FromStream;
    use crate::protocol::Event;

    /// Looks at nothing.
    struct Blind;

    impl Observer for Blind {
        fn event(&mut self, _event: &Event<'_>) {}
        fn notice(&mut self, _code: &str, _message: &str) {}
        fn detail(&mut self, _code: &str, _message: &str) {}
        fn idle(&mut self) {}
        fn wake_at(&self) -> Option<Instant> {
            None
        }
        fn ask(&mut self, _question: &crate::follow::Question, _again: bool) {}
        fn asked(&mut self, _typed: bool) {}
        fn unwatched(&mut self) -> bool {
            false
        }
    }

    #[test]
    fn a_thread_that_is_refused_is_a_loss_once_there_was_one() {
        let client = crate::client::Client::new(Path::new("/nonexistent"), 0, Timeouts::default());
        let mut feed = Feed::new(client, "x", 1, Limits::default());
        let mut inbox = Inbox::default();
        let mut refuse = |feed: &mut Feed| {
            let error = Error::new(Kind::Failure, "no thread can be started");
            let message = FromStream::Failed(error);
            let each = |_: &Event<'_>, _: &mut dyn Observer| std::ops::ControlFlow::Continue(());
            feed.take(message, &mut inbox, &mut Blind, each)
        };
        assert!(matches!(refuse(&mut feed), Err(FeedEnd::Failed(_))));
        feed.reconnects = 1;
        assert!(refuse(&mut feed).is_ok());
        assert!(matches!(feed.state, State::Pausing(_)));
        // That is tried for no longer than anything else.
        let limits = Limits::default();
        assert!(feed.outage_deadline().unwrap() <= Instant::now() + limits.reconnect);
    }
}
