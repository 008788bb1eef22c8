//! `--cursor FILE`: read at the start, rewritten after what it names was written out.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use dcodectl::simulate::Speed;
use rustix::process::Signal;

use super::{EVENTS, NONE, numbers, played, turns};
use crate::support::paced::{STARTED, paced};
use crate::support::{HANG, at, create, objects, until, wait_for};

#[test]
fn each_tail_goes_on_where_the_last_one_left_off() {
    let daemon = turns(&[("t1", "done"), ("t2", "done")]);
    let (id, other) = (create(&daemon), create(&daemon));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cursor");
    let path = file.to_str().unwrap();
    let tail = |rest: &[&str]| {
        let line = ["tail", "--json", "--cursor", path];
        numbers(
            &at(&daemon, line.iter().chain(rest))
                .run()
                .exits(0)
                .err("")
                .stdout,
        )
    };
    fs::write(&file, "somebody 7\n").unwrap();
    assert_eq!(tail(&[&id, "--no-follow"]), [1]);
    assert_eq!(tail(&[&id, "--no-follow"]), NONE);
    played(&daemon, &id);
    assert_eq!(tail(&[&id, "--count", "2"]), [2, 3]);
    assert_eq!(tail(&[&id, "--no-follow"]), [4, 5, 6]);
    // Read and not printed is read, too.
    played(&daemon, &id);
    assert_eq!(tail(&[&id, "--no-follow", "--type", "nothing"]), NONE);
    assert_eq!(tail(&[&id, &other, "--no-follow"]), [1]);
    assert_eq!(tail(&["--all", "--no-follow"]), NONE);
    let mut lines: Vec<String> = fs::read_to_string(&file)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect();
    lines.sort();
    let mut expected = [
        format!("{id} {}", 1 + 2 * EVENTS),
        format!("{other} 1"),
        "somebody 7".to_owned(),
    ];
    expected.sort();
    assert_eq!(lines, expected);
    // Nothing else is left beside it.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_file_that_is_no_cursor_is_left_alone() {
    let daemon = turns(&[("t1", "done")]);
    let id = create(&daemon);
    let before = daemon.requests().len();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cursor");
    let bad: [&[u8]; 6] = [
        b"precious",
        b"a 1\nb\n",
        b"a -1\n",
        b"a 1 2\n",
        b"\xff\xfe",
        b"a 99999999999999999999999\n",
    ];
    for content in bad {
        fs::write(&file, content).unwrap();
        let ran = at(
            &daemon,
            [
                "tail",
                &id,
                "--no-follow",
                "--cursor",
                file.to_str().unwrap(),
            ],
        )
        .run();
        let ran = ran.exits(2).out("");
        ran.err_has("dcodectl: error: ")
            .err_has("  hint: remove the file");
        assert_eq!(fs::read(&file).unwrap(), content);
    }
    assert_eq!(daemon.requests().len(), before, "nothing is sent");
    at(&daemon, ["tail", &id, "--from", "1", "--cursor", "f"])
        .run()
        .exits(2)
        .out("");
}

#[test]
fn a_file_that_cannot_be_written_is_74_before_anything_is_sent() {
    let daemon = turns(&[("t1", "done")]);
    let id = create(&daemon);
    let before = daemon.requests().len();
    let folder = tempfile::tempdir().unwrap();
    for path in [
        folder.path().join("no/such/folder"),
        folder.path().to_owned(),
    ] {
        let path = path.to_str().unwrap();
        at(&daemon, ["tail", &id, "--cursor", path])
            .run()
            .exits(74)
            .out("")
            .err_has(&format!("the cursor {path} cannot be written"));
    }
    assert_eq!(daemon.requests().len(), before);
    // An empty file, and one that is not there, are cursors of nothing.
    let file = folder.path().join("empty");
    fs::write(&file, "").unwrap();
    at(
        &daemon,
        [
            "tail",
            &id,
            "--no-follow",
            "--json",
            "--cursor",
            file.to_str().unwrap(),
        ],
    )
    .run()
    .exits(0)
    .err("");
    assert_eq!(fs::read_to_string(&file).unwrap(), format!("{id} 1\n"));
}

#[test]
fn a_link_stays_a_link_and_the_file_keeps_its_mode() {
    let daemon = turns(&[("t1", "done")]);
    let id = create(&daemon);
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("real"), folder.path().join("link"));
    fs::write(&file, "somebody 7\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    at(
        &daemon,
        [
            "tail",
            &id,
            "--no-follow",
            "--cursor",
            link.to_str().unwrap(),
        ],
    )
    .run()
    .exits(0)
    .err("");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(
        fs::read_to_string(&file)
            .unwrap()
            .contains(&format!("{id} 1\n"))
    );
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
}

#[test]
fn events_that_are_no_longer_held_are_36_and_the_cursor_stays() {
    let daemon = crate::support::daemon_with("done", |options| {
        options.speed = Speed::Instant;
        options.retention = 3;
    });
    let id = create(&daemon);
    played(&daemon, &id);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cursor");
    fs::write(&file, format!("{id} 1\n")).unwrap();
    let line = [
        "tail",
        &id,
        "--no-follow",
        "--json",
        "--cursor",
        file.to_str().unwrap(),
    ];
    at(&daemon, line)
        .run()
        .exits(36)
        .out("")
        .err_has("events_expired");
    assert_eq!(fs::read_to_string(&file).unwrap(), format!("{id} 1\n"));
}

#[test]
fn a_kill_in_the_middle_loses_nothing() {
    let delta = r#"{"turn_id":"t1","text":"word "}"#;
    let mut events = vec![STARTED];
    events.extend(std::iter::repeat_n((2, "message.delta", delta), 1500));
    events.push((0, "turn.completed", r#"{"turn_id":"t1","reason":"done"}"#));
    let daemon = paced(&events, |_| {});
    let id = create(&daemon);
    at(&daemon, ["submit", "--detach", &id, "x"]).run().exits(0);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cursor");
    let line = ["tail", &id, "--json", "--cursor", file.to_str().unwrap()];
    let far = || {
        let text = fs::read_to_string(&file).unwrap_or_default();
        text.trim()
            .rsplit(' ')
            .next()
            .and_then(|seq| seq.parse::<u64>().ok())
            .unwrap_or(0)
    };
    let mut read = Vec::new();
    for _ in 0..4 {
        let before = far();
        let tail = at(&daemon, line).start();
        until("some progress", || far() > before + 20);
        tail.signal(Signal::KILL);
        let ran = tail.wait().exits(137).err("");
        // The last line may be half a line.
        let whole = ran.stdout.rfind('\n').map_or("", |end| &ran.stdout[..=end]);
        read.extend(numbers(whole));
        assert!(
            read.contains(&far()),
            "the cursor names what was never written"
        );
    }
    let ran = at(&daemon, line.iter().chain(&["--until", "idle"]))
        .run()
        .exits(0)
        .err("");
    read.extend(numbers(&ran.stdout));
    read.sort_unstable();
    read.dedup();
    assert_eq!(read, (1..=1503).collect::<Vec<_>>());
}

#[test]
fn what_nobody_has_read_is_not_in_the_cursor() {
    let delta = format!(r#"{{"turn_id":"t1","text":"{}"}}"#, "x".repeat(2000));
    let mut events = vec![("turn.started", r#"{"turn_id":"t1"}"#)];
    events.extend([("message.delta", delta.as_str()); 200]);
    events.push(("turn.completed", r#"{"turn_id":"t1","reason":"done"}"#));
    let daemon = crate::support::playing(&events, |_| {});
    let id = create(&daemon);
    played(&daemon, &id);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cursor");
    let line = ["tail", &id, "--json", "--cursor", file.to_str().unwrap()];
    let mut child = at(&daemon, line).spawn(Stdio::null(), Stdio::piped(), Stdio::null());
    // The pipe is full after some 64 KiB; nothing more happens then.
    let mut pipe = child.stdout.take().unwrap();
    until("a full pipe", || {
        rustix::io::ioctl_fionread(&pipe).unwrap() > 60_000
    });
    std::thread::sleep(std::time::Duration::from_millis(300));
    child.kill().unwrap();
    wait_for(&mut child, HANG).unwrap();
    let mut text = String::new();
    pipe.read_to_string(&mut text).unwrap();
    let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
    let last = objects(whole).last().unwrap()["seq"].as_u64().unwrap();
    let cursor = fs::read_to_string(&file).unwrap();
    let named = cursor
        .trim()
        .rsplit(' ')
        .next()
        .and_then(|seq| seq.parse::<u64>().ok())
        .unwrap_or(0);
    assert!(
        named <= last,
        "{named} is named, {last} is the last one written"
    );
}
