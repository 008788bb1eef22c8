//! The stream beside the bare socket: `cargo bench` prints how many times as long, and as much, it takes.
//!
//! Everything runs in turn within a round, so that a busy spell of the machine hits all of it; what is printed is the
//! median of the rounds' own ratios. Nothing outside the project is needed. Bounds are checked only under
//! `DCODECTL_BENCH_STRICT=1`, as other work on the machine moves all times.

#[path = "../tests/support/flood.rs"]
mod flood;

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use flood::Flood;

const ROUNDS: usize = 7;

/// A way to print a session, beside the bare socket.
struct Case {
    name: &'static str,
    id: &'static str,
    /// How many events the peer puts into a write.
    at_once: u64,
    arguments: &'static [&'static str],
    /// How many times as long as the bare socket it may take.
    bound: f64,
}

const CASES: [Case; 5] = [
    Case {
        name: "events one by one",
        id: "200000-100",
        at_once: 1,
        arguments: &["--json"],
        bound: 1.3,
    },
    Case {
        name: "a backlog",
        id: "500000-100",
        at_once: 64,
        arguments: &["--json"],
        bound: 4.0,
    },
    Case {
        name: "events of 1 MiB",
        id: "200-1048576",
        at_once: 1,
        arguments: &["--json"],
        bound: 2.0,
    },
    Case {
        name: "one type of many",
        id: "500000-100",
        at_once: 64,
        arguments: &["--json", "--type", "turn.completed"],
        bound: 4.0,
    },
    Case {
        name: "for people",
        id: "200000-100",
        at_once: 64,
        arguments: &["-o", "human"],
        bound: 10.0,
    },
];

fn main() -> ExitCode {
    let mut out = std::io::stdout();
    let mut missed = false;
    for case in &CASES {
        let flood = Flood::start(case.at_once);
        let mut rounds: Vec<(Duration, Duration)> = (0..ROUNDS)
            .map(|_| (bare(&flood, case.id), product(&flood, case)))
            .collect();
        rounds.sort_by(|one, other| ratio(one).total_cmp(&ratio(other)));
        let median = rounds[ROUNDS / 2];
        let over = ratio(&median) > case.bound;
        missed |= over;
        // A reader that left is no reason to stop.
        let _ = writeln!(
            out,
            "{:<20} {:>5.2} x the bare socket ({:.1} ms against {:.1} ms; bound {}){}",
            case.name,
            ratio(&median),
            median.1.as_secs_f64() * 1e3,
            median.0.as_secs_f64() * 1e3,
            case.bound,
            if over { " MISSED" } else { "" },
        );
    }
    let strict = std::env::var_os("DCODECTL_BENCH_STRICT").is_some_and(|value| value == "1");
    if missed && strict {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

fn ratio((bare, product): &(Duration, Duration)) -> f64 {
    product.as_secs_f64() / bare.as_secs_f64()
}

/// Reads the stream and looks at nothing.
fn bare(flood: &Flood, id: &str) -> Duration {
    let start = Instant::now();
    let mut socket = UnixStream::connect(flood.socket()).expect("a connection");
    let request = format!("GET /v1/sessions/{id}/events?from=1 HTTP/1.1\r\nHost: x\r\n\r\n");
    socket.write_all(request.as_bytes()).expect("a request");
    let mut block = vec![0; 64 * 1024];
    while socket.read(&mut block).expect("an answer") > 0 {}
    start.elapsed()
}

fn product(flood: &Flood, case: &Case) -> Duration {
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_dcodectl"))
        .args(["tail", case.id, "--from", "1", "--until", "turn"])
        .args(case.arguments)
        .arg("--socket")
        .arg(flood.socket())
        .env_clear()
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("dcodectl");
    let mut printed = child.stdout.take().expect("its stdout");
    let mut block = vec![0; 64 * 1024];
    while printed.read(&mut block).expect("its output") > 0 {}
    let status = child.wait().expect("its end");
    assert!(status.success(), "{}: {status}", case.name);
    start.elapsed()
}
