//! The command line: flags, help text, value ranges. It opens nothing and asks the terminal nothing.

// The comments on options are their help text, shown as they stand.
#![allow(clippy::doc_markdown)]

mod complete;
mod errors;
mod guide;
mod paperwork;
mod reports;
mod turn;
mod values;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::protocol::{Decision, SandboxMode};
use crate::simulate::Speed;

pub use complete::{Asked, Slot, Wanted, asked, place};
pub use errors::{asks_for_json, says_colour, usage_error};
pub use guide::{GROUPS, command, guide, nearest};
pub use paperwork::{Completions, Man, Shell};
pub use reports::{ReportTarget, Reports, Schema, SchemaName};
pub use turn::{Approval, CreateOptions, Gate, Images, Run, Submit, Text, Wait, WaitFor};
pub use values::{Accept, ON_APPROVAL, OnApproval, duration};

/// The version, what it was built from, and the protocol it speaks.
pub const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    " (",
    env!("DCODECTL_COMMIT"),
    ", protocol v1)"
);

/// Script the dcode daemon: submit turns, and exit with what was measured.
#[derive(Debug, Parser)]
#[command(
    name = "dcodectl",
    version = VERSION,
    disable_help_subcommand = true,
    arg_required_else_help = false,
    propagate_version = false,
    max_term_width = 100,
    override_usage = "dcodectl [OPTIONS] COMMAND"
)]
pub struct Cli {
    /// Options of every command.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Options that stand before or after any command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// The daemon's socket; see 'help environment'
    #[arg(long, value_name = "PATH", global = true, hide_short_help = true)]
    pub socket: Option<PathBuf>,
    /// For people, as events, or the answer alone
    #[arg(
        short,
        long,
        value_enum,
        value_name = "FORMAT",
        global = true,
        hide_short_help = true
    )]
    pub output: Option<Output>,
    /// The same as --output ndjson
    #[arg(long, overrides_with = "json", global = true, hide_short_help = true)]
    pub json: bool,
    /// Colour, decided per stream
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        global = true,
        hide_short_help = true,
        default_value = "auto"
    )]
    pub color: Color,
    /// Errors only on stderr
    #[arg(short, long, global = true, hide_short_help = true)]
    pub quiet: bool,
    /// Reasoning, diffs, requests; twice: prompts too
    #[arg(short, long, global = true, hide_short_help = true, action = clap::ArgAction::Count, conflicts_with = "quiet")]
    pub verbose: u8,
    /// How long connecting may take
    #[arg(long, value_name = "DURATION", global = true, hide_short_help = true, allow_hyphen_values = true, value_parser = duration, default_value = "5s")]
    pub connect_timeout: Duration,
}

/// What stdout is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// For people.
    Human,
    /// One JSON object a line.
    Ndjson,
    /// Only the final answer.
    Answer,
}

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless the environment says otherwise.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Global {
    /// The output format, `--json` and the default taken into account.
    #[must_use]
    pub fn format(&self) -> Output {
        match self.output {
            _ if self.json => Output::Ndjson,
            Some(format) => format,
            None => Output::Human,
        }
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create, submit and close in one: the whole job of a pipeline
    Run(Box<Run>),
    /// Submit a turn to a session and follow it to its end
    Submit(Box<Submit>),
    /// Follow the running turn, or report the last one
    Wait(Box<Wait>),
    /// Print events: history as far as it is held, then live
    Tail(Tail),
    /// Open a session and print its id
    Create(CreateOptions),
    /// List the live sessions
    List,
    /// Show one session
    Show(One),
    /// Close sessions
    Close(Close),
    /// Send a correction to the running turn
    Steer(Steer),
    /// Cancel the running turn
    Interrupt(One),
    /// Show the open question, and how to answer it
    Approvals(One),
    /// Answer a question, by default with allow
    Approve(Approve),
    /// Answer a question with deny
    Deny(Deny),
    /// Name a conversation, live or recorded
    Rename(Rename),
    /// Put back what the last turn changed
    Undo(One),
    /// Ask for the daemon's health, version and protocol
    Ping(Ping),
    /// Show an NDJSON log as any output
    Render(Render),
    /// Print the JSON Schema of NDJSON output or of the summary
    Schema(Schema),
    /// Run a simulated daemon, to try gates without a model
    Simulate(Simulate),
    /// Explain a command, the exit codes or the environment
    Help(Help),
    /// Print a completion script for a shell
    Completions(Completions),
    /// Print the manual's main page, or write all pages
    Man(Man),
}

/// One session.
#[derive(Debug, Args)]
pub struct One {
    /// Id, unique prefix, or @ for the one live session of this directory
    pub session: String,
}

/// `close`
#[derive(Debug, Args)]
pub struct Close {
    /// Ids, unique prefixes, or @
    #[arg(required = true, value_name = "SESSION")]
    pub sessions: Vec<String>,
}

/// `tail`
#[derive(Debug, Args)]
pub struct Tail {
    /// Ids, unique prefixes, or @
    ///
    /// @ is the one live session of the current directory.
    #[arg(required_unless_present = "all", value_name = "SESSION")]
    pub sessions: Vec<String>,
    /// Every live session, also those created while it runs
    #[arg(long)]
    pub all: bool,
    /// Start at this event [default: the oldest still held]
    #[arg(long, value_name = "SEQ", value_parser = clap::value_parser!(u64).range(1..))]
    pub from: Option<u64>,
    /// End after the events there are now
    #[arg(long, conflicts_with = "until")]
    pub no_follow: bool,
    /// When to end by itself
    ///
    /// The code is then the last turn's.
    #[arg(long, value_enum, value_name = "WHEN")]
    pub until: Option<Until>,
    /// Print only events of this type, such as 'tool.*'
    ///
    /// May be repeated.
    #[arg(long = "type", value_name = "GLOB")]
    pub types: Vec<String>,
    /// Print only the turn with this id
    #[arg(long, value_name = "ID")]
    pub turn: Option<String>,
    /// End after so many printed events
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
    /// Go on where the last tail with this file left off
    ///
    /// The file is kept up to date.
    #[arg(long, value_name = "FILE", conflicts_with = "from")]
    pub cursor: Option<PathBuf>,
}

/// When a tail ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Until {
    /// At the first end of a turn.
    Turn,
    /// Once no turn runs.
    Idle,
}

/// `steer`
#[derive(Debug, Args)]
pub struct Steer {
    /// Id, unique prefix, or @ for the one live session of this directory
    pub session: String,
    /// The correction.
    #[command(flatten)]
    pub text: Text,
    /// Wait until it has reached the model
    ///
    /// 32 if the turn ends before that.
    #[arg(long)]
    pub confirm: bool,
}

/// `approve`
#[derive(Debug, Args)]
pub struct Approve {
    /// Id, unique prefix, or @ for the one live session of this directory
    pub session: String,
    /// The question's id or, safer, its handle ID@SEQ from 'approvals'
    pub approval: String,
    /// How far the answer reaches
    #[arg(default_value = "allow", value_parser = values::decisions())]
    pub decision: Decision,
}

/// `deny`
#[derive(Debug, Args)]
pub struct Deny {
    /// Id, unique prefix, or @ for the one live session of this directory
    pub session: String,
    /// The question's id or, safer, its handle ID@SEQ from 'approvals'
    pub approval: String,
}

/// `rename`
#[derive(Debug, Args)]
pub struct Rename {
    /// Id, live or recorded, unique prefix of a live one, or @
    pub session: String,
    /// The new name, at most 120 characters
    #[arg(required_unless_present = "clear", conflicts_with = "clear")]
    pub name: Option<String>,
    /// Take the name away
    #[arg(long)]
    pub clear: bool,
}

/// `ping`
#[derive(Debug, Args)]
pub struct Ping {
    /// Try until the daemon answers, for this long
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true, value_parser = duration)]
    pub wait: Option<Duration>,
}

/// `render`
#[derive(Debug, Args)]
pub struct Render {
    /// An NDJSON log, or - for stdin
    pub file: PathBuf,
    /// Reports of its turns.
    #[command(flatten)]
    pub reports: Reports,
}

/// `simulate`
#[derive(Debug, Args)]
pub struct Simulate {
    /// What the simulated daemon plays [default: done]; see --list
    #[arg(conflicts_with = "replay")]
    pub scenario: Option<String>,
    /// Play a recorded .sse body or NDJSON log
    #[arg(long, value_name = "FILE")]
    pub replay: Option<PathBuf>,
    /// Name the scenarios
    #[arg(long, conflicts_with_all = ["replay", "scenario", "cmd"])]
    pub list: bool,
    /// How fast: a factor, or instant
    #[arg(long, value_name = "FACTOR", default_value = "1")]
    pub speed: Speed,
    /// How long a question waits
    ///
    /// Then it is denied.
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true, value_parser = duration, default_value = "2m")]
    pub approval_timeout: Duration,
    /// Events a session keeps
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value = "10000")]
    pub retention: u32,
    /// How many sessions may be open
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value = "64")]
    pub max_sessions: u32,
    /// A command to run against it; its exit code becomes ours
    #[arg(last = true, value_name = "CMD")]
    pub cmd: Vec<std::ffi::OsString>,
}

/// `help`
#[derive(Debug, Args)]
pub struct Help {
    /// A command, exit-codes or environment
    pub topic: Option<String>,
}

/// The three words of `--sandbox`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Sandbox {
    /// Nothing may be written.
    ReadOnly,
    /// The workspace may be written.
    WorkspaceWrite,
    /// Everything may be written.
    FullAccess,
}

impl From<Sandbox> for SandboxMode {
    fn from(sandbox: Sandbox) -> Self {
        match sandbox {
            Sandbox::ReadOnly => Self::ReadOnly,
            Sandbox::WorkspaceWrite => Self::WorkspaceWrite,
            Sandbox::FullAccess => Self::FullAccess,
        }
    }
}

impl Default for Global {
    fn default() -> Self {
        Self {
            socket: None,
            output: None,
            json: false,
            color: Color::Auto,
            quiet: false,
            verbose: 0,
            connect_timeout: Duration::from_secs(5),
        }
    }
}
