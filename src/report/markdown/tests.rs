//! What readers of Markdown make of the report, told by a reader that is not ours.

use proptest::prelude::*;
use pulldown_cmark::{Event as Mark, Options, Parser, Tag};

use super::*;
use crate::report::GateVerdict;
use crate::report::testing::{recording, recordings};

fn report(lines: &[String], verdict: Option<&Verdict>) -> String {
    let mut out = Vec::new();
    let mut markdown = Markdown::new(&mut out);
    for line in lines {
        markdown.event(&Event::parse(line).unwrap()).unwrap();
    }
    markdown.end(verdict).unwrap();
    String::from_utf8(out).unwrap()
}

/// What a reader sees: headings, code, the kinds of anything that must not be there.
#[derive(Debug, Default, PartialEq)]
struct Read {
    headings: usize,
    rows: usize,
    code: Vec<String>,
    blocks: Vec<String>,
    foreign: Vec<String>,
    prose: String,
}

fn read(markdown: &str) -> Read {
    let mut read = Read::default();
    let mut in_block = false;
    for mark in Parser::new_ext(markdown, Options::all()) {
        match mark {
            Mark::Start(Tag::Heading { .. }) => read.headings += 1,
            Mark::Start(Tag::TableRow) => read.rows += 1,
            Mark::Start(Tag::CodeBlock(_)) => {
                in_block = true;
                read.blocks.push(String::new());
            }
            Mark::End(pulldown_cmark::TagEnd::CodeBlock) => in_block = false,
            Mark::Text(text) if in_block => read.blocks.last_mut().unwrap().push_str(&text),
            Mark::Text(text) => read.prose.push_str(&text),
            Mark::Code(text) => read.code.push(text.into_string()),
            Mark::Start(
                Tag::Paragraph
                | Tag::List(_)
                | Tag::Item
                | Tag::Table(_)
                | Tag::TableHead
                | Tag::TableCell,
            )
            | Mark::End(_)
            | Mark::SoftBreak => {}
            other => read.foreign.push(format!("{other:?}")),
        }
    }
    read
}

/// A turn in which every text that a model or a tool can choose is this one.
fn hostile(text: &str) -> Vec<String> {
    let quoted = serde_json::to_string(text).unwrap();
    let diff = serde_json::to_string(&format!("@@ -1 +1 @@ {text}\n+x")).unwrap();
    let payloads = [
        (
            "turn.started",
            format!(r#"{{"turn_id":{quoted},"text":{quoted}}}"#),
        ),
        (
            "tool.requested",
            format!(
                r#"{{"turn_id":"t1","tool_call_id":"c","name":{quoted},"input":{{"command":{quoted}}}}}"#
            ),
        ),
        (
            "tool.approval_required",
            format!(
                r#"{{"approval_id":{quoted},"tool_call_id":"c","tool":{quoted},"boundary_crossed":{quoted}}}"#
            ),
        ),
        (
            "tool.approval_resolved",
            format!(r#"{{"approval_id":{quoted},"decision":{quoted}}}"#),
        ),
        (
            "tool.completed",
            format!(r#"{{"tool_call_id":"c","ok":false,"output":{quoted},"diff":{diff}}}"#),
        ),
        (
            "session.error",
            format!(r#"{{"code":{quoted},"message":{quoted}}}"#),
        ),
        (
            "turn.completed",
            format!(
                r#"{{"turn_id":"t1","reason":"incomplete","completion":{{"verification":{quoted},"met":[{quoted}],"unmet":[{quoted}],"unavailable":[{quoted}],"touched_protected":[{quoted}]}}}}"#
            ),
        ),
    ];
    let event = |(number, (kind, payload)): (usize, &(&str, String))| {
        format!(
            r#"{{"seq":{},"session_id":{quoted},"type":"{kind}","at":"2026-12-01T05:00:00Z","payload":{payload}}}"#,
            number + 1
        )
    };
    payloads.iter().enumerate().map(event).collect()
}

fn verdict(text: &str) -> Verdict {
    Verdict {
        exit_code: 18,
        exit_name: "protected_touched".into(),
        message: Some(text.into()),
        model: Some(text.into()),
        gates: vec![GateVerdict {
            name: "forbid-protected".into(),
            passed: false,
            message: Some(text.into()),
        }],
        ..Verdict::default()
    }
}

#[test]
fn that_an_outcome_is_accepted_stands_beside_the_outcome() {
    for (exit_code, exit_name) in [(0, "done"), (17, "not_verified")] {
        let verdict = Verdict {
            exit_code,
            exit_name: exit_name.into(),
            accepted: true,
            ..Verdict::default()
        };
        let text = report(&recording("unverified"), Some(&verdict));
        let line =
            format!("turn ended unverified (accepted) · exit code {exit_code} ({exit_name})");
        assert!(text.contains(&line), "{text}");
    }
}

#[test]
fn the_verdict_comes_first_and_what_it_rests_on_after() {
    let text = report(&recording("incomplete-touched-protected"), None);
    let expected_start =
        "\n## ◆ incomplete\n\n`criteria: 1 met, 1 unmet`\n\nturn ended incomplete · ";
    assert!(text.starts_with(expected_start), "{text}");
    let table =
        "| criterion | result |\n| :-- | :-- |\n| `lint` | ✗ unmet |\n| `tests` | ✓ met |\n";
    assert!(text.contains(table), "{text}");
    assert!(text.contains("### Protected paths written"), "{text}");
    assert!(text.contains("- `sub/x_test.txt`\n"), "{text}");
    assert!(
        text.contains("### Changed files\n\n- `sub/x_test.txt` (+1)"),
        "{text}"
    );
    assert!(text.contains("### Cost\n\n"), "{text}");
}

#[test]
fn failures_show_the_end_of_their_output() {
    let text = report(&recording("done-tools"), None);
    assert!(
        text.contains("### Failed tool calls\n\n- `bash` `"),
        "{text}"
    );
    assert!(read(&text).blocks[0].starts_with("exit 3\n"), "{text}");
}

#[test]
fn an_old_completion_is_named_as_such() {
    let text = report(&recording("completion-stale"), None);
    assert!(text.contains("is no evidence about this turn."), "{text}");
}

#[test]
fn every_recording_is_read_as_it_is_meant() {
    for name in recordings() {
        let text = report(&recording(&name), None);
        assert_eq!(read(&text).foreign, Vec::<String>::new(), "{name}: {text}");
    }
}

#[test]
fn attacks_stay_what_they_are() {
    let attacks = [
        "<script>alert(1)</script>",
        "`` ` ``` <b>x</b>",
        "`",
        "```\n# heading\n```",
        "a | b \\| c \\",
        "@octocat fixes #1 https://evil.example www.evil.example a@b.example",
        "[x](javascript:alert(1)) ![i](http://evil/x.png)",
        "\n\n# heading\n\n- item\n\n| a | b |\n| --- | --- |\n",
        "$$x$$ :smile: [^1]: note ~~~ ***",
        " ",
        "",
        "\r\n\r\n<!-- ",
        "---\ntitle: x\n---",
    ];
    for attack in attacks {
        let plain = read(&report(&hostile("x"), Some(&verdict("x"))));
        let read = read(&report(&hostile(attack), Some(&verdict(attack))));
        assert_eq!(read.foreign, Vec::<String>::new(), "{attack:?}");
        // A path with a line break in it is no path, so that its section may be missing.
        assert!(read.headings <= plain.headings, "{attack:?}");
        assert_eq!(read.rows, plain.rows, "{attack:?}");
    }
}

proptest! {
    #[test]
    fn no_text_gets_out_of_its_code(text in "([`|\\\\<>@\\[\\]()#*_~$!: \n\r\t-]|[a-c]|\\PC){0,40}") {
        let markdown = report(&hostile(&text), Some(&verdict(&text)));
        let read = read(&markdown);
        prop_assert_eq!(&read.foreign, &Vec::<String>::new(), "{}", markdown);
        prop_assert_eq!(read.rows, 3);
        let raw = |c: char| c.is_control() && c != '\n';
        prop_assert!(!markdown.chars().any(|c| raw(c) && c != '\t'));
    }

    #[test]
    fn code_is_read_back_as_it_was(text in "([` ]|[a-c]|\\PC){1,40}") {
        let shown = crate::report::visible(&text).into_owned();
        let read = read(&format!("- {}\n", code(&text)));
        prop_assert_eq!(read.code, vec![shown]);
        prop_assert_eq!(read.prose, "");
    }
}
