//! `completions` and `man`: what the folders `completions/` and `man/` hold, from inside the program.

use std::fs;
use std::path::Path;

use serde::Serialize;

use super::Context;
use crate::cli::{Completions, Man, Shell};
use crate::error::{Error, Kind, Result};
use crate::exit::Exit;
use crate::packed::{COMPLETIONS, MANUAL};

/// The page that `man` prints.
const MAIN_PAGE: &str = "dcodectl.1";

#[derive(Serialize)]
struct Written<'a> {
    file: &'a Path,
}

pub(super) fn completions(options: &Completions, context: &mut Context<'_>) -> Result<Exit> {
    let script = COMPLETIONS.text(match options.shell {
        Shell::Bash => "dcodectl.bash",
        Shell::Zsh => "_dcodectl",
        Shell::Fish => "dcodectl.fish",
        Shell::Powershell => "_dcodectl.ps1",
        Shell::Elvish => "dcodectl.elv",
    });
    context.text(&script)?;
    Ok(Exit::Done)
}

pub(super) fn man(options: &Man, context: &mut Context<'_>) -> Result<Exit> {
    let Some(directory) = &options.directory else {
        context.text(&MANUAL.text(MAIN_PAGE))?;
        return Ok(Exit::Done);
    };
    for (name, text) in MANUAL.texts() {
        let section = name.rsplit('.').next().unwrap_or_default();
        let folder = directory.join(format!("man{section}"));
        let file = folder.join(&name);
        let target = file.clone();
        context.wait("a page to be written", move || {
            fs::create_dir_all(&folder)
                .and_then(|()| fs::write(&target, text))
                .map_err(|error| {
                    let what = format!("{} cannot be written", target.display());
                    Error::new(Kind::OutputFailed, what).caused_by(error)
                })
        })?;
        if context.json() {
            context.object(&Written { file: &file })?;
        }
    }
    Ok(Exit::Done)
}
