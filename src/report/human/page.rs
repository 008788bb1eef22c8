//! The page that human output is written on: sections apart by a blank line, streamed text whose
//! end is not known yet, and the status line out of the way before anything is printed.

use std::fmt::{self, Display};
use std::io::{self, Write};

use super::super::console::SharedConsole;
use super::super::style::{Palette, Style, paint};
use super::super::text::{columns, usable, visible_short, wrap};
use super::super::visible::visible_lines;
use super::super::workflow::Workflow;
use super::HumanOptions;

/// Bytes gathered before they are written without waiting for a pause.
const ENOUGH: usize = 32 * 1024;

/// White space held back at the end of streamed text before it is let through after all.
const HELD_LIMIT: usize = 4096;

/// What the page is in the middle of. A blank line stands between two different ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    /// Nothing printed yet.
    Start,
    /// What the session is.
    Session,
    /// What was asked.
    Prompt,
    /// What the model says.
    Answer,
    /// What the model thinks.
    Reasoning,
    /// What is done.
    Steps,
    /// How the turn ended.
    Closing,
}

/// Where human output goes.
pub(super) struct Page {
    out: Box<dyn Write>,
    pub(super) console: SharedConsole,
    pub(super) palette: Palette,
    pub(super) verbosity: i8,
    width: Box<dyn Fn() -> usize>,
    buffer: String,
    section: Section,
    /// Streamed text stopped inside a line.
    open_line: bool,
    /// White space at the end of what was streamed: it counts only once something follows.
    held: String,
    /// Breaks what a workflow's runner would obey, if one reads the output.
    workflow: Option<Workflow>,
}

/// A piece of streamed text.
struct Piece<'t> {
    /// Bytes of the held white space that are not printed.
    skip: usize,
    body: &'t str,
    tail: &'t str,
}

impl fmt::Debug for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Page")
            .field("section", &self.section)
            .finish_non_exhaustive()
    }
}

impl Page {
    pub(super) fn new(out: Box<dyn Write>, console: SharedConsole, options: HumanOptions) -> Self {
        Self {
            out,
            console,
            palette: options.palette,
            verbosity: options.verbosity,
            width: options.width,
            buffer: String::new(),
            section: Section::Start,
            open_line: false,
            held: String::new(),
            workflow: options.workflow_safe.then(Workflow::default),
        }
    }

    pub(super) fn width(&self) -> usize {
        usable((self.width)())
    }

    pub(super) fn is_quiet(&self) -> bool {
        self.verbosity < 0
    }

    pub(super) fn is_verbose(&self) -> bool {
        self.verbosity >= 1
    }

    /// Ends streamed text and moves to another section.
    pub(super) fn begin(&mut self, section: Section) {
        self.break_text();
        if section != self.section && self.section != Section::Start {
            self.buffer.push('\n');
        }
        self.section = section;
    }

    /// Streamed text so far is complete; more of it would be a text of its own.
    pub(super) fn break_text(&mut self) {
        self.held.clear();
        if self.open_line {
            self.buffer.push('\n');
            self.open_line = false;
        }
    }

    /// A line of its own; untrusted parts of it have been made visible.
    pub(super) fn line(&mut self, section: Section, text: &impl Display) {
        use fmt::Write as _;
        self.begin(section);
        // Writing to a `String` cannot fail.
        let _ = writeln!(self.buffer, "{text}");
    }

    /// Prose behind a start of its own, broken between words and aligned behind that start.
    pub(super) fn prose(
        &mut self,
        section: Section,
        start: (&str, usize),
        text: &str,
        style: Style,
    ) {
        let room = self.width().saturating_sub(start.1).max(10);
        let indent = " ".repeat(start.1);
        for (number, line) in wrap(text, room).into_iter().enumerate() {
            let start = if number == 0 { start.0 } else { &indent };
            self.line(section, &format_args!("{start}{}", paint(&line, style)));
        }
    }

    /// A step that is only remarked: a symbol and dim text, cut to the width.
    pub(super) fn remark(&mut self, symbol: &str, text: &str) {
        let text = visible_short(text, self.width().saturating_sub(3 + columns(symbol)));
        let dim = self.palette.dim;
        self.line(
            Section::Steps,
            &format_args!("  {} {}", paint(&symbol, dim), paint(&text, dim)),
        );
    }

    /// A piece of the answer: appended as it comes, white space at its end held back.
    pub(super) fn answer(&mut self, text: &str) {
        if let Some(piece) = self.next_piece(Section::Answer, text) {
            let held = visible_lines(&self.held[piece.skip..]);
            self.buffer.push_str(&held);
            self.buffer.push_str(&visible_lines(piece.body));
            self.hold(&piece);
        }
    }

    /// A piece of the reasoning: the same, dim and behind a bar.
    pub(super) fn reasoning(&mut self, text: &str) {
        let Some(piece) = self.next_piece(Section::Reasoning, text) else {
            return;
        };
        let bar = paint(&"  │ ", self.palette.dim).to_string();
        if !self.open_line {
            self.buffer.push_str(&bar);
        }
        let held = visible_lines(&self.held[piece.skip..]).into_owned();
        let shown = held + &visible_lines(piece.body);
        for (number, line) in shown.split('\n').enumerate() {
            if number > 0 {
                self.buffer.push('\n');
                self.buffer.push_str(&bar);
            }
            if !line.is_empty() {
                let line = paint(&line, self.palette.dim).to_string();
                self.buffer.push_str(&line);
            }
        }
        self.hold(&piece);
    }

    /// Divides streamed text into white space before it, itself and white space behind it; `None`
    /// if it is blank so far. White space never ends what is printed, so that no CRLF is torn in
    /// two and no blank lines pile up at the end.
    fn next_piece<'t>(&mut self, section: Section, text: &'t str) -> Option<Piece<'t>> {
        const BLANK: [char; 4] = [' ', '\t', '\r', '\n'];
        if self.section != section {
            self.begin(section);
        }
        let start = text.trim_start_matches(BLANK);
        self.held.push_str(&text[..text.len() - start.len()]);
        let body = start.trim_end_matches(BLANK);
        if body.is_empty() && self.held.len() < HELD_LIMIT {
            return None;
        }
        let skip = if self.open_line {
            0
        } else {
            // A text begins on its own line, not with the line breaks it was sent with.
            self.held.len() - self.held.trim_start_matches(['\r', '\n']).len()
        };
        let tail = &start[body.len()..];
        Some(Piece { skip, body, tail })
    }

    /// The piece is printed; the white space behind it waits for what follows.
    fn hold(&mut self, piece: &Piece<'_>) {
        self.open_line = true;
        self.held.clear();
        self.held.push_str(piece.tail);
    }

    /// Writes once enough has come together.
    pub(super) fn write_if_full(&mut self) -> io::Result<()> {
        if self.buffer.len() < ENOUGH {
            return Ok(());
        }
        self.write_out().map(|_| ())
    }

    /// Writes all there is; says whether there was anything.
    pub(super) fn write_out(&mut self) -> io::Result<bool> {
        self.console.set_open_line(self.open_line);
        if self.buffer.is_empty() {
            return Ok(false);
        }
        self.console.clear();
        let result = match &mut self.workflow {
            Some(workflow) => self.out.write_all(workflow.safe(&self.buffer).as_bytes()),
            None => self.out.write_all(self.buffer.as_bytes()),
        };
        self.buffer.clear();
        self.buffer.shrink_to(2 * ENOUGH);
        result?;
        self.out.flush()?;
        Ok(true)
    }

    /// All is written: what somebody else writes next stands apart.
    pub(super) fn over(&self) {
        if self.section != Section::Start {
            self.console.set_text_over();
        }
    }

    /// Whether the cursor stands inside streamed text, where a status line would destroy it.
    pub(super) fn is_inside_line(&self) -> bool {
        self.open_line
    }
}
