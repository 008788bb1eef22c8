//! The binary: real arguments, streams and environment in, an exit code out. No decisions.

use std::process::ExitCode;

use dcodectl::streams::{Streams, Surroundings};
use dcodectl::{Bounds, run};

fn main() -> ExitCode {
    let Ok(streams) = Streams::real() else {
        return ExitCode::FAILURE;
    };
    let surroundings = Surroundings {
        variable: &|name| std::env::var_os(name),
        uid: rustix::process::geteuid().as_raw(),
    };
    let arguments = std::env::args_os().collect();
    ExitCode::from(run(
        arguments,
        &surroundings,
        streams,
        Bounds::default(),
        true,
    ))
}
