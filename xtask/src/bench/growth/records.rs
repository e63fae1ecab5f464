//! Records in SQLite: events of a run, sources.

use std::time::Duration;

use anyhow::Context as _;
use autoheal_engine::RunId;
use autoheal_engine::event::EventBody;
use autoheal_engine::task::{NewTask, TaskKind};
use autoheal_store::{ClaimRequest, NewRun, Store};
use autoheal_testkit::large_database::{self, Size};
use tokio::runtime::Runtime;

use super::{Subject, Work};

pub(super) const SUBJECTS: &[Subject] = &[
    Subject { what: "events of a run, stored and read", from: 1_000, prepare: events },
    Subject { what: "sources that are due, read", from: 1_000, prepare: due },
];

fn events(size: usize) -> anyhow::Result<Work> {
    let runtime = Runtime::new()?;
    let folder = tempfile::tempdir()?;
    let store = runtime.block_on(Store::open_file(&folder.path().join("autoheal.db")))?;
    let (lease, run) = runtime.block_on(async {
        let now = store.now();
        store.enqueue(&NewTask::new(TaskKind::RefreshSource, "shop".to_owned(), now)).await?;
        let request = ClaimRequest {
            host: "bench".to_owned(),
            worker: "bench".to_owned(),
            kinds: vec![TaskKind::RefreshSource],
            lease: Duration::from_hours(1),
            only: None,
        };
        let (_, lease) = store.claim(&request).await?.context("the task is not claimed")?;
        let run = RunId(uuid::Uuid::now_v7());
        let event = EventBody::RunStarted { target: "shop".to_owned() };
        let (workflow, target) = (TaskKind::RefreshSource.name().to_owned(), "shop".to_owned());
        store.begin_run(&lease, &NewRun { run, workflow, target, started_at: now, event }).await?;
        anyhow::Ok((lease, run))
    })?;
    Ok(Box::new(move || {
        let _kept = &folder;
        runtime.block_on(async {
            let (last, now) = (store.last_event(run).await?, store.now());
            let note = |number| EventBody::Note {
                node: "fetch".to_owned(),
                topic: "page".to_owned(),
                message: format!("note number {number}"),
            };
            let new: Vec<_> = (0..size).map(|number| (now, note(number))).collect();
            store.append_events(&lease, run, &new).await?;
            Ok(store.events(run, last).await?.len())
        })
    }))
}

fn due(size: usize) -> anyhow::Result<Work> {
    let runtime = Runtime::new()?;
    let folder = tempfile::tempdir()?;
    let url = Store::address_of_file(&folder.path().join("autoheal.db"))?;
    let store = runtime.block_on(Store::open(&url))?;
    let sources = u32::try_from(size)?;
    let size = Size { sources, runs: 10, values: 10, interval: Some(Duration::from_hours(6)) };
    runtime.block_on(large_database::fill(&url, &size, store.now().as_millis()))?;
    Ok(Box::new(move || {
        let _kept = &folder;
        Ok(runtime.block_on(store.due_sources(store.now(), sources))?.len())
    }))
}
