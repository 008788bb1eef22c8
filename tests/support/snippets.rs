//! The commands that documents show, run as a reader would.
//!
//! A fenced `sh` block stands behind a comment that says how it is run, several ways apart by `;`:
//! `scenario=NAME` what the daemon plays (`done` if it does not matter), `exit=N` the code that
//! must come, `save=NAME` keep it as a script for the blocks below, `with=session`, `with=turn` or
//! `with=question` what is there before it, `shell=bash`, `needs=PROGRAM`, `parse` do not run it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::programs::there_is;
use super::watch::{Stream, Watch};
use super::{Ran, wait_for};

/// A fenced block: its language, the comment before it, its text.
pub struct Block {
    pub language: String,
    pub how: Option<String>,
    pub text: String,
}

/// The blocks of a document.
pub fn blocks(text: &str) -> Vec<Block> {
    let (mut blocks, mut how) = (Vec::new(), None);
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
pub struct Place {
    directory: tempfile::TempDir,
}

/// One way to run a block.
#[derive(Debug, Clone, Copy)]
pub struct Way<'w> {
    pub scenario: &'w str,
    pub exit: i32,
    shell: &'w str,
    with: &'w str,
}

impl Way<'_> {
    /// In a plain shell against a daemon that plays the scenario.
    pub fn plain(scenario: &str) -> Way<'_> {
        Way {
            scenario,
            exit: 0,
            shell: "sh",
            with: "",
        }
    }

    /// What stands before the block, so that it finds what it is about.
    fn before(self) -> &'static str {
        match self.with {
            "" => "",
            "session" => "dcodectl create >/dev/null\n",
            "turn" => "dcodectl create >/dev/null\ndcodectl submit --detach @ -- 'Fix it'\n",
            "question" => {
                "dcodectl create >/dev/null\ndcodectl submit --detach @ -- 'Fix it'\n\
                 dcodectl wait --for approval @ >/dev/null\n"
            }
            other => panic!("with what? {other}"),
        }
    }
}

impl Place {
    pub fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let place = Self { directory };
        fs::create_dir(place.path("bin")).unwrap();
        fs::create_dir(place.path("workspace")).unwrap();
        // Building is not what is tested: the binary that was built for the tests stands in.
        let cargo = "#!/bin/sh\n[ \"$1 $2 $3\" = 'run --release --' ] || exit 99\nshift 3\nexec dcodectl \"$@\"\n";
        place.script("bin/cargo", cargo);
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn script(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Runs a shell script against a daemon that plays the scenario. A command that fails without
    /// being asked about it fails the script.
    pub fn run(&self, text: &str, way: Way) -> Ran {
        // Slow enough to be acted upon, where that is what a scenario is about.
        let daemon = match way.scenario {
            "slow" | "steering" => super::daemon_with(way.scenario, |_| ()),
            name => super::daemon(name),
        };
        let own = super::binary().parent().unwrap();
        let inherited = std::env::var("PATH").unwrap();
        let path = format!(
            "{}:{}:{inherited}",
            self.path("bin").display(),
            own.display()
        );
        let begun = std::time::Instant::now();
        let (out, err) = (self.path("stdout"), self.path("stderr"));
        let mut child = Command::new(way.shell)
            .args(["-e", "-c", &format!("{}{text}", way.before())])
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
        let status = wait_for(&mut child, super::HANG);
        let ran = Ran {
            stdout: fs::read_to_string(out).unwrap(),
            stderr: fs::read_to_string(err).unwrap(),
            took: begun.elapsed(),
            status: status.unwrap_or_else(|| panic!("hung: {text}")),
        };
        // What files it writes, and under what names, is the script's: all are looked at.
        let watch = Watch::of_a_script(text);
        watch.whole(Stream::Out, &ran.stdout);
        watch.whole(Stream::Err, &ran.stderr);
        watch.folder(&self.path("workspace"));
        ran
    }

    /// Runs a block every way that the comment before it says. `false` if it is only to be parsed.
    pub fn follow(&self, block: &Block) -> bool {
        let text = &block.text;
        let how = block.how.as_deref();
        let how = how.unwrap_or_else(|| panic!("how to run it stands before no block:\n{text}"));
        parses(
            text,
            if how.contains("shell=bash") {
                "bash"
            } else {
                "sh"
            },
        );
        if how == "parse" {
            return false;
        }
        for way in how.split("; ") {
            self.one_way(text, way);
        }
        true
    }

    fn one_way(&self, text: &str, words: &str) {
        let mut way = Way::plain("done");
        for word in words.split(' ') {
            match word.split_once('=') {
                Some(("scenario", name)) => way.scenario = name,
                Some(("exit", code)) => way.exit = code.parse().unwrap(),
                Some(("with", what)) => way.with = what,
                Some(("shell", name)) => way.shell = name,
                Some(("needs", program)) if there_is(program) => {}
                Some(("needs", _)) => return,
                Some(("save", name)) => return self.script(&format!("workspace/{name}"), text),
                _ => panic!("what is {word:?} in {words:?}?"),
            }
        }
        let ran = self.run(text, way);
        assert_eq!(ran.code(), way.exit, "{words}: {text}\n{ran:#?}");
        assert!(
            !ran.stdout.is_empty() || way.exit != 0 || !way.with.is_empty(),
            "{text}\n{ran:#?}"
        );
        assert!(!ran.stderr.contains("jq: "), "{text}\n{ran:#?}");
        let failed = ran.stderr.contains("dcodectl: error:");
        assert!(!failed || way.exit > 11, "{text}\n{ran:#?}");
    }
}

fn parses(text: &str, shell: &str) {
    let checked = Command::new(shell)
        .args(["-n", "-c", text])
        .output()
        .unwrap();
    assert!(checked.status.success(), "{checked:?}\n{text}");
}
