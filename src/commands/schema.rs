//! `schema`: the JSON Schema of what this program prints.

use super::Context;
use crate::cli::{Schema, SchemaName};
use crate::error::Result;
use crate::exit::Exit;
use crate::packed::SCHEMAS;

pub(super) fn run(options: &Schema, context: &mut Context<'_>) -> Result<Exit> {
    let schema = SCHEMAS.text(match options.name {
        SchemaName::Events => "events.json",
        SchemaName::Summary => "summary.json",
    });
    context.text(&schema)?;
    Ok(Exit::Done)
}
