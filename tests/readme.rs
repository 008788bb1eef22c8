//! Every command that the README shows is run here, and its tables are held against the code.

#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::path::Path;

use support::dcodectl;
use support::programs::there_is;
use support::snippets::{Place, Way, blocks};

/// The blocks that cannot be run here, by their first lines: they install, they would run this very
/// test, they need another machine.
const NOT_RUN: [&str; 3] = [
    "cargo test",
    "cargo install --path .",
    "mkdir -p -m 700 \"$HOME/.dcode-remote\"",
];

fn readme() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap()
}

#[test]
fn every_command_shown_runs_and_ends_as_it_says() {
    if !there_is("jq") {
        return;
    }
    let place = Place::new();
    let mut not_run = Vec::new();
    let blocks = blocks(&readme());
    for block in blocks.iter().filter(|block| block.language == "sh") {
        if !place.follow(block) {
            not_run.push(block.text.lines().next().unwrap());
        }
    }
    not_run.sort_unstable();
    let mut expected = NOT_RUN;
    expected.sort_unstable();
    assert_eq!(not_run, expected);
}

/// A runner that cancels a job signals all of its processes.
#[test]
fn a_first_script_that_is_stopped_leaves_no_session() {
    if !there_is("setsid") {
        return;
    }
    let blocks = blocks(&readme());
    let script = blocks
        .iter()
        .find(|block| block.text.starts_with("#!/bin/sh"));
    let place = Place::new();
    place.script("workspace/gate.sh", &script.unwrap().text);
    let text = "setsid ./gate.sh >log 2>&1 & gate=$!\n\
                until dcodectl list --json | grep -q running; do sleep 0.1; done\n\
                kill -TERM -$gate; code=0; wait $gate || code=$?\n\
                dcodectl list --json; exit $code";
    let ran = place.run(text, Way::plain("slow"));
    assert_eq!((ran.code(), &*ran.stdout), (1, ""), "{ran:#?}");
}

/// The text without what differs from run to run: how long the turn took.
fn timeless(text: &str) -> String {
    let lines = text
        .lines()
        .map(|line| match line.split_once(" ms · 3 rounds") {
            Some((_, rest)) => format!("  N ms · 3 rounds{rest}\n"),
            None => format!("{line}\n"),
        });
    lines.collect()
}

#[test]
fn the_page_shown_is_the_page_of_the_first_command() {
    let blocks = blocks(&readme());
    let page = blocks
        .iter()
        .find(|block| block.language == "text")
        .unwrap();
    let first = blocks.iter().find(|block| block.language == "sh").unwrap();
    let place = Place::new();
    // Both streams in one place, as in a terminal or a log.
    let ran = place.run(&format!("exec 2>&1\n{}", first.text), Way::plain("done"));
    assert_eq!(ran.code(), 10, "{ran:#?}");
    assert_eq!(timeless(&ran.stdout), timeless(&page.text));
    assert_eq!(ran.stderr, "");
}

/// Whether a line is a row of the exit table.
fn is_row(line: &str) -> bool {
    let cells = line.strip_prefix("| ");
    let first = cells.and_then(|rest| rest.split(' ').next());
    first.is_some_and(|cell| cell.parse::<u8>().is_ok())
}

/// `DCODECTL_REGENERATE=1` writes the rows anew, like everything else that is generated.
fn regenerate(table: &[String]) {
    let readme = readme();
    let first = readme.lines().position(is_row).unwrap();
    let mut lines: Vec<&str> = readme.lines().filter(|line| !is_row(line)).collect();
    lines.splice(first..first, table.iter().map(String::as_str));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    fs::write(path, lines.join("\n") + "\n").unwrap();
}

#[test]
fn the_exit_table_is_the_codes_own() {
    let table: Vec<String> = dcodectl::exit::Exit::ALL
        .iter()
        .map(|exit| {
            let (number, name, when) = (exit.number(), exit.name(), exit.sentence());
            format!("| {number} | `{name}` | {when} |")
        })
        .collect();
    if std::env::var_os("DCODECTL_REGENERATE").is_some() {
        regenerate(&table);
    }
    let readme = readme();
    let rows: Vec<&str> = readme.lines().filter(|line| is_row(line)).collect();
    assert_eq!(rows, table);
    let ran = dcodectl(["help", "exit-codes"]).run().exits(0).err("");
    assert_eq!(ran.stdout.lines().count(), rows.len());
}

#[test]
fn only_what_exists_is_mentioned() {
    let mut pages = dcodectl(["--help"]).run().exits(0).err("").stdout;
    for command in support::commands() {
        pages += &dcodectl(["help", &command]).run().exits(0).err("").stdout;
    }
    // Options of other programs.
    let foreign = ["--release", "--path"];
    for word in readme().split(|c: char| !c.is_ascii_alphanumeric() && c != '-') {
        let option = word.starts_with("--") && word.len() > 2 && !word.starts_with("---");
        if option && !foreign.contains(&word) {
            assert!(pages.contains(word), "{word} is not in any help");
        }
    }
}
