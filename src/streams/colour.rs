//! Whether a stream is coloured: the flag, then the environment, then the terminal.

use std::ffi::OsString;

/// What `--color` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preference {
    /// The environment and the terminal decide.
    Auto,
    /// Colour.
    Always,
    /// None.
    Never,
}

/// Decides for one stream. First of: the flag; `NO_COLOR` if non-empty; `CLICOLOR_FORCE` if
/// non-empty and not 0; `CLICOLOR=0`; else a terminal that is not dumb.
#[must_use]
pub fn wants_colour(
    preference: Preference,
    variable: &dyn Fn(&str) -> Option<OsString>,
    terminal: bool,
) -> bool {
    let filled = |name: &str| variable(name).filter(|value| !value.is_empty());
    match preference {
        Preference::Always => return true,
        Preference::Never => return false,
        Preference::Auto => {}
    }
    if filled("NO_COLOR").is_some() {
        return false;
    }
    if filled("CLICOLOR_FORCE").is_some_and(|value| value != "0") {
        return true;
    }
    if variable("CLICOLOR").is_some_and(|value| value == "0") {
        return false;
    }
    terminal && variable("TERM").is_none_or(|value| value != "dumb")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b37_the_first_that_speaks_decides() {
        use Preference::{Always, Auto, Never};
        type Row = (
            Preference,
            &'static [(&'static str, &'static str)],
            bool,
            bool,
        );
        let table: &[Row] = &[
            (Auto, &[], true, true),
            (Auto, &[], false, false),
            (Auto, &[("TERM", "dumb")], true, false),
            (Auto, &[("TERM", "xterm")], true, true),
            (Auto, &[("NO_COLOR", "1")], true, false),
            (Auto, &[("NO_COLOR", "")], true, true),
            (Auto, &[("NO_COLOR", "0")], true, false),
            (Auto, &[("CLICOLOR_FORCE", "1")], false, true),
            (Auto, &[("CLICOLOR_FORCE", "0")], false, false),
            (Auto, &[("CLICOLOR_FORCE", "")], false, false),
            (
                Auto,
                &[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")],
                false,
                true,
            ),
            (
                Auto,
                &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")],
                true,
                false,
            ),
            (Auto, &[("CLICOLOR", "0")], true, false),
            (Auto, &[("CLICOLOR", "1")], false, false),
            (Always, &[("NO_COLOR", "1")], false, true),
            (Never, &[("CLICOLOR_FORCE", "1")], true, false),
        ];
        for (preference, variables, terminal, expected) in table {
            let variable = |name: &str| {
                variables
                    .iter()
                    .find(|(key, _)| *key == name)
                    .map(|(_, value)| value.into())
            };
            assert_eq!(
                wants_colour(*preference, &variable, *terminal),
                *expected,
                "{preference:?} {variables:?} {terminal}"
            );
        }
    }
}
