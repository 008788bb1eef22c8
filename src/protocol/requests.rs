//! What a client sends (protocol, sections 2 and 3).

use serde::{Deserialize, Serialize};

use super::words::{Decision, SandboxMode};

/// The body of `POST /v1/sessions`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreateSession {
    /// Absolute path of an existing directory on the daemon's machine.
    pub workspace: String,
    /// The model; the daemon's default if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What the session may write to; the daemon's default if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox_mode: Option<SandboxMode>,
    /// Id of a recorded session whose history is carried over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<String>,
}

/// The body of `POST …/turns`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubmitTurn {
    /// The prompt. The daemon would accept an empty one and start a turn.
    #[serde(default)]
    pub text: String,
    /// Images that go with it. Nothing about them appears in the stream.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
}

/// One image of a submit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// MIME type. The daemon does not check it.
    pub media_type: String,
    /// Base64, standard alphabet, with padding; anything else is a 500.
    pub data: String,
}

/// The body of `POST …/steer`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Steer {
    /// The correction; blank is refused.
    pub text: String,
}

/// The body of `POST …/name`. An empty or absent name clears it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Name {
    /// At most [`super::NAME_LIMIT`] characters.
    pub name: String,
}

/// The body of `POST …/approvals/{aid}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The decision; an unknown word is a 500.
    pub decision: Decision,
}
