//! Every command that the manual and the folder `docs/` show is run here.

#![allow(clippy::unwrap_used, clippy::pedantic)]

#[path = "../support/mod.rs"]
mod support;

mod cookbook;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use yaml_rust2::{Yaml, YamlLoader};

use support::programs::there_is;
use support::snippets::{Place, blocks};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn documents(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();
    paths
}

/// Runs the shell blocks of a document, and says which were only parsed.
fn follow(path: &Path) -> Vec<String> {
    let place = Place::new();
    let text = fs::read_to_string(path).unwrap();
    let blocks = blocks(&text);
    let shell = blocks.iter().filter(|block| block.language == "sh");
    shell
        .filter(|block| !place.follow(block))
        .map(|block| block.text.lines().next().unwrap().to_owned())
        .collect()
}

#[test]
fn every_recipe_runs() {
    if !there_is("jq") {
        return;
    }
    let not_run = follow(&root().join("docs/scripting.md"));
    assert_eq!(not_run, ["mkdir -p -m 700 \"$HOME/.dcode-remote\""]);
}

#[test]
fn every_pipeline_that_can_be_run_here_runs() {
    if !there_is("jq") {
        return;
    }
    let text = fs::read_to_string(root().join("docs/ci.md")).unwrap();
    let place = Place::new();
    for block in blocks(&text) {
        match &*block.language {
            "sh" => assert!(place.follow(&block)),
            // A file for the block behind it.
            "make" => place.script("workspace/Makefile", &block.text),
            _ => {}
        }
    }
}

/// Every value of a key, wherever it stands.
fn values<'y>(yaml: &'y Yaml, key: &str, found: &mut Vec<&'y Yaml>) {
    if let Some(list) = yaml.as_vec() {
        for item in list {
            values(item, key, found);
        }
    }
    for (name, value) in yaml.as_hash().into_iter().flatten() {
        if name.as_str() == Some(key) {
            found.push(value);
        }
        values(value, key, found);
    }
}

fn parsed(text: &str) -> Yaml {
    let mut documents =
        YamlLoader::load_from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(documents.len(), 1);
    documents.remove(0)
}

/// The shell parts of a workflow or pipeline: `run`, `script`, `command`.
fn shell_parts(yaml: &Yaml) -> Vec<String> {
    let mut found = Vec::new();
    for key in ["run", "script", "command"] {
        values(yaml, key, &mut found);
    }
    let parts = found.into_iter().map(|value| match value.as_vec() {
        Some(lines) => lines
            .iter()
            .map(|line| line.as_str().unwrap().to_owned() + "\n")
            .collect(),
        None => value.as_str().unwrap().to_owned(),
    });
    parts.collect()
}

/// `shellcheck` has nothing to say about it, but that variables come from somewhere else.
fn is_sound(script: &str, what: &str) {
    let mut child = Command::new("shellcheck")
        .args(["--shell=sh", "--exclude=SC2154", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Every runner stops at the first failure.
    let script = format!("set -e\n{script}");
    child
        .stdin
        .take()
        .unwrap()
        .write_all(script.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{what}:\n{said}");
}

#[test]
fn pipelines_of_other_runners_are_sound() {
    let check = there_is("shellcheck");
    let text = fs::read_to_string(root().join("docs/ci.md")).unwrap();
    let blocks = blocks(&text);
    let yaml: Vec<&str> = blocks
        .iter()
        .filter(|block| block.language == "yaml")
        .map(|block| &*block.text)
        .collect();
    assert_eq!(yaml.len(), 3);
    let mut parts: Vec<String> = yaml
        .iter()
        .flat_map(|text| shell_parts(&parsed(text)))
        .collect();
    let groovy = blocks
        .iter()
        .find(|block| block.language == "groovy")
        .unwrap();
    parts.extend(
        groovy
            .text
            .split("'''")
            .skip(1)
            .step_by(2)
            .map(str::to_owned),
    );
    parts.extend(
        blocks
            .iter()
            .filter(|block| block.language == "sh" && !block.text.contains("pipefail"))
            .map(|block| block.text.clone()),
    );
    assert!(
        parts
            .iter()
            .filter(|part| part.contains("dcodectl run"))
            .count()
            > 4,
        "{parts:#?}"
    );
    for part in parts.iter().filter(|_| check) {
        is_sound(part, part);
    }
    // The codes that a runner lets pass are those that the text is about.
    let gitlab = parsed(yaml[1]);
    let codes: Vec<i64> = gitlab["agent"]["allow_failure"]["exit_codes"]
        .as_vec()
        .unwrap()
        .iter()
        .filter_map(Yaml::as_i64)
        .collect();
    assert_eq!(codes, [10, 20]);
    let buildkite = parsed(yaml[2]);
    let step = &buildkite["steps"][0];
    let soft = step["soft_fail"][0]["exit_status"].as_i64();
    assert_eq!(soft, Some(10));
    // Only where nothing was sent may a step be run again by itself.
    let again = &step["retry"]["automatic"];
    let codes = again.as_vec().unwrap().iter();
    let codes: Vec<i64> = codes
        .filter_map(|rule| rule["exit_status"].as_i64())
        .collect();
    assert_eq!(codes, [69]);
    // The agent works in the checkout: no token may lie there.
    let github = parsed(yaml[0]);
    let checkout = &github["jobs"]["agent"]["steps"][0];
    assert_eq!(
        checkout["with"]["persist-credentials"].as_bool(),
        Some(false)
    );
}

#[test]
fn options_of_this_program_are_spelt_as_it_has_them() {
    let mut pages = support::dcodectl(["--help"]).run().exits(0).stdout;
    for command in support::commands() {
        pages += &support::dcodectl(["help", &command]).run().exits(0).stdout;
    }
    let documents = documents("docs")
        .into_iter()
        .chain(documents("src/cli/guide"));
    for document in documents {
        let text = fs::read_to_string(&document).unwrap();
        // In prose and in lines of this program; other programs have options of their own.
        for line in text
            .lines()
            .filter(|line| line.contains("dcodectl ") || line.contains('`'))
        {
            for word in line.split(|c: char| !c.is_ascii_alphanumeric() && c != '-') {
                let option = word.len() > 2 && word.starts_with("--") && !word.starts_with("---");
                assert!(
                    !option || pages.contains(word),
                    "{}: {word}: {line}",
                    document.display()
                );
            }
        }
    }
}

#[test]
fn the_workflows_are_sound() {
    let check = there_is("shellcheck");
    for name in ["ci", "release"] {
        let path = root().join(format!(".github/workflows/{name}.yml"));
        let yaml = parsed(&fs::read_to_string(&path).unwrap());
        let mut uses = Vec::new();
        values(&yaml, "uses", &mut uses);
        assert!(
            uses.iter()
                .all(|action| action.as_str().unwrap().contains("@v"))
        );
        let jobs = yaml["jobs"].as_hash().unwrap();
        for (job, body) in jobs {
            assert!(
                body["timeout-minutes"].as_i64().is_some(),
                "{name}: {job:?}"
            );
        }
        let parts = shell_parts(&yaml);
        assert!(parts.iter().any(|part| part.contains(".ci/run")));
        for part in parts.iter().filter(|_| check) {
            is_sound(part, name);
        }
    }
    if check {
        let run = fs::read_to_string(root().join(".ci/run")).unwrap();
        let run = run.replacen("#!/usr/bin/env bash", "#!/bin/bash", 1);
        is_sound_bash(&run);
    }
}

fn is_sound_bash(script: &str) {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("run");
    fs::write(&file, script).unwrap();
    let output = Command::new("shellcheck")
        .arg("--shell=bash")
        .arg(&file)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
}

#[test]
fn every_example_of_the_manual_runs() {
    if !there_is("jq") {
        return;
    }
    let guides = documents("src/cli/guide");
    assert!(guides.len() > 20, "{guides:?}");
    for guide in guides {
        let text = fs::read_to_string(&guide).unwrap();
        assert!(
            text.contains("```sh\n"),
            "{} has no example",
            guide.display()
        );
        assert_eq!(follow(&guide), [""; 0], "{}", guide.display());
    }
}
