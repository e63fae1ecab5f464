//! Who may ask over HTTP, and what is answered.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use autoheal_fetch::{FetchSettings, Fetcher};
use autoheal_orchestrator::{Registry, Worker, WorkerSettings};
use autoheal_server::Services;
use autoheal_server::http::{Access, BindError, Server};
use autoheal_source::{Notifier, SourceServices};
use autoheal_store::Store;
use autoheal_testkit::site::Site;
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use tokio_util::sync::{CancellationToken, DropGuard};

/// A running server; it ends when this is dropped.
struct Running {
    address: SocketAddr,
    client: Client,
    _stop: DropGuard,
    _data: tempfile::TempDir,
}

async fn start(access: Access) -> Running {
    let data = tempfile::tempdir().unwrap();
    let store = Store::open_file(&data.path().join("autoheal.db")).await.unwrap();
    let settings = || {
        let mut settings =
            FetchSettings { allow_private: vec!["127.0.0.1".parse().unwrap()], ..FetchSettings::default() };
        settings.limits.pace.interval = Duration::ZERO;
        settings
    };
    let fetcher = Fetcher::new(settings()).unwrap();
    let sources = SourceServices::new(store.clone(), Fetcher::new(settings()).unwrap()).unwrap();
    let services = Services {
        store: store.clone(),
        fetcher: Arc::new(fetcher),
        models: None,
        extraction: autoheal_extract::ModelSettings::default(),
        navigation: autoheal_navigate::Settings::default(),
        worker: Worker::new(store, WorkerSettings::of_this_process(), Registry::new()),
        notifier: Arc::new(Notifier::new(sources, None, None)),
    };
    let server = Server::bind(([127, 0, 0, 1], 0).into(), access).await.unwrap();
    let address = server.address().unwrap();
    let stop = CancellationToken::new();
    tokio::spawn(server.serve(services, stop.clone()));
    // An error says that another test of this process was first.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Running { address, client: Client::new(), _stop: stop.drop_guard(), _data: data }
}

impl Running {
    fn get(&self, path: &str) -> RequestBuilder {
        self.client.get(format!("http://{}{path}", self.address))
    }

    fn call(&self, tool: &str, input: &Value) -> RequestBuilder {
        let request = self.client.post(format!("http://{}/api/tools/{tool}", self.address));
        request.header("Content-Type", "application/json").body(input.to_string())
    }
}

/// The status, and the document.
async fn ask(request: RequestBuilder) -> (u16, Value) {
    let answer = request.send().await.unwrap();
    let status = answer.status().as_u16();
    (status, serde_json::from_str(&answer.text().await.unwrap()).unwrap_or_default())
}

#[tokio::test]
async fn tools_are_listed_and_called_and_progress_comes_as_events() {
    let site = Site::start().await;
    site.set(
        "/chair",
        autoheal_testkit::site::Change::Raw(autoheal_testkit::site::RawAnswer::new(
            "text/html",
            "<!doctype html><title>A chair</title><h1>A chair</h1><script type='application/ld+json'>\
             {\"@type\": \"Product\", \"name\": \"A chair\"}</script>",
        )),
    );
    let server = start(Access::default()).await;
    let (status, listed) = ask(server.get("/api/tools")).await;
    assert_eq!((status, listed["tools"].as_array().unwrap().len()), (200, 5));
    assert_eq!(ask(server.get("/healthz")).await, (200, json!({ "status": "ok" })));

    let input = json!({ "url": site.url("/chair").as_str() });
    let (status, answer) = ask(server.call("extract", &input)).await;
    assert_eq!((status, &answer["data"]["item"]["title"]), (200, &json!("A chair")), "{answer}");
    assert!(answer["text"].as_str().unwrap().contains("A chair"));

    let stream = server.call("extract", &input).header("Accept", "text/event-stream").send().await.unwrap();
    assert_eq!(stream.headers()["content-type"], "text/event-stream");
    let events = stream.text().await.unwrap();
    let names: Vec<&str> = events.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
    assert_eq!(names, ["progress", "progress", "answer"], "{events}");
}

#[tokio::test]
async fn what_is_wrong_is_an_error_with_a_code() {
    let server = start(Access::default()).await;
    for (request, status, code) in [
        (server.call("nothing", &json!({})), 404, "NOT_FOUND"),
        (server.get("/elsewhere"), 404, "NOT_FOUND"),
        (server.call("navigate", &json!({ "goal": "x" })), 400, "INVALID_INPUT"),
        (server.call("extract", &json!({ "url": "http://10.1.2.3/" })), 502, "TOOL_FAILED"),
        (server.call("extract", &json!({ "url": "x".repeat(2 << 20) })), 413, "INVALID_INPUT"),
        (server.call("source_list", &json!({})).body("{"), 400, "INVALID_INPUT"),
    ] {
        let (answered, document) = ask(request).await;
        assert_eq!((answered, &document["error"]["code"]), (status, &json!(code)), "{document}");
        assert!(document["error"]["message"].as_str().is_some_and(|message| !message.is_empty()));
    }
}

#[tokio::test]
async fn a_page_in_a_browser_cannot_ask_through_this_machine() {
    let access =
        Access { hosts: vec!["tools.example".into()], origins: vec!["https://chat.example".into()], token: None };
    let server = start(access).await;
    let own = format!("http://{}", server.address);
    let list = || server.call("source_list", &json!({}));
    for (request, status) in [
        (list(), 200),
        (list().header("Host", "tools.example:8080"), 200),
        // A name of theirs that points here (DNS rebinding).
        (list().header("Host", "evil.example"), 403),
        (list().header("Host", "localhost.evil.example"), 403),
        (list().header("Host", ""), 403),
        // A page of theirs that posts here.
        (list().header("Origin", "https://evil.example"), 403),
        (list().header("Origin", "null"), 403),
        (list().header("Origin", "https://chat.example"), 200),
        (list().header("Origin", own.as_str()), 200),
    ] {
        assert_eq!(ask(request).await.0, status);
    }
    // What a form can send without asking first.
    for kind in ["text/plain", "application/x-www-form-urlencoded", ""] {
        let request =
            server.client.post(format!("{own}/api/tools/source_list")).header("Content-Type", kind).body("{}");
        assert_eq!(ask(request).await.0, 415, "{kind}");
    }
    let answer = list().send().await.unwrap();
    assert_eq!(answer.headers()["x-content-type-options"], "nosniff");
    assert!(answer.headers()["content-security-policy"].to_str().unwrap().contains("frame-ancestors 'none'"));
}

#[tokio::test]
async fn a_token_is_asked_for_and_without_one_nobody_else_is_let_in() {
    let server = start(Access { token: Some("a-token".into()), ..Access::default() }).await;
    let list = || server.call("source_list", &json!({}));
    for (request, status) in [
        (list(), 401),
        (list().header("Authorization", "Bearer a-tokem"), 401),
        (list().header("Authorization", "Bearer a-token-and-more"), 401),
        (list().header("Authorization", "Bearer a-token"), 200),
        (server.get("/healthz"), 200),
    ] {
        assert_eq!(ask(request).await.0, status);
    }
    let refused = Server::bind(([0, 0, 0, 0], 0).into(), Access::default()).await.unwrap_err();
    assert!(matches!(refused, BindError::NoToken(_)) && refused.to_string().contains("AUTOHEAL_TOKEN"));
    let access = Access { token: Some("a-token".into()), ..Access::default() };
    assert!(Server::bind(([0, 0, 0, 0], 0).into(), access).await.is_ok());
}
