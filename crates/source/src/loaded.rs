//! A source with everything that is known of it.

use autoheal_engine::ErrorCode;
use autoheal_engine::source::{Snapshot, SnapshotRole, SourceRecord, Stage};
use autoheal_engine::workflow::{Record, StepContext, StepError};
use autoheal_page::Document;
use autoheal_page::recipe::Recipe;
use autoheal_store::{RecipeRow, SourceRow};

use crate::definition::Definition;
use crate::services::{SourceServices, store_error};
use crate::validation::History;

/// So many earlier pages are compared with.
const PAGES: usize = 3;

/// A source as the store has it.
pub(crate) struct Loaded {
    pub(crate) row: SourceRow,
    pub(crate) definition: Definition,
    /// Every version of its recipe.
    pub(crate) versions: Vec<RecipeRow>,
    /// The one in force, and what it says.
    pub(crate) in_force: RecipeRow,
    pub(crate) recipe: Recipe,
    /// Pages on which it worked, the newest first, the original last.
    pub(crate) good: Vec<Snapshot>,
}

impl Loaded {
    pub(crate) async fn load(services: &SourceServices, source: &str) -> Result<Self, StepError> {
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
        let mut good = store.snapshots(source, SnapshotRole::Good).await.map_err(|error| store_error(&error))?;
        good.extend(store.snapshots(source, SnapshotRole::Original).await.map_err(|error| store_error(&error))?);
        good.truncate(PAGES);
        Ok(Self { row, definition, versions, in_force, recipe, good })
    }

    pub(crate) fn history(&self) -> History {
        History::of(self.good.iter().filter_map(|snapshot| snapshot.values.as_ref()))
    }

    /// The pages on which the recipe worked, parsed, the newest first.
    pub(crate) fn good_pages(&self) -> Vec<Document> {
        self.good.iter().map(|snapshot| Document::parse_bytes(&snapshot.content)).collect()
    }

    pub(crate) fn next_version(&self) -> u32 {
        self.versions.iter().map(|recipe| recipe.version).max().unwrap_or(0) + 1
    }

    /// Whether a person or a later failure has refused this very recipe.
    pub(crate) fn is_refused(&self, recipe: &Recipe) -> bool {
        let is_same = |row: &RecipeRow| recipe_of(row).is_ok_and(|other| same_rules(&other, recipe));
        self.versions.iter().any(|row| row.stage == Stage::Rejected && is_same(row))
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

pub(crate) fn permanent(message: impl Into<String>) -> StepError {
    StepError::Permanent { code: ErrorCode::InvalidInput, message: message.into() }
}

/// Leaves a change in the store, with the step's checkpoint.
pub(crate) fn record(context: &StepContext, change: SourceRecord) {
    context.record(Record::Source(change));
}
