//! Sources: the pages that are scraped, their health, and changes to their settings.

use std::collections::BTreeMap;

use autoheal_engine::breaker::Reason;
use autoheal_engine::source::HealthState;
use autoheal_engine::task::{NewTask, TaskKind};
use autoheal_engine::{Outcome, RunId};
use autoheal_page::recipe::FieldName;
use autoheal_source::cron::{CronExpression, InvalidCron};
use autoheal_source::decide::{self, Changes, DecideError, Setting};
use autoheal_source::statistics::Statistics;
use autoheal_source::{AddRequest, Definition, HealPolicy, InvalidSourceName, OnUncertain, SourceName};
use autoheal_store::{RecentRun, RecipeRow, SourceFilter, SourceOrder, SourceRow, ValueRow};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;
use utoipa::{IntoParams, ToSchema};

use super::error::{ApiCode, ApiError, ErrorResponse};
use super::request::{Asker, Body, Path, Query, named, not_found};
use super::schema::{self, Limit, Offset, Time};
use super::tasks::Task;
use super::{Shared, tag};

/// Number of a source's last runs in a response.
const RECENT: u32 = 24;

/// The shortest and the longest time between two runs, in seconds.
const SHORTEST: u64 = 10;
const LONGEST: u64 = 366 * 24 * 3600;

/// Policy for approving fixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// Fixes are approved by their validation.
    Auto,
    /// Fixes are approved by a reviewer.
    Review,
}

impl From<HealPolicy> for Policy {
    fn from(policy: HealPolicy) -> Self {
        match policy {
            HealPolicy::Auto => Self::Auto,
            HealPolicy::Review => Self::Review,
        }
    }
}

impl From<Policy> for HealPolicy {
    fn from(policy: Policy) -> Self {
        match policy {
            Policy::Auto => Self::Auto,
            Policy::Review => Self::Review,
        }
    }
}

/// Fate of a run in which some fields are uncertain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WhenUncertain {
    /// No values of the page are accepted.
    SkipRun,
    /// The values of the other fields are accepted.
    SkipField,
}

impl From<OnUncertain> for WhenUncertain {
    fn from(on_uncertain: OnUncertain) -> Self {
        match on_uncertain {
            OnUncertain::SkipRun => Self::SkipRun,
            OnUncertain::SkipField => Self::SkipField,
        }
    }
}

impl From<WhenUncertain> for OnUncertain {
    fn from(when: WhenUncertain) -> Self {
        match when {
            WhenUncertain::SkipRun => Self::SkipRun,
            WhenUncertain::SkipField => Self::SkipField,
        }
    }
}

/// A source with its health.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Source {
    /// Name of the source.
    pub name: String,
    /// Address of its page.
    pub url: String,
    /// Health of the source.
    #[schema(schema_with = schema::health_state)]
    pub state: HealthState,
    /// Time of the last successful run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_success_at: Option<Time>,
    /// Time of the last failed run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_failure_at: Option<Time>,
    /// Number of successful runs.
    pub success_count: u64,
    /// Number of failed runs.
    pub failure_count: u64,
    /// Number of attempts at a fix within the time window of the circuit breaker.
    pub fix_attempts_today: u32,
    /// End of the quarantine; until then, no automatic attempt at a fix is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quarantine_until: Option<Time>,
    /// Reason for which the circuit breaker allows no attempt at a fix; absent if it allows them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = schema::breaker_reason, required = false)]
    pub breaker_reason: Option<Reason>,
    /// Seconds between two runs.
    pub interval_seconds: u64,
    /// Schedule instead of the interval: a cron expression in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
    /// Policy for approving fixes.
    pub heal_policy: Policy,
    /// Fate of a run in which some fields are uncertain.
    pub on_uncertain: WhenUncertain,
    /// Version of the active recipe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipe_version: Option<u32>,
    /// True if a fix awaits approval.
    pub waits_for_approval: bool,
    /// The latest runs, the oldest first.
    pub recent_runs: Vec<RecentRunResult>,
    /// Values that were accepted last; lists leave them out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub last_values: Option<Value>,
    /// Time at which `lastValues` was accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_values_at: Option<Time>,
    /// Time at which the source was added.
    pub created_at: Time,
}

/// A run of a source, as a sparkline shows it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecentRunResult {
    /// Identifier of the run.
    #[schema(value_type = String, format = Uuid)]
    pub run_id: RunId,
    /// Time at which the run ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Time>,
    /// True if the run left its source well; absent while it is running.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_well: Option<bool>,
}

impl From<RecentRun> for RecentRunResult {
    fn from(run: RecentRun) -> Self {
        Self { run_id: run.run, finished_at: run.finished_at.map(Time), is_well: run.outcome.map(Outcome::is_well) }
    }
}

impl Source {
    fn of(
        row: &SourceRow,
        recipes: &[RecipeRow],
        recent: Vec<RecentRun>,
        last: Option<ValueRow>,
    ) -> Result<Self, ApiError> {
        let definition = definition(row)?;
        let health = &row.health;
        Ok(Self {
            name: row.source.clone(),
            url: definition.url.into(),
            state: health.state,
            last_success_at: health.last_success_at.map(Time),
            last_failure_at: health.last_failure_at.map(Time),
            success_count: health.success_count,
            failure_count: health.failure_count,
            fix_attempts_today: health.fix_attempts_today,
            quarantine_until: health.quarantine_until.map(Time),
            breaker_reason: health.state.breaker_reason(),
            interval_seconds: definition.interval_seconds,
            schedule: definition.schedule.as_ref().map(ToString::to_string),
            heal_policy: definition.heal_policy.into(),
            on_uncertain: definition.on_uncertain.into(),
            recipe_version: RecipeRow::active(recipes).map(|recipe| recipe.version),
            waits_for_approval: recipes.iter().any(|recipe| recipe.waits),
            recent_runs: recent.into_iter().map(Into::into).collect(),
            last_values_at: last.as_ref().map(|last| Time(last.at)),
            last_values: last.map(|last| last.values),
            created_at: Time(row.created_at),
        })
    }
}

fn definition(row: &SourceRow) -> Result<Definition, ApiError> {
    Ok(serde_json::from_value(row.definition.clone())?)
}

/// Sources, with their health.
#[derive(Debug, Serialize, ToSchema)]
pub struct SourceList {
    /// Sources that match the filter, without their values.
    pub sources: Vec<Source>,
    /// Number of all sources that match the filter.
    pub total: u64,
    /// Offset of the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<u32>,
}

/// Order of a list of sources.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// The dead ones first, then those in quarantine, then those that fail.
    #[default]
    Health,
    /// By name.
    Name,
    /// Those first whose last success is the longest ago.
    LastSuccess,
    /// Those first that failed last.
    LastFailure,
    /// Those first that failed most often.
    Failures,
}

impl From<Order> for SourceOrder {
    fn from(order: Order) -> Self {
        match order {
            Order::Health => Self::Health,
            Order::Name => Self::Name,
            Order::LastSuccess => Self::LastSuccess,
            Order::LastFailure => Self::LastFailure,
            Order::Failures => Self::Failures,
        }
    }
}

/// Filter for listing sources.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct SourceQuery {
    /// Only sources whose name, address or definition contains this text.
    search: Option<String>,
    /// Only sources with this health.
    #[param(schema_with = schema::health_state, required = false)]
    state: Option<HealthState>,
    /// True for only those with a fix that awaits approval.
    #[serde(default)]
    waits: bool,
    /// Order of the sources.
    #[serde(default)]
    #[param(inline, required = false)]
    order: Order,
    /// Number of sources to leave out at the beginning.
    #[serde(default)]
    #[param(schema_with = schema::offset, required = false)]
    offset: Offset,
    /// Maximum number of sources.
    #[serde(default)]
    #[param(schema_with = schema::limit, required = false)]
    limit: Limit,
}

/// A source with its definition and its recipe.
#[derive(Debug, Serialize, ToSchema)]
pub struct SourceDetail {
    /// The source with its health.
    pub source: Source,
    /// Definition of the source, with its blueprint.
    #[schema(value_type = Object)]
    pub definition: Value,
    /// The active recipe.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub recipe: Option<Value>,
}

/// Success rates of fixes (spec `doctor-agent.md`, "Success Metrics").
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FixStatistics {
    /// Number of sources.
    pub sources: u64,
    /// Number of attempts at a fix.
    pub attempts: u64,
    /// Number of attempts whose validation passed.
    pub passed: u64,
    /// Number of fixes that became active.
    pub promoted: u64,
    /// Number of fixes that were reverted.
    pub taken_back: u64,
    /// Number of sources in quarantine.
    pub quarantined: u64,
    /// Average time from the failed run to the active fix, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average_recovery_millis: Option<u64>,
}

/// A page to be scraped regularly.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewSource {
    /// Address of the page.
    #[schema(value_type = String, format = Uri)]
    pub url: Url,
    /// Name of the source; derived from the address by default.
    #[schema(max_length = 64)]
    pub name: Option<String>,
    /// Seconds between two runs.
    #[schema(minimum = 10, maximum = 31_622_400)]
    pub interval_seconds: Option<u64>,
    /// Schedule instead of the interval: a cron expression in UTC, such as `0 6 * * *`.
    #[schema(max_length = 100)]
    pub schedule: Option<String>,
    /// Policy for approving fixes.
    pub heal_policy: Option<Policy>,
    /// Fate of a run in which some fields are uncertain; none of its values are accepted by default.
    pub on_uncertain: Option<WhenUncertain>,
    /// Examples of the wanted values, as they appear on the page, by field.
    #[serde(default)]
    pub examples: BTreeMap<String, String>,
    /// True if a browser runs the page's scripts first.
    #[serde(default)]
    pub render: bool,
}

/// A source that is being added.
#[derive(Debug, Serialize, ToSchema)]
pub struct Adding {
    /// Name of the source.
    pub name: String,
    /// Task that adds the source.
    pub task: Task,
}

/// Changes to a source; omitted fields keep their values.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SourceChanges {
    /// Seconds between two runs.
    #[schema(minimum = 10, maximum = 31_622_400)]
    pub interval_seconds: Option<u64>,
    /// Schedule instead of the interval: a cron expression in UTC, such as `0 6 * * *`; an empty string restores the interval.
    #[schema(max_length = 100)]
    pub schedule: Option<String>,
    /// Policy for approving fixes.
    pub heal_policy: Option<Policy>,
    /// Fate of a run in which some fields are uncertain.
    pub on_uncertain: Option<WhenUncertain>,
}

/// Parses the name of a source. An invalid name gets the error for an unknown source.
pub(super) fn parsed(name: &str) -> Result<SourceName, ApiError> {
    named(name, ApiCode::SourceNotFound, "source")
}

/// Returns the source with this name.
pub(super) async fn find(shared: &Shared, name: &str) -> Result<SourceRow, ApiError> {
    let row = shared.services.store.source(parsed(name)?.as_str()).await?;
    row.ok_or_else(|| not_found(ApiCode::SourceNotFound, "source", name))
}

/// Returns a source and the versions of its recipe.
async fn described(shared: &Shared, row: &SourceRow) -> Result<(Source, Vec<RecipeRow>), ApiError> {
    let store = &shared.services.store;
    let recipes = store.recipes(&row.source).await?;
    let names = std::slice::from_ref(&row.source);
    let recent = store.recent_runs(names, RECENT).await?.remove(&row.source).unwrap_or_default();
    let last = store.values_before(&row.source, None, 1).await?.pop();
    Ok((Source::of(row, &recipes, recent, last)?, recipes))
}

/// Returns the current state of a source.
pub(super) async fn current(shared: &Shared, name: &str) -> Result<Json<Source>, ApiError> {
    let row = find(shared, name).await?;
    Ok(Json(described(shared, &row).await?.0))
}

impl From<DecideError> for ApiError {
    fn from(error: DecideError) -> Self {
        match error {
            DecideError::NoSuchSource(_) => Self::new(ApiCode::SourceNotFound, error.to_string()),
            DecideError::NothingWaits(_)
            | DecideError::NoEarlierVersion(_)
            | DecideError::NeverInForce { .. }
            | DecideError::NothingChanges(_)
            | DecideError::NoSuchPage { .. }
            | DecideError::NotRejected { .. }
            | DecideError::NothingRejected(_)
            | DecideError::AnotherWaits { .. }
            | DecideError::NothingToAccept(_)
            | DecideError::NotReadable { .. }
            | DecideError::NothingGood(_)
            | DecideError::OfItems(_)
            | DecideError::NoPageLeft(_) => Self::new(ApiCode::Conflict, error.to_string()),
            DecideError::Example(error) => Self::invalid(error.to_string()),
            DecideError::Store(error) => error.into(),
            DecideError::Stored(error) => error.into(),
        }
    }
}

/// List sources with their health
#[utoipa::path(get, path = "/api/sources", operation_id = "listSources", tag = tag::SOURCES, params(SourceQuery), responses(
    (status = 200, description = "The sources", body = SourceList)))]
pub(super) async fn list(
    State(shared): State<Shared>,
    Query(query): Query<SourceQuery>,
) -> Result<Json<SourceList>, ApiError> {
    let SourceQuery { search, state, waits, order, offset, limit } = query;
    let store = &shared.services.store;
    let filter = SourceFilter { search, state, waits, order: order.into(), offset: offset.get(), limit: limit.get() };
    let (rows, total) = store.source_page(&filter).await?;
    let names: Vec<String> = rows.iter().map(|row| row.source.clone()).collect();
    let (mut recent, mut recipes) = (store.recent_runs(&names, RECENT).await?, store.standing_recipes(&names).await?);
    let end = offset.get().saturating_add(limit.get());
    let next = (u64::from(end) < total).then_some(end);
    let sources = rows.into_iter().filter_map(|row| {
        let recipes = recipes.remove(&row.source).unwrap_or_default();
        let recent = recent.remove(&row.source).unwrap_or_default();
        // One that another version of this program wrote must not hide the others.
        Source::of(&row, &recipes, recent, None)
            .inspect_err(|_| tracing::error!(source = row.source, "what is stored of the source is not understood"))
            .ok()
    });
    Ok(Json(SourceList { sources: sources.collect(), total, next }))
}

/// Get how well fixes of sources do
#[utoipa::path(get, path = "/api/sources/statistics", operation_id = "getFixStatistics", tag = tag::SOURCES, responses(
    (status = 200, description = "The numbers", body = FixStatistics)))]
pub(super) async fn statistics(State(shared): State<Shared>) -> Result<Json<FixStatistics>, ApiError> {
    let Statistics { sources, attempts, passed, promoted, taken_back, quarantined, average_recovery_millis } =
        Statistics::of(&shared.services.store).await?;
    Ok(Json(FixStatistics { sources, attempts, passed, promoted, taken_back, quarantined, average_recovery_millis }))
}

/// Get a source with its blueprint and its recipe
#[utoipa::path(get, path = "/api/sources/{name}", operation_id = "getSource", tag = tag::SOURCES,
    params(("name" = String, Path, description = "The source's name")), responses(
    (status = 200, description = "The source", body = SourceDetail),
    (status = 404, description = "There is no such source", body = ErrorResponse)))]
pub(super) async fn show(
    State(shared): State<Shared>,
    Path(name): Path<String>,
) -> Result<Json<SourceDetail>, ApiError> {
    let row = find(&shared, &name).await?;
    let (source, recipes) = described(&shared, &row).await?;
    let recipe = RecipeRow::active(&recipes).map(|recipe| recipe.recipe.clone());
    Ok(Json(SourceDetail { source, definition: told(row.definition), recipe }))
}

/// Returns the definition without its secrets: the webhook is reduced to its origin, because anyone who knows its path can post there.
fn told(mut definition: Value) -> Value {
    if let Some(webhook) = definition.get_mut("webhook").filter(|webhook| !webhook.is_null()) {
        let host =
            webhook.as_str().and_then(|text| Url::parse(text).ok()).map(|url| url.origin().ascii_serialization());
        *webhook = Value::String(format!("{}/…", host.unwrap_or_default()));
    }
    definition
}

fn interval(seconds: Option<u64>) -> Result<Option<u64>, ApiError> {
    match seconds {
        Some(seconds) if !(SHORTEST..=LONGEST).contains(&seconds) => {
            let message = format!("intervalSeconds: a number from {SHORTEST} to {LONGEST} is expected");
            Err(ApiError::invalid(message).with("field", "intervalSeconds"))
        }
        seconds => Ok(seconds),
    }
}

fn schedule(text: &str) -> Result<CronExpression, ApiError> {
    text.parse().map_err(|error: InvalidCron| ApiError::invalid(error).with("field", "schedule"))
}

/// Add a source
///
/// A worker fetches the page and infers a recipe for it; the task reports the result.
#[utoipa::path(post, path = "/api/sources", operation_id = "addSource", tag = tag::SOURCES, request_body = NewSource, responses(
    (status = 202, description = "It is being added", body = Adding),
    (status = 409, description = "There is a source of this name, or it is being added otherwise", body = ErrorResponse)))]
pub(super) async fn add(
    State(shared): State<Shared>,
    Asker(asker): Asker,
    Body(new): Body<NewSource>,
) -> Result<(StatusCode, Json<Adding>), ApiError> {
    let field = |field: &str, message: String| ApiError::invalid(message).with("field", field);
    if !matches!(new.url.scheme(), "http" | "https") {
        return Err(field("url", "give the address of a page, such as https://shop.example/chair".to_owned()));
    }
    let name: SourceName = match &new.name {
        Some(name) => name.parse().map_err(|error: InvalidSourceName| field("name", error.to_string()))?,
        None => SourceName::suggested(&new.url)
            .ok_or_else(|| field("name", "the address suggests no name: give one".to_owned()))?,
    };
    let store = &shared.services.store;
    if store.source(name.as_str()).await?.is_some() {
        return Err(ApiError::new(ApiCode::Conflict, format!("there is a source `{name}`")));
    }
    let examples = new.examples.into_iter().map(|(name, text)| {
        let parsed = FieldName::parse(&name).map_err(|error| field("examples", error.to_string()))?;
        Ok((parsed, text))
    });
    let request = AddRequest {
        examples: examples.collect::<Result<_, ApiError>>()?,
        interval_seconds: interval(new.interval_seconds)?.unwrap_or(Definition::DEFAULT_INTERVAL.as_secs()),
        schedule: new.schedule.as_deref().map(schedule).transpose()?,
        heal_policy: new.heal_policy.map(Into::into).unwrap_or_default(),
        on_uncertain: new.on_uncertain.map(Into::into).unwrap_or_default(),
        render: new.render,
        asked_by: Some(asker),
        ..AddRequest::new(new.url)
    };
    let mut task = NewTask::new(TaskKind::AddSource, name.to_string(), shared.services.store.now());
    task.context = serde_json::to_value(&request)?;
    let task = super::tasks::enqueue(&shared, &task).await?;
    Ok((StatusCode::ACCEPTED, Json(Adding { name: name.to_string(), task })))
}

/// Change a source
#[utoipa::path(patch, path = "/api/sources/{name}", operation_id = "changeSource", tag = tag::SOURCES,
    params(("name" = String, Path, description = "The source's name")), request_body = SourceChanges, responses(
    (status = 200, description = "The source as it is now", body = Source),
    (status = 404, description = "There is no such source", body = ErrorResponse),
    (status = 409, description = "That changes nothing", body = ErrorResponse)))]
pub(super) async fn change(
    State(shared): State<Shared>,
    Asker(asker): Asker,
    Path(name): Path<String>,
    Body(wanted): Body<SourceChanges>,
) -> Result<Json<Source>, ApiError> {
    let source = parsed(&name)?;
    let changes = Changes {
        interval_seconds: interval(wanted.interval_seconds)?,
        schedule: match wanted.schedule.as_deref() {
            None => Setting::Kept,
            Some("") => Setting::Cleared,
            Some(text) => Setting::To(schedule(text)?),
        },
        heal_policy: wanted.heal_policy.map(Into::into),
        on_uncertain: wanted.on_uncertain.map(Into::into),
        ..Changes::default()
    };
    decide::set(&shared.services.store, &source, &changes, &asker, shared.services.store.now()).await?;
    current(&shared, &name).await
}

/// Delete a source
///
/// Deletes its recipes, pages and values. Its alerts and the decisions about it are kept.
#[utoipa::path(delete, path = "/api/sources/{name}", operation_id = "removeSource", tag = tag::SOURCES,
    params(("name" = String, Path, description = "The source's name")), responses(
    (status = 204, description = "It is forgotten"),
    (status = 404, description = "There is no such source", body = ErrorResponse)))]
pub(super) async fn remove(
    State(shared): State<Shared>,
    Asker(asker): Asker,
    Path(name): Path<String>,
) -> Result<StatusCode, ApiError> {
    decide::remove(&shared.services.store, &parsed(&name)?, &asker, shared.services.store.now()).await?;
    Ok(StatusCode::NO_CONTENT)
}
