//! Calls of `heal`, on a workflow that waits to be let on.

use std::sync::Arc;
use std::time::Duration;

use autoheal_engine::graph::{Graph, GraphBuilder, Next, Node, Policy};
use autoheal_engine::task::{Task, TaskKind, TaskState};
use autoheal_engine::workflow::{Ending, StepContext, StepError, Workflow};
use autoheal_engine::{StopReason, Timestamp};
use autoheal_orchestrator::{Registry, Worker};
use autoheal_server::tools::Repositories;
use autoheal_server::{Services, mcp};
use autoheal_store::{Store, TaskFilter};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::http::{Running, ask, local, services, start_as};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Only;

impl Node for Only {
    const ALL: &'static [Self] = &[Self];

    fn name(self) -> &'static str {
        "only"
    }
}

/// One node, which ends when there is a permit; its run tells what was asked.
pub(crate) struct Waiting {
    graph: Graph<Only, Value>,
    pub(crate) entered: Arc<Semaphore>,
    open: Arc<Semaphore>,
}

impl Workflow for Waiting {
    type Node = Only;
    type State = Value;

    fn kind(&self) -> TaskKind {
        TaskKind::HealRepo
    }

    fn state_version(&self) -> u32 {
        1
    }

    fn graph(&self) -> &Graph<Only, Value> {
        &self.graph
    }

    fn start(&self, task: &Task, _now: Timestamp) -> Result<Value, StepError> {
        Ok(task.context.clone())
    }

    async fn step(&self, _node: Only, state: &mut Value, context: &StepContext) -> Result<(), StepError> {
        context.note("healing", state["repository"].to_string());
        self.entered.add_permits(1);
        self.open.acquire().await.unwrap().forget();
        Ok(())
    }

    fn on_step_failed(&self, _node: Only, _state: &mut Value, _error: &StepError, _now: Timestamp) -> bool {
        false
    }

    fn cancel(&self, state: &mut Value, _now: Timestamp) {
        state["cancelled"] = json!(true);
    }

    fn is_stopped(&self, state: &Value) -> bool {
        state["cancelled"] == true
    }

    fn ending(&self, state: &Value, _now: Timestamp) -> Ending {
        let stop_reason = if self.is_stopped(state) { StopReason::Cancelled } else { StopReason::Green };
        Ending { outcome: stop_reason.outcome(1), stop_reason, results: state.clone(), report: "# Healed".to_owned() }
    }
}

/// Returns services for the user of this process, whose folders may be healed.
fn of_user(store: &Store, registry: Registry) -> Services {
    let mut services = services(store, registry);
    services.healing.repositories = Repositories::OfUser;
    services
}

/// A server whose healing waits.
pub(crate) struct World {
    pub(crate) server: Running,
    worker: Worker,
    folders: tempfile::TempDir,
    entered: Arc<Semaphore>,
    open: Arc<Semaphore>,
}

impl Waiting {
    pub(crate) fn new() -> Self {
        let policy = Policy { timeout: Duration::from_mins(1), attempts: 1, backoff: Duration::ZERO };
        let graph = GraphBuilder::new(Only).edge(Only, Next::End).policy(Only, policy).build().unwrap();
        Self { graph, entered: Arc::new(Semaphore::new(0)), open: Arc::new(Semaphore::new(0)) }
    }
}

impl World {
    pub(crate) async fn new() -> Self {
        let workflow = Waiting::new();
        let (entered, open) = (Arc::clone(&workflow.entered), Arc::clone(&workflow.open));
        let (server, worker) = start_as(local(), |store| of_user(store, Registry::new().with(workflow))).await;
        Self { server, worker, folders: tempfile::tempdir().unwrap(), entered, open }
    }

    /// Does what is in the queue until this is dropped, as a server's own worker does.
    pub(crate) fn work(&self) -> AbortOnDropHandle<()> {
        let worker = self.worker.clone();
        AbortOnDropHandle::new(tokio::spawn(async move { worker.run_until(CancellationToken::new()).await }))
    }

    pub(crate) fn let_end(&self, count: usize) {
        self.open.add_permits(count);
    }

    /// Returns the body of a request to heal a repository of that name.
    fn asked(&self, name: &str) -> Value {
        let folder = self.folders.path().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        json!({ "repository": folder })
    }

    pub(crate) async fn until_entered(&self, count: u32) {
        self.entered.acquire_many(count).await.unwrap().forget();
    }

    pub(crate) async fn states(&self) -> Vec<TaskState> {
        states(&self.server.store).await
    }
}

async fn states(store: &Store) -> Vec<TaskState> {
    let tasks = store.tasks(&TaskFilter::default()).await.unwrap();
    tasks.into_iter().map(|task| task.state).collect()
}

async fn until_cancelled(store: &Store) {
    for _ in 0..500 {
        if states(store).await == [TaskState::Cancelled] {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("still {:?}", states(store).await);
}

#[tokio::test]
async fn two_who_ask_for_the_same_get_the_same_run() {
    let world = World::new().await;
    let asked = world.asked("shop");
    let late = async {
        world.until_entered(1).await;
        let opening = async {
            // Time for the other call to find the task at work.
            tokio::time::sleep(Duration::from_millis(100)).await;
            world.open.add_permits(1);
        };
        tokio::join!(ask(world.server.call("heal", &asked)), opening).0
    };
    let (one, other) = tokio::join!(ask(world.server.call("heal", &asked)), late);
    assert_eq!((one.0, &one.1["data"]["stop_reason"]), (200, &json!("GREEN")), "{one:?}");
    assert_eq!(one.1["data"]["results"]["delivery"], "dry_run", "nothing is pushed unless it is asked for");
    assert_eq!(other, one);
    assert_eq!(world.states().await, [TaskState::Completed]);
}

#[tokio::test]
async fn a_call_hears_of_its_own_runs_only() {
    let world = World::new().await;
    let listen = |name: &str| {
        let request = world.server.call("heal", &world.asked(name)).header("Accept", "text/event-stream");
        async move { request.send().await.unwrap().text().await.unwrap() }
    };
    let opening = async {
        world.until_entered(2).await;
        world.open.add_permits(2);
    };
    let (shop, bank, ()) = tokio::join!(listen("shop"), listen("bank"), opening);
    for (events, own, other) in [(&shop, "shop", "bank"), (&bank, "bank", "shop")] {
        assert!(events.contains("event: answer") && events.contains(&format!("/{own}")), "{events}");
        assert!(!events.contains(&format!("/{other}")), "{events}");
    }
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_ends_its_task() {
    let world = World::new().await;
    let request = world.server.call("heal", &world.asked("shop"));
    tokio::select! {
        _ = request.send() => panic!("nobody let it go on"),
        () = world.until_entered(1) => {}
    }
    until_cancelled(&world.server.store).await;
}

#[tokio::test]
async fn what_an_assistant_cancels_ends_its_task() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open_file(&folder.path().join("autoheal.db")).await.unwrap();
    let workflow = Waiting::new();
    let entered = Arc::clone(&workflow.entered);
    let services = of_user(&store, Registry::new().with(workflow));
    let (assistant, server) = tokio::io::duplex(1 << 16);
    let (input, output) = tokio::io::split(server);
    let stop = CancellationToken::new();
    let serving = tokio::spawn(mcp::serve(services, input, output, stop.clone()));

    let (answers, mut asking) = tokio::io::split(assistant);
    let mut answers = BufReader::new(answers).lines();
    let client = json!({ "name": "test", "version": "1" });
    let beginning = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    let called = json!({ "name": "heal", "arguments": { "repository": folder.path() } });
    let mut say = async |mut message: Value| {
        message["jsonrpc"] = json!("2.0");
        asking.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    };
    say(json!({ "id": 1, "method": "initialize", "params": beginning })).await;
    answers.next_line().await.unwrap().unwrap();
    say(json!({ "method": "notifications/initialized" })).await;
    say(json!({ "id": 2, "method": "tools/call", "params": called })).await;
    entered.acquire().await.unwrap().forget();
    say(json!({ "method": "notifications/cancelled", "params": { "requestId": 2 } })).await;
    until_cancelled(&store).await;
    stop.cancel();
    serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn what_a_person_has_asked_for_to_be_pushed_is_not_taken_over_and_a_push_must_be_allowed() {
    let world = World::new().await;
    let mut asked = world.asked("shop");
    let first = world.server.call("heal", &asked).send();
    let others = async {
        world.until_entered(1).await;
        let filter = TaskFilter::default();
        let mut task = world.server.store.tasks(&filter).await.unwrap().remove(0);
        // The same repository, as a person has it healed by the command line.
        task.context["delivery"] = json!("push");
        world.open.add_permits(1);
        task
    };
    let (ended, task) = tokio::join!(first, others);
    assert_eq!(ended.unwrap().status(), 200);
    let pushed = autoheal_engine::task::NewTask {
        context: task.context,
        ..autoheal_engine::task::NewTask::new(TaskKind::HealRepo, task.target, Timestamp::default())
    };
    world.server.store.enqueue(&pushed).await.unwrap();
    let (status, refused) = ask(world.server.call("heal", &asked)).await;
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(status == 422 && message.contains("autoheal tasks cancel"), "{refused}");
    assert_eq!(world.states().await, [TaskState::Pending, TaskState::Completed], "it was not begun");

    asked["push"] = json!(true);
    let (status, refused) = ask(world.server.call("heal", &asked)).await;
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(status == 400 && message.contains("server.allow_push"), "{refused}");
}
