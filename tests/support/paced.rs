//! Turns that take their time, written down in the test.

use dcodectl::simulate::{Daemon, Options, Replay, Source, Speed};

/// A daemon that plays the given events, one `(milliseconds before it, type, payload)` each, with
/// these pauses.
pub fn paced(events: &[(u64, &str, &str)], change: impl FnOnce(&mut Options)) -> Daemon {
    let mut at = 0;
    let line = |(index, &(pause, kind, payload)): (usize, &(u64, &str, &str))| {
        at += pause;
        let (seq, minutes) = (index + 2, at / 60_000);
        let (seconds, millis) = (at / 1000 % 60, at % 1000);
        format!(
            r#"{{"seq":{seq},"session_id":"s","type":"{kind}","at":"2026-12-01T05:{minutes:02}:{seconds:02}.{millis:03}Z","payload":{payload}}}"#
        )
    };
    let log: Vec<String> = events.iter().enumerate().map(line).collect();
    let mut options = Options {
        source: Source::Replay(Replay::parse(&log.join("\n")).unwrap()),
        speed: Speed::Times(1.0),
        ..Options::default()
    };
    change(&mut options);
    Daemon::start(options).unwrap()
}

/// The first event of a turn, whose text is what was really submitted.
pub const STARTED: (u64, &str, &str) = (0, "turn.started", r#"{"turn_id":"t1"}"#);
