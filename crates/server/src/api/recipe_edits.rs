//! Edits of a source's recipe by the user: rules for an element pointed at, a trial on the stored pages, and the new version.

use autoheal_page::recipe::{FieldName, Recipe};
use autoheal_source::decide;
use autoheal_store::{RecipeRow, SourceRow};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::error::{ApiCode, ApiError, ErrorResponse};
use super::request::{Asker, Body, Path, not_found};
use super::sources::{Source, current, find, parsed};
use super::{Shared, tag};
use crate::pages::{AskedRules, NoRules, PageTrial, PageWork, ProposedRule, TriedRecipe};

/// Maximum number of elements in a request for rules.
const MOST_ELEMENTS: usize = 50;

impl Shared {
    /// Has work on stored pages done.
    pub(super) async fn of_pages<W: PageWork>(&self, work: W) -> Result<W::Answer, ApiError> {
        let answer = work.answer(self.services.crew.as_ref(), &self.services.store).await;
        answer.map_err(|error| ApiError::internal(&error))
    }
}

/// Elements of a stored page that a field should extract.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleRequest {
    /// Name of the field: one of the recipe's, or a new one.
    pub field: String,
    /// Number of the stored page.
    #[schema(minimum = 0)]
    pub snapshot_id: i64,
    /// Numbers of the elements: the attribute `data-autoheal-element` of the page that is shown with `numbers=true`.
    #[schema(min_items = 1, max_items = 50)]
    pub elements: Vec<usize>,
}

/// Rules for a field.
#[derive(Debug, Serialize, ToSchema)]
pub struct RuleList {
    /// Rules, the most robust first.
    pub rules: Vec<ProposedRule>,
}

/// Propose rules for a field from elements of a stored page
///
/// With the values that each rule extracts from the stored pages. Nothing is changed.
#[utoipa::path(post, path = "/api/sources/{name}/rules", operation_id = "proposeRules", tag = tag::SOURCES,
    params(("name" = String, Path, description = "The source's name")), request_body = RuleRequest, responses(
    (status = 200, description = "The rules", body = RuleList),
    (status = 404, description = "There is no such source, page or element", body = ErrorResponse),
    (status = 409, description = "No rule gives the elements, or the source has no recipe", body = ErrorResponse)))]
pub(super) async fn propose(
    State(shared): State<Shared>,
    Path(name): Path<String>,
    Body(request): Body<RuleRequest>,
) -> Result<Json<RuleList>, ApiError> {
    let row = find(&shared, &name).await?;
    let (_, recipe) = active_recipe(&shared, &row).await?;
    if request.elements.is_empty() || request.elements.len() > MOST_ELEMENTS {
        let message = format!("`elements` has {} numbers: name 1 to {MOST_ELEMENTS}", request.elements.len());
        return Err(ApiError::invalid(message).with("field", "elements"));
    }
    let field = FieldName::parse(&request.field).map_err(|error| ApiError::invalid(error).with("field", "field"))?;
    let RuleRequest { snapshot_id: snapshot, elements, .. } = request;
    let asked = AskedRules { source: row.source, recipe, field, snapshot, elements };
    match shared.of_pages(asked).await? {
        Ok(rules) => Ok(Json(RuleList { rules })),
        Err(NoRules::NotThere) => Err(not_found(ApiCode::NotFound, "page with these elements:", &snapshot.to_string())),
        Err(NoRules::None(reason)) => Err(ApiError::new(ApiCode::Conflict, reason)),
    }
}

/// A recipe to try.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TrialRequest {
    /// The recipe, in the form of a recipe file.
    #[schema(value_type = Object)]
    pub recipe: Value,
}

/// Values that a recipe extracts from the stored pages.
#[derive(Debug, Serialize, ToSchema)]
pub struct Trial {
    /// Stored pages, the newest first.
    pub pages: Vec<PageTrial>,
}

/// Try a recipe on the stored pages
///
/// Nothing is changed, and no page is fetched.
#[utoipa::path(post, path = "/api/sources/{name}/trial", operation_id = "tryRecipe", tag = tag::SOURCES,
    params(("name" = String, Path, description = "The source's name")), request_body = TrialRequest, responses(
    (status = 200, description = "The values", body = Trial),
    (status = 404, description = "There is no such source", body = ErrorResponse)))]
pub(super) async fn trial(
    State(shared): State<Shared>,
    Path(name): Path<String>,
    Body(request): Body<TrialRequest>,
) -> Result<Json<Trial>, ApiError> {
    let row = find(&shared, &name).await?;
    let tried = TriedRecipe { source: row.source, recipe: read(&request.recipe)? };
    Ok(Json(Trial { pages: shared.of_pages(tried).await? }))
}

/// A recipe to activate.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RecipeRequest {
    /// The recipe, in the form of a recipe file.
    #[schema(value_type = Object)]
    pub recipe: Value,
    /// Version that the user has seen and replaces: the active one.
    #[schema(minimum = 1)]
    pub replaces: u32,
}

/// Activate a recipe of the user's as a new version
///
/// The next run shows whether it works.
#[utoipa::path(put, path = "/api/sources/{name}/recipe", operation_id = "replaceRecipe", tag = tag::SOURCES,
    params(("name" = String, Path, description = "The source's name")), request_body = RecipeRequest, responses(
    (status = 200, description = "The source as it is now", body = Source),
    (status = 404, description = "There is no such source", body = ErrorResponse),
    (status = 409, description = "Another version is active now", body = ErrorResponse)))]
pub(super) async fn replace(
    State(shared): State<Shared>,
    Asker(asker): Asker,
    Path(name): Path<String>,
    Body(request): Body<RecipeRequest>,
) -> Result<Json<Source>, ApiError> {
    let row = find(&shared, &name).await?;
    let recipe = read(&request.recipe)?;
    let (version, active) = active_recipe(&shared, &row).await?;
    if version != request.replaces {
        let message = format!("version {version} is active now, not {}: look at it first", request.replaces);
        return Err(ApiError::new(ApiCode::Conflict, message).with("version", version));
    }
    if recipe == active {
        return Err(ApiError::new(ApiCode::Conflict, "the recipe is the active one: nothing changes"));
    }
    let definition = serde_json::from_value(row.definition)?;
    let store = &shared.services.store;
    decide::replace(store, &parsed(&name)?, &recipe, definition, &asker, store.now()).await?;
    current(&shared, &name).await
}

/// Reads a recipe of a request.
fn read(recipe: &Value) -> Result<Recipe, ApiError> {
    Recipe::from_json(&recipe.to_string(), "recipe").map_err(|error| {
        let field = if error.path.is_empty() { "recipe".to_owned() } else { format!("recipe.{}", error.path) };
        ApiError::invalid(format!("`{field}`: {}", error.message)).with("field", field)
    })
}

/// Returns the active version of a source's recipe.
async fn active_recipe(shared: &Shared, row: &SourceRow) -> Result<(u32, Recipe), ApiError> {
    let versions = shared.services.store.recipes(&row.source).await?;
    let active = RecipeRow::active(&versions);
    let active = active.ok_or_else(|| ApiError::new(ApiCode::Conflict, "the source has no active recipe"))?;
    Ok((active.version, Recipe::deserialize(&active.recipe)?))
}
