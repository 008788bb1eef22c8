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

#[test]
fn the_short_help_fits_a_screen_and_the_long_one_teaches() {
    for command in crate::support::commands() {
        let short = dcodectl([&command, "-h"]).run().exits(0).err("").stdout;
        let bound = if ["run", "submit"].contains(&&*command) {
            48
        } else {
            40
        };
        assert!(
            rows(&short) <= bound,
            "{command}: {} rows\n{short}",
            rows(&short)
        );
        assert!(
            short.contains(&format!("dcodectl help {command}")),
            "{short}"
        );
        let long = dcodectl([&command, "--help"]).run().exits(0).err("");
        let long = long.out_has("\nExamples:\n").out_has("--connect-timeout");
        assert!(long.stdout.len() > short.len());
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
    assert!(rows(&short.stdout) <= 50, "{}", short.stdout);
}

#[test]
fn what_was_meant_is_named() {
    let misspelt: [(&[&str], &str); 7] = [
        (&["sumbit", "x"], "'submit'"),
        (&["run", "-o", "awnser", "x"], "'answer'"),
        (&["run", "--require-verifed", "x"], "'--require-verified'"),
        (
            &["run", "--accept", "unverifed", "x"],
            "did you mean unverified?",
        ),
        (
            &["run", "--on-approval", "alow", "x"],
            "did you mean allow?",
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
