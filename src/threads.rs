//! Threads that may be refused: a container with a limit on processes refuses them, and that must
//! neither crash the program nor leave an agent's turn running behind it.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;

/// What a thread does. Boxed, since a type of its own for each work would be a copy of the code that starts it.
pub type Work = Box<dyn FnOnce() + Send>;

/// Runs the work on a thread of its own. Says whether one could be started; if not, the work is
/// dropped, and with it whatever it was to answer through.
#[must_use]
pub fn spawn(work: impl FnOnce() + Send + 'static) -> bool {
    start(Box::new(work))
}

/// Runs the work on a thread of its own or, where none can be started, here and now.
pub fn spawn_or_run(work: Work) {
    let work = Arc::new(Mutex::new(Some(work)));
    let there = Arc::clone(&work);
    if !start(Box::new(move || run(&there))) {
        run(&work);
    }
}

fn start(work: Work) -> bool {
    Builder::new().spawn(work).is_ok()
}

/// Does the work unless it is done.
fn run(work: &Mutex<Option<Work>>) {
    let work = work.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(work) = work {
        work();
    }
}
