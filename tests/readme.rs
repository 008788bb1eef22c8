//! Every command that the README shows is run here, and its tables are held against the code.
//!
//! A fenced `sh` block stands behind a comment that says how it is run, several ways apart by `;`:
//! `scenario=NAME` what the daemon plays (`done` if it does not matter), `exit=N` the code that
//! must come, `save=NAME` keep it as a script for the blocks below, `parse` do not run it.

#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use support::{Ran, dcodectl, wait_for};

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

/// A fenced block: its language, the comment before it, its text.
struct Block {
    language: String,
    how: Option<String>,
    text: String,
}

fn blocks() -> Vec<Block> {
    let (mut blocks, mut how) = (Vec::new(), None);
    let text = readme();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let comment = line.strip_prefix("<!-- test: ");
        if let Some(comment) = comment.and_then(|rest| rest.strip_suffix(" -->")) {
            how = Some(comment.to_owned());
        } else if let Some(language) = line.strip_prefix("```") {
            let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push(Block {
                language: language.to_owned(),
                how: how.take(),
                text: text.join("\n") + "\n",
            });
        } else {
            assert!(how.is_none(), "no block behind {how:?}");
        }
    }
    blocks
}

/// Where the blocks are run: one after the other in one workspace, as a reader would.
struct Place {
    directory: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let place = Self { directory };
        fs::create_dir(place.path("bin")).unwrap();
        fs::create_dir(place.path("workspace")).unwrap();
        // Building is not what is tested: the binary that was built for the tests stands in.
        let cargo = "#!/bin/sh\n[ \"$1 $2 $3\" = 'run --release --' ] || exit 99\nshift 3\nexec dcodectl \"$@\"\n";
        place.script("bin/cargo", cargo);
        place
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.directory.path().join(name)
    }

    fn script(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Runs a shell script against a daemon that plays the scenario. A command that fails without
    /// being asked about it fails the script.
    fn run(&self, text: &str, scenario: &str) -> Ran {
        let daemon = support::daemon(scenario);
        let own = support::binary().parent().unwrap();
        let inherited = std::env::var("PATH").unwrap();
        let path = format!(
            "{}:{}:{inherited}",
            self.path("bin").display(),
            own.display()
        );
        let begun = std::time::Instant::now();
        let (out, err) = (self.path("stdout"), self.path("stderr"));
        let mut child = Command::new("sh")
            .args(["-e", "-c", text])
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.directory.path())
            .env("DCODE_SOCKET", daemon.socket())
            .current_dir(self.path("workspace"))
            .stdin(Stdio::null())
            .stdout(fs::File::create(&out).unwrap())
            .stderr(fs::File::create(&err).unwrap())
            .spawn()
            .unwrap();
        let status = wait_for(&mut child, support::HANG);
        Ran {
            stdout: fs::read_to_string(out).unwrap(),
            stderr: fs::read_to_string(err).unwrap(),
            took: begun.elapsed(),
            status: status.unwrap_or_else(|| panic!("hung: {text}")),
        }
    }
}

#[test]
fn every_command_shown_runs_and_ends_as_it_says() {
    let jq = Command::new("jq")
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    assert!(
        jq.is_ok_and(|status| status.success()),
        "jq is missing: the README's recipes are written with it (.ci/run installs it)"
    );
    let place = Place::new();
    let mut not_run = Vec::new();
    let blocks = blocks();
    for block in blocks.iter().filter(|block| block.language == "sh") {
        let text = &block.text;
        let how = block.how.as_deref();
        let how = how.unwrap_or_else(|| panic!("how to run it stands before no block:\n{text}"));
        parses(text);
        if how == "parse" {
            not_run.push(text.lines().next().unwrap());
            continue;
        }
        for way in how.split("; ") {
            run_one_way(&place, text, way);
        }
    }
    not_run.sort_unstable();
    let mut expected = NOT_RUN;
    expected.sort_unstable();
    assert_eq!(not_run, expected);
}

fn parses(text: &str) {
    let checked = Command::new("sh")
        .args(["-n", "-c", text])
        .output()
        .unwrap();
    assert!(checked.status.success(), "{checked:?}\n{text}");
}

fn run_one_way(place: &Place, text: &str, way: &str) {
    let (mut scenario, mut exit) = ("done", 0);
    for word in way.split(' ') {
        match word.split_once('=') {
            Some(("scenario", name)) => scenario = name,
            Some(("exit", code)) => exit = code.parse().unwrap(),
            Some(("save", name)) => return place.script(&format!("workspace/{name}"), text),
            _ => panic!("what is {word:?} in {way:?}?"),
        }
    }
    let ran = place.run(text, scenario);
    assert_eq!(ran.code(), exit, "{way}: {text}\n{ran:#?}");
    assert!(!ran.stdout.is_empty() || exit != 0, "{text}\n{ran:#?}");
    assert!(!ran.stderr.contains("jq: "), "{text}\n{ran:#?}");
    let failed = ran.stderr.contains("dcodectl: error:");
    assert!(!failed || exit > 11, "{text}\n{ran:#?}");
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
    let blocks = blocks();
    let page = blocks
        .iter()
        .find(|block| block.language == "text")
        .unwrap();
    let first = blocks.iter().find(|block| block.language == "sh").unwrap();
    let place = Place::new();
    // Both streams in one place, as in a terminal or a log.
    let ran = place.run(&format!("exec 2>&1\n{}", first.text), "done");
    assert_eq!(ran.code(), 10, "{ran:#?}");
    assert_eq!(timeless(&ran.stdout), timeless(&page.text));
    assert_eq!(ran.stderr, "");
}

#[test]
fn the_exit_table_is_the_codes_own() {
    let readme = readme();
    let rows: Vec<&str> = readme
        .lines()
        .filter(|line| {
            let first = line
                .strip_prefix("| ")
                .and_then(|rest| rest.split(' ').next());
            first.is_some_and(|cell| cell.parse::<u8>().is_ok())
        })
        .collect();
    let table: Vec<String> = dcodectl::exit::Exit::ALL
        .iter()
        .map(|exit| {
            let (number, name, when) = (exit.number(), exit.name(), exit.sentence());
            format!("| {number} | `{name}` | {when} |")
        })
        .collect();
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
