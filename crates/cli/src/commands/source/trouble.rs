//! Diagnostics and timeline of a source, as `source show` displays them.

use autoheal_engine::Timestamp;
use autoheal_engine::diagnostics::DiagnosticsEntry;
use autoheal_engine::source::PageFault;
use autoheal_source::timeline::{Event, EventKind, timeline};
use autoheal_store::{Slice, Store};
use serde_json::{Value, json};

use crate::exit::Failure;
use crate::table::{Cell, Column, Table};
use crate::text::Tone;

/// Maximum number of diagnostics and of events to show.
const MOST: u32 = 20;

/// Faults and events of a source, and the evidence of the last attempt at a fix.
pub(super) struct Trouble {
    diagnostics: Vec<DiagnosticsEntry<PageFault>>,
    events: Vec<Event>,
    diagnosis: Option<Value>,
}

impl Trouble {
    pub(super) async fn load(store: &Store, source: &str) -> Result<Self, Failure> {
        let diagnostics = store.source_diagnostics(source, Slice { offset: 0, limit: MOST.into() }).await?;
        let events = timeline(store, source, MOST).await?;
        let diagnosis = match store.fix_attempts(source, 1).await?.pop() {
            Some(last) => store.fixes_of_target(source, last.at).await?.pop().map(|(_, fix)| fix.diagnosis),
            None => None,
        };
        Ok(Self { diagnostics, events, diagnosis: diagnosis.filter(|diagnosis| !diagnosis.is_null()) })
    }

    /// The diagnostics as JSON, the open ones first.
    pub(super) fn diagnostics_json(&self) -> Vec<Value> {
        let document = |entry: &DiagnosticsEntry<PageFault>| {
            let fault = &entry.finding;
            json!({
                "category": fault.category, "field": fault.field, "status": fault.status, "page": fault.page,
                "message": fault.message, "occurrence_count": entry.occurrence_count,
                "first_seen_at": entry.first_seen_at.to_rfc3339(), "last_seen_at": entry.last_seen_at.to_rfc3339(),
                "resolved_at": entry.resolved_at.map(Timestamp::to_rfc3339),
            })
        };
        self.diagnostics.iter().map(document).collect()
    }

    /// The timeline as JSON, the newest event first.
    pub(super) fn timeline_json(&self) -> Vec<Value> {
        let document = |event: &Event| {
            json!({
                "at": event.at.to_rfc3339(), "since": event.since.map(Timestamp::to_rfc3339), "kind": event.kind,
                "code": event.code, "count": event.count, "message": event.message, "run": event.run,
            })
        };
        self.events.iter().map(document).collect()
    }

    /// The evidence of the last attempt at a fix: the changes of the page by region, and their diff.
    pub(super) fn diagnosis_json(&self) -> Option<Value> {
        let diagnosis = self.diagnosis.as_ref()?;
        let of = |key: &str| diagnosis.get(key).cloned().unwrap_or_default();
        let time = |key: &str| diagnosis[key].as_i64().map(|at| Timestamp::from_millis(at).to_rfc3339());
        Some(json!({
            "error_type": of("error_type"), "error_message": of("error_message"),
            "original_html": time("original_html"), "current_html": time("current_html"),
            "summary": of("summary"), "html_diff": of("html_diff"),
        }))
    }

    /// The open diagnostics; `None` without any.
    pub(super) fn diagnostics_table(&self, now: Timestamp) -> Option<Table> {
        let mut table = Table::new([
            Column::new("OPEN"),
            Column::new("FIELD").cut_end(),
            Column::number("TIMES"),
            Column::new("FIRST SEEN"),
            Column::new("LAST SEEN"),
            Column::new("MESSAGE").wrap(),
        ]);
        let mut open = self.diagnostics.iter().filter(|entry| entry.resolved_at.is_none()).peekable();
        open.peek()?;
        for entry in open {
            let fault = &entry.finding;
            table.push([
                Cell::new(fault.category.name()).tone(Tone::Bad),
                Cell::new(fault.field.as_deref().unwrap_or("(page)")),
                Cell::of(&entry.occurrence_count),
                Cell::time(Some(entry.first_seen_at), now),
                Cell::time(Some(entry.last_seen_at), now),
                Cell::new(&fault.message),
            ]);
        }
        Some(table)
    }

    /// The events; `None` without any.
    pub(super) fn timeline_table(&self, now: Timestamp) -> Option<Table> {
        let mut table = Table::new([
            Column::new("TIMELINE"),
            Column::new("EVENT"),
            Column::new("REASON"),
            Column::new("MESSAGE").cut_end(),
            Column::new("RUN").optional(),
        ]);
        for event in &self.events {
            let run = event.run.map(|run| run.to_string()).unwrap_or_default();
            table.push([
                Cell::time(Some(event.at), now),
                Cell::new(event.kind.name()).tone(tone(event.kind)),
                Cell::new(&event.detail()),
                Cell::new(&event.message),
                Cell::short(run.get(..8).unwrap_or_default(), &run),
            ]);
        }
        (!self.events.is_empty()).then_some(table)
    }

    /// The changes of the page by region that the last attempt at a fix was based on, a few lines.
    pub(super) fn changes(&self) -> Vec<&str> {
        let summary = self.diagnosis.as_ref().and_then(|diagnosis| diagnosis["summary"].as_str()).unwrap_or_default();
        summary.lines().take(5).collect()
    }
}

const fn tone(kind: EventKind) -> Tone {
    match kind {
        EventKind::Recovered | EventKind::FixPromoted => Tone::Good,
        EventKind::FixProposed
        | EventKind::SlowedDown
        | EventKind::FieldGone
        | EventKind::RolledBack
        | EventKind::FixRefused
        | EventKind::NoFix => Tone::Caution,
        EventKind::Failed | EventKind::Quarantined | EventKind::Dead | EventKind::Blocked => Tone::Bad,
        EventKind::Decided => Tone::Plain,
    }
}
