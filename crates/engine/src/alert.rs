//! Alerts: messages to the user about events that need attention. Each is stored with the change that it reports; the sender's
//! settings decide where alerts are delivered.

use serde::{Deserialize, Serialize};

use crate::breaker::Reason;

/// An alert to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alert {
    /// Subject of the alert, such as a source's name or its host.
    pub target: String,
    /// Reason for the alert.
    pub kind: AlertKind,
    /// Description of the event and of what to do.
    pub message: String,
    /// Cause shared with other targets: one alert a day is delivered for each kind and shared cause.
    pub shared: Option<SharedCause>,
}

/// Cause that several targets may have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedCause {
    /// The host they have in common.
    pub host: String,
    /// Kind of failure, such as `PARSE_ERROR`.
    pub cause: String,
}

/// Reason for an alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum AlertKind {
    /// The breaker opened: no fixes are attempted for a while.
    Quarantine,
    /// The host's name is gone.
    Dead,
    /// A fix waits for approval.
    Review,
    /// An active fix was rolled back.
    Rollback,
    /// An optional field cannot be found on the page any longer.
    FieldGone,
    /// The site has given no page for a day: it refuses, is down, or leads elsewhere.
    Blocked,
    /// Most hosts cannot be reached.
    Outage,
    /// A run needed more than its maximum number of rounds.
    RetryLimit,
    /// A budget is used up.
    Budget,
    /// A task failed until its retries were used up, or took its workers down.
    DeadLetter,
    /// A run ended without a result because a step failed, and another try would fail in the same way.
    RunFailed,
    /// A task could have been claimed for an hour, and was not.
    Waiting,
    /// Too little disk space is free: nothing is claimed.
    NoRoom,
}

impl AlertKind {
    /// All kinds of alerts.
    pub const ALL: [Self; 13] = [
        Self::Quarantine,
        Self::Dead,
        Self::Review,
        Self::Rollback,
        Self::FieldGone,
        Self::Blocked,
        Self::Outage,
        Self::RetryLimit,
        Self::Budget,
        Self::DeadLetter,
        Self::RunFailed,
        Self::Waiting,
        Self::NoRoom,
    ];

    /// Returns the name that the column stores.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Quarantine => "QUARANTINE",
            Self::Dead => "DEAD",
            Self::Review => "REVIEW",
            Self::Rollback => "ROLLBACK",
            Self::FieldGone => "FIELD_GONE",
            Self::Blocked => "BLOCKED",
            Self::Outage => "OUTAGE",
            Self::RetryLimit => "RETRY_LIMIT",
            Self::Budget => "BUDGET",
            Self::DeadLetter => "DEAD_LETTER",
            Self::RunFailed => "RUN_FAILED",
            Self::Waiting => "WAITING",
            Self::NoRoom => "NO_ROOM",
        }
    }

    /// The kind that a column names.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the reason for which the breaker has opened, if an alert of this kind reports that.
    pub const fn breaker_reason(self) -> Option<Reason> {
        match self {
            Self::Quarantine => Some(Reason::MaxAttemptsReached),
            Self::Dead => Some(Reason::DomainDead),
            _ => None,
        }
    }

    /// Returns whether alerts of this kind are limited to one a day for each target. Alerts of these kinds could otherwise be
    /// raised at every check; those of the other kinds are raised only on a change.
    pub const fn is_rate_limited(self) -> bool {
        match self {
            Self::Outage
            | Self::RetryLimit
            | Self::Budget
            | Self::DeadLetter
            | Self::RunFailed
            | Self::Waiting
            | Self::NoRoom => true,
            Self::Quarantine | Self::Dead | Self::Review | Self::Rollback | Self::FieldGone | Self::Blocked => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Clients describe, filter and draw alerts by the list of all kinds.
    #[test]
    fn every_kind_of_alert_is_listed_once_and_has_its_own_name() {
        assert_eq!(AlertKind::ALL.len(), AlertKind::NoRoom as usize + 1);
        assert_eq!(AlertKind::ALL.map(AlertKind::name).iter().collect::<BTreeSet<_>>().len(), AlertKind::ALL.len());
    }
}
