//! What was searched for, and how far it got.

use autoheal_engine::diagnostics::Key;
use serde::{Deserialize, Serialize};

use super::HealState;

/// A search for the repair of a fault of logic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Search {
    /// For which failure.
    pub key: Key,
    /// How many accepted fixes the tree had: after a further one it is worth another search.
    pub accepted: usize,
    /// How many changes there were to try.
    pub candidates: usize,
    /// How many of them were tried.
    pub tried: usize,
    /// How many of those the project had to be loaded anew for.
    pub loaded_anew: usize,
    /// How many the tests allow.
    pub plausible: usize,
    /// How long loading, watching and choosing took, in milliseconds.
    pub preparing_millis: u64,
    /// How long trying took, in milliseconds.
    pub trying_millis: u64,
    /// How long a try with a test runner of its own took on average before, in milliseconds; `None`: there was none.
    pub cold_millis: Option<u64>,
    /// Whether every candidate of the rules was among those that were tried.
    pub rules_were_tried: bool,
    /// Why nothing was tried, if so.
    pub refused: Option<String>,
    /// Why the tests were started for each change, if they were.
    #[serde(default)]
    pub not_warm: Option<String>,
    /// Whether that is so for every failure: the tests cannot be kept loaded.
    #[serde(default)]
    pub is_never_warm: bool,
    /// Why no more was tried than was, if the runner ended before the time and the changes did.
    #[serde(default)]
    pub cut_short: Option<String>,
    /// A change that it found was refused because it changes a file that judges. Without such files there may be other changes.
    #[serde(default)]
    pub is_misled: bool,
}

impl Search {
    /// One in which nothing was done yet.
    pub(crate) fn new(key: Key, state: &HealState) -> Self {
        Self {
            key,
            accepted: state.accepted.len(),
            candidates: 0,
            tried: 0,
            loaded_anew: 0,
            plausible: 0,
            preparing_millis: 0,
            trying_millis: 0,
            cold_millis: state.trials.millis.checked_div(state.trials.count),
            rules_were_tried: false,
            refused: None,
            not_warm: None,
            is_never_warm: false,
            cut_short: None,
            is_misled: false,
        }
    }
}
