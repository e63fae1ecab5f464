//! The knowledge in the store: the pages of one function of a program are a source, fed by the program and not by runs.

use autoheal_engine::source::{Health, Snapshot, SnapshotRole, SourceRecord};
use autoheal_page::recipe::{FieldName, Recipe};
use autoheal_source::definition::{Blueprint, HealPolicy, OnUncertain};
use autoheal_source::{CallSite, Definition};
use autoheal_store::{RecipeRow, Store, StoreError};
use serde_json::Value;
use url::Url;

use crate::ScraperError;

/// The author of recipes that were learnt from a program.
const AUTHOR: &str = "scraper";

/// Number of pages of a source that are kept: three of the layout before and three of the one after.
const PAGES: u32 = 6;

/// Number of attempts to store a lesson while other processes change the same source.
const ATTEMPTS: u32 = 5;

/// A page with the values on it.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    pub(crate) html: String,
    pub(crate) url: String,
    /// Texts of each field, as a JSON object of arrays.
    pub(crate) values: Option<Value>,
}

impl Page {
    pub(crate) fn first_value(&self, field: &FieldName) -> Option<String> {
        let texts = self.values.as_ref()?.get(field.as_str())?;
        let first = texts.as_array().map_or(Some(texts), |texts| texts.first())?;
        first.as_str().map(str::to_owned)
    }
}

/// A source that a program feeds, as it is stored.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(crate) url: Url,
    pub(crate) sites: Vec<CallSite>,
    pub(crate) recipe: Recipe,
    /// The newest first.
    pub(crate) pages: Vec<Page>,
}

/// New knowledge, to be stored.
#[derive(Debug)]
pub(crate) struct Lesson {
    pub(crate) source: String,
    pub(crate) url: Option<Url>,
    pub(crate) sites: Vec<CallSite>,
    pub(crate) recipe: Option<Recipe>,
    pub(crate) page: Option<Page>,
    /// Numbers of pages whose fields were all found, and of other pages.
    pub(crate) good: u64,
    pub(crate) failed: u64,
}

/// Address of a page whose address the program does not tell.
pub(crate) fn unknown_address() -> String {
    "https://unknown.invalid/".to_owned()
}

/// The name of the source of the pages that go by a name.
pub(crate) fn source_name(name: &str) -> String {
    let plain = |char: char| if char.is_ascii_alphanumeric() || "-_.".contains(char) { char } else { '-' };
    let mut plain: String = name.to_lowercase().chars().map(plain).take(60).collect();
    while plain.contains("..") {
        plain = plain.replace("..", ".");
    }
    let plain = plain.trim_start_matches(['-', '_', '.']);
    match plain {
        "" | "statistics" => format!("scraper-{plain}").trim_end_matches('-').to_owned(),
        plain => plain.to_owned(),
    }
}

/// Returns whether a program feeds a source.
pub(crate) fn is_fed(source: &str, definition: Value) -> Result<bool, ScraperError> {
    Ok(!understood::<Definition>(source, definition)?.sites.is_empty())
}

/// Reads a source that a program feeds.
pub(crate) async fn load(store: &Store, source: &str) -> Result<Option<Stored>, ScraperError> {
    let Some(row) = store.source(source).await? else { return Ok(None) };
    let definition: Definition = understood(source, row.definition)?;
    if definition.sites.is_empty() {
        return Err(ScraperError::NameTaken(source.to_owned()));
    }
    let recipes = store.recipes(source).await?;
    let Some(active) = RecipeRow::active(&recipes) else { return Ok(None) };
    let recipe: Recipe = understood(source, active.recipe.clone())?;
    let snapshots = store.snapshots(source, SnapshotRole::Good, None, PAGES).await?;
    let page = |snapshot: Snapshot| Page {
        html: String::from_utf8_lossy(&snapshot.content).into_owned(),
        url: snapshot.url,
        values: snapshot.values,
    };
    let pages = snapshots.into_iter().map(page).collect();
    Ok(Some(Stored { url: definition.url, sites: definition.sites, recipe, pages }))
}

fn understood<T: serde::de::DeserializeOwned>(source: &str, value: Value) -> Result<T, ScraperError> {
    serde_json::from_value(value).map_err(|error| not_understood(source, &error))
}

fn not_understood(source: &str, error: &serde_json::Error) -> ScraperError {
    ScraperError::NotUnderstood { source_name: source.to_owned(), problem: error.to_string() }
}

/// Stores a lesson; again if another process has changed the source meanwhile.
pub(crate) async fn save(store: &Store, lesson: &Lesson) -> Result<(), ScraperError> {
    let Some(learnt) = &lesson.recipe else { return Ok(()) };
    let mut attempt = 1;
    loop {
        let records = records(store, lesson, learnt).await?;
        match store.change_sources(store.now(), &records).await {
            Err(StoreError::Superseded) if attempt < ATTEMPTS => attempt += 1,
            result => return Ok(result?),
        }
    }
}

/// The changes that a lesson makes to what is stored now.
async fn records(store: &Store, lesson: &Lesson, learnt: &Recipe) -> Result<Vec<SourceRecord>, ScraperError> {
    let source = lesson.source.clone();
    let json = |value: serde_json::Result<Value>| value.map_err(|error| not_understood(&lesson.source, &error));
    let now = store.now();
    let row = store.source(&source).await?;
    let recipes = store.recipes(&source).await?;
    let active = RecipeRow::active(&recipes);
    let before: Option<Definition> = row.as_ref().map(|row| understood(&source, row.definition.clone())).transpose()?;
    if before.as_ref().is_some_and(|definition| definition.sites.is_empty()) {
        return Err(ScraperError::NameTaken(source));
    }
    let known: Option<Recipe> = active.map(|active| understood(&source, active.recipe.clone())).transpose()?;
    let recipe = joined(known.as_ref(), learnt);
    let definition = definition(lesson, before.as_ref(), &recipe)?;
    let mut health = row.map_or_else(Health::new, |row| row.health);
    (0..lesson.failed).for_each(|_| health.failed_run(now));
    (0..lesson.good).for_each(|_| health.good_run(now));

    let mut records = Vec::new();
    let place = json(serde_json::to_value(&definition))?;
    if before.as_ref() != Some(&definition) {
        records.push(SourceRecord::Definition { source: source.clone(), definition: place.clone() });
    }
    records.push(SourceRecord::Health { source: source.clone(), health });
    let document = json(serde_json::to_value(&recipe))?;
    let mut version = active.map_or(0, |active| active.version);
    if active.is_none_or(|active| active.recipe != document) {
        version = recipes.last().map_or(0, |row| row.version) + 1;
        let (asked_by, replaces) = (AUTHOR.to_owned(), active.map(|active| active.version));
        records.push(SourceRecord::Staged {
            source: source.clone(),
            version,
            recipe: document,
            definition: place.clone(),
            asked_by: asked_by.clone(),
        });
        let promoted =
            SourceRecord::Promoted { source: source.clone(), version, definition: place, replaces, asked_by };
        records.push(promoted);
    }
    if let Some(page) = &lesson.page {
        let role = SnapshotRole::Good;
        let (url, values) = (page.url.clone(), page.values.clone());
        if let Some(values) = values.clone() {
            records.push(SourceRecord::Values { source: source.clone(), url: url.clone(), version, values });
        }
        let snapshot = Snapshot { role, url, taken_at: now, content: page.html.clone().into_bytes(), values };
        records.push(SourceRecord::Snapshot { source: source.clone(), snapshot });
        records.push(SourceRecord::Pruned { source, role, kept: PAGES });
    }
    Ok(records)
}

/// The recipe with the rules that this process has learnt, and the rules of others.
fn joined(known: Option<&Recipe>, learnt: &Recipe) -> Recipe {
    let others = known.into_iter().flat_map(Recipe::fields);
    let others = others.filter(|field| learnt.field(field.name.as_str()).is_none());
    // Values change with each page: alone they make no new version.
    let with_example = |field: &autoheal_page::recipe::Field| {
        let mut field = field.clone();
        let before = known.and_then(|known| known.field(field.name.as_str()));
        if let Some(before) = before.filter(|before| !before.example.is_empty()) {
            field.example.clone_from(&before.example);
        }
        field
    };
    let fields = learnt.fields().iter().map(with_example).chain(others.cloned()).collect();
    Recipe::new(fields).unwrap_or_else(|_| learnt.clone())
}

fn definition(lesson: &Lesson, before: Option<&Definition>, recipe: &Recipe) -> Result<Definition, ScraperError> {
    let unknown = || Url::parse(&unknown_address());
    let url = before.map(|before| before.url.clone()).or_else(|| lesson.url.clone());
    let url = url.map_or_else(unknown, Ok).map_err(|error| ScraperError::Thread(error.to_string()))?;
    let mut sites = lesson.sites.clone();
    let others = before.into_iter().flat_map(|before| &before.sites);
    sites.extend(others.filter(|other| !lesson.sites.iter().any(|site| site.field == other.field)).cloned());
    let blueprint = Blueprint::of(url.clone(), recipe);
    Ok(match before {
        Some(before) => Definition { sites, blueprint, ..before.clone() },
        None => Definition {
            url,
            more: Vec::new(),
            blueprint,
            interval_seconds: Definition::DEFAULT_INTERVAL.as_secs(),
            slowdown: 0,
            schedule: None,
            heal_policy: HealPolicy::default(),
            on_uncertain: OnUncertain::default(),
            webhook: None,
            sites,
        },
    })
}
