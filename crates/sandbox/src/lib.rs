//! Runs what a repository controls (tests, installs, linters with its configuration), shut in.
//!
//! Every command runs without network (unless it installs dependencies), with a read-only root, a writable copy of the
//! repository only, a cleared environment, and limits on time, memory, processes and output. The [`Outcome`] names the
//! limit that was hit. A [`Workspace`] is kept warm: its second command does not pay the start again.
//!
//! # Layout
//!
//! - [`spec`]: what to run and how much it may use
//! - [`outcome`]: how it ended
//! - [`session`]: a child that is kept and talked to
//! - [`settings`], [`select`](fn@select): which sandbox, and whether it works here
//! - `bubblewrap`: a namespace for each command, set up before it is needed
//! - `docker`: a container for each workspace
//! - `direct`: no wall
//! - [`doors`](mod@doors): each way out of a sandbox, tried and judged
//! - `cell`: the processes of one command
//! - `limits`: control groups, or resource limits and a watch
//! - `registries`: the one way out, for installing dependencies
//! - [`worker_process`]: processes of this program that do untrusted work
//! - [`untrusted`]: folders that commands could write, as the host may use them; `mount_sources`: the check of what is shown
//! - `machine`: the parts of /proc that are hidden
//! - `seccomp`: the system calls that commands may make
//! - `supervise`: follows a command to its end; `spawn`: the one place that starts processes; `process`: those of the host

mod bubblewrap;
mod cell;
mod direct;
mod docker;
pub mod doors;
mod limits;
mod machine;
mod mount_sources;
pub mod outcome;
mod process;
mod registries;
mod seccomp;
mod select;
pub mod session;
pub mod settings;
mod spawn;
pub mod spec;
mod supervise;
pub mod untrusted;
pub mod worker_process;

use std::fmt;

use async_trait::async_trait;

pub use doors::{Door, State};
pub use outcome::{End, Limit, Outcome, SandboxError};
pub use select::{check, chosen, doors, select, sweep};
pub use session::{Line, Session};
pub use settings::{Choice, Settings};
pub use spec::{Command, Disk, Image, Limits, Mount, Network, RegistryAccess, WorkspaceSpec};
pub use worker_process::{WorkerExit, WorkerProcess, WorkerStreams};

/// Which kind of wall stands between the command and the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SandboxKind {
    /// A container per workspace, by a Docker engine.
    Docker,
    /// Linux namespaces by bubblewrap.
    Bubblewrap,
    /// No wall: only when a person asked for it by name.
    None,
}

impl fmt::Display for SandboxKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Docker => "docker",
            Self::Bubblewrap => "bubblewrap",
            Self::None => "none",
        })
    }
}

/// Opens workspaces.
#[async_trait]
pub trait Sandbox: Send + Sync {
    /// Which kind it is.
    fn kind(&self) -> SandboxKind;

    /// Opens a workspace: starts what is kept warm. What it started ends when the workspace is closed or dropped, and when
    /// this process dies.
    ///
    /// # Errors
    ///
    /// See [`SandboxError`].
    async fn open(&self, spec: WorkspaceSpec) -> Result<Box<dyn Workspace>, SandboxError>;
}

/// A place in which commands run, one at a time.
#[async_trait]
pub trait Workspace: Send {
    /// Runs one command to its end. Dropping the future kills the command and everything it started.
    ///
    /// # Errors
    ///
    /// See [`SandboxError`]; a command that fails or hits a limit is an [`Outcome`], not an error.
    async fn run(&mut self, command: &Command) -> Result<Outcome, SandboxError>;

    /// Starts a command that is kept and talked to. It is on its own: commands that run meanwhile do not see it.
    ///
    /// # Errors
    ///
    /// See [`SandboxError`]; among them a command that wants the network, which sessions do not have.
    async fn session(&mut self, command: &Command) -> Result<Box<dyn Session>, SandboxError>;

    /// Ends what is kept warm and removes it; afterwards no process, container or control group of it is left.
    ///
    /// # Errors
    ///
    /// See [`SandboxError`].
    async fn close(self: Box<Self>) -> Result<(), SandboxError>;
}
