//! The recipes where something goes wrong: a prompt that is more than a prompt, a runner that stops
//! a step, a reader that is missing.

use std::fs;

use super::support::programs::there_is;
use super::support::snippets::{Place, Way, blocks};
use super::{parsed, root, shell_parts};

/// A prompt that is more than a prompt to a shell, a runner or a reader of options that is not careful.
const HOSTILE: &str = "- \"fix\" it; $(touch stolen) `touch stolen` '$HOME' $$ %s";

/// What `buildkite-agent pipeline upload` makes of a command: `$$` is a dollar, `$NAME` the value.
fn uploaded(command: &str) -> String {
    let parts = command
        .split("$$")
        .map(|part| part.replace("$PROMPT", HOSTILE));
    parts.collect::<Vec<String>>().join("$")
}

/// What each runner hands to its shell.
fn steps() -> Vec<(&'static str, String)> {
    let text = fs::read_to_string(root().join("docs/ci.md")).unwrap();
    let blocks = blocks(&text);
    let mut yaml = blocks.iter().filter(|block| block.language == "yaml");
    let mut step = || shell_parts(&parsed(&yaml.next().unwrap().text)).concat();
    let (github, gitlab, buildkite) = (step(), step(), step());
    let groovy = blocks.iter().find(|block| block.language == "groovy");
    let jenkins = groovy.unwrap().text.split("'''").nth(1).unwrap();
    vec![
        ("github", github),
        ("gitlab", gitlab),
        ("buildkite", uploaded(&buildkite)),
        ("jenkins", jenkins.to_owned()),
    ]
}

/// The variables that a step finds, and then the step.
fn with_variables(step: &str) -> String {
    let prompt = HOSTILE.replace('\'', r"'\''");
    format!(
        "export PROMPT='{prompt}' GITHUB_ACTIONS=true\n\
         export GITHUB_OUTPUT=output GITHUB_STEP_SUMMARY=summary.md\n{step}"
    )
}

#[test]
fn steps_of_other_runners_end_as_the_text_says() {
    let codes = [
        ("github", "done", 0),
        ("github", "unverified", 10),
        ("github", "unchecked", 17),
        ("github", "protected-touched", 18),
        ("gitlab", "done", 0),
        ("gitlab", "unverified", 10),
        ("gitlab", "approval", 20),
        ("buildkite", "done", 0),
        ("buildkite", "unverified", 10),
        ("jenkins", "done", 0),
        ("jenkins", "unverified", 10),
        ("jenkins", "incomplete", 11),
    ];
    let steps = steps();
    for (runner, scenario, code) in codes {
        let (_, step) = steps.iter().find(|(name, _)| *name == runner).unwrap();
        // What a runner would put in by itself becomes a part of the script.
        assert!(!step.contains("${{"), "{step}");
        let place = Place::new();
        let ran = place.run(&with_variables(step), Way::plain(scenario));
        assert_eq!(ran.code(), code, "{runner}, {scenario}: {step}\n{ran:#?}");
        let prompt = format!("❯ {HOSTILE}\n");
        assert!(ran.stdout.contains(&prompt), "{runner}: {step}\n{ran:#?}");
        assert!(!place.path("workspace/stolen").exists(), "{runner}: {step}");
        for (option, file) in [("--events ", "events.ndjson"), ("junit=", "criteria.xml")] {
            let size =
                fs::metadata(place.path("workspace").join(file)).map_or(0, |file| file.len());
            assert_eq!(step.contains(option), size > 0, "{runner}: {file}");
        }
    }
}

/// The shell block of the recipes that has this in it.
fn recipe(part: &str) -> String {
    let text = fs::read_to_string(root().join("docs/scripting.md")).unwrap();
    let mut found = blocks(&text)
        .into_iter()
        .filter(|block| block.text.contains(part));
    let recipe = found.next().unwrap().text;
    assert_eq!(found.count(), 0, "{part}");
    recipe
}

#[test]
fn a_fan_out_that_is_stopped_leaves_no_session() {
    let place = Place::new();
    place.script("workspace/fan-out.sh", &recipe("pids="));
    // Ctrl-C does not reach what a shell starts in the background; here neither does TERM.
    let text = "sh -eu fan-out.sh >log 2>&1 & script=$!\n\
                until [ \"$(dcodectl list --json | grep -c running)\" = 3 ]; do sleep 0.1; done\n\
                kill -TERM $script; code=0; wait $script || code=$?\n\
                dcodectl list --json; exit $code";
    let ran = place.run(text, Way::plain("slow"));
    assert_eq!((ran.code(), &*ran.stdout), (1, ""), "{ran:#?}");
}

#[test]
fn an_earlier_summary_does_not_decide() {
    if !there_is("jq") {
        return;
    }
    let place = Place::new();
    let recipe = recipe("jq .exit_code");
    let empty = recipe.replace("Fix the failing test", "");
    assert_eq!(place.run(&recipe, Way::plain("done")).code(), 0);
    assert_ne!(place.run(&empty, Way::plain("done")).code(), 0);
}

#[test]
fn rules_let_no_second_command_pass() {
    if !there_is("jq") {
        return;
    }
    let place = Place::new();
    place.script("workspace/approve.sh", &recipe("#!/bin/sh"));
    let answer = |command: &str| {
        let question = serde_json::json!({"tool": "bash", "command": command}).to_string();
        let text = format!("printf '%s\\n' '{question}' | ./approve.sh");
        place.run(&text, Way::plain("done")).stdout
    };
    assert_eq!(answer("rm -rf build"), "allow\n");
    assert_eq!(answer("git diff"), "allow_session\n");
    for command in [
        "",
        "git diff; rm -rf $HOME",
        "git diff\nrm -rf $HOME",
        "git -c alias.x=!sh x",
        "git push",
        " rm -rf build",
        "rm -rf build ..",
    ] {
        assert_eq!(answer(command), "deny\n", "{command}");
    }
}

/// What is told about a turn is not what decides.
#[test]
fn a_gate_keeps_its_code_where_jq_fails() {
    let text = fs::read_to_string(root().join("docs/ci.md")).unwrap();
    let blocks = blocks(&text);
    let gate = blocks.iter().find(|block| block.language == "sh").unwrap();
    let place = Place::new();
    place.script("workspace/gate.sh", &gate.text);
    place.script("bin/jq", "#!/bin/sh\nexit 5\n");
    for (scenario, code) in [("unverified", 10), ("incomplete", 11), ("error", 16)] {
        let ran = place.run("./gate.sh", Way::plain(scenario));
        assert_eq!(ran.code(), code, "{ran:#?}");
    }
    // Neither is the summary of an earlier run.
    let ran = place.run("./gate.sh ''", Way::plain("done"));
    assert_eq!(ran.code(), 2, "{ran:#?}");
    assert!(ran.stdout.contains("wrong arguments"), "{ran:#?}");
}

/// The runner of a GitHub workflow signals the shell of a step and nothing below it.
#[test]
fn a_cancelled_step_leaves_no_turn_behind() {
    let (_, step) = steps().remove(0);
    let place = Place::new();
    place.script("workspace/step.sh", &with_variables(&step));
    let text = "bash --noprofile --norc -eo pipefail step.sh >log 2>&1 & step=$!\n\
                until dcodectl list --json | grep -q running; do sleep 0.1; done\n\
                kill -TERM $step; code=0; wait $step || code=$?\n\
                dcodectl list --json; exit $code";
    let ran = place.run(text, Way::plain("slow"));
    assert_eq!((ran.code(), &*ran.stdout), (143, ""), "{ran:#?}");
}
