//! Usage of language models.

use std::time::Duration;

use autoheal_engine::ledger;
use autoheal_store::{UsageBy, UsageRow};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::error::ApiError;
use super::request::Query;
use super::{Shared, tag};

/// Longest period of the sums, in days.
const MOST_DAYS: u32 = 3660;

/// Grouping of the sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The day, in UTC.
    #[default]
    Day,
    /// The language model.
    Model,
    /// The source or the repository.
    Target,
    /// The user on whose behalf the request was made.
    User,
    /// The purpose of the prompt.
    Purpose,
}

impl From<By> for UsageBy {
    fn from(by: By) -> Self {
        match by {
            By::Day => Self::Day,
            By::Model => Self::Model,
            By::Target => Self::Target,
            By::User => Self::User,
            By::Purpose => Self::Purpose,
        }
    }
}

/// Usage of language models within one group.
#[derive(Debug, Serialize, ToSchema)]
pub struct UsageSum {
    /// Name of the group, such as the day or the model; empty for requests without one.
    pub name: String,
    /// Their usage.
    #[serde(flatten)]
    pub usage: ModelUsage,
}

/// Usage of language models.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelUsage {
    /// Number of requests.
    pub calls: u64,
    /// Number of tokens in prompts.
    pub input_tokens: u64,
    /// Number of tokens in responses.
    pub output_tokens: u64,
    /// Number of prompt tokens that came from a cache.
    pub cached_tokens: u64,
    /// Cost of the requests whose price is known, in millionths of a US dollar.
    pub micro_dollars: u64,
    /// Number of requests whose price is unknown.
    pub unpriced_calls: u64,
}

impl From<UsageRow> for UsageSum {
    fn from(row: UsageRow) -> Self {
        Self { name: row.name, usage: row.usage.into() }
    }
}

impl From<ledger::ModelUsage> for ModelUsage {
    fn from(usage: ledger::ModelUsage) -> Self {
        let ledger::ModelUsage { calls, input_tokens, output_tokens, cached_tokens, micro_dollars, unpriced_calls } =
            usage;
        Self { calls, input_tokens, output_tokens, cached_tokens, micro_dollars, unpriced_calls }
    }
}

/// Usage of language models, by group.
#[derive(Debug, Serialize, ToSchema)]
pub struct UsageSums {
    /// Sums, sorted by the name of the group.
    pub rows: Vec<UsageSum>,
}

/// Grouping and period of the sums.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct UsageQuery {
    /// Grouping of the sums.
    #[serde(default)]
    #[param(inline, required = false)]
    by: By,
    /// Number of days, today included.
    #[serde(default = "default_days")]
    #[param(required = false, minimum = 1, maximum = 3660, default = 30)]
    days: u32,
}

const fn default_days() -> u32 {
    30
}

/// Sum up the usage of language models and its cost
#[utoipa::path(get, path = "/api/usage", operation_id = "getUsage", tag = tag::USAGE, params(UsageQuery), responses(
    (status = 200, description = "The sums", body = UsageSums)))]
pub(super) async fn sums(
    State(shared): State<Shared>,
    Query(query): Query<UsageQuery>,
) -> Result<Json<UsageSums>, ApiError> {
    if !(1..=MOST_DAYS).contains(&query.days) {
        return Err(ApiError::invalid("days: a number from 1 to 3660 is expected").with("field", "days"));
    }
    let since = shared.services.store.now().minus(Duration::from_hours(24 * u64::from(query.days)));
    let rows = shared.services.store.usage(since, query.by.into()).await?;
    Ok(Json(UsageSums { rows: rows.into_iter().map(Into::into).collect() }))
}
