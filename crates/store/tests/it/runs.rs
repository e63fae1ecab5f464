//! Runs, checkpoints, events and results.

use autoheal_engine::diagnostics::{Category, DiagnosticsEntry, Finding, Source};
use autoheal_engine::event::EventBody;
use autoheal_engine::source::SourceRecord;
use autoheal_engine::task::{Lease, TaskKind, TaskState};
use autoheal_engine::workflow::{Ending, FixRecord, OutputRecord, Record};
use autoheal_engine::{Outcome, RunId, StopReason, Timestamp};
use autoheal_store::{Checkpoint, FinishedRun, FixOutcome, NewRun, RunFilter, Slice, Store, StoreError};
use rstest::rstest;
use serde_json::json;
use uuid::Uuid;

use crate::database::Engine;
use crate::queue::{LONG, NO_TIME, request, task};

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn note(message: &str) -> EventBody {
    EventBody::Note { node: "fix".to_owned(), topic: "finding".to_owned(), message: message.to_owned() }
}

fn checkpoint(run: RunId, seq: i64) -> Checkpoint {
    Checkpoint {
        run,
        seq,
        node: "analyze".to_owned(),
        next_node: Some("discover".to_owned()),
        state_version: 2,
        state: json!({"seq": seq, "text": "\u{0}"}),
        at: at(100 + seq),
    }
}

fn entry(message: &str, count: u32) -> DiagnosticsEntry {
    DiagnosticsEntry {
        finding: Finding {
            source: Source::Test,
            category: Category::Syntax,
            file: Some("a.py".to_owned()),
            location: None,
            message: message.to_owned(),
            stack: None,
        },
        first_seen_at: at(1),
        last_seen_at: at(i64::from(count)),
        occurrence_count: count,
        resolved_at: None,
    }
}

fn fix(patch: &str) -> FixRecord {
    FixRecord {
        target: "t".to_owned(),
        error_type: "SYNTAX".to_owned(),
        diagnosis: json!({"why": "colon"}),
        patch: patch.to_owned(),
        validation: json!([1]),
        deployed_to: "PRODUCTION".to_owned(),
    }
}

fn output(text: &str) -> OutputRecord {
    OutputRecord {
        node: "diagnose".to_owned(),
        command: "pytest -q".to_owned(),
        ended: "exit 1".to_owned(),
        output: text.to_owned(),
        millis: 12,
    }
}

async fn begin(store: &Store, lease: &Lease) -> RunId {
    let run = RunId(Uuid::now_v7());
    let target = store.task(lease.task).await.unwrap().unwrap().target;
    let new = NewRun {
        run,
        workflow: "repo".to_owned(),
        target: target.clone(),
        started_at: at(100),
        event: EventBody::RunStarted { target },
    };
    store.begin_run(lease, &new).await.unwrap();
    run
}

/// Ways to close a task whose run has not ended.
#[derive(Debug, Clone, Copy)]
enum Closing {
    /// While it waits for its next try.
    Cancel,
    /// By a worker that stops, after it was cancelled.
    Release,
    /// The same, of one that fails.
    CancelAndFail,
    /// Its tries are used up.
    Fail,
    /// Its target is deleted.
    Remove,
}

#[rstest]
#[tokio::test]
async fn a_run_ends_with_its_task_and_goes_on_with_it(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
    #[values(Closing::Cancel, Closing::Release, Closing::CancelAndFail, Closing::Fail, Closing::Remove)]
    closing: Closing,
) {
    let Some(database) = engine.database().await else { return };
    let store = database.store;
    let mut other = task("other");
    let mut new = task("t");
    (new.kind, other.kind) = (TaskKind::RefreshSource, TaskKind::RefreshSource);
    new.max_retries = u32::from(!matches!(closing, Closing::Fail));
    store.enqueue(&other).await.unwrap();
    let (_, elsewhere) = store.claim(&request("w", LONG)).await.unwrap().unwrap();
    let untouched = begin(&store, &elsewhere).await;
    store.enqueue(&new).await.unwrap();
    let (claimed, lease) = store.claim(&request("w", LONG)).await.unwrap().unwrap();
    let run = begin(&store, &lease).await;
    store.checkpoint(&lease, &checkpoint(run, 1), &[], &[]).await.unwrap();
    match closing {
        Closing::Cancel => {
            store.release(&lease).await.unwrap();
            assert_eq!(store.open_run(claimed.id).await.unwrap().map(|row| row.run), Some(run), "it is to go on");
            assert!(store.request_cancel(claimed.id).await.unwrap());
        }
        Closing::Release => {
            assert!(store.request_cancel(claimed.id).await.unwrap());
            assert!(store.open_run(claimed.id).await.unwrap().is_some(), "the worker ends it");
            store.release(&lease).await.unwrap();
        }
        Closing::CancelAndFail => {
            store.request_cancel(claimed.id).await.unwrap();
            store.fail(&lease, "broke", NO_TIME).await.unwrap();
        }
        Closing::Fail => {
            store.fail(&lease, "broke", NO_TIME).await.unwrap();
        }
        Closing::Remove => {
            store.release(&lease).await.unwrap();
            store.change_sources(at(1), &[SourceRecord::Removed { source: "t".to_owned() }]).await.unwrap();
        }
    }
    let (state, reason) = match closing {
        Closing::Fail => ("QUARANTINED", StopReason::DeadLetter),
        _ => ("CANCELLED", StopReason::Cancelled),
    };
    let (outcome, stop_reason) = (Some(reason.outcome(0)), reason.name().to_owned());
    assert_eq!(store.task(claimed.id).await.unwrap().unwrap().state.name(), state);
    let row = store.run(run).await.unwrap().unwrap();
    assert!(row.finished_at.is_some());
    assert_eq!(
        (row.outcome, row.stop_reason.as_ref(), row.results, row.report),
        (outcome, Some(&stop_reason), None, None)
    );
    let last = store.events(run, 0).await.unwrap().pop().unwrap();
    assert_eq!((last.sequence, last.body), (2, EventBody::RunFinished { outcome, stop_reason }));
    assert_eq!(store.run(untouched).await.unwrap().unwrap().finished_at, None);

    assert!(store.reopen(claimed.id).await.unwrap());
    let resumed = store.open_run(claimed.id).await.unwrap().unwrap();
    assert_eq!((resumed.run, resumed.outcome, resumed.stop_reason), (run, None, None));
    assert_eq!(store.last_checkpoint(run).await.unwrap().unwrap().seq, 1);
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Memory)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn a_run_is_stored_from_its_first_event_to_its_report(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = database.store;
    store.enqueue(&task("t")).await.unwrap();
    let (_, lease) = store.claim(&request("w", LONG)).await.unwrap().unwrap();
    assert_eq!(store.open_run(lease.task).await.unwrap(), None);
    assert_eq!(store.last_run(lease.task).await.unwrap(), None);
    let run = begin(&store, &lease).await;
    let open = store.open_run(lease.task).await.unwrap().unwrap();
    assert_eq!((open.run, open.finished_at, open.outcome), (run, None, None));
    assert_eq!(store.last_run(lease.task).await.unwrap(), Some(open));
    assert_eq!(store.last_checkpoint(run).await.unwrap(), None);

    let loud = "many words\n".repeat(10_000) + "\u{0}";
    let events = [
        (at(101), note("one")),
        (at(102), EventBody::Progress { node: "fix".to_owned(), message: "half".to_owned() }),
        (at(103), note("two\u{0}")),
    ];
    let records = [
        Record::Diagnostic(entry("bad line 3", 1)),
        Record::Diagnostic(entry("other fault", 1)),
        Record::Fix(fix("-a\n+b\u{0}\n")),
        Record::Output(output(&loud)),
        Record::Output(output("")),
    ];
    store.checkpoint(&lease, &checkpoint(run, 1), &events, &records).await.unwrap();
    store.append_events(&lease, run, &[(at(104), EventBody::RunResumed { node: "x".to_owned() })]).await.unwrap();
    let last = Checkpoint { next_node: None, ..checkpoint(run, 2) };
    store.checkpoint(&lease, &last, &[], &[Record::Diagnostic(entry("bad line 4", 2))]).await.unwrap();
    assert_eq!(store.last_checkpoint(run).await.unwrap().unwrap(), last);
    assert_eq!(store.checkpoints(run).await.unwrap(), [checkpoint(run, 1), last]);

    let ending = Ending {
        outcome: Outcome::Fixed,
        stop_reason: StopReason::Green,
        results: json!({"ci_status": "PASSED"}),
        report: "# Healed\u{0}".to_owned(),
    };
    let events = [(at(105), EventBody::RunFinished { outcome: None, stop_reason: "GREEN".to_owned() })];
    let end = FinishedRun {
        run,
        ending: &ending,
        at: at(105),
        task_state: TaskState::Completed,
        events: &events,
        records: &[],
    };
    store.finish(&lease, &end).await.unwrap();

    let kept = store.run(run).await.unwrap().unwrap();
    assert_eq!(
        (kept.outcome, kept.stop_reason.as_deref(), kept.finished_at),
        (Some(Outcome::Fixed), Some("GREEN"), Some(at(105)))
    );
    assert_eq!((kept.results, kept.report.as_deref()), (Some(ending.results.clone()), Some("# Healed\u{fffd}")));
    assert_eq!((kept.workflow.as_str(), kept.target.as_str(), kept.started_at), ("repo", "t", at(100)));
    assert_eq!(store.open_run(lease.task).await.unwrap(), None);
    let task = store.task(lease.task).await.unwrap().unwrap();
    assert_eq!((task.state, task.lease_owner, task.lease_until), (TaskState::Completed, None, None));
    assert!(task.completed_at.is_some());

    let feed = store.events(run, 0).await.unwrap();
    assert_eq!(feed.iter().map(|event| event.sequence).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert_eq!(feed.iter().map(|event| event.at.as_millis()).collect::<Vec<_>>(), [100, 101, 103, 104, 105]);
    assert_eq!(feed[2].body, note("two\u{0}"));
    assert_eq!(store.events(run, 4).await.unwrap(), feed[4..]);

    let diagnostics = store.diagnostics(run, Slice::ALL).await.unwrap();
    assert_eq!(diagnostics.len(), 2, "the same fault at another line is the same diagnostic: {diagnostics:?}");
    assert!(diagnostics.contains(&entry("bad line 4", 2)) && diagnostics.contains(&entry("other fault", 1)));
    let fixes = store.fixes_of_run(run, Slice::ALL).await.unwrap();
    assert_eq!(fixes, [(at(101), fix("-a\n+b\u{fffd}\n"))]);
    assert_eq!(store.fixes_of_target("t", at(101)).await.unwrap(), fixes);
    assert_eq!(store.fixes_of_target("t", at(102)).await.unwrap(), []);
    assert_eq!(store.outputs(run, Slice::ALL).await.unwrap(), [output(&loud), output("")]);
    assert_eq!(store.runs(&RunFilter::newest(10)).await.unwrap().len(), 1);

    // Another task for the same target has runs of its own.
    assert_eq!(store.last_run(lease.task).await.unwrap().unwrap().run, run);
    store.enqueue(&crate::queue::task("t")).await.unwrap();
    let (_, other) = store.claim(&request("w", LONG)).await.unwrap().unwrap();
    let newer = begin(&store, &other).await;
    assert_eq!(store.last_run(other.task).await.unwrap().unwrap().run, newer);
    assert_eq!(store.last_run(lease.task).await.unwrap().unwrap().run, run, "the run of this task, not of another");
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn attempts_at_fixes_of_sources_are_counted_by_outcome(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = database.store;
    let source = SourceRecord::Definition { source: "t".to_owned(), definition: json!({}) };
    store.change_sources(at(1), &[source]).await.unwrap();
    store.enqueue(&task("t")).await.unwrap();
    let (_, lease) = store.claim(&request("w", LONG)).await.unwrap().unwrap();
    let run = begin(&store, &lease).await;
    let attempt = |target: &str, deployed_to: &str, failed_at: Option<i64>, passed: bool| {
        Record::Fix(FixRecord {
            target: target.to_owned(),
            diagnosis: json!({ "failed_at": failed_at }),
            validation: json!({ "passed": passed }),
            deployed_to: deployed_to.to_owned(),
            ..fix("")
        })
    };
    let records = [
        attempt("t", "PRODUCTION", Some(90), true),
        attempt("t", "PRODUCTION", Some(80), true),
        attempt("t", "PRODUCTION", None, true),
        attempt("t", "FAILED", Some(500), false),
        attempt("no source", "FAILED", Some(90), false),
        // What is in none of the known forms is not counted as passed.
        Record::Fix(fix("")),
    ];
    store.checkpoint(&lease, &checkpoint(run, 1), &[], &records).await.unwrap();
    let written = store.fixes_of_target("t", at(0)).await.unwrap()[0].0;
    let mut outcomes = store.source_fix_outcomes().await.unwrap();
    outcomes.sort_by(|one, other| (&one.deployed_to, one.attempts).cmp(&(&other.deployed_to, other.attempts)));
    let outcome = |deployed_to: &str, passed: bool, attempts: u64, dated: u64, millis: u64| FixOutcome {
        error_type: "SYNTAX".to_owned(),
        deployed_to: deployed_to.to_owned(),
        passed,
        attempts,
        dated,
        millis,
    };
    let waited = written.since(at(90)).as_millis() + written.since(at(80)).as_millis();
    let after_the_attempt = written.since(at(500)).as_millis();
    assert_eq!(
        outcomes,
        [
            outcome("FAILED", false, 1, 1, u64::try_from(after_the_attempt).unwrap()),
            outcome("PRODUCTION", false, 1, 0, 0),
            outcome("PRODUCTION", true, 3, 2, u64::try_from(waited).unwrap()),
        ]
    );
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn a_worker_that_lost_its_lease_leaves_no_trace(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = database.store;
    store.enqueue(&task("t")).await.unwrap();
    let (_, old) = store.claim(&request("old", NO_TIME)).await.unwrap().unwrap();
    let run = begin(&store, &old).await;
    store.checkpoint(&old, &checkpoint(run, 1), &[(at(1), note("kept"))], &[]).await.unwrap();
    let (held, new) = store.claim(&request("new", LONG)).await.unwrap().unwrap();
    let before = (store.run(run).await.unwrap(), store.events(run, 0).await.unwrap());

    let events = [(at(2), note("late"))];
    let records = [Record::Diagnostic(entry("late", 1)), Record::Fix(fix("late")), Record::Output(output("late"))];
    let (outcome, stop_reason) = (Outcome::Fixed, StopReason::Green);
    let ending = Ending { outcome, stop_reason, results: json!({}), report: String::new() };
    let end = FinishedRun {
        run,
        ending: &ending,
        at: at(3),
        task_state: TaskState::Completed,
        events: &events,
        records: &[],
    };
    let late = NewRun {
        run: RunId(Uuid::now_v7()),
        workflow: "repo".to_owned(),
        target: "t".to_owned(),
        started_at: at(2),
        event: note("late"),
    };
    let refused = [
        store.checkpoint(&old, &checkpoint(run, 2), &events, &records).await,
        store.append_events(&old, run, &events).await,
        store.finish(&old, &end).await,
        store.begin_run(&old, &late).await,
    ];
    for result in refused {
        assert!(matches!(result, Err(StoreError::LeaseLost(task)) if task == old.task), "{result:?}");
    }
    assert_eq!((store.run(run).await.unwrap(), store.events(run, 0).await.unwrap()), before);
    assert_eq!(store.run(late.run).await.unwrap(), None);
    assert_eq!(store.checkpoints(run).await.unwrap(), [checkpoint(run, 1)]);
    assert_eq!(store.diagnostics(run, Slice::ALL).await.unwrap(), []);
    assert_eq!(store.fixes_of_run(run, Slice::ALL).await.unwrap(), []);
    assert_eq!(store.outputs(run, Slice::ALL).await.unwrap(), []);
    assert_eq!(store.task(new.task).await.unwrap().unwrap(), held);
    store.checkpoint(&new, &checkpoint(run, 2), &events, &records).await.unwrap();
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn events_of_one_step_keep_their_order(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = database.store;
    store.enqueue(&task("t")).await.unwrap();
    let (_, lease) = store.claim(&request("w", LONG)).await.unwrap().unwrap();
    let run = begin(&store, &lease).await;
    let first = store.last_event(run).await.unwrap();
    let events: Vec<_> = (0..21).map(|number| (at(1000 - number), note(&format!("${number} '{{}}'")))).collect();
    store.append_events(&lease, run, &events).await.unwrap();
    store.append_events(&lease, run, &[]).await.unwrap();
    let stored = store.events(run, first).await.unwrap();
    assert_eq!(
        stored.iter().map(|event| event.sequence).collect::<Vec<_>>(),
        (first + 1..=first + 21).collect::<Vec<_>>()
    );
    assert_eq!(stored.into_iter().map(|event| (event.at, event.body)).collect::<Vec<_>>(), events);
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn a_checkpoint_is_stored_whole_or_not_at_all(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = database.store;
    store.enqueue(&task("t")).await.unwrap();
    let (_, lease) = store.claim(&request("w", LONG)).await.unwrap().unwrap();
    let run = begin(&store, &lease).await;
    let unknown = RunId(Uuid::now_v7());
    store.checkpoint(&lease, &checkpoint(run, 1), &[(at(1), note("one"))], &[]).await.unwrap();
    let again = store.checkpoint(&lease, &checkpoint(run, 1), &[(at(2), note("two"))], &[]).await;
    assert!(matches!(again, Err(StoreError::Database(_))), "{again:?}");
    let stray = store.append_events(&lease, unknown, &[(at(2), note("two"))]).await;
    assert!(matches!(stray, Err(StoreError::Database(_))), "{stray:?}");
    assert_eq!(store.events(run, 0).await.unwrap().len(), 2);
    assert_eq!(store.checkpoints(run).await.unwrap().len(), 1);

    let (outcome, stop_reason) = (Outcome::Fixed, StopReason::Green);
    let ending = Ending { outcome, stop_reason, results: json!({}), report: String::new() };
    let end =
        FinishedRun { run, ending: &ending, at: at(3), task_state: TaskState::Completed, events: &[], records: &[] };
    let wrong = store.finish(&lease, &FinishedRun { run: unknown, ..end }).await;
    assert!(matches!(wrong, Err(StoreError::NoSuchRun(task)) if task == lease.task), "{wrong:?}");
    let open = store.finish(&lease, &FinishedRun { task_state: TaskState::Pending, ..end }).await;
    assert!(matches!(open, Err(StoreError::Refused { .. })), "{open:?}");
    assert_eq!(store.task(lease.task).await.unwrap().unwrap().state, TaskState::InProgress);
    store.finish(&lease, &end).await.unwrap();
}
