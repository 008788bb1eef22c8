//! `render`: a log as any output.

use std::fs;
use std::path::Path;

use crate::support::{at, create, daemon, data_lines, dcodectl, recording};

/// A recorded stream as an NDJSON log.
fn log(name: &str) -> String {
    data_lines(&recording(name)).join("\n") + "\n"
}

#[test]
fn a_log_is_shown_as_any_output() {
    let daemon = daemon("done");
    let id = create(&daemon);
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("events");
    let file = file.to_str().unwrap();
    let live = at(&daemon, ["submit", &id, "--events", file, "x"])
        .run()
        .exits(0)
        .err("");
    let ran = dcodectl(["render", file]).run().exits(0).err("");
    // The log does not say how large the context window is.
    let without_share = |text: &str| {
        let lines = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("context "));
        lines.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(without_share(&ran.stdout), without_share(&live.stdout));
    let text = fs::read_to_string(file).unwrap();
    dcodectl(["render", file, "--json"])
        .run()
        .exits(0)
        .err("")
        .out(&text);
    dcodectl(["render", "-", "-o", "ndjson"])
        .stdin(text.as_bytes())
        .run()
        .exits(0)
        .err("")
        .out(&text);
    let answer = "An empty string now parses to an empty list, and all ten tests pass. \n";
    dcodectl(["render", file, "-o", "answer"])
        .run()
        .exits(0)
        .err("")
        .out(answer);
    // Line breaks of another system, and a last line without its own.
    let crlf = text.trim_end().replace('\n', "\r\n\r\n");
    dcodectl(["render", "-", "--json"])
        .stdin(crlf)
        .run()
        .exits(0)
        .err("")
        .out(&text);
}

#[test]
fn every_recording_is_shown_with_code_0_and_its_own_bytes() {
    for entry in fs::read_dir(recording("done-plain").parent().unwrap()).unwrap() {
        let name = entry.unwrap().file_name();
        let name = Path::new(&name).file_stem().unwrap().to_str().unwrap();
        let text = log(name);
        if text == "\n" {
            continue;
        }
        dcodectl(["render", "-", "--json"])
            .stdin(text.as_bytes())
            .run()
            .exits(0)
            .err("")
            .out(&text);
        let ran = dcodectl(["render", "-"]).stdin(text).run().exits(0).err("");
        assert!(!ran.stdout.contains('\u{1b}'), "{name}");
    }
}

#[test]
fn the_answer_is_that_of_the_last_turn() {
    let text = log("multi-turn");
    let whole = dcodectl(["render", "-", "-o", "answer"])
        .stdin(text.as_bytes())
        .run()
        .exits(0);
    let start = text.rfind(r#""type":"turn.started""#).unwrap();
    let start = text[..start].rfind('\n').unwrap() + 1;
    let last = dcodectl(["render", "-", "-o", "answer"])
        .stdin(&text.as_bytes()[start..])
        .run()
        .exits(0);
    assert_eq!(whole.stdout, last.stdout);
    assert!(!whole.stdout.is_empty());
    let ran = dcodectl(["render", "-", "-o", "answer"])
        .stdin(log("error-auth"))
        .run()
        .exits(0);
    ran.out("").err_has("no answer is printed: ");
}

#[test]
fn d06_a_sequence_number_may_stand_twice_in_a_record_file() {
    let mut lines = data_lines(&recording("done-plain"));
    let renamed = lines[0].clone();
    let renamed = renamed.replacen("session.created", "session.renamed", 1);
    let renamed = renamed.replacen("\"seq\":1,", "\"seq\":3,", 1);
    lines.insert(2, renamed);
    let text = lines.join("\n") + "\n";
    dcodectl(["render", "-", "--json"])
        .stdin(text.as_bytes())
        .run()
        .exits(0)
        .err("")
        .out(&text);
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("record.jsonl");
    fs::write(&file, &text).unwrap();
    let ran = dcodectl([
        "simulate",
        "--speed",
        "instant",
        "--replay",
        file.to_str().unwrap(),
        "--",
        "dcodectl",
        "run",
        "--json",
        "x",
    ])
    .run()
    .exits(0)
    .err("");
    let turn = lines
        .iter()
        .skip_while(|line| !line.contains("turn.started"));
    assert_eq!(ran.stdout.lines().count(), turn.count());
}

#[test]
fn a_line_that_is_no_event_is_76_and_named() {
    let good = log("done-plain");
    let first = good.lines().next().unwrap();
    for bad in [
        "nonsense",
        "{}",
        "[]",
        "null",
        r#"{"seq":"1","type":"x"}"#,
        "data: {}",
    ] {
        let text = format!("{first}\n\n{bad}\n{first}\n");
        let ran = dcodectl(["render", "-", "--json"])
            .stdin(text)
            .run()
            .exits(76);
        assert_eq!(ran.stdout, format!("{first}\n"));
        let error = &ran.err_objects()[0]["error"];
        assert!(
            error["message"]
                .as_str()
                .unwrap()
                .contains("line 3 of - is"),
            "{ran:#?}"
        );
    }
    let ran = dcodectl(["render", "-"])
        .stdin(b"\xff\n".to_vec())
        .run()
        .exits(76)
        .out("");
    ran.err_has("line 1 of - is not UTF-8");
    dcodectl(["render", "/does/not/exist"])
        .run()
        .exits(2)
        .out("")
        .err_has("/does/not/exist");
    dcodectl(["render", "-"])
        .stdin("")
        .run()
        .exits(0)
        .out("")
        .err("");
    dcodectl(["render"]).run().exits(2).out("");
}
