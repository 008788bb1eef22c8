//! The plan: whole the first time, afterwards only what changed.

use std::fmt::Write as _;

use super::super::style::paint;
use super::super::text::{columns, counted, visible_short};
use super::page::{Page, Section};
use crate::protocol::{PlanItem, PlanStatus};

/// Items remembered and shown at most.
const ITEMS: usize = 200;

/// Columns before an item.
const INDENT: usize = 10;

/// The plan as it was last seen.
#[derive(Debug, Default)]
pub(super) struct Plan {
    items: Vec<PlanItem>,
}

impl Plan {
    /// Shows what the new plan brings, and remembers it.
    pub(super) fn update(&mut self, page: &mut Page, items: &[PlanItem]) {
        let first = self.items.is_empty();
        let changed: Vec<&PlanItem> = items
            .iter()
            .filter(|item| !self.items.contains(item))
            .take(ITEMS)
            .collect();
        let dropped = self
            .items
            .iter()
            .filter(|old| !items.iter().take(ITEMS).any(|new| new.id == old.id))
            .count();
        if !page.is_quiet() {
            heading(page, items, first, dropped);
            for item in &changed {
                show(page, item);
            }
        }
        self.items = items.iter().take(ITEMS).cloned().collect();
    }

    /// A new turn shows its plan whole again.
    pub(super) fn forget(&mut self) {
        self.items.clear();
    }
}

fn heading(page: &mut Page, items: &[PlanItem], first: bool, dropped: usize) {
    let palette = page.palette;
    let done = items
        .iter()
        .filter(|item| item.status == PlanStatus::Done)
        .count();
    let mut text = match items.len() {
        0 => "cleared".to_owned(),
        all => format!("{done} of {all} done"),
    };
    if !first && dropped > 0 && !items.is_empty() {
        let _ = write!(text, ", {} dropped", counted(dropped as u64, "item"));
    }
    page.line(
        Section::Steps,
        &format_args!(
            "  {} {}  {}",
            paint(&"✓", palette.good),
            paint(&"plan ", palette.bold),
            paint(&text, palette.dim)
        ),
    );
}

fn show(page: &mut Page, item: &PlanItem) {
    let palette = page.palette;
    let (symbol, style) = match &item.status {
        PlanStatus::Pending => ("○", palette.dim),
        PlanStatus::Active => ("▸", palette.accent),
        PlanStatus::Done => ("✓", palette.good),
        PlanStatus::Blocked => ("✗", palette.warn),
        PlanStatus::Other(_) => ("·", palette.dim),
    };
    let mut room = page.width().saturating_sub(INDENT + 2);
    let why = item.blocked.as_deref().filter(|why| !why.is_empty());
    let word = match &item.status {
        PlanStatus::Other(word) => Some(word.as_str()),
        PlanStatus::Blocked => Some(why.unwrap_or("blocked")),
        PlanStatus::Pending | PlanStatus::Active | PlanStatus::Done => why,
    };
    let mut end = String::new();
    if let Some(word) = word {
        // Of two long ones each gets its half.
        let text = columns(&visible_short(&item.text, room / 2));
        end = format!(" — {}", visible_short(word, room.saturating_sub(text + 3)));
        room = room.saturating_sub(columns(&end));
    }
    let text = visible_short(&item.text, room);
    let mut line = format!("{:INDENT$}{} {text}", "", paint(&symbol, style));
    if !end.is_empty() {
        line.push_str(&paint(&end, palette.warn).to_string());
    }
    page.line(Section::Steps, &line);
}
