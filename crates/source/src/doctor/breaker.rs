//! Decides whether an attempt may be made: at most three in any 24 hours, and none on a host that is gone.

use autoheal_engine::alert::{Alert, AlertKind, SharedCause};
use autoheal_engine::breaker::{Action, Breaker, Reason, Verdict, is_domain_dead};
use autoheal_engine::source::SourceRecord;
use autoheal_engine::workflow::{Record, StepContext, StepError};
use autoheal_engine::{Timestamp, counted};
use autoheal_store::SourceRow;

use super::state::{DoctorState, End};
use crate::failure::ErrorType;
use crate::loaded::{Loaded, record};
use crate::services::{SourceServices, store_error};

/// Returns the times of the attempts that count: those within two windows (an open breaker considers more than its window),
/// after the last release. A site that asks for fewer requests says nothing about the recipe: such attempts do not count.
pub(super) async fn attempts(
    services: &SourceServices,
    row: &SourceRow,
    now: Timestamp,
) -> Result<Vec<Timestamp>, StepError> {
    let breaker = Breaker::default();
    let since = now.minus(breaker.window + breaker.quarantine);
    let fixes = services.store.fixes_of_target(&row.source, since).await.map_err(|error| store_error(&error))?;
    let released = row.health.released_at;
    let counted = fixes.into_iter().filter(|(_, fix)| fix.error_type != ErrorType::RateLimit.name()).map(|(at, _)| at);
    Ok(counted.filter(|at| released.is_none_or(|released| *at > released)).collect())
}

pub(super) async fn run(
    state: &mut DoctorState,
    loaded: &Loaded,
    services: &SourceServices,
    context: &StepContext,
) -> Result<(), StepError> {
    let now = context.now();
    // A host is not gone if its name was known since then, or if the user has released the source.
    let health = &loaded.row.health;
    let since = now
        .minus(Breaker::default().window * 3)
        .max(health.last_success_at.max(health.released_at).unwrap_or_default());
    let checks = services.store.name_checks(&loaded.row.source, since).await.map_err(|error| store_error(&error))?;
    let made = attempts(services, &loaded.row, now).await?;
    let verdict = if is_domain_dead(&checks, now) {
        Verdict::Refuse { reason: Reason::DomainDead, action: Action::MarkDead, until: None }
    } else {
        Breaker::default().check(&made, now)
    };
    match verdict {
        Verdict::Allow { .. } if loaded.versions.iter().any(|recipe| recipe.waits) => {
            context.note(
                "waiting",
                "a fix waits for a review; decide with `autoheal source approve` or `autoheal source reject`",
            );
            state.end = Some(End::InReview);
        }
        Verdict::Allow { attempts_remaining } => {
            context.note("breaker", format!("{} left", counted(attempts_remaining, "attempt")));
        }
        Verdict::Refuse { .. } => {
            refuse(state, loaded, services, (Breaker::default().recent(&made, now), verdict), context).await?;
        }
    }
    Ok(())
}

/// Refuses an attempt and raises an alert, once until a run is good or the user releases the source: the user knows a breaker that opens
/// again every day.
pub(super) async fn refuse(
    state: &mut DoctorState,
    loaded: &Loaded,
    services: &SourceServices,
    (made, verdict): (u32, Verdict),
    context: &StepContext,
) -> Result<(), StepError> {
    let Verdict::Refuse { action, until, .. } = verdict else { return Ok(()) };
    let mut health = loaded.row.health.clone();
    let well_at = health.last_success_at.max(health.released_at).unwrap_or(loaded.row.created_at);
    health.judged(made, verdict);
    let source = loaded.row.source.clone();
    let until = until.map_or_else(|| "the source is released".to_owned(), Timestamp::to_rfc3339);
    let (kind, end, what) = match action {
        Action::Quarantine => (
            AlertKind::Quarantine,
            End::Quarantined,
            format!("{made} attempts did not heal it; none is made before {until}"),
        ),
        Action::MarkDead => (AlertKind::Dead, End::Dead, "its host's name has been unknown for a day".to_owned()),
    };
    let host = loaded.page.host_str().unwrap_or_default().to_owned();
    let cause = state.failure.as_ref().map(|failure| failure.error_type.name());
    let message = format!(
        "`{source}`: {what}. Last failure: {}. `autoheal source show {source}` tells more, `autoheal source release {source}` allows attempts again. \
         Other sources of {host} that end so for the same reason are not reported again today: `autoheal source list` shows them",
        state.failure.as_ref().map_or("none on record", |failure| failure.message.trim_end_matches('.'))
    );
    context.note("refused", message.clone());
    if !services.has_alerted(&source, kind, well_at).await? {
        let shared = cause.map(|cause| SharedCause { host, cause: cause.to_owned() });
        context.record(Record::Alert(Alert { target: source.clone(), kind, message, shared }));
    }
    record(context, SourceRecord::Health { source, health });
    state.end = Some(end);
    Ok(())
}
