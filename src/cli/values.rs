//! The values of options: durations, decisions, lists of outcomes.

use std::str::FromStr;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::exit::Exit;
use crate::protocol::Decision;

use super::guide::nearest;

/// The longest duration.
const CENTURY: Duration = Duration::from_hours(100 * 365 * 24);

/// Reads a duration of whole hours, minutes and seconds: `90s`, `10m`, `1h30m`.
///
/// # Errors
/// Anything else, a bare number, zero and a negative included; the text names the accepted forms.
pub fn duration(text: &str) -> Result<Duration, String> {
    const FORMS: &str = "expected a duration such as 90s, 10m or 1h30m, above zero";
    // humantime also takes days, fractions of a second and spaces, which scripts may not rely on.
    let mut units = text.split_inclusive(|c: char| !c.is_ascii_digit());
    let ordered = units.try_fold(0, |last, part| {
        let rank = match part.as_bytes() {
            [digits @ .., b'h'] if !digits.is_empty() => 1,
            [digits @ .., b'm'] if !digits.is_empty() => 2,
            [digits @ .., b's'] if !digits.is_empty() => 3,
            _ => return None,
        };
        (rank > last).then_some(rank)
    });
    if ordered.is_none() || text.is_empty() {
        return Err(FORMS.to_owned());
    }
    match humantime::parse_duration(text) {
        // A century is for ever; beyond it a deadline could not be computed.
        Ok(duration) if !duration.is_zero() && duration <= CENTURY => Ok(duration),
        _ => Err(FORMS.to_owned()),
    }
}

/// Reads one of the five decisions; clap names them in help, completion and errors.
pub(super) fn decisions() -> impl TypedValueParser<Value = Decision> {
    let words = Decision::KNOWN.iter().map(Decision::as_str);
    PossibleValuesParser::new(words).map(|word| Decision::from(word.as_str()))
}

/// Who answers a question of the awaited turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OnApproval {
    /// The person at the terminal.
    Ask,
    /// This decision, at once.
    Decide(Decision),
    /// A program, by its words as a shell would split them.
    Exec(Vec<String>),
    /// Somebody else.
    Leave,
    /// Nobody: the turn is stopped.
    Fail,
}

/// The words of `--on-approval`, each with what it does; `exec:` goes on with a command.
pub const ON_APPROVAL: [(&str, &str); 7] = [
    ("ask", "the person at the terminal answers"),
    ("deny", "no, and the turn goes on"),
    ("allow", "yes, this once"),
    ("allow_session", "yes, for the rest of the session"),
    ("leave", "another client answers"),
    ("fail", "the turn is stopped, code 20"),
    ("exec:", "a command answers"),
];

/// Reads the value of `--on-approval`.
///
/// # Errors
/// Any other word; the text names the accepted ones.
pub(super) fn on_approval(word: &str) -> Result<OnApproval, String> {
    Ok(match word {
        "ask" => OnApproval::Ask,
        "deny" => OnApproval::Decide(Decision::Deny),
        "allow" => OnApproval::Decide(Decision::Allow),
        "allow_session" => OnApproval::Decide(Decision::AllowSession),
        "leave" => OnApproval::Leave,
        "fail" => OnApproval::Fail,
        _ => return exec(word),
    })
}

/// Reads `exec:CMD`; CMD is split as a shell would, but run without one.
fn exec(word: &str) -> Result<OnApproval, String> {
    let Some(command) = word.strip_prefix("exec:") else {
        let names = ON_APPROVAL.map(|(name, _)| name);
        let meant = nearest(word, names)
            .map(|meant| format!("; did you mean {meant}?"))
            .unwrap_or_default();
        let names = names.join(", ");
        return Err(format!("expected one of {names}CMD{meant}"));
    };
    match shlex::split(command) {
        None => Err("the CMD of exec: has a quote that is not closed".to_owned()),
        Some(argv) if argv.first().is_none_or(String::is_empty) => {
            Err("exec: needs a CMD, such as exec:./answer".to_owned())
        }
        Some(argv) => Ok(OnApproval::Exec(argv)),
    }
}

/// The outcomes that `--accept` turns into success.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Accept(Vec<Exit>);

impl Accept {
    /// The outcomes that can be accepted.
    pub fn possible() -> impl Iterator<Item = Exit> {
        let acceptable = |exit: &Exit| matches!(exit.number(), 0 | 10..=16);
        Exit::ALL.iter().copied().filter(acceptable)
    }

    /// Whether the outcome counts as success.
    #[must_use]
    pub fn contains(&self, exit: Exit) -> bool {
        self.0.contains(&exit)
    }
}

impl FromStr for Accept {
    type Err = String;

    fn from_str(list: &str) -> Result<Self, String> {
        list.split(',')
            .map(|name| {
                Self::possible()
                    .find(|exit| exit.name() == name)
                    .ok_or_else(|| not_acceptable(name))
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

fn not_acceptable(name: &str) -> String {
    let names: Vec<&str> = Accept::possible().map(Exit::name).collect();
    let meant = nearest(name, names.iter().copied())
        .map(|meant| format!("; did you mean {meant}?"))
        .unwrap_or_default();
    let names = names.join(",");
    format!("'{name}' cannot be accepted; expected some of {names}{meant}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_whole_hours_minutes_and_seconds() {
        let good = [
            ("90s", 90),
            ("10m", 600),
            ("1h30m", 5400),
            ("1h1m1s", 3661),
            ("2h5s", 7205),
        ];
        for (text, seconds) in good {
            assert_eq!(duration(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        let bad = [
            "",
            "5",
            "0s",
            "0h0m",
            "-5s",
            "1.5s",
            "1d",
            "5ms",
            "1 h",
            "1h 30m",
            "30m1h",
            "s",
            "1hh",
            "5s ",
            "1s1s",
            "99999999999999999999s",
            "18446744073709551615h",
            "5124095576030430h",
            "876001h",
            "٥s",
            "1H",
        ];
        for text in bad {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn only_outcomes_of_a_turn_can_be_accepted() {
        let accept: Accept = "done,unverified".parse().unwrap();
        assert!(accept.contains(Exit::Unverified) && !accept.contains(Exit::Incomplete));
        for list in [
            "",
            "unverified,",
            "timeout",
            "unknown_reason",
            "10",
            "signal",
        ] {
            assert!(list.parse::<Accept>().is_err(), "{list}");
        }
    }
}
