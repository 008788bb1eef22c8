//! The manual's page about events, from their schema.

use super::*;

/// The events and their fields, from the schema.
pub(super) fn events_page() -> String {
    let schema = dcodectl(["schema", "events"]).run().exits(0).stdout;
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let (description, rest) = halves(guide("events"));
    let mut types = section("EVENTS");
    for rule in schema["allOf"].as_array().unwrap() {
        let kind = rule["if"]["properties"]["type"]["const"].as_str().unwrap();
        let payload = &rule["then"]["properties"]["payload"];
        let (about, definition) = described(payload, &schema);
        let about = if about.is_empty() {
            meaning(kind)
        } else {
            about
        };
        let _ = writeln!(types, ".SS {}\n{}", plain(kind), inline(&about));
        types += &fields(&definition, &schema);
    }
    let envelope = section("ENVELOPE") + &fields(&schema, &schema);
    [
        title("dcodectl-events", 7),
        name(
            "dcodectl-events",
            "the events of the dcode daemon, for jq and other readers",
        ),
        of_markdown(description),
        envelope,
        types,
        of_markdown(rest),
        references(
            &[
                "dcodectl.1",
                "dcodectl-tail.1",
                "dcodectl-schema.1",
                "dcodectl-exit-codes.7",
                "jq.1",
            ]
            .map(str::to_owned),
        ),
    ]
    .concat()
}

/// What a type of event means, where the schema does not say.
fn meaning(kind: &str) -> String {
    let text = match kind {
        "session.created" => "Always the first event of a session; the session itself.",
        "session.resumed" => {
            "The second event of a resumed session. The events behind it are carried over."
        }
        "session.renamed" => "Only among the carried events of a resumed session.",
        "session.compacted" => "Older history was summarised.",
        "session.error" => "An error report; it ends neither the stream nor the session.",
        "context.band" => "The context grew past 60, 80 or 92 per cent.",
        "turn.started" => "A turn's input was accepted.",
        "message.delta" => "A piece of the answer.",
        "message.reasoning" => "A piece of the model's thinking.",
        "tool.requested" => "The model asks for a tool.",
        "tool.approval_required" => "A call waits for an answer.",
        "tool.approval_resolved" => "The question is closed, by whomever.",
        "tool.completed" => "A tool ran. It has no name and no turn: join on tool_call_id.",
        "plan.updated" => "The whole plan, anew.",
        "progress" => "A count.",
        "turn.steered" => "A correction reached the model.",
        "turn.completed" => "The end of a turn: the only one there is.",
        other => panic!("what is {other}?"),
    };
    text.to_owned()
}

/// A schema's own description, and what it refers to.
fn described(schema: &Value, whole: &Value) -> (String, Value) {
    let target = match schema["$ref"].as_str() {
        Some(reference) => whole
            .pointer(reference.trim_start_matches('#'))
            .unwrap()
            .clone(),
        None => schema.clone(),
    };
    let text = schema["description"]
        .as_str()
        .or(target["description"].as_str());
    (text.unwrap_or_default().to_owned(), target)
}

fn fields(schema: &Value, whole: &Value) -> String {
    let Some(properties) = schema["properties"].as_object() else {
        return String::new();
    };
    let mut text = String::new();
    for (name, field) in properties {
        let (about, target) = described(field, whole);
        let kind = kind_of(&target, whole);
        let about = if about.is_empty() {
            kind
        } else {
            format!("{kind}. {about}")
        };
        text += &item(&format!("`{name}`"), &about);
    }
    text
}

fn kind_of(schema: &Value, whole: &Value) -> String {
    if let Some(alternatives) = schema["anyOf"].as_array() {
        let kinds: Vec<String> = alternatives
            .iter()
            .map(|one| kind_of(&described(one, whole).1, whole))
            .collect();
        return kinds.join(" or ");
    }
    let kind = match &schema["type"] {
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => {
            let kinds: Vec<&str> = kinds.iter().filter_map(Value::as_str).collect();
            kinds.join(" or ")
        }
        _ => "any".to_owned(),
    };
    let nested = match schema["properties"].as_object() {
        Some(properties) => properties.keys().cloned().collect::<Vec<_>>().join(", "),
        None => String::new(),
    };
    let items = &schema["items"];
    match (nested.is_empty(), items.is_object()) {
        (false, _) => format!("{kind} of {nested}"),
        (true, true) => {
            let (_, of) = described(items, whole);
            format!(
                "{kind} of {}",
                kind_of(&of, whole).replace("object of ", "objects with ")
            )
        }
        (true, false) => kind,
    }
}
