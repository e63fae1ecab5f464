//! May an attempt be made? Three in any 24 hours, and none on a host that is gone.

use autoheal_engine::Timestamp;
use autoheal_engine::breaker::{Action, Breaker, Reason, Verdict, is_domain_dead};
use autoheal_engine::source::{AlertKind, SourceRecord, Stage};
use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_store::SourceRow;

use super::state::{DoctorState, End};
use crate::definition::HealPolicy;
use crate::loaded::{Loaded, record};
use crate::services::{SourceServices, store_error};

/// When the attempts that count were made: those within two windows (an open breaker looks back further than its window), after
/// the last release.
pub(super) async fn attempts(
    services: &SourceServices,
    row: &SourceRow,
    now: Timestamp,
) -> Result<Vec<Timestamp>, StepError> {
    let breaker = Breaker::default();
    let since = now.minus(breaker.window + breaker.quarantine);
    let fixes = services.store.fixes_of_target(&row.source, since).await.map_err(|error| store_error(&error))?;
    let released = row.health.released_at;
    Ok(fixes.into_iter().map(|(at, _)| at).filter(|at| released.is_none_or(|released| *at > released)).collect())
}

pub(super) async fn run(
    state: &mut DoctorState,
    loaded: &Loaded,
    services: &SourceServices,
    context: &StepContext,
) -> Result<(), StepError> {
    let now = context.now();
    if loaded.definition.heal_policy == HealPolicy::Review
        && loaded.versions.iter().any(|recipe| recipe.stage == Stage::Staging)
    {
        context.note("waiting", "a fix waits for a person: `autoheal source approve` or `reject` decides");
        state.end = Some(End::InReview);
        return Ok(());
    }
    let since = now.minus(Breaker::default().window * 3);
    let checks = services.store.name_checks(&loaded.row.source, since).await.map_err(|error| store_error(&error))?;
    let made = attempts(services, &loaded.row, now).await?;
    let verdict = if is_domain_dead(&checks, now) {
        Verdict::Refuse { reason: Reason::DomainDead, action: Action::MarkDead, until: None }
    } else {
        Breaker::default().check(&made, now)
    };
    match verdict {
        Verdict::Allow { attempts_remaining } => {
            context.note("breaker", format!("{attempts_remaining} attempts remain"));
        }
        Verdict::Refuse { .. } => refuse(state, loaded, made.len(), verdict, context),
    }
    Ok(())
}

/// No attempt is made now, and a person is told: once for each time the breaker opens.
pub(super) fn refuse(state: &mut DoctorState, loaded: &Loaded, made: usize, verdict: Verdict, context: &StepContext) {
    let Verdict::Refuse { action, until, .. } = verdict else { return };
    let mut health = loaded.row.health.clone();
    let was = health.state;
    health.judged(u32::try_from(made).unwrap_or(u32::MAX), verdict);
    let source = loaded.row.source.clone();
    let until = until.map_or_else(|| "a person says so".to_owned(), Timestamp::to_rfc3339);
    let (kind, end, what) = match action {
        Action::Quarantine => (
            AlertKind::Quarantine,
            End::Quarantined,
            format!("{made} attempts did not heal it; none is made before {until}"),
        ),
        Action::MarkDead => (AlertKind::Dead, End::Dead, "its host's name has been unknown for a day".to_owned()),
    };
    let message = format!(
        "`{source}`: {what}. Last failure: {}. `autoheal source show {source}` tells more, `autoheal source release {source}` allows attempts again",
        state.failure.as_ref().map_or("none on record", |failure| failure.message.as_str())
    );
    context.note("refused", message.clone());
    if was != health.state {
        record(context, SourceRecord::Alert { target: source.clone(), kind, message });
    }
    record(context, SourceRecord::Health { source, health });
    state.end = Some(end);
}
