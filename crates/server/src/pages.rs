//! Work on the stored pages of a source. The pages are hostile, so a worker process does it for the server where there is one.

use std::fmt::Display;

use async_trait::async_trait;
use autoheal_orchestrator::Crew;
use autoheal_orchestrator::crew::CallError;
use autoheal_page::Document;
use autoheal_page::apply::FieldOutcome;
use autoheal_page::recipe::{FieldName, Recipe};
use autoheal_source::scout::{Pointed, by_pointing};
use autoheal_source::{DecideError, SourceName, accept};
use autoheal_store::{Slice, SnapshotRow, Store, StoreError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use url::Url;
use utoipa::ToSchema;

use crate::marked::{self, Numbers};

/// Maximum number of stored pages that a recipe is tried on, the newest first.
const MOST_PAGES: i64 = 12;
/// Maximum number of values of a field that are returned of a page, and of reasons for missing ones.
const MOST_VALUES: usize = 20;
const MOST_PROBLEMS: usize = 5;
/// Maximum number of characters that are returned of a value.
const MOST_CHARACTERS: usize = 400;

/// A piece of work on the stored pages of a source, as it is sent to a worker process.
#[async_trait]
pub(crate) trait PageWork: Serialize + DeserializeOwned + Send + 'static {
    /// The name of the call.
    const NAME: &'static str;
    /// The result of the work.
    type Answer: Serialize + DeserializeOwned;

    /// Does the work in this process.
    async fn perform(self, store: &Store) -> Result<Self::Answer, StoreError>;

    /// Has a worker process do the work, or does it here if the server runs without them.
    ///
    /// # Errors
    ///
    /// The reason why there is no answer.
    async fn answer(self, crew: Option<&Crew>, store: &Store) -> Result<Self::Answer, CallError> {
        let failed = |error: &dyn Display| CallError::Process(error.to_string());
        let Some(crew) = crew else { return self.perform(store).await.map_err(|error| failed(&error)) };
        let input = serde_json::to_value(&self).map_err(|error| failed(&error))?;
        let answer = crew.call(Self::NAME, &input, &|_| (), &CancellationToken::new()).await?;
        serde_json::from_value(answer).map_err(|error| failed(&error))
    }
}

/// Does the work of a call in a worker process; `None` if the call is not about stored pages.
pub(crate) async fn perform(name: &str, input: &Value, store: &Store) -> Option<Result<Value, String>> {
    match name {
        DrawnPage::NAME => Some(performed::<DrawnPage>(input, store).await),
        AskedRules::NAME => Some(performed::<AskedRules>(input, store).await),
        TriedRecipe::NAME => Some(performed::<TriedRecipe>(input, store).await),
        AcceptedPages::NAME => Some(performed::<AcceptedPages>(input, store).await),
        _ => None,
    }
}

async fn performed<W: PageWork>(input: &Value, store: &Store) -> Result<Value, String> {
    let work = W::deserialize(input).map_err(|error| error.to_string())?;
    let answer = work.perform(store).await.map_err(|error| error.to_string())?;
    serde_json::to_value(answer).map_err(|error| error.to_string())
}

/// A stored page to display.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct DrawnPage {
    /// The source that it is a page of.
    pub(crate) source: String,
    /// Number of the stored page.
    pub(crate) snapshot: i64,
    /// The recipe whose fields are marked on it.
    pub(crate) recipe: Option<Recipe>,
    /// Numbers of its elements.
    pub(crate) numbers: Numbers,
}

#[async_trait]
impl PageWork for DrawnPage {
    const NAME: &'static str = "marked";
    /// The page as safe HTML; `None` when it is not kept.
    type Answer = Option<String>;

    async fn perform(self, store: &Store) -> Result<Self::Answer, StoreError> {
        let Some((kept, content)) = store.kept_page(&self.source, self.snapshot).await? else { return Ok(None) };
        let page = Page::of(&kept, &content);
        Ok(Some(marked::marked(&page.document, self.recipe.as_ref(), page.url.as_ref(), self.numbers)))
    }
}

/// Request for rules that give elements of a stored page.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AskedRules {
    /// The source that it is a page of.
    pub(crate) source: String,
    /// Its recipe.
    pub(crate) recipe: Recipe,
    /// The field that the elements should give.
    pub(crate) field: FieldName,
    /// Number of the stored page.
    pub(crate) snapshot: i64,
    /// Numbers of the elements.
    pub(crate) elements: Vec<usize>,
}

/// Reason there are no rules for elements.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum NoRules {
    /// The page is not kept, or has no such element.
    NotThere,
    /// There is no rule.
    None(String),
}

/// A rule for a field, and the values that it extracts from the stored pages.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ProposedRule {
    /// Selector of the rule.
    pub selector: String,
    /// The recipe with the rule.
    #[schema(value_type = Object)]
    pub recipe: Recipe,
    /// Values that the rule extracts from each page.
    pub pages: Vec<PageTrial>,
}

/// Values that a recipe extracts from a stored page.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageTrial {
    /// Number of the stored page.
    pub snapshot_id: i64,
    /// Values of each field.
    pub fields: Vec<FieldTrial>,
}

/// Values of a field on a stored page.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct FieldTrial {
    /// Name of the field.
    pub name: String,
    /// The first values, as texts.
    pub values: Vec<String>,
    /// Number of all values.
    pub total: usize,
    /// The first reasons for missing values.
    pub problems: Vec<String>,
}

#[async_trait]
impl PageWork for AskedRules {
    const NAME: &'static str = "rules";
    type Answer = Result<Vec<ProposedRule>, NoRules>;

    async fn perform(self, store: &Store) -> Result<Self::Answer, StoreError> {
        let Some((kept, content)) = store.kept_page(&self.source, self.snapshot).await? else {
            return Ok(Err(NoRules::NotThere));
        };
        let here = Page::of(&kept, &content);
        let numbered = |number: &usize| here.document.nodes().nth(*number);
        let Some(elements) = self.elements.iter().map(numbered).collect::<Option<Vec<_>>>() else {
            return Ok(Err(NoRules::NotThere));
        };
        let pages = pages(store, &self.source).await?;
        let others = pages.iter().filter(|page| page.number != self.snapshot).map(|page| &page.document);
        let pointed = Pointed { page: &here.document, url: here.url.as_ref(), elements: &elements };
        let proposed = by_pointing(&self.recipe, &self.field, &pointed, &others.collect::<Vec<_>>());
        let rule = |recipe: Recipe| {
            let field = recipe.field(self.field.as_str());
            let selector = field.and_then(|field| field.select()).map(|select| select.source().to_owned());
            let pages = pages.iter().map(|page| page.trial(&recipe, Some(&self.field))).collect();
            ProposedRule { selector: selector.unwrap_or_default(), recipe, pages }
        };
        Ok(proposed
            .map(|recipes| recipes.into_iter().map(rule).collect())
            .map_err(|none| NoRules::None(none.to_string())))
    }
}

/// A recipe that is tried on the stored pages.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TriedRecipe {
    /// The source that the pages are of.
    pub(crate) source: String,
    /// The recipe.
    pub(crate) recipe: Recipe,
}

#[async_trait]
impl PageWork for TriedRecipe {
    const NAME: &'static str = "tried";
    type Answer = Vec<PageTrial>;

    async fn perform(self, store: &Store) -> Result<Self::Answer, StoreError> {
        Ok(pages(store, &self.source).await?.iter().map(|page| page.trial(&self.recipe, None)).collect())
    }
}

/// The failed pages of a source, whose values a user accepts.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AcceptedPages {
    /// The source that the pages are of.
    pub(crate) source: String,
    /// User who accepts them.
    pub(crate) asked_by: String,
}

#[async_trait]
impl PageWork for AcceptedPages {
    const NAME: &'static str = "accepted";
    /// The reason why there is nothing to accept.
    type Answer = Result<(), String>;

    async fn perform(self, store: &Store) -> Result<Self::Answer, StoreError> {
        let Ok(name) = self.source.parse::<SourceName>() else {
            return Ok(Err("the source has no valid name".to_owned()));
        };
        match accept::accept(store, &name, &self.asked_by, store.now()).await {
            Ok(_) => Ok(Ok(())),
            Err(DecideError::Store(error)) => Err(error),
            Err(refused) => Ok(Err(refused.to_string())),
        }
    }
}

/// A stored page.
struct Page {
    number: i64,
    url: Option<Url>,
    document: Document,
}

impl Page {
    fn of(kept: &SnapshotRow, content: &[u8]) -> Self {
        Self { number: kept.snapshot, url: Url::parse(&kept.url).ok(), document: Document::parse_bytes(content) }
    }

    /// Returns the values that a recipe extracts, of one field or of all.
    fn trial(&self, recipe: &Recipe, only: Option<&FieldName>) -> PageTrial {
        let records = recipe.apply(&self.document, self.url.as_ref()).records;
        let names =
            recipe.fields().iter().map(|field| &field.name).filter(|name| only.is_none_or(|only| only == *name));
        let trial = |name: &FieldName| {
            let outcomes: Vec<&FieldOutcome> =
                records.iter().filter_map(|record| record.field(name.as_str())).collect();
            let values = outcomes.iter().flat_map(|outcome| &outcome.values);
            let problems = outcomes.iter().flat_map(|outcome| &outcome.misses).map(ToString::to_string);
            let short = |text: String| text.chars().take(MOST_CHARACTERS).collect();
            FieldTrial {
                name: name.to_string(),
                total: values.clone().count(),
                values: values.take(MOST_VALUES).map(|found| short(found.value.to_string())).collect(),
                problems: problems.take(MOST_PROBLEMS).map(short).collect(),
            }
        };
        PageTrial { snapshot_id: self.number, fields: names.map(trial).collect() }
    }
}

async fn pages(store: &Store, source: &str) -> Result<Vec<Page>, StoreError> {
    let mut pages = Vec::new();
    for kept in store.kept_pages(source, Slice { offset: 0, limit: MOST_PAGES }).await? {
        // The page may have been removed in the meantime.
        let stored = store.kept_page(source, kept.snapshot).await?;
        pages.extend(stored.map(|(kept, content)| Page::of(&kept, &content)));
    }
    Ok(pages)
}
