//! The envelope around every event (protocol, section 4).

use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::json;
use super::payload::Payload;
use super::words::EventKind;

/// One event: the daemon's own text, and what was read off its envelope.
///
/// The payload stays raw until somebody asks for it, so that an event of tomorrow passes through
/// unharmed and one that nobody looks into costs nothing.
#[derive(Debug, Clone)]
pub struct Event<'a> {
    raw: &'a str,
    /// The text with the line feed behind it, if it is known to be one line.
    line: Option<&'a str>,
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
    /// An envelope in exactly the daemon's own shape is read by hand, any other by serde: with other keys, in another
    /// order, with white space or escapes.
    ///
    /// The payload is checked by `protocol::json`, as strictly as by serde, whatever its size: the line is promised to be one
    /// JSON object wherever it is printed. For a megabyte of a tool's output that is most of what is done with it.
    ///
    /// # Errors
    /// [`NotAnEvent`] if the text is not one JSON object with a `seq` and a `type`.
    pub fn parse(raw: &'a str) -> Result<Self, NotAnEvent> {
        match Self::parse_usual(raw) {
            Some(event) => Ok(event),
            None => Self::parse_any(raw),
        }
    }

    /// The same for a text that is known to be one line, given with its line feed: it is printed as it stands.
    ///
    /// # Errors
    /// As [`Event::parse`].
    pub fn parse_line(line: &'a str) -> Result<Self, NotAnEvent> {
        let mut event = Self::parse(line.strip_suffix('\n').unwrap_or(line))?;
        event.line = line.ends_with('\n').then_some(line);
        Ok(event)
    }

    /// Reads `{"seq":1,"session_id":"…","type":"…","at":"…","payload":…}`.
    fn parse_usual(raw: &'a str) -> Option<Self> {
        let (seq, rest) = number(raw.strip_prefix("{\"seq\":")?)?;
        let (session_id, rest) = plain(rest.strip_prefix(",\"session_id\":\"")?)?;
        let (kind, rest) = plain(rest.strip_prefix(",\"type\":\"")?)?;
        let (at, rest) = plain(rest.strip_prefix(",\"at\":\"")?)?;
        let payload = rest.strip_prefix(",\"payload\":")?.strip_suffix('}')?;
        if !json::is_value(payload.as_bytes()) {
            return None;
        }
        Some(Self {
            raw,
            line: None,
            payload_json: if payload == "null" { "{}" } else { payload },
            payload: OnceCell::new(),
            seq,
            session_id: Cow::Borrowed(session_id),
            kind: EventKind::from(kind),
            at: Cow::Borrowed(at),
        })
    }

    /// Reads any envelope.
    fn parse_any(raw: &'a str) -> Result<Self, NotAnEvent> {
        let envelope: Envelope<'a> = serde_json::from_str(raw).map_err(NotAnEvent)?;
        Ok(Self {
            raw,
            line: None,
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

    /// The daemon's own text as one line, with its line feed.
    #[must_use]
    pub fn line(&self) -> Cow<'a, str> {
        match self.line {
            Some(line) => Cow::Borrowed(line),
            // Inside JSON strings a line break is always an escape: a raw one stands between tokens.
            None => Cow::Owned(self.raw.replace(['\n', '\r'], " ") + "\n"),
        }
    }

    /// The payload's own text.
    #[must_use]
    pub fn payload_json(&self) -> &'a str {
        self.payload_json
    }

    /// The turn that the event names; empty if it names none.
    #[must_use]
    pub fn turn_id(&self) -> &str {
        match self.kind {
            EventKind::TurnStarted
            | EventKind::MessageDelta
            | EventKind::MessageReasoning
            | EventKind::ToolRequested
            | EventKind::ToolApprovalRequired
            | EventKind::Progress
            | EventKind::TurnSteered
            | EventKind::TurnCompleted => {}
            _ => return "",
        }
        if let Some(id) = self.first_field("turn_id") {
            return id;
        }
        match self.payload() {
            Payload::TurnStarted(payload) => &payload.turn_id,
            Payload::MessageDelta(payload) | Payload::MessageReasoning(payload) => &payload.turn_id,
            Payload::ToolRequested(payload) => &payload.turn_id,
            Payload::ApprovalRequired(payload) => &payload.turn_id,
            Payload::Progress(payload) => &payload.turn_id,
            Payload::TurnSteered(payload) => &payload.turn_id,
            Payload::TurnCompleted(payload) => &payload.turn_id,
            _ => "",
        }
    }

    /// The first field of the payload, if it has this name and is a string without escapes: where the daemon puts ids,
    /// so that nothing has to be decoded for them.
    #[must_use]
    pub fn first_field(&self, name: &str) -> Option<&'a str> {
        let rest = self.payload_json.strip_prefix("{\"")?;
        let rest = rest.strip_prefix(name)?.strip_prefix("\":\"")?;
        plain(rest).map(|(value, _)| value)
    }

    /// The payload in its typed form, decoded at the first call.
    #[must_use]
    pub fn payload(&self) -> &Payload<'a> {
        self.payload
            .get_or_init(|| Payload::decode(&self.kind, self.payload_json))
    }
}

/// A number as JSON writes it, and what follows it.
fn number(text: &str) -> Option<(u64, &str)> {
    let (mut number, mut digits) = (0_u64, 0);
    for byte in text.bytes().take_while(u8::is_ascii_digit) {
        number = number
            .checked_mul(10)?
            .checked_add(u64::from(byte - b'0'))?;
        digits += 1;
    }
    let is_one = digits == 1 || (digits > 1 && !text.starts_with('0'));
    is_one.then(|| (number, &text[digits..]))
}

/// The inside of a string without escapes, and what follows its closing quote.
fn plain(text: &str) -> Option<(&str, &str)> {
    let end = json::plain_end(text.as_bytes())?;
    Some((&text[..end], &text[end + 1..]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn both_readers_see_the_same() {
        let usual = r#"{"seq":7,"session_id":"0a1","type":"message.delta","at":"2026-01-01T00:00:00Z","payload":{"text":"a\u00e9\"é"}}"#;
        for raw in [
            usual.to_owned(),
            usual.replace("{\"text\"", "{ \"text\""),
            usual.replace(r#"{"text":"a\u00e9\"é"}"#, "null"),
            usual.replace("message.delta", "x.y"),
        ] {
            let event = Event::parse_usual(&raw).unwrap();
            assert_eq!(
                format!("{event:?}"),
                format!("{:?}", Event::parse_any(&raw).unwrap())
            );
        }
        for raw in [
            usual.replace(":7", ":07"),
            usual.replace(":7", ":-7"),
            usual.replace(":7", ":99999999999999999999"),
            usual.replace("0a1", "0a\\u0031"),
            usual.replace("0a1", "0a\n1"),
            usual.replace("\"payload\":", "\"payload\": "),
            usual.replace("}}", "},\"more\":1}"),
            usual.replace("}}", "}"),
            usual.replace("}}", "}} "),
            usual.replace("}}", "}}}"),
            usual.replace("at\":", "at\" :"),
            usual.replace("\"at\"", "\"seq\""),
        ] {
            assert!(Event::parse_usual(&raw).is_none(), "{raw}");
        }
    }

    proptest! {
        #[test]
        fn what_is_read_by_hand_serde_reads_alike(raw in r#"\{"seq":[0-9]{1,3},"session_id":"[a\\"é]{0,3}","type":"[ab.\n]{1,4}","at":"[0-9T]{0,3}","payload":(\{\}|null|[0-9.]{1,3}|"[\\n]{0,3}"),?\}"#) {
            if let Some(event) = Event::parse_usual(&raw) {
                prop_assert_eq!(format!("{event:?}"), format!("{:?}", Event::parse_any(&raw).unwrap()));
            }
        }
    }

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
    fn ids_are_read_wherever_they_stand() {
        for (kind, payload, id) in [
            ("message.delta", r#"{"turn_id":"t1","text":"x"}"#, "t1"),
            ("message.delta", r#"{"text":"x","turn_id":"t1"}"#, "t1"),
            ("turn.completed", r#"{"turn_id":"t\u0031"}"#, "t1"),
            ("turn.completed", r#"{"turn_id":""}"#, ""),
            ("turn.completed", "{}", ""),
            (
                "tool.completed",
                r#"{"turn_id":"t1","tool_call_id":"c"}"#,
                "",
            ),
        ] {
            let raw = format!(r#"{{"seq":1,"type":"{kind}","payload":{payload}}}"#);
            assert_eq!(Event::parse(&raw).unwrap().turn_id(), id, "{raw}");
        }
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
