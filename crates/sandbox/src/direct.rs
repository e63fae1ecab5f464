//! No sandbox: the command runs as this user, on this machine, with access to everything. Only used when selected by name.
//!
//! Time and output are limited as elsewhere; memory and processes by control groups where they can be made, else memory of
//! each process by a resource limit and of all together by the watch. Nothing limits the network.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use secrecy::ExposeSecret as _;

use crate::limits::Limiter;
use crate::limits::disk::Space;
use crate::outcome::{Outcome, SandboxError};
use crate::process_tree::{Around, Prepared, WAITING_SCRIPT, words_of};
use crate::registries;
use crate::session::Session;
use crate::settings::Settings;
use crate::spawn::Launch;
use crate::spec::{Command, Network, PATH, WorkspaceSpec};
use crate::supervise::{Output, pump, supervise};
use crate::{Sandbox, SandboxKind, Workspace};

/// Runs commands without isolation.
#[derive(Debug)]
pub(crate) struct Direct {
    free_space: u64,
}

impl Direct {
    pub(crate) const fn new(settings: &Settings) -> Self {
        Self { free_space: settings.free_space }
    }
}

#[async_trait]
impl Sandbox for Direct {
    fn kind(&self) -> SandboxKind {
        SandboxKind::None
    }

    async fn open(&self, spec: WorkspaceSpec) -> Result<Box<dyn Workspace>, SandboxError> {
        let space = Space::new(spec.writable(), self.free_space)
            .map_err(|source| SandboxError::Failed { doing: "preparing the workspace", source: source.into() })?;
        space.check()?;
        Ok(Box::new(DirectWorkspace { spec, limiter: Limiter::detect_or_resource_limits(), space }))
    }
}

struct DirectWorkspace {
    spec: WorkspaceSpec,
    limiter: Limiter,
    space: Arc<Space>,
}

impl DirectWorkspace {
    /// Prepares a waiting script, and the arguments for it.
    async fn prepare(&self, command: &Command) -> Result<(Prepared, Vec<u8>), SandboxError> {
        let mut environment = self.spec.environment.clone();
        for (name, otherwise) in [("PATH", PATH), ("HOME", "/")] {
            let own = || std::env::var(name).unwrap_or_else(|_| otherwise.to_owned());
            environment.entry(name.to_owned()).or_insert_with(own);
        }
        let mut command = Command { directory: self.directory(command), ..command.clone() };
        if let Network::Registries(access) = &command.network {
            let own = access.environment.iter().map(|(name, value)| (name.clone(), value.expose_secret().to_owned()));
            command.environment.extend(own.collect::<Vec<_>>());
        }
        let words = words_of(&self.spec.root, &command, &environment, Vec::new())?;
        self.space.check()?;
        let launch = Launch {
            argv: ["/bin/sh", "-c", WAITING_SCRIPT, "sh"].map(Into::into).to_vec(),
            environment: BTreeMap::new(),
            directory: self.spec.root.clone(),
            user: None,
            files: Vec::new(),
        };
        let prepared = Prepared::start(launch, Around::ProcessGroup, &self.limiter, &self.space, self.spec.run).await?;
        Ok((prepared, words))
    }

    /// Everything is seen where it is; only a folder below `inside` is found below `root`.
    fn directory(&self, command: &Command) -> PathBuf {
        match command.directory.strip_prefix(&self.spec.inside) {
            Ok(below) => self.spec.root.join(below),
            Err(_) => self.spec.root.join(&command.directory),
        }
    }
}

#[async_trait]
impl Workspace for DirectWorkspace {
    async fn run(&mut self, command: &Command) -> Result<Outcome, SandboxError> {
        let (prepared, input) = self.prepare(command).await?;
        let Prepared { mut tree, stdin, stdout, stderr } = prepared;
        tree.limit(&command.limits)?;
        let output = Output::new(command.limits.output);
        let streams = pump(stdin, &input, stdout, stderr, &output);
        let (end, duration) = supervise(&mut tree, streams, &command.limits).await?;
        let outcome = Outcome::new(end, duration, output);
        Ok(match &command.network {
            Network::None => outcome,
            Network::Registries(access) => registries::redact(access, outcome),
        })
    }

    async fn session(&mut self, command: &Command) -> Result<Box<dyn Session>, SandboxError> {
        let (prepared, input) = self.prepare(command).await?;
        prepared.converse(input, &command.limits).await
    }

    async fn close(self: Box<Self>) -> Result<(), SandboxError> {
        Ok(())
    }
}
