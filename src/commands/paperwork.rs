//! `completions` and `man`: what the folders `completions/` and `man/` hold, from inside the program.

use std::fs;
use std::path::Path;

use serde::Serialize;

use super::Context;
use crate::cli::{Completions, Man, Shell};
use crate::error::{Error, Kind, Result};
use crate::exit::Exit;

macro_rules! pages {
    ($($name:literal)+) => {
        &[$(($name, include_str!(concat!("../../man/", $name)))),+]
    };
}

/// Every page of the manual, the main one first; a test holds the list against the folder.
const PAGES: &[(&str, &str)] = pages! {
    "dcodectl.1"
    "dcodectl-approvals.1"
    "dcodectl-approve.1"
    "dcodectl-close.1"
    "dcodectl-completions.1"
    "dcodectl-create.1"
    "dcodectl-deny.1"
    "dcodectl-help.1"
    "dcodectl-interrupt.1"
    "dcodectl-list.1"
    "dcodectl-man.1"
    "dcodectl-ping.1"
    "dcodectl-rename.1"
    "dcodectl-render.1"
    "dcodectl-run.1"
    "dcodectl-schema.1"
    "dcodectl-show.1"
    "dcodectl-simulate.1"
    "dcodectl-steer.1"
    "dcodectl-submit.1"
    "dcodectl-tail.1"
    "dcodectl-undo.1"
    "dcodectl-wait.1"
    "dcodectl-events.7"
    "dcodectl-exit-codes.7"
};

#[derive(Serialize)]
struct Written<'a> {
    file: &'a Path,
}

pub(super) fn completions(options: &Completions, context: &mut Context<'_>) -> Result<Exit> {
    context.text(match options.shell {
        Shell::Bash => include_str!("../../completions/dcodectl.bash"),
        Shell::Zsh => include_str!("../../completions/_dcodectl"),
        Shell::Fish => include_str!("../../completions/dcodectl.fish"),
        Shell::Powershell => include_str!("../../completions/_dcodectl.ps1"),
        Shell::Elvish => include_str!("../../completions/dcodectl.elv"),
    })?;
    Ok(Exit::Done)
}

pub(super) fn man(options: &Man, context: &mut Context<'_>) -> Result<Exit> {
    let Some(directory) = &options.directory else {
        context.text(PAGES[0].1)?;
        return Ok(Exit::Done);
    };
    for (name, text) in PAGES {
        let section = name.rsplit('.').next().unwrap_or_default();
        let folder = directory.join(format!("man{section}"));
        let file = folder.join(name);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_of_the_folder_is_in_the_program() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("man");
        let mut there: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        there.sort();
        let mut listed: Vec<&str> = PAGES.iter().map(|(name, _)| *name).collect();
        listed.sort_unstable();
        assert_eq!(there, listed);
    }
}
