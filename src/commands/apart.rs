//! Files that a command must keep apart: of two outputs in one file each overwrites the other, and
//! an output that goes where something is still to be read from empties it first.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::Context;
use crate::cli::{Gate, Images, ReportTarget, Text};
use crate::error::{Error, Result};

/// As many links as Linux follows.
const LINKS: usize = 40;

/// What is read while outputs are open.
#[derive(Default)]
pub(super) struct Inputs<'o> {
    files: Vec<&'o Path>,
    stdin: bool,
}

impl<'o> Inputs<'o> {
    /// A prompt and its images.
    pub(super) fn of(text: &'o Text, images: &'o Images) -> Self {
        let files = text.file.iter().chain(&images.paths);
        Self {
            files: files.map(PathBuf::as_path).collect(),
            stdin: text.text.as_deref() == Some("-"),
        }
    }

    /// A log, `-` for stdin.
    pub(super) fn log(path: &'o Path) -> Self {
        let stdin = path == Path::new("-");
        Self {
            files: if stdin { Vec::new() } else { vec![path] },
            stdin,
        }
    }
}

/// The files that the options of a gate name.
pub(super) fn outputs(gate: &Gate) -> Vec<&Path> {
    let summary = gate.summary.as_deref();
    let files = gate.events.as_deref().into_iter();
    let files = files.chain(summary.filter(|path| *path != Path::new("-")));
    files.chain(reports(&gate.reports.report)).collect()
}

/// The files that reports name.
pub(super) fn reports(targets: &[ReportTarget]) -> impl Iterator<Item = &Path> {
    targets.iter().filter_map(ReportTarget::path)
}

/// Refuses files that get in each other's way, before one is opened.
///
/// # Errors
/// Code 2.
pub(super) fn check(
    inputs: &Inputs<'_>,
    outputs: &[&Path],
    targets: &[ReportTarget],
    context: &Context<'_>,
) -> Result<()> {
    let step = step_outputs(targets, context);
    let outputs = outputs
        .iter()
        .copied()
        .chain(step.as_deref().map(Path::new));
    let read: Vec<Place> = inputs.files.iter().filter_map(|file| place(file)).collect();
    let stdin = context.streams.in_file.filter(|_| inputs.stdin);
    let mut written = Vec::new();
    for file in outputs {
        let Some(place) = place(file) else { continue };
        if written.contains(&place) {
            let message = format!("two outputs are to be written to {}", file.display());
            return Err(Error::usage(message).hint("give each a file of its own"));
        }
        let is_stdin = stdin.is_some_and(|(device, number)| place == Place::File(device, number));
        if is_stdin || read.contains(&place) {
            let message = format!("{} is to be read and to be written", file.display());
            return Err(Error::usage(message).hint("give the output a file of its own"));
        }
        written.push(place);
    }
    Ok(())
}

/// The file that `--report github` appends the outputs of the step to.
fn step_outputs(targets: &[ReportTarget], context: &Context<'_>) -> Option<OsString> {
    targets
        .contains(&ReportTarget::GitHub)
        .then(|| context.surroundings.set("GITHUB_OUTPUT"))?
}

/// What a path leads to, however it is spelt.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// A file, by its device and number.
    File(u64, u64),
    /// Where one will be.
    New(PathBuf),
}

/// `None` for a device or a pipe: it takes what several write to it.
fn place(path: &Path) -> Option<Place> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() => Some(Place::File(found.dev(), found.ino())),
        Ok(_) => None,
        Err(_) => Some(Place::New(destination(path))),
    }
}

/// Where a file will come to be: at the end of links that lead to nothing yet, in a folder that has
/// one name. A folder that is not there either is an error that opening the file tells.
fn destination(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let Ok(link) = fs::read_link(&path) else {
            break;
        };
        path = path.parent().unwrap_or(Path::new("")).join(link);
    }
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    match (fs::canonicalize(folder), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}
