//! Sources: their health, the stages of a recipe, and the records that the steps of a source's runs store (spec
//! `doctor-agent.md`).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Timestamp;
use crate::breaker::{Action, NameCheck, Reason, Verdict};
use crate::diagnostics::DiagnosticsEntry;
use crate::task::NewTask;

pub use crate::page_fault::{PageFault, PageFaultKey};

/// Health of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum HealthState {
    /// The last run succeeded.
    Active,
    /// The last run failed; the next successful one makes it active again.
    Degraded,
    /// No automatic attempts at a fix until the quarantine expires or a user releases the source.
    Quarantined,
    /// The host's name does not exist: no automatic runs at all.
    Dead,
}

impl HealthState {
    /// All states.
    pub const ALL: [Self; 4] = [Self::Active, Self::Degraded, Self::Quarantined, Self::Dead];

    /// Returns the name that the column stores.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Active => "ACTIVE",
            Self::Degraded => "DEGRADED",
            Self::Quarantined => "QUARANTINED",
            Self::Dead => "DEAD",
        }
    }

    /// The state that a column names.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }

    /// Returns the reason for which the breaker refuses attempts in this state; `None`: it does not.
    pub const fn breaker_reason(self) -> Option<Reason> {
        match self {
            Self::Active | Self::Degraded => None,
            Self::Quarantined => Some(Reason::MaxAttemptsReached),
            Self::Dead => Some(Reason::DomainDead),
        }
    }
}

/// The row of `source_health`: pure bookkeeping, with the time as a parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Health {
    /// State of the source.
    pub state: HealthState,
    /// Time of the last successful run.
    pub last_success_at: Option<Timestamp>,
    /// Time of the last failed run.
    pub last_failure_at: Option<Timestamp>,
    /// Total number of successful runs.
    pub success_count: u64,
    /// Total number of failed runs.
    pub failure_count: u64,
    /// Number of attempts at a fix within the breaker's window, as of the last count.
    pub fix_attempts_today: u32,
    /// End of the quarantine; `None` outside of one, or when only a release ends it.
    pub quarantine_until: Option<Timestamp>,
    /// Time of the last release by a user: attempts before it do not count.
    pub released_at: Option<Timestamp>,
    /// Set when the last run failed because no host was reached.
    #[serde(default)]
    pub unreached: bool,
}

impl Health {
    /// A source that has never run.
    pub const fn new() -> Self {
        Self {
            state: HealthState::Active,
            last_success_at: None,
            last_failure_at: None,
            success_count: 0,
            failure_count: 0,
            fix_attempts_today: 0,
            quarantine_until: None,
            released_at: None,
            unreached: false,
        }
    }

    /// Records a successful run. It does not end a quarantine: only time or a release by a user does.
    pub fn good_run(&mut self, now: Timestamp) {
        self.success_count += 1;
        self.unreached = false;
        self.last_success_at = Some(now);
        if !self.is_quarantined(now) {
            self.state = HealthState::Active;
            self.quarantine_until = None;
        }
    }

    /// Records a failed run.
    pub fn failed_run(&mut self, now: Timestamp) {
        self.failure_count += 1;
        self.last_failure_at = Some(now);
        let stays = self.is_quarantined(now) || self.state == HealthState::Dead;
        if !stays {
            self.state = HealthState::Degraded;
            self.quarantine_until = None;
        }
    }

    /// Applies the breaker's verdict after `attempts` within its window.
    pub fn judged(&mut self, attempts: u32, verdict: Verdict) {
        self.fix_attempts_today = attempts;
        if let Verdict::Refuse { action, until, .. } = verdict {
            self.quarantine_until = until;
            self.state = match action {
                Action::Quarantine => HealthState::Quarantined,
                Action::MarkDead => HealthState::Dead,
            };
        }
    }

    /// Records that a user allows attempts again. The next run shows whether the source is healthy.
    pub fn release(&mut self, now: Timestamp) {
        self.state = HealthState::Degraded;
        self.quarantine_until = None;
        self.fix_attempts_today = 0;
        self.released_at = Some(now);
    }

    /// Records that a user accepts the values of the last run: the source is as after a successful one.
    pub fn accepted(&mut self, now: Timestamp) {
        self.release(now);
        self.state = HealthState::Active;
    }

    /// Returns whether a quarantine is active at `now`.
    pub fn is_quarantined(&self, now: Timestamp) -> bool {
        self.state == HealthState::Quarantined && self.quarantine_until.is_none_or(|until| now < until)
    }
}

impl Default for Health {
    fn default() -> Self {
        Self::new()
    }
}

/// Stage of a version of a recipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Stage {
    /// Proposed: being validated, or waiting for a review.
    Staging,
    /// Active; one per source.
    Production,
    /// Formerly active, replaced by another version.
    Archived,
    /// Was tried in staging and did not pass.
    Failed,
    /// Rejected by a reviewer or rolled back, and not to be proposed again.
    Rejected,
}

impl Stage {
    /// All stages.
    pub const ALL: [Self; 5] = [Self::Staging, Self::Production, Self::Archived, Self::Failed, Self::Rejected];

    /// Returns the name that the column stores.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Staging => "STAGING",
            Self::Production => "PRODUCTION",
            Self::Archived => "ARCHIVED",
            Self::Failed => "FAILED",
            Self::Rejected => "REJECTED",
        }
    }

    /// The stage that a column names.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| stage.name() == name)
    }
}

/// Role of a stored page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SnapshotRole {
    /// The page when the source was added.
    Original,
    /// The page at the last successful run.
    Good,
    /// The page at a failed run.
    Failing,
}

impl SnapshotRole {
    /// All roles.
    pub const ALL: [Self; 3] = [Self::Original, Self::Good, Self::Failing];

    /// Returns the name that the column stores.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Original => "ORIGINAL",
            Self::Good => "GOOD",
            Self::Failing => "FAILING",
        }
    }

    /// The role that a column names.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }

    /// Maximum number of stored pages of this role for one address; the newest are kept. Several are kept because pages
    /// change and agreement between several of them is evidence.
    pub const fn kept(self) -> u32 {
        match self {
            Self::Original => 1,
            Self::Good | Self::Failing => 3,
        }
    }
}

/// A stored copy of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Role of the page.
    pub role: SnapshotRole,
    /// URL that was requested.
    pub url: String,
    /// Time at which the page was stored.
    pub taken_at: Timestamp,
    /// The body as it came.
    pub content: Vec<u8>,
    /// The values that were accepted from it, by field; `None` for a failing page.
    pub values: Option<Value>,
}

/// Decision of a user about a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Decision {
    /// Attempts at a fix are allowed again.
    Released,
    /// An earlier version is active again.
    RolledBack,
    /// The fix that waited for a review is active.
    Approved,
    /// The fix that waited for a review is rejected.
    Rejected,
    /// A rejection is undone: the fix waits for a review again.
    Reconsidered,
    /// The values of a failed run are right: later runs are compared with them, too.
    Accepted,
    /// A version that a user supplied is active.
    Replaced,
    /// A setting was changed.
    Changed,
    /// The source was deleted.
    Removed,
}

impl Decision {
    /// All decisions.
    pub const ALL: [Self; 9] = [
        Self::Released,
        Self::RolledBack,
        Self::Approved,
        Self::Rejected,
        Self::Reconsidered,
        Self::Accepted,
        Self::Replaced,
        Self::Changed,
        Self::Removed,
    ];

    /// Returns the name that the column stores.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Released => "RELEASED",
            Self::RolledBack => "ROLLED_BACK",
            Self::Approved => "APPROVED",
            Self::Rejected => "REJECTED",
            Self::Reconsidered => "RECONSIDERED",
            Self::Accepted => "ACCEPTED",
            Self::Replaced => "REPLACED",
            Self::Changed => "CHANGED",
            Self::Removed => "REMOVED",
        }
    }

    /// The decision that a column names.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|decision| decision.name() == name)
    }
}

/// A change to the store, made by a step of a source's run or by a user. Each one is applied completely or not at all.
#[derive(Debug, Clone, PartialEq)]
pub enum SourceRecord {
    /// The source's definition (address, blueprint, policy), as JSON; replaces what was there.
    Definition {
        /// Name of the source.
        source: String,
        /// The new definition, as a JSON document.
        definition: Value,
    },
    /// A definition edited by a user. Refused when the stored definition has changed since the user read it.
    Redefined {
        /// Name of the source.
        source: String,
        /// The definition that the user saw.
        was: Value,
        /// The new definition, as a JSON document.
        definition: Value,
    },
    /// The definition that a run updated, with a page at its new address. Ignored when the definition was changed since.
    Moved {
        /// Name of the source.
        source: String,
        /// The definition that the run began with.
        was: Value,
        /// The new definition, as a JSON document.
        definition: Value,
    },
    /// A user allows attempts at a fix again. Changes what [`Health::release`] and [`Health::accepted`] change: a run may update the counts
    /// meanwhile.
    Released {
        /// Name of the source.
        source: String,
        /// The source's health after the release.
        health: Health,
    },
    /// New health of the source.
    Health {
        /// Name of the source.
        source: String,
        /// The row to store.
        health: Health,
    },
    /// A page to store. Older ones of the same role and address beyond [`SnapshotRole::kept`] are deleted.
    Snapshot {
        /// Name of the source.
        source: String,
        /// The page to store.
        snapshot: Snapshot,
    },
    /// Stored pages of this role beyond the newest are deleted, whatever their addresses.
    Pruned {
        /// Name of the source.
        source: String,
        /// Role of the pages.
        role: SnapshotRole,
        /// Number of pages that are kept.
        kept: u32,
    },
    /// An accepted set of values.
    Values {
        /// Name of the source.
        source: String,
        /// Address of the page that held them.
        url: String,
        /// Version of the recipe that extracted them.
        version: u32,
        /// The values by field, or a list of such records.
        values: Value,
    },
    /// A new version of the recipe, in staging.
    Staged {
        /// Name of the source.
        source: String,
        /// Number of the version, one more than the highest so far.
        version: u32,
        /// The recipe, as a JSON document.
        recipe: Value,
        /// The source's definition that belongs to it.
        definition: Value,
        /// User or component that requested it.
        asked_by: String,
    },
    /// A staged version waits for a review.
    Waiting {
        /// Name of the source.
        source: String,
        /// Number of the version.
        version: u32,
    },
    /// A staged version did not pass.
    Failed {
        /// Name of the source.
        source: String,
        /// Number of the version.
        version: u32,
    },
    /// A version becomes active; the version that `replaces` names is archived. Refused when a different version is active.
    Promoted {
        /// Name of the source.
        source: String,
        /// The version that becomes active, from staging or the archive.
        version: u32,
        /// The source's definition with it.
        definition: Value,
        /// The version active until now; `None` for the first.
        replaces: Option<u32>,
        /// User or component that requested it.
        asked_by: String,
    },
    /// A version that is not active must not be proposed again.
    Rejected {
        /// Name of the source.
        source: String,
        /// Number of the version.
        version: u32,
    },
    /// A rejected version waits for a review again. Refused while another version waits.
    Reconsidered {
        /// Name of the source.
        source: String,
        /// Number of the version.
        version: u32,
    },
    /// Result of a real run with the active version.
    Watched {
        /// Name of the source.
        source: String,
        /// Number of the version.
        version: u32,
        /// True if the run succeeded.
        good: bool,
    },
    /// A notification to be posted to a web address that the source's definition names.
    Notice {
        /// Name of the source.
        source: String,
        /// URL to post to.
        address: String,
        /// Body of the request.
        body: Value,
    },
    /// The current state of diagnostics of the source; replaces the rows for the same keys.
    Diagnostics {
        /// Name of the source.
        source: String,
        /// Entries that are new or have changed.
        entries: Vec<DiagnosticsEntry<PageFault>>,
    },
    /// Result of resolving the host's name.
    NameCheck {
        /// Name of the source.
        source: String,
        /// Result of the check.
        check: NameCheck,
    },
    /// A decision of a user, recorded in addition to the change that it causes.
    Decided {
        /// Name of the source.
        source: String,
        /// Decision that the user made.
        decision: Decision,
        /// The version of the recipe that it concerns, if any.
        version: Option<u32>,
        /// User who made the decision.
        asked_by: String,
        /// Reason that the user gave.
        note: Option<String>,
    },
    /// A task for later; when a task for the same work is open, that one is kept.
    Task(NewTask),
    /// The source and all its data are deleted.
    Removed {
        /// Name of the source.
        source: String,
    },
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::breaker::Breaker;

    const HOUR: i64 = 3_600_000;

    proptest! {
        /// A quarantine only ends by time or by a release, and a source becomes active only after a successful run.
        #[test]
        fn health_follows_what_happened(events in prop::collection::vec((0_u8..4, 0_i64..30), 0..60)) {
            let breaker = Breaker::default();
            let (mut health, mut attempts, mut at) = (Health::new(), Vec::new(), 0_i64);
            for (event, hours) in events {
                at += hours * HOUR;
                let now = Timestamp::from_millis(at);
                let before = health.clone();
                match event {
                    0 => health.good_run(now),
                    1 => health.failed_run(now),
                    2 => {
                        attempts.push(now);
                        let counted: Vec<Timestamp> =
                            attempts.iter().copied().filter(|at| health.released_at.is_none_or(|released| *at > released)).collect();
                        health.judged(u32::try_from(counted.len()).unwrap(), breaker.check(&counted, now));
                    }
                    _ => health.release(now),
                }
                if before.is_quarantined(now) && event != 3 {
                    prop_assert!(health.is_quarantined(now));
                }
                if health.state == HealthState::Active {
                    prop_assert!(health.last_failure_at.is_none_or(|failed| health.last_success_at.is_some_and(|good| good >= failed)));
                }
                prop_assert_eq!(HealthState::from_name(health.state.name()), Some(health.state));
            }
        }
    }

    #[test]
    fn every_name_in_a_column_is_read_back() {
        for state in [HealthState::Active, HealthState::Degraded, HealthState::Quarantined, HealthState::Dead] {
            assert_eq!(HealthState::from_name(state.name()), Some(state));
        }
        for stage in [Stage::Staging, Stage::Production, Stage::Archived, Stage::Failed, Stage::Rejected] {
            assert_eq!(Stage::from_name(stage.name()), Some(stage));
        }
        for role in [SnapshotRole::Original, SnapshotRole::Good, SnapshotRole::Failing] {
            assert_eq!(SnapshotRole::from_name(role.name()), Some(role));
            assert!(role.kept() > 0);
        }
        for decision in Decision::ALL {
            assert_eq!(Decision::from_name(decision.name()), Some(decision));
        }
        assert_eq!((HealthState::from_name("WELL"), Stage::from_name("")), (None, None));
        assert_eq!(SnapshotRole::from_name("X"), None);
    }

    #[test]
    fn a_dead_source_stays_dead_until_a_person_says_otherwise() {
        let (now, mut health) = (Timestamp::from_millis(1), Health::default());
        let reason = crate::breaker::Reason::DomainDead;
        health.judged(0, Verdict::Refuse { reason, action: Action::MarkDead, until: None });
        health.failed_run(now);
        assert_eq!(health.state, HealthState::Dead);
        health.release(now);
        assert_eq!((health.state, health.released_at), (HealthState::Degraded, Some(now)));
    }
}
