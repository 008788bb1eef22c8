//! `simulate`: a daemon to try scripts with, around a command or on its own.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use crate::support::process::spawn;
use crate::support::{HANG, Run, binary, dcodectl, objects, recording, until, wait_for};

/// What `sh -c` is run as inside.
fn around(script: &str) -> crate::support::Run {
    dcodectl([
        "simulate", "--speed", "instant", "done", "--", "sh", "-c", script,
    ])
}

#[test]
fn a_commands_code_is_ours() {
    around("exit 7").run().exits(7).out("").err("");
    around("kill -TERM $$").run().exits(143).out("").err("");
    around("kill -KILL $$").run().exits(137).out("").err("");
    dcodectl(["simulate", "--", "/does/not/exist"])
        .run()
        .exits(127)
        .out("")
        .err_has("/does/not/exist cannot be run");
    dcodectl(["simulate", "--", "/"])
        .run()
        .exits(126)
        .out("")
        .err_has("cannot be run");
    let ran = dcodectl(["simulate", "--json", "--", "no-such-command"])
        .run()
        .exits(127)
        .out("");
    assert_eq!(ran.err_objects()[0]["error"]["exit_code"], 127);
}

#[test]
fn the_command_finds_the_daemon_and_this_program() {
    let ran =
        around("dcodectl run -o answer x && echo \"$DCODE_SOCKET\" && command -v dcodectl").run();
    let ran = ran.exits(0).err("");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(lines[0].contains("all ten tests pass"), "{ran:#?}");
    assert_eq!(lines[2], binary().to_str().unwrap());
    // Nothing is left behind.
    let socket = Path::new(lines[1]);
    assert!(
        !socket.exists() && !socket.parent().unwrap().exists(),
        "{ran:#?}"
    );
    // stdin goes to the command.
    around("cat")
        .stdin("to the command")
        .run()
        .exits(0)
        .out("to the command")
        .err("");
}

#[test]
fn a_chosen_socket_is_used_and_an_existing_path_is_left_alone() {
    let place = tempfile::tempdir().unwrap();
    let free = place.path().join("free");
    let taken = place.path().join("taken");
    fs::write(&taken, "precious").unwrap();
    let ran = dcodectl([
        "simulate",
        "--socket",
        free.to_str().unwrap(),
        "--",
        "sh",
        "-c",
        "echo $DCODE_SOCKET",
    ])
    .run();
    ran.exits(0).out(&format!("{}\n", free.display())).err("");
    assert!(!free.exists());
    let ran = dcodectl(["--socket", taken.to_str().unwrap(), "simulate"])
        .run()
        .exits(2)
        .out("");
    ran.err_has(taken.to_str().unwrap())
        .err_has("is left alone");
    assert_eq!(fs::read_to_string(&taken).unwrap(), "precious");
    // The variable is where others listen.
    let ran = dcodectl(["simulate", "--", "sh", "-c", "echo $DCODE_SOCKET"])
        .env("DCODE_SOCKET", &free)
        .run()
        .exits(0)
        .err("");
    assert_ne!(ran.stdout.trim_end(), free.to_str().unwrap());
    assert!(!free.exists());
}

/// The program with INT and HUP as they are at a terminal: whoever runs the tests may ignore them,
/// and then so would it.
fn with_default_signals(arguments: &[&str]) -> Run {
    dcodectl(arguments).behind("env", &["--default-signal=INT,HUP"])
}

#[test]
fn without_a_command_it_serves_until_a_signal() {
    for (json, signal, code) in [
        (false, Signal::TERM, 143),
        (true, Signal::INT, 130),
        (false, Signal::HUP, 129),
    ] {
        let line = ["simulate", "done", "--json"];
        let run = with_default_signals(&line[..2 + usize::from(json)]);
        let mut child = spawn(run, Stdio::piped());
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let socket = if json {
            objects(&line)[0]["socket"].as_str().unwrap().to_owned()
        } else {
            line.trim_end().to_owned()
        };
        dcodectl(["ping"])
            .env("DCODE_SOCKET", &socket)
            .run()
            .exits(0)
            .err("");
        kill_process(Pid::from_child(&child), signal).unwrap();
        let status = wait_for(&mut child, HANG).unwrap();
        assert_eq!(status.code(), Some(code));
        assert!(!Path::new(&socket).parent().unwrap().exists());
    }
}

#[test]
fn term_and_hup_are_passed_to_the_command_which_is_outlived() {
    for (name, signal) in [("TERM", Signal::TERM), ("HUP", Signal::HUP)] {
        let place = tempfile::tempdir().unwrap();
        let (ready, got) = (place.path().join("ready"), place.path().join("got"));
        let script = format!(
            "trap 'echo got > {}; dcodectl ping > /dev/null && exit 5' {name}; : > {}; while :; do sleep 0.02; done",
            got.display(),
            ready.display()
        );
        let arguments = ["simulate", "done", "--", "sh", "-c", &script];
        let mut child = spawn(with_default_signals(&arguments), Stdio::piped());
        until("the command", || ready.exists());
        kill_process(Pid::from_child(&child), signal).unwrap();
        // It still had its daemon while it cleaned up.
        let status = wait_for(&mut child, HANG).unwrap();
        assert_eq!(status.code(), Some(5));
        assert_eq!(fs::read_to_string(&got).unwrap(), "got\n");
    }
}

#[test]
fn a_second_signal_does_not_leave_the_command_behind() {
    let place = tempfile::tempdir().unwrap();
    let (ready, count) = (place.path().join("ready"), place.path().join("count"));
    let script = format!(
        "trap 'echo x >> {}' TERM; : > {}; while [ \"$(cat {} 2>/dev/null | wc -l)\" -lt 2 ]; do sleep 0.02; done; exit 6",
        count.display(),
        ready.display(),
        count.display()
    );
    let running = around(&script).start();
    until("the command", || ready.exists());
    for seen in 1..=2 {
        running.signal(Signal::TERM);
        until("the signal", || {
            fs::read_to_string(&count).is_ok_and(|text| text.lines().count() >= seen)
        });
    }
    running.wait().exits(6).out("").err("");
}

#[test]
fn scenarios_are_listed_and_unknown_ones_refused() {
    let ran = dcodectl(["simulate", "--list"]).run().exits(0).err("");
    let names: Vec<&str> = ran
        .stdout
        .lines()
        .map(|line| line.split_whitespace().next().unwrap())
        .collect();
    let ran = dcodectl(["simulate", "--list", "--json"])
        .run()
        .exits(0)
        .err("");
    let listed = ran.out_objects();
    assert_eq!(listed.len(), names.len());
    for (object, name) in listed.iter().zip(&names) {
        assert_eq!(&object["scenario"], name);
        assert!(object["description"].as_str().unwrap().len() > 10);
    }
    for reason in dcodectl::protocol::StopReason::KNOWN {
        let name = reason.as_str().replace('_', "-");
        assert!(names.contains(&name.as_str()), "{name}");
    }
    dcodectl(["simulate", "nonsense"])
        .run()
        .exits(2)
        .out("")
        .err_has("there is no scenario 'nonsense'")
        .err_has("hint: dcodectl simulate --list");
}

#[test]
fn options_shape_the_daemon_and_wrong_ones_are_refused() {
    let script = "dcodectl create >/dev/null && dcodectl create";
    let arguments = ["simulate", "--max-sessions", "1", "--", "sh", "-c", script];
    dcodectl(arguments)
        .run()
        .exits(38)
        .out("")
        .err_has("max_sessions_reached");
    let script = "dcodectl run --keep -q --json x >/dev/null; dcodectl list --json";
    let arguments = [
        "simulate",
        "--retention",
        "4",
        "--speed",
        "instant",
        "--",
        "sh",
        "-c",
        script,
    ];
    let ran = dcodectl(arguments).run().exits(0).err("");
    let session = &ran.out_objects()[0];
    let (first, last) = (&session["first_seq"], &session["last_seq"]);
    assert_eq!(last.as_u64().unwrap() - first.as_u64().unwrap(), 3);
    let replay = recording("unverified");
    for arguments in [
        vec!["simulate", "--speed", "0"],
        vec!["simulate", "--speed", "fast"],
        vec!["simulate", "--retention", "0"],
        vec!["simulate", "--max-sessions", "0"],
        vec!["simulate", "done", "--replay", replay.to_str().unwrap()],
        vec!["simulate", "--replay", "/does/not/exist"],
        vec!["simulate", "--replay", "Cargo.toml"],
        vec!["simulate", "--list", "--", "true"],
    ] {
        let ran = dcodectl(&arguments).run().exits(2).out("");
        assert!(ran.stderr.starts_with("dcodectl: error: "), "{ran:#?}");
    }
}

#[test]
fn the_socket_is_found_from_anywhere() {
    let folder = tempfile::Builder::new().prefix("dc").tempdir().unwrap();
    crate::support::dcodectl([
        "simulate",
        "--socket",
        "s",
        "--",
        "sh",
        "-c",
        "cd / && dcodectl ping",
    ])
    .dir(folder.path())
    .run()
    .exits(0)
    .err("")
    .out_has("0.5.1-simulated");
}
