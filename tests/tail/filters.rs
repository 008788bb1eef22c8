//! `--type`, `--turn`, `--count`.

use super::{EVENTS, NONE, numbers, played, turns};
use crate::support::{at, create, kinds};

#[test]
fn types_are_globs_and_each_option_adds_to_them() {
    let daemon = turns(&[("t1", "done")]);
    let id = create(&daemon);
    played(&daemon, &id);
    let cases: [(&[&str], &[&str]); 9] = [
        (&["turn.*"], &["turn.started", "turn.completed"]),
        (&["turn.completed"], &["turn.completed"]),
        (
            &["tool.*", "message.delta"],
            &["message.delta", "tool.requested", "tool.completed"],
        ),
        (&["*.completed"], &["tool.completed", "turn.completed"]),
        (&["t??l.*"], &["tool.requested", "tool.completed"]),
        (
            &["*"],
            &[
                "session.created",
                "turn.started",
                "message.delta",
                "tool.requested",
                "tool.completed",
                "turn.completed",
            ],
        ),
        (&["turn"], &[]),
        (&["Turn.*"], &[]),
        (&[""], &[]),
    ];
    for (globs, expected) in cases {
        // The option stands before the session: it takes one value and no more.
        let mut line = vec!["tail", "--json", "--no-follow"];
        line.extend(globs.iter().flat_map(|glob| ["--type", glob]));
        line.push(&id);
        let ran = at(&daemon, &line).run().exits(0).err("");
        assert_eq!(kinds(&ran.stdout), expected, "{globs:?}");
        ran.out_objects();
    }
}

#[test]
fn what_is_not_printed_counts_all_the_same_for_the_end_and_the_code() {
    let daemon = turns(&[("t1", "max_tokens")]);
    let id = create(&daemon);
    played(&daemon, &id);
    let line = [
        "tail",
        &id,
        "--from",
        "1",
        "--until",
        "turn",
        "--type",
        "session.*",
        "--json",
    ];
    let ran = at(&daemon, line).run().exits(14);
    assert_eq!(kinds(&ran.stdout), ["session.created"]);
    assert_eq!(ran.err_objects()[0]["error"]["code"], "max_tokens");
}

#[test]
fn a_turn_is_printed_from_its_start_to_its_end() {
    let daemon = turns(&[("t1", "done"), ("t2", "error"), ("t3", "done")]);
    let id = create(&daemon);
    for _ in 0..3 {
        played(&daemon, &id);
    }
    let of = |id: &str, turn: &str| {
        let ran = at(
            &daemon,
            ["tail", id, "--no-follow", "--turn", turn, "--json"],
        )
        .run();
        numbers(&ran.exits(0).err("").stdout)
    };
    assert_eq!(
        of(&id, "t2"),
        (2 + EVENTS..2 + 2 * EVENTS).collect::<Vec<_>>()
    );
    assert_eq!(of(&id, "t9"), NONE);
    // Ids start again in a resumed session: each turn with the id is printed, carried or new.
    let other = at(&daemon, ["create", "--resume", &id]).run().exits(0);
    let other = other.stdout.trim_end();
    played(&daemon, other);
    let both = of(other, "t1");
    let carried = 3..3 + EVENTS;
    let new = 3 + 3 * EVENTS..3 + 4 * EVENTS;
    assert_eq!(both, carried.chain(new).collect::<Vec<_>>());
    // A start that lies before --from is not in the stream, and so its turn is not.
    let from = [
        "tail",
        &id,
        "--no-follow",
        "--turn",
        "t1",
        "--from",
        "3",
        "--json",
    ];
    at(&daemon, from).run().exits(0).out("").err("");
}

#[test]
fn count_ends_after_so_many_printed_events() {
    let daemon = turns(&[("t1", "error")]);
    let id = create(&daemon);
    played(&daemon, &id);
    for count in 1..=1 + EVENTS {
        let ran = at(
            &daemon,
            ["tail", &id, "--count", &count.to_string(), "--json"],
        )
        .run();
        assert_eq!(
            numbers(&ran.exits(0).err("").stdout),
            (1..=count).collect::<Vec<_>>()
        );
    }
    // What a filter holds back does not count.
    let ran = at(
        &daemon,
        [
            "tail",
            &id,
            "--count",
            "2",
            "--type",
            "*.completed",
            "--json",
        ],
    )
    .run();
    assert_eq!(
        kinds(&ran.exits(0).err("").stdout),
        ["tool.completed", "turn.completed"]
    );
    let ran = at(
        &daemon,
        ["tail", &id, "--count", "99", "--no-follow", "--json"],
    )
    .run();
    assert_eq!(
        numbers(&ran.exits(0).err("").stdout).len() as u64,
        1 + EVENTS
    );
    // With --until the code is still that of the last turn read, if one was.
    let line = ["tail", &id, "--from", "1", "--until", "turn", "--json"];
    at(&daemon, line.iter().chain(&["--count", "3"]))
        .run()
        .exits(0)
        .err("");
    at(&daemon, line.iter().chain(&["--count", "6"]))
        .run()
        .exits(16)
        .err_has("error");
}
