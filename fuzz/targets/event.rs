//! Whatever is a JSON object with a number and a type is an event with that number and that type,
//! its payload as it was sent; nothing else is one, and nothing panics.

#![no_main]

use std::borrow::Cow;

use dcodectl::protocol::Event;
use libfuzzer_sys::fuzz_target;
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Envelope<'a> {
    seq: u64,
    #[serde(borrow, default)]
    session_id: Cow<'a, str>,
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    at: Cow<'a, str>,
    #[serde(borrow, default)]
    payload: Option<&'a RawValue>,
}

fuzz_target!(|text: &str| {
    let expected: Result<Envelope<'_>, _> = serde_json::from_str(text);
    let (expected, event) = match (expected, Event::parse(text)) {
        (Ok(expected), Ok(event)) => (expected, event),
        (Err(_), Err(error)) => return drop(error.to_string()),
        (Ok(_), Err(error)) => panic!("refused: {error}"),
        (Err(error), Ok(_)) => panic!("taken, though {error}"),
    };
    assert_eq!(event.raw(), text);
    assert_eq!(event.seq, expected.seq);
    assert_eq!(event.session_id, expected.session_id);
    assert_eq!(event.kind.as_str(), expected.kind);
    assert_eq!(event.at, expected.at);
    assert_eq!(event.payload_json(), expected.payload.map_or("{}", RawValue::get));
    let _ = format!("{:?}", event.payload());
});
