//! What is particular to Docker.

use std::time::Duration;

use autoheal_engine::RunId;
use autoheal_sandbox::{Choice, End, SandboxError};
use bollard::Docker;
use bollard::query_parameters::{ListContainersOptionsBuilder, RemoveContainerOptionsBuilder};

use crate::place::{Place, sandbox, settings, spec};

async fn engine() -> Option<Docker> {
    Docker::connect_with_defaults().unwrap().negotiate_version().await.ok()
}

/// The containers of a run, whatever their state.
async fn of_run(docker: &Docker, run: RunId) -> Vec<String> {
    let filter = [("label".to_owned(), vec![format!("autoheal.run={run}")])].into();
    let options = ListContainersOptionsBuilder::new().all(true).filters(&filter).build();
    docker.list_containers(Some(options)).await.unwrap().into_iter().filter_map(|container| container.id).collect()
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
    let Some(sandbox) = sandbox(Choice::Docker, &settings(state.path())).await else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut spec = spec(RunId(uuid::Uuid::now_v7()), folder.path());
    spec.image = Some("no-such-image:ever".to_owned());
    let Err(error) = sandbox.open(spec).await else { panic!("it opened") };
    assert!(matches!(error, SandboxError::MissingImage { .. }));
    assert!(error.to_string().contains("no-such-image:ever") && error.to_string().contains("sandbox.python_image"));
}
