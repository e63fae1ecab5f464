//! A source with everything that is known of it.

use autoheal_engine::breaker::Breaker;
use autoheal_engine::source::{Snapshot, SnapshotRole, SourceRecord, Stage};
use autoheal_engine::task::Task;
use autoheal_engine::workflow::{Record, StepContext, StepError};
use autoheal_engine::{ErrorCode, Timestamp};
use autoheal_page::Document;
use autoheal_page::recipe::{Recipe, Request};
use autoheal_store::{RecipeRow, SourceRow};
use url::Url;

use crate::definition::Definition;
use crate::facts::PageFacts;
use crate::name::{InvalidSourceName, SourceName};
use crate::services::{SourceServices, store_error};

/// A source as the store has it.
pub(crate) struct Loaded {
    pub(crate) row: SourceRow,
    pub(crate) definition: Definition,
    /// Every version of its recipe.
    pub(crate) versions: Vec<RecipeRow>,
    /// Active version of the recipe.
    pub(crate) in_force: RecipeRow,
    pub(crate) recipe: Recipe,
    /// The page that this is about.
    pub(crate) page: Url,
    /// Stored pages on which the recipe worked: first those of `page`, the newest first, then the original, then those of a few other
    /// pages of the source. Of a step that looks at none, none.
    pub(crate) good: Vec<Snapshot>,
    /// Facts of the pages in `good`.
    pub(crate) history: Vec<PageFacts>,
    /// The facts of `page` when its values were accepted last.
    pub(crate) last: Option<PageFacts>,
}

/// Reference to a page of a source.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Page<'a> {
    /// The one at this address, which a list may have led to.
    At(&'a Url),
    /// The one that the definition names at this place, from 0.
    Number(usize),
}

/// Loading of stored pages, which are long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stored {
    /// The step uses them.
    Wanted,
    /// The step does not use them.
    NotWanted,
}

/// Maximum number of stored pages of the source to load when the page itself has too few to compare with.
const ENOUGH_PAGES: u32 = 4;

impl Loaded {
    /// The source as one of its pages sees it.
    pub(crate) async fn load(
        services: &SourceServices,
        source: &str,
        page: Page<'_>,
        stored: Stored,
    ) -> Result<Self, StepError> {
        let store = &services.store;
        let missing = |what: &str| {
            permanent(format!("the source `{source}` has no {what}; `autoheal source list` shows what there is"))
        };
        let row =
            store.source(source).await.map_err(|error| store_error(&error))?.ok_or_else(|| missing("definition"))?;
        let definition: Definition = serde_json::from_value(row.definition.clone())
            .map_err(|error| permanent(format!("the definition of `{source}`: {error}")))?;
        let versions = store.recipes(source).await.map_err(|error| store_error(&error))?;
        let in_force = RecipeRow::active(&versions).cloned().ok_or_else(|| missing("active recipe"))?;
        let recipe = recipe_of(&in_force)?;
        let page = match page {
            Page::At(url) => url.clone(),
            // The user may have removed pages meanwhile.
            Page::Number(number) => definition.pages().nth(number).unwrap_or(&definition.url).clone(),
        };
        let good = if stored == Stored::Wanted { good_pages(services, source, &page).await? } else { Vec::new() };
        let facts = |snapshot: &Snapshot| snapshot.values.as_ref().and_then(PageFacts::read);
        let history = good.iter().filter_map(facts).collect();
        let last = good.first().filter(|snapshot| snapshot.url == page.as_str()).and_then(facts);
        Ok(Self { row, definition, versions, in_force, recipe, page, good, history, last })
    }

    /// Parameters of a request for a page of the source.
    pub(crate) fn request(&self) -> Request {
        self.request_of(&self.recipe)
    }

    /// Parameters of a request as a recipe of the source has them, with the pause that its site has asked for.
    pub(crate) fn request_of(&self, recipe: &Recipe) -> Request {
        let request = recipe.request().clone();
        let delay = request.delay.max(Some(self.definition.pause()).filter(|pause| !pause.is_zero()));
        Request { delay, ..request }
    }

    /// The pages on which the recipe worked, parsed, the newest first.
    pub(crate) fn good_pages(&self) -> Vec<Document> {
        self.good.iter().map(|snapshot| Document::parse_bytes(&snapshot.content)).collect()
    }

    /// Returns whether a page has the values of the last good one in most fields: then it is that page, and not another of the site.
    pub(crate) fn recognises(&self, facts: &PageFacts) -> bool {
        let Some(last) = &self.last else { return false };
        let (same, known) = facts.same_as(last);
        known > 0 && same * 2 > known
    }

    /// Returns the definition with another version's definition applied. Settings that a user has changed in the meantime are kept.
    pub(crate) fn definition_with(&self, other: &Definition) -> Result<Definition, StepError> {
        Ok(self.definition.changed_as(&definition_of(&self.in_force)?, other))
    }

    pub(crate) fn next_version(&self) -> u32 {
        self.versions.iter().map(|recipe| recipe.version).max().unwrap_or(0) + 1
    }

    /// Returns whether this exact change was rejected by a user or reverted, or failed validation a short while ago: it needs
    /// another page to pass, not another try.
    pub(crate) fn is_refused(&self, recipe: &Recipe, definition: &Definition, now: Timestamp) -> bool {
        let is_same = |row: &RecipeRow| {
            let place = serde_json::from_value::<Definition>(row.definition.clone());
            place.is_ok_and(|other| other.pages().eq(definition.pages()))
                && recipe_of(row).is_ok_and(|other| same_rules(&other, recipe))
        };
        let counts = |row: &RecipeRow| match row.stage {
            Stage::Rejected => true,
            Stage::Failed => now.since(row.created_at) < Breaker::default().window,
            Stage::Staging | Stage::Production | Stage::Archived => false,
        };
        self.versions.iter().any(|row| counts(row) && is_same(row))
    }
}

async fn good_pages(services: &SourceServices, source: &str, page: &Url) -> Result<Vec<Snapshot>, StepError> {
    let stored = async |role: SnapshotRole, url: Option<&str>, limit: u32| {
        services.store.snapshots(source, role, url, limit).await.map_err(|error| store_error(&error))
    };
    let mut good = stored(SnapshotRole::Good, Some(page.as_str()), SnapshotRole::Good.kept()).await?;
    let mut others = stored(SnapshotRole::Original, Some(page.as_str()), 1).await?;
    if u32::try_from(good.len()).unwrap_or(u32::MAX) < SnapshotRole::Good.kept() {
        others.extend(stored(SnapshotRole::Good, None, ENOUGH_PAGES).await?);
    }
    for other in others {
        if !good.iter().any(|known| known.content == other.content) {
            good.push(other);
        }
    }
    Ok(good)
}

/// Returns whether two recipes have the same rules, whatever their examples are.
fn same_rules(one: &Recipe, other: &Recipe) -> bool {
    let bare = |recipe: &Recipe| {
        let mut fields = recipe.fields().to_vec();
        for field in &mut fields {
            field.example.clear();
        }
        recipe.clone().with_fields(fields)
    };
    bare(one) == bare(other)
}

/// The definition that a version was made with.
pub(crate) fn definition_of(row: &RecipeRow) -> Result<Definition, StepError> {
    serde_json::from_value(row.definition.clone())
        .map_err(|error| permanent(format!("the definition of version {}: {error}", row.version)))
}

/// A stored recipe as it is applied.
pub(crate) fn recipe_of(row: &RecipeRow) -> Result<Recipe, StepError> {
    serde_json::from_value(row.recipe.clone()).map_err(|error| permanent(format!("recipe {}: {error}", row.version)))
}

/// The source that a task is about.
pub(crate) fn source_of(task: &Task) -> Result<SourceName, StepError> {
    task.target.parse().map_err(|error: InvalidSourceName| permanent(error.to_string()))
}

pub(crate) fn permanent(message: impl Into<String>) -> StepError {
    StepError::Permanent { code: ErrorCode::InvalidInput, message: message.into() }
}

/// Leaves a change in the store, with the step's checkpoint.
pub(crate) fn record(context: &StepContext, change: SourceRecord) {
    context.record(Record::Source(change));
}
