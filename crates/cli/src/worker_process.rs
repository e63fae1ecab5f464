//! The same program as a child that does the work on untrusted text, for the process that started it.

use std::sync::Arc;

use anyhow::Context as _;
use autoheal_orchestrator::crew::performer::{Performer, greeting};
use autoheal_orchestrator::crew::{Greeting, Role};
use autoheal_sandbox::SandboxKind;
use autoheal_sandbox::worker_process::confine;
use autoheal_server::tools::remote::RemoteTools;

use crate::config::Config;
use crate::exit::{Blame as _, Exit, Failure};
use crate::wiring::CrewConfig;
use crate::{logging, tools, wiring};

/// Number of worker threads. A long computation blocks its thread; the others continue.
const THREADS: usize = 8;

/// The stack of each thread, in bytes: room for parsers of deeply nested text, of which only what is used takes memory.
const STACK: usize = 16 << 20;

/// Runs the work that the parent process requests, until it closes the stream.
pub(crate) fn run() -> Result<Exit, Failure> {
    let Greeting { role, settings } = greeting()
        .map_err(|error| anyhow::anyhow!(error).context("only autoheal itself starts this command"))
        .bad_input()?;
    let CrewConfig { config, sandbox } = serde_json::from_value(settings)?;
    // Before there are other threads. Who heals without a sandbox wants the commands to be able to do what that user can.
    let confined = if sandbox == Some(SandboxKind::None) { Ok(()) } else { confine() };
    logging::start(&config).bad_input()?;
    if let Err(error) = confined {
        tracing::warn!(%error, "this worker process has no filter of system calls");
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(THREADS)
        .thread_stack_size(STACK)
        .enable_all()
        .build()
        .environment()?;
    runtime.block_on(async {
        performer(role, &config, sandbox).await?.perform().await;
        Ok(Exit::Fine)
    })
}

async fn performer(role: Role, config: &Config, sandbox: Option<SandboxKind>) -> Result<Performer, Failure> {
    let store = wiring::open_store(config).await?;
    let sources = wiring::source_services(config, &store)?;
    let (registry, callee) = match role {
        Role::Repository => {
            let kind = sandbox.context("no sandbox was chosen for repositories").environment()?;
            (wiring::repositories_in(config, kind, sources).await?, None)
        }
        Role::Pages => (wiring::source_registry(sources)?, None),
        Role::Calls => {
            let registry = wiring::source_registry(sources.clone())?;
            let services = tools::services(config, &store, &sources, tools::Asker::Clients, registry.clone())?;
            (registry, Some(Arc::new(RemoteTools::new(services)) as Arc<_>))
        }
    };
    Ok(Performer { store, registry, callee })
}
