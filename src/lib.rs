//! `dcodectl`, the command-line scripting client of the dcode coding-agent daemon.
//!
//! The library exists for the binary and its tests; it promises no stable API.

pub mod cli;
pub mod client;
pub mod error;
pub mod exit;
pub mod protocol;
pub mod report;
pub mod signals;
pub mod streams;
pub mod simulate;

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
compile_error!("dcodectl speaks to the dcode daemon over a Unix socket: Linux and macOS only");
