//! Lists: fitted to terminals of several widths, and complete for other programs.

use std::fmt::Write as _;
use std::time::Duration;

use autoheal_engine::alert::{Alert, AlertKind};
use autoheal_engine::budget::{Limits, Usage};
use autoheal_engine::event::EventBody;
use autoheal_engine::ledger::{CallLedger as _, CallRecord, Planned};
use autoheal_engine::source::{Health, HealthState, SourceRecord};
use autoheal_engine::task::{NewTask, TaskKind, TaskState};
use autoheal_engine::workflow::Ending;
use autoheal_engine::{RunId, StopReason, Timestamp};
use autoheal_store::{ClaimRequest, FinishedRun, NewRun, Store};
use regex::Regex;
use serde_json::json;
use uuid::Uuid;

use crate::binary::Home;
use crate::terminal::on_terminal;

const REPOSITORY: &str = "/home/ada/projects/customers/northwind/services/parcel-tracking-with-a-long-name";

const REPORT: &str = "\
# `parcel`: healed

**GREEN**: every check that CI requires passes; read the changes before you merge them, because a green suite is all that is known.

| | |
| --- | --- |
| Branch | `ADA_BOT_AI_Fix` |
| Tests after | 12 passed, 0 failed, 0 skipped |

## What was changed

- Why: `'(' was never closed`
  - insert the missing `)`

```diff
-total = sum((1, 2)
+total = sum((1, 2))
```
";

/// Ends a task with a run, or leaves the run unfinished.
async fn run(store: &Store, kind: TaskKind, target: &str, minutes_ago: u64, end: Option<StopReason>) -> RunId {
    let started_at = store.now().minus(Duration::from_mins(minutes_ago));
    store.enqueue(&NewTask::new(kind, target, Timestamp::default())).await.unwrap();
    let (worker, host, lease) = ("test".to_owned(), "here".to_owned(), Duration::from_hours(1));
    let request = ClaimRequest { worker, host, kinds: TaskKind::ALL.to_vec(), lease, only: None };
    let (_, lease) = store.claim(&request).await.unwrap().unwrap();
    let run = RunId(Uuid::now_v7());
    let event = EventBody::RunStarted { target: target.to_owned() };
    let new = NewRun { run, workflow: kind.name().to_owned(), target: target.to_owned(), started_at, event };
    store.begin_run(&lease, &new).await.unwrap();
    if let Some(stop_reason) = end {
        let (outcome, results) = (stop_reason.outcome(0), json!({ "fixes": [] }));
        let ending = Ending { outcome, stop_reason, results, report: REPORT.to_owned() };
        let (task_state, events, records) = (TaskState::Completed, &[][..], &[][..]);
        let at = started_at.plus(Duration::from_secs(83));
        store.finish(&lease, &FinishedRun { run, ending: &ending, at, task_state, events, records }).await.unwrap();
    }
    run
}

/// A home with runs, tasks, alerts, sources and calls of models.
pub(crate) async fn inhabited() -> Home {
    let home = Home::new();
    let store = home.store().await;
    run(&store, TaskKind::HealRepo, REPOSITORY, 3 * 24 * 60, Some(StopReason::NoProgress)).await;
    let healed = run(&store, TaskKind::HealRepo, "https://github.com/ada/parcel", 125, Some(StopReason::Green)).await;
    run(&store, TaskKind::RefreshSource, "kettle", 5, None).await;
    let alert = |target: &str, kind, message: &str| Alert {
        target: target.to_owned(),
        kind,
        message: message.to_owned(),
        shared: None,
    };
    let alerts = [
        alert(
            "kettle",
            AlertKind::Review,
            "a fix waits for you: `autoheal source approve kettle` activates it, `autoheal source reject kettle` discards it",
        ),
        alert(REPOSITORY, AlertKind::RunFailed, "the run ended without a result"),
    ];
    store.raise(store.now().minus(Duration::from_hours(30)), &alerts).await.unwrap();
    sources(&store).await;
    let worst_case = Usage { tokens: 120, micro_dollars: 1000, calls: 1, wall_time: Duration::ZERO };
    let (per_run, per_day) = (Limits::default(), Limits::default());
    let planned = Planned { run: healed, worst_case, per_run, per_day, longest: Duration::from_mins(3) };
    let reservation = store.reserve(planned).await.unwrap().unwrap();
    let call = CallRecord {
        target: Some(REPOSITORY.to_owned()),
        user: None,
        purpose: "plan".to_owned(),
        model: "ollama/some-model".to_owned(),
        prompt_hash: "00".to_owned(),
        prompt: None,
        answer: None,
        input_tokens: 1200,
        output_tokens: 340,
        cached_tokens: 0,
        micro_dollars: None,
        latency: Duration::from_millis(700),
        outcome: "ANSWERED".to_owned(),
    };
    store.settle(reservation, call).await.unwrap();
    home
}

async fn sources(store: &Store) {
    let now = store.now();
    let source = |name: &str, health: Health| {
        let url = format!("https://shop.example/catalogue/household/{name}?view=full");
        let blueprint = json!({ "base_url": url, "kind": "single", "fields": [] });
        let definition =
            json!({ "url": url, "blueprint": blueprint, "interval_seconds": 36_000, "heal_policy": "review" });
        let source = name.to_owned();
        [SourceRecord::Definition { source: source.clone(), definition }, SourceRecord::Health { source, health }]
    };
    let good = Health { last_success_at: Some(now.minus(Duration::from_mins(90))), success_count: 41, ..Health::new() };
    let broken = Health {
        state: HealthState::Degraded,
        last_failure_at: Some(now.minus(Duration::from_hours(100))),
        success_count: 8,
        failure_count: 1,
        ..Health::new()
    };
    store.change_sources(now, &source("teapot", good)).await.unwrap();
    store.change_sources(now, &source("kettle", broken)).await.unwrap();
    let recipe = json!({ "version": 1 });
    let staged = SourceRecord::Staged {
        source: "kettle".to_owned(),
        version: 1,
        definition: json!({}),
        recipe,
        asked_by: "doctor".to_owned(),
    };
    let waits = SourceRecord::Waiting { source: "kettle".to_owned(), version: 1 };
    store.change_sources(now, &[staged, waits]).await.unwrap();
}

/// Replaces what differs from run to run by text of the same length.
fn masked(text: &str, home: &Home) -> String {
    let text = text.replace(&home.path().display().to_string(), "HOME");
    let patterns = [
        (r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "01920f4e-7f35-7aa0-8a43-3c0a5c1b7e11"),
        (r"\b[0-9a-f]{8}-[0-9a-f]{4}\b", "01920f4e-7f35"),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "2026-11-26T12:00:00Z"),
        (r"\b20\d\d-\d\d-\d\d\b", "2026-11-26"),
    ];
    patterns
        .iter()
        .fold(text, |text, (pattern, name)| Regex::new(pattern).unwrap().replace_all(&text, *name).into_owned())
}

#[tokio::test]
async fn lists_fit_every_terminal() {
    let home = inhabited().await;
    let lists: [(&str, &[&str]); 10] = [
        ("runs", &["runs"]),
        ("tasks", &["tasks"]),
        ("task", &["tasks", "show", "1"]),
        ("alerts", &["alerts"]),
        ("sources", &["source", "list"]),
        ("history", &["source", "history", "kettle"]),
        ("usage", &["usage", "--by", "target"]),
        ("report", &["report", "last~1"]),
        ("stats", &["source", "stats"]),
        ("explain", &["explain", "SLOWED_DOWN"]),
    ];
    for (name, arguments) in lists {
        let mut text = String::new();
        for columns in [40_u16, 80, 160] {
            let ended = on_terminal(home.command(arguments).env("NO_COLOR", "1"), columns);
            assert_eq!(ended.code, Some(0), "{}", ended.told());
            for line in ended.stdout.lines() {
                assert!(console::measure_text_width(line) <= usize::from(columns), "{columns}: {line}");
            }
            let _ = write!(text, "--- {columns} columns\n{}", ended.stdout);
        }
        let piped = home.run(arguments);
        let _ = write!(text, "--- for programs\n{}", piped.stdout);
        assert!(!piped.stdout.contains('…'), "{}", piped.stdout);
        insta::with_settings!({ omit_expression => true, snapshot_path => "terminal", prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name, masked(&text, &home));
        });
    }
}

#[tokio::test]
async fn runs_have_short_names() {
    let home = inhabited().await;
    let runs: Vec<serde_json::Value> = serde_json::from_str(&home.run(&["runs", "--json"]).stdout).unwrap();
    let targets: Vec<_> = runs.iter().map(|run| run["target"].as_str().unwrap()).collect();
    assert_eq!(targets, ["kettle", "https://github.com/ada/parcel", REPOSITORY]);
    let filtered = home.run(&["runs", "--target", "PARCEL", "--limit", "1"]).stdout;
    assert!(filtered.contains("ada/parcel") && filtered.lines().count() == 2, "{filtered}");
    let id = runs[1]["run"].as_str().unwrap();
    for name in [id, &id[..35], "last~1"] {
        let report = home.run(&["report", name]);
        assert!(report.stdout.starts_with("# `parcel`: healed"), "{name}: {}", report.told());
    }
    let ambiguous = home.run(&["report", &id[..2]]);
    assert_eq!(ambiguous.code, Some(2));
    assert!(
        ambiguous.stderr.contains("several runs begin with") && ambiguous.stderr.contains(REPOSITORY),
        "{}",
        ambiguous.told()
    );
    assert_eq!(
        home.run(&["report", "last~3"]).stderr,
        "error: there are not more than 3 runs; `autoheal runs` lists them\n"
    );
}
