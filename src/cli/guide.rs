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

/// Commands that share a line of the short help, and what they do.
type Line = (&'static [&'static str], &'static str);

/// The commands as the short help has them: related ones share a line, so that all fit a screen.
const SHORT: [(&str, &[Line]); 5] = [
    (
        "Turns",
        &[
            (
                &["run"],
                "Create, submit and close in one: all of a pipeline",
            ),
            (
                &["submit"],
                "Submit a turn to a session, follow it to its end",
            ),
            (&["wait"], "Follow the running turn, or report the last one"),
            (
                &["steer", "interrupt"],
                "Correct the running turn; cancel it",
            ),
        ],
    ),
    (
        "Questions",
        &[(
            &["approvals", "approve", "deny"],
            "Show the open question; answer it",
        )],
    ),
    (
        "Sessions",
        &[
            (
                &["create", "close"],
                "Open a session and print its id; close it",
            ),
            (&["list", "show"], "What there is; one of them"),
            (
                &["rename", "undo"],
                "Give a name; put back what a turn changed",
            ),
        ],
    ),
    (
        "Events",
        &[
            (&["tail"], "Print events: history, then live"),
            (
                &["render", "schema"],
                "Show a log as any output; its JSON Schema",
            ),
        ],
    ),
    (
        "Around it",
        &[
            (
                &["ping", "simulate"],
                "Is a daemon there; a simulated one, to try gates",
            ),
            (
                &["help", "man", "completions"],
                "Explain a command; the manual; for your shell",
            ),
        ],
    ),
];

/// What the short help of a command shows, where not all of its options fit a screen.
const OFTEN: [(&str, &[&str]); 3] = [
    (
        "run",
        &[
            "file",
            "workspace",
            "model",
            "keep",
            "accept",
            "timeout",
            "require_verified",
            "summary",
            "report",
            "on_approval",
        ],
    ),
    (
        "submit",
        &[
            "file",
            "wait_idle",
            "detach",
            "accept",
            "timeout",
            "require_verified",
            "summary",
            "report",
            "on_approval",
        ],
    ),
    (
        "wait",
        &[
            "target",
            "accept",
            "timeout",
            "require_verified",
            "forbid_protected",
            "idle_timeout",
            "summary",
            "report",
        ],
    ),
];

/// The definitions with all of their help.
#[must_use]
pub fn command() -> Command {
    let root = Cli::command();
    let names: Vec<String> = root
        .get_subcommands()
        .map(|command| command.get_name().to_owned())
        .collect();
    let long = long_page(&root) + "\n\n" + &examples("dcodectl");
    // clap has one template for both; only what comes last may differ.
    let mut root = root
        .help_template("{about-with-newline}\n{usage-heading} {usage}{after-help}")
        .after_help(short_page())
        .after_long_help(long);
    for name in names {
        root = root.mut_subcommand(&name, |command| {
            let command = shortened(command);
            let more = more(&command);
            command.after_help(more).after_long_help(examples(&name))
        });
    }
    root
}

/// Leaves the rare options of a command to its long help.
fn shortened(command: Command) -> Command {
    let often = OFTEN.iter().find(|(name, _)| *name == command.get_name());
    let Some((_, often)) = often else {
        return command;
    };
    command.mut_args(|argument| {
        let rare = !argument.is_positional() && !often.contains(&argument.get_id().as_str());
        argument.hide_short_help(rare)
    })
}

/// The last line of a command's short help: what is not in it.
fn more(command: &Command) -> String {
    let name = command.get_name();
    let left_out = command
        .get_arguments()
        .filter(|argument| argument.is_hide_short_help_set())
        .count();
    let what = match left_out {
        0 => "Examples".to_owned(),
        some => format!("… and {some} more"),
    };
    format!("{what}: 'dcodectl {name} --help'. Global options: 'dcodectl -h'.")
}

/// The root's short help, below the usage.
fn short_page() -> String {
    let mut text = String::new();
    for (heading, lines) in SHORT {
        let _ = writeln!(text, "{heading}:");
        for (names, about) in lines {
            let _ = writeln!(text, "  {:<24}  {about}", names.join(", "));
        }
    }
    text + "Global options: -o FORMAT, --json, -q, -v, --socket PATH, --color WHEN\n\
            In full: 'dcodectl --help'. Exit codes: 'dcodectl help exit-codes'."
}

/// The root's long help, below the usage: clap itself knows no groups of commands.
fn long_page(root: &Command) -> String {
    let mut text = String::new();
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
        let _ = writeln!(text, "  {names:<32}  {}", help.unwrap_or_default());
    }
    text + "\nExit codes mirror the turn's stop reason: 'dcodectl help exit-codes'.\n\
            'dcodectl help COMMAND' explains one, with examples."
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
    // Letters that changed places in a short word count little there, and most of all for a reader.
    let slips = |name: &str| strsim::osa_distance(typed, name);
    let near = names
        .into_iter()
        .map(|name| (slips(name), strsim::jaro(typed, name), name))
        .filter(|(slips, likeness, _)| *likeness > NEAR || (*slips == 1 && typed.len() > 2));
    let nearest = near.min_by(|one, other| one.0.cmp(&other.0).then(other.1.total_cmp(&one.1)));
    nearest.map(|(.., name)| name)
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
    fn the_short_help_leaves_no_command_out() {
        let short: Vec<(&str, Vec<&str>)> = SHORT
            .iter()
            .map(|(heading, lines)| {
                let names = lines.iter().flat_map(|(names, _)| *names).copied();
                (*heading, names.collect())
            })
            .collect();
        for ((heading, names), (short, some)) in GROUPS.iter().zip(&short) {
            assert_eq!(heading, short);
            let (names, some): (BTreeSet<_>, BTreeSet<_>) =
                (names.iter().collect(), some.iter().collect());
            assert_eq!(names, some, "{heading}");
        }
    }

    #[test]
    fn what_the_short_help_shows_is_there() {
        let root = Cli::command();
        for (name, often) in OFTEN {
            let command = root.find_subcommand(name).unwrap();
            for id in often {
                let found = command.get_arguments().any(|one| one.get_id() == id);
                assert!(found, "{name}: {id}");
            }
        }
    }

    #[test]
    fn a_misspelt_name_finds_the_one_that_was_meant() {
        let names = ["done", "unverified", "incomplete"];
        assert_eq!(nearest("unverifed", names), Some("unverified"));
        assert_eq!(nearest("zzz", names), None);
    }
}
