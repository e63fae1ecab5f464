//! Decisions of users about a source. Each decision is one transaction, which also records who made it.

use autoheal_engine::Timestamp;
use autoheal_engine::source::{Decision, SourceRecord, Stage};
use autoheal_page::recipe::Recipe;
use autoheal_store::{RecipeRow, SourceRow, Store, StoreError};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use url::Url;

use crate::cron::CronExpression;
use crate::definition::{Blueprint, Definition, HealPolicy, OnUncertain};
use crate::healed::healed_pages;
use crate::name::SourceName;
use crate::refresh::DOCTOR;
use crate::scout::ScoutError;

/// Reason a decision was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum DecideError {
    /// There is no source of this name.
    #[error("there is no source `{0}`: `autoheal source list` lists them")]
    NoSuchSource(SourceName),
    /// No fix was validated and waits.
    #[error("no fix of `{0}` waits for you")]
    NothingWaits(SourceName),
    /// The active version is the first one, so there is nothing to roll back to.
    #[error("`{0}` has no earlier version: `autoheal source history {0}` lists them")]
    NoEarlierVersion(SourceName),
    /// The requested version was never active, was rejected, or is active now: only an earlier active version can be restored.
    #[error(
        "version {version} of `{name}` was never active, was rejected, or is active now; `autoheal source history {name}` lists all versions, \
         `autoheal source reconsider {name}` undoes a rejection"
    )]
    NeverInForce {
        /// Name of the source.
        name: SourceName,
        /// Requested version.
        version: u32,
    },
    /// Everything is as it is wanted already.
    #[error("that changes nothing of `{0}`: `autoheal source set --help` shows what can be set")]
    NothingChanges(SourceName),
    /// A page to be removed does not belong to the source.
    #[error("{url} is not a page of `{name}`; `autoheal source show {name}` lists its pages")]
    NoSuchPage {
        /// Name of the source.
        name: SourceName,
        /// URL of the page to be removed.
        url: Url,
    },
    /// The version is not a rejected one.
    #[error("version {version} of `{name}` is not rejected; `autoheal source history {name}` lists all versions")]
    NotRejected {
        /// Name of the source.
        name: SourceName,
        /// Requested version.
        version: u32,
    },
    /// No version was rejected.
    #[error("no fix of `{0}` was rejected; `autoheal source history {0}` lists all versions")]
    NothingRejected(SourceName),
    /// Another fix waits for a review.
    #[error("version {version} of `{name}` waits for a review: decide about it first")]
    AnotherWaits {
        /// Name of the source.
        name: SourceName,
        /// The version that waits.
        version: u32,
    },
    /// No page is kept that failed since the last successful run.
    #[error("no failed page of `{0}` is kept: `autoheal source run {0}` fetches it now")]
    NothingToAccept(SourceName),
    /// A failed page has no values that could be accepted.
    #[error("the recipe of `{name}` does not give the values of {url}: {reason}; edit the recipe instead")]
    NotReadable {
        /// Name of the source.
        name: SourceName,
        /// URL of the page.
        url: Box<Url>,
        /// The failure of the page.
        reason: String,
    },
    /// The source has not given a good page yet.
    #[error("no good page of `{0}` is kept: `autoheal source run {0}` fetches it now")]
    NothingGood(SourceName),
    /// The fields are those of the items of a list.
    #[error(
        "`{0}` is a list of items, whose fields are added in its recipe: autoheal source show {0} --json, then source set {0} --recipe FILE"
    )]
    OfItems(SourceName),
    /// An example is not on the last good page, or nothing tells it apart.
    #[error(transparent)]
    Example(#[from] ScoutError),
    /// Every page would be removed.
    #[error("a source needs a page: `autoheal source remove {0}` forgets it")]
    NoPageLeft(SourceName),
    /// The store failed, or another user decided at the same moment ([`StoreError::Superseded`]).
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The database holds a definition that this program did not write.
    #[error("what is stored of the source is not understood")]
    Stored(#[from] serde_json::Error),
}

/// Change of an optional setting.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Setting<T> {
    /// It stays what it is.
    #[default]
    Kept,
    /// The setting is removed.
    Cleared,
    /// The setting gets this value.
    To(T),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Setting<T> {
    /// `null` clears it; what is not there, keeps it (with `#[serde(default)]`).
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Self::Cleared, Self::To))
    }
}

impl<T: Clone> Setting<T> {
    fn apply(&self, to: &mut Option<T>) {
        match self {
            Self::Kept => {}
            Self::Cleared => *to = None,
            Self::To(value) => *to = Some(value.clone()),
        }
    }
}

/// Changes to a source; settings that are not named stay as they are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Changes {
    /// Seconds between two runs; replaces a schedule of fixed times.
    pub interval_seconds: Option<u64>,
    /// The times of its runs; cleared: it runs by its interval again.
    pub schedule: Setting<CronExpression>,
    /// Authority that decides about fixes.
    pub heal_policy: Option<HealPolicy>,
    /// Fate of a run in which some fields are uncertain.
    pub on_uncertain: Option<OnUncertain>,
    /// URL to which changes of its values are posted.
    pub webhook: Setting<Url>,
    /// Further pages of the same template.
    pub add_pages: Vec<Url>,
    /// Pages to remove from the source.
    pub remove_pages: Vec<Url>,
}

impl Changes {
    fn applied(&self, name: &SourceName, mut definition: Definition) -> Result<Definition, DecideError> {
        if let Some(interval) = self.interval_seconds {
            definition.interval_seconds = interval;
            definition.slowdown = 0;
            definition.schedule = None;
        }
        self.schedule.apply(&mut definition.schedule);
        if let Some(policy) = self.heal_policy {
            definition.heal_policy = policy;
        }
        if let Some(on_uncertain) = self.on_uncertain {
            definition.on_uncertain = on_uncertain;
        }
        self.webhook.apply(&mut definition.webhook);
        let mut pages: Vec<_> = definition.pages().cloned().collect();
        for url in &self.remove_pages {
            let index = pages.iter().position(|page| page == url);
            let missing = || DecideError::NoSuchPage { name: name.clone(), url: url.clone() };
            pages.remove(index.ok_or_else(missing)?);
        }
        pages.extend(self.add_pages.iter().filter(|url| !definition.pages().any(|page| page == *url)).cloned());
        if pages.is_empty() {
            return Err(DecideError::NoPageLeft(name.clone()));
        }
        let first = pages.remove(0);
        definition.blueprint.base_url.clone_from(&first);
        (definition.url, definition.more) = (first, pages);
        Ok(definition)
    }
}

/// Allows attempts at a fix again.
///
/// # Errors
///
/// [`DecideError::NoSuchSource`], and what the database reports.
pub async fn release(store: &Store, name: &SourceName, asked_by: &str, now: Timestamp) -> Result<(), DecideError> {
    let mut health = find(store, name).await?.health;
    health.release(now);
    let released = SourceRecord::Released { source: name.to_string(), health };
    write(store, name, vec![released], (Decision::Released, None, None), asked_by, now).await
}

/// Reactivates an earlier version of the recipe; `None`: the one before the active version. Returns the reactivated version. A fix that was
/// active until then is rejected, so that the Doctor does not propose it again.
///
/// # Errors
///
/// [`DecideError::NoSuchSource`], [`DecideError::NoEarlierVersion`], [`DecideError::NeverInForce`], and what the database reports.
pub async fn rollback(
    store: &Store,
    name: &SourceName,
    to: Option<u32>,
    asked_by: &str,
    now: Timestamp,
) -> Result<u32, DecideError> {
    let row = find(store, name).await?;
    let versions = store.recipes(name.as_str()).await?;
    let wanted = to.or_else(|| RecipeRow::active(&versions).and_then(|recipe| recipe.replaces));
    let version = wanted.ok_or_else(|| DecideError::NoEarlierVersion(name.clone()))?;
    let archived = versions.iter().find(|recipe| recipe.version == version && recipe.stage == Stage::Archived);
    let archived = archived.ok_or_else(|| DecideError::NeverInForce { name: name.clone(), version })?;
    let mut records = vec![promoted(&row, archived, &versions, asked_by)?];
    // A fix that the user takes back is not proposed again.
    let taken_back =
        RecipeRow::active(&versions).filter(|active| active.asked_by == DOCTOR && active.version > version);
    records.extend(taken_back.map(|fix| SourceRecord::Rejected { source: name.to_string(), version: fix.version }));
    write(store, name, records, (Decision::RolledBack, Some(version), None), asked_by, now).await?;
    Ok(version)
}

/// Activates the fix that waits for a reviewer. Returns its version.
///
/// # Errors
///
/// [`DecideError::NoSuchSource`], [`DecideError::NothingWaits`], and what the database reports.
pub async fn approve(store: &Store, name: &SourceName, asked_by: &str, now: Timestamp) -> Result<u32, DecideError> {
    let row = find(store, name).await?;
    let versions = store.recipes(name.as_str()).await?;
    let waiting = waiting(name, &versions)?;
    let recipe = serde_json::from_value(waiting.recipe.clone())?;
    let definition = serde_json::from_value(waiting.definition.clone())?;
    let mut records = healed_pages(store, name.as_str(), &definition, &recipe, waiting.created_at).await?;
    records.push(promoted(&row, waiting, &versions, asked_by)?);
    write(store, name, records, (Decision::Approved, Some(waiting.version), None), asked_by, now).await?;
    Ok(waiting.version)
}

/// Refuses the fix that waits, which is not proposed again; its version. The reason is kept with the decision.
///
/// # Errors
///
/// As [`approve`].
pub async fn reject(
    store: &Store,
    name: &SourceName,
    reason: Option<&str>,
    asked_by: &str,
    now: Timestamp,
) -> Result<u32, DecideError> {
    find(store, name).await?;
    let versions = store.recipes(name.as_str()).await?;
    let version = waiting(name, &versions)?.version;
    let rejected = SourceRecord::Rejected { source: name.to_string(), version };
    let decision = (Decision::Rejected, Some(version), reason);
    write(store, name, vec![rejected], decision, asked_by, now).await?;
    Ok(version)
}

/// Undoes a rejection: the fix waits for a review again. `None`: the newest rejected version. Returns the version.
///
/// # Errors
///
/// [`DecideError::NoSuchSource`], [`DecideError::NothingRejected`], [`DecideError::NotRejected`], [`DecideError::AnotherWaits`], and what the
/// database reports.
pub async fn reconsider(
    store: &Store,
    name: &SourceName,
    version: Option<u32>,
    asked_by: &str,
    now: Timestamp,
) -> Result<u32, DecideError> {
    find(store, name).await?;
    let versions = store.recipes(name.as_str()).await?;
    if let Ok(waiting) = waiting(name, &versions) {
        return Err(DecideError::AnotherWaits { name: name.clone(), version: waiting.version });
    }
    let is_wanted = |recipe: &&RecipeRow| version.is_none_or(|version| version == recipe.version);
    let found = versions.iter().rev().filter(is_wanted).find(|recipe| recipe.stage == Stage::Rejected);
    let version = found.map(|recipe| recipe.version).ok_or_else(|| match version {
        Some(version) => DecideError::NotRejected { name: name.clone(), version },
        None => DecideError::NothingRejected(name.clone()),
    })?;
    let waits = SourceRecord::Reconsidered { source: name.to_string(), version };
    write(store, name, vec![waits], (Decision::Reconsidered, Some(version), None), asked_by, now).await?;
    Ok(version)
}

/// Forgets a source with everything of it but its alerts and what was decided about it.
///
/// # Errors
///
/// [`DecideError::NoSuchSource`], and what the database reports.
pub async fn remove(store: &Store, name: &SourceName, asked_by: &str, now: Timestamp) -> Result<(), DecideError> {
    find(store, name).await?;
    let removed = SourceRecord::Removed { source: name.to_string() };
    write(store, name, vec![removed], (Decision::Removed, None, None), asked_by, now).await
}

/// Changes what is decided about a source; how it is defined now.
///
/// # Errors
///
/// [`DecideError::NoSuchSource`], [`DecideError::NothingChanges`], [`DecideError::NoSuchPage`], [`DecideError::NoPageLeft`], and what
/// the database reports.
pub async fn set(
    store: &Store,
    name: &SourceName,
    changes: &Changes,
    asked_by: &str,
    now: Timestamp,
) -> Result<Definition, DecideError> {
    let was = find(store, name).await?.definition;
    let before = defined(&was)?;
    let definition = changes.applied(name, before.clone())?;
    if definition == before {
        return Err(DecideError::NothingChanges(name.clone()));
    }
    let (source, wanted) = (name.to_string(), serde_json::to_value(&definition)?);
    let changed = SourceRecord::Redefined { source, was, definition: wanted };
    write(store, name, vec![changed], (Decision::Changed, None, None), asked_by, now).await?;
    Ok(definition)
}

/// Activates a recipe that a user supplies, with its definition, whose blueprint becomes that of the recipe. Returns the new version.
///
/// # Errors
///
/// [`DecideError::NoSuchSource`], and what the database reports.
pub async fn replace(
    store: &Store,
    name: &SourceName,
    recipe: &Recipe,
    mut definition: Definition,
    asked_by: &str,
    now: Timestamp,
) -> Result<u32, DecideError> {
    find(store, name).await?;
    let versions = store.recipes(name.as_str()).await?;
    let version = versions.iter().map(|recipe| recipe.version).max().unwrap_or(0) + 1;
    definition.blueprint = Blueprint::of(definition.url.clone(), recipe);
    let definition = serde_json::to_value(definition)?;
    let staged = SourceRecord::Staged {
        source: name.to_string(),
        version,
        recipe: serde_json::to_value(recipe)?,
        definition: definition.clone(),
        asked_by: asked_by.to_owned(),
    };
    let promoted = SourceRecord::Promoted {
        source: name.to_string(),
        version,
        definition,
        replaces: RecipeRow::active(&versions).map(|recipe| recipe.version),
        asked_by: asked_by.to_owned(),
    };
    write(store, name, vec![staged, promoted], (Decision::Replaced, Some(version), None), asked_by, now).await?;
    Ok(version)
}

/// Makes a decision: the changes that it is, the version that it is about and its reason, and who made it.
pub(crate) async fn write(
    store: &Store,
    name: &SourceName,
    mut records: Vec<SourceRecord>,
    (decision, version, note): (Decision, Option<u32>, Option<&str>),
    asked_by: &str,
    now: Timestamp,
) -> Result<(), DecideError> {
    let (source, asked_by, note) = (name.to_string(), asked_by.to_owned(), note.map(str::to_owned));
    records.push(SourceRecord::Decided { source, decision, version, asked_by, note });
    Ok(store.change_sources(now, &records).await?)
}

pub(crate) async fn find(store: &Store, name: &SourceName) -> Result<SourceRow, DecideError> {
    store.source(name.as_str()).await?.ok_or_else(|| DecideError::NoSuchSource(name.clone()))
}

fn defined(definition: &Value) -> Result<Definition, DecideError> {
    Ok(serde_json::from_value(definition.clone())?)
}

/// The version that was validated and waits.
fn waiting<'a>(name: &SourceName, versions: &'a [RecipeRow]) -> Result<&'a RecipeRow, DecideError> {
    versions.iter().rev().find(|recipe| recipe.waits).ok_or_else(|| DecideError::NothingWaits(name.clone()))
}

/// Returns the record that activates a version. Settings that a user has changed since the version was made are kept.
fn promoted(
    row: &SourceRow,
    wanted: &RecipeRow,
    versions: &[RecipeRow],
    asked_by: &str,
) -> Result<SourceRecord, DecideError> {
    let (now_in_force, to) = (defined(&row.definition)?, defined(&wanted.definition)?);
    let current = RecipeRow::active(versions);
    let from = current.map_or_else(|| Ok(now_in_force.clone()), |current| defined(&current.definition))?;
    Ok(SourceRecord::Promoted {
        source: row.source.clone(),
        version: wanted.version,
        definition: serde_json::to_value(now_in_force.changed_as(&from, &to))?,
        replaces: current.map(|recipe| recipe.version),
        asked_by: asked_by.to_owned(),
    })
}

#[cfg(test)]
mod tests;
