//! The schemas that `schema` prints, and one for what stands on stderr under `--json`, as a judge of lines.

use std::sync::LazyLock;

use dcodectl::packed::SCHEMAS;
use jsonschema::Validator;
use serde_json::{Value, json};

static EVENTS: LazyLock<Validator> =
    LazyLock::new(|| validator(&read(&SCHEMAS.text("events.json"))));
static SUMMARY: LazyLock<Validator> =
    LazyLock::new(|| validator(&read(&SCHEMAS.text("summary.json"))));

/// The contract's own words (section 1, rule 8); the program prints no schema for it.
static MESSAGE: LazyLock<Validator> = LazyLock::new(|| {
    let text = json!({"type": "string", "minLength": 1});
    // A notice may be an empty line of a program that was asked.
    let any = json!({"type": "string"});
    validator(&json!({
        "type": "object", "additionalProperties": false, "minProperties": 1, "maxProperties": 1,
        "properties": {
            "error": {
                "type": "object", "additionalProperties": false, "required": ["code", "exit_code", "message"],
                "properties": {
                    "code": text, "message": text, "hint": text,
                    "exit_code": {"type": "integer", "minimum": 1, "maximum": 255},
                },
            },
            "notice": {
                "type": "object", "additionalProperties": false, "required": ["code", "message"],
                "properties": {"code": text, "message": any},
            },
        },
    }))
});

fn read(schema: &str) -> Value {
    serde_json::from_str(schema).unwrap()
}

fn validator(schema: &Value) -> Validator {
    jsonschema::draft202012::new(schema).unwrap()
}

/// What a line is held to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// An event of the daemon's.
    Event,
    /// What `--summary` writes.
    Summary,
    /// A line on stderr under `--json`.
    Message,
    /// Any JSON object.
    Object,
}

impl Shape {
    /// What an object seems to be: one that is something else altogether is only an object.
    pub fn of(value: &Value) -> Self {
        let has = |key| value.get(key).is_some();
        let members = value.as_object().map_or(0, serde_json::Map::len);
        if has("schema_version") {
            Self::Summary
        } else if has("seq") && has("type") {
            Self::Event
        } else if members == 1 && (has("error") || has("notice")) {
            Self::Message
        } else {
            Self::Object
        }
    }

    /// Why the value is not of this shape.
    pub fn fault(self, value: &Value) -> Option<String> {
        let validator = match self {
            Self::Event => &*EVENTS,
            Self::Summary => &*SUMMARY,
            Self::Message => &*MESSAGE,
            Self::Object => return (!value.is_object()).then(|| "no object".to_owned()),
        };
        let error = validator.validate(value).err()?;
        Some(format!("{}: {error}", error.instance_path()))
    }
}
