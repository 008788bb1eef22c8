//! `completions` and `man`: what is printed from inside the program.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `completions`
#[derive(Debug, Args)]
pub struct Completions {
    /// For which shell
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: Shell,
}

/// The shells there is a completion script for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// bash 4.4 or newer.
    Bash,
    /// zsh.
    Zsh,
    /// fish.
    Fish,
    /// PowerShell.
    Powershell,
    /// elvish.
    Elvish,
}

/// `man`
#[derive(Debug, Args)]
pub struct Man {
    /// Where the pages go, such as ~/.local/share/man
    ///
    /// Each goes into its section's folder.
    #[arg(value_name = "DIR")]
    pub directory: Option<PathBuf>,
}
