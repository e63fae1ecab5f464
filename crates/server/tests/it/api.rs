//! The API over real connections: jobs, runs with their events, the queue, sources, and the page.

use std::time::Duration;

use autoheal_engine::diagnostics::DiagnosticsLog;
use autoheal_engine::event::EventBody;
use autoheal_engine::source::{Health, HealthState, PageFault, Snapshot, SnapshotRole, SourceRecord};
use autoheal_engine::task::{TaskKind, TaskState};
use autoheal_engine::{JobId, RunId, StopReason, TaskId, Timestamp};
use autoheal_server::http::{Access, UserToken};
use autoheal_store::{ClaimRequest, NewRun, TaskFilter};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::healing::World;
use crate::http::{Running, ask, local, public, start};

fn healing(repository: &str, team: &str) -> Value {
    json!({ "repositoryUrl": repository, "teamName": team, "leaderName": "Saiyam Kumar" })
}

async fn start_healing(server: &Running, repository: &str, team: &str) -> (u16, Value) {
    ask(server.send(Method::POST, "/api/heal", &healing(repository, team))).await
}

#[tokio::test]
async fn a_job_is_queued_runs_and_is_completed_as_the_specification_words_it() {
    let world = World::new().await;
    let server = &world.server;
    let (status, job) = start_healing(server, "https://github.com/owner/repo", "RIFT Organisers").await;
    let id = job["jobId"].as_str().unwrap().to_owned();
    assert!(id.parse::<JobId>().is_ok());
    assert_eq!((status, &job), (200, &json!({ "jobId": id, "status": "queued" })));
    let path = format!("/api/status/{id}");
    assert_eq!(ask(server.get(&path)).await, (200, json!({ "jobId": id, "status": "queued" })));

    // The same for the same team is another name for the same work; another team has to wait.
    let (status, again) = start_healing(server, "https://github.com/owner/repo", "RIFT Organisers").await;
    assert!(status == 200 && again["jobId"] != job["jobId"], "{again}");
    let (status, refused) = start_healing(server, "https://github.com/owner/repo", "Others").await;
    assert_eq!((status, &refused["error"]["code"]), (409, &json!("CONFLICT")));
    assert!([&job["jobId"], &again["jobId"]].contains(&&refused["error"]["details"]["jobId"]), "{refused}");

    let working = world.work();
    world.until_entered(1).await;
    let running = json!({ "jobId": id, "status": "running", "currentStep": "analyze_repo", "progress": 5 });
    assert_eq!(ask(server.get(&path)).await, (200, running));
    world.let_end(1);
    let ended = server.until(&path, |status| status["status"] == "completed" || status["status"] == "failed").await;
    // The workflow of this test leaves no results of a healing.
    assert_eq!(ended["status"], "failed");
    let (_, detail) = ask(server.get(&format!("/api/jobs/{id}"))).await;
    assert_eq!((&detail["task"]["state"], &detail["run"]["state"]), (&json!("COMPLETED"), &json!("fixed")));
    drop(working);
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_with_the_field() {
    let server = start(local()).await;
    for (repository, team, leader, field) in [
        ("https://gitlab.com/owner/repo", "a", "b", "repositoryUrl"),
        ("https://github.com/owner", "a", "b", "repositoryUrl"),
        ("https://token@github.com/owner/repo", "a", "b", "repositoryUrl"),
        ("/etc", "a", "b", "repositoryUrl"),
        ("file:///etc", "a", "b", "repositoryUrl"),
        ("http://127.0.0.1/owner/repo", "a", "b", "repositoryUrl"),
        ("", "a", "b", "repositoryUrl"),
        ("https://github.com/owner/repo", " ", "b", "teamName"),
        ("https://github.com/owner/repo", "a", "b\nc", "leaderName"),
        ("https://github.com/owner/repo", "a", "¿?", "teamName"),
    ] {
        let body = json!({ "repositoryUrl": repository, "teamName": team, "leaderName": leader });
        let (status, document) = ask(server.send(Method::POST, "/api/heal", &body)).await;
        let error = &document["error"];
        assert_eq!((status, &error["code"], &error["details"]["field"]), (400, &json!("INVALID_INPUT"), &json!(field)));
        assert!(error["timestamp"].as_str().unwrap().ends_with('Z') && !error["message"].as_str().unwrap().is_empty());
    }
    let (_, missing) = ask(server.send(Method::POST, "/api/heal", &json!({}))).await;
    assert_eq!(missing["error"]["details"]["field"], "repositoryUrl", "{missing}");
    for (method, path, body, status, code) in [
        (Method::POST, "/api/heal", json!({ "repositoryUrl": "https://github.com/a/b" }), 400, "INVALID_INPUT"),
        (
            Method::POST,
            "/api/heal",
            json!({ "repositoryUrl": 7, "teamName": "a", "leaderName": "b" }),
            400,
            "INVALID_INPUT",
        ),
        (Method::POST, "/api/heal", json!({ "extra": 1 }), 400, "INVALID_INPUT"),
        (Method::POST, "/api/heal", json!(["https://github.com/a/b", "a", "b"]), 400, "INVALID_INPUT"),
        (
            Method::POST,
            "/api/sources",
            json!({ "url": "http://a.example/", "name": "statistics" }),
            400,
            "INVALID_INPUT",
        ),
        (Method::GET, "/api/status/nothing", Value::Null, 404, "JOB_NOT_FOUND"),
        (Method::GET, "/api/status/00000000-0000-4000-8000-000000000000", Value::Null, 404, "JOB_NOT_FOUND"),
        (Method::GET, "/api/runs/nothing", Value::Null, 404, "RUN_NOT_FOUND"),
        (Method::GET, "/api/runs/nothing/events", Value::Null, 404, "RUN_NOT_FOUND"),
        (Method::GET, "/api/runs?limit=0", Value::Null, 400, "INVALID_INPUT"),
        (Method::GET, "/api/runs?unknown=1", Value::Null, 400, "INVALID_INPUT"),
        (Method::GET, "/api/tasks/9", Value::Null, 404, "TASK_NOT_FOUND"),
        (Method::POST, "/api/tasks/x/cancel", json!({}), 404, "TASK_NOT_FOUND"),
        (Method::GET, "/api/sources/nothing", Value::Null, 404, "SOURCE_NOT_FOUND"),
        (Method::POST, "/api/sources", json!({ "url": "file:///etc/passwd" }), 400, "INVALID_INPUT"),
        (Method::GET, "/api/workflows/NOTHING", Value::Null, 404, "NOT_FOUND"),
        (Method::DELETE, "/api/runs", json!({}), 405, "INVALID_INPUT"),
    ] {
        let (answered, document) = ask(server.send(method, path, &body)).await;
        assert_eq!((answered, &document["error"]["code"]), (status, &json!(code)), "{path}: {document}");
    }
}

/// The numbers and the types of a stream of events.
fn events_of(text: &str) -> Vec<(Option<i64>, String)> {
    let field = |block: &str, name: &str| {
        block.lines().find_map(|line| line.strip_prefix(name).map(str::trim).map(str::to_owned))
    };
    let event = |block: &str| Some((field(block, "id:").and_then(|id| id.parse().ok()), field(block, "event:")?));
    text.split("\n\n").filter_map(event).collect()
}

#[tokio::test]
async fn who_watches_a_run_sees_everything_once_whenever_they_begin() {
    let world = World::new().await;
    let server = &world.server;
    start_healing(server, "https://github.com/owner/repo", "a").await;
    let working = world.work();
    world.until_entered(1).await;
    let (_, list) = ask(server.get("/api/runs?state=running")).await;
    let run = list["runs"][0]["runId"].as_str().unwrap().to_owned();
    let path = format!("/api/runs/{run}/events");
    // One begins before the node ends, when the store has only the beginning.
    let early = tokio::spawn(server.get(&path).send());
    let cut_off = tokio::spawn(server.get(&path).header("Last-Event-ID", "1").send());
    let (early, cut_off) = (early.await.unwrap().unwrap(), cut_off.await.unwrap().unwrap());
    assert_eq!(early.headers()["content-type"], "text/event-stream");
    world.let_end(1);
    let name = |name: &str| name.to_owned();
    let whole = vec![
        (Some(1), name("run_started")),
        (Some(2), name("node_started")),
        (Some(3), name("note")),
        (Some(4), name("node_finished")),
        (Some(5), name("run_finished")),
        (None, name("end")),
    ];
    assert_eq!(events_of(&early.text().await.unwrap()), whole);
    assert_eq!(events_of(&cut_off.text().await.unwrap()), whole[1..]);
    let later = server.get(&format!("{path}?after=3")).send().await.unwrap().text().await.unwrap();
    assert_eq!(events_of(&later), whole[3..]);
    let (_, shown) = ask(server.get(&format!("/api/runs/{run}"))).await;
    assert_eq!((&shown["run"]["stopReason"], &shown["report"]), (&json!("GREEN"), &json!("# Healed")));
    assert_eq!(ask(server.send(Method::POST, &format!("/api/runs/{run}/cancel"), &json!({}))).await.0, 409);
    drop(working);
}

#[tokio::test]
async fn who_comes_back_to_a_run_that_was_resumed_is_told_what_happened_in_the_end() {
    let server = start(local()).await;
    let (_, job) = start_healing(&server, "https://github.com/owner/repo", "a").await;
    let store = &server.store;
    let task = store.job(job["jobId"].as_str().unwrap().parse().unwrap()).await.unwrap().unwrap().task;
    let request = ClaimRequest {
        worker: "elsewhere".to_owned(),
        host: "elsewhere".to_owned(),
        kinds: vec![task.kind],
        lease: Duration::from_mins(1),
        only: Some(task.id),
    };
    let (_, lease) = store.claim(&request).await.unwrap().unwrap();
    let run = RunId(Uuid::now_v7());
    let (at, node) = (Timestamp::from_millis(1), || "analyze_repo".to_owned());
    let event = EventBody::RunStarted { target: task.target.clone() };
    let (workflow, target) = (task.kind.name().to_owned(), task.target.clone());
    store.begin_run(&lease, &NewRun { run, workflow, target, started_at: at, event }).await.unwrap();
    let begun = (at, EventBody::NodeStarted { node: node(), attempt: 1 });
    store.append_events(&lease, run, &[(at, EventBody::RunResumed { node: node() }), begun]).await.unwrap();
    // The reader has heard of more than the first worker stored.
    let path = format!("/api/runs/{run}/events");
    let reader = server.get(&path).header("Last-Event-ID", "7").send().await.unwrap();
    // It is cancelled while nobody is at it.
    store.release(&lease).await.unwrap();
    let cancelled = ask(server.send(Method::POST, &format!("/api/runs/{run}/cancel"), &json!({}))).await;
    assert_eq!((cancelled.0, &cancelled.1["state"]), (200, &json!("CANCELLED")));
    let told = events_of(&reader.text().await.unwrap());
    let expected = [(2, "run_resumed"), (3, "node_started"), (4, "run_finished")];
    let expected: Vec<_> = expected.into_iter().map(|(id, name)| (Some(id), name.to_owned())).collect();
    assert_eq!(told, [expected, vec![(None, "end".to_owned())]].concat());
    let (_, shown) = ask(server.get(&format!("/api/runs/{run}"))).await;
    assert_eq!((&shown["run"]["state"], &shown["run"]["stopReason"]), (&json!("cancelled"), &json!("CANCELLED")));
    let status = format!("/api/status/{}", job["jobId"].as_str().unwrap());
    assert_eq!(ask(server.get(&status)).await.1["status"], "failed");
    // Tried again, it goes on: the end that is among its events was none.
    let retried = ask(server.send(Method::POST, &format!("/api/tasks/{}/retry", task.id), &json!({}))).await;
    assert_eq!(retried.0, 200, "{}", retried.1);
    let reader = server.get(&path).send().await.unwrap();
    let (_, lease) = store.claim(&request).await.unwrap().unwrap();
    store.append_events(&lease, run, &[(at, EventBody::RunResumed { node: node() })]).await.unwrap();
    store.request_cancel(task.id).await.unwrap();
    store.release(&lease).await.unwrap();
    let told: Vec<_> = events_of(&reader.text().await.unwrap()).into_iter().map(|(_, name)| name).collect();
    let begin = ["run_started", "run_resumed", "node_started", "run_finished"];
    assert_eq!(told, [&begin[..], &["run_resumed", "run_finished", "end"]].concat());
}

#[tokio::test]
async fn tasks_are_listed_page_by_page_cancelled_and_tried_again() {
    let server = start(local()).await;
    for number in 0..5 {
        start_healing(&server, &format!("https://github.com/owner/repo{number}"), "a").await;
    }
    let (mut seen, mut path) = (Vec::new(), "/api/tasks?limit=2".to_owned());
    loop {
        let (status, page) = ask(server.get(&path)).await;
        assert_eq!(status, 200);
        seen.extend(page["tasks"].as_array().unwrap().iter().map(|task| task["taskId"].as_i64().unwrap()));
        let Some(next) = page["next"].as_i64() else { break };
        path = format!("/api/tasks?limit=2&before={next}");
    }
    assert_eq!(seen, [5, 4, 3, 2, 1]);
    let post = |path: &str| ask(server.send(Method::POST, path, &json!({})));
    assert_eq!(post("/api/tasks/3/cancel").await.1["state"], "CANCELLED");
    assert_eq!(post("/api/tasks/3/cancel").await.0, 409);
    assert_eq!(ask(server.get("/api/tasks?state=CANCELLED")).await.1["tasks"].as_array().unwrap().len(), 1);
    assert_eq!(post("/api/tasks/3/retry").await.1["state"], "PENDING");
    assert_eq!(post("/api/tasks/3/retry").await.0, 409);
    let (_, glance) = ask(server.get("/api/overview")).await;
    assert_eq!((&glance["queue"]["pending"], &glance["localRepositories"]), (&json!(5), &json!(false)));
    let metrics = server.get("/metrics").send().await.unwrap().text().await.unwrap();
    assert!(metrics.contains("autoheal_tasks{kind=\"HEAL_REPO\",state=\"PENDING\"} 5"), "{metrics}");
    assert!(metrics.contains("route=\"/api/tasks/{task_id}/retry\"") && metrics.ends_with("# EOF\n"), "{metrics}");
    assert_eq!(metrics.matches("# EOF").count(), 1);
}

#[tokio::test]
async fn a_source_is_added_changed_released_and_forgotten_and_who_asked_is_written_down() {
    let server = start(local()).await;
    let new = json!({ "url": "https://shop.example/chair", "name": "chair", "intervalSeconds": 60 });
    let (status, adding) = ask(server.send(Method::POST, "/api/sources", &new)).await;
    assert_eq!((status, &adding["name"], &adding["task"]["kind"]), (202, &json!("chair"), &json!("ADD_SOURCE")));
    // What a worker does with the task is tested elsewhere: here stands what it leaves.
    let blueprint = json!({ "base_url": "https://shop.example/chair", "kind": "single", "fields": [] });
    let definition = json!({
        "url": "https://shop.example/chair", "blueprint": blueprint, "interval_seconds": 60, "heal_policy": "auto"
    });
    let source = || "chair".to_owned();
    let health = SourceRecord::Health { source: source(), health: Health::new() };
    let records = [SourceRecord::Definition { source: source(), definition }, health];
    server.store.change_sources(Timestamp::from_millis(1), &records).await.unwrap();
    let (status, again) = ask(server.send(Method::POST, "/api/sources", &new)).await;
    assert_eq!((status, &again["error"]["code"]), (409, &json!("CONFLICT")));

    let changed = server.send(Method::PATCH, "/api/sources/chair", &json!({ "intervalSeconds": 120 }));
    assert_eq!(ask(changed.header("X-Autoheal-User", "ada")).await.1["intervalSeconds"], 120);
    let too_often = server.send(Method::PATCH, "/api/sources/chair", &json!({ "intervalSeconds": 1 }));
    assert_eq!(ask(too_often).await.1["error"]["details"]["field"], "intervalSeconds");
    let released = server.send(Method::POST, "/api/sources/chair/release", &json!({}));
    let released =
        released.header("X-Autoheal-User", reqwest::header::HeaderValue::from_bytes("Jürgen".as_bytes()).unwrap());
    assert_eq!(ask(released).await.1["state"], "DEGRADED");
    for action in ["approve", "reject", "rollback"] {
        let (status, _) = ask(server.send(Method::POST, &format!("/api/sources/chair/{action}"), &json!({}))).await;
        assert_eq!(status, 409, "{action}");
    }
    let (_, made) = ask(server.get("/api/sources/chair/decisions")).await;
    let who: Vec<_> = made["decisions"].as_array().unwrap().iter().map(|made| &made["askedBy"]).collect();
    assert_eq!(who, ["Jürgen", "ada"]);
    assert_eq!(ask(server.send(Method::POST, "/api/sources/chair/run", &json!({}))).await.1["state"], "PENDING");
    for part in ["", "/recipes", "/values", "/fixes", "/snapshots", "/diagnostics", "/timeline"] {
        assert_eq!(ask(server.get(&format!("/api/sources/chair{part}"))).await.0, 200, "{part}");
    }
    assert_eq!(ask(server.get("/api/sources")).await.1["sources"].as_array().unwrap().len(), 1);
    assert_eq!(ask(server.send(Method::DELETE, "/api/sources/chair", &json!({}))).await.0, 204);
    assert_eq!(ask(server.get("/api/sources/chair")).await.0, 404);
}

/// Stores the source `chair` with a recipe of these fields, a good page, and a newer one that failed.
async fn store_chair(server: &Running, fields: Value, health: Health, [good, failing]: [&str; 2]) {
    let url = "https://shop.example/chair";
    let blueprint = json!({ "base_url": url, "kind": "single", "fields": [] });
    let definition = json!({ "url": url, "blueprint": blueprint, "interval_seconds": 60, "heal_policy": "auto" });
    let (source, asked_by) = (|| "chair".to_owned(), || "ada".to_owned());
    let stored = |role, taken_at: i64, html: &str| SourceRecord::Snapshot {
        source: source(),
        snapshot: Snapshot {
            role,
            url: url.to_owned(),
            taken_at: Timestamp::from_millis(taken_at),
            content: html.as_bytes().to_vec(),
            values: None,
        },
    };
    let recipe = json!({ "version": 1, "fields": fields });
    let records = [
        SourceRecord::Definition { source: source(), definition: definition.clone() },
        SourceRecord::Health { source: source(), health },
        SourceRecord::Staged {
            source: source(),
            version: 1,
            recipe,
            definition: definition.clone(),
            asked_by: asked_by(),
        },
        SourceRecord::Promoted { source: source(), version: 1, definition, replaces: None, asked_by: asked_by() },
        stored(SnapshotRole::Good, 1, good),
        stored(SnapshotRole::Failing, 2, failing),
    ];
    server.store.change_sources(Timestamp::from_millis(1), &records).await.unwrap();
}

#[tokio::test]
async fn a_recipe_is_edited_by_pointing_at_a_stored_page() {
    let server = start(local()).await;
    let pages = [
        "<h1>Chair</h1><p class='price sum'>12 EUR</p>",
        "<h1>Chair</h1><div><a href=//evil onclick=x()>More</a><b class=sum>13 EUR</b></div>",
    ];
    store_chair(&server, json!({ "price": { "select": ".price", "type": "money" } }), Health::new(), pages).await;
    let (status, refused) = ask(server.send(Method::POST, "/api/sources/chair/accept", &json!({}))).await;
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(status == 409 && message.contains("does not give the values"), "{refused}");

    // The newest page, with the number of the element that shows the price.
    let (_, pages) = ask(server.get("/api/sources/chair/snapshots?limit=1")).await;
    let page = &pages["snapshots"][0];
    assert_eq!((&page["role"], &pages["next"]), (&json!("FAILING"), &json!(1)));
    let number = page["snapshotId"].as_i64().unwrap();
    let shown = server.get(&format!("/api/sources/chair/snapshots/{number}/page?numbers=true")).send().await.unwrap();
    let shown = shown.text().await.unwrap();
    assert!(!shown.contains("evil") && !shown.contains("onclick"), "{shown}");
    let (before, _) = shown.split_once("\">13 EUR").unwrap();
    let element: u64 = before.rsplit('"').next().unwrap().parse().unwrap();

    let rules = |field: &str, snapshot: i64, elements: Value| {
        let body = json!({ "field": field, "snapshotId": snapshot, "elements": elements });
        ask(server.send(Method::POST, "/api/sources/chair/rules", &body))
    };
    let (status, proposed) = rules("price", number, json!([element])).await;
    assert_eq!(status, 200, "{proposed}");
    let rule = &proposed["rules"][0];
    assert_eq!(rule["selector"], ".sum");
    let values: Vec<_> = rule["pages"].as_array().unwrap().iter().map(|page| &page["fields"][0]["values"]).collect();
    assert_eq!(values, [&json!(["13 EUR"]), &json!(["12 EUR"])]);
    for (field, snapshot, elements, expected) in [
        ("price", number, json!([999]), 404),
        ("price", 99, json!([1]), 404),
        ("price", number, json!([]), 400),
        ("not a name!", number, json!([1]), 400),
    ] {
        let (status, refused) = rules(field, snapshot, elements).await;
        assert_eq!(status, expected, "{refused}");
    }

    let recipe = &rule["recipe"];
    let (status, trial) =
        ask(server.send(Method::POST, "/api/sources/chair/trial", &json!({ "recipe": recipe }))).await;
    assert_eq!((status, &trial["pages"][0]["fields"][0]["values"]), (200, &json!(["13 EUR"])));
    let bad = json!({ "recipe": { "version": 1, "fields": { "price": { "select": ":::" } } } });
    let (status, refused) = ask(server.send(Method::POST, "/api/sources/chair/trial", &bad)).await;
    assert_eq!((status, &refused["error"]["details"]["field"]), (400, &json!("recipe.fields.price.select")));

    let replace = |replaces: u32| {
        let body = json!({ "recipe": recipe, "replaces": replaces });
        ask(server.send(Method::PUT, "/api/sources/chair/recipe", &body).header("X-Autoheal-User", "ada"))
    };
    assert_eq!(replace(7).await.0, 409, "another version is active");
    let (status, replaced) = replace(1).await;
    assert_eq!((status, &replaced["recipeVersion"]), (200, &json!(2)), "{replaced}");
    assert_eq!(replace(2).await.0, 409, "nothing changes");
    let (_, made) = ask(server.get("/api/sources/chair/decisions")).await;
    assert_eq!(
        (&made["decisions"][0]["decision"], &made["decisions"][0]["askedBy"]),
        (&json!("REPLACED"), &json!("ada"))
    );
}

#[tokio::test]
async fn a_job_may_name_a_branch_and_limits() {
    let server = start(local()).await;
    let heal = async |options: Value| {
        let mut body = healing("https://github.com/owner/repo", "a");
        body.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
        ask(server.send(Method::POST, "/api/heal", &body)).await
    };
    for (options, field) in [
        (json!({ "branch": "a..b" }), "branch"),
        (json!({ "branch": "" }), "branch"),
        (json!({ "retryLimit": 51 }), "retryLimit"),
        (json!({ "minutes": 0 }), "minutes"),
        (json!({ "minutes": 1441 }), "minutes"),
        (json!({ "minutes": "5" }), "minutes"),
        (json!({ "minute": 5 }), "minute"),
    ] {
        let (status, refused) = heal(options).await;
        assert_eq!((status, &refused["error"]["details"]["field"]), (400, &json!(field)), "{refused}");
    }
    let (status, job) = heal(json!({ "branch": "main", "dryRun": true, "retryLimit": 0, "minutes": 5 })).await;
    assert_eq!(status, 200, "{job}");
    let context = server.store.task(TaskId(1)).await.unwrap().unwrap().context;
    assert_eq!((&context["branch"], &context["delivery"]), (&json!("main"), &json!("dry_run")), "{context}");
    assert_eq!((&context["retry_limit"], &context["limits"]["run_seconds"]), (&json!(0), &json!(300)), "{context}");

    // The same once more, when that has ended.
    let claim = ClaimRequest {
        worker: "w".to_owned(),
        host: "here".to_owned(),
        kinds: vec![TaskKind::HealRepo],
        lease: Duration::from_mins(1),
        only: None,
    };
    let (task, lease) = server.store.claim(&claim).await.unwrap().unwrap();
    let (run, target) = (RunId(Uuid::now_v7()), task.target);
    let event = EventBody::RunStarted { target: target.clone() };
    let new = NewRun { run, workflow: "HEAL_REPO".to_owned(), target, started_at: server.store.now(), event };
    server.store.begin_run(&lease, &new).await.unwrap();
    let again = || ask(server.send(Method::POST, &format!("/api/runs/{run}/again"), &json!({})));
    let (status, shared) = again().await;
    assert_eq!(status, 200, "{shared}");
    assert_eq!(server.store.tasks(&TaskFilter::default()).await.unwrap().len(), 1, "it is still being healed");
    ask(server.send(Method::POST, "/api/tasks/1/cancel", &json!({}))).await;
    server.store.release(&lease).await.unwrap();
    assert_eq!(again().await.0, 200);
    let tasks = server.store.tasks(&TaskFilter::default()).await.unwrap();
    assert_eq!(tasks.len(), 2, "{tasks:?}");
    assert_eq!(tasks[0].context, context, "with the same settings");
}

#[tokio::test]
async fn values_that_look_unlike_those_before_are_accepted() {
    let server = start(local()).await;
    let health = Health { state: HealthState::Quarantined, ..Health::new() };
    let pages = ["<p class=price>12 EUR</p>", "<p class=price>Free</p>"];
    store_chair(&server, json!({ "price": { "select": ".price" } }), health, pages).await;
    let fault = PageFault {
        category: StopReason::SchemaMismatch,
        field: Some("price".to_owned()),
        status: None,
        page: None,
        message: "Changed field: price".to_owned(),
    };
    let mut log = DiagnosticsLog::default();
    log.observe(&[fault], Timestamp::from_millis(5));
    let diagnostics = SourceRecord::Diagnostics { source: "chair".to_owned(), entries: log.entries().to_vec() };
    server.store.change_sources(Timestamp::from_millis(5), &[diagnostics]).await.unwrap();
    let (_, listed) = ask(server.get("/api/sources/chair/diagnostics")).await;
    let [open] = listed["diagnostics"].as_array().unwrap().as_slice() else { panic!("{listed}") };
    assert_eq!(
        (&open["category"], &open["field"], &open["occurrenceCount"]),
        (&json!("SCHEMA_MISMATCH"), &json!("price"), &json!(1))
    );
    assert!(open["resolvedAt"].is_null(), "{open}");
    assert_eq!(ask(server.get("/api/sources/chair")).await.1["source"]["breakerReason"], "MAX_ATTEMPTS_REACHED");
    let accept = || ask(server.send(Method::POST, "/api/sources/chair/accept", &json!({})));
    let (status, accepted) = accept().await;
    assert_eq!((status, &accepted["state"]), (200, &json!("ACTIVE")), "{accepted}");
    assert_eq!(accepted["lastValues"], json!({ "price": "Free" }));
    assert!(accepted["breakerReason"].is_null(), "{accepted}");
    let (_, listed) = ask(server.get("/api/sources/chair/diagnostics")).await;
    assert!(listed["diagnostics"][0]["resolvedAt"].is_string(), "an acceptance resolves them: {listed}");
    let (_, timeline) = ask(server.get("/api/sources/chair/timeline?limit=1")).await;
    let event = &timeline["events"][0];
    assert_eq!((&event["kind"], &event["code"]), (&json!("DECIDED"), &json!("ACCEPTED")), "{timeline}");
    let (_, made) = ask(server.get("/api/sources/chair/decisions")).await;
    assert_eq!(made["decisions"][0]["decision"], "ACCEPTED", "{made}");
    let (status, again) = accept().await;
    assert!(status == 409 && again.to_string().contains("no failed page"), "{again}");
    assert_eq!(ask(server.send(Method::POST, "/api/sources/table/accept", &json!({}))).await.0, 404);
}

#[tokio::test]
async fn a_users_token_says_who_decides_whatever_the_client_says() {
    let of_user = |user: &str, token: &str| UserToken { user: user.to_owned(), token: token.into() };
    let user_tokens = vec![of_user("Ada Lovelace", "token-of-ada"), of_user("nightly", "token-of-nightly")];
    let server = start(Access { user: Some("owner".to_owned()), user_tokens, ..local() }).await;
    let add = async |name: &str, token: &str, said: Option<&str>| {
        let new = json!({ "url": format!("https://shop.example/{name}"), "name": name });
        let mut request = server.send(Method::POST, "/api/sources", &new);
        request = request.header("Authorization", format!("Bearer {token}"));
        if let Some(said) = said {
            request = request.header("X-Autoheal-User", said);
        }
        let (status, added) = ask(request).await;
        assert!(status == 202 || status == 401, "{added}");
        let id = added["task"]["taskId"].as_i64()?;
        let task = server.store.task(TaskId(id)).await.unwrap().unwrap();
        Some(task.context["asked_by"].as_str().unwrap().to_owned())
    };
    assert_eq!(add("one", "token-of-ada", Some("bob")).await.as_deref(), Some("Ada Lovelace"));
    assert_eq!(add("two", "token-of-nightly", None).await.as_deref(), Some("nightly"));
    assert_eq!(add("three", "the-token", None).await.as_deref(), Some("owner"));
    assert_eq!(add("four", "the-token", Some("bob")).await.as_deref(), Some("bob"));
    assert_eq!(add("five", "an-unknown-token", Some("bob")).await, None);
}

#[tokio::test]
async fn trends_have_every_day_and_what_stands_out() {
    let server = start(local()).await;
    let (status, trends) = ask(server.get("/api/trends?days=3")).await;
    assert_eq!(status, 200, "{trends}");
    let days = trends["days"].as_array().unwrap();
    let today = &server.store.now().to_rfc3339()[..10];
    assert_eq!((days.len(), days[2]["day"].as_str().unwrap(), &days[2]["runs"]), (3, today, &json!(0)), "{trends}");
    for (query, field) in
        [("days=0", "days"), ("days=91", "days"), ("days=-1", "days"), ("days=many", "days"), ("day=3", "day")]
    {
        let (status, refused) = ask(server.get(&format!("/api/trends?{query}"))).await;
        assert_eq!((status, &refused["error"]["details"]["field"]), (400, &json!(field)), "{refused}");
    }
}

#[tokio::test]
async fn who_asks_too_much_is_told_when_to_ask_again() {
    let server = start(Access { requests_per_second: 1, ..local() }).await;
    let mut answers = Vec::new();
    for _ in 0..8 {
        answers.push(server.get("/api/overview").send().await.unwrap());
    }
    let refused = answers.iter().find(|answer| answer.status() == 429).unwrap();
    assert!(refused.headers()["retry-after"].to_str().unwrap().parse::<u64>().unwrap() >= 1);
    assert_eq!(answers[0].status(), 200);
    assert_eq!(ask(server.get("/healthz")).await.0, 200, "whoever watches the server is not counted");
}

#[tokio::test]
async fn addresses_of_pages_are_the_dashboards_and_no_name_of_theirs_is_answered() {
    let server = start(public()).await;
    let page = server.get("/runs/whichever").header("Accept", "text/html").send().await.unwrap();
    // With or without the page in the binary, it is HTML, needs no token, and is not the API's.
    assert!(page.headers()["content-type"].to_str().unwrap().starts_with("text/html"));
    assert_eq!(page.headers()["x-content-type-options"], "nosniff");
    let home = server.get("/").send().await.unwrap();
    assert!(home.headers()["content-type"].to_str().unwrap().starts_with("text/html"), "whoever asks");
    for path in ["/missing.js", "/api/missing"] {
        let answer = server.get(path).header("Accept", "text/html").send().await.unwrap();
        assert_eq!(
            (answer.status().as_u16(), &answer.headers()["content-type"]),
            (404, &"application/json".parse().unwrap())
        );
    }
    assert_eq!(ask(server.get("/api/overview")).await.0, 401);
    assert_eq!(ask(server.get("/metrics")).await.0, 401);
    assert_eq!(ask(server.get("/readyz")).await, (200, json!({ "status": "ready", "database": true, "room": true })));
    let evil = start(local()).await;
    let answer = evil.get("/").header("Accept", "text/html").header("Host", "evil.example").send().await.unwrap();
    assert_eq!(answer.status(), 403);
}

#[tokio::test]
async fn a_stop_ends_streams_and_gives_what_runs_back() {
    let world = World::new().await;
    start_healing(&world.server, "https://github.com/owner/repo", "a").await;
    let working = world.work();
    world.until_entered(1).await;
    let (_, list) = ask(world.server.get("/api/runs")).await;
    let run = list["runs"][0]["runId"].as_str().unwrap().to_owned();
    let stream = world.server.get(&format!("/api/runs/{run}/events")).send().await.unwrap();
    world.server.stop();
    let text = tokio::time::timeout(Duration::from_secs(20), stream.text()).await.unwrap().unwrap();
    assert!(!events_of(&text).iter().any(|(_, name)| name == "end"), "the run has not ended: {text}");
    drop(working);
    assert_eq!(world.states().await, [TaskState::InProgress]);
}
