//! Tells the program which commit it is built from, packs its texts, and tells the linker what nobody reads.

#![allow(clippy::print_stdout)] // It is how a build script speaks.

use std::fs;
use std::io::Result;
use std::path::Path;
use std::process::Command;

/// The folders whose files the program holds packed; see `src/packed.rs`.
const PACKED: [(&str, &str); 5] = [
    ("completions", "completions"),
    ("guides", "src/cli/guide"),
    ("manual", "man"),
    ("scenarios", "src/simulate/scenarios"),
    ("schemas", "src/report/schema"),
];

fn main() -> Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=DCODECTL_COMMIT");
    println!("cargo:rustc-env=DCODECTL_COMMIT={}", commit());
    let out = std::env::var("OUT_DIR").unwrap_or_default();
    let out = Path::new(&out);
    for (name, folder) in PACKED {
        println!("cargo:rerun-if-changed={folder}");
        fs::write(out.join(name), pack(Path::new(folder))?)?;
    }
    if nobody_unwinds() {
        discard_unwinding(&out.join("no-unwinding.ld"))?;
    }
    Ok(())
}

/// All files of a folder in the order of their names: of each the name and the text, ended by a NUL.
fn pack(folder: &Path) -> Result<Vec<u8>> {
    /// The longest search for what can be referred to: it is done once.
    const THOROUGH: u8 = 10;
    let mut paths = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    paths.sort();
    let mut texts = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap_or_default();
        texts.extend_from_slice(name.as_encoded_bytes());
        texts.push(0);
        texts.extend(fs::read(&path)?);
        texts.push(0);
    }
    Ok(miniz_oxide::deflate::compress_to_vec(&texts, THOROUGH))
}

/// Whether it is a release as `Cargo.toml` has it, linked by the linker that is known to take the script: rustc's own,
/// or GNU's, for this machine. Whoever wants symbols, or names a linker or its arguments, gets what they ask for.
fn nobody_unwinds() -> bool {
    let is = |name, value| std::env::var(name).as_deref() == Ok(value);
    let flags = std::env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    is("PROFILE", "release")
        && is("DEBUG", "false")
        && is("TARGET", "x86_64-unknown-linux-gnu")
        && is("HOST", "x86_64-unknown-linux-gnu")
        && std::env::var_os("RUSTC_LINKER").is_none()
        && !flags.contains("link")
}

/// Leaves the tables out by which a panic finds its way up: here it aborts. They would be a twelfth of the program,
/// and no option of rustc's on stable leaves out the ones of the standard library.
fn discard_unwinding(script: &Path) -> Result<()> {
    let tables =
        "SECTIONS { /DISCARD/ : { *(.eh_frame) *(.gcc_except_table*) } } INSERT AFTER .text;\n";
    fs::write(script, tables)?;
    if let Some(script) = script.to_str() {
        for argument in ["-T", script, "-Wl,--no-eh-frame-hdr"] {
            println!("cargo:rustc-link-arg-bins={argument}");
        }
    }
    Ok(())
}

/// `DCODECTL_COMMIT` if it is set, what a package says, what git says, or `unknown`.
fn commit() -> String {
    if let Ok(given) = std::env::var("DCODECTL_COMMIT")
        && !given.is_empty()
    {
        return given;
    }
    // Every commit would build everything anew; while it is worked on, nobody asks.
    if std::env::var("PROFILE").as_deref() != Ok("release") {
        return "debug build".to_owned();
    }
    packaged()
        .or_else(|| git(&["rev-parse", "HEAD"]))
        .and_then(|hash| hash.get(..12).map(str::to_owned))
        .unwrap_or_else(|| "unknown".to_owned())
}

/// The commit that `cargo package` noted.
fn packaged() -> Option<String> {
    let noted = fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, rest) = noted.split_once("\"sha1\": \"")?;
    rest.split('"').next().map(str::to_owned)
}

/// Only in a checkout of its own: a package unpacked in some other one is not that one's.
fn git(arguments: &[&str]) -> Option<String> {
    if !Path::new(".git").exists() {
        return None;
    }
    for path in ["HEAD", "logs/HEAD"] {
        if let Some(path) = ask(&["rev-parse", "--git-path", path]) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    ask(arguments)
}

fn ask(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output
        .status
        .success()
        .then(|| text.trim().to_owned())
        .filter(|text| !text.is_empty())
}
