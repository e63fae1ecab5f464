//! The commands for sources: adding, running, healing, and the user's decisions about them.

mod data;
mod decide;
mod exchange;
mod preview;
mod run;
mod show;
mod trouble;
mod watch;

use std::time::Duration;

use autoheal_source::SourceName;
use autoheal_store::{SourceRow, Store};
use serde_json::Value;
use url::Url;

use crate::config::Config;
use crate::exit::{Exit, Failure};
use crate::printer::Printer;
use crate::source_args::{Add, SourceCommand, Sources};
use crate::wiring;

pub(super) use run::show_added;

/// Runs a command on sources.
pub(super) async fn run(arguments: Sources, config: &Config, printer: &Printer) -> Result<Exit, Failure> {
    let store = wiring::open_store(config).await?;
    let json = arguments.json;
    match arguments.command {
        SourceCommand::Add(add) if add.dry_run => preview::preview(&add, json, &store, config, printer).await,
        SourceCommand::Add(add) => run::add(&add, json, &store, config, printer).await,
        SourceCommand::Run { names, enqueue: true, .. } => run::enqueue(&names, json, &store, printer).await,
        SourceCommand::Run { names, time_limit, enqueue: false } => {
            let maintenance = wiring::maintenance(config, &store)?;
            let ended = run::run((&names, Duration::from_secs(time_limit)), json, &store, config, printer).await;
            maintenance.clean_up_daily().await;
            ended
        }
        SourceCommand::Heal { name } => run::heal(&name, json, &store, config, printer).await,
        SourceCommand::List => show::list(json, &store, printer).await,
        SourceCommand::Show { name } => show::show(&name, json, &store, printer).await,
        SourceCommand::History { name } => show::history(&name, json, &store, printer).await,
        SourceCommand::Stats => show::stats(json, &store, printer).await,
        SourceCommand::Data { name, format, since, limit } => {
            data::print(&name, format, since.as_deref(), limit, &store, printer).await
        }
        SourceCommand::Release { name } => decide::release(&name, &store, printer).await,
        SourceCommand::Rollback { name, to } => decide::rollback(&name, to, &store, printer).await,
        SourceCommand::Approve { name } => decide::approve(&name, &store, printer).await,
        SourceCommand::Reject { name, reason } => decide::reject(&name, reason.as_deref(), &store, printer).await,
        SourceCommand::Reconsider { name, version } => decide::reconsider(&name, version, &store, printer).await,
        SourceCommand::Accept { name, dry_run } => decide::accept(&name, dry_run, json, &store, printer).await,
        SourceCommand::Remove { name } => decide::remove(&name, &store, printer).await,
        SourceCommand::Set(changes) => decide::set(changes, &store, printer).await,
        SourceCommand::Export { folder, names } => exchange::export(&folder, &names, json, &store, printer).await,
        SourceCommand::Import { path } => Box::pin(exchange::import(&path, json, &store, config, printer)).await,
        SourceCommand::Watch => watch::run(&store, config, printer).await,
    }
}

/// Adds a page as `autoheal source add URL` does; returns the source's name and the results, `None` if the user stopped it.
pub(super) async fn add_page(url: Url, config: &Config, printer: &Printer) -> Result<Option<(String, Value)>, Failure> {
    let store = wiring::open_store(config).await?;
    run::added(&Add { urls: vec![url], ..Add::default() }, &store, config, printer).await
}

/// A source that must be there.
async fn find(store: &Store, name: &SourceName) -> Result<SourceRow, Failure> {
    let source = store.source(name.as_str()).await?;
    source.ok_or_else(|| {
        Failure::bad_input(format!("there is no source `{name}`; `autoheal source list` lists all sources"))
    })
}
