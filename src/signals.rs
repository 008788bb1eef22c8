//! Signals become messages; the second one leaves at once, from the handler itself.

use std::fs::File;
use std::io::{self, Read as _};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use signal_hook::iterator::Signals;

use crate::threads;

/// Handles the signals that are not ignored at the start (`nohup`, `&` in a script), and calls
/// `arrived` with each one's number from a thread of its own. With `second_leaves`, the second
/// signal ends the process at once with 128 + its number.
///
/// # Errors
/// If a handler cannot be registered.
pub fn start(second_leaves: bool, arrived: impl Fn(i32) + Send + 'static) -> io::Result<()> {
    let ignored = ignored_at_start();
    let handled: Vec<i32> = [SIGINT, SIGTERM, SIGHUP]
        .into_iter()
        .filter(|signal| ignored & (1 << (signal - 1)) == 0)
        .collect();
    // First of all: a signal that arrives before what follows is registered must still be a message,
    // and not be taken by a handler that only sets a flag.
    let mut signals = Signals::new(&handled)?;
    let second = Arc::new(AtomicBool::new(false));
    for &signal in handled.iter().filter(|_| second_leaves) {
        // Before the flag is registered: the first signal must still find it unset.
        flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&second))?;
    }
    for &signal in &handled {
        flag::register(signal, Arc::clone(&second))?;
    }
    // A file that grows beyond its limit is then a write that fails, and not a death.
    flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    let started = threads::spawn(move || {
        for signal in signals.forever() {
            arrived(signal);
        }
    });
    if started {
        Ok(())
    } else {
        Err(io::Error::other("no thread can be started"))
    }
}

/// The mask of ignored signals, bit N-1 for signal N. Only Linux tells; elsewhere none is.
fn ignored_at_start() -> u64 {
    let status = File::open("/proc/self/status").and_then(|mut file| {
        // All of it at once: sizing a buffer step by step is a system call a step.
        let mut status = Vec::with_capacity(8192);
        file.read_to_end(&mut status)?;
        Ok(status)
    });
    let status = String::from_utf8(status.unwrap_or_default()).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}
