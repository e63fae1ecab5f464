//! Records of a source: the versions of its recipe, values, pages, attempts at fixes, decisions.

use autoheal_engine::Timestamp;
use autoheal_engine::source::{SnapshotRole, Stage};
use autoheal_page::recipe::Recipe;
use autoheal_store::{RecipeRow, SnapshotRow, ValueRow};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, header};
use axum::response::Html;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::error::{ApiCode, ApiError, ErrorResponse};
use super::records::FixList;
use super::request::{Path, Query, not_found};
use super::schema::{self, Limit, Part, Time};
use super::sources::{find, parsed};
use super::{Shared, tag};
use crate::marked::Numbers;
use crate::pages::DrawnPage;

/// A version of a recipe.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecipeVersion {
    /// Its number, from 1.
    pub version: u32,
    /// Stage of the version.
    #[schema(schema_with = schema::stage)]
    pub stage: Stage,
    /// True if the version is validated and waits for review.
    pub waits: bool,
    /// User, client or component that requested the version.
    pub asked_by: String,
    /// User, client or component that last activated the version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promoted_by: Option<String>,
    /// Time at which the version was proposed.
    pub created_at: Time,
    /// Time at which the version was last activated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promoted_at: Option<Time>,
    /// The version that it replaced then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<u32>,
    /// Number of real runs since then.
    pub runs: u32,
    /// Number of these runs that failed.
    pub failed_runs: u32,
    /// The recipe, as stored.
    #[schema(value_type = Object)]
    pub recipe: Value,
    /// Changes since the previous version: a unified diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

impl RecipeVersion {
    fn of(row: RecipeRow, before: Option<&RecipeRow>) -> Result<Self, ApiError> {
        let diff = before.map(|before| difference(before, &row)).transpose()?;
        Ok(Self {
            version: row.version,
            stage: row.stage,
            waits: row.waits,
            asked_by: row.asked_by,
            promoted_by: row.promoted_by,
            created_at: Time(row.created_at),
            promoted_at: row.promoted_at.map(Time),
            replaces: row.replaces,
            runs: row.runs,
            failed_runs: row.failed_runs,
            recipe: row.recipe,
            diff,
        })
    }
}

fn difference(before: &RecipeRow, after: &RecipeRow) -> Result<String, ApiError> {
    let (old, new) = (serde_json::to_string_pretty(&before.recipe)?, serde_json::to_string_pretty(&after.recipe)?);
    let names = (format!("version {}", before.version), format!("version {}", after.version));
    Ok(similar::TextDiff::from_lines(&old, &new).unified_diff().header(&names.0, &names.1).to_string())
}

/// The versions of a recipe.
#[derive(Debug, Serialize, ToSchema)]
pub struct RecipeList {
    /// Versions, the newest first.
    pub recipes: Vec<RecipeVersion>,
    /// Offset of the next part of the list; absent in the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<u32>,
}

/// An accepted set of values.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ValueSet {
    /// Number of the set of values; a later set has a higher number.
    pub value_id: i64,
    /// Time of the run that gave the values.
    pub at: Time,
    /// Address of the page.
    pub url: String,
    /// Version of the recipe that extracted the values.
    pub version: u32,
    /// Values by field, or a list of such records.
    pub values: Value,
}

impl From<ValueRow> for ValueSet {
    fn from(row: ValueRow) -> Self {
        Self { value_id: row.id, at: Time(row.at), url: row.url, version: row.version, values: row.values }
    }
}

/// Values of a source.
#[derive(Debug, Serialize, ToSchema)]
pub struct ValueList {
    /// Sets of values, the newest first.
    pub values: Vec<ValueSet>,
    /// Cursor of the next page, for `before`; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<i64>,
}

/// A stored page, without its content.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StoredPage {
    /// Number of the stored page.
    pub snapshot_id: i64,
    /// Purpose for which the page is kept.
    #[schema(schema_with = schema::snapshot_role)]
    pub role: SnapshotRole,
    /// Address that was requested.
    pub url: String,
    /// Time at which the page was fetched.
    pub taken_at: Time,
}

impl From<SnapshotRow> for StoredPage {
    fn from(row: SnapshotRow) -> Self {
        Self { snapshot_id: row.snapshot, role: row.role, url: row.url, taken_at: Time(row.taken_at) }
    }
}

/// The stored pages of a source.
#[derive(Debug, Serialize, ToSchema)]
pub struct StoredPageList {
    /// Stored pages, the newest first.
    pub snapshots: Vec<StoredPage>,
    /// Offset of the next part of the list; absent in the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<u32>,
}

/// A decision that a user or client made about a source.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DecisionMade {
    /// Time of the decision.
    pub at: Time,
    /// The decision, such as `RELEASED`.
    pub decision: &'static str,
    /// Version of the recipe that the decision is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// User or client that made the decision.
    pub asked_by: String,
    /// Reason that the user gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Decisions of users about a source.
#[derive(Debug, Serialize, ToSchema)]
pub struct DecisionList {
    /// Decisions, the newest first.
    pub decisions: Vec<DecisionMade>,
}

/// Size of a list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct HowMany {
    /// Maximum number of rows.
    #[serde(default)]
    #[param(schema_with = schema::limit, required = false)]
    pub(super) limit: Limit,
}

/// Filter for listing values.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ValueQuery {
    /// Only sets of values older than the one with this number.
    before: Option<i64>,
    /// Maximum number of sets of values.
    #[serde(default)]
    #[param(schema_with = schema::limit, required = false)]
    limit: Limit,
}

/// List the versions of a source's recipe, with their changes
#[utoipa::path(get, path = "/api/sources/{name}/recipes", operation_id = "listRecipes", tag = tag::SOURCES,
    params(("name" = String, Path, description = "The source's name"), Part), responses(
    (status = 200, description = "The versions", body = RecipeList),
    (status = 404, description = "There is no such source", body = ErrorResponse)))]
pub(super) async fn recipes(
    State(shared): State<Shared>,
    Path(name): Path<String>,
    Query(part): Query<Part>,
) -> Result<Json<RecipeList>, ApiError> {
    let row = find(&shared, &name).await?;
    let rows = shared.services.store.recipes(&row.source).await?;
    let (places, next) = part.of((0..rows.len()).rev().collect());
    let version = |place: usize| {
        let before = place.checked_sub(1).and_then(|before| rows.get(before));
        RecipeVersion::of(rows[place].clone(), before)
    };
    Ok(Json(RecipeList { recipes: places.into_iter().map(version).collect::<Result<_, _>>()?, next }))
}

/// List the values that a source gave
#[utoipa::path(get, path = "/api/sources/{name}/values", operation_id = "listValues", tag = tag::SOURCES,
    params(("name" = String, Path, description = "The source's name"), ValueQuery), responses(
    (status = 200, description = "The values", body = ValueList),
    (status = 404, description = "There is no such source", body = ErrorResponse)))]
pub(super) async fn values(
    State(shared): State<Shared>,
    Path(name): Path<String>,
    Query(query): Query<ValueQuery>,
) -> Result<Json<ValueList>, ApiError> {
    let row = find(&shared, &name).await?;
    let mut rows = shared.services.store.values_before(&row.source, query.before, query.limit.asked()).await?;
    let next = query.limit.page(&mut rows, |row| row.id);
    Ok(Json(ValueList { values: rows.into_iter().map(Into::into).collect(), next }))
}

/// List the fixes that were tried for a source
#[utoipa::path(get, path = "/api/sources/{name}/fixes", operation_id = "listFixesOfSource", tag = tag::SOURCES,
    params(("name" = String, Path, description = "The source's name"), Part), responses(
    (status = 200, description = "The attempts", body = FixList),
    (status = 404, description = "There is no such source", body = ErrorResponse)))]
pub(super) async fn fixes(
    State(shared): State<Shared>,
    Path(name): Path<String>,
    Query(part): Query<Part>,
) -> Result<Json<FixList>, ApiError> {
    let row = find(&shared, &name).await?;
    let mut fixes = shared.services.store.fixes_of_target(&row.source, Timestamp::default()).await?;
    fixes.reverse();
    let (fixes, next) = part.of(fixes);
    Ok(Json(FixList::of(fixes, next)))
}

/// List the decisions about a source
///
/// The decisions about a removed source are kept.
#[utoipa::path(get, path = "/api/sources/{name}/decisions", operation_id = "listDecisions", tag = tag::SOURCES,
    params(("name" = String, Path, description = "The source's name"), HowMany), responses(
    (status = 200, description = "The decisions", body = DecisionList),
    (status = 404, description = "There is no such source", body = ErrorResponse)))]
pub(super) async fn decisions(
    State(shared): State<Shared>,
    Path(name): Path<String>,
    Query(query): Query<HowMany>,
) -> Result<Json<DecisionList>, ApiError> {
    let source = parsed(&name)?;
    let rows = shared.services.store.decisions(source.as_str(), query.limit.get()).await?;
    if rows.is_empty() {
        find(&shared, &name).await?;
    }
    let made = rows.into_iter().map(|row| DecisionMade {
        at: Time(row.at),
        decision: row.decision.name(),
        version: row.version,
        asked_by: row.asked_by,
        note: row.note,
    });
    Ok(Json(DecisionList { decisions: made.collect() }))
}

/// List the stored pages of a source
#[utoipa::path(get, path = "/api/sources/{name}/snapshots", operation_id = "listSnapshots", tag = tag::SOURCES,
    params(("name" = String, Path, description = "The source's name"), Part), responses(
    (status = 200, description = "The pages", body = StoredPageList),
    (status = 404, description = "There is no such source", body = ErrorResponse)))]
pub(super) async fn snapshots(
    State(shared): State<Shared>,
    Path(name): Path<String>,
    Query(part): Query<Part>,
) -> Result<Json<StoredPageList>, ApiError> {
    let row = find(&shared, &name).await?;
    let mut rows = shared.services.store.kept_pages(&row.source, part.asked()).await?;
    let next = part.page(&mut rows);
    Ok(Json(StoredPageList { snapshots: rows.into_iter().map(Into::into).collect(), next }))
}

/// Selection of the version of the recipe.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct MarkQuery {
    /// Version of the recipe whose fields are marked; the active one by default.
    #[param(minimum = 1)]
    version: Option<u32>,
    /// True if every element should have its number, in the attribute `data-autoheal-element`.
    #[serde(default)]
    numbers: bool,
}

/// Content security policy of a stored page: a browser may display it, and nothing else.
const SHOWN_ONLY: [(HeaderName, &str); 1] = [(
    header::CONTENT_SECURITY_POLICY,
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'",
)];

/// Show a stored page, with the elements of the recipe's fields marked
///
/// Without scripts, forms, images and whatever else it would load.
#[utoipa::path(get, path = "/api/sources/{name}/snapshots/{snapshot_id}/page", operation_id = "showSnapshot", tag = tag::SOURCES,
    params(
        ("name" = String, Path, description = "The source's name"),
        ("snapshot_id" = i64, Path, description = "The page's number"),
        MarkQuery
    ), responses(
    (status = 200, description = "The page", body = String, content_type = "text/html"),
    (status = 404, description = "There is no such page", body = ErrorResponse)))]
pub(super) async fn page(
    State(shared): State<Shared>,
    Path((name, snapshot)): Path<(String, String)>,
    Query(query): Query<MarkQuery>,
) -> Result<([(HeaderName, &'static str); 1], Html<String>), ApiError> {
    let row = find(&shared, &name).await?;
    let store = &shared.services.store;
    let missing = || not_found(ApiCode::NotFound, "snapshot", &snapshot);
    let number = snapshot.parse().map_err(|_| missing())?;
    let recipes = store.recipes(&row.source).await?;
    let wanted = match query.version {
        Some(version) => recipes.iter().find(|recipe| recipe.version == version),
        None => RecipeRow::active(&recipes),
    };
    let recipe = wanted.map(|wanted| Recipe::deserialize(&wanted.recipe)).transpose()?;
    let numbers = if query.numbers { Numbers::Shown } else { Numbers::Hidden };
    let page = DrawnPage { source: row.source, snapshot: number, recipe, numbers };
    let html = shared.of_pages(page).await?.ok_or_else(missing)?;
    Ok((SHOWN_ONLY, Html(html)))
}
