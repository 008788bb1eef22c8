//! The completion scripts: clap's own, and a hook that asks the program for what only it knows.

use std::collections::BTreeMap;

use clap_complete::Shell;
use dcodectl::cli::{self, Wanted};

/// What is done where a value is looked up. Each function is called before clap's own code, and says whether it
/// has done the job: then there is nothing more to offer, even if nothing was found.
const BASH: &str = include_str!("values.bash");
const ZSH: &str = include_str!("values.zsh");
const FISH: &str = include_str!("values.fish");
const ELVISH: &str = include_str!("values.elv");

fn script(shell: Shell) -> (String, String) {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut cli::command(), "dcodectl", &mut bytes);
    let text = String::from_utf8(bytes).unwrap();
    let name = match shell {
        Shell::Bash => "dcodectl.bash",
        Shell::Zsh => "_dcodectl",
        Shell::Fish => "dcodectl.fish",
        Shell::PowerShell => "_dcodectl.ps1",
        Shell::Elvish => "dcodectl.elv",
        other => panic!("{other}"),
    };
    let text = match shell {
        Shell::Bash => bash(&text),
        Shell::Zsh => zsh(&text),
        Shell::Fish => fish(&text),
        Shell::Elvish => elvish(&text),
        Shell::PowerShell => powershell(&text),
        _ => text,
    };
    (name.to_owned(), tidy(&text))
}

/// No trailing blanks, one line break at the end.
fn tidy(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_end().to_owned() + "\n"
}

/// Puts `what` behind the one line that reads `line`.
fn behind(text: &str, line: &str, what: &str) -> String {
    let whole = format!("{line}\n");
    assert_eq!(text.matches(&whole).count(), 1, "{line}");
    text.replace(&whole, &format!("{whole}{what}"))
}

fn bash(text: &str) -> String {
    let hooked = behind(
        text,
        "    prev=\"$3\"",
        "    if _dcodectl_values \"${2-}\"; then\n        return 0\n    fi\n",
    );
    let lines: Vec<String> = hooked.lines().map(without_placeholders).collect();
    format!("{BASH}\n{}", lines.join("\n"))
}

/// clap offers the names of positional arguments, such as `<SESSION>`, as if they were words to type.
fn without_placeholders(line: &str) -> String {
    let Some((start, words)) = line.split_once("opts=\"") else {
        return line.to_owned();
    };
    let words: Vec<&str> = words
        .trim_end_matches('"')
        .split(' ')
        .filter(|word| !word.starts_with(['<', '[']))
        .collect();
    format!("{start}opts=\"{}\"", words.join(" "))
}

fn zsh(text: &str) -> String {
    let hooked = behind(text, "_dcodectl() {", "    _dcodectl_values && return 0\n");
    behind(&hooked, "autoload -U is-at-least", &format!("\n{ZSH}"))
}

/// Options whose values are looked up take no files; everything else that is looked up stands in one line.
fn fish(text: &str) -> String {
    let looked_up: Vec<String> = cli::command()
        .get_subcommands()
        .flat_map(|command| command.get_opts())
        .filter(|option| Wanted::of(option.get_id().as_str()).is_some())
        .map(|option| format!(" -l {} ", option.get_long().unwrap()))
        .collect();
    let lines: Vec<String> = text
        .lines()
        .map(|line| {
            if looked_up.iter().any(|option| line.contains(option)) {
                format!("{line} -f -a \"(__dcodectl_values)\"")
            } else {
                line.to_owned()
            }
        })
        .collect();
    format!("{}\n\n{FISH}", lines.join("\n"))
}

/// clap takes every word for the name of a command, and fails where there is none; ours have one name.
fn elvish(text: &str) -> String {
    let first = behind(
        text,
        "        set command = $command';'$word",
        "        break\n",
    );
    let (start, end) = first.split_once("    $completions[$command]\n").unwrap();
    assert_eq!(end.trim_end(), "}");
    format!("{start}{ELVISH}")
}

/// The usual form of a filter, which every parser knows, for the method that clap calls.
fn powershell(text: &str) -> String {
    let (start, end) = text.split_once("    $completions.Where{ ").unwrap();
    format!("{start}    $completions | Where-Object {{ {end}")
}

pub(super) fn scripts() -> BTreeMap<String, String> {
    let shells = [
        Shell::Bash,
        Shell::Zsh,
        Shell::Fish,
        Shell::PowerShell,
        Shell::Elvish,
    ];
    shells.into_iter().map(script).collect()
}

#[test]
fn the_completion_scripts_are_current() {
    super::is_current("completions", &scripts());
}

#[test]
fn the_program_prints_what_the_folder_holds() {
    let files = [
        ("bash", "dcodectl.bash"),
        ("zsh", "_dcodectl"),
        ("fish", "dcodectl.fish"),
        ("powershell", "_dcodectl.ps1"),
        ("elvish", "dcodectl.elv"),
    ];
    for (shell, file) in files {
        let text = std::fs::read_to_string(super::root().join("completions").join(file)).unwrap();
        let ran = super::support::dcodectl(["completions", shell]).run();
        ran.exits(0).out(&text).err("");
    }
    let ran = super::support::dcodectl(["completions", "tcsh"]).run();
    ran.exits(2).err_has("bash, zsh, fish");
}

#[test]
fn names_of_arguments_are_not_offered_as_words() {
    let line = "            opts=\"-o --output <SESSION> [DECISION] allow deny\"";
    assert_eq!(
        without_placeholders(line),
        "            opts=\"-o --output allow deny\""
    );
    assert_eq!(without_placeholders("    cur=\"$2\""), "    cur=\"$2\"");
}
