//! The standard streams, passed and never reached for: who is a terminal, who is coloured.
//!
//! The only place that asks. Below it colour, terminals and widths are values.

mod colour;
mod queue;
mod spool;
mod target;
mod watch;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Read, Write};
use std::os::fd::{AsFd, OwnedFd};

pub use colour::{Preference, wants_colour};
pub use queue::{Level, Queue, Sink};
pub use watch::{OpenFile, reader_left};

/// The standard streams as the program uses them.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, not a state machine in disguise"
)]
pub struct Streams {
    /// Results.
    pub out: Sink,
    /// Everything else.
    pub err: Sink,
    /// Read only when told to; taken by whoever reads it, as that happens on a thread of its own.
    pub stdin: Option<Box<dyn Read + Send>>,
    /// The device and number of the regular file that stdin comes from, if it does from one.
    pub in_file: Option<(u64, u64)>,
    /// The regular files that stdout and stderr go to, asked only where other files are written.
    pub files: fn() -> [Option<OpenFile>; 2],
    /// Whether stdin is a terminal.
    pub in_terminal: bool,
    /// Whether stdout is a terminal.
    pub out_terminal: bool,
    /// Whether stderr is a terminal.
    pub err_terminal: bool,
    /// Whether stdout and stderr lead to the same terminal, pipe or file.
    pub shared: bool,
    /// A second handle on stdout, to notice that its reader left; `None` where none can leave.
    pub out_watch: Option<OwnedFd>,
    /// Columns of the terminal on stderr, asked anew at each call.
    pub width: fn() -> usize,
    /// Drops what was typed at the terminal so far and not read.
    pub drop_typed: fn(),
}

impl Streams {
    /// The process's own streams.
    ///
    /// # Errors
    /// If a stream cannot be duplicated.
    pub fn real() -> io::Result<Self> {
        let out = io::stdout().as_fd().try_clone_to_owned()?;
        let err = io::stderr().as_fd().try_clone_to_owned()?;
        let out_watch = watch::can_be_left(&out)
            .then(|| out.try_clone())
            .transpose()?;
        let shared = watch::same_file(&out, &err);
        let (out_sink, err_sink) = if shared {
            // One queue for both keeps their lines in the order they were written in.
            let queue = Queue::new(vec![target::Target::file(out), target::Target::file(err)]);
            (queue.sink(0), queue.sink(1))
        } else {
            (
                Queue::new(vec![target::Target::file(out)]).sink(0),
                Queue::new(vec![target::Target::file(err)]).sink(0),
            )
        };
        Ok(Self {
            out: out_sink,
            err: err_sink,
            stdin: Some(Box::new(io::stdin())),
            in_file: watch::regular_file(&io::stdin()),
            files: || {
                [
                    watch::open_file(&io::stdout()),
                    watch::open_file(&io::stderr()),
                ]
            },
            in_terminal: io::stdin().is_terminal(),
            out_terminal: io::stdout().is_terminal(),
            err_terminal: io::stderr().is_terminal(),
            shared,
            out_watch,
            width: terminal_width,
            drop_typed,
        })
    }

    /// Streams of a test: two writers, no terminal, empty stdin.
    #[must_use]
    pub fn of(out: Box<dyn Write + Send>, err: Box<dyn Write + Send>) -> Self {
        Self {
            out: Queue::new(vec![target::Target::other(out)]).sink(0),
            err: Queue::new(vec![target::Target::other(err)]).sink(0),
            stdin: Some(Box::new(io::empty())),
            in_file: None,
            files: || [None, None],
            in_terminal: false,
            out_terminal: false,
            err_terminal: false,
            shared: false,
            out_watch: None,
            width: || 80,
            drop_typed: || (),
        }
    }
}

/// Columns of the terminal on stderr; 80 where it does not say.
fn terminal_width() -> usize {
    match rustix::termios::tcgetwinsize(io::stderr()) {
        Ok(size) if size.ws_col > 0 => usize::from(size.ws_col),
        _ => 80,
    }
}

/// Drops what was typed and not read yet: an answer typed before the question is no answer to it.
fn drop_typed() {
    // Only a terminal has something to drop, and failing to is no reason not to ask.
    let _ = rustix::termios::tcflush(io::stdin(), rustix::termios::QueueSelector::IFlush);
}

/// What the program asks of its surroundings besides the streams.
pub struct Surroundings<'a> {
    /// The environment. As `OsString`: a path that is not UTF-8 must not count as unset.
    pub variable: &'a dyn Fn(&str) -> Option<OsString>,
    /// The user this process runs as.
    pub uid: u32,
}

impl Surroundings<'_> {
    /// A variable that is set to something.
    #[must_use]
    pub fn set(&self, name: &str) -> Option<OsString> {
        (self.variable)(name).filter(|value| !value.is_empty())
    }

    /// Whether the runner of a GitHub workflow reads what is printed.
    #[must_use]
    pub fn in_workflow(&self) -> bool {
        self.set("GITHUB_ACTIONS").is_some()
    }
}
