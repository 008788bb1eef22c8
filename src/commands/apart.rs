//! Files that a command must keep apart: of two outputs in one file each overwrites the other, and
//! an output that goes where something is still to be read from empties it first.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::Context;
use crate::cli::{Gate, Images, ReportTarget, Text};
use crate::error::{Error, Result};
use crate::streams::OpenFile;

/// As many links as Linux follows.
const LINKS: usize = 40;

/// What is read while outputs are open.
#[derive(Default)]
pub(super) struct Inputs<'o> {
    files: Vec<&'o Path>,
    stdin: bool,
    /// It is read line by line while stdout and stderr are written, and not as a whole before.
    meanwhile: bool,
}

/// A file to be written.
#[derive(Clone, Copy)]
pub(super) struct Written<'o> {
    path: &'o Path,
    /// It is appended to and never emptied.
    appended: bool,
}

impl<'o> Written<'o> {
    /// One that is emptied first, or made anew.
    pub(super) fn anew(path: &'o Path) -> Self {
        Self {
            path,
            appended: false,
        }
    }

    fn appended(path: &'o Path) -> Self {
        Self {
            path,
            appended: true,
        }
    }
}

impl<'o> Inputs<'o> {
    /// A prompt and its images.
    pub(super) fn of(text: &'o Text, images: &'o Images) -> Self {
        let files = text.file.iter().chain(&images.paths);
        Self {
            files: files.map(PathBuf::as_path).collect(),
            stdin: text.text.as_deref() == Some("-"),
            meanwhile: false,
        }
    }

    /// A log, `-` for stdin.
    pub(super) fn log(path: &'o Path) -> Self {
        let stdin = path == Path::new("-");
        Self {
            files: if stdin { Vec::new() } else { vec![path] },
            stdin,
            meanwhile: true,
        }
    }
}

/// The files that the options of a gate name.
pub(super) fn outputs(gate: &Gate) -> Vec<Written<'_>> {
    let summary = gate.summary.as_deref();
    let files = gate.events.as_deref().into_iter();
    let files = files.chain(summary.filter(|path| *path != Path::new("-")));
    let files = files.map(Written::anew);
    files.chain(reports(&gate.reports.report)).collect()
}

/// The files that reports name.
pub(super) fn reports(targets: &[ReportTarget]) -> impl Iterator<Item = Written<'_>> {
    targets.iter().filter_map(|target| match target {
        ReportTarget::JUnit(path) => Some(Written::anew(path)),
        ReportTarget::Markdown(path) => Some(Written::appended(path)),
        ReportTarget::GitHub => None,
    })
}

/// Refuses files that get in each other's way, before one is opened.
///
/// # Errors
/// Code 2.
pub(super) fn check(
    inputs: &Inputs<'_>,
    outputs: &[Written<'_>],
    targets: &[ReportTarget],
    context: &Context<'_>,
) -> Result<()> {
    let step = step_outputs(targets, context);
    let step = step.as_deref().map(Path::new).map(Written::appended);
    let mut read: Vec<Place> = inputs.files.iter().filter_map(|file| place(file)).collect();
    let stdin = context.streams.in_file.filter(|_| inputs.stdin);
    read.extend(stdin.map(|(device, number)| Place::File(device, number)));
    let streams = standard(context);
    if inputs.meanwhile {
        for (name, stream) in &streams {
            if read.contains(&stream.place()) {
                let message = format!("{name} goes to the file that is to be read");
                return Err(Error::usage(message).hint(format!("give {name} a file of its own")));
            }
        }
    }
    let mut written = Vec::new();
    for file in outputs.iter().copied().chain(step) {
        let name = file.path.display();
        let Some(place) = place(file.path) else {
            continue;
        };
        if written.contains(&place) {
            let message = format!("two outputs are to be written to {name}");
            return Err(Error::usage(message).hint("give each a file of its own"));
        }
        if read.contains(&place) {
            let message = format!("{name} is to be read and to be written");
            return Err(Error::usage(message).hint("give the output a file of its own"));
        }
        apart_from(&streams, &file, &place)?;
        written.push(place);
    }
    Ok(())
}

/// The regular files behind stdout and stderr.
fn standard(context: &Context<'_>) -> Vec<(&'static str, OpenFile)> {
    let [out, err] = (context.streams.files)();
    let out = out.map(|file| ("stdout", file));
    out.into_iter()
        .chain(err.map(|file| ("stderr", file)))
        .collect()
}

/// A stream writes on where it stands, and an output from the start: only where both append is
/// neither written over.
fn apart_from(
    streams: &[(&'static str, OpenFile)],
    file: &Written<'_>,
    place: &Place,
) -> Result<()> {
    for (name, stream) in streams {
        if stream.place() != *place || (file.appended && stream.appends) {
            continue;
        }
        let path = file.path.display();
        let message = format!("{path} is to be written, and {name} goes there, too");
        return Err(Error::usage(message).hint(if file.appended {
            "give each a file of its own, or let both append, with >> for >"
        } else {
            "give each a file of its own"
        }));
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

impl OpenFile {
    fn place(&self) -> Place {
        Place::File(self.device, self.number)
    }
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
