//! Choice of the sandbox, check that it works here, and removal of what killed processes left behind.

use std::sync::Arc;

use crate::bubblewrap::Bubblewrap;
use crate::direct::Direct;
use crate::docker::Engine;
use crate::doors::{self, Door};
use crate::limits::cgroup;
use crate::outcome::SandboxError;
use crate::settings::{Choice, Settings};
use crate::{Sandbox, SandboxKind, registries};

/// The sandbox that was chosen, tried out.
///
/// # Errors
///
/// [`SandboxError::Unavailable`] and [`SandboxError::NoLimits`] when it (of `Auto`: none) works here.
pub async fn select(choice: Choice, settings: &Settings) -> Result<Arc<dyn Sandbox>, SandboxError> {
    match choice {
        Choice::Auto => match Engine::find(settings).await {
            Ok(engine) => Ok(Arc::new(engine)),
            Err(no_docker) => match Bubblewrap::find(settings).await {
                Ok(bubblewrap) => Ok(Arc::new(Arc::new(bubblewrap))),
                Err(no_bubblewrap) => {
                    tracing::warn!(%no_docker, "Docker cannot be used either");
                    Err(no_bubblewrap)
                }
            },
        },
        Choice::Docker => Ok(Arc::new(Engine::find(settings).await?)),
        Choice::Bubblewrap => Ok(Arc::new(Arc::new(Bubblewrap::find(settings).await?))),
        Choice::None => Ok(Arc::new(Direct::new(settings))),
    }
}

/// The sandbox that the parent of this process has chosen and tried out.
///
/// # Errors
///
/// [`SandboxError::Unavailable`] and [`SandboxError::NoLimits`] when it is gone since.
pub async fn chosen(kind: SandboxKind, settings: &Settings) -> Result<Arc<dyn Sandbox>, SandboxError> {
    Ok(match kind {
        SandboxKind::Docker => Arc::new(Engine::find(settings).await?),
        SandboxKind::Bubblewrap => Arc::new(Arc::new(Bubblewrap::locate(settings).await?)),
        SandboxKind::None => Arc::new(Direct::new(settings)),
    })
}

/// Checks that this kind of sandbox works here.
///
/// # Errors
///
/// The reason that it does not work, and the remedy.
pub async fn check(kind: SandboxKind, settings: &Settings) -> Result<(), SandboxError> {
    match kind {
        SandboxKind::Docker => Engine::find(settings).await.map(drop),
        SandboxKind::Bubblewrap => Bubblewrap::find(settings).await.map(drop),
        SandboxKind::None => Ok(()),
    }
}

/// Tries each way out of this kind of sandbox, by commands in a real workspace; it takes a few seconds.
///
/// # Errors
///
/// When the sandbox does not work here, or has no Python to try with. Without a sandbox there are no doors.
pub async fn doors(kind: SandboxKind, settings: &Settings) -> Result<Vec<Door>, SandboxError> {
    match kind {
        SandboxKind::Docker => {
            let engine = Engine::find(settings).await?;
            doors::probe(&engine, engine.claims()).await
        }
        SandboxKind::Bubblewrap => {
            let bubblewrap = Arc::new(Bubblewrap::find(settings).await?);
            doors::probe(&bubblewrap, bubblewrap.claims()?).await
        }
        SandboxKind::None => Ok(Vec::new()),
    }
}

/// Removes what processes of this program left when they were killed: control groups with what runs in them, sockets, and
/// containers.
/// Says how many.
///
/// # Errors
///
/// When a Docker engine answers and does not let them be removed.
pub async fn sweep(settings: &Settings) -> Result<usize, SandboxError> {
    let here = cgroup::detect().map_or(0, |limiter| cgroup::sweep(&limiter)) + registries::sweep();
    match Engine::reach(settings).await {
        Ok(engine) => Ok(here + engine.sweep().await?),
        Err(_no_engine) => Ok(here),
    }
}
