//! The cells of a terminal of a certain width, and what scrolled off it.

use unicode_width::UnicodeWidthChar as _;

/// Which columns a terminal gives to a symbol that asks for its picture form (`⚠` and U+FE0F).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pictures {
    /// Those of the symbol, as older terminals do.
    Narrow,
    /// Two, as newer terminals do.
    Wide,
}

/// A row: cells of a character each (a wide one is followed by an empty cell), and whether the
/// text went on in the next row without a line break.
#[derive(Debug, Default, Clone)]
struct Row {
    cells: Vec<String>,
    wrapped: bool,
}

/// A terminal that keeps every row. It takes line breaks, returns to the start of the line, erasing
/// from the cursor, and saving and restoring it around a way down where nothing is below; any other
/// control is an error. On a new width rows are not broken anew.
#[derive(Debug)]
pub(crate) struct Grid {
    width: usize,
    pictures: Pictures,
    rows: Vec<Row>,
    column: usize,
    saved: usize,
}

impl Grid {
    pub(crate) fn new(width: usize, pictures: Pictures) -> Self {
        Self {
            width,
            pictures,
            rows: vec![Row::default()],
            column: 0,
            saved: 0,
        }
    }

    /// A new width: what stands to the right of it is lost.
    pub(crate) fn resize(&mut self, width: usize) {
        self.width = width;
        self.column = self.column.min(width);
        for row in &mut self.rows {
            row.cells.truncate(width);
        }
    }

    pub(crate) fn feed(&mut self, text: &str) {
        let mut rest = text;
        while let Some(character) = rest.chars().next() {
            if let Some(after) = rest.strip_prefix("\x1b[K") {
                let column = self.column;
                self.row().cells.truncate(column);
                rest = after;
                continue;
            }
            // The cursor is in the last row: it goes no further down, and is saved and restored in its row.
            if let Some(after) = rest.strip_prefix("\x1b[B") {
                rest = after;
                continue;
            }
            if let Some(after) = rest.strip_prefix("\x1b7") {
                (self.saved, rest) = (self.column, after);
                continue;
            }
            if let Some(after) = rest.strip_prefix("\x1b8") {
                (self.column, rest) = (self.saved, after);
                continue;
            }
            rest = &rest[character.len_utf8()..];
            match character {
                '\r' => self.column = 0,
                // Goes down and nothing else: the return before it comes from the terminal's driver.
                '\n' => self.rows.push(Row::default()),
                '\t' => self.column = (self.column / 8 * 8 + 8).min(self.width - 1),
                control if control.is_control() => panic!("{control:?} before {rest:?}"),
                other => self.put(other),
            }
        }
    }

    fn row(&mut self) -> &mut Row {
        self.rows.last_mut().unwrap()
    }

    fn put(&mut self, character: char) {
        let columns = character.width().unwrap();
        if columns == 0 {
            self.join(character);
            return;
        }
        if self.column + columns > self.width {
            self.row().wrapped = true;
            self.rows.push(Row::default());
            self.column = 0;
        }
        let at = self.column;
        let row = self.row();
        let least = row.cells.len().max(at + columns);
        row.cells.resize(least, " ".to_owned());
        row.cells[at] = character.to_string();
        if columns == 2 {
            row.cells[at + 1].clear();
        }
        self.column += columns;
    }

    /// A character without columns belongs to the one before it.
    fn join(&mut self, character: char) {
        let (at, wide) = (self.column, self.pictures == Pictures::Wide);
        let cells = &mut self.row().cells;
        let Some(cell) = cells[..at].iter_mut().rfind(|cell| !cell.is_empty()) else {
            return;
        };
        cell.push(character);
        let narrow = !cells[at - 1].is_empty();
        if character == '\u{fe0f}' && wide && narrow {
            if at == self.width {
                // No room for its second half: the symbol goes to the next row.
                let symbol = self.row().cells.pop().unwrap();
                self.row().wrapped = true;
                let cells = vec![symbol, String::new()];
                self.rows.push(Row {
                    cells,
                    wrapped: false,
                });
                self.column = 2;
            } else {
                self.row().cells.resize(at, " ".to_owned());
                self.row().cells.push(String::new());
                self.column += 1;
            }
        }
    }

    /// Lines with their breaks by the width undone, each with the number of rows it takes.
    pub(crate) fn lines(&self) -> Vec<(String, usize)> {
        let mut lines = vec![(String::new(), 0)];
        for row in &self.rows {
            let (text, rows) = lines.last_mut().unwrap();
            *text += &row.cells.concat();
            *rows += 1;
            if !row.wrapped {
                lines.push((String::new(), 0));
            }
        }
        while lines.last().is_some_and(|(text, _)| text.trim().is_empty()) {
            lines.pop();
        }
        lines
    }
}

#[test]
fn the_grid_breaks_at_the_width_and_erases_a_row_only() {
    let lines = |width, pictures, text: &str| {
        let mut grid = Grid::new(width, pictures);
        grid.feed(text);
        grid.lines()
    };
    let line = |text: &str, rows| (text.to_owned(), rows);
    let narrow = Pictures::Narrow;
    assert_eq!(lines(3, narrow, "abc\r\nd"), [line("abc", 1), line("d", 1)]);
    assert_eq!(lines(3, narrow, "abcd"), [line("abcd", 2)]);
    assert_eq!(lines(3, narrow, "abcd\r\x1b[Kx"), [line("abcx", 2)]);
    assert_eq!(lines(3, narrow, "日本"), [line("日本", 2)]);
    assert_eq!(lines(3, narrow, "日\r\x1b[K"), []);
    let sign = "ab\u{26a0}\u{fe0f}";
    assert_eq!(lines(3, narrow, sign), [line(sign, 1)]);
    assert_eq!(lines(3, Pictures::Wide, sign), [line(sign, 2)]);
    assert_eq!(lines(4, Pictures::Wide, sign), [line(sign, 1)]);
    let mut grid = Grid::new(4, narrow);
    grid.feed("abcd");
    grid.resize(2);
    grid.feed("\r\x1b[Kx");
    assert_eq!(grid.lines(), [line("x", 1)]);
}
