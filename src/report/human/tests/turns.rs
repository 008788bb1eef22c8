//! Whole outputs of several turns, and of more and less than usual.

use super::*;

#[test]
fn resumed_turns_read_one_after_the_other() {
    let text = printed(&recording("resumed"), 0, Palette::plain(), 80);
    assert_eq!(
        text,
        r#"session 1a22ffff124fae49079 · MiniMax-M3 · /tmp/ws · workspace-write
resumed from 1a22fffe93893d2a4d3 · 2 turns carried over

❯ #!script
  think hmm
  tool write {"path":"r.txt","content":"one\n"}
  ---
  say First answer.

  ✓ write r.txt  +1

First answer.

✓ done  nothing was checked
  1 round · 1 change +1 · tokens 260 in (128 cached), 2 out
  context 651 of 1M (<0.1 %)

named “My first conversation”

❯ #!script
  tool bash {"command":"rm -rf nothing"}
  ---
  say Second answer.

  ✓ allowed  question t2-0
  ✓ bash  rm -rf nothing  exit 0 · 5 ms

Second answer.

✓ done  nothing was checked
  1 round · tokens 340 in (128 cached), 2 out · context 706 of 1M (<0.1 %)

❯ #!script
  say Third answer.

Third answer.

✓ done  nothing was checked
  1 ms · tokens 200 in (64 cached), 2 out · context 722 of 1M (<0.1 %)
"#
    );
}

#[test]
fn an_old_completion_is_marked_as_no_evidence() {
    let text = printed(&recording("completion-stale"), 0, Palette::plain(), 80);
    let (_, turns) = text.split_once("❯ ").unwrap();
    let (_, after) = turns.split_once("\n\n❯ ").unwrap();
    let expected = r#"#!script
  tool write {"path":"b.txt","content":"y\n"}
  ---
  sleep 20
  say x

  ✓ write b.txt  +1

■ interrupted  the turn was stopped
  an earlier or partial check, no evidence about this turn (seal stale)
  ✓ met         tests
  303 ms · 1 round · 1 change +1 · tokens 160 in (64 cached), 0 out
  context 703 of 1M (<0.1 %)

❯ #!script
  fail 401

  ! auth  authentication rejected

✗ error  the model could not be used (auth)
  an earlier or partial check, no evidence about this turn (seal stale)
  ✓ met         tests
  2 ms · tokens 0 in, 0 out · context 709 of 1M (<0.1 %)

❯ #!script
  say No changes this time.

No changes this time.

✓ done  the criterion is met
  ✓ met         tests
  6 ms · tokens 200 in (64 cached), 4 out · context 721 of 1M (<0.1 %)
"#;
    assert_eq!(after, expected);
}

#[test]
fn the_context_fills_and_is_summarised() {
    let text = printed(
        &recording("context-bands-compaction"),
        0,
        Palette::plain(),
        80,
    );
    let about = ["▲", "≈", "context "];
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| about.iter().any(|word| line.contains(word)))
        .collect();
    let expected = r"  context 19,489 of 128k (15 %)
  context 38,389 of 128k (29 %)
  context 57,289 of 128k (44 %)
  ▲ context at 54 %, band 1 of 3
  context 68,708 of 128k (53 %)
  context 80,066 of 128k (62 %)
  ▲ context at 67 %, band 2 of 3
  context 85,877 of 128k (67 %)
  ▲ context at 76 %, band 3 of 3
  context 97,308 of 128k (76 %)
  ≈ older history was summarised: 12 messages, 20 kept
  context 46,382 of 128k (36 %)
  context 50,197 of 128k (39 %)
  ▲ context at 54 %, band 1 of 3
  context 69,158 of 128k (54 %)";
    assert_eq!(lines.join("\n"), expected);
}

#[test]
fn quiet_is_the_answer_and_the_end() {
    let text = printed(&recording("done-tools"), -1, Palette::plain(), 80);
    assert_eq!(
        text,
        r"Writing a file.
All done.

✓ done  nothing was checked
  25 ms · 5 rounds · 2 changes +4 · tokens 1,020 in (384 cached), 5 out
  context 870 of 1M (<0.1 %)
"
    );
}

#[test]
fn verbose_has_diffs_and_progress() {
    let text = after_prompt("done-tools", 1);
    let expected = r"Writing a file.

  · arguments write 0 bytes
  · in_flight 1 of 4
  ✓ write hello.txt  +3
      @@ -1,0 +1,3 @@ hello.txt
      +one
      +two
      +three
  · rounds 1 of 2000
  · arguments read 0 bytes
  · in_flight 1 of 4
  ✓ read  hello.txt  4 lines
  · rounds 2 of 2000
  · arguments edit 0 bytes
  · in_flight 1 of 4
  ✓ edit  hello.txt  +1
      @@ -1,3 +1,4 @@ hello.txt
       one
      -two
      +TWO
      +two and a half
       three
";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn verbose_has_the_reasoning_behind_a_bar() {
    let text = after_prompt("done-reasoning", 1);
    let expected = "  │ let me think about this\n\nThe answer is 42.\n\n✓ done";
    assert!(text.starts_with(expected), "{text}");
}
