//! What is written from the definitions, `completions/` and `man/`: never stale, and of use where it goes.
//!
//! `DCODECTL_REGENERATE=1 cargo test --test generated` writes the files anew.

#![allow(clippy::unwrap_used, clippy::pedantic)]

#[path = "../support/mod.rs"]
mod support;

mod completions;
mod manual;
mod roff;
mod shells;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// Holds a folder against what it should hold, or writes it anew if that is asked for.
fn is_current(folder: &str, files: &BTreeMap<String, String>) {
    let folder = root().join(folder);
    let regenerate = std::env::var_os("DCODECTL_REGENERATE").is_some();
    if regenerate {
        for (name, text) in files {
            fs::write(folder.join(name), text).unwrap();
        }
    }
    for (name, text) in files {
        let there = fs::read_to_string(folder.join(name)).unwrap_or_default();
        assert!(
            there == *text,
            "{name} is stale: DCODECTL_REGENERATE=1 cargo test --test generated"
        );
    }
    let names = fs::read_dir(&folder).unwrap();
    for name in names.map(|entry| entry.unwrap().file_name().into_string().unwrap()) {
        assert!(files.contains_key(&name), "{name} comes from nowhere");
    }
}
