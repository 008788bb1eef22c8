//! Every row of the exit table, produced through the built binary: the code, stdout and stderr, for
//! people and under `--json`. The rows are those of the table itself.

#![allow(clippy::unwrap_used, clippy::pedantic)]

#[path = "../support/mod.rs"]
mod support;

mod rows;

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use dcodectl::exit::Exit;
use rows::{Shown, Told, answers, produce};
use support::{at, create, daemon, dcodectl};

#[test]
fn b05_every_row_of_the_table_is_produced_for_people() {
    for &exit in Exit::ALL {
        let Some(row) = produce(exit, false) else {
            continue;
        };
        let ran = row.ran.exits(exit.number().into());
        let ran = match row.shown {
            Shown::Nothing => ran.out(""),
            Shown::Turn(reason) => ran.out_has(reason),
            Shown::Something => ran.out_has("\n"),
        };
        match row.told {
            Told::Silently => {
                ran.err("");
            }
            Told::Calmly(text) => {
                let ran = ran.err_has("dcodectl: note: ").err_has(text);
                assert!(!ran.stderr.contains("dcodectl: error:"), "{ran:#?}");
            }
            Told::Loudly(text) => {
                let ran = ran.err_has("dcodectl: error: ").err_has(text);
                assert_eq!(
                    ran.stderr.matches("dcodectl: error:").count(),
                    1,
                    "{ran:#?}"
                );
            }
        }
    }
}

#[test]
fn b05_every_row_of_the_table_is_produced_for_scripts() {
    for &exit in Exit::ALL {
        let Some(row) = produce(exit, true) else {
            continue;
        };
        let ran = row.ran.exits(exit.number().into());
        let (out, err) = (ran.out_objects(), ran.err_objects());
        match row.shown {
            Shown::Nothing => assert!(out.is_empty(), "{ran:#?}"),
            Shown::Turn(reason) => {
                let last = out.last().unwrap();
                assert_eq!(last["type"], "turn.completed", "{ran:#?}");
                assert_eq!(last["payload"]["reason"], reason, "{ran:#?}");
            }
            Shown::Something => assert!(!out.is_empty(), "{ran:#?}"),
        }
        match row.told {
            Told::Silently => assert!(err.is_empty(), "{ran:#?}"),
            Told::Calmly(text) => {
                let notice = &err.last().unwrap()["notice"];
                assert_eq!(notice["code"], exit.name(), "{ran:#?}");
                let message = notice["message"].as_str().unwrap();
                assert!(message.contains(text), "{ran:#?}");
            }
            Told::Loudly(text) => {
                let errors: Vec<_> = err
                    .iter()
                    .filter(|line| line.get("error").is_some())
                    .collect();
                assert_eq!(errors.len(), 1, "{ran:#?}");
                let error = &errors[0]["error"];
                assert_eq!(error["code"], exit.name(), "{ran:#?}");
                assert_eq!(error["exit_code"], exit.number(), "{ran:#?}");
                let message = format!("{} {}", error["message"], error["hint"]);
                assert!(message.contains(text), "{ran:#?}");
            }
        }
    }
}

#[test]
fn b05_help_prints_exactly_these_rows() {
    let ran = dcodectl(["help", "exit-codes"]).run().exits(0).err("");
    let rows: Vec<(u8, &str)> = ran
        .stdout
        .lines()
        .filter_map(|line| {
            let (number, rest) = line.trim_start().split_once(char::is_whitespace)?;
            Some((number.parse().ok()?, rest.split_whitespace().next()?))
        })
        .collect();
    let expected: Vec<_> = Exit::ALL
        .iter()
        .map(|exit| (exit.number(), exit.name()))
        .collect();
    assert_eq!(rows, expected);
}

#[test]
fn b07_no_failure_is_silent() {
    let daemon = daemon("done");
    let id = create(&daemon);
    let socket = daemon.socket().to_str().unwrap().to_owned();
    let cases: [(&[&str], i32); 6] = [
        (&[], 2),
        (&["--socket", "/nowhere/at/all.sock", "list"], 69),
        (&["--socket", "/etc/hostname", "list"], 69),
        (&["--socket", &socket, "show", "nobody"], 30),
        (&["--socket", &socket, "show", ""], 2),
        (&["--socket", &socket, "steer", &id, "x"], 32),
    ];
    for (arguments, code) in cases {
        let ran = dcodectl(arguments).run().exits(code).out("");
        assert!(!ran.stderr.trim().is_empty(), "{ran:#?}");
    }
    daemon.add_fault(answers("GET", 200, "{not json"));
    at(&daemon, ["show", &id])
        .run()
        .exits(76)
        .out("")
        .err_has("dcodectl: error: ");
    let within = Duration::from_secs(20);
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let help = dcodectl(["help", "exit-codes"]);
    let mut child = help.spawn(Stdio::null(), full, Stdio::piped());
    let status = support::wait_for(&mut child, within).expect("it ends");
    let stderr = std::io::read_to_string(child.stderr.take().unwrap()).unwrap();
    assert_eq!(status.code(), Some(74), "{stderr}");
    assert!(stderr.contains("stdout could not be written"), "{stderr}");
}
