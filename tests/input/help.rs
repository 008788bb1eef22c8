//! `help`: pages and tables, for people and for scripts.

use dcodectl::exit::Exit;

use crate::support::dcodectl;

const COMMANDS: [&str; 17] = [
    "run",
    "submit",
    "wait",
    "tail",
    "create",
    "list",
    "show",
    "close",
    "steer",
    "interrupt",
    "approvals",
    "approve",
    "deny",
    "rename",
    "undo",
    "render",
    "simulate",
];

#[test]
fn every_command_has_its_page() {
    let all = dcodectl(["help"]).run().exits(0).err("");
    for command in COMMANDS {
        let page = dcodectl(["help", command]).run().exits(0).err("");
        page.out_has(&format!("Usage: dcodectl {command}"));
        let same = dcodectl([command, "--help"]).run().exits(0).err("");
        same.out_has(&format!("Usage: dcodectl {command}"));
        assert!(all.stdout.contains(command));
    }
    dcodectl(["help", "nonsense"])
        .run()
        .exits(2)
        .out("")
        .err_has("there is no command or topic 'nonsense'");
    let version = dcodectl(["--version"]).run().exits(0).err("");
    let words: Vec<&str> = version.stdout.trim_end().splitn(3, ' ').collect();
    assert_eq!(words[..2], ["dcodectl", env!("CARGO_PKG_VERSION")]);
    // Which commit, and which protocol.
    let (commit, protocol) = words[2].rsplit_once(", ").unwrap();
    assert!(commit.len() > 5 && commit.starts_with('('), "{version:?}");
    assert_eq!(
        protocol,
        format!("protocol {})", dcodectl::protocol::PROTOCOL_VERSION)
    );
}

#[test]
fn the_exit_codes_are_the_table() {
    let ran = dcodectl(["help", "exit-codes"]).run().exits(0).err("");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), Exit::ALL.len());
    for (line, exit) in lines.iter().zip(Exit::ALL) {
        let mut words = line.split_whitespace();
        assert_eq!(words.next(), Some(exit.number().to_string().as_str()));
        assert_eq!(words.next(), Some(exit.name()));
        assert!(line.ends_with(exit.sentence()), "{line}");
    }
    let ran = dcodectl(["help", "exit-codes", "--json"])
        .run()
        .exits(0)
        .err("");
    for (object, exit) in ran.out_objects().iter().zip(Exit::ALL) {
        assert_eq!(
            (&object["code"], &object["name"]),
            (&exit.number().into(), &exit.name().into())
        );
        assert_eq!(object["when"], exit.sentence());
    }
}

#[test]
fn the_environment_is_named() {
    let ran = dcodectl(["help", "environment", "--json"])
        .run()
        .exits(0)
        .err("");
    let names: Vec<String> = ran
        .out_objects()
        .iter()
        .map(|object| object["variable"].as_str().unwrap().to_owned())
        .collect();
    let text = dcodectl(["help", "environment"]).run().exits(0).err("");
    for name in [
        "DCODE_SOCKET",
        "XDG_RUNTIME_DIR",
        "TMPDIR",
        "NO_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "TERM",
    ] {
        assert!(names.contains(&name.to_owned()), "{names:?}");
        assert!(text.stdout.contains(name), "{text:#?}");
    }
}

#[test]
fn pages_are_json_objects_when_asked_for() {
    for arguments in [vec!["help", "--json"], vec!["help", "run", "--json"]] {
        let ran = dcodectl(&arguments).run().exits(0).err("");
        assert!(!ran.out_objects().is_empty());
    }
}

/// Lines on a terminal of 80 columns, where long ones go on below.
fn rows(page: &str) -> usize {
    let rows = page
        .lines()
        .map(|line| line.chars().count().max(1).div_ceil(80));
    rows.sum()
}

/// Of 24 rows one is for the next prompt. Only a list of values may go on in a second row.
#[track_caller]
fn fits_a_screen(command: &str, page: &str) {
    assert!(rows(page) <= 23, "{command}: {} rows\n{page}", rows(page));
    for line in page.lines().filter(|line| line.chars().count() > 80) {
        assert!(line.contains("[possible values: "), "{command}: {line}");
    }
}

#[test]
fn the_short_help_fits_a_screen_and_the_long_one_teaches() {
    for command in crate::support::commands() {
        let short = dcodectl([&command, "-h"]).run().exits(0).err("").stdout;
        fits_a_screen(&command, &short);
        let long = format!("'dcodectl {command} --help'");
        assert!(short.contains(&long), "{short}");
        let long = dcodectl([&command, "--help"]).run().exits(0).err("");
        let long = long.out_has("\nExamples:\n").out_has("--connect-timeout");
        assert!(long.stdout.len() > short.len());
    }
}

/// What the short help leaves out it counts, and the long help has.
#[test]
fn the_short_help_says_how_much_it_leaves_out() {
    let options = |page: &str| {
        let lines = page.lines().map(str::trim_start);
        let options = lines.filter(|line| line.starts_with('-'));
        options.filter(|line| line.contains("--")).count()
    };
    let globals = options(&dcodectl(["help", "show"]).run().exits(0).stdout) - 1;
    for command in crate::support::commands() {
        let short = dcodectl([&command, "-h"]).run().exits(0).stdout;
        let long = dcodectl([&command, "--help"]).run().exits(0).stdout;
        let long = long.split("\nExamples:\n").next().unwrap();
        let left_out = options(long) - globals - options(&short);
        let said = format!("\n… and {left_out} more: 'dcodectl {command} --help'");
        assert_eq!(short.contains(&said), left_out > 0, "{left_out} {short}");
        assert_eq!(short.contains("… and"), left_out > 0, "{short}");
    }
}

#[test]
fn the_commands_stand_in_groups() {
    let page = dcodectl(["--help"]).run().exits(0).err("").stdout;
    for heading in [
        "Turns:",
        "Questions:",
        "Sessions:",
        "Events:",
        "Around it:",
        "Examples:",
    ] {
        assert!(
            page.lines().any(|line| line == heading),
            "{heading}: {page}"
        );
    }
    let nothing = dcodectl([""; 0]).run().exits(2).out("");
    let short = dcodectl(["-h"]).run().exits(0).err("");
    nothing.err(&short.stdout);
    fits_a_screen("dcodectl", &short.stdout);
    // Every command is named in both, and every global option in the long one.
    let names = crate::support::commands();
    assert!(names.iter().all(|name| short.stdout.contains(&**name)));
    assert!(names.iter().all(|name| page.contains(&**name)));
    for option in ["--socket", "--output", "--json", "--color", "--quiet"] {
        assert!(page.contains(option), "{page}");
    }
}

#[test]
fn what_was_meant_is_named() {
    let misspelt: [(&[&str], &str); 15] = [
        (&["sumbit", "x"], "hint: did you mean: dcodectl submit\n"),
        // The nearest of two that are near, and letters that changed places in a short word.
        (&["submitt"], "hint: did you mean: dcodectl submit\n"),
        (&["wiat", "@"], "hint: did you mean: dcodectl wait\n"),
        (&["rnu", "x"], "hint: did you mean: dcodectl run\n"),
        (
            &["run", "-o", "awnser", "x"],
            "hint: did you mean: --output answer\n",
        ),
        (
            &["-o", "json", "list"],
            "hint: did you mean: --output ndjson\n",
        ),
        (&["completions", "bsh"], "hint: did you mean: bash\n"),
        (
            &["approve", "@", "t1-0", "alow"],
            "hint: did you mean: allow\n",
        ),
        (&["list", "--jsn"], "hint: did you mean: --json\n"),
        (
            &["run", "--require-verifed", "x"],
            "hint: did you mean: --require-verified; a text that begins with a dash goes after --",
        ),
        (
            &["run", "--accept", "unverifed", "x"],
            "did you mean unverified?",
        ),
        (
            &["run", "--on-approval", "alow", "x"],
            "did you mean allow?",
        ),
        (
            &["run", "--report", "junitt=r.xml", "x"],
            "did you mean junit=r.xml?",
        ),
        (
            &["simulate", "incomplet"],
            "did you mean: dcodectl simulate incomplete",
        ),
        (
            &["help", "exitcodes"],
            "did you mean: dcodectl help exit-codes",
        ),
    ];
    for (arguments, meant) in misspelt {
        dcodectl(arguments).run().exits(2).out("").err_has(meant);
    }
    dcodectl(["simulate", "zzz"])
        .run()
        .exits(2)
        .err_has("hint: dcodectl simulate --list");
}

#[test]
fn the_next_step_is_named() {
    let steps: [(&[&str], &str); 8] = [
        // The words are right, but not where they stand.
        (
            &["run", "Fix", "the", "test"],
            "hint: a text of several words goes in quotes, as in: \"Fix the test\"\n",
        ),
        (
            &["submit", "@", "--", "Fix", "it"],
            "hint: a text of several words goes in quotes",
        ),
        (
            &["simulate", "done", "dcodectl", "run", "x"],
            "hint: the command goes after --, as in: dcodectl simulate done -- dcodectl run \"Fix the test\"\n",
        ),
        (&["zzzz"], "hint: dcodectl -h\n"),
        (&["list", "x"], "hint: usage: dcodectl list [OPTIONS]\n"),
        (
            &["create", "--name", "x"],
            "hint: see 'dcodectl create --help'\n",
        ),
        (
            &["completions"],
            "hint: usage: dcodectl completions bash|zsh|fish|powershell|elvish\n",
        ),
        (&["schema"], "hint: usage: dcodectl schema events|summary\n"),
    ];
    for (arguments, hint) in steps {
        dcodectl(arguments).run().exits(2).out("").err_has(hint);
    }
}
