//! Output of a run as the bench reads it.

use std::process::Output;

use serde::{Deserialize, Serialize};

/// A search as the run's results tell it; all else that they tell of it is of no use here.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Search {
    /// Number of changes tried in the warm process.
    pub(super) tried: u64,
    /// Duration of these tries.
    pub(super) trying_millis: u64,
    /// Duration of a try with a separate test runner, if there was one.
    pub(super) cold_millis: Option<u64>,
    /// Reason the tests were started anew for each change, if they were.
    pub(super) not_warm: Option<String>,
}

/// Returns the searches of the run.
pub(super) fn searches(output: &Output) -> Vec<Search> {
    let results: Option<serde_json::Value> = serde_json::from_slice(&output.stdout).ok();
    let searches = results.and_then(|mut results| Some(results.get_mut("searches")?.take()));
    searches.and_then(|searches| serde_json::from_value(searches).ok()).unwrap_or_default()
}

/// Returns how often all tests were run.
pub(super) fn test_runs(output: &Output) -> Option<f64> {
    let results: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
    results.pointer("/test_runs/whole")?.as_f64()
}

/// The run's own word for why it stopped.
pub(super) fn stop_reason(output: &Output) -> String {
    let results: Option<serde_json::Value> = serde_json::from_slice(&output.stdout).ok();
    let reason = results.as_ref().and_then(|results| results.get("stop_reason")?.as_str());
    match (reason, output.status.code()) {
        (Some(reason), _) => match results.as_ref().and_then(|results| results.pointer("/error/message")?.as_str()) {
            // In all other cases the reason is enough.
            Some(message) if reason == "INFRA" => format!("{reason}: {message}"),
            Some(_) | None => reason.to_owned(),
        },
        (None, Some(124)) => "it took too long".to_owned(),
        (None, _) => {
            let errors = String::from_utf8_lossy(&output.stderr);
            format!("{}: {}", output.status, errors.lines().last().unwrap_or_default())
        }
    }
}
