//! Colour as a value: [`Palette`] is plain unless somebody decided otherwise, and asks nobody.
//!
//! Only the sixteen basic colours, and of those no white, black or bright yellow: what is left can
//! be read on a light background as well as on a dark one.

use std::fmt::{Display, Formatter, Result};

pub use owo_colors::Style;

/// What text can mean; each meaning has a style.
#[derive(Debug, Clone, Copy, Default)]
pub struct Palette {
    /// It worked.
    pub good: Style,
    /// It failed.
    pub bad: Style,
    /// It wants attention, calmly.
    pub warn: Style,
    /// Beside the point.
    pub dim: Style,
    /// What a block is about.
    pub bold: Style,
    /// Names: tools, handles, commands to type.
    pub accent: Style,
    /// A line that was added.
    pub added: Style,
    /// A line that was removed.
    pub removed: Style,
}

impl Palette {
    /// No colour and no escape sequence at all; the default.
    #[must_use]
    pub fn plain() -> Self {
        Self::default()
    }

    /// Colours, for a terminal that takes them.
    #[must_use]
    pub fn coloured() -> Self {
        Self {
            good: Style::new().green(),
            bad: Style::new().red().bold(),
            warn: Style::new().yellow(),
            dim: Style::new().dimmed(),
            bold: Style::new().bold(),
            accent: Style::new().cyan(),
            added: Style::new().green(),
            removed: Style::new().red(),
        }
    }
}

/// A text and how it looks.
pub(super) struct Painted<'a, T> {
    text: &'a T,
    style: Style,
}

/// The text in the style; without any escape sequence if the style is plain.
pub(super) fn paint<T: Display>(text: &T, style: Style) -> Painted<'_, T> {
    Painted { text, style }
}

impl<T: Display> Display for Painted<'_, T> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        self.style.fmt_prefix(formatter)?;
        self.text.fmt(formatter)?;
        self.style.fmt_suffix(formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_is_plain_and_coloured_ends_what_it_begins() {
        assert_eq!(paint(&"x", Palette::plain().bad).to_string(), "x");
        let red = paint(&"x", Palette::coloured().removed).to_string();
        assert_eq!(red, "\x1b[31mx\x1b[0m");
    }
}
