//! Success rates of fixes: the spec's success metrics (`doctor-agent.md`, "Success Metrics").

use autoheal_engine::source::{HealthState, Stage};
use autoheal_store::{Store, StoreError};
use serde::Serialize;

use crate::failure::ErrorType;
use crate::refresh::DOCTOR;

/// The numbers behind the spec's four rates.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Statistics {
    /// Total number of sources.
    pub sources: u64,
    /// Number of attempts at a fix.
    pub attempts: u64,
    /// Number of attempts whose validation passed.
    pub passed: u64,
    /// Number of fixes that became active.
    pub promoted: u64,
    /// Number of fixes rolled back because their first real runs failed: false positives.
    pub taken_back: u64,
    /// Number of sources in quarantine.
    pub quarantined: u64,
    /// Average time from the failed run to the active fix, in milliseconds; `None`: no fix became active.
    pub average_recovery_millis: Option<u64>,
}

impl Statistics {
    /// Computes the statistics from the store.
    ///
    /// # Errors
    ///
    /// Returns the error of the database.
    pub async fn of(store: &Store) -> Result<Self, StoreError> {
        let counts = store.source_counts().await?;
        let versions = store.activated_versions(DOCTOR).await?;
        let mut statistics = Self {
            sources: counts.values().sum(),
            quarantined: counts.get(&HealthState::Quarantined).copied().unwrap_or(0),
            promoted: versions.iter().map(|(_, count)| count).sum(),
            taken_back: versions.iter().filter(|(stage, _)| *stage == Stage::Rejected).map(|(_, count)| count).sum(),
            ..Self::default()
        };
        let (mut recoveries, mut waited) = (0_u64, 0_u64);
        for fix in store.source_fix_outcomes().await? {
            // Whether a site that wants to be left alone is content shows only later.
            let is_proved = fix.error_type != ErrorType::RateLimit.name();
            if is_proved {
                statistics.attempts += fix.attempts;
                statistics.passed += if fix.passed { fix.attempts } else { 0 };
            }
            if is_proved && fix.deployed_to == "PRODUCTION" {
                recoveries += fix.dated;
                waited += fix.millis;
            }
        }
        statistics.average_recovery_millis = waited.checked_div(recoveries);
        Ok(statistics)
    }
}
