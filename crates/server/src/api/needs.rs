//! Matters that need a decision of the user: reviews, quarantines, failed tasks, fixes to merge.

use std::time::Duration;

use autoheal_engine::{RunId, StopReason};
use autoheal_store::{Need, NeedKind, Store, StoreError};
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::error::ApiError;
use super::schema::{self, Time};
use super::{Shared, tag};

/// Time for which the last run of a repository is listed.
const RECENT: Duration = Duration::from_hours(7 * 24);

/// Maximum number of entries of each kind.
const MOST: u32 = 100;

/// Something that needs a decision of the user. It disappears when its cause does.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NeedEntry {
    /// Kind of the decision.
    #[schema(schema_with = schema::need_kind)]
    pub kind: NeedKind,
    /// The source, or the repository.
    pub target: String,
    /// Time since which it is so.
    pub since: Time,
    /// Version of the recipe that waits for a review.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// Task that failed, or that the run belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<i64>,
    /// Run of the repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = Uuid)]
    pub run_id: Option<RunId>,
    /// Branch with the fixes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Message of the error, or explanation of how the run ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl From<Need> for NeedEntry {
    fn from(need: Need) -> Self {
        let Need { kind, target, since, version, task, run, detail } = need;
        let explained =
            |name: String| StopReason::from_name(&name).map_or(name, |reason| reason.explanation().to_owned());
        let (branch, message) = match kind {
            NeedKind::Merge => (detail, None),
            _ => (None, detail.map(explained)),
        };
        let task_id = task.map(|task| task.0);
        Self { kind, target, since: Time(since), version, task_id, run_id: run, branch, message }
    }
}

/// Matters that need a decision of the user.
#[derive(Debug, Serialize, ToSchema)]
pub struct NeedList {
    /// At most 100 entries of each kind, the newest first.
    pub needs: Vec<NeedEntry>,
}

/// Returns the matters that need a decision now.
pub(super) async fn of(store: &Store) -> Result<Vec<Need>, StoreError> {
    store.needs(store.now().minus(RECENT), MOST).await
}

/// List matters that need a decision of the user
///
/// Reviews, quarantines, failed tasks, and fixes of repositories from the last seven days.
#[utoipa::path(get, path = "/api/needs", operation_id = "listNeeds", tag = tag::SERVER, responses(
    (status = 200, description = "The matters", body = NeedList)))]
pub(super) async fn list(State(shared): State<Shared>) -> Result<Json<NeedList>, ApiError> {
    let needs = of(&shared.services.store).await?;
    Ok(Json(NeedList { needs: needs.into_iter().map(Into::into).collect() }))
}
