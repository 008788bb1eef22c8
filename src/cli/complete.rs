//! What is being completed: the command line up to the cursor, read by the same definitions.
//!
//! Static words, options and their fixed values, are the shells' own work: `completions/` has them.
//! This is about the values that only the program, or the daemon, knows.

use std::ffi::OsString;

use clap::{Arg, ArgAction, Command, ValueHint};

/// What the shell asks, after `dcodectl __complete`.
#[derive(Debug, PartialEq, Eq)]
pub struct Asked {
    /// The words before the cursor, without the program's own.
    words: Vec<String>,
    /// The beginning of the word at the cursor.
    current: String,
    /// The shell's script has no values of options either.
    all: bool,
}

/// Kinds of values that are looked up when the key is pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Live sessions.
    Session,
    /// The handle of the session's open question.
    Approval,
    /// Models of live sessions.
    Model,
    /// Scenarios of the simulated daemon.
    Scenario,
    /// Topics of `help`.
    Topic,
    /// Outcomes, by comma.
    Accept,
    /// Who answers.
    OnApproval,
    /// Formats of a report.
    Report,
    /// Types of events.
    EventType,
    /// A file or a folder, as the argument of a command: bash's script knows of none.
    Path,
    /// One of the words that the definitions list; not every shell's script has those of
    /// positional arguments.
    Word,
}

/// The arguments whose values are looked up, by their names in the definitions.
const LOOKED_UP: [(&str, Wanted); 11] = [
    ("session", Wanted::Session),
    ("sessions", Wanted::Session),
    ("resume", Wanted::Session),
    ("approval", Wanted::Approval),
    ("model", Wanted::Model),
    ("scenario", Wanted::Scenario),
    ("topic", Wanted::Topic),
    ("accept", Wanted::Accept),
    ("on_approval", Wanted::OnApproval),
    ("report", Wanted::Report),
    ("types", Wanted::EventType),
];

impl Wanted {
    /// What is looked up for an argument of the definitions.
    #[must_use]
    pub fn of(argument: &str) -> Option<Self> {
        let found = LOOKED_UP.iter().find(|(name, _)| *name == argument);
        found.map(|(_, wanted)| *wanted)
    }
}

/// A place on the command line whose values are looked up.
#[derive(Debug, PartialEq, Eq)]
pub struct Slot {
    /// What is wanted there.
    pub wanted: Wanted,
    /// What a candidate has to begin with.
    pub typed: String,
    /// What stands before it in the same word, such as `--model=`.
    pub before: String,
    /// The positional words so far, the command's name aside.
    pub positionals: Vec<String>,
    /// The socket named on the line.
    pub socket: Option<String>,
    /// The words that the definitions list, with what they mean.
    pub words: Vec<(String, String)>,
}

/// Reads the raw arguments: `__complete words WORD…`, for elvish, whose script has no values of
/// options, `__complete all WORD…`, or for bash, which splits words at `:`, `=` and `@`,
/// `__complete line LINE`. `None` if they ask for something else.
#[must_use]
pub fn asked(arguments: &[OsString]) -> Option<Asked> {
    let mut texts = arguments
        .iter()
        .skip(1)
        .map(|word| word.to_string_lossy().into_owned());
    if texts.next()? != "__complete" {
        return None;
    }
    let how = texts.next();
    let mut words: Vec<String> = match how.as_deref() {
        Some("line") => split(&texts.next().unwrap_or_default())
            .into_iter()
            .skip(1)
            .collect(),
        _ => texts.collect(),
    };
    let current = words.pop().unwrap_or_default();
    let all = how.is_some_and(|how| how == "all");
    Some(Asked {
        words,
        current,
        all,
    })
}

/// Splits a line that may end anywhere, as a shell would; nothing is expanded.
fn split(line: &str) -> Vec<String> {
    let (mut words, mut word, mut begun) = (Vec::new(), String::new(), false);
    let (mut quote, mut escaped) = (None, false);
    for letter in line.chars() {
        match (quote, letter) {
            _ if escaped => {
                word.push(letter);
                escaped = false;
            }
            (None | Some('"'), '\\') => (escaped, begun) = (true, true),
            (Some(open), _) if open == letter => quote = None,
            (Some(_), _) => word.push(letter),
            (None, '"' | '\'') => (quote, begun) = (Some(letter), true),
            (None, ' ' | '\t' | '\n') => {
                if begun {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            (None, _) => {
                word.push(letter);
                begun = true;
            }
        }
    }
    words.push(word);
    words
}

/// The place of the cursor, if its values are looked up.
#[must_use]
pub fn place(asked: &Asked, root: &mut Command) -> Option<Slot> {
    root.build();
    let mut reading = Reading::new(root);
    for word in &asked.words {
        reading.word(word);
    }
    let (argument, before, typed) = reading.at(&asked.current)?;
    let words = words_of(argument, asked.all);
    let listed = (!words.is_empty()).then_some(Wanted::Word);
    Some(Slot {
        wanted: Wanted::of(argument.get_id().as_str())
            .or(listed)
            .or_else(|| takes_a_path(argument))?,
        words,
        typed,
        before,
        positionals: reading.positionals,
        socket: reading.socket,
    })
}

fn takes_a_path(argument: &Arg) -> Option<Wanted> {
    let is_path = argument.is_positional() && argument.get_value_hint() == ValueHint::AnyPath;
    is_path.then_some(Wanted::Path)
}

/// The words that a positional argument may be; options' are in the scripts of most shells.
fn words_of(argument: &Arg, all: bool) -> Vec<(String, String)> {
    if !all && !argument.is_positional() {
        return Vec::new();
    }
    let described = |value: clap::builder::PossibleValue| {
        let help = value.get_help().map(ToString::to_string);
        (value.get_name().to_owned(), help.unwrap_or_default())
    };
    let values = argument.get_possible_values();
    values.into_iter().map(described).collect()
}

/// How far a command line was read.
struct Reading<'c> {
    command: &'c Command,
    /// The option that takes the next word.
    awaiting: Option<&'c Arg>,
    /// Only positional words follow.
    only_positionals: bool,
    positionals: Vec<String>,
    socket: Option<String>,
}

impl<'c> Reading<'c> {
    fn new(command: &'c Command) -> Self {
        Self {
            command,
            awaiting: None,
            only_positionals: false,
            positionals: Vec::new(),
            socket: None,
        }
    }

    fn word(&mut self, word: &str) {
        if let Some(option) = self.awaiting.take() {
            if option.get_id() == "socket" {
                self.socket = Some(word.to_owned());
            }
        } else if self.only_positionals {
            self.positionals.push(word.to_owned());
        } else if word == "--" {
            self.only_positionals = true;
        } else if let Some(long) = word.strip_prefix("--") {
            match long.split_once('=') {
                Some(("socket", path)) => self.socket = Some(path.to_owned()),
                Some(_) => {}
                None => self.awaiting = self.option(|arg| arg.get_long() == Some(long)),
            }
        } else if let Some(flags) = word.strip_prefix('-').filter(|flags| !flags.is_empty()) {
            self.awaiting = flags
                .chars()
                .last()
                .and_then(|flag| self.option(|arg| arg.get_short() == Some(flag)));
        } else {
            match self.command.find_subcommand(word) {
                Some(command) if self.positionals.is_empty() => self.command = command,
                _ => self.positionals.push(word.to_owned()),
            }
        }
    }

    /// The option that a word names, if it takes a value.
    fn option(&self, is: impl Fn(&Arg) -> bool) -> Option<&'c Arg> {
        let takes_value =
            |arg: &&Arg| matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
        let mut arguments = self.command.get_arguments();
        arguments.find(|arg| is(arg)).filter(takes_value)
    }

    /// The argument that a word here would be a value of, what stands before the value, and the
    /// value's beginning.
    fn at(&self, current: &str) -> Option<(&'c Arg, String, String)> {
        let whole = |arg| Some((arg, String::new(), current.to_owned()));
        if let Some(option) = self.awaiting {
            return whole(option);
        }
        if current.starts_with('-') && !self.only_positionals {
            let (long, typed) = current.strip_prefix("--")?.split_once('=')?;
            let option = self.option(|arg| arg.get_long() == Some(long))?;
            return Some((option, format!("--{long}="), typed.to_owned()));
        }
        let index = self.positionals.len() + 1;
        let mut all = self.command.get_positionals();
        let many = |arg: &&Arg| matches!(arg.get_action(), ArgAction::Append) && !arg.is_last_set();
        let exact = all.find(|arg| arg.get_index() == Some(index));
        let more = || self.command.get_positionals().last().filter(many);
        whole(exact.filter(|arg| !arg.is_last_set()).or_else(more)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(words: &[&str]) -> Option<(Wanted, String, String)> {
        let program = ["dcodectl", "__complete", "words"];
        let arguments: Vec<OsString> = program.iter().chain(words).map(OsString::from).collect();
        let slot = place(&asked(&arguments).unwrap(), &mut crate::cli::command())?;
        Some((slot.wanted, slot.before, slot.typed))
    }

    fn wanted(words: &[&str]) -> Option<Wanted> {
        at(words).map(|(wanted, ..)| wanted)
    }

    #[test]
    fn the_place_is_found_as_the_arguments_are_read() {
        assert_eq!(wanted(&["show", ""]), Some(Wanted::Session));
        assert_eq!(
            wanted(&["--json", "-o", "human", "show", "1a"]),
            Some(Wanted::Session)
        );
        assert_eq!(
            wanted(&["--socket", "/x", "-qv", "show", ""]),
            Some(Wanted::Session)
        );
        assert_eq!(wanted(&["close", "a", "b", ""]), Some(Wanted::Session));
        assert_eq!(wanted(&["approve", "a", ""]), Some(Wanted::Approval));
        assert_eq!(wanted(&["run", "--model", ""]), Some(Wanted::Model));
        assert_eq!(wanted(&["simulate", ""]), Some(Wanted::Scenario));
        assert_eq!(wanted(&["help", ""]), Some(Wanted::Topic));
        assert_eq!(wanted(&["completions", ""]), Some(Wanted::Word));
        assert_eq!(wanted(&["approve", "a", "b", ""]), Some(Wanted::Word));
        let option = (Wanted::Model, "--model=".to_owned(), "x".to_owned());
        assert_eq!(at(&["run", "--model=x"]), Some(option));
        assert_eq!(
            wanted(&["tail", "--type", "turn."]),
            Some(Wanted::EventType)
        );
        let all = ["dcodectl", "__complete", "all", "run", "--sandbox", ""].map(OsString::from);
        let slot = place(&asked(&all).unwrap(), &mut crate::cli::command()).unwrap();
        assert_eq!((slot.wanted, slot.words.len()), (Wanted::Word, 3));
        assert_eq!(wanted(&["run", "--sandbox", ""]), None);
    }

    #[test]
    fn what_the_shell_knows_itself_is_left_to_it() {
        assert_eq!(wanted(&["render", ""]), Some(Wanted::Path));
        assert_eq!(wanted(&["man", "sh"]), Some(Wanted::Path));
        let left: [&[&str]; 8] = [
            &[""],
            &["sh"],
            &["show", "--"],
            &["show", "a", ""],
            &["submit", "a", ""],
            &["--color", ""],
            &["render", "--"],
            &["simulate", "done", "--", ""],
        ];
        for words in left {
            assert_eq!(wanted(words), None, "{words:?}");
        }
    }

    #[test]
    fn a_line_is_split_wherever_it_ends() {
        assert_eq!(split("a b"), ["a", "b"]);
        assert_eq!(split("a  b "), ["a", "b", ""]);
        assert_eq!(split("a 'b c"), ["a", "b c"]);
        assert_eq!(split(r#"a "b\"c" d\ e"#), ["a", "b\"c", "d e"]);
        assert_eq!(split("a '' x@1:2=3"), ["a", "", "x@1:2=3"]);
        assert_eq!(split(""), [""]);
    }

    #[test]
    fn every_name_in_the_table_is_an_argument() {
        let root = crate::cli::command();
        for (name, _) in LOOKED_UP {
            let is_there = root
                .get_subcommands()
                .any(|command| command.get_arguments().any(|arg| arg.get_id() == name));
            assert!(is_there, "{name}");
        }
    }
}
