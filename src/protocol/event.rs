//! The envelope around every event (protocol, section 4).

use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::payload::Payload;
use super::words::EventKind;

/// One event: the daemon's own text, and what was read off its envelope.
///
/// The payload stays raw until somebody asks for it, so that an event of tomorrow passes through
/// unharmed and one that nobody looks into costs nothing.
#[derive(Debug, Clone)]
pub struct Event<'a> {
    raw: &'a str,
    payload_json: &'a str,
    payload: OnceCell<Payload<'a>>,
    /// The event's number in its session: from 1, without gap.
    pub seq: u64,
    /// The session it belongs to.
    pub session_id: Cow<'a, str>,
    /// Its type.
    pub kind: EventKind,
    /// When the daemon recorded it, RFC 3339.
    pub at: Cow<'a, str>,
}

/// The text is not an event: not JSON, or without `seq` or `type`.
#[derive(Debug)]
pub struct NotAnEvent(serde_json::Error);

impl fmt::Display for NotAnEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not an event: {}", self.0)
    }
}

impl std::error::Error for NotAnEvent {}

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

impl<'a> Event<'a> {
    /// Reads the envelope of one line of JSON; the payload is checked to be JSON and left raw.
    ///
    /// # Errors
    /// [`NotAnEvent`] if the text is not one JSON object with a `seq` and a `type`.
    pub fn parse(raw: &'a str) -> Result<Self, NotAnEvent> {
        let envelope: Envelope<'a> = serde_json::from_str(raw).map_err(NotAnEvent)?;
        Ok(Self {
            raw,
            payload_json: envelope.payload.map_or("{}", RawValue::get),
            payload: OnceCell::new(),
            seq: envelope.seq,
            session_id: envelope.session_id,
            kind: EventKind::from(envelope.kind.as_ref()),
            at: envelope.at,
        })
    }

    /// The daemon's own text, byte for byte.
    #[must_use]
    pub fn raw(&self) -> &'a str {
        self.raw
    }

    /// The payload's own text.
    #[must_use]
    pub fn payload_json(&self) -> &'a str {
        self.payload_json
    }

    /// The payload in its typed form, decoded at the first call.
    #[must_use]
    pub fn payload(&self) -> &Payload<'a> {
        self.payload
            .get_or_init(|| Payload::decode(&self.kind, self.payload_json))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_of_tomorrow_keeps_its_bytes() {
        let raw = r#"{"payload":{"n":12345678901234567890,"x":1.10},"type":"done\u002esigned","seq":9007199254740993,"extra":[]}"#;
        let event = Event::parse(raw).unwrap();
        assert_eq!(event.seq, 9_007_199_254_740_993);
        assert_eq!(event.kind, EventKind::Other("done.signed".into()));
        assert_eq!(event.raw(), raw);
        assert_eq!(
            event.payload_json(),
            r#"{"n":12345678901234567890,"x":1.10}"#
        );
        assert!(matches!(event.payload(), Payload::Unknown));
    }

    #[test]
    fn a_known_type_of_another_shape_is_malformed_not_lost() {
        let event = Event::parse(r#"{"seq":1,"type":"message.delta","payload":[]}"#).unwrap();
        assert!(matches!(event.payload(), Payload::Malformed(_)));
    }

    #[test]
    fn what_is_no_event_says_so() {
        for text in [
            "",
            "null",
            "{}",
            "{\"seq\":1}",
            "{\"seq\":-1,\"type\":\"x\"}",
            "{\"seq\":1,\"type\":\"x\",\"payload\":{",
        ] {
            assert!(Event::parse(text).is_err(), "{text}");
        }
    }
}
