//! The rules of the house that no compiler and no lint checks: which way imports point, how long a
//! file may be, and that help, README, changelog and code say the same.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use support::dcodectl;

/// Lines a file in `src` may have. Functions are clippy's to measure (`clippy.toml`).
const LONGEST_FILE: usize = 400;

/// What each part of the program may name. `protocol` is the vocabulary and knows nobody; `client`
/// and `report` never see each other; `follow` ties the client to a turn and prints nothing;
/// `commands` tie everything together. `cli` is types only and borrows the words of its values;
/// `exit` is the table from reasons, refusals and kinds of errors; `streams` and `signals` know the
/// operating system alone; `shell` and `threads` are a few lines that any part may need,
/// `packed` holds the texts. `lib` may name all and is named by nobody.
const ARROWS: [(&str, &[&str]); 14] = [
    ("protocol", &[]),
    ("streams", &["threads"]),
    ("shell", &[]),
    ("packed", &[]),
    ("threads", &[]),
    ("signals", &["threads"]),
    ("error", &["protocol"]),
    ("exit", &["error", "protocol"]),
    ("client", &["protocol", "error", "shell"]),
    ("report", &["protocol", "shell"]),
    (
        "follow",
        &["client", "protocol", "error", "shell", "threads"],
    ),
    ("simulate", &["packed", "protocol"]),
    ("cli", &["error", "exit", "packed", "protocol", "simulate"]),
    (
        "commands",
        &[
            "cli", "client", "error", "exit", "follow", "packed", "protocol", "report", "shell",
            "simulate", "streams", "threads",
        ],
    ),
];

/// A source file: its path below `src`, and its text.
struct Source {
    path: PathBuf,
    text: String,
}

impl Source {
    /// The part of the program it belongs to.
    fn part(&self) -> String {
        let first = self.path.iter().next().unwrap();
        Path::new(first)
            .file_stem()
            .unwrap()
            .to_string_lossy()
            .into_owned()
    }

    /// Whether all of it is compiled for tests only.
    fn is_test(&self) -> bool {
        let name = self.path.file_stem().unwrap().to_string_lossy();
        name == "testing"
            || name.ends_with("tests")
            || self.path.iter().any(|folder| folder == "tests")
    }

    /// The lines of the program itself: without comments, and without the tests at the end.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let tests = self.text.find("#[cfg(test)]\nmod tests {");
        let text = &self.text[..tests.unwrap_or(self.text.len())];
        let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
        lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    /// How many modules it is below the root.
    fn depth(&self) -> usize {
        let folders = self.path.components().count() - 1;
        folders + usize::from(self.path.file_stem().unwrap() != "mod")
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn sources() -> Vec<Source> {
    let (src, mut found) = (root().join("src"), Vec::new());
    sources_below(&src, &mut found);
    assert!(found.len() > 50, "{found:?}");
    let source = |path: PathBuf| Source {
        text: fs::read_to_string(&path).unwrap(),
        path: path.strip_prefix(&src).unwrap().to_owned(),
    };
    found.into_iter().map(source).collect()
}

/// The words that follow each `prefix` in the text.
fn words_after<'t>(text: &'t str, prefix: &str) -> Vec<&'t str> {
    let ends = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    text.split(prefix)
        .skip(1)
        .map(|rest| rest.split(ends).next().unwrap())
        .collect()
}

#[test]
fn imports_point_one_way() {
    let arrows: BTreeMap<&str, &[&str]> = ARROWS.into_iter().collect();
    let mut parts = BTreeSet::new();
    for source in sources() {
        let (part, path) = (source.part(), source.path.display());
        if part == "lib" || part == "main" {
            continue;
        }
        let allowed = arrows
            .get(&*part)
            .unwrap_or_else(|| panic!("which way points {path}?"));
        for (line, text) in source.code().chain(source.text.lines().enumerate()) {
            for named in words_after(text, "crate::") {
                assert!(
                    named == part || allowed.contains(&named),
                    "{path}:{line}: {part} must not name {named:?}: {text}"
                );
            }
            // Another way out would be up to the root and down again.
            let ups = text.matches("super::").count();
            let inline_tests = usize::from(!source.is_test());
            assert!(
                ups < source.depth() + inline_tests,
                "{path}:{line}: leaves {part}: {text}"
            );
        }
        parts.insert(part);
    }
    let known: BTreeSet<String> = arrows.keys().map(|&part| part.to_owned()).collect();
    assert_eq!(parts, known);
}

#[test]
fn main_decides_nothing() {
    let main = fs::read_to_string(root().join("src/main.rs")).unwrap();
    assert!(main.lines().count() < 40);
    assert!(!main.contains("crate::"));
}

#[test]
fn files_are_short() {
    for source in sources() {
        let lines = source.text.lines().count();
        let path = source.path.display();
        assert!(lines <= LONGEST_FILE, "src/{path} has {lines} lines");
    }
}

#[test]
fn what_is_left_to_one_place_is_in_no_other() {
    // Nothing in the program, its tests aside.
    let nowhere = [
        "println!",
        "print!(",
        "dbg!(",
        "process::exit",
        "todo!(",
        "unimplemented!(",
        ".unwrap()",
        ".expect(",
    ];
    // Each in this file alone. The environment and the streams are arguments everywhere else.
    let alone = [
        ("ureq::unversioned", "client/unix.rs"),
        ("io::stdout()", "streams/mod.rs"),
        ("io::stdin()", "streams/mod.rs"),
        ("is_terminal()", "streams/mod.rs"),
        ("signal_hook::", "signals.rs"),
    ];
    for source in sources().iter().filter(|source| !source.is_test()) {
        let path = source.path.display();
        for (line, text) in source.code() {
            for word in nowhere {
                assert!(!text.contains(word), "src/{path}:{line}: {text}");
            }
            for (word, home) in alone {
                let elsewhere = text.contains(word) && source.path != Path::new(home);
                assert!(!elsewhere, "src/{path}:{line}: {word} is for {home}");
            }
        }
    }
}

/// Ways to run the program past the watch that holds all outputs against the schemas (`tests/support/watch.rs`), and the
/// files that have a reason: one compares the path, shells complete words, valgrind counts for nobody who reads, and a
/// terminal tells its watch by itself.
const UNWATCHED: [(&str, &[&str]); 4] = [
    (
        "binary()",
        &[
            "generated/shells.rs",
            "input/simulating.rs",
            "instructions.rs",
        ],
    ),
    ("into_parts()", &["terminal/pty.rs", "terminal/reflow.rs"]),
    ("CARGO_BIN_EXE", &[]),
    ("dcodectl::run(", &[]),
];

#[test]
fn no_test_runs_the_program_unwatched() {
    let (tests, mut files) = (root().join("tests"), Vec::new());
    sources_below(&tests, &mut files);
    let mut files: Vec<(String, String)> = files
        .iter()
        .map(|path| {
            let name = path.strip_prefix(&tests).unwrap();
            (
                name.display().to_string(),
                fs::read_to_string(path).unwrap(),
            )
        })
        .filter(|(name, _)| !name.starts_with("support/") && name != "house.rs")
        .collect();
    files.sort();
    assert!(files.len() > 50);
    for (way, reasoned) in UNWATCHED {
        let used = files.iter().filter(|(_, text)| text.contains(way));
        let used: Vec<&str> = used.map(|(name, _)| &**name).collect();
        assert_eq!(used, reasoned, "{way}");
    }
}

#[test]
fn no_test_is_left_out() {
    let mut found = Vec::new();
    sources_below(&root().join("src"), &mut found);
    sources_below(&root().join("tests"), &mut found);
    for path in found {
        let text = fs::read_to_string(&path).unwrap();
        let ignored = text
            .lines()
            .any(|line| line.trim_start().starts_with("#[ignore"));
        assert!(!ignored, "{}", path.display());
    }
}

/// The options that a help page lists: `-x, --long` or `--long` at the start of a line.
fn options(page: &str) -> BTreeSet<&str> {
    let starts = page.lines().map(str::trim_start).map(|line| {
        let short = line.starts_with('-') && line.get(2..4) == Some(", ");
        if short { &line[4..] } else { line }
    });
    starts
        .filter(|line| line.starts_with("--"))
        .map(|line| line.split([' ', '.', '[']).next().unwrap())
        .collect()
}

/// The words of a text that look like options.
fn mentioned(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
        .filter(|word| {
            let name = word.strip_prefix("--").unwrap_or_default();
            name.starts_with(|c: char| c.is_ascii_lowercase())
        })
}

#[test]
fn help_mentions_no_option_and_no_command_that_is_not_there() {
    let commands = support::commands();
    assert!(commands.len() > 15, "{commands:?}");
    let pages: Vec<(&String, String)> = commands
        .iter()
        .map(|command| {
            let page = dcodectl(["help", command]).run().exits(0).err("").stdout;
            let same = dcodectl([command, "--help"]).run().exits(0).err("").stdout;
            assert_eq!(page, same);
            (command, page)
        })
        .collect();
    let everywhere: BTreeSet<&str> = pages.iter().flat_map(|(_, page)| options(page)).collect();
    assert!(everywhere.len() > 20, "{everywhere:?}");
    for (command, page) in &pages {
        let listed = options(page);
        for word in mentioned(page) {
            assert!(everywhere.contains(word), "help {command} mentions {word}");
        }
        // Every option that is listed is taken: an unknown one is named in the error.
        for option in listed {
            let ran = dcodectl([command.as_str(), option, "--no-such-option"]).run();
            let unknown = format!("unexpected argument '{option}'");
            let refused = ran.stderr.contains(&unknown);
            assert!(!refused, "{command} {option}: {ran:#?}");
        }
        let quoted = words_after(page, "'dcodectl ");
        for word in quoted {
            assert!(
                commands.iter().any(|name| name == word),
                "help {command}: {word}"
            );
        }
    }
}

#[test]
fn hints_and_messages_name_commands_and_options_that_are_there() {
    let commands = support::commands();
    let mut pages = dcodectl(["--help"]).run().exits(0).stdout;
    for command in &commands {
        pages += &dcodectl(["help", command]).run().exits(0).stdout;
    }
    let listed = options(&pages);
    for source in sources().iter().filter(|source| !source.is_test()) {
        let path = source.path.display();
        for (line, text) in source.code() {
            for word in mentioned(text) {
                // The daemon's own option, in a hint about its memory, and one that is no option of a command.
                let known =
                    listed.contains(word) || ["--event-retention", "--version"].contains(&word);
                assert!(known, "src/{path}:{line} mentions {word}");
            }
            let starts = ["'dcodectl ", "hint(\"dcodectl ", "format!(\"dcodectl "];
            let named = starts.map(|start| words_after(text, start)).concat();
            for word in named.into_iter().filter(|word| !word.is_empty()) {
                let known = commands.iter().any(|name| name == word);
                assert!(known, "src/{path}:{line} mentions {word}: {text}");
            }
        }
    }
}

#[test]
fn a_change_has_a_place_to_be_written_down() {
    let log = fs::read_to_string(root().join("CHANGELOG.md")).unwrap();
    let (_, unreleased) = log.split_once("\n## [Unreleased]\n").unwrap();
    assert!(unreleased.lines().any(|line| line.starts_with("- ")));
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    assert!(manifest.contains("\nlicense = \"MIT OR Apache-2.0\"\n"));
    for (file, text) in [
        ("LICENSE", "The dcodectl authors"),
        ("LICENSE-MIT", "The dcodectl authors"),
        ("LICENSE-APACHE", "END OF TERMS AND CONDITIONS"),
    ] {
        let licence = fs::read_to_string(root().join(file)).unwrap();
        assert!(licence.contains(text), "{file}");
    }
}

#[test]
fn what_ci_runs_is_what_the_readme_says() {
    let ci = fs::read_to_string(root().join(".ci/run")).unwrap();
    for command in [
        "cargo fmt --check",
        "cargo clippy",
        "cargo doc",
        "\ncargo test",
        "cargo build",
    ] {
        assert!(ci.contains(command), "{command}");
    }
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.contains("\ncargo test\n"));
}
