//! What the daemon measured of a turn: tokens and criteria.

use serde::{Deserialize, Serialize};

use super::session::null_as_default;
use super::words::Seal;

/// Tokens of a turn, summed over its model calls.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Read.
    #[serde(default)]
    pub input_tokens: u64,
    /// Written.
    #[serde(default)]
    pub output_tokens: u64,
    /// Read from the cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read_tokens: Option<u64>,
    /// Written to the cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_tokens: Option<u64>,
    /// Size of the context at the last call, not summed: the one to divide by `context_window`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
}

/// What the daemon measured. The lists decide, not the seal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// The seal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<Seal>,
    /// Criteria met.
    #[serde(
        default,
        deserialize_with = "null_as_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub met: Vec<String>,
    /// Criteria not met.
    #[serde(
        default,
        deserialize_with = "null_as_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub unmet: Vec<String>,
    /// Criteria that could not be run.
    #[serde(
        default,
        deserialize_with = "null_as_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub unavailable: Vec<String>,
    /// Paths of the measurement itself that were written, in this turn or an earlier one.
    #[serde(
        default,
        deserialize_with = "null_as_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub touched_protected: Vec<String>,
}
