//! Deployment of a fix: into staging, then active, up for review, or discarded. Each outcome is one attempt.

use std::time::Duration;

use autoheal_engine::alert::{Alert, AlertKind, SharedCause};
use autoheal_engine::breaker::Breaker;
use autoheal_engine::source::SourceRecord;
use autoheal_engine::task::{NewTask, TaskKind};
use autoheal_engine::workflow::{FixRecord, Record, StepContext, StepError};
use serde_json::{Value, json};

use super::breaker::{attempts, refuse};
use super::state::{DoctorState, End, Proposal};
use crate::add::json_of;
use crate::definition::HealPolicy;
use crate::failure::{ErrorType, Failure};
use crate::healed::healed_pages;
use crate::loaded::{Loaded, record};
use crate::refresh::DOCTOR;
use crate::services::{SourceServices, store_error};

/// Puts the proposal into staging, once.
pub(super) fn stage(state: &mut DoctorState, loaded: &Loaded, context: &StepContext) -> Result<(), StepError> {
    let Some(proposal) = &state.proposal else { return Ok(()) };
    let staged = SourceRecord::Staged {
        source: loaded.row.source.clone(),
        version: proposal.version,
        recipe: json_of(&proposal.recipe)?,
        definition: json_of(&proposal.definition)?,
        asked_by: DOCTOR.to_owned(),
    };
    record(context, staged);
    Ok(())
}

pub(super) async fn run(
    state: &mut DoctorState,
    loaded: &Loaded,
    services: &SourceServices,
    context: &StepContext,
) -> Result<(), StepError> {
    let now = context.now();
    let mut passed = state.validation.as_ref().is_some_and(|validation| validation.passed);
    if passed && state.proposal.as_ref().is_some_and(|proposal| proposal.replaces != loaded.in_force.version) {
        let reason = "another recipe went into force meanwhile".to_owned();
        if let Some(validation) = &mut state.validation {
            validation.passed = false;
            validation.errors.push(reason.clone());
        }
        state.reasons.push(reason);
        passed = false;
    }
    let source = loaded.row.source.clone();
    let proposal = state.proposal.clone();
    let error_type = state.failure.as_ref().map(|failure| failure.error_type);
    let is_a_strike = state.failure.as_ref().is_none_or(Failure::is_a_strike);
    if !is_a_strike && proposal.is_none() {
        // Not an attempt: there was nothing to try.
        state.end = Some(End::NotHealed);
        return Ok(());
    }
    let (deployed_to, end) = match (&proposal, passed, loaded.definition.heal_policy) {
        (Some(_), true, HealPolicy::Auto) if error_type == Some(ErrorType::RateLimit) => {
            ("PRODUCTION", End::SlowedDown)
        }
        (Some(proposal), true, HealPolicy::Auto) if proposal.needs_person.is_none() => ("PRODUCTION", End::Healed),
        (Some(_), true, _) => ("STAGING", End::InReview),
        (Some(_), false, _) => ("STAGING", End::NotHealed),
        (None, _, _) => ("FAILED", End::NotHealed),
    };
    // Trying what is not the page is not an attempt.
    let is_an_attempt = is_a_strike || end != End::NotHealed;
    if is_an_attempt {
        context.record(Record::Fix(attempt(state, loaded, deployed_to)?));
    }
    let mut made = attempts(services, &loaded.row, now).await?;
    if error_type != Some(ErrorType::RateLimit) && is_an_attempt {
        made.push(now);
    }
    match (&end, &proposal) {
        (End::Healed | End::SlowedDown, Some(proposal)) => {
            let (version, replaces) = (proposal.version, Some(proposal.replaces));
            let asked_by = DOCTOR.to_owned();
            let mut definition = loaded.definition_with(&proposal.definition)?;
            if end == End::SlowedDown {
                // The active version may have been made at the same pace, from which the source has recovered since.
                definition.slowdown = proposal.definition.slowdown;
            }
            do_without(proposal, loaded, services, context).await?;
            let definition = json_of(&definition)?;
            record(context, SourceRecord::Promoted { source: source.clone(), version, definition, replaces, asked_by });
            let mut health = loaded.row.health.clone();
            health.fix_attempts_today = Breaker::default().recent(&made, now);
            record(context, SourceRecord::Health { source: source.clone(), health });
            // The values of this page are wanted; a site that asked to be left alone is left alone.
            let asked = state.failure.as_ref().and_then(|failure| failure.retry_after).map(Duration::from_secs);
            let pause = proposal.definition.interval().max(asked.unwrap_or_default());
            let run_at = if proposal.try_at.is_some() { now } else { now.plus(pause) };
            let task = NewTask { run_at, ..NewTask::new(TaskKind::RefreshSource, source, now) };
            record(context, SourceRecord::Task(task));
        }
        (End::InReview, Some(proposal)) => {
            let message = format!(
                "`{source}`: a fix waits for you: {}{}. `autoheal source approve {source}` activates it, `autoheal source reject {source}` rejects it",
                proposal.description,
                proposal.needs_person.as_ref().map(|why| format!(" ({why})")).unwrap_or_default()
            );
            record(context, SourceRecord::Waiting { source: source.clone(), version: proposal.version });
            context.record(Record::Alert(Alert { target: source, kind: AlertKind::Review, message, shared: None }));
        }
        _ => {
            // A fix that could not be tried has not failed: it may be proposed again.
            if let Some(proposal) = proposal.as_ref().filter(|_| !state.untried) {
                record(context, SourceRecord::Failed { source: source.clone(), version: proposal.version });
            }
            let verdict = Breaker::default().check(&made, now);
            if verdict.can_attempt() {
                let mut health = loaded.row.health.clone();
                health.fix_attempts_today = Breaker::default().recent(&made, now);
                record(context, SourceRecord::Health { source, health });
            } else {
                let recent = Breaker::default().recent(&made, now);
                return refuse(state, loaded, services, (recent, verdict), context).await;
            }
        }
    }
    context.note("deployed", format!("{deployed_to}: {}", end.stop_reason()));
    state.end = Some(end);
    Ok(())
}

/// Records that the page is good without the optional fields that it has no longer, and raises an alert about them.
async fn do_without(
    proposal: &Proposal,
    loaded: &Loaded,
    services: &SourceServices,
    context: &StepContext,
) -> Result<(), StepError> {
    if proposal.absent.is_empty() {
        return Ok(());
    }
    let source = &loaded.row.source;
    let pages = healed_pages(&services.store, source, &proposal.definition, &proposal.recipe, context.now()).await;
    for page in pages.map_err(|error| store_error(&error))? {
        record(context, page);
    }
    let fields = proposal.absent.join("`, `");
    let host = loaded.page.host_str().unwrap_or_default().to_owned();
    let shared = Some(SharedCause { host, cause: fields.clone() });
    let message = format!(
        "`{source}`: `{fields}` cannot be found on the page any longer. The rule is kept: the value is collected when the page has it again; \
         `autoheal source history {source}` shows the change"
    );
    context.record(Record::Alert(Alert { target: source.clone(), kind: AlertKind::FieldGone, message, shared }));
    Ok(())
}

/// The row of `fix_history`.
fn attempt(state: &DoctorState, loaded: &Loaded, deployed_to: &str) -> Result<FixRecord, StepError> {
    let patch = state.proposal.as_ref().map(|proposal| patch(loaded, proposal)).transpose()?.unwrap_or_default();
    let validation = match &state.validation {
        Some(validation) => json_of(validation)?,
        None => json!({ "passed": false, "errors": state.reasons }),
    };
    Ok(FixRecord {
        target: loaded.row.source.clone(),
        error_type: state.failure.as_ref().map_or("UNKNOWN", |failure| failure.error_type.name()).to_owned(),
        diagnosis: state.context.as_ref().map(json_of).transpose()?.unwrap_or(Value::Null),
        patch,
        validation,
        deployed_to: deployed_to.to_owned(),
    })
}

/// Returns the changes of the fix in readable form: diffs of the recipe and of the definition.
fn patch(loaded: &Loaded, proposal: &Proposal) -> Result<String, StepError> {
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap_or_default();
    let recipe = similar::TextDiff::from_lines(pretty(&loaded.in_force.recipe), pretty(&json_of(&proposal.recipe)?))
        .unified_diff()
        .header("active recipe", "staged recipe")
        .to_string();
    let definition =
        similar::TextDiff::from_lines(pretty(&loaded.row.definition), pretty(&json_of(&proposal.definition)?))
            .unified_diff()
            .header("active definition", "staged definition")
            .to_string();
    Ok(format!("{recipe}{definition}"))
}
