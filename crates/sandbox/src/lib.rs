//! Runs repository code (tests, installs, linters with the repository's configuration) in a sandbox.
//!
//! Every command runs without network (unless it installs dependencies), with a read-only root, a writable copy of the
//! repository only, a cleared environment, and limits on time, memory, processes and output. The [`Outcome`] names the
//! limit that was hit. A [`Workspace`] stays warm: its second command does not pay the startup cost again.
//!
//! # Layout
//!
//! - [`spec`]: commands, workspaces and their limits
//! - [`outcome`]: results of commands and errors
//! - [`session`]: a long-running child that exchanges lines with the caller
//! - [`settings`], [`select`](fn@select): the choice of a sandbox, and whether it works on this machine
//! - `bubblewrap`: a namespace for each command, set up before it is needed
//! - `docker`: a container for each workspace
//! - `direct`: no sandbox
//! - [`doors`](mod@doors): every known way out of a sandbox, tried and judged
//! - `process_tree`: the processes of one command
//! - `limits`: control groups, or resource limits with monitoring
//! - `registries`: the only network access, for installing dependencies
//! - [`worker_process`]: processes of this program that do untrusted work
//! - [`untrusted`]: safe access of the host to folders that commands could write; `mount_sources`: the check of mounted paths
//! - `machine`: the parts of /proc that are hidden
//! - `seccomp`: the system calls that commands may make
//! - `supervise`: follows a command to its end; `spawn`: the one place that starts processes; `process`: those of the host

mod bubblewrap;
mod direct;
mod docker;
pub mod doors;
mod limits;
mod machine;
mod mount_sources;
pub mod outcome;
mod process;
mod process_tree;
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

/// Kind of isolation between a command and the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SandboxKind {
    /// A container per workspace, by a Docker engine.
    Docker,
    /// Linux namespaces by bubblewrap.
    Bubblewrap,
    /// No isolation: used only when the user selects it by name.
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

/// A kind of sandbox that opens workspaces for commands.
#[async_trait]
pub trait Sandbox: Send + Sync {
    /// Returns the kind of the sandbox.
    fn kind(&self) -> SandboxKind;

    /// Opens a workspace and starts the parts that stay warm. They end when the workspace is closed or dropped, and when
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

    /// Ends and removes everything that stays warm; afterwards no process, container or control group of it is left.
    ///
    /// # Errors
    ///
    /// See [`SandboxError`].
    async fn close(self: Box<Self>) -> Result<(), SandboxError>;
}
