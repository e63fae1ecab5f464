//! The services of the tools for assistants, as the settings require.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use autoheal_orchestrator::{Registry, Worker, WorkerSettings};
use autoheal_server::tools::{AllowedRepository, Repositories, Webhook};
use autoheal_server::{Healing, Services};
use autoheal_source::SourceServices;
use autoheal_store::Store;

use crate::config::{Config, github_webhook_secret};
use crate::exit::{Blame as _, Exit, Failure};
use crate::printer::Printer;
use crate::wiring::{
    crew, extraction, heal_request, manuals, navigation, notifier, repositories, sites, source_registry,
    source_services, warn_without_sandbox, worker_settings,
};

/// Origin of the requests to this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asker {
    /// The user who started it, through its standard input.
    User,
    /// Clients of its HTTP server.
    Clients,
}

/// Returns the repositories that tools may heal, and the settings for healing them.
fn healing(config: &Config, asker: Asker) -> Result<Healing, Failure> {
    let server = &config.server;
    let sites = sites(config)?;
    let allowed = |text: &String| {
        AllowedRepository::parse_on(text, &sites).with_context(|| {
            format!(
                "invalid entry `{text}` of the setting server.repositories; `autoheal config show` shows its origin"
            )
        })
    };
    let listed = server.repositories.as_ref().map(|texts| texts.iter().map(allowed).collect::<Result<Vec<_>, _>>());
    let repositories = match (listed.transpose().bad_input()?, asker) {
        (Some(listed), _) => Repositories::Listed(listed),
        (None, Asker::User) => Repositories::OfUser,
        (None, Asker::Clients) => Repositories::AtHost,
    };
    // Nothing is pushed to what no setting names.
    let are_named = matches!(repositories, Repositories::Listed(_));
    Ok(Healing {
        request: heal_request(config),
        may_push: server.allow_push.unwrap_or(false),
        people_push: server.allow_push.unwrap_or(are_named),
        repositories,
        sites,
    })
}

/// Polling interval for a task with a waiting client while another worker runs it or no slot is free.
const WAITED_FOR: Duration = Duration::from_millis(200);

/// Returns the services of the tools for assistants. If no sandbox works, repositories cannot be healed, but everything else works.
///
/// # Errors
///
/// When a setting is invalid.
pub(crate) async fn tool_services(
    config: &Config,
    store: &Store,
    asker: Asker,
    printer: &Printer,
) -> Result<Services, Failure> {
    let sources = source_services(config, store)?;
    warn_without_sandbox(config, printer);
    let (registry, kind) = match repositories(config, sources.clone()).await {
        Ok((registry, kind)) => (registry, Some(kind)),
        Err(failure) if failure.exit == Exit::EnvironmentMissing => {
            printer.warn(&format!("cannot heal repositories on this machine: {:#}", failure.error));
            (source_registry(sources.clone())?, None)
        }
        Err(failure) => return Err(failure),
    };
    let services = services(config, store, &sources, asker, registry)?;
    let crew = crew(config, kind)?;
    Ok(Services { worker: services.worker.with_crew(crew.clone()), crew: Some(crew), ..services })
}

/// Returns the services of the tools, without worker processes.
///
/// # Errors
///
/// When a setting is invalid.
pub(crate) fn services(
    config: &Config,
    store: &Store,
    sources: &SourceServices,
    asker: Asker,
    registry: Registry,
) -> Result<Services, Failure> {
    Ok(Services {
        store: store.clone(),
        fetcher: Arc::clone(sources.fetcher()),
        models: sources.models().cloned(),
        extraction: extraction(config),
        navigation: navigation(config),
        manuals: Some(manuals(config)?),
        worker: Worker::new(store.clone(), WorkerSettings { poll: WAITED_FOR, ..worker_settings(config)? }, registry),
        crew: None,
        healing: healing(config, asker)?,
        notifier: Arc::new(notifier(config, store, sources)?),
        webhook: Webhook { secret: github_webhook_secret(), is_enabled: config.server.github_webhook.enabled },
    })
}
