//! Wrong arguments, as one line and a next step, instead of clap's page.

use std::ffi::OsString;

use clap::error::ErrorKind;

use crate::error::Error;

/// Turns clap's refusal of the arguments of a command into our own error (code 2).
#[must_use]
pub fn usage_error(error: &clap::Error, command: Option<&str>) -> Error {
    const DASHES: &str = "a text that begins with a dash goes after --, as in: -- \"- text\"";
    let page = error.render().to_string();
    let mut paragraphs = page.split("\n\n");
    let first = paragraphs.next().unwrap_or_default();
    let what = first
        .trim_start_matches("error:")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let usage = page.lines().find_map(|line| line.strip_prefix("Usage: "));
    let tip = page
        .lines()
        .find_map(|line| line.trim().strip_prefix("tip: "));
    // clap sees a prompt that begins with a dash as a flag, and proposes a flag that looks like it.
    let unknown_flag = error.kind() == ErrorKind::UnknownArgument && takes_text(&page);
    let misspelt = tip.filter(|tip| tip.starts_with("a similar") && !tip.contains("--help"));
    let hint = match (unknown_flag, tip, usage) {
        (true, ..) => match misspelt {
            Some(tip) => format!("{tip}; {DASHES}"),
            None => DASHES.to_owned(),
        },
        (false, Some(tip), _) => tip.to_owned(),
        (false, None, Some(usage)) => format!("usage: {}", usage.trim()),
        (false, None, None) => match command {
            Some(command) => format!("see 'dcodectl {command} --help'"),
            None => "see 'dcodectl --help'".to_owned(),
        },
    };
    Error::usage(what).hint(hint)
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
