//! The completion scripts in the shells themselves, each started clean: nothing is printed, every command and word
//! completes, and so do live sessions. (Case B47: a generated script that breaks the shell.)

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use dcodectl::simulate::Daemon;

use super::root;
use super::support::programs::{python_has, there_is};
use super::support::{self, Ran, at, binary, create, daemon, dcodectl};

/// Command lines up to the cursor, each with words that must be offered there.
fn expected() -> Vec<(String, Vec<String>)> {
    let root = dcodectl::cli::command();
    let names: Vec<String> = root
        .get_subcommands()
        .map(|command| command.get_name().to_owned())
        .collect();
    assert!(names.len() > 20);
    let mut lines = vec![("dcodectl ".to_owned(), names)];
    for command in root.get_subcommands() {
        let name = command.get_name();
        let globals = root.get_arguments().filter(|_| name == "run");
        for argument in command.get_arguments().chain(globals) {
            let words: Vec<String> = argument
                .get_possible_values()
                .iter()
                .map(|value| value.get_name().to_owned())
                .collect();
            let takes_values = argument.get_action().takes_values();
            if words.is_empty() || !takes_values {
                continue;
            }
            let line = match (argument.get_long(), argument.get_index()) {
                (Some(long), _) => format!("dcodectl {name} --{long} "),
                // Behind as many words as stand before it.
                (None, index) => {
                    let before =
                        "x ".repeat(index.map_or_else(|| before(command, argument), |i| i - 1));
                    format!("dcodectl {name} {before}")
                }
            };
            lines.push((line, words));
        }
    }
    lines.push(words(
        "dcodectl simulate ",
        &["done", "unverified", "not-http"],
    ));
    lines.push(words(
        "dcodectl help ",
        &["run", "exit-codes", "environment"],
    ));
    lines.push(words(
        "dcodectl run --on-approval ",
        &["deny", "allow_session", "exec:"],
    ));
    lines.push(words("dcodectl run --accept ", &["unverified"]));
    lines.push(words("dcodectl tail --type ", &["turn.completed"]));
    lines
}

fn before(command: &clap::Command, argument: &clap::Arg) -> usize {
    let mut positionals = command.get_positionals();
    positionals
        .position(|other| other.get_id() == argument.get_id())
        .unwrap()
}

fn words(line: &str, words: &[&str]) -> (String, Vec<String>) {
    let words = words.iter().map(|&word| word.to_owned());
    (line.to_owned(), words.collect())
}

/// A shell without any settings of its own, in an empty home.
struct Shell {
    program: &'static str,
    home: tempfile::TempDir,
}

impl Shell {
    fn new(program: &'static str) -> Self {
        let home = tempfile::tempdir().unwrap();
        Self { program, home }
    }

    fn command(&self, arguments: &[&str], socket: Option<&Path>) -> Command {
        let own = binary().parent().unwrap().display();
        let inherited = std::env::var("PATH").unwrap();
        let mut command = Command::new(self.program);
        command
            .args(arguments)
            .env_clear()
            .env("PATH", format!("{own}:{inherited}"))
            .env("HOME", self.home.path())
            .env("TERM", "dumb")
            .env("LC_ALL", "C.UTF-8")
            .env("DCODE_SOCKET", socket.unwrap_or(Path::new("/nowhere")))
            .current_dir(root());
        command
    }

    fn run(&self, arguments: &[&str], socket: Option<&Path>) -> Ran {
        let begun = Instant::now();
        let mut command = self.command(arguments, socket);
        let output = command.stdin(Stdio::null()).output().unwrap();
        Ran {
            status: output.status,
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            took: begun.elapsed(),
        }
    }
}

/// Every answer holds what is expected of its line. Answers end with a line `--`.
#[track_caller]
fn holds(answers: &str, expected: &[(String, Vec<String>)]) {
    let answers: Vec<&str> = answers.split("--\n").collect();
    assert_eq!(answers.len(), expected.len() + 1, "{answers:#?}");
    for (answer, (line, words)) in answers.iter().zip(expected) {
        let offered: Vec<&str> = answer
            .lines()
            .map(|line| line.split('\t').next().unwrap())
            .collect();
        for word in words {
            assert!(
                offered.contains(&&**word),
                "{line}: {word} is not in {offered:?}"
            );
        }
        let odd = offered.iter().any(|word| word.starts_with(['<', '[']));
        assert!(!odd, "{line}: {offered:?}");
    }
}

/// A daemon with a session, and one with a question open; their ids and the handle.
struct Live {
    daemon: Daemon,
    session: String,
    handle: String,
}

fn live() -> Live {
    let daemon = daemon("approval");
    let session = create(&daemon);
    at(&daemon, ["submit", "--detach", &session, "x"])
        .run()
        .exits(0);
    at(&daemon, ["wait", "--for", "approval", &session])
        .run()
        .exits(0);
    let question = at(&daemon, ["approvals", "--json", &session])
        .run()
        .exits(0);
    let handle = question.out_objects()[0]["handle"]
        .as_str()
        .unwrap()
        .to_owned();
    Live {
        daemon,
        session,
        handle,
    }
}

impl Live {
    fn lines(&self) -> Vec<(String, Vec<String>)> {
        let Self {
            session, handle, ..
        } = self;
        vec![
            words("dcodectl show ", &[session]),
            words(&format!("dcodectl show {}", &session[..5]), &[session]),
            words(&format!("dcodectl approve {session} "), &[handle]),
            words("dcodectl run --model ", &["MiniMax-M3"]),
        ]
    }
}

/// Sets the variables of a completion as bash does, and prints what comes of it.
const BASH: &str = r#"
set -u
source completions/dcodectl.bash
offer() {
    COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9 COMPREPLY=()
    read -r -a COMP_WORDS <<<"$1"
    [[ $1 != *' ' ]] || COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    local previous=''
    [[ $COMP_CWORD -eq 0 ]] || previous=${COMP_WORDS[COMP_CWORD - 1]}
    _dcodectl dcodectl "${COMP_WORDS[COMP_CWORD]}" "$previous"
    [[ ${#COMPREPLY[@]} -eq 0 ]] || printf '%s\n' "${COMPREPLY[@]}"
    echo --
}
"#;

fn script(start: &str, offer: &str, lines: &[(String, Vec<String>)]) -> String {
    let mut script = start.to_owned();
    for (line, _) in lines {
        script += &format!("{offer} '{line}'\n");
    }
    script
}

#[test]
fn bash_completes_every_word_and_what_is_live() {
    if !there_is("bash") {
        return;
    }
    let shell = Shell::new("bash");
    let clean = ["--norc", "--noprofile", "-c"];
    let run = |text: &str, socket| {
        let arguments = [&clean[..], &[text]].concat();
        shell.run(&arguments, socket).exits(0).err("")
    };
    run("set -u; source completions/dcodectl.bash", None).out("");
    let all = expected();
    holds(&run(&script(BASH, "offer", &all), None).stdout, &all);
    let live = live();
    let socket = Some(live.daemon.socket());
    holds(
        &run(&script(BASH, "offer", &live.lines()), socket).stdout,
        &live.lines(),
    );
    // Without a daemon there is nothing, no file names and no words in its place.
    let nothing = [("dcodectl show ".to_owned(), Vec::new())];
    run(&script(BASH, "offer", &nothing), None).out("--\n");
}

/// The key itself: bash splits words at `@`, and the folder is found by name.
#[test]
fn bash_completes_at_the_keyboard() {
    if !there_is("bash") {
        return;
    }
    let live = live();
    let shell = Shell::new("bash");
    let mut command = shell.command(&["--norc", "--noprofile", "-i"], Some(live.daemon.socket()));
    command.env("PS1", "READY> ");
    let mut pty = rexpect::session::spawn_command(command, Some(20_000)).unwrap();
    pty.exp_string("READY> ").unwrap();
    pty.send_line(
        "set -u; bind 'set bell-style none'; source completions/dcodectl.bash; echo loa''ded",
    )
    .unwrap();
    pty.exp_string("loaded\r\nREADY> ").unwrap();
    let Live {
        session, handle, ..
    } = &live;
    // Behind the first half of the handle, where bash sees two words.
    let half = handle.split_inclusive('@').next().unwrap();
    let typed = format!(
        "echo [dcodectl approve {}\t{half}\tallow_s\t]",
        &session[..4]
    );
    // `echo` first would not complete: the line begins with the program, and a comment shows it.
    let typed = typed.trim_start_matches("echo [").trim_end_matches(']');
    pty.send(typed).unwrap();
    pty.send("\x01: \n").unwrap();
    pty.exp_string("READY> ").unwrap();
    pty.send_line("fc -ln -1 > typed; cat typed; rm typed")
        .unwrap();
    pty.exp_string(&format!(
        ": dcodectl approve {session} {handle} allow_session"
    ))
    .unwrap();
    // Where a file is wanted, files are offered, and no options; the key inserts all that there is.
    pty.exp_string("READY> ").unwrap();
    pty.send("dcodectl render \x1b*\x01: \n").unwrap();
    pty.send_line("fc -ln -1 | tr ' ' '\\n' | grep -x 'CONTRIB.*'")
        .unwrap();
    pty.exp_string("READY> CONTRIBUTING.md\r\n").unwrap();
    pty.send_line("exit").unwrap();
    pty.exp_eof().unwrap();
}

#[test]
fn fish_completes_every_word_and_what_is_live() {
    if !there_is("fish") {
        return;
    }
    let shell = Shell::new("fish");
    let run = |text: &str, socket| {
        shell
            .run(&["--no-config", "-c", text], socket)
            .exits(0)
            .err("")
    };
    run("source completions/dcodectl.fish", None).out("");
    let start = "source completions/dcodectl.fish\nfunction offer; complete -C $argv; printf '%s\\n' --; end\n";
    let all = expected();
    holds(&run(&script(start, "offer", &all), None).stdout, &all);
    let live = live();
    let ran = run(
        &script(start, "offer", &live.lines()),
        Some(live.daemon.socket()),
    );
    holds(&ran.stdout, &live.lines());
    let described = format!("{}\tblocked {}", live.session, root().display());
    ran.out_has(&described);
    let nothing = [("dcodectl show ".to_owned(), Vec::new())];
    run(&script(start, "offer", &nothing), None).out("--\n");
}

/// What zsh would offer is caught where it is handed over.
const ZSH: &str = include_str!("capture.zsh");

fn zsh_offers(shell: &Shell, lines: &[(String, Vec<String>)], socket: Option<&Path>) -> String {
    let caught = shell.home.path().join("caught");
    fs::write(&caught, "").unwrap();
    let mut command = shell.command(&["-f", "-i"], socket);
    command
        .env("CAUGHT", &caught)
        .env("PS1", "READY> ")
        .env("COLUMNS", "200");
    let mut pty = rexpect::session::spawn_command(command, Some(20_000)).unwrap();
    let start = shell.home.path().join("start.zsh");
    fs::write(&start, ZSH).unwrap();
    pty.send_line(&format!("source {}", start.display()))
        .unwrap();
    let marks = || fs::read_to_string(&caught).unwrap().matches("--\n").count();
    support::until("zsh to be ready", || marks() == 1);
    for (number, (line, _)) in lines.iter().enumerate() {
        // Tab, then away with the line and the mark.
        pty.send(&format!("{line}\t\x14")).unwrap();
        pty.flush().unwrap();
        let due = Instant::now() + support::HANG / 6;
        while marks() < number + 2 {
            assert!(
                Instant::now() < due,
                "{line}: {:?}",
                fs::read_to_string(&caught)
            );
            std::thread::sleep(Duration::from_millis(2));
        }
    }
    pty.send_line("exit").unwrap();
    let text = fs::read_to_string(&caught).unwrap();
    text.strip_prefix("--\n").unwrap().to_owned()
}

#[test]
fn zsh_completes_every_word_and_what_is_live() {
    if !there_is("zsh") {
        return;
    }
    let shell = Shell::new("zsh");
    let load = "fpath=(completions $fpath); autoload -Uz compinit; compinit -u -D; source completions/_dcodectl";
    shell
        .run(&["-f", "-c", load], None)
        .exits(0)
        .out("")
        .err("");
    let all = expected();
    holds(&zsh_offers(&shell, &all, None), &all);
    let live = live();
    let offered = zsh_offers(&shell, &live.lines(), Some(live.daemon.socket()));
    holds(&offered, &live.lines());
    assert!(offered.contains("blocked"), "{offered}");
    let nothing = [("dcodectl show ".to_owned(), Vec::new())];
    assert_eq!(zsh_offers(&shell, &nothing, None), "--\n");
}

/// Offers what elvish would, in a file: only at the keyboard does it have the module that completes.
const ELVISH: &str = r#"
use str
eval (slurp < completions/dcodectl.elv)
fn offer {|line|
    for one [($edit:completion:arg-completer[dcodectl] (str:split ' ' $line))] {
        var offered = (if (eq (kind-of $one) string) { put $one } else { put $one[stem] })
        if (str:has-prefix $offered [(str:split ' ' $line)][-1]) { echo $offered }
    }
    echo --
}
"#;

fn elvish_offers(shell: &Shell, lines: &[(String, Vec<String>)], socket: Option<&Path>) -> String {
    let file = |name: &str| shell.home.path().join(name);
    let (start, caught, errors, end) =
        (file("start.elv"), file("caught"), file("err"), file("end"));
    let _ = fs::remove_file(&end);
    fs::write(&start, script(ELVISH, "offer", lines)).unwrap();
    let mut command = shell.command(&["-norc"], socket);
    command.env("XDG_RUNTIME_DIR", shell.home.path());
    let mut pty = rexpect::session::spawn_command(command, Some(20_000)).unwrap();
    // A line that fails stops there, and is told on the terminal: then the end is never written.
    let line = [
        format!("eval (slurp < {}) > {}", start.display(), caught.display()),
        format!("2> {}; echo > {}\r", errors.display(), end.display()),
    ];
    pty.send(&line.join(" ")).unwrap();
    pty.flush().unwrap();
    support::until("elvish to have answered", || end.exists());
    pty.send("exit\r").unwrap();
    pty.flush().unwrap();
    pty.exp_eof().unwrap();
    assert_eq!(fs::read_to_string(&errors).unwrap(), "");
    fs::read_to_string(&caught).unwrap()
}

#[test]
fn elvish_completes_every_word_and_what_is_live() {
    if !there_is("elvish") {
        return;
    }
    let shell = Shell::new("elvish");
    let all = expected();
    holds(&elvish_offers(&shell, &all, None), &all);
    let live = live();
    let socket = Some(live.daemon.socket());
    let mut lines = live.lines();
    // Behind a word that names no command there are its options all the same.
    lines.push(words("dcodectl show x --so", &["--socket"]));
    holds(&elvish_offers(&shell, &lines, socket), &lines);
    let nothing = [("dcodectl show ".to_owned(), Vec::new())];
    assert_eq!(elvish_offers(&shell, &nothing, None), "--\n");
}

/// Prints where a PowerShell script breaks the grammar, and what it registers.
const GRAMMAR: &str = r#"
import sys, tree_sitter, tree_sitter_powershell
parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_powershell.language()))
def broken(node):
    if node.type == "ERROR" or node.is_missing:
        print(node.type, node.start_point)
    for child in node.children:
        broken(child)
broken(parser.parse(sys.stdin.buffer.read()).root_node)
"#;

/// `PowerShell` itself is in no registry that a build may use: its script is put to a grammar, and what it
/// offers is read off the text.
#[test]
fn powershell_would_understand_its_script() {
    let script = fs::read_to_string(root().join("completions/_dcodectl.ps1")).unwrap();
    for command in dcodectl::cli::command().get_subcommands() {
        let (name, case) = (
            command.get_name(),
            format!("\n        'dcodectl;{}' {{\n", command.get_name()),
        );
        let offered = format!("::new('{name}', '{name}', [CompletionResultType]::ParameterValue, ");
        assert!(
            script.contains(&offered) && script.contains(&case),
            "{name}"
        );
    }
    if !python_has(
        "tree_sitter_powershell, tree_sitter",
        "tree-sitter-powershell and tree-sitter",
    ) {
        return;
    }
    let broken = |script: &str| {
        let mut python = Command::new("python3");
        let python = python
            .args(["-c", GRAMMAR])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut python = python.spawn().unwrap();
        let mut stdin = python.stdin.take().unwrap();
        stdin.write_all(script.as_bytes()).unwrap();
        drop(stdin);
        let output = python.wait_with_output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(broken(&script), "");
    // A quote that is not doubled is what a help text could break it with.
    assert_ne!(broken(&script.replacen("daemon''s", "daemon's", 1)), "");
}

#[test]
fn values_come_at_once_or_not_at_all() {
    let live = live();
    let fastest = (0..10).map(|_| {
        let ran = at(&live.daemon, ["__complete", "words", "show", ""]).run();
        let ran = ran.exits(0).err("").out_has(&live.session);
        ran.took
    });
    let fastest = fastest.min().unwrap();
    assert!(fastest < Duration::from_millis(50), "{fastest:?}");
    // Nobody there; somebody who never answers; one who is no daemon.
    let here = tempfile::tempdir().unwrap();
    let silent = here.path().join("silent.sock");
    let _listener = std::os::unix::net::UnixListener::bind(&silent).unwrap();
    for socket in [
        Path::new("/nowhere"),
        &silent,
        daemon("not-http").socket(),
        daemon("silence").socket(),
    ] {
        let ran = dcodectl(["__complete", "words", "show", ""])
            .env("DCODE_SOCKET", socket)
            .run();
        ran.exits(0).err("").within(Duration::from_secs(2));
    }
    for odd in [
        &["__complete"][..],
        &["__complete", "what"],
        &["__complete", "line"],
    ] {
        dcodectl(odd).run().exits(1).out("").err("");
    }
}
