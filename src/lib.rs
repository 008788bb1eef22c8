//! `dcodectl`, the command-line scripting client of the dcode coding-agent daemon.
//!
//! The library exists for the binary and its tests; it promises no stable API.

pub mod cli;
pub mod client;
pub mod commands;
pub mod error;
pub mod exit;
pub mod follow;
pub mod packed;
pub mod protocol;
pub mod report;
pub mod shell;
pub mod signals;
pub mod simulate;
pub mod streams;
pub mod threads;

use std::ffi::OsString;
use std::io::Write;
use std::mem::ManuallyDrop;
use std::time::Duration;

use clap::{Args as _, CommandFactory as _, FromArgMatches as _};

use cli::{Cli, Color, Command, Global, Output};
use client::Timeouts;
use commands::{Context, Flushed};
use error::{Error, Kind, Result};
use exit::Exit;
use follow::{Input, Limits};
use report::{ConsoleOptions, Palette, SharedConsole};
use streams::{Preference, Streams, Surroundings, wants_colour};

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
compile_error!("dcodectl speaks to the dcode daemon over a Unix socket: Linux and macOS only");

/// How long stderr is given to be written at the end, if its reader does not read.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// What a test may set that no user can.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bounds {
    /// Every bound of following.
    pub limits: Limits,
    /// The client's bound on a response head and on a stream's silence.
    pub timeouts: Timeouts,
}

/// Runs the program: parses, builds the context, dispatches, reports, and gives the exit code.
///
/// `signals` are handled unless a test has none to handle.
#[must_use]
pub fn run(
    arguments: Vec<OsString>,
    surroundings: &Surroundings<'_>,
    streams: Streams,
    bounds: Bounds,
    signals: bool,
) -> u8 {
    if let Some(asked) = cli::asked(&arguments) {
        return complete(&asked, surroundings, streams);
    }
    let json = cli::asks_for_json(&arguments);
    // Wrong arguments that say something about colour cannot be asked what: plain is safe.
    let colour = if cli::says_colour(&arguments) {
        Preference::Never
    } else {
        Preference::Auto
    };
    let mut err = streams.err.clone();
    let code = match parse(arguments) {
        Ok(cli) => execute(&cli, surroundings, streams, bounds, signals),
        Err(refusal) => {
            let palette = palette(colour, surroundings, streams.err_terminal);
            refuse(
                refusal,
                messages_alone(json, palette, surroundings),
                surroundings,
                streams,
            )
        }
    };
    let _ = err.flush();
    let _ = err.settle(LAST_WORDS);
    code
}

/// Answers a shell that completes a command line. Never a word on stderr.
fn complete(asked: &cli::Asked, surroundings: &Surroundings<'_>, streams: Streams) -> u8 {
    let silent = Box::new(std::io::sink());
    let plain = Palette::plain();
    let console = SharedConsole::new(silent, messages_alone(false, plain, surroundings));
    let mut context = Context::new(streams, console, Global::default(), surroundings, plain);
    let result = commands::complete(asked, &mut context);
    finish(result, &mut context)
}

/// Why there is nothing to execute.
enum Refusal {
    /// Help or the version, as asked for.
    Page(String),
    /// No command at all: the short help, on stderr.
    Nothing,
    /// Wrong arguments.
    Usage(Error),
}

fn parse(arguments: Vec<OsString>) -> std::result::Result<Cli, Refusal> {
    use clap::error::ErrorKind as Clap;
    if let [_, only] = &*arguments
        && (only == "--version" || only == "-V")
    {
        return Err(Refusal::Page(format!("dcodectl {}\n", cli::VERSION)));
    }
    if let Some(cli) = parse_one(&arguments) {
        check(&cli).map_err(Refusal::Usage)?;
        return Ok(cli);
    }
    // Without what only help shows: putting that together takes longer than everything else.
    let mut root = Cli::command();
    let command = named(&root, &arguments);
    let parsed = root
        .try_get_matches_from_mut(&arguments)
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = parsed.map_err(|error| match error.kind() {
        Clap::DisplayHelp => Refusal::Page(page(arguments)),
        Clap::DisplayVersion => Refusal::Page(error.render().to_string()),
        Clap::MissingSubcommand | Clap::DisplayHelpOnMissingArgumentOrSubcommand => {
            Refusal::Nothing
        }
        _ => Refusal::Usage(cli::usage_error(&error, command.as_deref())),
    })?;
    check(&cli).map_err(Refusal::Usage)?;
    Ok(cli)
}

/// Reads the arguments by the definition of their command alone: making the others ready is half of the work.
/// `None` if that fails, for whatever reason; only the whole definition can tell it.
fn parse_one(arguments: &[OsString]) -> Option<Cli> {
    // Neither is taken apart again: it would be done long after the output is there.
    let mut root = ManuallyDrop::new(Cli::command());
    let name = named(&root, arguments)?;
    let command = root
        .get_subcommands_mut()
        .find(|command| command.get_name() == name)?;
    let alone = clap::Command::new("dcodectl")
        .disable_help_subcommand(true)
        .subcommand(std::mem::take(command));
    let mut alone = ManuallyDrop::new(Global::augment_args(alone));
    let matches = alone.try_get_matches_from_mut(arguments).ok()?;
    Cli::from_arg_matches(&matches).ok()
}

/// The first word that is the name of a command.
fn named(root: &clap::Command, arguments: &[OsString]) -> Option<String> {
    arguments.iter().skip(1).find_map(|word| {
        let known = root.find_subcommand(word)?;
        Some(known.get_name().to_owned())
    })
}

/// The help that these arguments ask for.
fn page(arguments: Vec<OsString>) -> String {
    let answer = cli::command().try_get_matches_from_mut(arguments);
    answer.map_or_else(|page| page.render().to_string(), |_| String::new())
}

/// What clap cannot check, as the options stand before or after the command.
fn check(cli: &Cli) -> Result<()> {
    if cli.global.json
        && cli
            .global
            .output
            .is_some_and(|output| output != Output::Ndjson)
    {
        return Err(Error::usage("--json is --output ndjson: give one of them"));
    }
    let takes_answer = matches!(
        cli.command,
        Command::Run(_) | Command::Submit(_) | Command::Wait(_) | Command::Render(_)
    );
    if cli.global.output == Some(Output::Answer) && !takes_answer {
        return Err(Error::usage(
            "--output answer is for run, submit, wait and render",
        ));
    }
    Ok(())
}

fn refuse(
    refusal: Refusal,
    options: ConsoleOptions,
    surroundings: &Surroundings<'_>,
    streams: Streams,
) -> u8 {
    let json = options.json;
    let mut err = streams.err.clone();
    let console = SharedConsole::new(Box::new(streams.err.clone()), options);
    match refusal {
        Refusal::Nothing if json => {
            let error = Error::usage("no command is given").hint("dcodectl --help");
            commands::report(&console, &error)
        }
        Refusal::Nothing => {
            let _ = write!(err, "{}", cli::command().render_help());
            Exit::Usage.number()
        }
        Refusal::Usage(error) => commands::report(&console, &error),
        Refusal::Page(page) => {
            let global = Global::default();
            let mut context = Context::new(
                streams,
                console.clone(),
                global,
                surroundings,
                Palette::plain(),
            );
            context.watch_output();
            let printed = context.text(&page).map(|()| Exit::Done.number());
            finish(printed, &mut context)
        }
    }
}

/// A stderr that takes messages and nothing else.
fn messages_alone(json: bool, palette: Palette, surroundings: &Surroundings<'_>) -> ConsoleOptions {
    ConsoleOptions {
        json,
        quiet: false,
        status: false,
        shared: false,
        palette,
        width: Box::new(|| 80),
        workflow_safe: surroundings.in_workflow(),
    }
}

fn palette(preference: Preference, surroundings: &Surroundings<'_>, terminal: bool) -> Palette {
    if wants_colour(preference, surroundings.variable, terminal) {
        Palette::coloured()
    } else {
        Palette::plain()
    }
}

fn execute(
    cli: &Cli,
    surroundings: &Surroundings<'_>,
    streams: Streams,
    bounds: Bounds,
    signals: bool,
) -> u8 {
    let global = cli.global.clone();
    let preference = match global.color {
        Color::Auto => Preference::Auto,
        Color::Always => Preference::Always,
        Color::Never => Preference::Never,
    };
    let human = global.format() == Output::Human;
    let dumb = surroundings.set("TERM").is_some_and(|term| term == "dumb");
    let options = ConsoleOptions {
        json: global.format() == Output::Ndjson,
        quiet: global.quiet,
        status: human && streams.err_terminal && !dumb && !global.quiet,
        shared: streams.shared,
        palette: palette(preference, surroundings, streams.err_terminal),
        width: Box::new(streams.width),
        workflow_safe: surroundings.in_workflow(),
    };
    let console = SharedConsole::new(Box::new(streams.err.clone()), options);
    let colours = palette(preference, surroundings, streams.out_terminal);
    let mut context = Context::new(streams, console, global.clone(), surroundings, colours);
    context.limits = bounds.limits;
    context.timeouts = Timeouts {
        connect: global.connect_timeout,
        ..bounds.timeouts
    };
    context.watch_output();
    if signals && let Err(error) = handle_signals(cli, &context) {
        return commands::report(&context.console, &error);
    }
    let result = commands::dispatch(&cli.command, &mut context);
    finish(result, &mut context)
}

/// Lets signals arrive in the inbox. Around a command of `simulate` the second one does not leave
/// at once: the command is outlived.
fn handle_signals(cli: &Cli, context: &Context<'_>) -> Result<()> {
    let outlives = matches!(&cli.command, Command::Simulate(options) if !options.cmd.is_empty());
    let waker = context.inbox.waker();
    signals::start(!outlives, move |signal| waker.send(Input::Signal(signal)))
        .map_err(|error| Error::new(Kind::Failure, "signals cannot be handled").caused_by(error))
}

/// Waits for stdout, reports an error once, and gives the code.
fn finish(result: Result<u8>, context: &mut Context<'_>) -> u8 {
    let stopped = matches!(&result, Err(error) if error.is_final())
        || context.inbox.signal().is_some()
        || matches!(result, Ok(code) if code == Exit::Timeout.number());
    let flushed = context.flush(!stopped);
    let code = match result {
        // A reader that left wants no word.
        Err(error) if *error.kind() == Kind::StdoutClosed => return Exit::Done.number(),
        Err(error) => {
            if *error.kind() == Kind::OutputFailed {
                // It is stdout's own, and told here.
                let _ = context.streams.out.untold_failure();
            }
            commands::report(&context.console, &error)
        }
        Ok(code) => code,
    };
    match flushed {
        Flushed::Signal(signal) => {
            let name = error::signal_name(signal);
            let what = format!("stopped by {name} while waiting for the reader of stdout");
            commands::report(&context.console, &Error::new(Kind::Signal(signal), what))
        }
        Flushed::Failed(kind) if kind != std::io::ErrorKind::BrokenPipe => {
            if context.streams.out.untold_failure().is_some() {
                commands::report(&context.console, &commands::write_failed(kind));
            }
            if code == 0 {
                Exit::OutputFailed.number()
            } else {
                code
            }
        }
        _ => code,
    }
}
