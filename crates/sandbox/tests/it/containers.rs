//! Tests that are specific to Docker.

use std::collections::HashMap;
use std::time::Duration;

use autoheal_engine::RunId;
use autoheal_sandbox::{Choice, End, Image, Limit, SandboxError};
use bollard::Docker;
use bollard::models::ContainerCreateBody;
use bollard::query_parameters::{ListContainersOptionsBuilder, RemoveContainerOptionsBuilder};
use proptest::collection::vec;
use proptest::strategy::{Just, Strategy, Union, ValueTree as _};
use proptest::test_runner::TestRunner;

use crate::place::{Place, command, sandbox, settings, spec};

pub(crate) async fn engine() -> Option<Docker> {
    Docker::connect_with_defaults().ok()?.negotiate_version().await.ok()
}

/// The containers of a run, whatever their state.
async fn of_run(docker: &Docker, run: RunId) -> Vec<String> {
    let filter = [("label".to_owned(), vec![format!("autoheal.run={run}")])].into();
    let options = ListContainersOptionsBuilder::new().all(true).filters(&filter).build();
    docker.list_containers(Some(options)).await.unwrap().into_iter().filter_map(|container| container.id).collect()
}

/// The containers of a run, of the engine that these tests use.
pub(crate) async fn of_this(run: RunId) -> Vec<String> {
    of_run(&engine().await.unwrap(), run).await
}

/// Makes a container that nothing of this program started, with these labels; it would sleep for some minutes.
pub(crate) async fn make(docker: &Docker, labels: HashMap<String, String>) -> String {
    let body = ContainerCreateBody {
        image: Some("autoheal-python:local".to_owned()),
        cmd: Some(["sleep", "300"].map(str::to_owned).to_vec()),
        labels: Some(labels),
        ..ContainerCreateBody::default()
    };
    docker.create_container(None, body).await.unwrap().id
}

/// Returns whether the engine knows the container, in any state.
pub(crate) async fn is_there(docker: &Docker, id: &str) -> bool {
    docker.inspect_container(id, None).await.is_ok()
}

/// Removes a container by force.
pub(crate) async fn remove(docker: &Docker, id: &str) {
    let options = RemoveContainerOptionsBuilder::new().force(true).build();
    docker.remove_container(id, Some(options)).await.unwrap();
}

/// Awaits that no container of the run is left, if there is an engine at all.
pub(crate) async fn await_none(run: RunId) {
    let Some(docker) = engine().await else { return };
    let gone = async {
        while !of_run(&docker, run).await.is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), gone).await.unwrap();
}

#[tokio::test]
async fn one_container_serves_all_commands_until_the_workspace_is_closed() {
    let Some(mut place) = Place::open(Choice::Docker).await else { return };
    let docker = engine().await.unwrap();
    let first = of_run(&docker, place.run).await;
    assert_eq!(first.len(), 1);
    for _ in 0..3 {
        assert_eq!(place.run(&["true"]).await.end, End::Exited(0));
    }
    assert_eq!(of_run(&docker, place.run).await, first);
    place.workspace.close().await.unwrap();
    assert_eq!(of_run(&docker, place.run).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_dropped_workspace_leaves_no_container() {
    let Some(place) = Place::open(Choice::Docker).await else { return };
    let run = place.run;
    drop(place);
    await_none(run).await;
}

#[tokio::test]
async fn a_dead_container_is_replaced() {
    let Some(mut place) = Place::open(Choice::Docker).await else { return };
    let docker = engine().await.unwrap();
    let options = RemoveContainerOptionsBuilder::new().force(true).build();
    docker.remove_container(&of_run(&docker, place.run).await[0], Some(options)).await.unwrap();
    assert_eq!(place.run(&["true"]).await.end, End::Exited(0));
}

#[tokio::test]
async fn a_missing_image_is_named_with_its_setting() {
    let state = tempfile::tempdir().unwrap();
    let mut settings = settings(state.path());
    settings.images.insert(Image::PYTHON.0, "no-such-image:ever".to_owned());
    let Some(sandbox) = sandbox(Choice::Docker, &settings).await else { return };
    let folder = tempfile::tempdir().unwrap();
    let spec = spec(RunId(uuid::Uuid::now_v7()), folder.path());
    let Err(error) = sandbox.open(spec).await else { panic!("it opened") };
    assert!(matches!(error, SandboxError::MissingImage { .. }));
    assert!(error.to_string().contains("no-such-image:ever") && error.to_string().contains("sandbox.python_image"));
}

/// One use of a workspace.
#[derive(Debug, Clone)]
enum Use {
    /// A command that ends by itself with this status.
    Command(u8),
    /// A command that leaves another behind.
    Orphan,
    /// A command that is dropped before it ends.
    Dropped,
    /// A command that uses too much.
    TooMuch,
    /// The container is removed from outside.
    Removed,
}

/// One to three uses, and whether the workspace is closed or dropped after them.
fn uses() -> impl Strategy<Value = (Vec<Use>, bool)> {
    let one = Union::new_weighted(vec![
        (6, (0_u8..3).prop_map(Use::Command).boxed()),
        (2, Just(Use::Orphan).boxed()),
        (2, Just(Use::Dropped).boxed()),
        (1, Just(Use::TooMuch).boxed()),
        (1, Just(Use::Removed).boxed()),
    ]);
    (vec(one, 0..3), proptest::bool::ANY)
}

async fn take(place: &mut Place, docker: &Docker, one: &Use) {
    match one {
        Use::Command(status) => {
            let outcome = place.run(&["sh", "-c", &format!("exit {status}")]).await;
            assert_eq!(outcome.end, End::Exited(i32::from(*status)));
        }
        Use::Orphan => {
            assert_eq!(place.run(&["sh", "-c", "setsid sleep 1000 &"]).await.end, End::Exited(0));
        }
        Use::Dropped => {
            let endless = command(&["sleep", "1000"]);
            tokio::select! {
                outcome = place.workspace.run(&endless) => assert!(outcome.is_err(), "{outcome:?}"),
                () = tokio::time::sleep(Duration::from_millis(20)) => {}
            }
        }
        Use::TooMuch => {
            let outcome = place.run(&["sh", "-c", "while :; do echo line; done"]).await;
            assert_eq!(outcome.end, End::LimitHit(Limit::Output));
        }
        Use::Removed => {
            let options = RemoveContainerOptionsBuilder::new().force(true).build();
            for id in of_run(docker, place.run).await {
                // It may be on its way out already.
                let _: Result<(), _> = docker.remove_container(&id, Some(options.clone())).await;
            }
        }
    }
}

// Feature: autoheal-ci-agent, Property 7: Docker Container Cleanup
#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_done_with_a_workspace_no_container_is_left() {
    let state = tempfile::tempdir().unwrap();
    if sandbox(Choice::Docker, &settings(state.path())).await.is_none() {
        return;
    }
    let docker = engine().await.unwrap();
    let mut runner = TestRunner::deterministic();
    let mut cases = tokio::task::JoinSet::new();
    for _ in 0..100 {
        if cases.len() == 6 {
            cases.join_next().await.unwrap().unwrap();
        }
        let (uses, closed) = uses().new_tree(&mut runner).unwrap().current();
        cases.spawn(leaves_no_container(docker.clone(), uses, closed));
    }
    while let Some(case) = cases.join_next().await {
        case.unwrap();
    }
}

async fn leaves_no_container(docker: Docker, uses: Vec<Use>, closed: bool) {
    let mut place = Place::open(Choice::Docker).await.unwrap();
    let run = place.run;
    for one in &uses {
        take(&mut place, &docker, one).await;
    }
    if closed {
        place.workspace.close().await.unwrap();
        assert_eq!(of_run(&docker, run).await, Vec::<String>::new(), "{uses:?}");
    } else {
        drop(place);
        await_none(run).await;
    }
}
