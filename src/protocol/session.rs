//! What the daemon answers (protocol, section 3).

use serde::{Deserialize, Deserializer, Serialize};

use super::words::{SandboxMode, SessionState};

/// A session as create, get and list answer it, and the payload of `session.created`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Opaque; sorts by creation time.
    pub id: String,
    /// Lags the stream by moments.
    #[serde(default = "unknown_state")]
    pub state: SessionState,
    /// Absolute, cleaned path on the daemon's machine.
    #[serde(default)]
    pub workspace: String,
    /// The model in use.
    #[serde(default)]
    pub model: String,
    /// What the session may write to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox_mode: Option<SandboxMode>,
    /// RFC 3339; see [`super::is_set`].
    #[serde(default)]
    pub created_at: String,
    /// The highest sequence number given out; 0 in the `session.created` payload.
    #[serde(default)]
    pub last_seq: u64,
    /// The oldest event still held. Older daemons omit it: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_seq: Option<u64>,
    /// Tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
}

/// A state that is absent counts as not idle.
fn unknown_state() -> SessionState {
    SessionState::Other(String::new())
}

/// The answer of `POST …/undo`. Absolute paths.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoResult {
    /// Files put back. `null` on the wire when empty.
    #[serde(default, deserialize_with = "null_as_default")]
    pub restored: Vec<String>,
    /// Files left alone because they were edited since. `null` on the wire when empty.
    #[serde(default, deserialize_with = "null_as_default")]
    pub refused: Vec<String>,
}

/// The answer of `GET /health`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Health {
    /// `ok`.
    pub status: String,
}

/// The answer of `GET /version`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// Compared with [`super::PROTOCOL_VERSION`].
    pub protocol: String,
    /// Free text such as `0.5.1` or `dev`.
    #[serde(default)]
    pub version: String,
}

/// Reads `null` as the type's default: an empty list, an absent number.
pub(super) fn null_as_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undo_lists_are_null_when_empty() {
        let result: UndoResult =
            serde_json::from_str(r#"{"restored":null,"refused":null}"#).unwrap();
        assert_eq!(result, UndoResult::default());
        assert_eq!(
            serde_json::to_string(&result).unwrap(),
            r#"{"restored":[],"refused":[]}"#
        );
    }

    #[test]
    fn a_session_of_another_version_is_read() {
        let text = r#"{"id":"x","state":"dreaming","mode":"plan","done_criteria":["a"]}"#;
        let session: Session = serde_json::from_str(text).unwrap();
        assert_eq!(session.state, SessionState::Other("dreaming".into()));
        assert_eq!((session.last_seq, session.first_seq), (0, None));
    }
}
