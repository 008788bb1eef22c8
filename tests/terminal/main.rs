//! What happens at a terminal: questions and their answers, colour, the status line, the order of
//! what is printed; and that nothing is asked or read where nobody is.

#![allow(clippy::unwrap_used)]

mod asking;
mod grid;
mod looks;
mod nobody;
mod pty;
mod reflow;
#[path = "../support/mod.rs"]
mod support;
mod tables;
mod widths;
