//! Outputs that go to the file that a stream is redirected to, by the operators of a shell.

use std::path::Path;

use crate::support::{Ran, at, daemon, data_lines, dcodectl, recording};

/// Runs it with a stream redirected to the file.
fn redirected(run: crate::support::Run, operator: &str, file: &Path) -> Ran {
    let script = format!("exec \"$@\" {operator}\"$0\"");
    run.behind("sh", &["-c", &script, file.to_str().unwrap()])
        .run()
}

#[test]
fn no_output_is_written_over_by_what_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log");
    let name = file.to_str().unwrap();
    let (markdown, junit) = (format!("markdown={name}"), format!("junit={name}"));
    let daemon = daemon("done");
    for (operator, stream) in [(">", "stdout"), (">>", "stdout"), ("2>", ""), ("2>>", "")] {
        for option in [
            ["--summary", name],
            ["--events", name],
            ["--report", &junit],
        ] {
            std::fs::write(&file, "kept\n").unwrap();
            let run = at(&daemon, ["run", "x"].iter().chain(&option));
            let ran = redirected(run, operator, &file).exits(2);
            assert!(
                ran.stderr.contains(stream),
                "{operator} {option:?}: {ran:#?}"
            );
            let text = std::fs::read_to_string(&file).unwrap();
            let kept = operator.contains(">>");
            assert_eq!(
                text.starts_with("kept\n"),
                kept,
                "{operator} {option:?}: {text}"
            );
        }
    }
    let refused = ["run", "x", "--report", &markdown];
    redirected(at(&daemon, refused), ">", &file)
        .exits(2)
        .err_has("stdout goes there, too")
        .err_has("with >> for >");
    redirected(at(&daemon, refused), "2>", &file).exits(2);
    let tail = ["tail", "--all", "--no-follow", "--cursor", name];
    redirected(at(&daemon, tail), ">", &file).exits(2);
}

#[test]
fn a_report_is_appended_to_what_is_appended_to() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("step.md");
    std::fs::write(&file, "kept\n").unwrap();
    let report = format!("markdown={}", file.display());
    let daemon = daemon("done");
    let run = ["run", "-o", "answer", "x", "--report", &report];
    redirected(at(&daemon, run), ">>", &file).exits(0).err("");
    let text = std::fs::read_to_string(&file).unwrap();
    let (answer, rest) = text
        .strip_prefix("kept\n")
        .unwrap()
        .split_once('\n')
        .unwrap();
    assert!(answer.trim_end().ends_with("all ten tests pass."), "{text}");
    assert!(rest.contains("## "), "{text}");
    // Devices and pipes take what several write to them.
    for operator in [">/dev/null 3>", "| cat >"] {
        let [out, err] = ["junit=/dev/stdout", "markdown=/dev/stderr"];
        let run = ["run", "x", "--report", out, "--report", err];
        redirected(at(&daemon, run), operator, &folder.path().join("3")).exits(0);
    }
}

#[test]
fn a_log_does_not_grow_by_what_is_shown_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log");
    let log = data_lines(&recording("done-tools")).join("\n");
    std::fs::write(&file, &log).unwrap();
    for line in [
        ["render", "--json", file.to_str().unwrap()],
        ["render", "--quiet", file.to_str().unwrap()],
    ] {
        redirected(dcodectl(line), ">>", &file)
            .exits(2)
            .err_has("stdout goes to the file that is to be read");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), log);
    }
    let stdin = format!("<{} >>", file.display());
    redirected(dcodectl(["render", "--json", "-"]), &stdin, &file).exits(2);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), log);
    // A prompt is read as a whole before anything is printed.
    let daemon = daemon("done");
    std::fs::write(&file, "Fix it\n").unwrap();
    let run = ["run", "--file", file.to_str().unwrap()];
    redirected(at(&daemon, run), ">>", &file).exits(0);
}
