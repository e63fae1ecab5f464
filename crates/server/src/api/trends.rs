//! Development of runs, fixes, alerts and cost over the last days, and the slowest and noisiest targets.

use autoheal_engine::Timestamp;
use autoheal_store::trend::{DayFigures, NoisyTarget, SlowTarget};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::error::ApiError;
use super::request::Query;
use super::{Shared, tag};

/// Longest period, in days.
const MOST_DAYS: u32 = 90;

/// Maximum number of the slowest and of the noisiest targets.
const MOST_TARGETS: u32 = 10;

const MILLIS_OF_DAY: i64 = 86_400_000;

/// Development of the last days.
#[derive(Debug, Serialize, ToSchema)]
pub struct Trends {
    /// Figures of each day, today included, the oldest first.
    pub days: Vec<TrendDay>,
    /// Targets with the longest runs on average, the slowest first, of the newest 2,000 runs.
    pub slowest: Vec<SlowRuns>,
    /// Targets with most alerts, of the newest 2,000 alerts.
    pub noisiest: Vec<Noise>,
}

/// Figures of one day.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrendDay {
    /// The day, in UTC, such as `2026-11-26`.
    pub day: String,
    /// Number of runs that were started.
    pub runs: u64,
    /// Number of ended runs after which the target was well.
    pub well: u64,
    /// Number of ended runs after which it was not.
    pub not_well: u64,
    /// Number of attempts at a fix.
    pub fixes_tried: u64,
    /// Number of attempts that passed their validation.
    pub fixes_passed: u64,
    /// Number of fixes that were rolled back because their first real runs failed: false positives.
    pub fixes_taken_back: u64,
    /// Average time from the failed run to the active fix, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery_millis: Option<u64>,
    /// Number of alerts.
    pub alerts: u64,
    /// Cost of the requests to models whose price is known, in millionths of a US dollar.
    pub micro_dollars: u64,
}

impl TrendDay {
    fn of(number: i64, figures: &DayFigures) -> Self {
        let well = |is_well: bool| -> u64 {
            let ended = figures.runs.iter().filter_map(|(outcome, runs)| Some((outcome.as_ref()?, runs)));
            ended.filter(|(outcome, _)| outcome.is_well() == is_well).map(|(_, runs)| runs).sum()
        };
        Self {
            day: Timestamp::from_millis(number * MILLIS_OF_DAY).to_rfc3339()[..10].to_owned(),
            runs: figures.runs.values().sum(),
            well: well(true),
            not_well: well(false),
            fixes_tried: figures.fixes_tried,
            fixes_passed: figures.fixes_passed,
            fixes_taken_back: figures.fixes_taken_back,
            recovery_millis: figures.recovery_millis.checked_div(figures.recoveries),
            alerts: figures.alerts,
            micro_dollars: figures.micro_dollars,
        }
    }
}

/// A target with the duration of its runs.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SlowRuns {
    /// Name of the workflow, such as `HEAL_REPO`.
    pub kind: String,
    /// The source or the repository.
    pub target: String,
    /// Number of runs.
    pub runs: u64,
    /// Average duration of a run, in milliseconds.
    pub average_millis: u64,
}

impl From<SlowTarget> for SlowRuns {
    fn from(SlowTarget { workflow: kind, target, runs, average_millis }: SlowTarget) -> Self {
        Self { kind, target, runs, average_millis }
    }
}

/// A target with the number of its alerts.
#[derive(Debug, Serialize, ToSchema)]
pub struct Noise {
    /// The source, the repository or the host.
    pub target: String,
    /// Number of alerts.
    pub alerts: u64,
}

impl From<NoisyTarget> for Noise {
    fn from(NoisyTarget { target, alerts }: NoisyTarget) -> Self {
        Self { target, alerts }
    }
}

/// Period of the figures.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct TrendQuery {
    /// Number of days, today included.
    #[serde(default = "default_days")]
    #[param(required = false, minimum = 1, maximum = 90, default = 30)]
    days: u32,
}

const fn default_days() -> u32 {
    30
}

/// Get the development of the last days
#[utoipa::path(get, path = "/api/trends", operation_id = "getTrends", tag = tag::SERVER, params(TrendQuery), responses(
    (status = 200, description = "The figures of each day", body = Trends)))]
pub(super) async fn trends(
    State(shared): State<Shared>,
    Query(query): Query<TrendQuery>,
) -> Result<Json<Trends>, ApiError> {
    if !(1..=MOST_DAYS).contains(&query.days) {
        return Err(ApiError::invalid("days: a number from 1 to 90 is expected").with("field", "days"));
    }
    let store = &shared.services.store;
    let today = store.now().as_millis().div_euclid(MILLIS_OF_DAY);
    let first = today - i64::from(query.days) + 1;
    let since = Timestamp::from_millis(first * MILLIS_OF_DAY);
    let (figures, slowest, noisiest) = tokio::try_join!(
        store.day_figures(since),
        store.slowest_targets(since, MOST_TARGETS),
        store.noisiest_targets(since, MOST_TARGETS)
    )?;
    let nothing = DayFigures::default();
    let day = |number| TrendDay::of(number, figures.get(&number).unwrap_or(&nothing));
    Ok(Json(Trends {
        days: (first..=today).map(day).collect(),
        slowest: slowest.into_iter().map(Into::into).collect(),
        noisiest: noisiest.into_iter().map(Into::into).collect(),
    }))
}
