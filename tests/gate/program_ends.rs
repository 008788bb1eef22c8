//! `--on-approval exec:CMD`: how a CMD that is no longer wanted ends, with all it has started.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use serde_json::Value;
use tempfile::TempDir;

use super::summary;
use crate::support::{at, create, daemon, has_no_session, seen, until};

/// A CMD that never ends by itself, and has started another one that does not either.
struct Endless {
    folder: TempDir,
    policy: String,
}

impl Endless {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let group = folder.path().join("group");
        let new = folder.path().join("new");
        // Renamed, so that whoever sees the file sees the whole number.
        let script = format!(
            "sleep 300 & echo $$ >{new}; mv {new} {group}; wait",
            new = new.display(),
            group = group.display()
        );
        Self {
            folder,
            policy: format!("exec:sh -c '{script}'"),
        }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("group")
    }

    /// Its process group, once it runs.
    fn group(&self) -> Pid {
        until("the program to run", || self.file().exists());
        group_in(&self.file())
    }
}

/// A test that fails leaves nothing behind either.
impl Drop for Endless {
    fn drop(&mut self) {
        if std::thread::panicking() && self.file().exists() {
            let _ = kill_process_group(group_in(&self.file()), Signal::KILL);
        }
    }
}

fn group_in(file: &Path) -> Pid {
    let text = fs::read_to_string(file).unwrap();
    Pid::from_raw(text.trim().parse().unwrap()).unwrap()
}

/// Whether a process of the group is left. The dead are gone once init has looked after them.
fn is_left(group: Pid) -> bool {
    test_kill_process_group(group).is_ok() && !only_zombies(group)
}

/// In a container nobody may look after orphans: a zombie runs nothing any more.
fn only_zombies(group: Pid) -> bool {
    let group = group.as_raw_nonzero().get().to_string();
    let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let stats = entries.filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok());
    stats.into_iter().all(|stat| {
        let fields: Vec<&str> = stat
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .collect();
        fields.get(2) != Some(&group.as_str()) || fields[0] == "Z"
    })
}

#[test]
fn one_that_never_ends_is_a_deny_and_its_whole_group_is_gone() {
    let daemon = daemon("approval");
    let endless = Endless::new();
    let arguments = [
        "run",
        "--json",
        "--summary",
        "-",
        "--on-approval",
        &endless.policy,
        "--approval-timeout",
        "1s",
        "go",
    ];
    let begun = Instant::now();
    let ran = at(&daemon, arguments).run().exits(0);
    assert!(begun.elapsed() >= Duration::from_secs(1), "{ran:#?}");
    let notice = &ran.err_objects()[0]["notice"];
    assert_eq!(notice["code"], "approval_program_failed");
    assert!(
        notice["message"]
            .as_str()
            .unwrap()
            .starts_with("sh did not end within 1s; t1-0@"),
        "{ran:#?}"
    );
    let approval = &summary(&ran)["approvals"][0];
    assert_eq!(
        (&approval["decision"], &approval["by"]),
        (&"deny".into(), &"exec".into())
    );
    let group = endless.group();
    until("the group to be gone", || !is_left(group));
}

#[test]
fn a_timeout_does_not_wait_for_it() {
    let daemon = daemon("approval");
    let endless = Endless::new();
    for (option, bound) in [
        ("--timeout", "--timeout 2s reached"),
        ("--idle-timeout", "--idle-timeout 2s reached"),
    ] {
        let _ = fs::remove_file(endless.file());
        let arguments = ["run", option, "2s", "--on-approval", &endless.policy, "go"];
        let ran = at(&daemon, arguments)
            .run()
            .exits(124)
            .within(Duration::from_secs(8));
        assert!(ran.took >= Duration::from_secs(2), "{ran:#?}");
        let ran = ran
            .err_has(bound)
            .err_has("waiting for approval t1-0@")
            .err_has("the turn ended: interrupted");
        assert!(!ran.stderr.contains("is denied"), "{ran:#?}");
        let group = endless.group();
        until("the group to be gone", || !is_left(group));
    }
    assert_eq!(seen(&daemon, "POST", "/t1-0"), 0, "nobody has answered");
    assert!(has_no_session(&daemon));
}

#[test]
fn a_question_resolved_elsewhere_ends_it_and_no_answer_is_sent() {
    // The turn ends right after the answer: the program must not be forgotten in that hurry.
    for _ in 0..3 {
        let daemon = daemon("approval");
        let endless = Endless::new();
        let id = create(&daemon);
        let arguments = [
            "submit",
            "--json",
            "--summary",
            "-",
            "--on-approval",
            &endless.policy,
            &id,
            "go",
        ];
        let running = at(&daemon, arguments).start();
        let group = endless.group();
        at(&daemon, ["approve", &id, "t1-0"])
            .run()
            .exits(0)
            .out("")
            .err("");
        let ran = running.wait().exits(0).err("");
        assert_eq!(seen(&daemon, "POST", "/t1-0"), 1, "the other client's");
        let approval = &summary(&ran)["approvals"][0];
        assert_eq!(
            (&approval["decision"], &approval["by"]),
            (&"allow".into(), &"elsewhere".into())
        );
        until("the group to be gone", || !is_left(group));
    }
}

#[test]
fn it_answers_only_the_question_it_was_asked() {
    let daemon = daemon("approval-reused-id");
    let folder = tempfile::tempdir().unwrap();
    let (first, group) = (folder.path().join("first"), folder.path().join("group"));
    // The first question finds it slow, and is answered elsewhere; the second one has the same id.
    let script = format!(
        "if [ -e {first} ]; then echo deny; else echo $$ >{first}; mv {first} {group}; cp {group} {first}; sleep 300; echo allow_always; fi",
        first = first.display(),
        group = group.display()
    );
    let policy = format!("exec:sh -c '{script}'");
    let id = create(&daemon);
    let running = at(
        &daemon,
        [
            "submit",
            "--json",
            "--summary",
            "-",
            "--on-approval",
            &policy,
            &id,
            "go",
        ],
    )
    .start();
    until("the program to run", || group.exists() && first.exists());
    at(&daemon, ["approve", &id, "t1-0"]).run().exits(0);
    let ran = running.wait().exits(0).err("");
    let requests = daemon.requests();
    let answers: Vec<Value> = requests
        .iter()
        .filter(|seen| seen.method == "POST" && seen.path().ends_with("/t1-0"))
        .map(|seen| serde_json::from_slice::<Value>(&seen.body).unwrap()["decision"].clone())
        .collect();
    assert_eq!(answers, ["allow", "deny"]);
    let summary = summary(&ran);
    let by: Vec<&Value> = summary["approvals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["by"])
        .collect();
    assert_eq!(by, ["elsewhere", "exec"]);
    let group = group_in(&group);
    until("the group to be gone", || !is_left(group));
}

#[test]
fn signals_end_it_too() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let daemon = daemon("approval");
        let endless = Endless::new();
        let running = at(&daemon, ["run", "--on-approval", &endless.policy, "go"]).start();
        let group = endless.group();
        running.signal(signal);
        let ran = running.wait().exits(code).out_has("interrupted");
        assert_eq!(ran.stderr.lines().count(), 1, "{ran:#?}");
        ran.err_has("the turn ended: interrupted");
        until("the group to be gone", || !is_left(group));
        assert_eq!(seen(&daemon, "POST", "/t1-0"), 0);
        assert!(has_no_session(&daemon));
    }
}
