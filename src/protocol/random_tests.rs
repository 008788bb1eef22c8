//! Whatever a payload holds, reading it does not panic, and an event keeps its own text.

use proptest::prelude::*;
use serde_json::{Map, Value};

use super::{Event, Session};

/// Every type of the protocol, and one of tomorrow.
const TYPES: [&str; 20] = [
    "session.created",
    "session.resumed",
    "session.renamed",
    "session.compacted",
    "session.error",
    "context.band",
    "turn.started",
    "message.delta",
    "message.reasoning",
    "tool.requested",
    "tool.approval_required",
    "tool.approval_resolved",
    "tool.completed",
    "plan.updated",
    "progress",
    "turn.steered",
    "turn.completed",
    "session.notice",
    "",
    "turn.\u{1b}[31m",
];

/// The names of their members, so that a random object is now and then one that is understood.
const NAMES: [&str; 24] = [
    "turn_id",
    "text",
    "reason",
    "usage",
    "completion",
    "input_tokens",
    "context_tokens",
    "verification",
    "met",
    "unmet",
    "touched_protected",
    "tool_call_id",
    "approval_id",
    "name",
    "input",
    "output",
    "exit_code",
    "has_exit",
    "diff",
    "items",
    "kind",
    "done",
    "total",
    "expires_at",
];

/// JSON of any shape.
fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        Just(Value::from("2026-12-01T05:00:00.1234567890123-03:00")),
        Just(Value::from("done")),
    ];
    leaf.prop_recursive(4, 40, 8, |inner| {
        let name = prop_oneof![
            6 => prop::sample::select(&NAMES[..]).prop_map(str::to_owned),
            1 => any::<String>(),
        ];
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            4 => prop::collection::vec((name, inner), 0..10)
                .prop_map(|members| Value::from(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_payload_of_any_type_is_taken(
        kind in prop::sample::select(&TYPES[..]),
        payload in json(),
        seq in any::<u64>(),
    ) {
        let raw = serde_json::json!({
            "seq": seq, "session_id": "s", "type": kind, "at": "", "payload": payload,
        })
        .to_string();
        let event = Event::parse(&raw).unwrap();
        prop_assert_eq!(event.seq, seq);
        prop_assert_eq!(event.kind.as_str(), kind);
        prop_assert_eq!(event.raw(), &raw);
        let expected = if payload.is_null() { "{}".to_owned() } else { payload.to_string() };
        prop_assert_eq!(event.payload_json(), expected);
        let _ = format!("{:?}", event.payload());
        let _ = serde_json::from_value::<Session>(payload);
    }

    #[test]
    fn any_text_is_an_event_or_none(text in any::<String>(), bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let _ = Event::parse(&text);
        let _ = Event::parse(&String::from_utf8_lossy(&bytes));
        let cut = r#"{"seq":12,"session_id":"s","type":"progress","at":"","payload":{"a":["\u00e4"]}}"#;
        let at = bytes.len().min(cut.len());
        prop_assert_eq!(Event::parse(&cut[..at]).is_ok(), at == cut.len());
    }
}
