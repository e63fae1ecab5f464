//! State of a run in requests and responses.

use autoheal_engine::Outcome;
use autoheal_store::RunState;
use serde::{Deserialize, Serialize};

/// State of a run: its outcome, or `running` while it has not ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "&'static str", try_from = "String")]
pub struct RunStanding(pub Option<Outcome>);

impl RunStanding {
    const RUNNING: &'static str = "running";

    /// The names of all states.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        std::iter::once(Self::RUNNING).chain(Outcome::ALL.iter().map(|outcome| outcome.name()))
    }
}

impl From<RunStanding> for &'static str {
    fn from(RunStanding(outcome): RunStanding) -> Self {
        outcome.map_or(RunStanding::RUNNING, Outcome::name)
    }
}

impl TryFrom<String> for RunStanding {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        if name == Self::RUNNING {
            return Ok(Self(None));
        }
        let unknown = || format!("unknown state of a run; use one of {}", Self::names().collect::<Vec<_>>().join(", "));
        Outcome::from_name(&name).map(|outcome| Self(Some(outcome))).ok_or_else(unknown)
    }
}

impl From<RunStanding> for RunState {
    fn from(RunStanding(outcome): RunStanding) -> Self {
        outcome.map_or(Self::Running, Self::Ended)
    }
}
