//! The JSON Schemas of what this program prints, for whoever reads it with a program.

/// A line of NDJSON output: the envelope, and the payload of each type that is known.
pub const EVENTS_SCHEMA: &str = include_str!("schema/events.json");

/// The object that `--summary` writes.
pub const SUMMARY_SCHEMA: &str = include_str!("schema/summary.json");
