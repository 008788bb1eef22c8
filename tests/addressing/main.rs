//! Which daemon and which session is meant, and the commands about sessions and questions.

#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod approvals;
mod lifecycle;
mod sessions;
mod sockets;
