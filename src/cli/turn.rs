//! Options around a turn: its text, its session, and the gate.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::Sandbox;
use super::reports::Reports;
use super::values::{Accept, OnApproval, duration, on_approval};

/// A prompt or correction: one argument, stdin or a file.
#[derive(Debug, Clone, Args)]
pub struct Text {
    /// The text, or - for stdin; one that begins with a dash goes after --
    #[arg(required_unless_present = "file", conflicts_with = "file")]
    pub text: Option<String>,
    /// Read the text from a file
    #[arg(long, value_name = "PATH")]
    pub file: Option<PathBuf>,
}

/// Images that go with a prompt.
#[derive(Debug, Clone, Args)]
pub struct Images {
    /// Send an image along (PNG, JPEG, GIF, WebP); may be repeated
    #[arg(long = "image", value_name = "PATH")]
    pub paths: Vec<PathBuf>,
}

/// What kind of session to open.
#[derive(Debug, Clone, Args)]
pub struct CreateOptions {
    /// The workspace [default: the current directory]
    ///
    /// Whether it may be one is judged by the daemon.
    #[arg(long, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
    /// The model [default: the daemon's]
    #[arg(long, value_name = "M")]
    pub model: Option<String>,
    /// What the session may write to [default: the daemon's]
    #[arg(long, value_enum, value_name = "MODE")]
    pub sandbox: Option<Sandbox>,
    /// Carry over the history of a recorded session
    #[arg(long, value_name = "ID")]
    pub resume: Option<String>,
}

/// What the exit code, the files and the bounds of a followed turn are.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Gate options")]
pub struct Gate {
    /// Outcomes that exit 0, by comma: unverified, ...
    ///
    /// Those of the codes 0 and 10 to 16 may be named; 'dcodectl help exit-codes' has their names.
    #[arg(long, value_name = "LIST")]
    pub accept: Option<Accept>,
    /// A bound for the whole command, such as 10m
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true, value_parser = duration)]
    pub timeout: Option<Duration>,
    /// Code 17 unless criteria were checked, all met
    ///
    /// That the model says done is not enough then.
    #[arg(long)]
    pub require_verified: bool,
    /// Code 18 if protected files were written
    ///
    /// Protected are files that belong to the measurement itself, such as tests; it counts what was written in the whole session.
    #[arg(long)]
    pub forbid_protected: bool,
    /// Give up when no event came for so long
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true, value_parser = duration)]
    pub idle_timeout: Option<Duration>,
    /// A line on stderr when nothing was printed for so long
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true, value_parser = duration)]
    pub heartbeat: Option<Duration>,
    /// Write the turn's events to a file as well, as NDJSON
    #[arg(long, value_name = "FILE")]
    pub events: Option<PathBuf>,
    /// One JSON object about the outcome; - for stdout
    ///
    /// It is written last of all; on stdout it is the last line.
    #[arg(long, value_name = "FILE")]
    pub summary: Option<PathBuf>,
    /// Reports.
    #[command(flatten)]
    pub reports: Reports,
}

/// What is not for `wait`, which never touches the turn.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Gate options")]
pub struct Approval {
    /// Who answers: ask, deny, allow, exec:CMD, ...
    ///
    /// One of ask, deny, allow, allow_session, leave, fail or exec:CMD [default: ask at a terminal, else deny]
    #[arg(long, value_name = "HOW", value_parser = on_approval)]
    pub on_approval: Option<OnApproval>,
    /// How long the CMD of exec: may take to answer [default: 100s]
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true, value_parser = duration, requires = "on_approval")]
    pub approval_timeout: Option<Duration>,
    /// Stop the turn after so many rounds, with code 12
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_rounds: Option<u64>,
}

/// `submit`
#[derive(Debug, Args)]
pub struct Submit {
    /// Id, unique prefix, or @ for the one live session of this directory
    pub session: String,
    /// The prompt.
    #[command(flatten)]
    pub text: Text,
    /// Images.
    #[command(flatten)]
    pub images: Images,
    /// First wait so long for somebody else's turn to end
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true, value_parser = duration)]
    pub wait_idle: Option<Duration>,
    /// Return once the turn is accepted
    ///
    /// It takes none of the gate options.
    #[arg(long, conflicts_with_all = [
        "accept", "require_verified", "forbid_protected", "timeout", "idle_timeout", "heartbeat",
        "events", "summary", "report", "on_approval", "approval_timeout", "max_rounds",
    ])]
    pub detach: bool,
    /// The gate.
    #[command(flatten)]
    pub gate: Gate,
    /// Who answers.
    #[command(flatten)]
    pub approval: Approval,
}

/// `run`
#[derive(Debug, Args)]
pub struct Run {
    /// The prompt.
    #[command(flatten)]
    pub text: Text,
    /// Images.
    #[command(flatten)]
    pub images: Images,
    /// The session.
    #[command(flatten)]
    pub create: CreateOptions,
    /// Leave the session open
    #[arg(long)]
    pub keep: bool,
    /// The gate.
    #[command(flatten)]
    pub gate: Gate,
    /// Who answers.
    #[command(flatten)]
    pub approval: Approval,
}

/// `wait`
#[derive(Debug, Args)]
pub struct Wait {
    /// Id, unique prefix, or @ for the one live session of this directory
    pub session: String,
    /// What to wait for
    ///
    /// idle and approval take --timeout only.
    #[arg(long = "for", value_enum, value_name = "WHAT", default_value = "turn")]
    pub target: WaitFor,
    /// The gate.
    #[command(flatten)]
    pub gate: Gate,
}

/// What `wait` waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WaitFor {
    /// The end of the running turn, or of the last one if none runs
    Turn,
    /// That no turn runs
    Idle,
    /// That a question is open
    Approval,
}
