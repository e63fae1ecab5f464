//! Access control over HTTP, and the responses.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use autoheal_fetch::{FetchSettings, Fetcher};
use autoheal_forge::github::site_of_api;
use autoheal_navigate::{Crawler, FetchedPages};
use autoheal_orchestrator::{Notifier, Registry, Worker, WorkerSettings};
use autoheal_repo::HealRequest;
use autoheal_server::http::{Access, BindError, Server};
use autoheal_server::tools::{Repositories, Webhook};
use autoheal_server::{Healing, Services};
use autoheal_source::SourceServices;
use autoheal_store::{ManualIndex, Store};
use autoheal_testkit::site::Site;
use reqwest::header::HeaderMap;
use reqwest::{Client, Method, RequestBuilder};
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio_util::sync::{CancellationToken, DropGuard};

/// A running server; it ends when this is dropped.
pub(crate) struct Running {
    address: SocketAddr,
    client: Client,
    pub(crate) store: Store,
    stop: DropGuard,
    _data: tempfile::TempDir,
}

/// A server on this machine alone.
pub(crate) fn local() -> Access {
    Access::new("the-token".into())
}

/// A server that other machines reach, too: its [`Running`] shows no token by itself.
pub(crate) fn public() -> Access {
    Access { is_public: true, ..Access::new("a-token".into()) }
}

pub(crate) async fn start(access: Access) -> Running {
    start_with(access, Registry::new()).await.0
}

/// Returns services that poll runs often and run two tasks at once.
pub(crate) fn services(store: &Store, registry: Registry) -> Services {
    let settings = || {
        let mut settings =
            FetchSettings { allow_private: vec!["127.0.0.1".parse().unwrap()], ..FetchSettings::default() };
        settings.limits.pace.interval = Duration::ZERO;
        settings
    };
    let sources = SourceServices::new(store.clone(), Fetcher::new(settings()).unwrap()).unwrap();
    let worker =
        WorkerSettings { poll: Duration::from_millis(10), concurrency: 2, ..WorkerSettings::of_this_process() };
    let worker = WorkerSettings { heartbeat: Duration::from_millis(20), ..worker };
    Services {
        store: store.clone(),
        fetcher: Arc::clone(sources.fetcher()),
        models: None,
        extraction: autoheal_extract::ModelSettings::default(),
        navigation: autoheal_navigate::Settings { max_steps: 2, ..autoheal_navigate::Settings::default() },
        manuals: None,
        worker: Worker::new(store.clone(), worker, registry),
        crew: None,
        healing: Healing {
            request: HealRequest::new(""),
            may_push: false,
            people_push: true,
            repositories: Repositories::AtHost,
            sites: vec![site_of_api(&"https://api.github.com".parse().unwrap()).unwrap()],
        },
        notifier: Arc::new(Notifier::new(store.clone(), Arc::clone(sources.fetcher()), None, None)),
        webhook: Webhook::default(),
    }
}

/// Starts a server, and a worker that runs the tasks that clients request.
pub(crate) async fn start_with(access: Access, registry: Registry) -> (Running, Worker) {
    start_as(access, |store| services(store, registry)).await
}

pub(crate) async fn start_as(access: Access, services: impl FnOnce(&Store) -> Services) -> (Running, Worker) {
    let data = tempfile::tempdir().unwrap();
    let store = Store::open_file(&data.path().join("autoheal.db")).await.unwrap();
    let services = services(&store);
    let worker = services.worker.clone();
    let mut shown = HeaderMap::new();
    if !access.is_public {
        let token = format!("Bearer {}", access.token.expose_secret());
        shown.insert("Authorization", token.parse().unwrap());
    }
    let server = Server::bind(([127, 0, 0, 1], 0).into(), access).await.unwrap();
    let address = server.address().unwrap();
    let stop = CancellationToken::new();
    tokio::spawn(server.serve(services, stop.clone()));
    // An error says that another test of this process was first.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder().default_headers(shown).build().unwrap();
    let running = Running { address, client, store, stop: stop.drop_guard(), _data: data };
    (running, worker)
}

impl Running {
    pub(crate) fn stop(&self) {
        self.stop.token().cancel();
    }

    /// Polls a path until the response is `wanted`, and returns it.
    pub(crate) async fn until(&self, path: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        for _ in 0..1000 {
            let (_, document) = ask(self.get(path)).await;
            if wanted(&document) {
                return document;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{path} never comes to what is wanted: {}", ask(self.get(path)).await.1);
    }

    pub(crate) fn get(&self, path: &str) -> RequestBuilder {
        self.client.get(format!("http://{}{path}", self.address))
    }

    pub(crate) fn send(&self, method: Method, path: &str, body: &Value) -> RequestBuilder {
        let request = self.client.request(method, format!("http://{}{path}", self.address));
        request.header("Content-Type", "application/json").body(body.to_string())
    }

    pub(crate) fn call(&self, tool: &str, input: &Value) -> RequestBuilder {
        let request = self.client.post(format!("http://{}/api/tools/{tool}", self.address));
        request.header("Content-Type", "application/json").body(input.to_string())
    }
}

/// The status, and the document.
pub(crate) async fn ask(request: RequestBuilder) -> (u16, Value) {
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
    let server = start(local()).await;
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

/// A chat front end reads the description below the address of the tool server, and calls the operations that it lists.
#[tokio::test]
async fn the_tools_describe_themselves_to_assistants() {
    let server = start(public()).await;
    assert_eq!(ask(server.get("/api/tools/openapi.json")).await.0, 401);
    let authorised = |request: reqwest::RequestBuilder| request.header("Authorization", "Bearer a-token");
    let (status, described) = ask(authorised(server.get("/api/tools/openapi.json"))).await;
    assert_eq!((status, &described["openapi"]), (200, &json!("3.1.0")));
    assert_eq!(described["servers"], json!([{ "url": "/api/tools" }]));
    let names: Vec<_> = described["paths"].as_object().unwrap().iter().collect();
    assert_eq!(names.len(), 5);
    for (path, item) in names {
        let operation = &item["post"];
        assert_eq!(format!("/{}", operation["operationId"].as_str().unwrap()), *path);
        assert!(operation["description"].as_str().is_some_and(|text| text.len() > 80), "{operation}");
    }
    let (status, answer) = ask(authorised(server.call("source_list", &json!({})))).await;
    assert_eq!((status, &answer["data"]["sources"]), (200, &json!([])), "{answer}");
}

#[tokio::test]
async fn what_is_wrong_is_an_error_with_a_code() {
    let server = start(local()).await;
    for (request, status, code) in [
        (server.call("nothing", &json!({})), 404, "NOT_FOUND"),
        (server.get("/elsewhere"), 404, "NOT_FOUND"),
        (server.call("%ff", &json!({})), 404, "NOT_FOUND"),
        (server.get("/api/tools/extract"), 405, "INVALID_INPUT"),
        (server.get("/api/elsewhere"), 404, "NOT_FOUND"),
        (server.call("../../healthz", &json!({})), 405, "INVALID_INPUT"),
        (server.call("navigate", &json!({ "goal": "x" })), 400, "INVALID_INPUT"),
        (server.call("extract", &json!({ "url": "http://10.1.2.3/" })), 422, "TOOL_FAILED"),
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
        Access { hosts: vec!["tools.example".into()], origins: vec!["https://chat.example".into()], ..local() };
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
        (list().header("Host", b"localhost\xff".as_slice()), 403),
        (list().header("Host", "localhost").header("Host", "evil.example"), 403),
        // A page of theirs that posts here.
        (list().header("Origin", "https://evil.example"), 403),
        (list().header("Origin", "null"), 403),
        (list().header("Origin", b"https://evil.example\xff".as_slice()), 403),
        (list().header("Origin", own.as_str()).header("Origin", "https://evil.example"), 403),
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
    let upper = server.client.post(format!("{own}/api/tools/source_list")).body("{}");
    assert_eq!(ask(upper.header("Content-Type", "Application/JSON; charset=utf-8")).await.0, 200);
    let answer = list().send().await.unwrap();
    assert_eq!(answer.headers()["x-content-type-options"], "nosniff");
    assert!(answer.headers()["content-security-policy"].to_str().unwrap().contains("frame-ancestors 'none'"));
}

#[tokio::test]
async fn a_token_is_asked_for_and_without_one_nobody_else_is_let_in() {
    let server = start(public()).await;
    let list = || server.call("source_list", &json!({}));
    for (request, status) in [
        (list(), 401),
        (list().header("Authorization", "Bearer a-tokem"), 401),
        (list().header("Authorization", "Bearer a-token-and-more"), 401),
        (list().header("Authorization", "Bearer a-token"), 200),
        (list().header("Authorization", "bearer a-token"), 200),
        (list().header("Authorization", "Basic a-token"), 401),
        // Whoever knows the token may ask under any name, and a page in a browser does not know it.
        (list().header("Authorization", "Bearer a-token").header("Host", "tools.example"), 200),
        (list().header("Host", "tools.example"), 401),
        (list().header("Authorization", "Bearer a-token").header("Origin", "https://evil.example"), 403),
        (server.get("/healthz"), 200),
    ] {
        assert_eq!(ask(request).await.0, status);
    }
    let refused = Server::bind(([0, 0, 0, 0], 0).into(), local()).await.unwrap_err();
    assert!(matches!(refused, BindError::NotPublic(_)) && refused.to_string().contains("AUTOHEAL_TOKEN"));
    let access = public();
    assert!(Server::bind(([0, 0, 0, 0], 0).into(), access).await.is_ok());
}

/// Whatever runs on this machine can reach the loopback interface: any local user, any container with the host's network.
#[tokio::test]
async fn who_does_not_know_the_token_gets_the_page_and_the_probes_and_nothing_else() {
    let server = start(local()).await;
    let stranger = Client::new();
    let described = ask(server.get("/api/openapi.json")).await.1;
    let mut asked = 0;
    for (path, operations) in described["paths"].as_object().unwrap() {
        let address = format!("http://{}{}", server.address, path.replace(['{', '}'], ""));
        for method in operations.as_object().unwrap().keys() {
            let method: Method = method.to_uppercase().parse().unwrap();
            let request = stranger.request(method, &address).header("Content-Type", "application/json").body("{}");
            let status = request.send().await.unwrap().status().as_u16();
            let is_open = ["/healthz", "/readyz"].contains(&path.as_str());
            // Signed by GitHub, or refused.
            let is_signed = path.starts_with("/api/webhooks/");
            assert_eq!(
                status,
                if is_open {
                    200
                } else if is_signed {
                    404
                } else {
                    401
                },
                "{path}"
            );
            asked += 1;
        }
    }
    assert!(asked > 40, "{asked}");
    for path in ["/metrics", "/api/openapi.json", "/api/tools/openapi.json"] {
        assert_eq!(
            stranger.get(format!("http://{}{path}", server.address)).send().await.unwrap().status(),
            401,
            "{path}"
        );
    }
}

/// Half a request from the address, which the server waits for.
async fn half_a_request(server: &Running, from: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(format!("{from}:0").parse().unwrap()).unwrap();
    let mut stream = socket.connect(server.address).await.unwrap();
    // A server that hangs up may be faster.
    let _ = stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n").await;
    stream
}

#[tokio::test]
async fn a_client_that_opens_connections_leaves_room_for_others() {
    let server = start(Access { connections_per_client: 2, ..local() }).await;
    let mut first = half_a_request(&server, "127.0.0.1").await;
    let _second = half_a_request(&server, "127.0.0.1").await;
    let mut third = half_a_request(&server, "127.0.0.1").await;
    let mut heard = Vec::new();
    // Hung up on, by an end or a reset.
    assert!(matches!(third.read_to_end(&mut heard).await, Ok(0) | Err(_)) && heard.is_empty());
    let mut of_other = half_a_request(&server, "127.0.0.2").await;
    for stream in [&mut first, &mut of_other] {
        stream.write_all(b"Connection: close\r\n\r\n").await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
}

#[tokio::test]
async fn a_browser_lets_the_pages_of_listed_origins_ask() {
    let access = Access { origins: vec!["https://chat.example".into()], ..public() };
    let server = start(access).await;
    let address = format!("http://{}/api/tools/source_list", server.address);
    let beforehand = |origin: &str| {
        let request = server.client.request(reqwest::Method::OPTIONS, &address).header("Origin", origin);
        request
            .header("Access-Control-Request-Method", "POST")
            .header("Access-Control-Request-Headers", "authorization,content-type,x-autoheal-user")
            .send()
    };
    let allowed = beforehand("https://chat.example").await.unwrap();
    assert_eq!(allowed.status(), 204, "asked without the token, as browsers do");
    let headers = allowed.headers();
    assert_eq!(headers["access-control-allow-origin"], "https://chat.example");
    assert_eq!(headers["access-control-allow-headers"], "Authorization, Content-Type, Last-Event-ID, X-Autoheal-User");
    assert_eq!(
        (&headers["access-control-allow-methods"], &headers["vary"]),
        (&"GET, POST, PATCH, DELETE".parse().unwrap(), &"Origin".parse().unwrap())
    );

    let list = || server.call("source_list", &json!({})).header("Origin", "https://chat.example");
    for (request, status) in [(list().header("Authorization", "Bearer a-token"), 200), (list(), 401)] {
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), status);
        assert_eq!(answer.headers()["access-control-allow-origin"], "https://chat.example");
    }
    let refused = beforehand("https://evil.example").await.unwrap();
    assert_eq!((refused.status().as_u16(), refused.headers().get("access-control-allow-origin")), (403, None));
}

#[tokio::test]
async fn a_manual_that_cannot_be_reached_is_a_failure_and_one_without_the_answer_is_an_answer() {
    let site = Site::start().await;
    let page = "<!doctype html><title>Manual</title><h1>Manual</h1><p>Nothing here.</p>\
                <a href='/a'>A</a> <a href='/b'>B</a> <a href='/c'>C</a> <a href='/d'>D</a>";
    for path in ["/", "/a", "/b", "/c", "/d"] {
        site.set(path, autoheal_testkit::site::Change::Raw(autoheal_testkit::site::RawAnswer::new("text/html", page)));
    }
    let server = start(local()).await;
    let ask_at = |start: &str| json!({ "goal": "oil capacity", "start": start, "max_steps": 50 });
    let (status, failure) = ask(server.call("navigate", &ask_at("http://127.0.0.1:1/"))).await;
    assert_eq!((status, &failure["error"]["code"]), (422, &json!("TOOL_FAILED")), "{failure}");
    assert!(failure["error"]["message"].as_str().unwrap().contains("http://127.0.0.1:1/ cannot be read"), "{failure}");

    let (status, answer) = ask(server.call("navigate", &ask_at(site.url("/").as_str()))).await;
    assert_eq!((status, &answer["data"]["success"]), (200, &json!(false)), "{answer}");
    assert!(answer["data"]["steps_taken"].as_u64().unwrap() <= 2, "the server's limit holds: {answer}");
}

#[tokio::test]
async fn navigate_uses_the_index_of_the_manual() {
    let site = Site::start().await;
    let html = |text: &str| {
        let page = format!("<!doctype html><title>Manual</title><h1>Manual</h1>{text}");
        autoheal_testkit::site::Change::Raw(autoheal_testkit::site::RawAnswer::new("text/html", page))
    };
    // The answer is behind more links than the server lets a navigation follow.
    site.set("/", html("<p>Welcome.</p><a href='/a'>Contents</a>"));
    site.set("/a", html("<a href='/b'>More contents</a>"));
    site.set("/b", html("<a href='/c'>Even more</a>"));
    site.set("/c", html("<h2>Engine</h2><p>The engine oil capacity is 5.2 litres with the filter.</p>"));
    let manuals = tempfile::tempdir().unwrap();
    let (folder, start) = (manuals.path().to_owned(), site.url("/"));
    let asked = json!({ "goal": "engine oil capacity", "start": start.as_str() });
    let with_manuals = |store: &Store| Services { manuals: Some(folder.clone()), ..services(store, Registry::new()) };
    let (server, _) = start_as(local(), with_manuals).await;
    let (status, answer) = ask(server.call("navigate", &asked)).await;
    assert_eq!((status, &answer["data"]["success"]), (200, &json!(false)), "without an index: {answer}");

    let index = ManualIndex::create(&folder.join(ManualIndex::file_name(&start))).await.unwrap();
    let fetcher = services(&server.store, Registry::new()).fetcher;
    let pages = FetchedPages::new(&fetcher, Duration::from_secs(10));
    assert!(Crawler::new(&pages, &index, &start, 100).crawl().await.unwrap().is_complete);
    let before = site.requests_in_all();
    let (status, answer) = ask(server.call("navigate", &asked)).await;
    assert_eq!((status, &answer["data"]["success"]), (200, &json!(true)), "{answer}");
    assert!(answer["data"]["content"].as_str().unwrap().contains("5.2 litres"), "{answer}");
    assert!(answer["data"]["url"].as_str().unwrap().ends_with("/c"), "{answer}");
    assert_eq!(site.requests_in_all(), before, "without a request");

    // One that cannot be read is not used.
    let other = site.url("/a");
    std::fs::write(folder.join(ManualIndex::file_name(&other)), "no database").unwrap();
    let asked = json!({ "goal": "engine oil capacity", "start": other.as_str() });
    let (status, answer) = ask(server.call("navigate", &asked)).await;
    assert_eq!((status, &answer["data"]["success"]), (200, &json!(false)), "{answer}");
}
