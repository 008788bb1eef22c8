//! Colour, the status line, the order of both streams, and text that would drive the terminal.

use dcodectl::simulate::Speed;

use crate::pty::{Terminal, command, screen};
use crate::support::{self, Run};

/// `NO_COLOR` and the like, each with its value.
type Environment = &'static [(&'static str, &'static str)];

/// Environment, `--color`, then whether a pipe and whether a terminal is coloured.
const COLOURS: [(Environment, Option<&str>, bool, bool); 14] = [
    (&[("TERM", "xterm")], None, false, true),
    (&[("TERM", "xterm"), ("NO_COLOR", "")], None, false, true),
    (&[("TERM", "xterm"), ("NO_COLOR", "1")], None, false, false),
    (&[("TERM", "xterm"), ("NO_COLOR", "0")], None, false, false),
    (&[("TERM", "dumb")], None, false, false),
    (&[("TERM", "xterm"), ("CLICOLOR", "0")], None, false, false),
    (&[("CLICOLOR_FORCE", "1")], None, true, true),
    (&[("CLICOLOR_FORCE", "0")], None, false, true),
    (
        &[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")],
        None,
        true,
        true,
    ),
    (
        &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")],
        None,
        false,
        false,
    ),
    (&[("NO_COLOR", "1")], Some("always"), true, true),
    (&[("CLICOLOR_FORCE", "1")], Some("never"), false, false),
    (&[("TERM", "dumb")], Some("always"), true, true),
    (&[("FORCE_COLOR", "1")], Some("auto"), false, true),
];

fn coloured(text: &str) -> bool {
    text.contains("\x1b[3")
}

#[test]
fn b37_colour_is_decided_by_flag_environment_and_terminal() {
    let daemon = support::daemon("unverified");
    for (environment, color, pipe, terminal) in COLOURS {
        let mut arguments = vec!["run", "Fix it"];
        if let Some(color) = color {
            arguments.extend(["--color", color]);
        }
        let case = format!("{environment:?} --color {color:?}");
        let mut run = support::at(&daemon, &arguments);
        for (name, value) in environment {
            run = run.env(name, value);
        }
        let ran = run.run().exits(10);
        assert_eq!(coloured(&ran.stdout), pipe, "pipe: {case}");
        // The note's start is dim where stderr is coloured.
        assert_eq!(ran.stderr.contains('\x1b'), pipe, "stderr, pipe: {case}");
        let mut at_terminal = support::at(&daemon, &arguments);
        for (name, value) in environment {
            at_terminal = at_terminal.env(name, value);
        }
        let shown = Terminal::run(at_terminal).exits(10);
        assert_eq!(coloured(&shown.text), terminal, "terminal: {case}");
    }
}

/// Runs a shell script against a daemon at a terminal; `$1` is the binary.
fn script(daemon: &dcodectl::simulate::Daemon, text: &str) -> Run {
    let run = support::at(daemon, [""; 0]).behind("sh", &["-c", text, "sh"]);
    run.env("TERM", "xterm")
}

#[test]
fn b37_each_stream_is_decided_for_itself() {
    let daemon = support::daemon("unverified");
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    let read = || std::fs::read_to_string(&file).unwrap();
    let name = file.to_str().unwrap();
    let shown = Terminal::run(script(&daemon, &format!("\"$1\" run x >'{name}'"))).exits(10);
    assert!(!read().contains('\x1b'), "{}", read());
    shown.has("\x1b[2mdcodectl: note:\x1b[0m");
    let shown = Terminal::run(script(&daemon, &format!("\"$1\" run x 2>'{name}'"))).exits(10);
    assert!(!read().contains('\x1b'), "{}", read());
    assert!(coloured(&shown.text), "{}", shown.text);
}

/// Lines without the parts that say how long something took.
fn timeless(lines: impl IntoIterator<Item = String>) -> Vec<String> {
    let lines = lines.into_iter().map(|line| {
        let parts = line.trim().split(" · ");
        let kept = parts.filter(|part| !part.ends_with(" ms") && !part.ends_with(" s"));
        kept.collect::<Vec<_>>().join(" · ")
    });
    let mut lines: Vec<String> = lines.collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

#[test]
fn the_status_line_leaves_no_trace() {
    for scenario in ["tools", "plan", "long-answer", "cut"] {
        let daemon = support::daemon_with(scenario, |options| options.speed = Speed::Times(1.0));
        let arguments = ["run", "--on-approval", "deny", "Fix it"];
        let shown = Terminal::run(command(&daemon, &arguments)).exits(0);
        assert!(
            shown.text.contains("\r\x1b[K"),
            "no status line: {scenario}"
        );
        let ran = support::at(&daemon, arguments).run().exits(0);
        assert!(!ran.stdout.contains(['\r', '\x1b']), "{ran:#?}");
        assert!(!ran.stderr.contains(['\r', '\x1b']), "{ran:#?}");
        let screen = timeless(shown.screen());
        let lines = timeless(ran.stdout.lines().map(str::to_owned));
        // The figures at the end flow, and so may break elsewhere: words count, not lines.
        let words = |lines: &[String]| {
            let text = lines.join(" ").replace(" · ", " ");
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(words(&screen), words(&lines), "{scenario}: {screen:#?}");
    }
}

#[test]
fn a_dumb_terminal_and_quiet_have_no_status_line() {
    let daemon = support::daemon_with("tools", |options| options.speed = Speed::Times(4.0));
    let dumb = command(&daemon, &["run", "Fix it"]).env("TERM", "dumb");
    Terminal::run(dumb).exits(0).lacks("\x1b");
    let quiet = command(&daemon, &["run", "--quiet", "Fix it"]);
    Terminal::run(quiet).exits(0).lacks("\x1b");
    for format in ["ndjson", "answer"] {
        let other = command(&daemon, &["run", "-o", format, "Fix it"]);
        Terminal::run(other).exits(0).lacks("\x1b");
    }
}

/// The message comes after the page and apart from it.
#[track_caller]
fn apart(lines: &[String], message: &str) {
    let at = lines.iter().position(|line| line.starts_with(message));
    let at = at.unwrap_or_else(|| panic!("{message:?} is not in {lines:#?}"));
    assert_eq!(lines[at - 1], "", "{lines:#?}");
    assert!(lines[at - 2].contains("context "), "{lines:#?}");
    assert!(lines[at + 1..].iter().all(String::is_empty), "{lines:#?}");
}

#[test]
fn the_message_about_the_outcome_stands_behind_the_page() {
    for (scenario, code, message) in [
        (
            "unverified",
            10,
            "dcodectl: note: unverified: could not be run: tests; met: lint (exit code 10)",
        ),
        ("max-iterations", 12, "dcodectl: error: max_iterations: "),
        (
            "error",
            16,
            "dcodectl: error: the turn ended with error: auth: ",
        ),
    ] {
        let daemon = support::daemon(scenario);
        let shown = Terminal::run(command(&daemon, &["run", "Fix it"])).exits(code);
        apart(&shown.screen(), message);
        // In a log that both streams are written to, too.
        let ran = Terminal::run(script(&daemon, "NO_COLOR=1 \"$1\" run x 2>&1 | cat"));
        apart(&screen(&ran.text), message);
        // A reader of stderr alone gets the message alone.
        let ran = support::at(&daemon, ["run", "Fix it"]).run().exits(code);
        assert!(ran.stderr.starts_with(message), "{ran:#?}");
        assert_eq!(ran.stderr.lines().count(), 1, "{ran:#?}");
    }
}

/// Every character that could drive a terminal or mislead a reader, line breaks aside.
fn harmful(character: char) -> bool {
    match character {
        '\n' => false,
        '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{feff}' => true,
        other => other.is_control(),
    }
}

#[track_caller]
fn harmless(text: &str) {
    let found: Vec<char> = text.chars().filter(|one| harmful(*one)).collect();
    assert!(found.is_empty(), "{found:?} in {text:?}");
}

#[test]
fn b36_text_from_a_model_or_a_tool_is_shown_and_not_obeyed() {
    let daemon = support::daemon("weird-output");
    for verbosity in ["--color=never", "-v", "-vv"] {
        let ran = support::at(&daemon, ["run", verbosity, "a\x1b[2Jb"])
            .run()
            .exits(0);
        harmless(&ran.stdout);
        harmless(&ran.stderr);
        let ran = ran.out_has("\\x1b]0;owned\\x07\\x1b[2Jclear\\rback\\u{9b}31mC1 \\u{202e}right");
        ran.out_has("ba\\nsh\\x1b[1m");
    }
    let shown = Terminal::run(command(&daemon, &["run", "--quiet", "x"])).exits(0);
    harmless(&shown.text.replace("\r\n", "\n"));
    shown.has("\\x1b]0;owned\\x07");
}

#[test]
fn b36_colour_adds_nothing_but_colour() {
    let daemon = support::daemon("weird-output");
    let plain = support::at(&daemon, ["run", "-v", "x"]).run().exits(0);
    let coloured = ["run", "-v", "--color", "always", "x"];
    let ran = support::at(&daemon, coloured).run().exits(0);
    let stripped = uncoloured(&ran.stdout);
    harmless(&stripped);
    let timeless = |text: &str| timeless(text.lines().map(str::to_owned));
    assert_eq!(timeless(&stripped), timeless(&plain.stdout));
}

/// The text without SGR sequences: `ESC [`, digits and semicolons, `m`.
fn uncoloured(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let mut plain = parts.next().unwrap().to_owned();
    for part in parts {
        let (codes, rest) = part.split_once('m').unwrap();
        assert!(
            codes.chars().all(|c| c.is_ascii_digit() || c == ';'),
            "{part:?}"
        );
        plain += rest;
    }
    plain
}

#[test]
fn b36_json_has_the_daemons_bytes_and_an_answer_is_escaped_at_a_terminal_only() {
    let daemon = support::daemon("weird-output");
    let id = support::create(&daemon);
    let ran = support::at(&daemon, ["submit", "--json", &id, "x"])
        .run()
        .exits(0)
        .err("");
    assert!(ran.stdout.contains("\u{9b}31mC1 \"}}\n"), "{ran:#?}");
    assert!(ran.stdout.contains(r"\u001b]0;owned\u0007"), "{ran:#?}");
    assert!(!ran.stdout.contains('\x1b'), "{ran:#?}");
    let tail = ["tail", "--json", "--no-follow", &id];
    let log = support::at(&daemon, tail).run().exits(0).err("");
    assert!(log.stdout.ends_with(&ran.stdout), "{log:#?}");
    let daemon = support::playing(
        &[
            ("turn.started", r#"{"turn_id":"t1"}"#),
            (
                "message.delta",
                r#"{"turn_id":"t1","text":"a\u001b[2Jb\n"}"#,
            ),
            ("turn.completed", r#"{"turn_id":"t1","reason":"done"}"#),
        ],
        |_| {},
    );
    let answer = ["run", "-o", "answer", "x"];
    let ran = support::at(&daemon, answer).run().exits(0).err("");
    ran.out("a\x1b[2Jb\n");
    let shown = Terminal::run(command(&daemon, &answer)).exits(0);
    assert_eq!(shown.text, "a\\x1b[2Jb\r\n");
}

#[test]
fn wrong_arguments_are_coloured_like_any_other_error() {
    let daemon = support::daemon("done");
    let plain = "dcodectl: error: unrecognized subcommand 'frob'\r\n";
    let shown = Terminal::run(script(&daemon, "\"$1\" frob")).exits(2);
    shown.has("dcodectl: error:\x1b[0m unrecognized");
    for line in [
        "NO_COLOR=1 \"$1\" frob",
        "\"$1\" --color never frob",
        "\"$1\" --color=never frob",
        "TERM=dumb \"$1\" frob",
    ] {
        Terminal::run(script(&daemon, line)).exits(2).has(plain);
    }
    // What is misspelt is named, also where it may be a text.
    let ran = support::dcodectl(["run", "--timout", "5m", "x"]).run();
    let ran = ran.exits(2).out("").err_has("'--timeout'");
    ran.err_has(" goes after --");
}
