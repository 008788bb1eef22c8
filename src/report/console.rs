//! Everything a person, or under `--json` a script, reads on stderr, and one transient status line.
//!
//! One place writes to stderr, so that the status line is always gone before anything else appears.

use std::cell::RefCell;
use std::fmt::{self, Write as _};
use std::io::Write;
use std::rc::Rc;

use serde::Serialize;

use super::style::{Palette, paint};
use super::text::{columns, shorten, usable};
use super::visible::visible;
use super::workflow::{workflow_safe, workflow_safe_json};

/// Returns to the line's start and erases it.
const ERASE: &str = "\r\x1b[K";

/// Goes down a row, if there is one, and erases it.
const ERASE_BELOW: &str = "\x1b[B\x1b[K";

/// How stderr is written.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, not a state machine in disguise"
)]
pub struct ConsoleOptions {
    /// One JSON object a line and nothing else.
    pub json: bool,
    /// No notices.
    pub quiet: bool,
    /// stderr is a terminal, and a status line is wanted.
    pub status: bool,
    /// stdout leads to the same place, so that both are read as one text.
    pub shared: bool,
    /// Colours of stderr.
    pub palette: Palette,
    /// Columns of the terminal, asked anew for each status line; 0 if unknown.
    pub width: Box<dyn Fn() -> usize>,
    /// A workflow's runner reads stderr: no text may act as one of its commands.
    pub workflow_safe: bool,
}

impl fmt::Debug for ConsoleOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConsoleOptions")
            .field("json", &self.json)
            .field("quiet", &self.quiet)
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

/// The state behind [`SharedConsole`].
struct Console {
    err: Box<dyn Write>,
    options: ConsoleOptions,
    /// The status line as it stands on the terminal.
    shown: Option<String>,
    /// What a person is being asked.
    prompt: Option<Prompt>,
    /// How stdout stopped.
    before: Before,
}

/// The line that a person is to answer on.
struct Prompt {
    text: String,
    /// It stands on the terminal, and the cursor behind it.
    shown: bool,
}

/// What stands on stdout before the next message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Before {
    /// A whole line, or nothing.
    #[default]
    Line,
    /// The start of a line.
    OpenLine,
    /// The end of a text, of which the message is no part.
    Text,
}

/// The one way to stderr; clones write to the same place.
#[derive(Clone)]
pub struct SharedConsole(Rc<RefCell<Console>>);

impl fmt::Debug for SharedConsole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedConsole").finish_non_exhaustive()
    }
}

#[derive(Serialize)]
struct NoticeLine<'a> {
    notice: Notice<'a>,
}

#[derive(Serialize)]
struct Notice<'a> {
    code: &'a str,
    message: &'a str,
}

#[derive(Serialize)]
struct ErrorLine<'a> {
    error: ErrorObject<'a>,
}

#[derive(Serialize)]
struct ErrorObject<'a> {
    code: &'a str,
    exit_code: u8,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
}

impl SharedConsole {
    /// A console that writes to `err`.
    #[must_use]
    pub fn new(err: Box<dyn Write>, options: ConsoleOptions) -> Self {
        Self(Rc::new(RefCell::new(Console {
            err,
            options,
            shown: None,
            prompt: None,
            before: Before::Line,
        })))
    }

    /// Something worth knowing that is no failure. Silent under `quiet`.
    pub fn notice(&self, code: &str, message: &str) {
        self.with(|console| {
            if !console.options.quiet {
                console.write_notice(code, message);
            }
        });
    }

    /// A notice that was asked for by an option of its own, and so is not silent under `quiet`.
    pub fn heartbeat(&self, code: &str, message: &str) {
        self.with(|console| console.write_notice(code, message));
    }

    /// A failure, with the next step if there is one. Never silent.
    pub fn error(&self, code: &str, exit_code: u8, message: &str, hint: Option<&str>) {
        self.with(|console| {
            if console.options.json {
                let error = ErrorObject {
                    code,
                    exit_code,
                    message,
                    hint,
                };
                console.write_json(&ErrorLine { error });
                return;
            }
            let palette = console.options.palette;
            let start = paint(&"dcodectl: error:", palette.bad);
            let mut text = format!("{start} {}\n", visible(message));
            if let Some(hint) = hint {
                let start = paint(&"hint:", palette.accent);
                let _ = writeln!(text, "  {start} {}", visible(hint));
            }
            console.write(&text);
        });
    }

    /// Lines for a person as they are; whoever calls has made them visible. Nothing under `json`.
    pub fn block(&self, text: &str) {
        self.with(|console| {
            if !console.options.json {
                console.write(text);
            }
        });
    }

    /// A workflow command, one line, for the runner that reads stderr. Asked for by an option of its
    /// own: not silent under `quiet`, and the only line under `json` that is no object.
    pub fn annotate(&self, command: &str) {
        self.with(|console| {
            console.erase();
            console.put_raw(&format!("{command}\n"));
        });
    }

    /// Draws, replaces or erases the transient status line. The text may be untrusted.
    ///
    /// Nothing happens where no status line is wanted.
    pub fn status(&self, text: Option<String>) {
        self.with(|console| {
            if !console.options.status || console.options.json || console.prompt.is_some() {
                return;
            }
            let Some(text) = text else {
                console.erase();
                return;
            };
            // What wraps cannot be erased. The last column stays free: filling it makes some
            // terminals wrap.
            let width = match (console.options.width)() {
                1..8 => return console.erase(),
                narrow @ 8..20 => narrow - 1,
                width => usable(width) - 1,
            };
            let line = shorten(&visible(&text), width).into_owned();
            if console.shown.as_deref() == Some(line.as_str()) {
                return;
            }
            let styled = paint(&line, console.options.palette.dim);
            let before = console.shown.take();
            let erasing = before.map_or(ERASE.to_owned(), |shown| console.erasing(&shown));
            // The cursor stands at its start: see `erasing`.
            console.put(&format!("{erasing}{styled}\r"));
            console.shown = Some(line);
        });
    }

    /// Erases the status line, or ends the line of a prompt, before something else is written to
    /// the terminal.
    pub fn clear(&self) {
        self.with(Console::erase);
    }

    /// Asks for a line: the text stays, the cursor behind it, until [`SharedConsole::unprompt`].
    /// No status line is drawn meanwhile.
    pub fn prompt(&self, text: &str) {
        self.with(|console| {
            console.erase();
            console.prompt = Some(Prompt {
                text: text.to_owned(),
                shown: false,
            });
            console.remind();
        });
    }

    /// Shows the prompt again if something else was written since.
    pub fn remind(&self) {
        self.with(Console::remind);
    }

    /// No line is wanted any more. `typed`: because it came, and so the terminal is on a new one.
    pub fn unprompt(&self, typed: bool) {
        self.with(|console| {
            if let Some(prompt) = &mut console.prompt {
                prompt.shown &= !typed;
            }
            console.erase();
            console.prompt = None;
        });
    }

    /// The colours of stderr.
    #[must_use]
    pub fn palette(&self) -> Palette {
        let console = self.0.try_borrow();
        console.map_or_else(|_| Palette::plain(), |console| console.options.palette)
    }

    /// Whether a status line would be seen.
    #[must_use]
    pub fn shows_status(&self) -> bool {
        let console = self.0.try_borrow();
        console.is_ok_and(|console| console.options.status && !console.options.json)
    }

    /// Says whether stdout stopped in the middle of a line: on a terminal that both share, what
    /// comes next on stderr must not be glued to it.
    pub fn set_open_line(&self, open: bool) {
        self.with(|console| {
            console.before = if open { Before::OpenLine } else { Before::Line };
        });
    }

    /// Says that a text on stdout is over: what comes next on stderr stands apart from it.
    pub fn set_text_over(&self) {
        self.with(|console| console.before = Before::Text);
    }

    /// `try`: a width function that asks the console itself must not bring the program down.
    fn with(&self, act: impl FnOnce(&mut Console)) {
        if let Ok(mut console) = self.0.try_borrow_mut() {
            act(&mut console);
        }
    }
}

impl Console {
    fn put(&mut self, text: &str) {
        if !self.options.workflow_safe {
            self.put_raw(text);
        } else if self.options.json {
            self.put_raw(&workflow_safe_json(text));
        } else {
            self.put_raw(&workflow_safe(text));
        }
    }

    /// Failures are ignored here and above: there is no other place to report them.
    fn put_raw(&mut self, text: &str) {
        let _ = self.err.write_all(text.as_bytes());
        let _ = self.err.flush();
    }

    /// What erases this status line, with the cursor at its start.
    ///
    /// Most terminals that become narrower break their lines anew, into several rows, and leave the cursor where it
    /// was in the text: in the first of them. So the rows below it are erased, too. A terminal that cuts lines off
    /// has nothing there; and all of the screen below is not erased at once, as tmux then keeps what it shows.
    fn erasing(&self, shown: &str) -> String {
        let rows = match (self.options.width)() {
            0 => 1,
            // A wide character may leave a column at the end of each row.
            width => columns(shown).div_ceil(width.max(2) - 1),
        };
        match rows.saturating_sub(1) {
            0 => ERASE.to_owned(),
            more => format!("\r\x1b7{}\x1b8{ERASE}", ERASE_BELOW.repeat(more)),
        }
    }

    fn erase(&mut self) {
        if let Some(shown) = self.shown.take() {
            let erasing = self.erasing(&shown);
            self.put(&erasing);
        }
        if let Some(prompt) = &mut self.prompt
            && std::mem::take(&mut prompt.shown)
        {
            self.put("\n");
        }
    }

    fn remind(&mut self) {
        let Some(prompt) = self.prompt.as_mut().filter(|prompt| !prompt.shown) else {
            return;
        };
        prompt.shown = true;
        let text = prompt.text.clone();
        self.put(&text);
    }

    fn write(&mut self, text: &str) {
        self.erase();
        match std::mem::take(&mut self.before) {
            Before::OpenLine | Before::Text if self.options.shared => {
                self.put(&format!("\n{text}"));
            }
            _ => self.put(text),
        }
    }

    fn write_notice(&mut self, code: &str, message: &str) {
        if self.options.json {
            let notice = Notice { code, message };
            self.write_json(&NoticeLine { notice });
        } else {
            let start = paint(&"dcodectl: note:", self.options.palette.dim).to_string();
            self.write(&format!("{start} {}\n", visible(message)));
        }
    }

    fn write_json(&mut self, line: &impl Serialize) {
        if let Ok(mut text) = serde_json::to_string(line) {
            text.push('\n');
            self.put(&text);
        }
    }
}

#[cfg(test)]
mod tests;
