//! Every command that the manual and the folder `docs/` show is run here.

#![allow(clippy::unwrap_used, clippy::pedantic)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

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
