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

/// What is printed for these events at 80 columns.
fn lines(verbosity: i8, events: &[(&str, &str)]) -> String {
    let numbered = events.iter().zip(1..);
    let lines: Vec<String> = numbered
        .map(|((kind, payload), seq)| event(seq, kind, payload))
        .collect();
    printed(&lines, verbosity, Palette::plain(), 80)
}

#[test]
fn a_turn_taken_up_in_its_middle_is_told_from_there() {
    let round = r#"{"kind":"rounds","done":7,"total":2000}"#;
    let done = r#"{"tool_call_id":"gone","ok":true,"has_exit":true}"#;
    let text = lines(
        0,
        &[
            ("tool.completed", done),
            ("progress", round),
            ("message.delta", r#"{"turn_id":"t1","text":"Done."}"#),
            ("turn.completed", r#"{"turn_id":"t1","reason":"done"}"#),
        ],
    );
    let expected = "  ✓ tool   exit 0\n\nDone.\n\n✓ done  nothing was checked\n  7 rounds\n";
    assert_eq!(text, expected);
}

#[test]
fn what_is_not_known_here_is_one_dim_line() {
    let unknown = ("skill.loaded", r#"{"name":"x"}"#);
    let malformed = ("message.delta", r#"{"text":1}"#);
    let text = lines(0, &[unknown, malformed]);
    let mut shown = text.lines();
    assert_eq!(
        shown.next(),
        Some("  · skill.loaded (an event not known here)")
    );
    let second = shown.next().unwrap();
    assert!(
        second.starts_with("  · message.delta of a shape not known here: "),
        "{second}"
    );
    assert_eq!(shown.next(), None);
    assert!(lines(2, &[unknown]).ends_with("    {\"name\":\"x\"}\n"));
    assert_eq!(lines(-1, &[unknown, malformed]), "");
}

#[test]
fn a_stop_reason_of_tomorrow_is_no_success() {
    let tomorrow = r#"{"turn_id":"t1","reason":"out_of_cheese","completion":{"verification":"passed","met":["tests"]}}"#;
    let expected = "✗ out_of_cheese  a stop reason not known here
  an earlier or partial check, no evidence about this turn (seal passed)
  ✓ met         tests
";
    assert_eq!(lines(0, &[("turn.completed", tomorrow)]), expected);
    let none = lines(0, &[("turn.completed", r#"{"turn_id":"t1"}"#)]);
    assert_eq!(none, "✗ ended  without a stop reason\n");
}

#[test]
fn a_call_cut_off_by_the_end_of_the_stream_is_not_lost() {
    let call = r#"{"turn_id":"t1","tool_call_id":"c","name":"bash","input":{"command":"make"}}"#;
    let text = lines(0, &[("tool.requested", call)]);
    assert_eq!(text, "  … bash  make  not over when this output ended\n");
}

/// So many lines, each with its number and this end.
fn numbered(lines: usize, end: &str) -> String {
    let lines: Vec<String> = (1..=lines)
        .map(|line| format!("line {line}{end}"))
        .collect();
    lines.concat()
}

#[test]
fn a_long_prompt_is_shown_by_its_beginning_and_whole_if_asked() {
    let text = numbered(30, "\n");
    let payload = serde_json::json!({"turn_id": "t1", "text": text}).to_string();
    let short = lines(0, &[("turn.started", &payload)]);
    assert!(short.starts_with("❯ line 1\n  line 2\n"), "{short}");
    assert!(
        short.ends_with("  line 8\n  … 22 more lines (-v shows all)\n"),
        "{short}"
    );
    assert!(lines(1, &[("turn.started", &payload)]).ends_with("  line 29\n  line 30\n"));
    let endless = serde_json::json!({"turn_id": "t1", "text": "x".repeat(1 << 20)}).to_string();
    let cut = lines(0, &[("turn.started", &endless)]);
    assert!(cut.len() < 400 && cut.ends_with("…\n"), "{cut}");
    assert_eq!(
        lines(0, &[("turn.started", r#"{"turn_id":"t1"}"#)]),
        "❯ (an empty prompt)\n"
    );
}

#[test]
fn a_failed_command_shows_where_its_output_begins_and_ends() {
    let output = numbered(50, "\r\n");
    let done = serde_json::json!({"tool_call_id": "c", "ok": true, "has_exit": true,
        "exit_code": 2, "output": format!("exit 2\n{output}")});
    let text = lines(0, &[("tool.completed", &done.to_string())]);
    let expected = "  ✗ tool   exit 2
    │ line 1
    │ line 2
    │ line 3
    │ line 4
    │ … 42 more lines …
    │ line 47
    │ line 48
    │ line 49
    │ line 50
";
    assert_eq!(text, expected);
}
