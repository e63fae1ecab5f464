//! Reason a run ended.

use autoheal_engine::ErrorCode;
use autoheal_engine::alert::AlertKind;
use serde::{Deserialize, Serialize};

/// The one named reason for which a run ended (design section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum StopReason {
    /// The monitor saw green.
    Green,
    /// Tests exist and pass: nothing was changed.
    NothingToDo,
    /// Everything that ran passes, and CI also runs checks that were not run here.
    PartlyChecked,
    /// Fixes of an earlier run wait on their branch to be merged, and nothing else is left to do.
    Unmerged,
    /// Nothing that is left could be healed.
    NoProgress,
    /// The same patch came up twice.
    RepeatedPatch,
    /// The rounds are used up.
    Attempts,
    /// Tokens, money or time are used up.
    Budget,
    /// The failures come and go by themselves.
    Flaky,
    /// The repository could not be cloned, installed or tested; see the error.
    Infra,
    /// The branch was pushed and no CI run came of it.
    NoCiRun,
    /// The branch was pushed, and CI had no verdict in time.
    CiTimeout,
    /// The commit to heal is one of ours: to heal it again would never end.
    OwnCommit,
    /// A user cancelled the run.
    Cancelled,
}

impl StopReason {
    /// All reasons for which a run may end.
    pub const ALL: [Self; 14] = [
        Self::Green,
        Self::NothingToDo,
        Self::PartlyChecked,
        Self::Unmerged,
        Self::NoProgress,
        Self::RepeatedPatch,
        Self::Attempts,
        Self::Budget,
        Self::Flaky,
        Self::Infra,
        Self::NoCiRun,
        Self::CiTimeout,
        Self::OwnCommit,
        Self::Cancelled,
    ];

    /// The reason as results and events write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Green => "GREEN",
            Self::NothingToDo => "NOTHING_TO_DO",
            Self::PartlyChecked => "PARTLY_CHECKED",
            Self::Unmerged => "UNMERGED",
            Self::NoProgress => "NO_PROGRESS",
            Self::RepeatedPatch => "REPEATED_PATCH",
            Self::Attempts => "ATTEMPTS",
            Self::Budget => "BUDGET",
            Self::Flaky => "FLAKY",
            Self::Infra => "INFRA",
            Self::NoCiRun => "NO_CI_RUN",
            Self::CiTimeout => "CI_TIMEOUT",
            Self::OwnCommit => "OWN_COMMIT",
            Self::Cancelled => "CANCELLED",
        }
    }

    /// The target is well.
    pub const fn is_success(self) -> bool {
        match self {
            Self::Green | Self::NothingToDo => true,
            Self::PartlyChecked
            | Self::Unmerged
            | Self::NoProgress
            | Self::RepeatedPatch
            | Self::Attempts
            | Self::Budget
            | Self::Flaky
            | Self::Infra
            | Self::NoCiRun
            | Self::CiTimeout
            | Self::OwnCommit
            | Self::Cancelled => false,
        }
    }

    /// The verdict in a word or two, for a title.
    pub const fn headline(self) -> &'static str {
        match self {
            Self::Green => "healed",
            Self::NothingToDo => "nothing to do",
            Self::PartlyChecked => "partly checked",
            Self::Unmerged => "healed before, and not merged",
            Self::NoProgress
            | Self::RepeatedPatch
            | Self::Attempts
            | Self::Budget
            | Self::Flaky
            | Self::Infra
            | Self::NoCiRun
            | Self::CiTimeout
            | Self::OwnCommit
            | Self::Cancelled => "not healed",
        }
    }

    /// Returns an explanation of the reason and of what the user can do next.
    pub const fn explanation(self) -> &'static str {
        match self {
            Self::Green => "the branch, cloned fresh, passes everything",
            Self::NothingToDo => "the tests exist and pass; nothing was changed",
            Self::PartlyChecked => {
                "everything that was run passes, and CI decides by more than was run here; check what the warnings name before you merge"
            }
            Self::Unmerged => {
                "the fixes of an earlier run stand on their branch, and nothing else is left to do; merge it"
            }
            Self::NoProgress => "what is left could not be healed",
            Self::RepeatedPatch => "the same patch came up twice; what is left needs a person",
            Self::Attempts => "the rounds are used up; run again with a higher --retry-limit to go on from the branch",
            Self::Budget => "a budget is used up; raise it and run again to go on from the branch",
            Self::Flaky => "the failures come and go without any change; make the tests deterministic first",
            Self::Infra => "the repository could not be cloned, installed or tested; see the error below",
            Self::NoCiRun => "the branch was pushed, and no CI run that speaks for it came of that; see the warnings",
            Self::CiTimeout => {
                "the branch was pushed, and CI had no verdict in time; look at the run, or raise --ci-seconds"
            }
            Self::OwnCommit => {
                "the newest commit there is one of ours, and healing one's own work would go on for ever; a person must look"
            }
            Self::Cancelled => "a person ended the run; what was accepted so far is kept",
        }
    }

    /// Returns the kind of alert that reports the reason to the user; `None`: no alert.
    pub const fn alert(self) -> Option<AlertKind> {
        match self {
            Self::Attempts => Some(AlertKind::RetryLimit),
            Self::Budget => Some(AlertKind::Budget),
            Self::Green
            | Self::NothingToDo
            | Self::PartlyChecked
            | Self::Unmerged
            | Self::NoProgress
            | Self::RepeatedPatch
            | Self::Flaky
            | Self::Infra
            | Self::NoCiRun
            | Self::CiTimeout
            | Self::OwnCommit
            | Self::Cancelled => None,
        }
    }

    /// Returns the spec's code for a stop that is reported as an error and has no more exact code.
    pub const fn error_code(self) -> Option<ErrorCode> {
        match self {
            // A verdict is no error: failures that are left are told as such.
            Self::Green
            | Self::NothingToDo
            | Self::PartlyChecked
            | Self::Unmerged
            | Self::NoProgress
            | Self::RepeatedPatch
            | Self::OwnCommit => None,
            Self::Attempts => Some(ErrorCode::RetryLimitReached),
            Self::NoCiRun | Self::CiTimeout => Some(ErrorCode::CiTimeout),
            Self::Budget | Self::Flaky | Self::Infra | Self::Cancelled => Some(ErrorCode::TestExecutionFailed),
        }
    }
}
