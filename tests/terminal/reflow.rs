//! A terminal that breaks its lines anew when its width changes, as most of today's do: tmux is one.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use std::thread;
use std::time::Duration;

use dcodectl::simulate::{Daemon, Speed};
use tempfile::TempDir;

use crate::pty::{ASKED, command, until_state};
use crate::support;
use crate::support::Run;
use crate::support::paced::{STARTED, paced};
use crate::support::programs::there_is;
use crate::support::watch::{Stream, Watch};

/// The binary in a window of tmux, on a server of its own.
struct Window {
    folder: TempDir,
    watch: Watch,
}

impl Window {
    fn start(columns: u16, run: Run) -> Self {
        let (command, watch, _) = run.into_parts();
        let window = Self {
            folder: tempfile::tempdir().unwrap(),
            watch: watch.at_a_terminal(),
        };
        let mut words = vec!["env".to_owned(), "-i".to_owned()];
        for (name, value) in command.get_envs() {
            if let Some(value) = value {
                words.push(format!("{}={}", name.display(), value.display()));
            }
        }
        let line = [command.get_program()]
            .into_iter()
            .chain(command.get_args());
        words.extend(line.map(|word| word.to_str().unwrap().to_owned()));
        let line = shlex::try_join(words.iter().map(String::as_str)).unwrap();
        let code = window.code().display().to_string();
        // The screen is full, as that of a terminal in use is: tmux loses the cursor near the top of one that is not.
        let script = format!(
            "seq -f 'above %g' 30; {line}; echo $? >{code}.new; mv {code}.new {code}; exec sleep 600"
        );
        let settings = window.folder.path().join("settings");
        fs::write(&settings, "set -g status off\n").unwrap();
        let width = columns.to_string();
        let new = [
            "new-session",
            "-d",
            "-x",
            &width,
            "-y",
            "24",
            "sh",
            "-c",
            &script,
        ];
        let settings = ["-f", settings.to_str().unwrap()];
        window.tmux(&[&settings[..], &new].concat());
        window
    }

    fn code(&self) -> PathBuf {
        self.folder.path().join("code")
    }

    #[track_caller]
    fn tmux(&self, arguments: &[&str]) -> String {
        let mut tmux = Command::new("tmux");
        tmux.arg("-S").arg(self.folder.path().join("socket"));
        tmux.args(arguments)
            .env("LC_ALL", "C.UTF-8")
            .env_remove("TMUX");
        let output = tmux.output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// The rows of the screen and of what scrolled off it.
    fn rows(&self) -> Vec<String> {
        let text = self.tmux(&["capture-pane", "-p", "-S", "-"]);
        text.trim_end()
            .lines()
            .map(|row| row.trim_end().to_owned())
            .collect()
    }

    #[track_caller]
    fn wait_for(&self, text: &str) {
        support::until(text, || self.rows().concat().contains(text));
    }

    fn resize(&self, columns: u16) {
        self.tmux(&["resize-window", "-x", &columns.to_string()]);
    }

    /// The rows in the end, and the exit code.
    #[track_caller]
    fn end(&self) -> (Vec<String>, i32) {
        support::until("the end", || self.code().exists());
        let code = fs::read_to_string(self.code()).unwrap();
        let (rows, code) = (self.rows(), code.trim().parse::<i32>().unwrap());
        self.watch.whole(Stream::Out, &rows.join("\n"));
        self.watch.ended(ExitStatus::from_raw(code << 8));
        (rows, code)
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        let mut tmux = Command::new("tmux");
        tmux.arg("-S").arg(self.folder.path().join("socket"));
        // A server that is gone already is as good.
        let _ = tmux.arg("kill-server").output();
    }
}

/// What a person reads in the end, with the breaks undone, as the terminal made some and a change of the width
/// others, and without durations, which differ from run to run: `1.2 s` here is `980 ms` there.
fn read(rows: &[String]) -> String {
    let text = rows.concat();
    let stays = |one: &char| !one.is_ascii_digit() && !one.is_whitespace() && !"ms.".contains(*one);
    text.chars().filter(stays).collect()
}

/// What is read after a change of the width is what is read where the run began at that width.
fn as_if_it_had_begun_there(changes: &[(u16, u16)], run: impl Fn(u16, u16) -> Vec<String> + Sync) {
    thread::scope(|scope| {
        for &(from, to) in changes {
            let run = &run;
            scope.spawn(move || {
                let (resized, plain) = (run(from, to), run(to, to));
                assert_eq!(
                    read(&resized),
                    read(&plain),
                    "{from} to {to}: {resized:#?}\n{plain:#?}"
                );
            });
        }
    });
}

/// A call that takes three seconds, whose status line fills any width.
fn long_call() -> Daemon {
    let words = "word ".repeat(60);
    let asked = format!(
        r#"{{"turn_id":"t1","tool_call_id":"c1","name":"bash","input":{{"command":"sleep {words}"}}}}"#
    );
    let done = r#"{"tool_call_id":"c1","ok":true,"output":"exit 0","has_exit":true,"truncated":false,
        "duration_ms":3000,"started_at":"2026-12-01T05:00:00Z","finished_at":"2026-12-01T05:00:03Z"}"#;
    let done = done.replace('\n', "");
    let end = r#"{"turn_id":"t1","reason":"done"}"#;
    paced(
        &[
            STARTED,
            (100, "tool.requested", &asked),
            (3000, "tool.completed", &done),
            (100, "turn.completed", end),
        ],
        |_| {},
    )
}

#[test]
fn a_status_line_that_a_resize_breaks_leaves_no_trace() {
    if !there_is("tmux") {
        return;
    }
    let run = |from: u16, to: u16| {
        let daemon = long_call();
        let window = Window::start(from, command(&daemon, &["run", "Fix it"]));
        window.wait_for("bash sleep");
        if from != to {
            window.resize(to);
        }
        let (rows, code) = window.end();
        assert_eq!(code, 0, "{rows:#?}");
        rows
    };
    as_if_it_had_begun_there(&[(132, 40), (132, 20), (40, 132)], run);
}

#[test]
fn a_question_survives_a_resize_and_leaves_no_trace() {
    if !there_is("tmux") {
        return;
    }
    let run = |from: u16, to: u16| {
        let daemon = support::daemon_with("approval", |options| {
            options.speed = Speed::Times(1.0);
        });
        let window = Window::start(from, command(&daemon, &["run", "Clean up"]));
        window.wait_for(ASKED.trim_end());
        until_state(&daemon, "blocked");
        if from != to {
            window.resize(to);
            // Whoever redraws at a new width has the time to.
            thread::sleep(Duration::from_millis(700));
            window.wait_for(ASKED.trim_end());
        }
        window.tmux(&["send-keys", "y", "Enter"]);
        let (rows, code) = window.end();
        assert_eq!(code, 0, "{rows:#?}");
        let text = rows.concat();
        assert_eq!(text.matches("allow?").count(), 1, "{rows:#?}");
        assert!(text.contains("✓ allowed"), "{rows:#?}");
        rows
    };
    as_if_it_had_begun_there(&[(132, 40), (40, 132)], run);
}
