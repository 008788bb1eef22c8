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
    version.out(concat!("dcodectl ", env!("CARGO_PKG_VERSION"), "\n"));
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
