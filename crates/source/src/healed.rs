//! Pages on which a fix works.

use autoheal_engine::Timestamp;
use autoheal_engine::source::{Snapshot, SnapshotRole, SourceRecord};
use autoheal_page::Document;
use autoheal_page::recipe::Recipe;
use autoheal_store::{Store, StoreError};

use crate::definition::Definition;
use crate::facts::PageFacts;
use crate::validation::validate;

/// Returns the records that make the failing pages good ones on which this recipe works, of those that were taken until a fix was made:
/// what it was made for is what later pages are compared with.
pub(crate) async fn healed_pages(
    store: &Store,
    source: &str,
    definition: &Definition,
    recipe: &Recipe,
    until: Timestamp,
) -> Result<Vec<SourceRecord>, StoreError> {
    let mut records = Vec::new();
    for page in definition.pages() {
        let failing = store.snapshots(source, SnapshotRole::Failing, Some(page.as_str()), 1).await?;
        let good = store.snapshots(source, SnapshotRole::Good, Some(page.as_str()), 1).await?;
        let good_at = good.first().map(|good| good.taken_at);
        let is_newer = |failing: &Snapshot| good_at.is_none_or(|good_at| good_at < failing.taken_at);
        for failing in failing.into_iter().filter(|failing| is_newer(failing) && failing.taken_at <= until) {
            let (extraction, facts) = PageFacts::look(recipe, &Document::parse_bytes(&failing.content), page);
            if validate(recipe, &extraction, &[]).passed {
                let values = serde_json::to_value(facts).ok();
                let snapshot = Snapshot { role: SnapshotRole::Good, values, ..failing };
                records.push(SourceRecord::Snapshot { source: source.to_owned(), snapshot });
            }
        }
    }
    Ok(records)
}
