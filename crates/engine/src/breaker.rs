//! The three-strike rule (spec `doctor-agent.md`, "Circuit Breaker Logic"; design section 5).
//!
//! Every attempt counts, successful or not: a "fix" that is needed four times a day fixes nothing. A success does not
//! reset the count; only the passing of time or a release by a user does.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// The rule and its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Breaker {
    /// Number of attempts within `window` that opens the breaker.
    pub max_attempts: u32,
    /// Length of the window in which attempts count, back from now.
    pub window: Duration,
    /// Duration of a quarantine.
    pub quarantine: Duration,
}

impl Default for Breaker {
    /// The spec's numbers: 3 attempts in 24 hours, then 24 hours of quarantine.
    fn default() -> Self {
        let day = Duration::from_hours(24);
        Self { max_attempts: 3, window: day, quarantine: day }
    }
}

/// Reason an attempt is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Reason {
    /// The maximum number of attempts within the window has been made.
    MaxAttemptsReached,
    /// The host's name has been unknown for a day.
    DomainDead,
}

impl Reason {
    /// All reasons.
    pub const ALL: [Self; 2] = [Self::MaxAttemptsReached, Self::DomainDead];

    /// Returns the spec's code, such as `MAX_ATTEMPTS_REACHED`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MaxAttemptsReached => "MAX_ATTEMPTS_REACHED",
            Self::DomainDead => "DOMAIN_DEAD",
        }
    }
}

/// Consequence of a refused attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Action {
    /// No automatic attempts until the quarantine expires or a user releases the target.
    Quarantine,
    /// No automatic attempts at all.
    MarkDead,
}

/// Verdict of the breaker on the next attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// An attempt may be made.
    Allow {
        /// Number of attempts still allowed, the coming one included; at least 1.
        attempts_remaining: u32,
    },
    /// No attempt may be made; the user is alerted.
    Refuse {
        /// Reason for the refusal.
        reason: Reason,
        /// Consequence for the target.
        action: Action,
        /// Time from which automatic attempts are allowed again; `None`: not before a user releases the target.
        until: Option<Timestamp>,
    },
}

impl Verdict {
    /// Returns whether an attempt may be made: the spec's `can_attempt`.
    pub const fn can_attempt(&self) -> bool {
        matches!(self, Self::Allow { .. })
    }

    /// Returns whether the user is alerted: the spec's `alert_human`, true for every refusal.
    pub const fn alert_human(&self) -> bool {
        !self.can_attempt()
    }
}

impl Breaker {
    /// Decides whether an attempt may be made now. `attempts`: times of earlier attempts since the last release, in any order.
    ///
    /// Once any `window` held `max_attempts` attempts, the quarantine lasts for `quarantine` from the last of them.
    pub fn check(&self, attempts: &[Timestamp], now: Timestamp) -> Verdict {
        let mut past: Vec<Timestamp> = attempts.iter().copied().filter(|at| *at <= now).collect();
        past.sort_unstable();
        if let Some(opened) = self.last_opening(&past) {
            let until = opened.plus(self.quarantine);
            if now < until {
                return Verdict::Refuse {
                    reason: Reason::MaxAttemptsReached,
                    action: Action::Quarantine,
                    until: Some(until),
                };
            }
        }
        // Attempts before an expired quarantine were paid for by it: with equal window and quarantine none is left here.
        Verdict::Allow { attempts_remaining: self.max_attempts.saturating_sub(self.recent(&past, now)).max(1) }
    }

    /// Returns the number of attempts within the window before now.
    pub fn recent(&self, attempts: &[Timestamp], now: Timestamp) -> u32 {
        let window_start = now.minus(self.window);
        let recent = attempts.iter().filter(|at| **at > window_start && **at <= now).count();
        u32::try_from(recent).unwrap_or(u32::MAX)
    }

    /// The latest attempt that was the `max_attempts`-th within one window.
    fn last_opening(&self, sorted: &[Timestamp]) -> Option<Timestamp> {
        let strikes = usize::try_from(self.max_attempts.max(1)).unwrap_or(usize::MAX);
        sorted
            .windows(strikes)
            .rev()
            .find(|strike| match (strike.first(), strike.last()) {
                (Some(first), Some(last)) => last.since(*first) < self.window,
                _ => false,
            })
            .and_then(|strike| strike.last().copied())
    }
}

/// Result of one check of whether a host's name resolves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameCheck {
    /// Time of the check.
    pub at: Timestamp,
    /// True if the target's name resolved.
    pub target_known: bool,
    /// True if the control host resolved at the same time: if it did not, the local network is down and the
    /// check proves nothing.
    pub control_known: bool,
}

/// DEAD needs three checks spread over 24 hours, all with the name unknown while the control host resolved, and none since
/// the first of them with the name known. `checks` in any order.
pub fn is_domain_dead(checks: &[NameCheck], now: Timestamp) -> bool {
    const NEEDED: usize = 3;
    let mut valid: Vec<NameCheck> =
        checks.iter().copied().filter(|check| check.at <= now && (check.control_known || check.target_known)).collect();
    valid.sort_unstable_by_key(|check| check.at);
    let unknown_since_last_known: Vec<NameCheck> =
        valid.into_iter().rev().take_while(|check| !check.target_known).collect();
    match (unknown_since_last_known.last(), unknown_since_last_known.first()) {
        (Some(first), Some(last)) => {
            unknown_since_last_known.len() >= NEEDED && last.at.since(first.at) >= Breaker::default().window
        }
        _ => false,
    }
}
