//! Collects the context of a diagnosis: checks the page as it is now, and classifies the failure.

use autoheal_engine::Timestamp;
use autoheal_engine::source::{SnapshotRole, SourceRecord};
use autoheal_engine::task::{NewTask, TaskKind};
use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_page::Document;
use autoheal_page::diff::{StructuralDiff, structural_diff};
use autoheal_store::Slice;
use serde_json::Value;

use super::breaker::attempts;
use super::diagnosis::DiagnosisContext;
use super::state::{DoctorState, End};
use crate::failure::{ErrorType, Failure};
use crate::judge::{judge, page_record};
use crate::loaded::{Loaded, Page, Stored, record};
use crate::services::{SourceServices, store_error};

/// Maximum length of the diff that is kept, in bytes.
const LONGEST_DIFF: usize = 20_000;

/// Maximum number of diagnostics that are kept.
const MOST_DIAGNOSTICS: i64 = 10;

/// Looks at the page as it is now, and classifies.
pub(super) async fn run(
    state: &mut DoctorState,
    loaded: &Loaded,
    services: &SourceServices,
    context: &StepContext,
) -> Result<(), StepError> {
    let now = context.now();
    let source = loaded.row.source.clone();
    let made = attempts(services, &loaded.row, now).await?;
    // A site that asks to be left alone is not asked again to find out whether it means it.
    let told = state.failure.clone().filter(|failure| failure.error_type == ErrorType::RateLimit);
    let mut looked = match &told {
        Some(_) => (told, None),
        None => look(loaded, services, context).await?,
    };
    // A request of the user concerns the whole source: its first failing page.
    let other: Loaded;
    let mut loaded = loaded;
    if state.failure.is_none() && looked.0.is_none() {
        for url in &loaded.definition.more {
            let page = Loaded::load(services, &source, Page::At(url), Stored::Wanted).await?;
            looked = look(&page, services, context).await?;
            if looked.0.is_some() {
                other = page;
                loaded = &other;
                break;
            }
        }
    }
    let (failure, found) = looked;
    let Some(failure) = failure.map(|failure| failure.on(&loaded.page)) else {
        context.note("well", "the page gives everything the recipe asks for");
        // An ordinary run keeps the values, and says that the source is well.
        record(context, SourceRecord::Task(NewTask::new(TaskKind::RefreshSource, source, now)));
        state.end = Some(End::WellAlready);
        return Ok(());
    };
    context.note("diagnosed", format!("{}: {}", failure.error_type, failure.message));
    let mut known = known(loaded, &failure, found, u32::try_from(made.len()).unwrap_or(u32::MAX), now);
    let newest = Slice { offset: 0, limit: MOST_DIAGNOSTICS };
    known.diagnostics =
        services.store.source_diagnostics(&source, newest).await.map_err(|error| store_error(&error))?;
    known.diagnostics.retain(|entry| entry.resolved_at.is_none());
    state.context = Some(known);
    state.failure = Some(failure);
    Ok(())
}

/// The page as it is now: what is wrong with it, and what it gives.
async fn look(
    loaded: &Loaded,
    services: &SourceServices,
    context: &StepContext,
) -> Result<(Option<Failure>, Option<(Document, Value)>), StepError> {
    context.progress(format!("asking for {}", loaded.page));
    let page = match services.page(&loaded.page, &loaded.request()).await? {
        Ok(page) => page,
        Err(failure) => return Ok((Some(failure), None)),
    };
    let judged = judge(loaded, &page);
    if judged.failure.as_ref().is_some_and(|failure| failure.error_type.is_about_the_recipe()) {
        record(context, page_record(loaded, &page, &loaded.page, SnapshotRole::Failing, None, context.now()));
    }
    Ok((judged.failure, Some((judged.document, judged.values))))
}

fn known(
    loaded: &Loaded,
    failure: &Failure,
    found: Option<(Document, Value)>,
    attempts: u32,
    now: Timestamp,
) -> DiagnosisContext {
    let before = loaded.good.first();
    let (current, output) = found.map_or((None, None), |(page, output)| (Some(page), Some(output)));
    let diff = before
        .zip(current.as_ref())
        .map(|(before, page)| structural_diff(&Document::parse_bytes(&before.content), page));
    let blueprint = loaded.definition.blueprint.clone();
    let schema =
        blueprint.fields.iter().map(|field| (field.name.to_string(), Value::from(field.value_type.name()))).collect();
    DiagnosisContext {
        source_name: loaded.row.source.clone(),
        blueprint,
        current_code: loaded.in_force.recipe.clone(),
        error_type: failure.error_type,
        error_message: failure.message.clone(),
        error_traceback: failure.message.replace("; ", "\n"),
        failure_count: loaded.row.health.failure_count,
        last_success_at: loaded.row.health.last_success_at,
        failed_at: loaded.row.health.last_failure_at,
        original_html: before.map(|snapshot| snapshot.taken_at),
        current_html: current.is_some().then_some(now),
        html_diff: diff.as_ref().map(|diff| diff.unified(LONGEST_DIFF)).unwrap_or_default(),
        summary: diff.as_ref().map(StructuralDiff::summary).unwrap_or_default(),
        expected_schema: Value::Object(schema),
        actual_output: output,
        fix_attempts_today: attempts,
        is_quarantined: loaded.row.health.is_quarantined(now),
        diagnostics: Vec::new(),
    }
}
