//! Record of a search: its target, and how far it got.

use std::collections::BTreeMap;

use autoheal_code::Candidate;
use autoheal_engine::diagnostics::Key;
use serde::{Deserialize, Serialize};

use super::HealState;

/// A search for the repair of a fault of logic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Search {
    /// Failure that the search was for.
    pub key: Key,
    /// Number of accepted fixes in the tree that were more than a linter's: after a further one, another search is worthwhile.
    pub accepted: usize,
    /// Number of changes to try.
    pub candidates: usize,
    /// Number of changes of each kind among them: the verb that describes them.
    #[serde(default)]
    pub kinds: BTreeMap<String, usize>,
    /// Number of changes that were tried.
    pub tried: usize,
    /// Number of tried changes for which the project had to be loaded anew.
    pub loaded_anew: usize,
    /// Number of builds that held many changes at once.
    #[serde(default)]
    pub builds: usize,
    /// Number of changes that the tests allow.
    pub plausible: usize,
    /// Duration of loading, watching and choosing, in milliseconds.
    pub preparing_millis: u64,
    /// Duration of the trials, in milliseconds.
    pub trying_millis: u64,
    /// Average duration of earlier tries with a test runner of their own, in milliseconds; `None`: there were
    /// none.
    pub cold_millis: Option<u64>,
    /// True if every candidate of the rules was among those that were tried.
    pub rules_were_tried: bool,
    /// Reason for which nothing was tried; `None`: something was.
    pub refused: Option<String>,
    /// Reason for which the tests were started for each change; `None`: they were not.
    #[serde(default)]
    pub not_warm: Option<String>,
    /// True if that reason holds for every failure: the tests cannot be kept loaded.
    #[serde(default)]
    pub is_never_warm: bool,
    /// Reason for which no more changes were tried; `None`: the runner did not end before the time or the
    /// changes ran out.
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
            accepted: state.fixes.of_program(),
            candidates: 0,
            kinds: BTreeMap::new(),
            tried: 0,
            loaded_anew: 0,
            builds: 0,
            plausible: 0,
            preparing_millis: 0,
            trying_millis: 0,
            cold_millis: state.tried.trials.millis.checked_div(state.tried.trials.count),
            rules_were_tried: false,
            refused: None,
            not_warm: None,
            is_never_warm: false,
            cut_short: None,
            is_misled: false,
        }
    }

    /// Sets the changes to try.
    pub(crate) fn set_candidates(&mut self, candidates: &[Candidate]) {
        self.candidates = candidates.len();
        self.kinds.clear();
        for candidate in candidates {
            let verb = candidate.description.split(' ').next().unwrap_or_default();
            *self.kinds.entry(verb.to_owned()).or_default() += 1;
        }
    }
}
