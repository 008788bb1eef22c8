//! One file a command, and what they share: the context they run in.

mod apart;
mod approvals;
mod complete;
mod context;
mod diagnostics;
mod files;
mod gates;
mod heartbeat;
mod help;
mod keyboard;
mod lifecycle;
mod outputs;
mod paperwork;
mod ping;
mod render;
mod reports;
mod requests;
mod run;
mod schema;
mod session;
mod silent;
mod simulate;
mod submit;
mod tail;
mod text;
mod turn;
mod verdict;
mod wait;

use crate::cli::Command;
use crate::error::Result;
use crate::exit::Exit;

pub use complete::complete;
pub use context::{Context, Flushed, write_failed};

/// Runs one command and gives the number to exit with.
///
/// # Errors
/// The command's own; an unhappy stop reason is a result, not an error.
pub fn dispatch(command: &Command, context: &mut Context<'_>) -> Result<u8> {
    // What only shows something; what awaits a turn decides for itself.
    context.ends_unwatched = match command {
        Command::Tail(options) => options.until.is_none(),
        Command::List | Command::Show(_) | Command::Approvals(_) | Command::Ping(_) => true,
        Command::Render(options) => options.reports.report.is_empty(),
        _ => false,
    };
    let exit = match command {
        // The only one whose code may be somebody else's.
        Command::Simulate(options) => return simulate::run(options, context),
        Command::Run(options) => run::run(options, context),
        Command::Submit(options) => submit::run(options, context),
        Command::Wait(options) => wait::run(options, context),
        Command::Tail(options) => tail::run(options, context),
        Command::Create(options) => lifecycle::create(options, context),
        Command::List => lifecycle::list(context),
        Command::Show(options) => lifecycle::show(options, context),
        Command::Close(options) => lifecycle::close(options, context),
        Command::Steer(options) => requests::steer(options, context),
        Command::Interrupt(options) => requests::interrupt(options, context),
        Command::Approvals(options) => approvals::list(options, context),
        Command::Approve(options) => approvals::approve(options, context),
        Command::Deny(options) => approvals::deny(options, context),
        Command::Rename(options) => requests::rename(options, context),
        Command::Undo(options) => requests::undo(options, context),
        Command::Ping(options) => ping::run(options, context),
        Command::Render(options) => render::run(options, context),
        Command::Schema(options) => schema::run(options, context),
        Command::Help(options) => help::run(options, context),
        Command::Completions(options) => paperwork::completions(options, context),
        Command::Man(options) => paperwork::man(options, context),
    };
    exit.map(Exit::number)
}
