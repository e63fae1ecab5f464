//! Listings and details of sources.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use autoheal_engine::source::{Health, HealthState};
use autoheal_engine::time::minutes_and_seconds;
use autoheal_engine::{Timestamp, counted};
use autoheal_source::SourceName;
use autoheal_source::refresh::EVERY_HOST;
use autoheal_source::schedule::Turn;
use autoheal_source::statistics::Statistics;
use autoheal_store::{AlertFilter, AlertRow, Channel, NoticeRow, RecipeRow, SourceFilter, SourceRow, Store};
use serde_json::{Value, json};

use super::find;
use super::trouble::Trouble;
use crate::exit::{Exit, Failure};
use crate::printer::Printer;
use crate::table::{Cell, Column, Table};
use crate::text::{Tone, harmless};
use crate::time::relative;

fn health(health: &Health) -> Value {
    let time = |at: Option<Timestamp>| at.map(Timestamp::to_rfc3339);
    json!({
        "state": health.state,
        "last_success_at": time(health.last_success_at),
        "last_failure_at": time(health.last_failure_at),
        "success_count": health.success_count,
        "failure_count": health.failure_count,
        "fix_attempts_today": health.fix_attempts_today,
        "quarantine_until": time(health.quarantine_until),
        "breaker_reason": health.state.breaker_reason(),
    })
}

fn summary(row: &SourceRow, waits: bool, now: Timestamp) -> Value {
    json!({
        "source": row.source,
        "url": row.definition["url"],
        "health": health(&row.health),
        "last_run_at": last_run(row).map(Timestamp::to_rfc3339),
        "next_run_at": next_run(row, now).map(Timestamp::to_rfc3339),
        "waits_for_approval": waits,
    })
}

pub(super) async fn list(json: bool, store: &Store, printer: &Printer) -> Result<Exit, Failure> {
    let sources = store.sources().await?;
    let filter = SourceFilter { waits: true, limit: u32::MAX, ..SourceFilter::default() };
    let (waiting, _) = store.source_page(&filter).await?;
    let waiting: BTreeSet<&str> = waiting.iter().map(|row| row.source.as_str()).collect();
    let day_ago = store.now().minus(std::time::Duration::from_hours(24));
    for alert in
        store.alerts(&AlertFilter::about(EVERY_HOST, 1)).await?.iter().filter(|alert| alert.created_at >= day_ago)
    {
        printer.warn(&format!("{}: {}", alert.created_at.to_rfc3339(), alert.message));
    }
    if json {
        let summary = |row: &SourceRow| summary(row, waiting.contains(row.source.as_str()), store.now());
        printer.json(&sources.iter().map(summary).collect::<Vec<_>>())?;
        return Ok(Exit::Fine);
    }
    if sources.is_empty() {
        printer.say("there are no sources; add one with `autoheal source add URL`");
        return Ok(Exit::Fine);
    }
    printer.table(&table(&sources, &waiting, store.now()))?;
    Ok(Exit::Fine)
}

fn table(sources: &[SourceRow], waiting: &BTreeSet<&str>, now: Timestamp) -> Table {
    let mut table = Table::new([
        Column::new("HEALTH"),
        Column::new("NAME").cut_end(),
        Column::new("WAITS"),
        Column::new("LAST RUN").optional(),
        Column::new("NEXT RUN").optional(),
        Column::number("GOOD").optional(),
        Column::number("FAILED").optional(),
        Column::new("URL").cut_end().optional(),
    ]);
    for row in sources {
        let health = &row.health;
        let tone = match health.state {
            HealthState::Active => Tone::Good,
            HealthState::Degraded => Tone::Caution,
            HealthState::Quarantined | HealthState::Dead => Tone::Bad,
        };
        let waits = if waiting.contains(row.source.as_str()) { "for you" } else { "" };
        let next = next_run(row, now).map_or_else(
            || Cell::new(""),
            |at| if at <= now { Cell::short("due", &at.to_rfc3339()) } else { Cell::time(Some(at), now) },
        );
        table.push([
            Cell::new(health.state.name()).tone(tone),
            Cell::new(&row.source),
            Cell::new(waits).tone(Tone::Caution),
            Cell::time(last_run(row), now),
            next,
            Cell::of(&health.success_count),
            Cell::of(&health.failure_count),
            Cell::new(row.definition["url"].as_str().unwrap_or_default()),
        ]);
    }
    table
}

fn last_run(row: &SourceRow) -> Option<Timestamp> {
    row.health.last_success_at.max(row.health.last_failure_at)
}

/// Returns the time of the next scheduled run, which may have passed; `None` if it never runs by itself.
fn next_run(row: &SourceRow, now: Timestamp) -> Option<Timestamp> {
    let definition = serde_json::from_value(row.definition.clone()).ok()?;
    Turn::next(&row.source, &definition, &row.health, now).map(|turn| turn.at)
}

pub(super) async fn show(name: &SourceName, json: bool, store: &Store, printer: &Printer) -> Result<Exit, Failure> {
    let row = find(store, name).await?;
    let recipes = store.recipes(name.as_str()).await?;
    let in_force = RecipeRow::active(&recipes);
    let alerts = store.alerts(&AlertFilter::about(name.as_str(), 5)).await?;
    let undelivered = store.undelivered(Some(name.as_str()), 5).await?;
    let trouble = Trouble::load(store, name.as_str()).await?;
    if json {
        let alerts: Vec<_> = alerts
            .iter()
            .map(|alert| {
                json!({
                    "kind": alert.kind, "breaker_reason": alert.breaker_reason(), "message": alert.message,
                    "at": alert.created_at.to_rfc3339(),
                })
            })
            .collect();
        printer.json(&json!({
            "source": row.source,
            "definition": row.definition,
            "health": health(&row.health),
            "recipe_version": in_force.map(|recipe| recipe.version),
            "recipe": in_force.map(|recipe| &recipe.recipe),
            "diagnostics": trouble.diagnostics_json(),
            "timeline": trouble.timeline_json(),
            "diagnosis": trouble.diagnosis_json(),
            "alerts": alerts,
            "undelivered": undelivered.iter().map(|notice| json!({
                "address": notice.address, "tries": notice.tries, "error": notice.last_error,
            })).collect::<Vec<_>>(),
        }))?;
        return Ok(Exit::Fine);
    }
    let now = store.now();
    printer.data(&lead(&row, &alerts, &undelivered, |at| {
        if printer.is_read() { relative(at, now) } else { at.to_rfc3339() }
    }))?;
    for table in [trouble.diagnostics_table(now), trouble.timeline_table(now)].into_iter().flatten() {
        printer.data("")?;
        printer.table(&table)?;
    }
    if !trouble.changes().is_empty() {
        printer.data("\nchanges of the page at the last attempt at a fix (`autoheal report RUN` shows the diff):")?;
        trouble.changes().into_iter().try_for_each(|change| printer.data(&format!("  {}", harmless(change))))?;
    }
    if let Some(recipe) = in_force {
        let pretty = serde_json::to_string_pretty(&recipe.recipe)?;
        printer.data(&format!("\nrecipe {}:\n{}", recipe.version, harmless(&pretty)))?;
    }
    Ok(Exit::Fine)
}

/// The health of a source, its alerts, and the notices about it that were not delivered.
fn lead(row: &SourceRow, alerts: &[AlertRow], undelivered: &[NoticeRow], time: impl Fn(Timestamp) -> String) -> String {
    let (name, health) = (&row.source, &row.health);
    let url = harmless(row.definition["url"].as_str().unwrap_or_default());
    let mut text = format!("{name} {}\n{url}\n", health.state.name());
    let _ = writeln!(text, "{}, {} failed", counted(health.success_count, "good run"), health.failure_count);
    if let Some(reason) = health.state.breaker_reason() {
        let until = health.quarantine_until.map(|until| format!(" until {}", until.to_rfc3339())).unwrap_or_default();
        let _ = writeln!(
            text,
            "no attempts at a fix{until}: {}; `autoheal source release {name}` allows them",
            reason.name()
        );
    }
    for alert in alerts {
        let _ = writeln!(text, "{}  {}: {}", time(alert.created_at), alert.kind, harmless(&alert.message));
    }
    for notice in undelivered {
        let alerts = match notice.channel {
            Channel::Post => "where alerts go",
            Channel::Mail => "who gets alerts by mail",
        };
        let (to, error) = (notice.address.as_deref().unwrap_or(alerts), notice.last_error.as_deref());
        let error = harmless(error.unwrap_or_default());
        let _ = writeln!(text, "not delivered to {} after {}: {error}", harmless(to), counted(notice.tries, "attempt"));
    }
    text
}

pub(super) async fn history(name: &SourceName, json: bool, store: &Store, printer: &Printer) -> Result<Exit, Failure> {
    find(store, name).await?;
    let recipes = store.recipes(name.as_str()).await?;
    let fixes = store.fixes_of_target(name.as_str(), Timestamp::default()).await?;
    let mut decisions = store.decisions(name.as_str(), u32::MAX).await?;
    decisions.reverse();
    if json {
        let recipes: Vec<_> = recipes
            .iter()
            .map(|recipe| {
                json!({
                    "version": recipe.version, "stage": recipe.stage, "asked_by": recipe.asked_by,
                    "promoted_by": recipe.promoted_by, "replaces": recipe.replaces,
                    "created_at": recipe.created_at.to_rfc3339(), "runs": recipe.runs, "failed_runs": recipe.failed_runs,
                })
            })
            .collect();
        let fixes: Vec<_> = fixes
            .iter()
            .map(|(at, fix)| {
                json!({
                    "at": at.to_rfc3339(), "error_type": fix.error_type, "deployed_to": fix.deployed_to,
                    "patch": fix.patch, "validation": fix.validation,
                })
            })
            .collect();
        let decisions: Vec<_> = decisions
            .iter()
            .map(|made| {
                json!({
                    "at": made.at.to_rfc3339(), "decision": made.decision, "version": made.version,
                    "asked_by": made.asked_by, "note": made.note,
                })
            })
            .collect();
        printer.json(&json!({ "recipes": recipes, "decisions": decisions, "fixes": fixes }))?;
        return Ok(Exit::Fine);
    }
    let now = store.now();
    if !recipes.is_empty() {
        printer.table(&recipe_table(&recipes, now))?;
    }
    if !decisions.is_empty() {
        let mut table = Table::new([
            Column::new("DECIDED"),
            Column::new("DECISION"),
            Column::number("RECIPE"),
            Column::new("BY").cut_end(),
            Column::new("REASON").cut_end(),
        ]);
        for made in &decisions {
            let version = made.version.map_or_else(String::new, |version| version.to_string());
            let at = Cell::time(Some(made.at), now);
            let note = made.note.as_deref().unwrap_or_default();
            let (decision, by) = (Cell::new(made.decision.name()), Cell::new(&made.asked_by));
            table.push([at, decision, Cell::new(&version), by, Cell::new(note)]);
        }
        printer.data("")?;
        printer.table(&table)?;
    }
    for (at, fix) in &fixes {
        let at = if printer.is_read() { relative(*at, now) } else { at.to_rfc3339() };
        printer.show(&format!("\n{at}  {} -> {}\n{}", fix.error_type, fix.deployed_to, fix.patch))?;
    }
    Ok(Exit::Fine)
}

fn recipe_table(recipes: &[RecipeRow], now: Timestamp) -> Table {
    let mut table = Table::new([
        Column::number("RECIPE"),
        Column::new("STAGE"),
        Column::new("CREATED").optional(),
        Column::number("RUNS").optional(),
        Column::number("FAILED").optional(),
        Column::new("BY").cut_end(),
    ]);
    for recipe in recipes {
        table.push([
            Cell::of(&recipe.version),
            Cell::new(recipe.stage.name()),
            Cell::time(Some(recipe.created_at), now),
            Cell::of(&recipe.runs),
            Cell::of(&recipe.failed_runs),
            Cell::new(recipe.promoted_by.as_ref().unwrap_or(&recipe.asked_by)),
        ]);
    }
    table
}

pub(super) async fn stats(json: bool, store: &Store, printer: &Printer) -> Result<Exit, Failure> {
    let statistics = Statistics::of(store).await?;
    if json {
        printer.json(&statistics)?;
        return Ok(Exit::Fine);
    }
    let share = |part: u64, whole: u64| match (part * 100).checked_div(whole) {
        Some(percent) => format!("{part} of {whole} ({percent} %)"),
        None => "none yet".to_owned(),
    };
    let recovery = statistics
        .average_recovery_millis
        .map_or("none yet".to_owned(), |millis| minutes_and_seconds(Duration::from_millis(millis)));
    let mut table = Table::new([Column::new("FIGURE"), Column::new("VALUE")]);
    for (figure, value) in [
        ("fixes that passed", share(statistics.passed, statistics.attempts)),
        ("fixes taken back", share(statistics.taken_back, statistics.promoted)),
        ("in quarantine", share(statistics.quarantined, statistics.sources)),
        ("time to recover", recovery),
    ] {
        table.push([Cell::new(figure), Cell::new(&value)]);
    }
    printer.table(&table)?;
    Ok(Exit::Fine)
}
