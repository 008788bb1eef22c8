//! Wrong arguments, as one line and a next step, instead of clap's page.

use std::ffi::OsString;

use clap::builder::PossibleValue;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory};

use super::{Cli, nearest};
use crate::error::Error;

/// What to do with a text that clap took for a flag.
const DASHES: &str = "a text that begins with a dash goes after --, as in: -- \"- text\"";

/// Turns clap's refusal of the arguments of a command into our own error (code 2).
#[must_use]
pub fn usage_error(error: &clap::Error, command: Option<&str>) -> Error {
    let page = error.render().to_string();
    let first = page.split("\n\n").next().unwrap_or_default();
    let what = first
        .trim_start_matches("error:")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    Error::usage(what).hint(next_step(error, command, &page))
}

/// What to try instead: a command, or words of one, wherever there is one.
fn next_step(error: &clap::Error, command: Option<&str>, page: &str) -> String {
    let name = command.unwrap_or_default();
    let help = match command {
        Some(command) => format!("see 'dcodectl {command} --help'"),
        None => "see 'dcodectl --help'".to_owned(),
    };
    let meant = meant(error);
    match (error.kind(), meant) {
        (ErrorKind::InvalidSubcommand, Some(meant)) => format!("did you mean: dcodectl {meant}"),
        // clap sees a prompt that begins with a dash as a flag, and proposes a flag that looks like it.
        (ErrorKind::UnknownArgument, Some(meant)) if takes_text(page) => {
            format!("did you mean: {meant}; {DASHES}")
        }
        (_, Some(meant)) => format!("did you mean: {meant}"),
        (ErrorKind::UnknownArgument, None) => match context(error, ContextKind::InvalidArg) {
            Some(word) if word.starts_with('-') && takes_text(page) => DASHES.to_owned(),
            Some(word) if word.starts_with('-') => help,
            // What nearly everybody forgets once.
            Some(_) if takes_text(page) => {
                "a text of several words goes in quotes, as in: \"Fix the test\"".to_owned()
            }
            Some(_) if name == "simulate" => {
                "the command goes after --, as in: dcodectl simulate done -- dcodectl run \"Fix the test\""
                    .to_owned()
            }
            _ => usage(page, name).unwrap_or(help),
        },
        (ErrorKind::InvalidSubcommand, None) => "dcodectl -h".to_owned(),
        _ => usage(page, name).unwrap_or(help),
    }
}

/// The usage, with the words that may stand for an argument where they are listed.
fn usage(page: &str, command: &str) -> Option<String> {
    let line = page.lines().find_map(|line| line.strip_prefix("Usage: "))?;
    let mut usage = format!("usage: {}", line.trim());
    let root = Cli::command();
    for argument in root.find_subcommand(command)?.get_positionals() {
        let values = argument.get_possible_values();
        let words: Vec<&str> = values.iter().map(PossibleValue::get_name).collect();
        if let (Some([name]), [_, ..]) = (argument.get_value_names(), &*words) {
            usage = usage.replace(&format!("<{name}>"), &words.join("|"));
        }
    }
    Some(usage)
}

/// The word, or the option with its value, that a misspelt one is near to.
fn meant(error: &clap::Error) -> Option<String> {
    if error.kind() == ErrorKind::InvalidSubcommand {
        // clap proposes all that are alike, in no order.
        let typed = context(error, ContextKind::InvalidSubcommand)?;
        let root = Cli::command();
        let names = root.get_subcommands().filter(|one| !one.is_hide_set());
        return nearest(&typed, names.map(Command::get_name)).map(str::to_owned);
    }
    if let Some(argument) = context(error, ContextKind::SuggestedArg) {
        // Nobody means help by a word that is a little like it.
        let option = argument.split_whitespace().next();
        return option
            .filter(|option| *option != "--help")
            .map(str::to_owned);
    }
    let value = context(error, ContextKind::SuggestedValue)?;
    let argument = context(error, ContextKind::InvalidArg)?;
    let option = argument.split_whitespace().next()?;
    Some(match option.strip_prefix("--") {
        Some(_) => format!("{option} {value}"),
        None => value,
    })
}

/// What clap knows about its refusal; the first of several.
fn context(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => texts.first().cloned(),
        _ => None,
    }
}

/// Whether the command that refused takes a TEXT.
fn takes_text(page: &str) -> bool {
    page.contains("TEXT") || page.contains("[NAME]")
}

/// Whether NDJSON is asked for, read off the raw arguments before any `--`: it also counts when
/// they turn out to be wrong.
#[must_use]
pub fn asks_for_json(arguments: &[OsString]) -> bool {
    let mut words = arguments.iter().skip(1).map(|word| word.to_string_lossy());
    while let Some(word) = words.next() {
        let value = match word.as_ref() {
            "--" => return false,
            "--json" => return true,
            "--output" => words.next(),
            long if long.starts_with("--") => long
                .strip_prefix("--output=")
                .map(|value| value.to_owned().into()),
            // A cluster of short flags, of which -o takes the rest or the next word.
            short => match short
                .strip_prefix('-')
                .and_then(|flags| flags.split_once('o'))
            {
                Some((flags, _)) if !flags.chars().all(|flag| "qvhV".contains(flag)) => None,
                Some((_, "")) => words.next(),
                Some((_, value)) => {
                    Some(value.strip_prefix('=').unwrap_or(value).to_owned().into())
                }
                None => None,
            },
        };
        if value.is_some_and(|value| value == "ndjson") {
            return true;
        }
    }
    false
}

/// Whether the arguments say something about colour, read as in [`asks_for_json`].
#[must_use]
pub fn says_colour(arguments: &[OsString]) -> bool {
    let words = arguments.iter().map(|word| word.to_string_lossy());
    words
        .take_while(|word| word != "--")
        .any(|word| word.starts_with("--color"))
}
