//! Whatever any test makes the binary print as a summary or an event is held against its schema.

use std::sync::LazyLock;

use dcodectl::protocol::{Event, Payload};
use dcodectl::report::{EVENTS_SCHEMA, SUMMARY_SCHEMA};
use jsonschema::Validator;
use serde_json::Value;

static EVENTS: LazyLock<Validator> = LazyLock::new(|| validator(EVENTS_SCHEMA));
static SUMMARY: LazyLock<Validator> = LazyLock::new(|| validator(SUMMARY_SCHEMA));

fn validator(schema: &str) -> Validator {
    let schema: Value = serde_json::from_str(schema).unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
}

/// Looks at each line that is a summary or an event. A long text is looked at in part: its events
/// are alike.
#[track_caller]
pub fn hold(stdout: &str) {
    for line in stdout
        .lines()
        .filter(|line| line.starts_with('{'))
        .take(500)
    {
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let schema = if value.get("schema_version").is_some() {
            &*SUMMARY
        } else if value.get("seq").is_some() && value.get("payload").is_some() {
            &*EVENTS
        } else {
            continue;
        };
        // What a test's own peer sends in a shape of no protocol is passed through as it is.
        let event = Event::parse(line);
        if event.is_ok_and(|event| matches!(event.payload(), Payload::Malformed(_))) {
            continue;
        }
        if let Err(error) = schema.validate(&value) {
            panic!("{error}: {line}");
        }
    }
}
