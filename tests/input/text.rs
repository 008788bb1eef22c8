//! TEXT: one argument, `-`, or `--file`; sent as it is.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;

use dcodectl::simulate::Daemon;
use serde_json::Value;

use crate::support::process::spawn_open;
use crate::support::{HANG, at, create, daemon, seen, wait_for};

/// The text of the last submit.
fn sent(daemon: &Daemon) -> String {
    let requests = daemon.requests();
    let submit = requests
        .iter()
        .rfind(|request| request.path().ends_with("/turns"));
    let body: Value = serde_json::from_slice(&submit.unwrap().body).unwrap();
    body["text"].as_str().unwrap().to_owned()
}

#[test]
fn a_text_is_sent_as_it_is_wherever_it_comes_from() {
    let daemon = daemon("done");
    let id = create(&daemon);
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("prompt");
    for text in [
        "one line",
        "with its break\n",
        "\n two\r\n\tlines \n\n",
        "“ü” 🦀 \u{1b}[31m\u{202e}",
    ] {
        at(&daemon, ["submit", &id, "-o", "answer", "--", text])
            .run()
            .exits(0)
            .err("");
        assert_eq!(sent(&daemon), text);
        at(&daemon, ["submit", &id, "-", "-o", "answer"])
            .stdin(text)
            .run()
            .exits(0)
            .err("");
        assert_eq!(sent(&daemon), text);
        fs::write(&file, text).unwrap();
        at(
            &daemon,
            ["submit", &id, "-o", "answer", "--file"]
                .map(std::ffi::OsStr::new)
                .into_iter()
                .chain([file.as_os_str()]),
        )
        .run()
        .exits(0)
        .err("");
        assert_eq!(sent(&daemon), text);
    }
    // `run` and `steer` read the same way.
    at(&daemon, ["run", "-", "-o", "answer"])
        .stdin("from stdin\n")
        .run()
        .exits(0)
        .err("");
    assert_eq!(sent(&daemon), "from stdin\n");
}

#[test]
fn exactly_one_text_is_wanted() {
    let daemon = daemon("done");
    let id = create(&daemon);
    for arguments in [
        vec!["submit", &id],
        vec!["submit", &id, "x", "--file", "y"],
        vec!["submit", &id, "-", "--file", "y"],
        vec!["submit", &id, "x", "y"],
        vec!["run"],
        vec!["run", "x", "--file", "y"],
        vec!["steer", &id],
        vec!["submit", &id, "--file", "/does/not/exist"],
        vec!["submit", &id, "--file", "/"],
    ] {
        let ran = at(&daemon, &arguments)
            .stdin("never read")
            .run()
            .exits(2)
            .out("");
        assert!(
            ran.stderr.starts_with("dcodectl: error: "),
            "{arguments:?} {ran:#?}"
        );
    }
    assert_eq!(
        seen(&daemon, "POST", "/turns") + seen(&daemon, "POST", "/steer"),
        0
    );
}

#[test]
fn b11_stdin_is_left_alone_unless_it_is_named() {
    let daemon = daemon("done");
    let id = create(&daemon);
    let mut child = spawn_open(at(&daemon, ["submit", &id, "-o", "answer", "hi"]));
    // Held open and never written to.
    let pipe = child.stdin.take().unwrap();
    let status = wait_for(&mut child, HANG).expect("it waits for stdin");
    assert_eq!(status.code(), Some(0));
    drop(pipe);

    // What stands in it is still there afterwards.
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("stdin");
    fs::write(&path, "for somebody else").unwrap();
    let mut file = fs::File::open(&path).unwrap();
    let stdin = file.try_clone().unwrap();
    let mut child = at(&daemon, ["submit", &id, "hi"]).spawn(stdin, Stdio::null(), Stdio::null());
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(0));
    let mut rest = String::new();
    file.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "for somebody else");
}

#[test]
fn b42_a_text_may_begin_with_a_dash_behind_two() {
    let daemon = daemon("done");
    let id = create(&daemon);
    for text in ["- fix x", "--help me", "--json", "-o", "--", "-"] {
        let arguments = ["submit", &id, "-o", "answer", "--", text];
        let run = at(&daemon, arguments);
        // A lone dash is stdin wherever it stands.
        let expected = if text == "-" { "from stdin" } else { text };
        run.stdin("from stdin").run().exits(0).err("");
        assert_eq!(sent(&daemon), expected);
    }
    let before = seen(&daemon, "POST", "/turns");
    for text in ["- fix x", "--help me", "-fix", "--hel"] {
        for arguments in [
            vec!["submit", &id, text],
            vec!["run", text],
            vec!["steer", &id, text],
        ] {
            let ran = at(&daemon, &arguments).run().exits(2).out("");
            ran.err_has("hint: a text that begins with a dash goes after --");
        }
    }
    assert_eq!(seen(&daemon, "POST", "/turns"), before);
}

#[test]
fn b43_arguments_that_are_not_utf_8_are_refused_in_one_line() {
    let daemon = daemon("done");
    let id = create(&daemon);
    let bad = std::ffi::OsStr::from_bytes(b"\xff");
    let word = std::ffi::OsStr::new;
    for arguments in [
        vec![bad],
        vec![word("submit"), bad, word("hi")],
        vec![word("submit"), word(&id), bad],
        vec![word("run"), bad],
        vec![word("rename"), word(&id), bad],
        vec![word("create"), word("--workspace"), bad],
    ] {
        let ran = at(&daemon, &arguments).run().exits(2).out("");
        assert!(!ran.stderr.contains("panicked"), "{ran:#?}");
        let errors = ran.stderr.matches("dcodectl: error: ").count();
        assert_eq!(errors, 1, "{ran:#?}");
    }
    for run in [
        at(&daemon, ["submit", &id, "-"]).stdin(b"ab\xff".to_vec()),
        at(&daemon, ["steer", &id, "-"]).stdin(b"ab\xff".to_vec()),
    ] {
        run.run()
            .exits(2)
            .out("")
            .err_has("stdin is not UTF-8: the byte at 2 belongs to no character");
    }
    assert_eq!(seen(&daemon, "POST", "/turns"), 0);
}

#[test]
fn d02_an_empty_text_spends_no_turn() {
    let daemon = daemon("done");
    let id = create(&daemon);
    let before = daemon.requests().len();
    for text in ["", "  ", "\n\t\r\n", "\u{a0}\u{2003}"] {
        for arguments in [
            vec!["submit", &id, text],
            vec!["submit", &id, text, "--detach"],
            vec!["run", text],
            vec!["steer", &id, text],
        ] {
            at(&daemon, &arguments)
                .run()
                .exits(2)
                .out("")
                .err_has("the text is empty")
                .err_has("-- \"$TEXT\"");
        }
        at(&daemon, ["run", "-"])
            .stdin(text)
            .run()
            .exits(2)
            .out("")
            .err_has("the text is empty");
    }
    at(&daemon, ["rename", &id, "\u{1}"]).run().exits(2).out("");
    assert_eq!(daemon.requests().len(), before);
}

#[test]
fn b44_twelve_megabytes_go_through_whole_and_in_little_memory() {
    let daemon = daemon("done");
    let id = create(&daemon);
    let text = format!("{}\n", "0123456789ab".repeat(1_000_000));
    let mut child = spawn_open(at(&daemon, ["submit", &id, "-", "-o", "answer"]));
    let peak = peak_memory_kib(child.id());
    child
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let status = wait_for(&mut child, HANG).unwrap();
    assert_eq!(status.code(), Some(0));
    let mut answer = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut answer)
        .unwrap();
    assert!(answer.contains("all ten tests pass"), "{answer}");
    assert!(sent(&daemon) == text, "the text was changed on its way");
    let peak = peak.join().unwrap();
    assert!((1_000..100_000).contains(&peak), "{peak} KiB");
}

/// Watches a process to its end and gives the most memory it ever held.
fn peak_memory_kib(pid: u32) -> std::thread::JoinHandle<u64> {
    std::thread::spawn(move || {
        let mut peak = 0;
        while let Ok(status) = fs::read_to_string(format!("/proc/{pid}/status")) {
            let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let Some(line) = line else { break };
            let held = line.trim().trim_end_matches(" kB").trim();
            peak = peak.max(held.parse().unwrap());
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        peak
    })
}
