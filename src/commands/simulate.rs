//! `simulate`: the embedded daemon, served until a signal or around one command.

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use serde::Serialize;

use super::{Context, Flushed, write_failed};
use crate::cli::{Simulate, nearest};
use crate::error::{Error, Kind, Result};
use crate::exit::Exit;
use crate::follow::Input;
use crate::report::visible;
use crate::shell::shell_word;
use crate::simulate::{Daemon, Options, Replay, Scenario, Source, scenario, scenarios};

#[derive(Serialize)]
struct Serving<'a> {
    socket: &'a Path,
}

#[derive(Serialize)]
struct Listed<'a> {
    scenario: &'a str,
    description: &'a str,
}

/// Gives the number to exit with: that of the command, where one is run.
pub(super) fn run(options: &Simulate, context: &mut Context<'_>) -> Result<u8> {
    if options.list {
        return list(context).map(Exit::number);
    }
    let daemon = start(options, context)?;
    match options.cmd.split_first() {
        None => serve(&daemon, context).map(Exit::number),
        Some((program, arguments)) => {
            match spawn(Command::new(program).args(arguments), daemon.socket()) {
                Ok(child) => accompany(child, context),
                Err(error) => Ok(not_run(program, &error, context)),
            }
        }
    }
}

fn list(context: &mut Context<'_>) -> Result<Exit> {
    for Scenario {
        name,
        about: description,
        ..
    } in scenarios()
    {
        if context.json() {
            context.object(&Listed {
                scenario: name,
                description,
            })?;
        } else {
            context.print(&format!("{name:<20}  {description}"))?;
        }
    }
    Ok(Exit::Done)
}

fn start(options: &Simulate, context: &mut Context<'_>) -> Result<Daemon> {
    let source = match (&options.replay, options.scenario.as_deref()) {
        (Some(path), _) => {
            let path = path.clone();
            Source::Replay(context.wait("the recording", move || {
                Replay::load(&path).map_err(Error::usage)
            })?)
        }
        (None, name) => {
            let name = name.unwrap_or("done");
            Source::Scenario(scenario(name).ok_or_else(|| {
                let hint = match nearest(name, scenarios().map(|scenario| scenario.name)) {
                    Some(meant) => format!("did you mean: dcodectl simulate {meant}"),
                    None => "dcodectl simulate --list".to_owned(),
                };
                Error::usage(format!("there is no scenario '{name}'")).hint(hint)
            })?)
        }
    };
    let daemon_options = Options {
        // Absolute, as the command it is handed to may go elsewhere.
        socket: context.global.socket.as_deref().map(absolute).transpose()?,
        source,
        speed: options.speed,
        approval_timeout: options.approval_timeout,
        retention: options.retention as usize,
        max_sessions: options.max_sessions as usize,
        // Nobody asks for them, and it may be served for days.
        remember_requests: false,
        ..Options::default()
    };
    Daemon::start(daemon_options).map_err(|error| {
        let place = match &context.global.socket {
            Some(path) => path.display().to_string(),
            None => "a private directory".to_owned(),
        };
        let error_kind = error.kind();
        let error =
            Error::usage(format!("the simulated daemon cannot listen at {place}")).caused_by(error);
        match error_kind {
            io::ErrorKind::AlreadyExists => {
                error.hint("the path exists and is left alone: name another")
            }
            _ => error,
        }
    })
}

/// Serves until a signal.
fn serve(daemon: &Daemon, context: &mut Context<'_>) -> Result<Exit> {
    if context.json() {
        context.object(&Serving {
            socket: daemon.socket(),
        })?;
    } else {
        let path = daemon.socket().display().to_string();
        context.print(&visible(&path))?;
    }
    // A script may read the first line and close its end; nobody at all is another matter.
    if let Flushed::Failed(kind) = context.flush(true)
        && kind != io::ErrorKind::BrokenPipe
    {
        return Err(write_failed(kind));
    }
    // A script knows what it started; a person sees a path and a cursor.
    if context.console.shows_status() {
        let path = daemon.socket().to_string_lossy();
        let message = format!(
            "serving until Ctrl-C; in another shell: export DCODE_SOCKET={}",
            shell_word(&path)
        );
        context.console.notice("serving", &message);
    }
    loop {
        if let Some(signal) = context.inbox.signal() {
            return Ok(Exit::from_signal(signal));
        }
        let _: Option<Input> = context.inbox.next(None, || ());
    }
}

fn spawn(command: &mut Command, socket: &Path) -> io::Result<Child> {
    let mut path = std::env::current_exe()?
        .parent()
        .map(Path::to_owned)
        .unwrap_or_default()
        .into_os_string();
    if let Some(rest) = std::env::var_os("PATH") {
        path.push(":");
        path.push(rest);
    }
    command
        .env("DCODE_SOCKET", socket)
        .env("PATH", path)
        .spawn()
}

/// As a shell would: 127 for a command that is not there, 126 for one that cannot be run.
fn not_run(program: &OsStr, error: &io::Error, context: &Context<'_>) -> u8 {
    let code = match error.kind() {
        io::ErrorKind::NotFound => 127,
        _ => 126,
    };
    let message = format!("{} cannot be run: {error}", program.display());
    context
        .console
        .error(Exit::Failure.name(), code, &message, None);
    code
}

/// Waits for the command, passing signals on; its code becomes ours.
fn accompany(child: Child, context: &mut Context<'_>) -> Result<u8> {
    let pid = rustix::process::Pid::from_child(&child);
    let mut child = child;
    let pending = context.inbox.call(move || {
        child.wait().map_err(|error| {
            Error::new(Kind::Failure, "the command cannot be waited for").caused_by(error)
        })
    });
    loop {
        match context.inbox.next(None, || ()) {
            Some(Input::Answered(number)) if pending.is(number) => break,
            Some(Input::Signal(signal)) => pass_on(signal, pid),
            _ => {}
        }
    }
    let status = pending.take()?;
    let code = match (status.code(), status.signal()) {
        (Some(code), _) => code,
        (None, Some(signal)) => 128 + signal,
        (None, None) => 1,
    };
    Ok(u8::try_from(code).unwrap_or(1))
}

/// Passes TERM and HUP on. A terminal's INT reaches the command anyway.
fn pass_on(signal: i32, pid: rustix::process::Pid) {
    use rustix::process::{Signal, kill_process};
    let signal = match signal {
        1 => Signal::HUP,
        15 => Signal::TERM,
        _ => return,
    };
    // A command that is gone already needs no signal.
    let _ = kill_process(pid, signal);
}

fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path)
        .map_err(|error| Error::usage("the socket's path cannot be made absolute").caused_by(error))
}
