//! The diagnostics log of a source: the faults that its runs found, counted over all runs (spec `diagnostics-log.md`).

use autoheal_engine::Timestamp;
use autoheal_engine::diagnostics::DiagnosticsLog;
use autoheal_engine::source::{PageFault, SourceRecord};
use autoheal_store::{Slice, Store, StoreError};

/// Extent of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Every page was read: a fault that was not found is gone.
    Whole,
    /// Some pages were not read: a fault that was not found may still be there.
    Part,
}

/// Returns the change of the source's log after a check that found these faults; `None` if it stays as it is.
pub(crate) async fn observed(
    store: &Store,
    source: &str,
    faults: &[PageFault],
    extent: Extent,
    now: Timestamp,
) -> Result<Option<SourceRecord>, StoreError> {
    let mut log = DiagnosticsLog::of(store.source_diagnostics(source, Slice::ALL).await?);
    match extent {
        Extent::Whole => log.observe(faults, now),
        Extent::Part => log.observe_in_part(faults, now),
    }
    let is_changed = |seen, resolved| seen == now || resolved == Some(now);
    let entries: Vec<_> =
        log.entries().iter().filter(|entry| is_changed(entry.last_seen_at, entry.resolved_at)).cloned().collect();
    Ok((!entries.is_empty()).then(|| SourceRecord::Diagnostics { source: source.to_owned(), entries }))
}
