//! `-v`, `-vv` and `DCODECTL_LOG`: what goes on between this program and the daemon, a line each.
//!
//! Prompts and answers are in none of them, but in requests shown under `-vv`.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Context;
use crate::client::socket::Tried;
use crate::client::{Client, Told, Watcher};
use crate::follow::Input;

/// The code of such lines under `--json`.
const CODE: &str = "diagnostic";

/// How many bytes of a request are shown.
const SHOWN: usize = 2000;

/// How much is wanted: 0 nothing, 1 requests and reconnects, 2 also what is sent.
pub(super) fn level(context: &Context<'_>) -> u8 {
    if context.global.quiet {
        return 0;
    }
    let logged = match context.surroundings.set("DCODECTL_LOG") {
        None => 0,
        Some(value) if value == "0" => 0,
        Some(value) if value == "2" => 2,
        Some(_) => 1,
    };
    context.global.verbose.max(logged)
}

/// When the program began, if diagnostics are wanted.
pub(super) fn wanted(context: &Context<'_>) -> Option<Instant> {
    (level(context) > 0).then_some(context.begun)
}

/// Lets the client tell what it does.
pub(super) fn watched(client: Client, context: &mut Context<'_>) -> Client {
    let level = level(context);
    if level == 0 {
        return client;
    }
    let (console, waker) = (context.console.clone(), context.inbox.waker());
    let show = move |note: &str| console.notice(CODE, note);
    context.inbox.on_note(show);
    let begun = context.begun;
    client.watched(Watcher(Arc::new(move |told| {
        waker.send(Input::Note(line(told, begun, level)));
    })))
}

/// A line with the time since the program began, as all of them have.
pub(super) fn timed(begun: Instant, what: &str) -> String {
    format!("[{:.3} s] {what}", begun.elapsed().as_secs_f64())
}

fn milliseconds(took: Duration) -> String {
    format!("{:.1} ms", took.as_secs_f64() * 1000.0)
}

fn line(told: &Told<'_>, begun: Instant, level: u8) -> String {
    let (method, target) = (told.method, told.target);
    let took = milliseconds(told.elapsed);
    let what = match &told.outcome {
        Ok(status) => format!("{method} {target}: {status} in {took}"),
        Err(why) => format!("{method} {target}: failed after {took}: {why}"),
    };
    let mut line = timed(begun, &what);
    if level > 1
        && let Some(body) = told.body.filter(|body| !body.is_empty())
    {
        let shown = String::from_utf8_lossy(&body[..body.len().min(SHOWN)]);
        let _ = write!(line, "; sent {} bytes: {shown}", body.len());
    }
    line
}

/// Which paths were looked at for a socket, and why each was taken or passed over.
pub(super) fn tried(tried: &[Tried], context: &Context<'_>) {
    if level(context) == 0 {
        return;
    }
    let last = tried.len().saturating_sub(1);
    for (number, one) in tried.iter().enumerate() {
        let verb = if number == last {
            "taken"
        } else {
            "passed over"
        };
        let (path, took) = (one.path.display(), milliseconds(one.took));
        let what = format!("socket {path} {verb} after {took}: {}", one.outcome);
        context.console.notice(CODE, &timed(context.begun, &what));
    }
}
