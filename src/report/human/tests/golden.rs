//! Whole outputs, as they are meant to look at 80 columns.

use super::*;

/// Compares what follows the prompt.
fn check(name: &str, expected: &str) {
    assert_eq!(
        after_prompt(name, 0),
        expected.trim_start_matches('\n'),
        "{name}"
    );
}

#[test]
fn done_tools() {
    check(
        "done-tools",
        r"
Writing a file.

  ✓ write hello.txt  +3
  ✓ read  hello.txt  4 lines
  ✓ edit  hello.txt  +1
  ✓ bash  cat hello.txt  exit 0 · 5 ms
  ✗ bash  echo oops >&2; exit 3  exit 3 · 4 ms
    │ oops

All done.

✓ done  nothing was checked
  25 ms · 5 rounds · 2 changes +4 · tokens 1,020 in (384 cached), 5 out
  context 870 of 1M (<0.1 %)
",
    );
}

#[test]
fn approval_allow() {
    check(
        "approval-allow",
        r"
  ? bash asks: rule:command  t1-0@6
      mkdir -p build && rm -rf build && echo removed
      this command matches the rule *rm -rf*
  ✓ allowed
  ✓ bash  mkdir -p build && rm -rf build && echo removed  exit 0 · 6 ms
  ? bash asks: rule:command  t1-0@13
      mkdir -p build && rm -rf build && echo removed
      this command matches the rule *rm -rf*
  ✓ allowed
  ✓ bash  mkdir -p build && rm -rf build && echo removed  exit 0 · 6 ms

Done.

✓ done  nothing was checked
  322 ms · 2 rounds · tokens 420 in (192 cached), 1 out
  context 716 of 1M (<0.1 %)
",
    );
}

#[test]
fn unverified() {
    check(
        "unverified",
        r"
  ✓ write a.txt  +1

Done.

  ↻ the model was sent back to go on

I could not verify it.

◆ unverified  1 of 2 criteria could not be run
  ✓ met         lint
  ? unavailable tests
  14 ms · 2 rounds · 1 change +1 · tokens 420 in (192 cached), 6 out
  context 751 of 1M (<0.1 %)
",
    );
}

#[test]
fn incomplete_mixed() {
    check(
        "incomplete-mixed",
        r"
  ✓ write a.txt  +1

Done.

  ↻ the model was sent back to go on

Done.

  ↻ the model was sent back to go on

Done.

◆ incomplete  1 of 2 criteria not met, 1 could not be run
  ✗ unmet       lint
  ? unavailable tests
  16 ms · 3 rounds · 1 change +1 · tokens 600 in (256 cached), 3 out
  context 810 of 1M (<0.1 %)
",
    );
}

#[test]
fn passed_touched_protected() {
    check(
        "passed-touched-protected",
        r"
  ✓ write a.txt  +1

Done.

✓ done  the criterion is met
  ✓ met         tests
  ! protected   a.txt
                written by the session, not necessarily in this turn
  7 ms · 1 round · 1 change +1 · tokens 260 in (128 cached), 1 out
  context 646 of 1M (<0.1 %)
",
    );
}

#[test]
fn done_plan() {
    check(
        "done-plan",
        r"
  ✓ plan   0 of 2 done
          ▸ Read the code
          ○ Change it
  ✓ plan   1 of 3 done
          ✓ Read the code
          ✗ Change it — needs a key
          ▸ Report
  ✗ plan   failed
    │ 2 items are active; only one may be
    │ Mark one item active and leave the rest pending.
  ✓ plan   cleared

Planned.

✓ done  nothing was checked
  12 ms · 4 rounds · tokens 800 in (320 cached), 1 out
  context 960 of 1M (<0.1 %)
",
    );
}

#[test]
fn steer_too_late() {
    check(
        "steer-too-late",
        r"
working finished

✓ done  nothing was checked
  1.5 s · tokens 120 in (64 cached), 2 out · context 609 of 1M (<0.1 %)

  ! no_active_turn  the turn ended before 1 message(s) reached it; send them
                    again
",
    );
}

#[test]
fn repeat_loop() {
    check(
        "repeat-loop",
        r"
  ✓ read  hello.txt  5 lines
  ✓ read  hello.txt  5 lines
  – read  hello.txt  not run: the third identical call in a row

✗ repeat_loop  three identical calls in a row after 2 rounds
  6 ms · 2 rounds · tokens 420 in (192 cached), 0 out
  context 707 of 1M (<0.1 %)
",
    );
}

#[test]
fn error_auth() {
    check(
        "error-auth",
        r"
  ! auth  authentication rejected

✗ error  the model could not be used (auth)
  1 ms · tokens 0 in, 0 out · context 600 of 1M (<0.1 %)
",
    );
}

#[test]
fn done_weird_output() {
    check(
        "done-weird-output",
        r"
  ✓ bash  printf '\033[31mred\033[0m \033]0;title\007 bell\007…  exit 0 · 11 ms

Done.

✓ done  nothing was checked
  24 ms · 1 round · tokens 260 in (128 cached), 1 out
  context 811 of 1M (<0.1 %)
",
    );
}

#[test]
fn done_parallel() {
    check(
        "done-parallel",
        r"
  ✓ glob  many/*.txt  60 files
  ✓ read  many/f01.txt  3 lines
  ✓ grep  needle in many  60 lines · 60 files
  ✓ read  many/f02.txt  3 lines
  ✓ read  many/f03.txt  3 lines

Done.

✓ done  nothing was checked
  1.0 s · 1 round · tokens 310 in (128 cached), 1 out
  context 1,463 of 1M (0.1 %)
",
    );
}

#[test]
fn done_tool_failures() {
    check(
        "done-tool-failures",
        r"
  ✗ read  nope.txt  failed
    │ nope.txt does not exist
    │ Check the path, or use glob to find it.
  ✗ edit  many/f00.txt  failed
    │ edit 1 of 1 (many/f00.txt): this file has not been read in this session
    │ /tmp/ws/many/f00.txt
    │ Read it first, then edit. Editing from an assumed content is how files ge…
  – read  17  not run: refused, or its arguments cannot be used

Gave up.

✓ done  nothing was checked
  12 ms · 3 rounds · tokens 600 in (256 cached), 2 out
  context 819 of 1M (<0.1 %)
",
    );
}

#[test]
fn done_unknown_tool() {
    check(
        "done-unknown-tool",
        r"
  – frobnicate
        never became a call: no such tool, or its arguments cannot be read

✓ done  nothing was checked
  2 ms · tokens 0 in, 0 out · context 612 of 1M (<0.1 %)
",
    );
}

#[test]
fn steer_delivered() {
    check(
        "steer-delivered",
        r"
  ✓ bash  sleep 1; echo one  exit 0 · 1.0 s
  ❯ steered: use tabs, not spaces
  ❯ steered: and be brief — só isso
  ✓ bash  echo two  exit 0 · 3 ms

Done.

✓ done  nothing was checked
  1.0 s · 2 rounds · tokens 460 in (192 cached), 1 out
  context 688 of 1M (<0.1 %)
",
    );
}

#[test]
fn interrupted_tool() {
    check(
        "interrupted-tool",
        r"
  ✗ bash  echo start; sleep 30; echo end  failed · 501 ms
    │ could not run the command: context canceled

■ interrupted  the turn was stopped
  505 ms · 1 round · tokens 120 in (64 cached), 0 out
  context 618 of 1M (<0.1 %)
",
    );
}

#[test]
fn bash_timeout() {
    check(
        "bash-timeout",
        r"
  ✗ bash  echo before; sleep 20  failed · 1.0 s
    │ before
    │ (timed out after 1s)

Done.

✓ done  nothing was checked
  1.0 s · 1 round · tokens 260 in (128 cached), 1 out
  context 660 of 1M (<0.1 %)
",
    );
}

#[test]
fn max_iterations() {
    check(
        "max-iterations",
        r"
  ✓ bash  echo 1  exit 0 · 5 ms
  ✓ bash  echo 2  exit 0 · 6 ms

✗ max_iterations  the iteration limit was reached after 2 of 2 rounds
  20 ms · 2 rounds · tokens 260 in (128 cached), 0 out
  context 652 of 1M (<0.1 %)
",
    );
}
