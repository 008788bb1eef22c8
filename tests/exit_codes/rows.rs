//! What produces each row of the exit table.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::Instant;

use dcodectl::exit::Exit;
use dcodectl::simulate::{Act, Daemon, Fault, PathIs};
use rustix::process::Signal;

use crate::support::process::{end_of, spawn};
use crate::support::{Ran, Run, at, create, daemon, daemon_with, dcodectl, is_busy, until};

/// How a row says what happened.
#[derive(Clone, Copy)]
pub(super) enum Told {
    /// Not at all: a success, or a reader that left.
    Silently,
    /// As a result, in a notice; the text holds this.
    Calmly(&'static str),
    /// As an error; the text holds this.
    Loudly(&'static str),
}

/// Where a row's stdout stops.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Shown {
    /// Nothing is on stdout.
    Nothing,
    /// A turn up to its end, which names this reason.
    Turn(&'static str),
    /// Some events, or whatever the command prints.
    Something,
}

/// What one row looks like.
pub(super) struct Row {
    pub(super) ran: Ran,
    pub(super) told: Told,
    pub(super) shown: Shown,
}

fn row(ran: Ran, told: Told, shown: Shown) -> Row {
    Row { ran, told, shown }
}

/// A command line, under `--json` or not.
fn line(to: &Daemon, json: bool, arguments: &[&str]) -> Run {
    let format = if json { "ndjson" } else { "human" };
    at(to, ["-o", format].iter().chain(arguments))
}

/// A turn of a scenario that ends by itself.
fn turn(name: &str, json: bool, reason: &'static str, told: Told) -> Row {
    let daemon = daemon(name);
    let ran = line(&daemon, json, &["run", "fix the test"]).run();
    row(ran, told, Shown::Turn(reason))
}

/// A command that the daemon, or this program, refuses.
fn refused(to: &Daemon, json: bool, arguments: &[&str], text: &'static str) -> Row {
    row(
        line(to, json, arguments).run(),
        Told::Loudly(text),
        Shown::Nothing,
    )
}

/// Produces the condition of a row; `None` for the one that stands for what nobody thought of. A
/// new exit does not compile before it has a producer here.
pub(super) fn produce(exit: Exit, json: bool) -> Option<Row> {
    use Told::{Calmly, Loudly, Silently};
    Some(match exit {
        Exit::Failure => return None,
        Exit::Done => turn("done", json, "done", Silently),
        Exit::Unverified => turn("unverified", json, "unverified", Calmly("could not be run")),
        Exit::Incomplete => turn("incomplete", json, "incomplete", Calmly("unmet")),
        Exit::MaxIterations => turn(
            "max-iterations",
            json,
            "max_iterations",
            Loudly("iteration limit (rounds: 3 of 3)"),
        ),
        Exit::RepeatLoop => turn("repeat-loop", json, "repeat_loop", Loudly("repeat_loop")),
        Exit::MaxTokens => turn("max-tokens", json, "max_tokens", Loudly("max_tokens")),
        Exit::Interrupted => turn("interrupted", json, "interrupted", Loudly("somebody else")),
        Exit::Error => turn("error", json, "error", Loudly("401 Unauthorized")),
        Exit::NotVerified => {
            let arguments = ["run", "--require-verified", "x"];
            let ran = line(&daemon("unchecked"), json, &arguments).run();
            row(ran, Loudly("nothing was checked"), Shown::Turn("done"))
        }
        Exit::ProtectedTouched => {
            let arguments = ["run", "--forbid-protected", "x"];
            let ran = line(&daemon("protected-touched"), json, &arguments).run();
            row(ran, Loudly("written in this session"), Shown::Turn("done"))
        }
        Exit::UnknownReason => unknown_reason(json),
        Exit::ApprovalNeeded => approval_needed(json),
        Exit::UndoRefused => undo_refused(json),
        Exit::Usage
        | Exit::SessionNotFound
        | Exit::TurnAlreadyActive
        | Exit::NoActiveTurn
        | Exit::InvalidInput
        | Exit::ApprovalAlreadyResolved
        | Exit::ApprovalExpired
        | Exit::EventsExpired
        | Exit::WorkspaceInvalid
        | Exit::MaxSessionsReached
        | Exit::Internal => refusal(exit, json),
        Exit::Unreachable => unreachable(json),
        Exit::OutputFailed => refused(
            &daemon("done"),
            json,
            &["run", "--summary", "/nowhere/at/all.json", "x"],
            "/nowhere/at/all.json cannot be written",
        ),
        Exit::OutcomeUnknown => {
            // At its own speed, so that something is read before.
            let restarts = daemon_with("restart", |_| {});
            let ran = line(&restarts, json, &["run", "x"]).run();
            row(
                ran,
                Loudly("before the turn's end was seen"),
                Shown::Something,
            )
        }
        Exit::Protocol => refused(&daemon("not-http"), json, &["list"], "does not speak HTTP"),
        Exit::Permission => permission(json),
        Exit::Timeout => {
            let arguments = ["run", "--timeout", "1s", "x"];
            let ran = line(&daemon("silence"), json, &arguments).run();
            row(ran, Loudly("--timeout 1s reached"), Shown::Something)
        }
        Exit::Hangup => signalled(json, Signal::HUP, Loudly("stopped by HUP")),
        Exit::Interrupt => signalled(json, Signal::INT, Loudly("stopped by INT")),
        Exit::Terminate => signalled(json, Signal::TERM, Loudly("stopped by TERM")),
        Exit::StdoutClosed => stdout_closed(json),
    })
}

/// The rows in which one request, or the arguments, are refused.
fn refusal(exit: Exit, json: bool) -> Row {
    let done = daemon("done");
    match exit {
        Exit::Usage => refused(&done, json, &["submit", "s", "  "], "the text is empty"),
        Exit::SessionNotFound => refused(&done, json, &["show", "nobody"], "nobody"),
        Exit::TurnAlreadyActive => {
            let busy = daemon("silence");
            let id = create(&busy);
            at(&busy, ["submit", "--detach", &id, "first"])
                .run()
                .exits(0);
            refused(
                &busy,
                json,
                &["submit", &id, "second"],
                "a turn already runs",
            )
        }
        Exit::NoActiveTurn => {
            let id = create(&done);
            refused(&done, json, &["steer", &id, "that way"], "")
        }
        Exit::InvalidInput => {
            let (id, name) = (create(&done), "n".repeat(500));
            refused(&done, json, &["rename", &id, &name], "120 characters")
        }
        Exit::ApprovalAlreadyResolved => {
            let id = create(&done);
            refused(&done, json, &["approve", &id, "t1-0"], "t1-0")
        }
        Exit::ApprovalExpired => {
            let expires = daemon("approval-expires");
            let id = create(&expires);
            at(&expires, ["submit", "--on-approval", "leave", &id, "x"])
                .run()
                .exits(0);
            refused(&expires, json, &["approve", &id, "t1-0"], "deadline")
        }
        Exit::EventsExpired => {
            let forgetful = daemon_with("done", |options| options.retention = 2);
            let id = create(&forgetful);
            at(&forgetful, ["submit", "--detach", &id, "x"])
                .run()
                .exits(0);
            until("the turn's end", || !is_busy(&forgetful));
            let arguments = ["tail", "--from", "1", "--no-follow", &id];
            refused(&forgetful, json, &arguments, "event")
        }
        Exit::WorkspaceInvalid => {
            let arguments = ["create", "--workspace", "/nowhere/at/all"];
            refused(&done, json, &arguments, "/nowhere/at/all")
        }
        Exit::MaxSessionsReached => {
            let full = daemon_with("done", |options| options.max_sessions = 0);
            refused(&full, json, &["run", "x"], "maximum")
        }
        Exit::Internal => {
            done.add_fault(answers(
                "GET",
                500,
                r#"{"code":"internal","message":"broken"}"#,
            ));
            refused(&done, json, &["list"], "broken")
        }
        other => panic!("{other:?} is no refusal"),
    }
}

/// A daemon that answers every request of a method like this.
pub(super) fn answers(method: &str, status: u16, body: &str) -> Fault {
    let (content_type, body) = ("application/json".to_owned(), body.to_owned());
    let act = Act::Answer {
        status,
        content_type,
        body,
    };
    Fault::new(method, PathIs::Any, act)
}

fn unknown_reason(json: bool) -> Row {
    let daemon = daemon("unknown-reason");
    let ran = line(&daemon, json, &["run", "x"]).run();
    let text = "a stop reason this version does not know";
    row(ran, Told::Loudly(text), Shown::Something)
}

fn approval_needed(json: bool) -> Row {
    let daemon = daemon("approval");
    let ran = line(&daemon, json, &["run", "--on-approval", "fail", "x"]).run();
    row(
        ran,
        Told::Loudly("approval t1-0@"),
        Shown::Turn("interrupted"),
    )
}

fn undo_refused(json: bool) -> Row {
    let daemon = daemon("undo-refused");
    let id = create(&daemon);
    at(&daemon, ["submit", &id, "x"]).run();
    let ran = line(&daemon, json, &["undo", &id]).run();
    row(ran, Told::Loudly("alone"), Shown::Something)
}

fn unreachable(json: bool) -> Row {
    let gone = daemon("done");
    let socket = gone.socket().to_str().unwrap().to_owned();
    drop(gone);
    let format = if json { "ndjson" } else { "human" };
    let ran = dcodectl(["-o", format, "--socket", &socket, "list"]).run();
    row(ran, Told::Loudly("no daemon answers"), Shown::Nothing)
}

/// The only daemon sits where everybody may write: its socket could be anybody's.
fn permission(json: bool) -> Row {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let socket = folder.path().join("dcode.sock");
    let daemon = daemon_with("done", |options| options.socket = Some(socket));
    let format = if json { "ndjson" } else { "human" };
    let ran = dcodectl(["-o", format, "list"])
        .env("XDG_RUNTIME_DIR", folder.path())
        .run();
    assert_eq!(daemon.requests(), [], "nothing is written to it");
    row(
        ran,
        Told::Loudly("no socket that may be used"),
        Shown::Nothing,
    )
}

fn signalled(json: bool, signal: Signal, told: Told) -> Row {
    let daemon = daemon("silence");
    let running = line(&daemon, json, &["run", "x"]).start();
    until("the turn", || is_busy(&daemon));
    running.signal(signal);
    row(running.wait(), told, Shown::Something)
}

/// The reader leaves while the turn is quiet.
fn stdout_closed(json: bool) -> Row {
    let daemon = daemon("silence");
    let mut child = spawn(line(&daemon, json, &["run", "x"]), Stdio::piped());
    until("the turn", || is_busy(&daemon));
    drop(child.stdout.take());
    let begun = Instant::now();
    let (status, stderr) = end_of(child);
    let ran = Ran {
        status,
        stdout: String::new(),
        stderr,
        took: begun.elapsed(),
    };
    row(ran, Told::Silently, Shown::Nothing)
}
