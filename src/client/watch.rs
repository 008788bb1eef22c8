//! Lets somebody know what goes on between this program and the daemon. The client itself prints nothing.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// One request and what became of it.
#[derive(Debug)]
pub struct Told<'a> {
    /// `GET`, `POST` or `DELETE`.
    pub method: &'a str,
    /// Path and query.
    pub target: &'a str,
    /// What was sent: it may hold a prompt.
    pub body: Option<&'a [u8]>,
    /// The status, or why no answer came.
    pub outcome: Result<u16, String>,
    /// From before connecting until the head of the answer.
    pub elapsed: Duration,
}

/// Is told of each request, on the thread that made it.
#[derive(Clone)]
pub struct Watcher(pub Arc<dyn Fn(&Told<'_>) + Send + Sync>);

impl fmt::Debug for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watcher").finish_non_exhaustive()
    }
}
