//! Failing pages that become good ones, because a user accepts their values or a fix works on them.

use autoheal_engine::Timestamp;
use autoheal_engine::source::{Snapshot, SnapshotRole, SourceRecord};
use autoheal_page::Document;
use autoheal_page::apply::Extraction;
use autoheal_page::recipe::Recipe;
use autoheal_store::{Store, StoreError};
use url::Url;

use crate::definition::Definition;
use crate::facts::PageFacts;
use crate::failure::Failure;
use crate::validation::validate;

/// The newest failing page at an address of a source.
pub(crate) struct Failing {
    pub(crate) snapshot: Snapshot,
    /// Time of the newest good page at the address.
    pub(crate) good_at: Option<Timestamp>,
    /// URL that the site leads to from the address.
    pub(crate) place: Url,
}

impl Failing {
    /// The failing page at an address; `None`: no page there has failed.
    pub(crate) async fn at(store: &Store, source: &str, page: &Url) -> Result<Option<Self>, StoreError> {
        let newest = async |role| {
            let stored = store.snapshots(source, role, Some(page.as_str()), 1).await?;
            Ok::<_, StoreError>(stored.into_iter().next())
        };
        let Some(snapshot) = newest(SnapshotRole::Failing).await? else { return Ok(None) };
        let good = newest(SnapshotRole::Good).await?;
        let facts = good.as_ref().and_then(|good| PageFacts::read(good.values.as_ref()?));
        let place = facts.and_then(|facts| facts.place).unwrap_or_else(|| page.clone());
        Ok(Some(Self { snapshot, good_at: good.map(|good| good.taken_at), place }))
    }

    /// The page as a good one, and what a recipe gives on it. The inner error is the failure if it does not give the values of the page.
    ///
    /// # Errors
    ///
    /// If the facts of the page are not valid as JSON.
    pub(crate) fn into_good(
        self,
        recipe: &Recipe,
    ) -> Result<Result<(Snapshot, Extraction), Failure>, serde_json::Error> {
        let document = Document::parse_bytes(&self.snapshot.content);
        let (extraction, facts) = PageFacts::look(recipe, &document, &self.place);
        if let Some(failure) = validate(recipe, &extraction, &[]).failure() {
            return Ok(Err(failure));
        }
        let values = Some(serde_json::to_value(facts)?);
        Ok(Ok((Snapshot { role: SnapshotRole::Good, values, ..self.snapshot }, extraction)))
    }
}

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
        let Some(failing) = Failing::at(store, source, page).await? else { continue };
        let taken_at = failing.snapshot.taken_at;
        if failing.good_at.is_some_and(|good_at| good_at >= taken_at) || taken_at > until {
            continue;
        }
        if let Ok(Ok((snapshot, _))) = failing.into_good(recipe) {
            records.push(SourceRecord::Snapshot { source: source.to_owned(), snapshot });
        }
    }
    Ok(records)
}
