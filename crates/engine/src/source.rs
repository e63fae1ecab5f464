//! Sources: their health, the stages of a recipe, and what the steps of a source's runs leave in the store (spec
//! `doctor-agent.md`).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Timestamp;
use crate::breaker::{Action, NameCheck, Verdict};
use crate::task::NewTask;

/// How a source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum HealthState {
    /// Its last run was good.
    Active,
    /// Its last run failed; the next good one makes it active again.
    Degraded,
    /// No automatic attempts at a fix until the time is up or a person releases it.
    Quarantined,
    /// Its host's name is gone: no automatic runs at all.
    Dead,
}

impl HealthState {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::Active, Self::Degraded, Self::Quarantined, Self::Dead];

    /// As the column holds it.
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
}

/// The row of `source_health`: pure bookkeeping, with the time as a parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Health {
    /// How the source is.
    pub state: HealthState,
    /// When a run was good last.
    pub last_success_at: Option<Timestamp>,
    /// When a run failed last.
    pub last_failure_at: Option<Timestamp>,
    /// Good runs in all.
    pub success_count: u64,
    /// Failed runs in all.
    pub failure_count: u64,
    /// Attempts at a fix within the breaker's window, when that was counted last.
    pub fix_attempts_today: u32,
    /// Until when no attempt is made.
    pub quarantine_until: Option<Timestamp>,
    /// When a person released it last: attempts before that do not count.
    pub released_at: Option<Timestamp>,
    /// Whether the last run failed because nobody was reached.
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

    /// A run was good. Only time or a person ends a quarantine.
    pub fn good_run(&mut self, now: Timestamp) {
        self.success_count += 1;
        self.unreached = false;
        self.last_success_at = Some(now);
        if !self.is_quarantined(now) {
            self.state = HealthState::Active;
            self.quarantine_until = None;
        }
    }

    /// A run failed.
    pub fn failed_run(&mut self, now: Timestamp) {
        self.failure_count += 1;
        self.last_failure_at = Some(now);
        let stays = self.is_quarantined(now) || self.state == HealthState::Dead;
        if !stays {
            self.state = HealthState::Degraded;
            self.quarantine_until = None;
        }
    }

    /// What the breaker said after `attempts` within its window.
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

    /// A person allows attempts again. Whether the source is well shows in its next run.
    pub fn release(&mut self, now: Timestamp) {
        self.state = HealthState::Degraded;
        self.quarantine_until = None;
        self.fix_attempts_today = 0;
        self.released_at = Some(now);
    }

    /// Whether a quarantine is in force.
    pub fn is_quarantined(&self, now: Timestamp) -> bool {
        self.state == HealthState::Quarantined && self.quarantine_until.is_none_or(|until| now < until)
    }
}

impl Default for Health {
    fn default() -> Self {
        Self::new()
    }
}

/// Where a version of a recipe stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Stage {
    /// Proposed: being validated, or waiting for a person.
    Staging,
    /// In force; one per source.
    Production,
    /// Was in force.
    Archived,
    /// Was tried in staging and did not pass.
    Failed,
    /// Was refused by a person or taken back, and is not to be proposed again.
    Rejected,
}

impl Stage {
    /// Every one.
    pub const ALL: [Self; 5] = [Self::Staging, Self::Production, Self::Archived, Self::Failed, Self::Rejected];

    /// As the column holds it.
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

/// What a stored page is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SnapshotRole {
    /// As it was when the source was added.
    Original,
    /// As it was when a run was good last.
    Good,
    /// As it was when a run failed.
    Failing,
}

impl SnapshotRole {
    /// Every one.
    pub const ALL: [Self; 3] = [Self::Original, Self::Good, Self::Failing];

    /// As the column holds it.
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

    /// So many of one page are kept, the newest: agreement of several pages is evidence, and pages change.
    pub const fn kept(self) -> u32 {
        match self {
            Self::Original => 1,
            Self::Good | Self::Failing => 3,
        }
    }
}

/// A stored page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// What it is for.
    pub role: SnapshotRole,
    /// The address that was asked for.
    pub url: String,
    /// When it was taken.
    pub taken_at: Timestamp,
    /// The body as it came.
    pub content: Vec<u8>,
    /// The values that were accepted from it, by field; `None` for a failing page.
    pub values: Option<Value>,
}

/// Why a person is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum AlertKind {
    /// The breaker opened.
    Quarantine,
    /// The host's name is gone.
    Dead,
    /// A fix waits for approval.
    Review,
    /// A fix that was in force was taken back.
    Rollback,
    /// Most hosts cannot be reached.
    Outage,
    /// The rounds of a run were not enough.
    RetryLimit,
    /// A budget is used up.
    Budget,
    /// A task failed until its retries were used up, or took its workers down.
    DeadLetter,
    /// A run ended without a result of its own: a step failed, and no other try would come to anything else.
    RunFailed,
    /// A task could have been claimed for an hour, and was not.
    Waiting,
    /// Too little disk space is free: nothing is claimed.
    NoRoom,
}

/// What several targets may suffer from together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedCause {
    /// The host they have in common.
    pub host: String,
    /// What is wrong, such as `PARSE_ERROR`.
    pub cause: String,
}

impl AlertKind {
    /// Every one.
    pub const ALL: [Self; 11] = [
        Self::Quarantine,
        Self::Dead,
        Self::Review,
        Self::Rollback,
        Self::Outage,
        Self::RetryLimit,
        Self::Budget,
        Self::DeadLetter,
        Self::RunFailed,
        Self::Waiting,
        Self::NoRoom,
    ];

    /// As the column holds it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Quarantine => "QUARANTINE",
            Self::Dead => "DEAD",
            Self::Review => "REVIEW",
            Self::Rollback => "ROLLBACK",
            Self::Outage => "OUTAGE",
            Self::RetryLimit => "RETRY_LIMIT",
            Self::Budget => "BUDGET",
            Self::DeadLetter => "DEAD_LETTER",
            Self::RunFailed => "RUN_FAILED",
            Self::Waiting => "WAITING",
            Self::NoRoom => "NO_ROOM",
        }
    }

    /// Whether there is one alert a day of this kind for one target: what others say only when something has changed may otherwise
    /// be said as often as somebody asks.
    pub const fn rests(self) -> bool {
        match self {
            Self::RetryLimit | Self::Budget | Self::DeadLetter | Self::RunFailed | Self::Waiting | Self::NoRoom => true,
            Self::Quarantine | Self::Dead | Self::Review | Self::Rollback | Self::Outage => false,
        }
    }
}

/// What a person decided about a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Decision {
    /// Attempts at a fix are allowed again.
    Released,
    /// An earlier version is in force again.
    RolledBack,
    /// The fix that waited is in force.
    Approved,
    /// The fix that waited is refused.
    Rejected,
    /// A version that a person brought is in force.
    Replaced,
    /// A setting is another one.
    Changed,
    /// The source is forgotten.
    Removed,
}

impl Decision {
    /// Every decision.
    pub const ALL: [Self; 7] = [
        Self::Released,
        Self::RolledBack,
        Self::Approved,
        Self::Rejected,
        Self::Replaced,
        Self::Changed,
        Self::Removed,
    ];

    /// As the column holds it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Released => "RELEASED",
            Self::RolledBack => "ROLLED_BACK",
            Self::Approved => "APPROVED",
            Self::Rejected => "REJECTED",
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

/// Something that a step of a source's run, or a person, changes in the store. Each is one change that is made whole or not at
/// all.
#[derive(Debug, Clone, PartialEq)]
pub enum SourceRecord {
    /// The source's definition (address, blueprint, policy), as JSON; replaces what was there.
    Definition {
        /// The source's name.
        source: String,
        /// The document.
        definition: Value,
    },
    /// The definition as a person wants it. Refused when it is not what they saw any more.
    Redefined {
        /// The source's name.
        source: String,
        /// The document that they saw.
        was: Value,
        /// The document.
        definition: Value,
    },
    /// The definition as a run found that it must be, with a page at its new address; nothing when it was changed since the run began.
    Moved {
        /// The source's name.
        source: String,
        /// The document that the run began with.
        was: Value,
        /// The document.
        definition: Value,
    },
    /// A person allows attempts at a fix again: what [`Health::release`] changes and nothing else, for a run may count in the same moment.
    Released {
        /// The source's name.
        source: String,
        /// The row.
        health: Health,
    },
    /// Its health as it is now.
    Health {
        /// The source's name.
        source: String,
        /// The row.
        health: Health,
    },
    /// A page. Older ones of the same role and address beyond [`SnapshotRole::kept`] are forgotten.
    Snapshot {
        /// The source's name.
        source: String,
        /// The page.
        snapshot: Snapshot,
    },
    /// An accepted set of values.
    Values {
        /// The source's name.
        source: String,
        /// Where they were found.
        url: String,
        /// By which version of the recipe.
        version: u32,
        /// The values by field, or a list of such records.
        values: Value,
    },
    /// A new version of the recipe, in staging.
    Staged {
        /// The source's name.
        source: String,
        /// Its number, one more than the highest so far.
        version: u32,
        /// The recipe.
        recipe: Value,
        /// The source's definition that belongs to it.
        definition: Value,
        /// Who or what asked for it.
        asked_by: String,
    },
    /// A staged version waits for a person.
    Waiting {
        /// The source's name.
        source: String,
        /// The version.
        version: u32,
    },
    /// A staged version did not pass.
    Failed {
        /// The source's name.
        source: String,
        /// The version.
        version: u32,
    },
    /// A version goes into force; the one that it names goes to the archive. Refused when another one is in force.
    Promoted {
        /// The source's name.
        source: String,
        /// The version that goes into force, from staging or the archive.
        version: u32,
        /// The source's definition with it.
        definition: Value,
        /// The version in force until now; `None` for the first.
        replaces: Option<u32>,
        /// Who or what asked for it.
        asked_by: String,
    },
    /// A version that is not in force is not to be proposed again.
    Rejected {
        /// The source's name.
        source: String,
        /// The version.
        version: u32,
    },
    /// How a real run with the version in force went.
    Watched {
        /// The source's name.
        source: String,
        /// The version.
        version: u32,
        /// Whether it was good.
        good: bool,
    },
    /// A person is told; where alerts are posted to is a setting of whoever posts.
    Alert {
        /// What it is about: a source's name or its host.
        target: String,
        /// Why.
        kind: AlertKind,
        /// What happened and what to do.
        message: String,
        /// What others may be told of as well: of one kind with one shared cause there is one alert a day.
        shared: Option<SharedCause>,
    },
    /// Something is posted to a web address that a source names.
    Notice {
        /// The source's name.
        source: String,
        /// The address.
        address: String,
        /// What is posted.
        body: Value,
    },
    /// Whether the host's name was known.
    NameCheck {
        /// The source's name.
        source: String,
        /// What was seen.
        check: NameCheck,
    },
    /// A person decided something: stands beside the change that it is.
    Decided {
        /// The source's name.
        source: String,
        /// What.
        decision: Decision,
        /// The version of the recipe that it is about, if it is about one.
        version: Option<u32>,
        /// Who.
        asked_by: String,
    },
    /// Work for later; an open task for the same work stays the one.
    Task(NewTask),
    /// The source and everything of it is forgotten.
    Removed {
        /// The source's name.
        source: String,
    },
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use std::collections::BTreeSet;

    use super::*;
    use crate::breaker::Breaker;

    const HOUR: i64 = 3_600_000;

    proptest! {
        /// Whatever happens, a quarantine ends by time or by a person only, and a source is active only after a good run.
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
        // What is described, filtered and drawn goes by these lists: one that is not in its list is there for nobody.
        assert_eq!(AlertKind::ALL.len(), AlertKind::NoRoom as usize + 1);
        assert_eq!(AlertKind::ALL.map(AlertKind::name).iter().collect::<BTreeSet<_>>().len(), AlertKind::ALL.len());
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
