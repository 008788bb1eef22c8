//! What comes in: arguments, prompts, images, logs; and the commands around the daemon.

#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod arguments;
mod help;
mod images;
mod redirected;
mod rendering;
mod simulating;
mod text;
