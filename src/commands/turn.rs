//! What `run`, `submit` and `wait` share: the gate around a followed turn.

use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use super::Context;
use super::apart::{self, Inputs};
use super::context::Flushed;
use super::outputs::{self, Outputs};
use super::verdict::{self, Facts, Judgement};
use crate::cli::{Approval, Gate, OnApproval, Output};
use crate::client::Client;
use crate::error::{Error, Kind, Result};
use crate::exit::Exit;
use crate::follow::{Observer, Outcome, Policy, Program, Stop};
use crate::protocol::{Session, StopReason};
use crate::report::Verdict;
use crate::streams::Sink;

/// How long a program that answers questions may take: below the daemon's own deadline of 2 minutes,
/// which is not on the wire.
const APPROVAL_TIMEOUT: Duration = Duration::from_secs(100);

/// A command that awaits a turn, from its files to its code.
pub(super) struct Awaiting<'g> {
    gate: &'g Gate,
    pub(super) outputs: Outputs,
    pub(super) session_id: Option<String>,
    session: Option<Session>,
    daemon_version: Option<String>,
}

impl<'g> Awaiting<'g> {
    /// Checks the options, starts the clock and opens the files.
    ///
    /// # Errors
    /// Wrong arguments: code 2, and no summary. Everything later ends in [`Awaiting::finish`].
    pub(super) fn begin(
        gate: &'g Gate,
        inputs: &Inputs<'_>,
        context: &mut Context<'_>,
    ) -> Result<Self> {
        if context.global.format() == Output::Answer
            && gate
                .summary
                .as_deref()
                .is_some_and(|path| path.as_os_str() == "-")
        {
            return Err(
                Error::usage("--summary - and --output answer both want stdout")
                    .hint("give --summary a file"),
            );
        }
        if gate.events.as_deref() == Some(Path::new("-")) {
            return Err(
                Error::usage("--events takes a file").hint("--json puts the events on stdout")
            );
        }
        let outputs = apart::outputs(gate);
        apart::check(inputs, &outputs, &gate.reports.report, context)?;
        context.bound(gate.timeout);
        let summary = gate.summary.as_deref().map(Path::as_os_str);
        context.ends_unwatched = gate.events.is_none()
            && summary.is_none_or(|path| path == "-")
            && gate.reports.report.is_empty();
        let mut outputs = Outputs::stdout(context, None);
        outputs.set_heartbeat(gate.heartbeat);
        context.heartbeat = gate.heartbeat;
        Ok(Self {
            gate,
            outputs,
            session_id: None,
            session: None,
            daemon_version: None,
        })
    }

    /// Opens the files.
    ///
    /// # Errors
    /// 74 if one cannot be opened for writing.
    pub(super) fn open_files(&mut self, context: &mut Context<'_>) -> Result<()> {
        let files = self.outputs.open_files(
            self.gate.events.as_deref(),
            self.gate.summary.as_deref(),
            context,
        );
        // One that cannot be opened leaves no other one with what an earlier run wrote.
        let reports = &self.gate.reports.report;
        files.and(self.outputs.open_reports(reports, context))
    }

    /// The session is known.
    pub(super) fn in_session(&mut self, session: &Session, context: &mut Context<'_>) {
        self.session_id = Some(session.id.clone());
        self.outputs.set_stdout(context, session.context_window);
        self.session = Some(session.clone());
        if self.gate.summary.is_some() || self.outputs.reports() {
            // Told if it is known: a daemon that does not say its version runs turns all the same.
            let version = context.ask(Client::version);
            self.daemon_version = version.ok().map(|version| version.version);
        }
    }

    /// Ends stdout, says how it went, writes the summary, and gives the code.
    pub(super) fn finish(mut self, mut outcome: Outcome, context: &mut Context<'_>) -> Exit {
        let (_, verdict) = self.verdict(&outcome);
        self.outputs.end(Some(&verdict));
        self.settle(&mut outcome, context);
        if self.outputs.reports() {
            let (_, verdict) = self.verdict(&outcome);
            self.outputs.report(Some(&verdict));
            self.settle(&mut outcome, context);
        }
        let (mut judgement, verdict) = self.verdict(&outcome);
        self.tell(&judgement, &outcome, context);
        let summary = self.outputs.summarise(&verdict);
        self.settle(&mut outcome, context);
        // The code in a summary that is written stands: what came while it was being written came
        // too late. So did a reader that left by now; it has got everything.
        let stands = summary.is_some_and(|sink| sink.is_written() && sink.failure().is_none());
        let (last, _) = self.verdict(&outcome);
        if last.exit != judgement.exit && last.exit != Exit::StdoutClosed && !stands {
            outputs::tell(&last, context);
            judgement = last;
        }
        judgement.exit
    }

    /// An expected failure on the way to the turn.
    pub(super) fn failed(self, error: Error, context: &mut Context<'_>) -> Exit {
        let mut outcome = Outcome::default();
        match error.kind() {
            Kind::Signal(number) => outcome.stop = Some(Stop::Signal(*number)),
            Kind::Timeout => {
                outcome.stop = Some(Stop::Timeout(self.timed_out(&error.to_string())));
            }
            _ => outcome.failure = Some(error),
        }
        self.finish(outcome, context)
    }

    fn verdict(&mut self, outcome: &Outcome) -> (Judgement, Verdict) {
        let facts = Facts {
            gate: Some(self.gate),
            unwatched: self.outputs.unwatched(),
            write_failed: self.outputs.write_failure.is_some(),
        };
        let judgement = verdict::judge(outcome, &facts);
        let answer = self.outputs.answer();
        let mut verdict = verdict::verdict(self.session_id.as_deref(), outcome, &judgement, answer);
        if judgement.exit == Exit::OutputFailed && verdict.message.is_none() {
            // It was told when it happened, and is not told again.
            verdict.message.clone_from(&self.outputs.write_failure);
        }
        verdict.daemon_version.clone_from(&self.daemon_version);
        if let Some(session) = &self.session {
            verdict.context_window = session.context_window;
            verdict.model = Some(session.model.clone());
            verdict.workspace = Some(session.workspace.clone());
        }
        (judgement, verdict)
    }

    /// Waits for stdout and the files to be written; a signal or the deadline ends that, too.
    fn settle(&mut self, outcome: &mut Outcome, context: &mut Context<'_>) {
        // One that came while the session was being closed.
        heed(context.inbox.signal(), outcome);
        for (mut sink, name) in self.outputs.files() {
            self.write_out(&mut sink, &name, outcome, context);
        }
        let _ = context.streams.out.flush();
        let mut out = context.streams.out.clone();
        self.write_out(&mut out, "stdout", outcome, context);
        self.outputs.check();
    }

    /// Waits for one of them; what ended that leaves it a moment yet.
    fn write_out(
        &self,
        sink: &mut Sink,
        name: &str,
        outcome: &mut Outcome,
        context: &mut Context<'_>,
    ) {
        let was_patient = patient(outcome);
        let flushed = context.settle(sink, was_patient);
        self.interrupted_by(flushed, name, outcome);
        if was_patient && !patient(outcome) {
            let _ = context.settle(sink, false);
        }
    }

    /// What ended the wait for an output to be written.
    fn interrupted_by(&self, flushed: Flushed, name: &str, outcome: &mut Outcome) {
        match flushed {
            Flushed::Signal(number) => heed(Some(number), outcome),
            Flushed::Deadline if patient(outcome) => {
                let text = self.timed_out(&format!("waiting for the reader of {name}"));
                outcome.stop = Some(Stop::Timeout(text));
            }
            Flushed::Written | Flushed::Failed(_) | Flushed::Deadline => {}
        }
    }

    /// The message of a timeout outside of following.
    fn timed_out(&self, what: &str) -> String {
        let bound = self.gate.timeout.map(humantime::format_duration);
        let bound = bound.map(|bound| bound.to_string()).unwrap_or_default();
        format!("--timeout {bound} reached, {what}")
    }

    fn tell(&self, judgement: &Judgement, outcome: &Outcome, context: &Context<'_>) {
        // Whoever left wants no word.
        if judgement.exit == Exit::StdoutClosed {
            return;
        }
        let console = &context.console;
        let turn = outcome.turn.as_ref();
        let reason = turn.and_then(|turn| turn.reason());
        if let Some(error) = turn.and_then(|turn| turn.error.as_ref())
            && reason != Some(&StopReason::Error)
        {
            console.notice(
                "session_error",
                &format!("{}: {}", error.code, error.message),
            );
        }
        if context.global.format() == Output::Answer {
            let end = (outcome.ended(), reason);
            verdict::explain_empty_answer(self.outputs.answer().is_some(), end, context);
        }
        outputs::tell(judgement, context);
    }
}

/// Whether output is waited for as long as it takes.
fn patient(outcome: &Outcome) -> bool {
    !matches!(outcome.stop, Some(Stop::Signal(_) | Stop::Timeout(_)))
}

/// The first signal decides.
fn heed(signal: Option<i32>, outcome: &mut Outcome) {
    if let Some(number) = signal
        && !matches!(outcome.stop, Some(Stop::Signal(_)))
    {
        outcome.stop = Some(Stop::Signal(number));
    }
}

/// Who answers a question: what was asked for, else the person at the terminal, else nobody.
///
/// # Errors
/// Code 2 for `ask` where nobody can be asked.
pub(super) fn policy(approval: &Approval, context: &Context<'_>) -> Result<Policy> {
    let terminals = context.streams.in_terminal && context.streams.err_terminal;
    let can_ask = terminals && !context.json();
    let policy = match &approval.on_approval {
        Some(OnApproval::Ask) if !can_ask => {
            return Err(Error::usage(
                "--on-approval ask needs terminals on stdin and stderr, and no --json",
            )
            .hint("--on-approval deny, allow, leave or fail need none"));
        }
        Some(OnApproval::Ask) => Policy::Ask,
        Some(OnApproval::Decide(decision)) => Policy::Decide(decision.clone()),
        Some(OnApproval::Exec(argv)) => Policy::Exec(Program {
            argv: argv.clone(),
            timeout: approval.approval_timeout.unwrap_or(APPROVAL_TIMEOUT),
        }),
        Some(OnApproval::Leave) => Policy::Leave,
        Some(OnApproval::Fail) => Policy::Fail,
        None if can_ask && context.global.format() == Output::Human => Policy::Ask,
        None => Policy::Decide(crate::protocol::Decision::Deny),
    };
    Ok(policy)
}
