//! A process whose streams a test reads and writes by hand, and that is watched all the same.

use std::io::{self, Read};
use std::ops::{Deref, DerefMut};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{Child, ChildStderr, ChildStdout, Output};
use std::sync::Arc;
use std::thread;

use super::watch::{Stream, Watch};

/// The process. Dropped early, it is killed.
pub struct Wired {
    child: Child,
    watch: Arc<Watch>,
    pub stdout: Option<Tee<ChildStdout>>,
    pub stderr: Option<Tee<ChildStderr>>,
}

impl Wired {
    pub(super) fn new(mut child: Child, watch: Arc<Watch>) -> Self {
        let stdout = child.stdout.take();
        let stderr = child.stderr.take();
        Self {
            stdout: stdout.map(|pipe| Tee::new(pipe, Stream::Out, &watch)),
            stderr: stderr.map(|pipe| Tee::new(pipe, Stream::Err, &watch)),
            child,
            watch,
        }
    }

    /// Waits for its end and reads what is left of both outputs.
    pub fn wait_with_output(mut self) -> io::Result<Output> {
        drop(self.child.stdin.take());
        let stderr = self.stderr.take();
        let stderr = thread::spawn(move || rest(stderr));
        let stdout = rest(self.stdout.take())?;
        Ok(Output {
            stdout,
            stderr: stderr.join().unwrap()?,
            status: self.child.wait()?,
        })
    }
}

fn rest(pipe: Option<impl Read>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        pipe.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

impl Deref for Wired {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.child
    }
}

impl DerefMut for Wired {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.child
    }
}

impl Drop for Wired {
    fn drop(&mut self) {
        let ended = self.child.try_wait().ok().flatten();
        let status = ended.or_else(|| {
            let _ = self.child.kill();
            self.child.wait().ok()
        });
        if let Some(status) = status.filter(|_| !thread::panicking()) {
            self.watch.ended(status);
        }
    }
}

/// An output of the process, which the watch sees as far as it is read.
pub struct Tee<R> {
    pipe: R,
    stream: Stream,
    watch: Arc<Watch>,
}

impl<R> Tee<R> {
    fn new(pipe: R, stream: Stream, watch: &Arc<Watch>) -> Self {
        let watch = Arc::clone(watch);
        Self {
            pipe,
            stream,
            watch,
        }
    }
}

impl<R: Read> Read for Tee<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.pipe.read(buffer)?;
        self.watch.feed(self.stream, &buffer[..count]);
        if count == 0 && !buffer.is_empty() {
            self.watch.over(self.stream);
        }
        Ok(count)
    }
}

impl<R: AsFd> AsFd for Tee<R> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }
}
