//! Threads that may be refused: a container with a limit on processes refuses them, and that must
//! neither crash the program nor leave an agent's turn running behind it.
//!
//! One whose work is done waits for more of it: a stream that is taken up again a hundred times a second needs none
//! started, and none taken apart.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

/// How long a thread that is about to rest is waited for where none can be started: whoever heard its last word is
/// often quicker with the next work than it is with its way.
const MOMENT: Duration = Duration::from_millis(10);

/// What a thread does. Boxed, since a type of its own for each work would be a copy of the code that starts it.
pub type Work = Box<dyn FnOnce() + Send>;

/// The threads that have nothing to do, and what was handed to them. They end with the process.
struct Pool {
    resting: usize,
    /// Never more than rest: each has a thread that is about to take it.
    handed: VecDeque<Work>,
}

static POOL: Mutex<Pool> = Mutex::new(Pool {
    resting: 0,
    handed: VecDeque::new(),
});
static HANDED: Condvar = Condvar::new();

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
    let Err(work) = hand(work) else {
        return true;
    };
    // A thread that cannot be started drops what it was given; there may still be another for it.
    let work = Arc::new(Mutex::new(Some(work)));
    let there = Arc::clone(&work);
    let labour = move || {
        run(&there);
        loop {
            next()();
        }
    };
    if Builder::new().spawn(labour).is_ok() {
        return true;
    }
    let work = work.lock().unwrap_or_else(PoisonError::into_inner).take();
    work.is_some_and(|work| hand_within(work, MOMENT))
}

/// Gives the work to a thread that has none, or gives it back.
fn hand(work: Work) -> Result<(), Work> {
    let mut pool = pool();
    if pool.resting <= pool.handed.len() {
        return Err(work);
    }
    pool.handed.push_back(work);
    drop(pool);
    HANDED.notify_one();
    Ok(())
}

/// The same, with a moment for one to get there. Says whether one did.
fn hand_within(mut work: Work, bound: Duration) -> bool {
    let due = Instant::now() + bound;
    loop {
        match hand(work) {
            Ok(()) => return true,
            Err(_) if Instant::now() >= due => return false,
            Err(back) => work = back,
        }
        thread::sleep(bound / 10);
    }
}

/// Waits for more work.
fn next() -> Work {
    let mut pool = pool();
    pool.resting += 1;
    loop {
        if let Some(work) = pool.handed.pop_front() {
            pool.resting -= 1;
            return work;
        }
        pool = HANDED.wait(pool).unwrap_or_else(PoisonError::into_inner);
    }
}

fn pool() -> MutexGuard<'static, Pool> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does the work unless it is done.
fn run(work: &Mutex<Option<Work>>) {
    let work = work.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(work) = work {
        work();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn work_at_once_is_done_at_once_and_work_in_turn_by_few() {
        let (sender, ran) = mpsc::channel();
        let barrier = Arc::new(std::sync::Barrier::new(20));
        for _ in 0..20 {
            let (sender, barrier) = (sender.clone(), Arc::clone(&barrier));
            assert!(spawn(move || {
                // None gets here alone: each has a thread of its own.
                barrier.wait();
                sender.send(thread::current().id()).unwrap();
            }));
        }
        let at_once: HashSet<_> = (0..20).map(|_| ran.recv().unwrap()).collect();
        assert_eq!(at_once.len(), 20);
        let mut in_turn = HashSet::new();
        for _ in 0..200 {
            let sender = sender.clone();
            assert!(spawn(move || sender.send(thread::current().id()).unwrap()));
            in_turn.insert(ran.recv_timeout(Duration::from_mins(1)).unwrap());
        }
        // The other tests of this process have theirs.
        assert!(in_turn.len() < 100, "{}", in_turn.len());
    }

    #[test]
    fn a_thread_that_is_about_to_rest_is_waited_for() {
        let (sender, ran) = mpsc::channel();
        assert!(spawn(|| thread::sleep(Duration::from_millis(20))));
        let work = move || sender.send(()).unwrap();
        assert!(hand_within(Box::new(work), Duration::from_mins(1)));
        ran.recv_timeout(Duration::from_mins(1)).unwrap();
    }
}
