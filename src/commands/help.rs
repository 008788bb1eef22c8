//! `help`: a command's page, the exit codes, the environment; as text or as JSON.

use serde::Serialize;

use super::Context;
use crate::cli::{self, Help};
use crate::error::{Error, Result};
use crate::exit::Exit;

/// The environment variables, each with what it does.
const ENVIRONMENT: &[(&str, &str)] = &[
    (
        "DCODE_SOCKET",
        "the daemon's socket, if --socket is not given; empty counts as unset",
    ),
    (
        "DCODECTL_LOG",
        "1: diagnostics on stderr, as with -v; 2: also what is sent, as with -vv; 0: none; none under -q",
    ),
    (
        "PWD",
        "the default workspace, with its symbolic links kept, if it is the current directory",
    ),
    (
        "XDG_RUNTIME_DIR",
        "its dcode.sock is the second default path, after /tmp/dcode-UID/dcode.sock",
    ),
    (
        "TMPDIR",
        "its dcode-UID.sock is the third default path, before /tmp/dcode-UID.sock",
    ),
    ("NO_COLOR", "set and not empty: no colour"),
    (
        "CLICOLOR_FORCE",
        "set, not empty and not 0: colour, unless NO_COLOR",
    ),
    ("CLICOLOR", "0: no colour"),
    ("TERM", "dumb: no colour and no status line"),
    (
        "GITHUB_ACTIONS",
        "set: no text on a page or on stderr acts as a workflow command",
    ),
    (
        "GITHUB_OUTPUT",
        "the file that --report github appends the outputs of the step to",
    ),
];

/// What there is a table of.
pub(super) const TOPICS: [&str; 2] = ["exit-codes", "environment"];

#[derive(Serialize)]
struct ExitCode {
    code: u8,
    name: &'static str,
    when: &'static str,
}

#[derive(Serialize)]
struct Variable {
    variable: &'static str,
    effect: &'static str,
}

#[derive(Serialize)]
struct Page<'a> {
    command: &'a str,
    page: &'a str,
}

pub(super) fn run(options: &Help, context: &mut Context<'_>) -> Result<Exit> {
    match options.topic.as_deref() {
        Some("exit-codes") => exit_codes(context)?,
        Some("environment") => environment(context)?,
        topic => page(topic, context)?,
    }
    Ok(Exit::Done)
}

fn exit_codes(context: &mut Context<'_>) -> Result<()> {
    for exit in Exit::ALL {
        if context.json() {
            context.object(&ExitCode {
                code: exit.number(),
                name: exit.name(),
                when: exit.sentence(),
            })?;
        } else {
            context.print(&format!(
                "{:>3}  {:<25}  {}",
                exit.number(),
                exit.name(),
                exit.sentence()
            ))?;
        }
    }
    Ok(())
}

fn environment(context: &mut Context<'_>) -> Result<()> {
    for &(variable, effect) in ENVIRONMENT {
        if context.json() {
            context.object(&Variable { variable, effect })?;
        } else {
            context.print(&format!("{variable:<15}  {effect}"))?;
        }
    }
    Ok(())
}

fn page(topic: Option<&str>, context: &mut Context<'_>) -> Result<()> {
    let mut root = cli::command();
    root.build();
    let page = match topic {
        None => root.render_long_help(),
        Some(name) => match root.find_subcommand_mut(name) {
            Some(command) => command.render_long_help(),
            None => return Err(unknown(name, &root)),
        },
    };
    let page = page.to_string();
    if context.json() {
        let command = topic.unwrap_or(root.get_name()).to_owned();
        return context.object(&Page {
            command: &command,
            page: &page,
        });
    }
    context.text(&page)
}

fn unknown(name: &str, root: &clap::Command) -> Error {
    let commands = root.get_subcommands().map(clap::Command::get_name);
    let hint = match cli::nearest(name, commands.chain(TOPICS)) {
        Some(meant) => format!("did you mean: dcodectl help {meant}"),
        None => "dcodectl help".to_owned(),
    };
    Error::usage(format!("there is no command or topic '{name}'")).hint(hint)
}
