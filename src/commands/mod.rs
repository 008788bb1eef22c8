//! One file a command, and what they share: the context they run in.

mod approvals;
mod context;
mod help;
mod lifecycle;
mod outputs;
mod ping;
mod render;
mod requests;
mod run;
mod session;
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

pub use context::Context;

/// Runs one command.
///
/// # Errors
/// The command's own; an unhappy stop reason is a result, not an error.
pub fn dispatch(command: &Command, context: &mut Context<'_>) -> Result<Exit> {
    match command {
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
        Command::Approve(options) => {
            approvals::answer(&options.session, &options.approval, &options.decision, context)
        }
        Command::Deny(options) => {
            let deny = crate::protocol::Decision::Deny;
            approvals::answer(&options.session, &options.approval, &deny, context)
        }
        Command::Rename(options) => requests::rename(options, context),
        Command::Undo(options) => requests::undo(options, context),
        Command::Ping(options) => ping::run(options, context),
        Command::Render(options) => render::run(options, context),
        Command::Simulate(options) => simulate::run(options, context),
        Command::Help(options) => help::run(options, context),
    }
}
