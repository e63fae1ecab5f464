//! Outcome of a run: what happened ([`Outcome`]), why ([`StopReason`]), and what the user can do next. The command line, the API,
//! the dashboard and the reports all take their words from these tables, so that they say the same.

use serde::{Deserialize, Serialize};

use crate::ErrorCode;
use crate::alert::AlertKind;

macro_rules! outcomes {
    ($($variant:ident = $name:literal, $label:literal, $meaning:literal;)+) => {
        /// Outcome of a run, in one term.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Outcome {
            $(#[doc = $meaning] $variant,)+
        }

        impl Outcome {
            /// All outcomes.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The name of the outcome in JSON, in the database and in scripts, such as `could_not_fix`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// The outcome for the user, in two or three words: lower case, without a full stop.
            pub const fn label(self) -> &'static str {
                match self { $(Self::$variant => $label,)+ }
            }

            /// The meaning of the outcome, as a sentence.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)+ }
            }
        }
    };
}

outcomes! {
    Fixed = "fixed", "fixed", "Something failed; with the changes on the branch, everything passes.";
    PartlyFixed = "partly_fixed", "partly fixed", "Some failures were fixed, others are left.";
    NothingToFix = "nothing_to_fix", "nothing to fix", "Nothing was wrong, and nothing was changed.";
    CouldNotFix = "could_not_fix", "could not fix", "Something is wrong, and no fix was found that could be verified.";
    Unverified = "unverified", "not verified", "Everything that could be run here passes, and CI decides by more than that.";
    Added = "added", "added", "The source was added, and its first values are stored.";
    NotAdded = "not_added", "not added", "The source was not added.";
    Fetched = "fetched", "fetched", "Every page gave its values, and they are the same as before.";
    Changed = "changed", "changed", "Every page gave its values, and some of them are new.";
    Healed = "healed", "healed", "The page had changed; a new recipe passed its validation and is active.";
    NeedsReview = "needs_review", "needs review", "A fix waits for the decision of a reviewer.";
    Blocked = "blocked", "blocked", "The site refused the request, or gave another page instead.";
    Broken = "broken", "broken", "The page no longer gives the values that the recipe describes.";
    Cancelled = "cancelled", "cancelled", "A user cancelled the run.";
    Failed = "failed", "failed", "The run could not do its work.";
}

impl Outcome {
    /// Returns the outcome with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|outcome| outcome.name() == name)
    }

    /// Returns whether the target is well after such a run.
    pub const fn is_well(self) -> bool {
        match self {
            Self::Fixed | Self::NothingToFix | Self::Added | Self::Fetched | Self::Changed | Self::Healed => true,
            Self::PartlyFixed
            | Self::CouldNotFix
            | Self::Unverified
            | Self::NotAdded
            | Self::NeedsReview
            | Self::Blocked
            | Self::Broken
            | Self::Cancelled
            | Self::Failed => false,
        }
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.label())
    }
}

macro_rules! stop_reasons {
    ($($variant:ident = $name:literal, $outcome:ident, $explanation:literal, $next:literal;)+) => {
        /// The one named reason for which a run ended (design section 4).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum StopReason {
            $(#[doc = $explanation] #[serde(rename = $name)] $variant,)+
        }

        impl StopReason {
            /// All reasons for which a run may end: those of repositories, of sources, and of any run.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The name of the reason in results, events and the database, such as `NO_PROGRESS`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// The explanation for the user: a clause, lower case, without a full stop.
            pub const fn explanation(self) -> &'static str {
                match self { $(Self::$variant => $explanation,)+ }
            }

            /// The one thing to do next, as a sentence; empty if there is nothing to do.
            pub const fn next(self) -> &'static str {
                match self { $(Self::$variant => $next,)+ }
            }

            const fn base(self) -> Outcome {
                match self { $(Self::$variant => Outcome::$outcome,)+ }
            }
        }
    };
}

stop_reasons! {
    // Repositories.
    Green = "GREEN", Fixed,
        "the branch, cloned fresh, passes everything",
        "Review the branch and merge it.";
    NothingToDo = "NOTHING_TO_DO", NothingToFix,
        "the tests exist and pass; nothing was changed",
        "";
    PartlyChecked = "PARTLY_CHECKED", Unverified,
        "everything that was run here passes, and CI decides by more than was run here",
        "Check what the warnings name before you merge.";
    Unmerged = "UNMERGED", NeedsReview,
        "the fixes of an earlier run are on their branch, and nothing else is left to do",
        "Review the branch of the earlier run and merge it.";
    NoProgress = "NO_PROGRESS", CouldNotFix,
        "no fix that could be verified was found for what is left",
        "Read the report: it lists the remaining failures, and why each attempt was refused.";
    RepeatedPatch = "REPEATED_PATCH", CouldNotFix,
        "the same patch came up twice, so that further rounds would repeat themselves",
        "Read the report: it lists the remaining failures, and why each attempt was refused.";
    Attempts = "ATTEMPTS", CouldNotFix,
        "the rounds are used up, and failures are left",
        "Run again with a higher `--retry-limit`: the new run continues from the branch.";
    Budget = "BUDGET", CouldNotFix,
        "a budget of time, tokens or money is used up, and failures are left",
        "Raise the budget and run again: the new run continues from the branch.";
    Flaky = "FLAKY", CouldNotFix,
        "what fails depends on more than the code, such as a network, the time or chance",
        "Make the tests that the report names deterministic, then run again.";
    Infra = "INFRA", Failed,
        "the repository could not be cloned, installed or tested",
        "Read the error: it names the step that failed.";
    NoCiRun = "NO_CI_RUN", Unverified,
        "the branch was pushed, and no CI run that could confirm it was started",
        "Read the warnings, and start CI on the branch.";
    CiTimeout = "CI_TIMEOUT", Unverified,
        "the branch was pushed, and CI had no verdict in time",
        "Look at the CI run of the branch, or raise `--ci-seconds`.";
    OwnCommit = "OWN_COMMIT", CouldNotFix,
        "the newest commit was made by autoheal itself, and it is not healed again",
        "Read the commit: it did not turn CI green.";
    // Sources.
    Good = "GOOD", Fetched,
        "every page gave its values, which are the same as before",
        "";
    NewValues = "NEW_VALUES", Changed,
        "every page gave its values, and some of them are new",
        "";
    AccessRefused = "ACCESS_REFUSED", Blocked,
        "the site refused access to the page, or its robots.txt does not allow it",
        "Open the page in a browser: it may ask for a log-in, or refuse automated requests.";
    NotThePage = "NOT_THE_PAGE", Blocked,
        "the site gave another page instead: a bot check, a log-in or consent page, a shell that scripts fill, or the like",
        "Read the message: it says which, and what can be done about it.";
    RateLimit = "RATE_LIMIT", Blocked,
        "the site asks for fewer requests",
        "Wait: the next run is put off by itself. If it stays so, choose a longer interval.";
    SlowedDown = "SLOWED_DOWN", Blocked,
        "the site asks for fewer requests, and the source makes fewer for now",
        "Wait: the next run is put off by itself, and good runs restore the interval.";
    PageGone = "PAGE_GONE", Broken,
        "the page no longer exists",
        "Open the page in a browser, and correct the address of the source if it has moved.";
    ParseError = "PARSE_ERROR", Broken,
        "a selector of the recipe finds nothing on the page",
        "Wait for the Doctor, which looks for a new recipe, or run `autoheal source heal NAME`.";
    SchemaMismatch = "SCHEMA_MISMATCH", Broken,
        "a value on the page is not what the blueprint describes",
        "Wait for the Doctor, which looks for a new recipe, or run `autoheal source heal NAME`. If the page is right, `autoheal source accept NAME` accepts its values.";
    HttpError = "HTTP_ERROR", Failed,
        "the site could not be reached, or answered with an error",
        "Wait for the next run; if it stays so, open the page in a browser.";
    Timeout = "TIMEOUT", Failed,
        "the page took too long to answer",
        "Wait for the next run; if it stays so, open the page in a browser.";
    Promoted = "HEALED", Healed,
        "a new recipe passed its validation and is active",
        "";
    WellAlready = "WELL_ALREADY", NothingToFix,
        "the page gives everything that the recipe describes",
        "";
    InReview = "IN_REVIEW", NeedsReview,
        "a fix passed its validation and waits for a decision",
        "Run `autoheal source approve NAME` or `autoheal source reject NAME`.";
    NotHealed = "NOT_HEALED", CouldNotFix,
        "no recipe was found that could be verified",
        "Read the report: it says why. If the page is right, `autoheal source accept NAME` accepts its values.";
    Quarantined = "QUARANTINED", CouldNotFix,
        "the source has failed too often, and no further attempt is made for now",
        "Correct the recipe or the address, or accept the values with `autoheal source accept NAME`; then run `autoheal source release NAME`.";
    Dead = "DEAD", Broken,
        "the host of the source no longer exists",
        "Correct the address of the source, or remove the source.";
    Added = "ADDED", Added,
        "the source was added, and its first values are stored",
        "";
    NotAdded = "NOT_ADDED", NotAdded,
        "no recipe could be made for the page",
        "Read the reason in the report, and correct the address, the examples or the recipe.";
    // Any run.
    Failed = "FAILED", Failed,
        "a step of the run failed",
        "Read the error, then retry the task.";
    DeadLetter = "DEAD_LETTER", Failed,
        "the task failed until its retries were used up",
        "Correct the cause that the task's error names, then retry the task.";
    Cancelled = "CANCELLED", Cancelled,
        "a user cancelled the run; what was accepted until then is kept",
        "";
}

impl StopReason {
    /// Returns the reason with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|reason| reason.name() == name)
    }

    /// Returns the outcome of a run that ended for this reason after `fixes` accepted fixes.
    pub const fn outcome(self, fixes: u32) -> Outcome {
        match (self.base(), fixes) {
            (Outcome::CouldNotFix, 1..) => Outcome::PartlyFixed,
            (outcome, _) => outcome,
        }
    }

    /// Returns the explanation and the next action as sentences.
    pub fn sentences(self) -> String {
        let explanation = self.explanation();
        let (first, rest) = explanation.split_at(1);
        format!("{}{rest}. {}", first.to_uppercase(), self.next()).trim_end().to_owned()
    }

    /// Returns whether the target is well after a run that ended for this reason.
    pub const fn is_success(self) -> bool {
        self.base().is_well()
    }

    /// Returns the kind of alert that reports the reason to the user; `None`: no alert, or one that the workflow raises itself.
    pub const fn alert(self) -> Option<AlertKind> {
        match self {
            Self::Attempts => Some(AlertKind::RetryLimit),
            Self::Budget => Some(AlertKind::Budget),
            _ => None,
        }
    }

    /// Returns the code of the specification for a stop that is reported as an error and has no more exact code. Failures that are left
    /// are not an error, and neither is a cancelled run.
    pub const fn error_code(self) -> Option<ErrorCode> {
        match self {
            Self::Attempts => Some(ErrorCode::RetryLimitReached),
            Self::NoCiRun | Self::CiTimeout => Some(ErrorCode::CiTimeout),
            Self::Infra => Some(ErrorCode::TestExecutionFailed),
            _ => None,
        }
    }
}

impl std::fmt::Display for StopReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_json_form_and_can_be_read_back() {
        for &outcome in Outcome::ALL {
            assert_eq!(serde_json::to_value(outcome).ok(), Some(outcome.name().into()));
            assert_eq!(Outcome::from_name(outcome.name()), Some(outcome));
        }
        for &reason in StopReason::ALL {
            assert_eq!(serde_json::to_value(reason).ok(), Some(reason.name().into()));
            assert_eq!(StopReason::from_name(reason.name()), Some(reason));
        }
    }

    #[test]
    fn every_reason_says_why_and_what_next_unless_all_is_well() {
        for &reason in StopReason::ALL {
            let explanation = reason.explanation();
            assert!(
                explanation.starts_with(char::is_lowercase) && !explanation.ends_with('.'),
                "{reason}: {explanation}"
            );
            let needs_nothing = reason.is_success() && reason != StopReason::Green || reason == StopReason::Cancelled;
            assert_eq!(reason.next().is_empty(), needs_nothing, "{reason}");
            assert!(needs_nothing || reason.next().ends_with('.'), "{reason}: {}", reason.next());
        }
        assert!(Outcome::ALL.iter().all(|outcome| outcome.meaning().ends_with('.')));
    }

    #[test]
    fn what_could_not_be_fixed_is_partly_fixed_after_a_fix() {
        assert_eq!(StopReason::NoProgress.outcome(0), Outcome::CouldNotFix);
        assert_eq!(StopReason::NoProgress.outcome(2), Outcome::PartlyFixed);
        assert_eq!(StopReason::Infra.outcome(2), Outcome::Failed);
        assert_eq!(StopReason::Green.outcome(2), Outcome::Fixed);
    }
}
