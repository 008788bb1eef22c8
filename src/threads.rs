//! Threads that may be refused: a container with a limit on processes refuses them, and that must
//! neither crash the program nor leave an agent's turn running behind it.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;

/// Runs the work on a thread of its own. Says whether one could be started; if not, the work is
/// dropped, and with it whatever it was to answer through.
#[must_use]
pub fn spawn(work: impl FnOnce() + Send + 'static) -> bool {
    Builder::new().spawn(work).is_ok()
}

/// Runs the work on a thread of its own or, where none can be started, here and now.
pub fn spawn_or_run<F: FnOnce() + Send + 'static>(work: F) {
    let work = Arc::new(Mutex::new(Some(work)));
    let there = Arc::clone(&work);
    let take = |work: &Mutex<Option<F>>| work.lock().unwrap_or_else(PoisonError::into_inner).take();
    let started = spawn(move || {
        if let Some(work) = take(&there) {
            work();
        }
    });
    if !started && let Some(work) = take(&work) {
        work();
    }
}
