//! Help that answers: the commands in groups, and what the manual says about each.
//!
//! `guide/COMMAND.md` is the hand-written half of a page of the manual; its examples are the ones
//! that `--help` shows.

use std::fmt::Write as _;
use std::sync::LazyLock;

use clap::{Command, CommandFactory};

use super::Cli;
use crate::packed;

/// The commands as help and manual list them.
pub const GROUPS: [(&str, &[&str]); 5] = [
    ("Turns", &["run", "submit", "wait", "steer", "interrupt"]),
    ("Questions", &["approvals", "approve", "deny"]),
    (
        "Sessions",
        &["create", "list", "show", "close", "rename", "undo"],
    ),
    ("Events", &["tail", "render", "schema"]),
    (
        "Around it",
        &["ping", "simulate", "help", "completions", "man"],
    ),
];

/// The hand-written text of each page, in a small part of Markdown, by the names of the files.
static GUIDES: LazyLock<Vec<(String, String)>> = LazyLock::new(|| packed::GUIDES.texts());

/// The hand-written text of a page; empty if there is none.
#[must_use]
pub fn guide(page: &str) -> &'static str {
    let found = GUIDES
        .iter()
        .find(|(name, _)| name.strip_suffix(".md") == Some(page));
    found.map_or("", |(_, text)| text)
}

/// The definitions with all of their help.
#[must_use]
pub fn command() -> Command {
    let root = Cli::command();
    let names: Vec<String> = root
        .get_subcommands()
        .map(|command| command.get_name().to_owned())
        .collect();
    let template = template(&root);
    let mut root = root
        .help_template(template)
        .after_long_help(examples("dcodectl"));
    for name in names {
        let examples = examples(&name);
        let more = format!("Examples: 'dcodectl help {name}'. Global options: 'dcodectl -h'.");
        root = root.mut_subcommand(name, |command| {
            command.after_help(more).after_long_help(examples)
        });
    }
    root
}

/// The root's help: clap itself knows no groups of commands.
fn template(root: &Command) -> String {
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n\n".to_owned();
    for (heading, names) in GROUPS {
        let _ = writeln!(text, "{heading}:");
        for name in names {
            let command = root.find_subcommand(name);
            let about = command.and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {name:<11}  {about}");
        }
        text.push('\n');
    }
    text.push_str("Global options:\n");
    for option in root.get_opts().filter(|option| option.is_global_set()) {
        let short = option
            .get_short()
            .map_or("    ".to_owned(), |short| format!("-{short}, "));
        let long = option.get_long().unwrap_or_default();
        let value = match option.get_value_names() {
            Some([name, ..]) if option.get_action().takes_values() => format!(" <{name}>"),
            _ => String::new(),
        };
        let help = option.get_help().map(ToString::to_string);
        let names = format!("{short}--{long}{value}");
        let _ = writeln!(text, "  {names:<29}  {}", help.unwrap_or_default());
    }
    text.truncate(text.trim_end().len());
    text + "{after-help}"
}

/// The examples of a guide, as help shows them: each comment above its commands.
fn examples(page: &str) -> String {
    let Some((_, section)) = guide(page).split_once("\n# EXAMPLES\n") else {
        return String::new();
    };
    let section = section.split("\n# ").next().unwrap_or_default();
    let (mut text, mut code) = ("Examples:\n".to_owned(), false);
    for line in section.lines().filter(|line| !line.starts_with("<!--")) {
        if line.starts_with("```") {
            code = !code;
        } else if code && !line.is_empty() {
            let _ = writeln!(text, "      {line}");
        } else if !line.is_empty() {
            let _ = writeln!(text, "  {}", line.replace('`', "'"));
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// The name that was meant by a misspelt one, if one is near.
pub fn nearest<'n>(typed: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    /// As clap has it for its own words.
    const NEAR: f64 = 0.7;
    let near = names
        .into_iter()
        .map(|name| (strsim::jaro(typed, name), name))
        .filter(|(likeness, _)| *likeness > NEAR);
    near.max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_command_is_in_one_group_and_has_a_guide_with_examples() {
        let grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        let set: BTreeSet<&str> = grouped.iter().copied().collect();
        assert_eq!(set.len(), grouped.len());
        let root = Cli::command();
        let there: BTreeSet<&str> = root.get_subcommands().map(Command::get_name).collect();
        assert_eq!(set, there);
        for name in set {
            assert!(examples(name).lines().count() > 2, "{name}");
        }
    }

    #[test]
    fn a_misspelt_name_finds_the_one_that_was_meant() {
        let names = ["done", "unverified", "incomplete"];
        assert_eq!(nearest("unverifed", names), Some("unverified"));
        assert_eq!(nearest("zzz", names), None);
    }
}
