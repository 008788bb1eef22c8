//! Options that exclude each other, or that are not for a command: code 2, and nothing is sent.

use crate::support::{at, daemon};

/// The options of the gate, with a value each.
const GATE: [&[&str]; 12] = [
    &["--accept", "done"],
    &["--require-verified"],
    &["--forbid-protected"],
    &["--timeout", "1s"],
    &["--idle-timeout", "1s"],
    &["--heartbeat", "1s"],
    &["--events", "/dev/null"],
    &["--summary", "/dev/null"],
    &["--report", "markdown=/dev/null"],
    &["--on-approval", "allow"],
    &["--on-approval", "allow", "--approval-timeout", "1s"],
    &["--max-rounds", "3"],
];

/// Other lines that are wrong.
const LINES: &[&str] = &[
    "wait s --on-approval allow",
    "wait s --max-rounds 3",
    "wait s --for tea",
    "run --wait-idle 1s x",
    "run --detach x",
    "run --max-rounds 0 x",
    "run --max-rounds many x",
    "run --idle-timeout 0s x",
    "run --heartbeat 5 x",
    "run --on-approval perhaps x",
    "run --on-approval exec: x",
    "run --on-approval ask x",
    "run --on-approval ask --json x",
    "run --approval-timeout 1s x",
    "run --accept timeout x",
    "run -o answer --summary - x",
    "tail s --from 1 --cursor f",
    "tail s --no-follow --until turn",
    "tail s --no-follow --until idle",
    "tail s --until tomorrow",
    "tail s t --from 1",
    "tail s t --until turn",
    "tail s t --turn t1",
    "tail --all --from 1",
    "tail --all --until idle",
    "tail --all --turn t1",
    "tail --all s",
    "tail",
    "tail s --count 0",
    "tail s -o answer",
];

/// The gate's options where there is no end of a turn to judge.
fn gateless() -> Vec<Vec<&'static str>> {
    let mut lines: Vec<Vec<&str>> = Vec::new();
    for options in GATE {
        lines.push(
            ["submit", "--detach"]
                .iter()
                .chain(options)
                .chain(&["s", "x"])
                .copied()
                .collect(),
        );
        // They need the end of a turn; of them --timeout alone is for any wait.
        if options[0] != "--timeout" {
            for what in ["idle", "approval"] {
                lines.push(
                    ["wait", "s", "--for", what]
                        .iter()
                        .chain(options)
                        .copied()
                        .collect(),
                );
            }
        }
    }
    lines
}

#[test]
fn options_that_exclude_each_other_are_code_2_before_anything_is_sent() {
    let daemon = daemon("done");
    let mut lines = gateless();
    lines.extend(LINES.iter().map(|line| line.split(' ').collect()));
    lines.push(vec!["run", "--on-approval", "exec:sh -c 'open", "x"]);
    for line in lines {
        let ran = at(&daemon, &line).run();
        assert_eq!(ran.code(), 2, "{line:?} {ran:#?}");
        assert!(ran.stderr.contains("error"), "{line:?} {ran:#?}");
        assert_eq!(ran.stdout, "", "{line:?}");
    }
    assert!(daemon.requests().is_empty(), "{:?}", daemon.requests());
}
