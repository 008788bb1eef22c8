//! The watch beside every command line that a test runs (`support::watch`) sees what is wrong with an output, wherever it
//! stands and however the command is run. Here another program, in the place of ours, prints what ours never would.

#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Stdio;

use serde_json::{Value, json};
use support::inside::inside;
use support::snippets::{Place, Way};
use support::{Run, at, daemon, dcodectl, playing};
use tempfile::TempDir;

/// What the other program prints and writes.
#[derive(Clone)]
struct Outputs {
    out: String,
    err: String,
    events: Option<String>,
    summary: Option<String>,
    code: i32,
}

/// It has more to say than fits into arguments.
const PROGRAM: &str = r#"
cat "$FROM/out"
cat "$FROM/err" >&2
for file in events summary; do
    [ ! -e "$FROM/$file" ] || cp "$FROM/$file" "$file"
done
exit "$CODE"
"#;

/// A line with its files, both spelled in their own way.
const LINE: [&str; 6] = [
    "run",
    "--json",
    "--events",
    "events",
    "--summary=summary",
    "x",
];

/// Puts a value at a JSON pointer of a line.
fn with(line: &str, pointer: &str, value: Value) -> String {
    let mut object: Value = serde_json::from_str(line).unwrap();
    *object.pointer_mut(pointer).unwrap() = value;
    format!("{object}\n")
}

impl Outputs {
    /// What our program prints and writes for `LINE`.
    fn ours() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let daemon = daemon("done");
        let ran = at(&daemon, LINE).dir(folder.path()).run().exits(0);
        let text = |name| Some(fs::read_to_string(folder.path().join(name)).unwrap());
        Self {
            out: ran.stdout,
            err: ran.stderr,
            events: text("events"),
            summary: text("summary"),
            code: 0,
        }
    }

    fn change(&self, change: impl FnOnce(&mut Self)) -> Self {
        let mut changed = self.clone();
        change(&mut changed);
        changed
    }

    /// The command line, about to be run by the other program in a folder.
    fn instead_of(&self, line: &[&str], folder: &TempDir) -> Run {
        let from = folder.path().join("from");
        fs::create_dir_all(&from).unwrap();
        let texts = [
            ("out", Some(&self.out)),
            ("err", Some(&self.err)),
            ("events", self.events.as_ref()),
            ("summary", self.summary.as_ref()),
        ];
        for (name, text) in texts {
            if let Some(text) = text {
                fs::write(from.join(name), text).unwrap();
            }
        }
        let run = dcodectl(line).behind("sh", &["-c", PROGRAM, "sh"]);
        let run = run.env("FROM", from).env("CODE", self.code.to_string());
        run.dir(folder.path())
    }

    /// What the watch says, if it says anything.
    fn fault(&self, line: &[&str]) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        fault(|| drop(self.instead_of(line, &folder).run()))
    }

    #[track_caller]
    fn holds(&self, line: &[&str]) {
        assert_eq!(self.fault(line), None);
    }

    #[track_caller]
    fn fails(&self, line: &[&str], why: &str) {
        let said = self.fault(line);
        let said = said.unwrap_or_else(|| panic!("nothing is said of {why:?}"));
        assert!(said.contains(why), "{why:?} is not in {said}");
    }
}

/// What a test fails with.
fn fault(test: impl FnOnce()) -> Option<String> {
    let panic = catch_unwind(AssertUnwindSafe(test)).err()?;
    Some(*panic.downcast::<String>().expect("a message"))
}

#[test]
fn a_wrong_line_on_stdout_is_seen_wherever_it_stands() {
    let ours = Outputs::ours();
    ours.holds(&LINE);
    let first = ours.out.lines().next().unwrap();
    let wrong = with(first, "/seq", json!("one"));
    let long = ours.out.repeat(400);
    assert!(long.lines().count() > 1500);
    for out in [
        format!("{wrong}{}", ours.out),
        format!("{}{wrong}", ours.out),
        format!("{long}{wrong}{long}"),
    ] {
        let changed = ours.change(|outputs| outputs.out = out);
        changed.fails(&LINE, "no Event: /seq");
    }
    for (more, why) in [
        ("a word\n", "no JSON object"),
        ("[]\n", "no JSON object"),
        ("\n", "no JSON object"),
        (first, "the last line is not whole"),
        ("{\"session_id\":\"s\"}\n", "no Event"),
        (ours.summary.as_ref().unwrap(), "out of place"),
    ] {
        let changed = ours.change(|outputs| outputs.out += more);
        changed.fails(&LINE, why);
    }
    let list = ours.change(|outputs| outputs.out = "id  state\n".to_owned());
    list.holds(&["list"]);
    list.fails(&["list", "--json"], "no JSON object");
    list.fails(&["-ondjson", "list"], "no JSON object");
}

#[test]
fn a_wrong_summary_is_seen() {
    let ours = Outputs::ours();
    let text = ours.summary.clone().unwrap();
    let mut lacking: Value = serde_json::from_str(&text).unwrap();
    lacking.as_object_mut().unwrap().remove("gates");
    let none = String::new();
    for (summary, why) in [
        (
            Some(with(&text, "/schema_version", json!(2))),
            "no Summary: /schema_version",
        ),
        (Some(with(&text, "/exit_name", json!("fine"))), "no Summary"),
        (Some(format!("{lacking}\n")), "no Summary"),
        (Some(text.trim_end().to_owned()), "is not whole"),
        (Some(format!("{text}{text}")), "no JSON object"),
        (Some(none), "is not whole"),
        (None, "No such file"),
    ] {
        let changed = ours.change(|outputs| outputs.summary = summary);
        changed.fails(&LINE, why);
    }
    // It names another code than that of the command.
    ours.change(|outputs| outputs.code = 10)
        .fails(&LINE, "the code is 10");
    // A timeout leaves one, too; a file that could not be opened, or a second signal, may not.
    for (code, holds) in [(124, false), (141, false), (74, true), (143, true)] {
        let gone = ours.change(|outputs| (outputs.summary, outputs.code) = (None, code));
        let plain = ["run", "--events", "events", "--summary", "summary", "x"];
        if holds {
            gone.holds(&plain);
        } else {
            gone.fails(&plain, "No such file");
        }
    }
    // Behind `--` it is a text, and no file is expected.
    let no_files = ours.change(|outputs| (outputs.events, outputs.summary) = (None, None));
    no_files.holds(&["run", "--json", "--", "--summary=summary"]);
    no_files.fails(&["wait", "s", "--summary", "summary"], "No such file");
}

#[test]
fn a_summary_on_stdout_is_the_last_line_and_holds() {
    let ours = Outputs::ours();
    let summary = ours.summary.clone().unwrap();
    let wrong = with(&summary, "/tools", json!({}));
    for json in [true, false] {
        let line = ["run", "--summary=-", "x", "--json"];
        let line = &line[..3 + usize::from(json)];
        let prints = |last: &str| ours.change(|outputs| outputs.out += last);
        prints(&summary).holds(line);
        prints(&wrong).fails(line, "no Summary: /tools");
        prints("").fails(line, "no Summary");
        let other = prints(&summary).change(|outputs| outputs.code = 11);
        other.fails(line, "the code is 11");
        let late = prints(&summary).change(|outputs| outputs.code = 143);
        late.fails(line, "the code is 143");
        prints("").change(|outputs| outputs.code = 143).holds(line);
        if json {
            prints(&format!("{summary}{summary}")).fails(line, "out of place");
        }
    }
}

#[test]
fn a_wrong_events_file_is_seen() {
    let ours = Outputs::ours();
    let text = ours.events.clone().unwrap();
    let wrong = with(text.lines().next().unwrap(), "/at", json!("today"));
    for (events, why) in [
        (Some(format!("{text}{wrong}")), "no Event: /at"),
        (Some(format!("{text}a word\n")), "no JSON object"),
        (Some(text.trim_end().to_owned()), "is not whole"),
        (None, "No such file"),
    ] {
        let changed = ours.change(|outputs| outputs.events = events);
        changed.fails(&LINE, why);
    }
}

#[test]
fn a_wrong_line_on_stderr_is_seen_under_json() {
    let ours = Outputs::ours();
    let says = |err: &str, code: i32| {
        let summary = ours.summary.as_ref().unwrap();
        let (code_of, name) = (json!(code), json!("timeout"));
        ours.change(|outputs| {
            outputs.err = err.to_owned();
            outputs.code = code;
            if code != 0 {
                let summary = with(summary, "/exit_code", code_of);
                outputs.summary = Some(with(&summary, "/exit_name", name));
            }
        })
    };
    let error = r#"{"error":{"code":"timeout","exit_code":124,"message":"late"}}"#;
    says(&format!("{error}\n"), 124).holds(&LINE);
    says("{\"notice\":{\"code\":\"x\",\"message\":\"\"}}\n", 0).holds(&LINE);
    says("dcodectl: note: x\n", 0).holds(&["run", "x"]);
    for (err, code, why) in [
        ("dcodectl: note: x\n", 0, "no JSON object"),
        ("{\"notice\":{\"code\":\"x\"}}\n", 0, "no Message"),
        (
            "{\"error\":{\"code\":\"x\",\"message\":\"y\"}}\n",
            1,
            "no Message",
        ),
        (&format!("{error}\n"), 0, "the errors name [124]"),
        (&format!("{error}\n"), 75, "the errors name [124]"),
        ("", 124, "the errors name []"),
    ] {
        says(err, code).fails(&LINE, why);
    }
}

#[test]
fn an_exemption_is_for_one_type_and_has_to_be_needed() {
    let ours = Outputs::ours();
    let delta = ours.out.lines().find(|line| line.contains("message.delta"));
    let wrong = with(delta.unwrap(), "/payload/turn_id", json!(7));
    let odd = ours.change(|outputs| outputs.out.insert_str(0, &wrong));
    let exempt = |outputs: &Outputs, kind: &str| {
        let folder = tempfile::tempdir().unwrap();
        fault(|| drop(outputs.instead_of(&LINE, &folder).odd(kind).run()))
    };
    odd.fails(&LINE, "no Event: /payload/turn_id");
    assert_eq!(exempt(&odd, "message.delta"), None);
    let other = exempt(&odd, "turn.started").unwrap();
    assert!(other.contains("no Event: /payload/turn_id"), "{other}");
    let needless = exempt(&ours, "message.delta").unwrap();
    assert!(needless.contains("message.delta is exempt"), "{needless}");
}

#[test]
fn streams_that_a_test_reads_by_hand_are_seen() {
    let ours = Outputs::ours();
    let folder = tempfile::tempdir().unwrap();
    let by_hand = |outputs: &Outputs| {
        let run = outputs.instead_of(&LINE, &folder);
        fault(|| {
            let mut child = run.spawn(Stdio::null(), Stdio::piped(), Stdio::piped());
            // In pieces, of which none is a line.
            let mut pipe = child.stdout.take().unwrap();
            let (mut read, mut piece) = (Vec::new(), [0; 7]);
            loop {
                match pipe.read(&mut piece).unwrap() {
                    0 => break,
                    count => read.extend_from_slice(&piece[..count]),
                }
            }
            assert_eq!(String::from_utf8(read).unwrap(), outputs.out);
            child.wait().unwrap();
        })
    };
    assert_eq!(by_hand(&ours), None);
    let first = ours.out.lines().next().unwrap();
    let wrong = with(first, "/type", json!(""));
    let changed = ours.change(|outputs| outputs.out += &wrong);
    let said = by_hand(&changed).unwrap();
    assert!(said.contains("no Event: /type"), "{said}");
    // And the files of one that is never waited for.
    let wrong = with(ours.summary.as_ref().unwrap(), "/model", json!(1));
    let changed = ours.change(|outputs| outputs.summary = Some(wrong));
    let run = changed.instead_of(&LINE, &folder);
    let said = fault(|| {
        let child = run.spawn(Stdio::null(), Stdio::null(), Stdio::piped());
        support::until("the summary", || {
            fs::read_to_string(folder.path().join("summary"))
                .is_ok_and(|text| text.contains("\"model\":1"))
        });
        drop(child);
    });
    assert!(said.as_ref().unwrap().contains("/model"), "{said:?}");
}

#[test]
fn runs_inside_the_test_are_seen() {
    let events = [
        ("turn.started", r#"{"turn_id":"t1"}"#),
        ("turn.completed", r#"{"turn_id":7}"#),
    ];
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("events");
    for line in [
        vec!["run", "--json", "x"],
        vec!["run", "--events", file.to_str().unwrap(), "x"],
    ] {
        let daemon = playing(&events, |_| {});
        let said = fault(|| drop(inside(&daemon, &line).run()));
        let said = said.unwrap_or_else(|| panic!("{line:?}"));
        assert!(said.contains("no Event: /payload/turn_id"), "{said}");
        inside(&daemon, &line).odd("turn.completed").run().exits(19);
        let said = fault(|| drop(inside(&daemon, &line).odd("turn.started").run()));
        assert!(said.is_some(), "{line:?}");
    }
}

#[test]
fn what_scripts_print_and_write_is_seen() {
    let summary = Outputs::ours().summary.unwrap();
    let wrong = with(&summary, "/rounds", json!("many"));
    for script in [
        "cat ../wrong",
        "mkdir deep; cat ../wrong >deep/of-any-name",
        "cat ../wrong >&2",
    ] {
        let place = Place::new();
        place.script("wrong", &summary);
        assert_eq!(fault(|| drop(place.run(script, Way::plain("done")))), None);
        let place = Place::new();
        place.script("wrong", &wrong);
        let said = fault(|| drop(place.run(script, Way::plain("done"))));
        let said = said.unwrap_or_else(|| panic!("{script}"));
        assert!(said.contains("no Summary: /rounds"), "{said}");
    }
}
