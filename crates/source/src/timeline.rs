//! The timeline of a source: failures, fixes, alerts and decisions in one list, the newest first.

use autoheal_engine::alert::AlertKind;
use autoheal_engine::{RunId, StopReason, Timestamp, counted};
use autoheal_store::{AlertFilter, AlertRow, DecisionRow, FixAttempt, RunEnd, Store, StoreError};
use serde::Serialize;

use crate::failure::ErrorType;

/// Kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum EventKind {
    /// One or several runs in a row that ended for the same reason without the values.
    Failed,
    /// The first good run after failures.
    Recovered,
    /// A fix passed its validation and became active.
    FixPromoted,
    /// A fix passed its validation and waits for a review.
    FixProposed,
    /// A fix did not pass its validation.
    FixRefused,
    /// No fix was found.
    NoFix,
    /// The source makes fewer requests, as its site asks for.
    SlowedDown,
    /// The breaker opened: no attempts for a while.
    Quarantined,
    /// The host's name is gone.
    Dead,
    /// A fix failed its first runs, and the version before it is active again.
    RolledBack,
    /// An optional field is no longer on the page.
    FieldGone,
    /// The site has given no page for a day.
    Blocked,
    /// A user decided.
    Decided,
}

impl EventKind {
    /// All kinds.
    pub const ALL: [Self; 13] = [
        Self::Failed,
        Self::Recovered,
        Self::FixPromoted,
        Self::FixProposed,
        Self::FixRefused,
        Self::NoFix,
        Self::SlowedDown,
        Self::Quarantined,
        Self::Dead,
        Self::RolledBack,
        Self::FieldGone,
        Self::Blocked,
        Self::Decided,
    ];

    /// Returns the name in JSON, such as `FIX_PROMOTED`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Failed => "FAILED",
            Self::Recovered => "RECOVERED",
            Self::FixPromoted => "FIX_PROMOTED",
            Self::FixProposed => "FIX_PROPOSED",
            Self::FixRefused => "FIX_REFUSED",
            Self::NoFix => "NO_FIX",
            Self::SlowedDown => "SLOWED_DOWN",
            Self::Quarantined => "QUARANTINED",
            Self::Dead => "DEAD",
            Self::RolledBack => "ROLLED_BACK",
            Self::FieldGone => "FIELD_GONE",
            Self::Blocked => "BLOCKED",
            Self::Decided => "DECIDED",
        }
    }
}

/// An event of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Time of the event; of several failed runs, of the last one.
    pub at: Timestamp,
    /// Time of the first of several failed runs.
    pub since: Option<Timestamp>,
    /// Number of failed runs that the event represents; otherwise 1.
    pub count: u32,
    /// Kind of the event.
    pub kind: EventKind,
    /// Reason as a code: that of a run's end, of a fix, of the breaker, or the name of a decision.
    pub code: Option<String>,
    /// Description of the event.
    pub message: String,
    /// The run that it is about, as long as it is stored.
    pub run: Option<RunId>,
}

/// Number of runs in which failures are looked for: a run that failed longer ago has no event.
const RUNS: u32 = 2000;

/// Returns the newest `limit` events of a source, the newest first.
///
/// # Errors
///
/// Any error that the database reports.
pub async fn timeline(store: &Store, source: &str, limit: u32) -> Result<Vec<Event>, StoreError> {
    let mut events = of_runs(&store.run_ends(source, RUNS).await?);
    events.extend(store.fix_attempts(source, limit).await?.into_iter().map(of_fix));
    events.extend(store.alerts(&AlertFilter::about(source, limit)).await?.into_iter().filter_map(of_alert));
    events.extend(store.decisions(source, limit).await?.iter().map(of_decision));
    // Of events at the same time, the later kind is the consequence of the earlier one.
    events.sort_by_key(|event| std::cmp::Reverse((event.at, event.kind)));
    events.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(events)
}

/// Failures in a row that ended for the same reason are one event. `ends` are the newest first.
fn of_runs(ends: &[RunEnd]) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    let mut was_good = true;
    for end in ends.iter().rev() {
        let Some(reason) = end.stop_reason.filter(|reason| *reason != StopReason::Cancelled) else { continue };
        let event = |kind, message: &str| Event {
            at: end.at,
            since: None,
            count: 1,
            kind,
            code: Some(reason.to_string()),
            message: message.to_owned(),
            run: Some(end.run),
        };
        let is_good = reason.is_success();
        let last = events.last_mut().filter(|last| !was_good && last.code.as_deref() == Some(reason.name()));
        match last {
            Some(last) if !is_good => {
                last.since.get_or_insert(last.at);
                (last.at, last.count, last.run) = (end.at, last.count + 1, Some(end.run));
            }
            _ if !is_good => events.push(event(EventKind::Failed, reason.explanation())),
            _ if !was_good => events.push(event(EventKind::Recovered, "the run was good again")),
            _ => {}
        }
        was_good = is_good;
    }
    events
}

fn of_fix(fix: FixAttempt) -> Event {
    let (kind, message) = match (fix.deployed_to.as_str(), fix.passed) {
        ("PRODUCTION", _) if fix.error_type == ErrorType::RateLimit.name() => {
            (EventKind::SlowedDown, "the source makes fewer requests")
        }
        ("PRODUCTION", _) => (EventKind::FixPromoted, "a fix passed its validation and became active"),
        ("STAGING", true) => (EventKind::FixProposed, "a fix passed its validation and waited for a review"),
        ("STAGING", false) => (EventKind::FixRefused, "a fix did not pass its validation"),
        _ => (EventKind::NoFix, "no fix was found"),
    };
    let error = fix.error.filter(|_| !fix.passed).map(|error| format!(": {error}")).unwrap_or_default();
    let message = format!("{message}{error}");
    Event { at: fix.at, since: None, count: 1, kind, code: Some(fix.error_type), message, run: fix.run }
}

/// The event of an alert; `None` for one that repeats another event, or that is about a task.
fn of_alert(alert: AlertRow) -> Option<Event> {
    let alert_kind = AlertKind::from_name(&alert.kind)?;
    let kind = match alert_kind {
        AlertKind::Quarantine => EventKind::Quarantined,
        AlertKind::Dead => EventKind::Dead,
        AlertKind::Rollback => EventKind::RolledBack,
        AlertKind::FieldGone => EventKind::FieldGone,
        AlertKind::Blocked => EventKind::Blocked,
        AlertKind::Review
        | AlertKind::Outage
        | AlertKind::RetryLimit
        | AlertKind::Budget
        | AlertKind::DeadLetter
        | AlertKind::RunFailed
        | AlertKind::Waiting
        | AlertKind::NoRoom => return None,
    };
    let code = alert_kind.breaker_reason().map(|reason| reason.name().to_owned());
    Some(Event { at: alert.created_at, since: None, count: 1, kind, code, message: alert.message, run: None })
}

fn of_decision(made: &DecisionRow) -> Event {
    let version = made.version.map(|version| format!(" recipe {version}")).unwrap_or_default();
    let note = made.note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
    let message =
        format!("{}{version} by {}{note}", made.decision.name().to_lowercase().replace('_', " "), made.asked_by);
    let code = Some(made.decision.name().to_owned());
    Event { at: made.at, since: None, count: 1, kind: EventKind::Decided, code, message, run: None }
}

impl Event {
    /// Returns the code of the event with the number of its runs, such as `PARSE_ERROR, 3 runs`.
    pub fn detail(&self) -> String {
        let runs = (self.count > 1).then(|| counted(self.count, "run"));
        self.code.iter().cloned().chain(runs).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(reasons: &[StopReason]) -> Vec<RunEnd> {
        let end = |(at, reason): (i64, &StopReason)| RunEnd {
            run: RunId(uuid::Uuid::from_u128(u128::from(at.unsigned_abs()))),
            at: Timestamp::from_millis(at),
            stop_reason: Some(*reason),
        };
        let mut ends: Vec<_> = (0..).zip(reasons).map(end).collect();
        ends.reverse();
        ends
    }

    #[test]
    fn failures_in_a_row_are_one_event_and_the_first_good_run_ends_them() {
        use StopReason::{Cancelled, Good, NewValues, ParseError, Timeout};
        let reasons = [Good, ParseError, Cancelled, ParseError, Timeout, NewValues, Good, ParseError];
        let events = of_runs(&ends(&reasons));
        let told: Vec<_> =
            events.iter().map(|event| (event.kind, event.code.as_deref(), event.count, event.at.as_millis())).collect();
        assert_eq!(
            told,
            [
                (EventKind::Failed, Some("PARSE_ERROR"), 2, 3),
                (EventKind::Failed, Some("TIMEOUT"), 1, 4),
                (EventKind::Recovered, Some("NEW_VALUES"), 1, 5),
                (EventKind::Failed, Some("PARSE_ERROR"), 1, 7),
            ]
        );
        assert_eq!(events[0].since, Some(Timestamp::from_millis(1)));
        assert_eq!(of_runs(&ends(&[Good, Good])), []);
    }

    #[test]
    fn every_kind_has_the_name_of_its_json_form() {
        for kind in EventKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
    }
}
