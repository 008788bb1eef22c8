//! The manual: what the definitions say about options, what the guides say about their use, and the tables.

#[path = "events.rs"]
mod events;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use clap_mangen::Man;
use dcodectl::cli::{self, GROUPS, guide};
use dcodectl::exit::Exit;
use serde_json::Value;

use events::events_page;

use super::roff::{folded, inline, item, of_markdown, plain, section};
use super::root;
use super::support::dcodectl;
use super::support::programs::there_is;

/// Goes with a release, not with the day of the build.
const DATE: &str = "2026-12-01";

/// Commands that await a turn.
const AWAIT: [&str; 3] = ["run", "submit", "wait"];

fn title(page: &str, section: u8) -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!(
        ".\\\" Generated: DCODECTL_REGENERATE=1 cargo test --test generated\n.TH {} {section} {DATE} \"dcodectl {version}\" \"dcodectl manual\"\n",
        page.to_uppercase()
    )
}

fn name(page: &str, about: &str) -> String {
    format!("{}{} \\- {}\n", section("NAME"), plain(page), inline(about))
}

/// The part of a guide before its examples, and the rest.
fn halves(guide: &str) -> (&str, &str) {
    let at = guide
        .find("\n# EXAMPLES\n")
        .map_or(guide.len(), |at| at + 1);
    guide.split_at(at)
}

fn references(pages: &[String]) -> String {
    let references: Vec<String> = pages
        .iter()
        .map(|page| {
            let (name, section) = page.rsplit_once('.').unwrap();
            format!(".BR {} ({section})", plain(name))
        })
        .collect();
    format!("{}{}\n", section("SEE ALSO"), references.join(" ,\n"))
}

/// What stands on every line comes first, as in the help; clap_mangen has it last, among the options.
fn arguments(command: &clap::Command) -> String {
    let mut arguments = String::new();
    for argument in command.get_positionals() {
        let name = argument
            .get_value_names()
            .map_or("", |names| names[0].as_str());
        let help = argument.get_long_help().or(argument.get_help());
        let help = help.map(ToString::to_string).unwrap_or_default();
        let defaults = argument.get_default_values();
        let default = match defaults
            .first()
            .filter(|_| !argument.is_hide_default_value_set())
        {
            Some(value) => format!(" [default: {}]", plain(&value.to_string_lossy())),
            None => String::new(),
        };
        let _ = writeln!(
            arguments,
            ".TP\n\\fI{}\\fR{default}\n{}",
            plain(name),
            of_markdown(&help).trim_end().replace(".PP", ".sp")
        );
        let values = argument.get_possible_values();
        for value in values.iter().filter(|value| !value.is_hide_set()) {
            let _ = writeln!(arguments, ".br\n\\fB{}\\fR", plain(value.get_name()));
            if let Some(help) = value.get_help() {
                let _ = writeln!(arguments, "\\- {}", inline(&help.to_string()));
            }
        }
    }
    if !arguments.is_empty() {
        arguments.insert_str(0, &section("ARGUMENTS"));
    }
    arguments
}

fn synopsis_and_options(command: &clap::Command, description: &str) -> String {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim();
    let synopsis = format!("{}{}\n", section("SYNOPSIS"), inline(&format!("`{usage}`")));
    let arguments = arguments(command);
    let only_options = command.clone().mut_args(|argument| {
        let is_positional = argument.is_positional();
        argument.hide(is_positional)
    });
    let man = Man::new(only_options);
    let mut options = Vec::new();
    man.render_options_section(&mut options).unwrap();
    let options = String::from_utf8(options).unwrap();
    // What it writes of apostrophes is for readers that are long gone.
    let options = options.replace(".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n", "");
    let options = options
        .replace("\\*(Aq", "\\(aq")
        .replace(".br\n\n.br\n", ".sp\n");
    format!("{synopsis}{description}{arguments}{options}")
}

fn exit_status(command: &str) -> String {
    let mut text = section("EXIT STATUS");
    let row = |exit: &Exit| item(&exit.number().to_string(), exit.sentence());
    let turn = |exit: &&Exit| matches!(exit.number(), 0 | 10..=20);
    let rows: Vec<String> = match command {
        "dcodectl" => Exit::ALL.iter().map(row).collect(),
        name if AWAIT.contains(&name) => Exit::ALL.iter().filter(turn).map(row).collect(),
        "undo" => [Exit::Done, Exit::UndoRefused].iter().map(row).collect(),
        "simulate" => vec![item(
            "code of CMD",
            "as a shell has it: 127 not found, 126 not runnable, 128+N killed by signal N",
        )],
        "tail" => vec![
            item(
                "0",
                "the end that was asked for was reached, or the session was closed",
            ),
            item(
                "10 to 19",
                "with `--until`: as the last turn that was read ended",
            ),
        ],
        _ => vec![item("0", "it worked")],
    };
    text += &rows.concat();
    if command != "dcodectl" {
        text +=
            ".PP\nThe others are the same for every command:\n.BR dcodectl\\-exit\\-codes (7).\n";
    }
    text
}

fn environment(command: &str) -> String {
    let mut text = section("ENVIRONMENT");
    let table = dcodectl(["help", "environment", "--json"]).run().exits(0);
    for variable in table.out_objects() {
        let field = |key: &str| variable[key].as_str().unwrap().to_owned();
        let name = field("variable");
        if command == "simulate" && name == "DCODE_SOCKET" {
            text += &item(
                "`DCODE_SOCKET`",
                "set for CMD to the simulated daemon's socket; never read",
            );
            continue;
        }
        if command == "dcodectl" || name == "DCODE_SOCKET" {
            text += &item(&format!("`{name}`"), &field("effect"));
        }
    }
    if command != "dcodectl" {
        text += ".PP\nThe others are the same for every command:\n.BR dcodectl (1).\n";
    }
    text
}

fn command_page(command: &clap::Command) -> String {
    let name_of_command = command.get_name();
    let page = format!("dcodectl-{name_of_command}");
    let about = command.get_about().unwrap().to_string();
    let (description, rest) = halves(guide(name_of_command));
    let global = ".PP\nOptions of every command, such as\n.B \\-\\-json\nand\n.BR \\-\\-socket ,\nare in\n.BR dcodectl (1).\n";
    let command = command
        .clone()
        .bin_name(format!("dcodectl {name_of_command}"));
    [
        title(&page, 1),
        name(&page, &about),
        synopsis_and_options(&command, &of_markdown(description)),
        global.to_owned(),
        exit_status(name_of_command),
        environment(name_of_command),
        of_markdown(rest),
        references(&related(name_of_command)),
    ]
    .concat()
}

/// The main page, the other commands of the group, the tables.
fn related(command: &str) -> Vec<String> {
    let group = GROUPS.iter().find(|(_, names)| names.contains(&command));
    let mut pages: Vec<String> = group
        .map(|(_, names)| *names)
        .unwrap_or_default()
        .iter()
        .filter(|name| **name != command)
        .map(|name| format!("dcodectl-{name}.1"))
        .collect();
    pages.sort();
    pages.insert(0, "dcodectl.1".to_owned());
    pages.extend(["dcodectl-events.7", "dcodectl-exit-codes.7"].map(str::to_owned));
    pages
}

fn main_page(root: &clap::Command) -> String {
    let (description, rest) = halves(guide("dcodectl"));
    let mut commands = section("COMMANDS");
    for (heading, names) in GROUPS {
        let _ = writeln!(commands, ".SS {heading}");
        for name in names {
            let about = root
                .find_subcommand(name)
                .and_then(clap::Command::get_about)
                .unwrap();
            let _ = writeln!(
                commands,
                ".TP\n.BR {} (1)\n{}",
                plain(&format!("dcodectl-{name}")),
                inline(&about.to_string())
            );
        }
    }
    let description = of_markdown(description) + &commands;
    [
        title("dcodectl", 1),
        name("dcodectl", "script the dcode coding-agent daemon"),
        synopsis_and_options(root, &description),
        exit_status("dcodectl"),
        environment("dcodectl"),
        of_markdown(rest),
        references(
            &[
                "dcodectl-run.1",
                "dcodectl-events.7",
                "dcodectl-exit-codes.7",
            ]
            .map(str::to_owned),
        ),
    ]
    .concat()
}

fn exit_codes_page() -> String {
    let (description, rest) = halves(guide("exit-codes"));
    let mut codes = section("CODES");
    for exit in Exit::ALL {
        let term = format!("{} `{}`", exit.number(), exit.name());
        codes += &item(&term, exit.sentence());
    }
    [
        title("dcodectl-exit-codes", 7),
        name("dcodectl-exit-codes", "what the exit codes of dcodectl say"),
        of_markdown(description),
        codes,
        of_markdown(rest),
        references(&["dcodectl.1", "dcodectl-run.1", "dcodectl-events.7"].map(str::to_owned)),
    ]
    .concat()
}

fn pages() -> BTreeMap<String, String> {
    // Only the short help leaves anything out.
    let shown =
        |command: clap::Command| command.mut_args(|argument| argument.hide_short_help(false));
    let root = shown(cli::command()).mut_subcommands(shown);
    let mut pages: BTreeMap<String, String> = root
        .get_subcommands()
        .map(|command| {
            (
                format!("dcodectl-{}.1", command.get_name()),
                command_page(command),
            )
        })
        .collect();
    pages.insert("dcodectl.1".to_owned(), main_page(&root));
    pages.insert("dcodectl-exit-codes.7".to_owned(), exit_codes_page());
    pages.insert("dcodectl-events.7".to_owned(), events_page());
    for page in pages.values_mut() {
        *page = folded(page);
    }
    pages
}

#[test]
fn the_manual_is_current() {
    super::is_current("man", &pages());
}

#[test]
fn mandoc_has_nothing_to_say_about_a_page() {
    if !there_is("mandoc") {
        return;
    }
    for page in fs::read_dir(root().join("man")).unwrap() {
        let page = page.unwrap().path();
        let output = Command::new("mandoc")
            .arg("-Tlint")
            .arg(&page)
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(
            output.status.success() && said.is_empty(),
            "{}:\n{said}",
            page.display()
        );
        let rendered = Command::new("mandoc")
            .args(["-Tascii", "-Owidth=80"])
            .arg(&page)
            .output()
            .unwrap();
        assert!(
            rendered.status.success() && rendered.stdout.len() > 500,
            "{rendered:?}"
        );
        let text = String::from_utf8(rendered.stdout).unwrap();
        for line in text.lines() {
            // A letter that is struck over itself is one column.
            let columns = line.chars().count() - 2 * line.matches('\u{8}').count();
            assert!(columns <= 80, "{}: {line}", page.display());
        }
    }
}

#[test]
fn the_pages_are_printed_and_written() {
    let main = fs::read_to_string(root().join("man/dcodectl.1")).unwrap();
    let printed = dcodectl(["man"]).run().exits(0).err("").stdout;
    assert!(
        printed == main,
        "the program holds an older page: build it again"
    );
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().to_str().unwrap();
    dcodectl(["man", directory]).run().exits(0).out("").err("");
    let run = fs::read_to_string(place.path().join("man1/dcodectl-run.1")).unwrap();
    assert_eq!(
        run,
        fs::read_to_string(root().join("man/dcodectl-run.1")).unwrap()
    );
    assert!(place.path().join("man7/dcodectl-exit-codes.7").exists());
    let files = dcodectl(["man", "--json", directory])
        .run()
        .exits(0)
        .err("");
    assert_eq!(
        files.out_objects().len(),
        fs::read_dir(root().join("man")).unwrap().count()
    );
    dcodectl(["man", "/dev/null/x"])
        .run()
        .exits(74)
        .out("")
        .err_has("cannot be written");
}
