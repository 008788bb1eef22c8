//! `schema`: the JSON Schema of what this program prints.

use super::Context;
use crate::cli::{Schema, SchemaName};
use crate::error::Result;
use crate::exit::Exit;
use crate::report::{EVENTS_SCHEMA, SUMMARY_SCHEMA};

pub(super) fn run(options: &Schema, context: &mut Context<'_>) -> Result<Exit> {
    context.text(match options.name {
        SchemaName::Events => EVENTS_SCHEMA,
        SchemaName::Summary => SUMMARY_SCHEMA,
    })?;
    Ok(Exit::Done)
}
