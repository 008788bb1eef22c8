//! A simulated daemon with one session, and short words for what is done to it.

// Every test file includes it and uses a part of it.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use std::path::Path;

use dcodectl::simulate::{Daemon, Options, Source, Speed, scenario};
use serde_json::Value;
use tempfile::TempDir;

use super::raw::{Answer, Raw, create, decide, exchange, submit};

/// A daemon with one session.
pub struct One {
    pub daemon: Daemon,
    pub workspace: TempDir,
    pub id: String,
}

impl One {
    pub fn new(name: &str, speed: Speed, change: impl FnOnce(&mut Options)) -> Self {
        let mut options = Options {
            source: Source::Scenario(scenario(name).unwrap()),
            speed,
            ..Options::default()
        };
        change(&mut options);
        let workspace = tempfile::tempdir().unwrap();
        let daemon = Daemon::start(options).unwrap();
        let id = create(daemon.socket(), workspace.path());
        Self {
            daemon,
            workspace,
            id,
        }
    }

    pub fn instant(name: &str) -> Self {
        Self::new(name, Speed::Instant, |_| {})
    }

    pub fn socket(&self) -> &Path {
        self.daemon.socket()
    }

    pub fn stream(&self, query: &str) -> Raw {
        Raw::open_stream(self.socket(), &self.id, query)
    }

    pub fn submit(&self) {
        assert_eq!(submit(self.socket(), &self.id, "Fix it").status(), 202);
    }

    pub fn decide(&self, approval: &str, decision: &str) -> Answer {
        decide(self.socket(), &self.id, approval, decision)
    }

    pub fn post(&self, what: &str, body: &str) -> Answer {
        let path = format!("/v1/sessions/{}/{what}", self.id);
        exchange(self.socket(), "POST", &path, body)
    }

    pub fn get(&self) -> Answer {
        exchange(
            self.socket(),
            "GET",
            &format!("/v1/sessions/{}", self.id),
            "",
        )
    }

    pub fn resume(&self, source: &str) -> Value {
        let workspace = self.workspace.path().display();
        let body = format!("{{\"workspace\":\"{workspace}\",\"resume\":\"{source}\"}}");
        let answer = exchange(self.socket(), "POST", "/v1/sessions", &body);
        assert_eq!(answer.status(), 201, "{answer:?}");
        answer.json()
    }
}

pub fn kinds(events: &[Value]) -> Vec<&str> {
    events
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect()
}

pub fn count(events: &[Value], kind: &str) -> usize {
    kinds(events).iter().filter(|found| **found == kind).count()
}

pub fn answer_text(events: &[Value]) -> String {
    events
        .iter()
        .filter(|event| event["type"] == "message.delta")
        .map(|event| event["payload"]["text"].as_str().unwrap())
        .collect()
}
