//! CI events from GitHub.

use std::fmt::Write as _;
use std::time::Duration;

use autoheal_orchestrator::Registry;
use autoheal_repo::HealRequest;
use autoheal_repo::request::Delivery;
use autoheal_server::Services;
use autoheal_server::tools::{AllowedRepository, Repositories, Webhook};
use autoheal_store::TaskFilter;
use reqwest::{Method, RequestBuilder};
use ring::hmac;
use serde_json::{Value, json};

use crate::http::{Running, ask, public, services, start_as};

const SECRET: &str = "It's a Secret to Everybody";

/// A server that only those may ask who know a token, with a webhook.
async fn start(change: impl FnOnce(&mut Services)) -> Running {
    let access = public();
    start_as(access, |store| {
        let mut services = services(store, Registry::new());
        services.webhook = Webhook { secret: Some(SECRET.into()), is_enabled: true };
        change(&mut services);
        services
    })
    .await
    .0
}

/// As GitHub signs (its documentation, "Validating webhook deliveries").
fn signature(secret: &str, body: &str) -> String {
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()), body.as_bytes());
    tag.as_ref().iter().fold("sha256=".to_owned(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

fn unsigned(server: &Running, event: &str, body: &Value) -> RequestBuilder {
    server.send(Method::POST, "/api/webhooks/github", body).header("X-GitHub-Event", event).header("Host", "ci.example")
}

fn signed(server: &Running, event: &str, body: &Value) -> RequestBuilder {
    unsigned(server, event, body).header("X-Hub-Signature-256", signature(SECRET, &body.to_string()))
}

/// Returns the requests of all tasks, the newest first.
async fn asked(server: &Running) -> Vec<HealRequest> {
    let tasks = server.store.tasks(&TaskFilter::default()).await.unwrap();
    tasks.into_iter().map(|task| serde_json::from_value(task.context).unwrap()).collect()
}

/// As GitHub writes times.
fn days_ago(days: u64) -> String {
    autoheal_store::system_time().minus(Duration::from_hours(24 * days)).to_rfc3339()
}

/// A run of Actions that failed.
fn failed(changes: &Value) -> Value {
    let mut run = json!({
        "id": 1, "conclusion": "failure", "updated_at": days_ago(6), "head_branch": "feature", "head_sha": "a".repeat(40), "pull_requests": [],
        "head_commit": { "message": "Add a feature" }, "head_repository": { "id": 7 },
    });
    run.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    let repository = json!({ "id": 7, "html_url": "https://github.com/owner/shop", "full_name": "owner/shop" });
    json!({ "action": "completed", "workflow_run": run, "repository": repository })
}

#[test]
fn the_signature_is_that_of_the_documentation() {
    let signed = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    assert_eq!(signature(SECRET, "Hello, World!"), signed);
}

#[tokio::test]
async fn a_branch_whose_ci_failed_is_healed_once() {
    let server = start(|_| {}).await;
    let event = failed(&json!({}));
    let (status, answer) = ask(signed(&server, "workflow_run", &event)).await;
    assert_eq!((status, &answer["status"]), (202, &json!("queued")), "{answer}");
    let request = asked(&server).await.remove(0);
    assert_eq!(
        (request.repository.as_str(), request.branch.as_deref()),
        ("https://github.com/owner/shop", Some("feature"))
    );
    assert_eq!((request.delivery, request.commit), (Delivery::Push, None));

    // The same again, and a suite of the same push.
    assert_eq!(ask(signed(&server, "workflow_run", &event)).await, (202, answer.clone()));
    let mut suite = failed(&json!({ "id": 2 }));
    suite["check_suite"] = suite["workflow_run"].take();
    let (status, other) = ask(signed(&server, "check_suite", &suite)).await;
    assert_eq!((status, &other["status"]), (202, &json!("queued")), "{other}");
    assert_ne!(other["jobId"], answer["jobId"]);
    assert_eq!(asked(&server).await.len(), 1);
    let get = |answer: &Value| server.get(&format!("/api/status/{}", answer["jobId"].as_str().unwrap()));
    assert_eq!(ask(get(&other).header("Authorization", "Bearer a-token")).await.1["status"], "queued");

    // Another branch has to wait until this one is healed.
    let (status, busy) = ask(signed(&server, "workflow_run", &failed(&json!({ "head_branch": "main" })))).await;
    assert_eq!(
        (status, &busy["error"]["code"]),
        (409, &json!("CONFLICT")),
        "GitHub is to show it as not delivered: {busy}"
    );

    // What was told once is not done again, also when its task has ended.
    let task = server.store.tasks(&TaskFilter::default()).await.unwrap().remove(0).id;
    assert!(server.store.request_cancel(task).await.unwrap());
    assert_eq!(ask(signed(&server, "workflow_run", &event)).await, (202, answer));
    assert_eq!(asked(&server).await.len(), 1);
}

#[tokio::test]
async fn what_is_not_to_be_healed_is_left_alone() {
    let server = start(|_| {}).await;
    for (changes, reason) in [
        // What was recorded long ago, and is sent again when its job is forgotten.
        (json!({ "updated_at": days_ago(8) }), "older than a week"),
        (json!({ "updated_at": null }), "older than a week"),
        (json!({ "conclusion": "success" }), "did not fail"),
        (json!({ "conclusion": null }), "did not fail"),
        (json!({ "head_branch": "TEAM_LEADER_AI_Fix" }), "autoheal's own"),
        (json!({ "head_commit": { "message": "[AI-AGENT] Fix LOGIC error in a.py line 1" } }), "autoheal's own"),
        (json!({ "head_repository": { "id": 8 } }), "a fork"),
        (json!({ "head_branch": null }), "a fork"),
        (json!({ "pull_requests": [{ "head": { "repo": { "id": 8 } } }] }), "a fork"),
        (json!({ "pull_requests": [{ "head": { "repo": null } }] }), "a fork"),
    ] {
        let (status, answer) = ask(signed(&server, "workflow_run", &failed(&changes))).await;
        assert_eq!((status, &answer["status"]), (202, &json!("ignored")), "{changes}: {answer}");
        assert!(answer["reason"].as_str().unwrap().contains(reason), "{changes}: {answer}");
    }
    let mut other = failed(&json!({}));
    other["action"] = json!("requested");
    assert_eq!(ask(signed(&server, "workflow_run", &other)).await.1["status"], "ignored");
    other = failed(&json!({}));
    other["repository"]["html_url"] = json!("https://evil.example/owner/shop");
    assert_eq!(ask(signed(&server, "workflow_run", &other)).await.1["status"], "ignored");
    assert_eq!(ask(signed(&server, "push", &json!([]))).await.1["status"], "ignored");
    assert_eq!(ask(signed(&server, "ping", &json!({ "zen": "" }))).await, (200, json!({ "status": "ready" })));
    for wrong in [json!({}), json!([]), json!({ "workflow_run": 1 }), json!({ "repository": { "id": 1 } })] {
        let (status, answer) = ask(signed(&server, "workflow_run", &wrong)).await;
        assert_eq!((status, &answer["error"]["code"]), (400, &json!("INVALID_INPUT")), "{wrong}: {answer}");
    }
    let long = json!({ "x": "x".repeat(2 << 20) });
    assert_eq!(ask(signed(&server, "workflow_run", &long)).await.0, 413);
    assert_eq!(asked(&server).await.len(), 0);

    let listed = start(|services| {
        let allowed = AllowedRepository::parse_on("https://github.com/owner/bank", &services.healing.sites).unwrap();
        services.healing.repositories = Repositories::Listed(vec![allowed]);
    })
    .await;
    let (_, answer) = ask(signed(&listed, "workflow_run", &failed(&json!({})))).await;
    assert!(answer["reason"].as_str().unwrap().contains("server.repositories"), "{answer}");
    let disabled = start(|services| services.webhook.is_enabled = false).await;
    let (_, answer) = ask(signed(&disabled, "workflow_run", &failed(&json!({})))).await;
    assert!(answer["reason"].as_str().unwrap().contains("server.github_webhook.enabled"), "{answer}");
    assert_eq!((asked(&listed).await.len(), asked(&disabled).await.len()), (0, 0));
}

#[tokio::test]
async fn only_who_knows_the_secret_is_believed() {
    let server = start(|_| {}).await;
    let event = failed(&json!({}));
    let right = signature(SECRET, &event.to_string());
    let with = |signature: &str| unsigned(&server, "workflow_run", &event).header("X-Hub-Signature-256", signature);
    let shortened = right[..right.len() - 2].to_owned();
    let others = [signature("another", &event.to_string()), right.replace("sha256=", "sha1="), shortened];
    for request in others.iter().map(|signature| with(signature)).chain([
        unsigned(&server, "workflow_run", &event),
        with("sha256="),
        with("sha256=\u{e9}"),
        // Of another body.
        unsigned(&server, "workflow_run", &failed(&json!({ "head_branch": "main" })))
            .header("X-Hub-Signature-256", &right),
    ]) {
        let (status, answer) = ask(request).await;
        assert_eq!((status, &answer["error"]["code"]), (401, &json!("UNAUTHORIZED")), "{answer}");
    }
    assert_eq!(asked(&server).await.len(), 0);
    assert_eq!(ask(with(&right)).await.0, 202);

    let without = start(|services| services.webhook.secret = None).await;
    let (status, answer) = ask(unsigned(&without, "workflow_run", &event)).await;
    assert_eq!((status, &answer["error"]["code"]), (404, &json!("NOT_FOUND")), "{answer}");
}

/// GitHub's own examples of every event that it sends.
fn examples() -> Option<Vec<(String, Value)>> {
    let file = std::env::var_os("AUTOHEAL_TEST_WEBHOOK_EXAMPLES")?;
    let events: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let of = |event: &Value| {
        let name = event["name"].as_str().unwrap().to_owned();
        event["examples"]
            .as_array()
            .unwrap()
            .iter()
            .map(move |example| (name.clone(), example.clone()))
            .collect::<Vec<_>>()
    };
    Some(events.as_array().unwrap().iter().flat_map(of).collect())
}

#[tokio::test]
async fn every_example_of_github_is_answered_and_only_what_failed_is_healed() {
    let Some(examples) = examples() else {
        autoheal_testkit::skip(
            "GitHub's examples of events",
            "AUTOHEAL_TEST_WEBHOOK_EXAMPLES names no file: ./test fetches it",
        );
        return;
    };
    let server = start(|_| {}).await;
    assert!(examples.len() > 300);
    for (event, example) in &examples {
        let (status, answer) = ask(signed(&server, event, example)).await;
        let expected = if event == "ping" { (200, json!("ready")) } else { (202, json!("ignored")) };
        assert_eq!((status, answer["status"].clone()), expected, "{event}: {answer}");
    }
    assert_eq!(asked(&server).await.len(), 0, "nothing in them has failed");

    // Each as if it had.
    let mut healed = 0;
    for (event, mut example) in examples {
        let is_completed = example["action"] == "completed";
        let (repository, head) =
            (example["repository"]["id"].clone(), example[&event]["head_repository"]["id"].clone());
        if example[&event]["conclusion"].is_string() || is_completed {
            assert!(
                event != "check_suite" && event != "workflow_run" || example[&event]["updated_at"].is_string(),
                "{example}"
            );
            example[&event]["conclusion"] = json!("failure");
            // And not in the year in which it was written down.
            example[&event]["updated_at"] = json!(days_ago(0));
        }
        let pulls = example[&event]["pull_requests"].as_array().cloned().unwrap_or_default();
        let is_of_fork = pulls.iter().any(|pull| pull["head"]["repo"]["id"] != repository)
            || !(head.is_null() || head == repository);
        let is_healed = is_completed && ["workflow_run", "check_suite"].contains(&event.as_str()) && !is_of_fork;
        let (status, answer) = ask(signed(&server, &event, &example)).await;
        let expected = if is_healed { "queued" } else { "ignored" };
        let is_ping = event == "ping";
        assert!(is_ping || (status, answer["status"].as_str()) == (202, Some(expected)), "{event}: {answer}");
        for task in server.store.tasks(&TaskFilter::default()).await.unwrap() {
            healed += u32::from(server.store.request_cancel(task.id).await.unwrap());
        }
    }
    // Of those that failed, each names another repository, branch or suite.
    assert!(healed >= 3, "{healed}");
}
