//! No text drives a terminal or hides from its reader, and none acts as a command of a workflow's
//! runner.

#![no_main]

use dcodectl::report::{visible, visible_lines, workflow_safe};
use libfuzzer_sys::fuzz_target;

/// Characters that a terminal obeys, or that nobody sees.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

fuzz_target!(|text: &str| {
    let line = visible(text);
    assert!(!line.chars().any(is_hidden), "{line:?}");
    let lines = visible_lines(text);
    let shown = |character| !is_hidden(character) || matches!(character, '\n' | '\t');
    assert!(lines.chars().all(shown), "{lines:?}");
    // Nothing more is done to what is harmless already.
    assert_eq!(visible(&line), line);
    assert_eq!(visible_lines(&lines), lines);
    let safe = workflow_safe(text);
    for line in safe.split(['\n', '\r']) {
        assert!(!line.trim_start().starts_with("::"), "{safe:?}");
        assert!(!line.contains("##["), "{safe:?}");
    }
});
