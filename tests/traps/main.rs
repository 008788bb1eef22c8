//! Every trap of the protocol's section 12, through the built binary.

#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod approvals;
mod requests;
mod turns;
