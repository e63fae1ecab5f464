//! A source with everything that is known of it.

use autoheal_engine::breaker::Breaker;
use autoheal_engine::source::{Snapshot, SnapshotRole, SourceRecord, Stage};
use autoheal_engine::task::Task;
use autoheal_engine::workflow::{Record, StepContext, StepError};
use autoheal_engine::{ErrorCode, Timestamp};
use autoheal_page::Document;
use autoheal_page::recipe::Recipe;
use autoheal_store::{RecipeRow, SourceRow};

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
    /// The one in force, and what it says.
    pub(crate) in_force: RecipeRow,
    pub(crate) recipe: Recipe,
    /// Pages on which it worked, the newest first, the original last; of a step that looks at none, none.
    pub(crate) good: Vec<Snapshot>,
    /// Their facts.
    pub(crate) history: Vec<PageFacts>,
    /// Where the page was, after all redirects, when its values were accepted last.
    pub(crate) last_place: Option<String>,
}

/// Whether a step looks at stored pages: they are long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pages {
    /// It does.
    Wanted,
    /// It does not.
    NotWanted,
}

impl Loaded {
    pub(crate) async fn load(services: &SourceServices, source: &str, pages: Pages) -> Result<Self, StepError> {
        let store = &services.store;
        let missing = |what: &str| {
            permanent(format!("the source `{source}` has no {what}; `autoheal source list` shows what there is"))
        };
        let row =
            store.source(source).await.map_err(|error| store_error(&error))?.ok_or_else(|| missing("definition"))?;
        let definition = serde_json::from_value(row.definition.clone())
            .map_err(|error| permanent(format!("the definition of `{source}`: {error}")))?;
        let versions = store.recipes(source).await.map_err(|error| store_error(&error))?;
        let in_force = versions
            .iter()
            .find(|recipe| recipe.stage == Stage::Production)
            .cloned()
            .ok_or_else(|| missing("recipe in force"))?;
        let recipe = recipe_of(&in_force)?;
        let (mut good, mut last_place) = (Vec::new(), None);
        if pages == Pages::Wanted {
            let last = store.values(source, Timestamp::default(), 1).await.map_err(|error| store_error(&error))?;
            last_place = last.into_iter().next().map(|row| row.url);
            let original =
                store.snapshots(source, SnapshotRole::Original).await.map_err(|error| store_error(&error))?;
            good = store.snapshots(source, SnapshotRole::Good).await.map_err(|error| store_error(&error))?;
            let is_new = |page: &Snapshot| !good.iter().any(|other| other.content == page.content);
            let original: Vec<Snapshot> = original.into_iter().filter(is_new).collect();
            good.extend(original);
        }
        let history =
            good.iter().filter_map(|page: &Snapshot| page.values.as_ref()).filter_map(PageFacts::read).collect();
        Ok(Self { row, definition, versions, in_force, recipe, good, history, last_place })
    }

    /// The pages on which the recipe worked, parsed, the newest first.
    pub(crate) fn good_pages(&self) -> Vec<Document> {
        self.good.iter().map(|snapshot| Document::parse_bytes(&snapshot.content)).collect()
    }

    /// Whether a page has the values of the last good one in most fields: it is the page, and not another of the site.
    pub(crate) fn recognises(&self, facts: &PageFacts) -> bool {
        let Some(last) = self.history.first() else { return false };
        let (same, known) = facts.same_as(last);
        known > 0 && same * 2 > known
    }

    pub(crate) fn next_version(&self) -> u32 {
        self.versions.iter().map(|recipe| recipe.version).max().unwrap_or(0) + 1
    }

    /// Whether this very change was refused by a person or taken back, or did not pass a short while ago: what it needs to pass is
    /// another page, not another try.
    pub(crate) fn is_refused(&self, recipe: &Recipe, definition: &Definition, now: Timestamp) -> bool {
        let is_same = |row: &RecipeRow| {
            let place = serde_json::from_value::<Definition>(row.definition.clone()).map(|other| other.url);
            place.is_ok_and(|url| url == definition.url) && recipe_of(row).is_ok_and(|other| same_rules(&other, recipe))
        };
        let counts = |row: &RecipeRow| match row.stage {
            Stage::Rejected => true,
            Stage::Failed => now.since(row.created_at) < Breaker::default().window,
            Stage::Staging | Stage::Production | Stage::Archived => false,
        };
        self.versions.iter().any(|row| counts(row) && is_same(row))
    }
}

/// Whether two recipes do the same, whatever their examples are.
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
