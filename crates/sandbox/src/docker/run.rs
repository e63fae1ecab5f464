//! A command in a container.

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bollard::Docker;
use bollard::container::LogOutput;
use bollard::errors::Error;
use bollard::exec::{CreateExecOptions, StartExecResults};
use futures_util::{Stream, StreamExt as _};
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::task::JoinSet;

use super::container::{Container, Recipe, bind, remove};
use super::failed;
use crate::Workspace;
use crate::doors;
use crate::limits::disk::{DiskWatch, Space};
use crate::outcome::{Limit, Outcome, SandboxError};
use crate::registries::{self, Registries};
use crate::session::{self, Conversation, Session};
use crate::spec::{Command, Limits, Network};
use crate::supervise::{Ended, Output, Overflow, Pipe, Running, supervise};

/// Maximum number of times the engine may report a stopped command without its exit status: about ten seconds.
const MOST_WITHOUT_STATUS: u32 = 100;

/// Settings for running commands that all containers of a workspace share.
pub(super) struct Site {
    pub(super) docker: Docker,
    /// The user and group that commands are.
    pub(super) user: (u32, u32),
    pub(super) inside: PathBuf,
    /// Host folders that commands may write.
    pub(super) space: Arc<Space>,
}

/// A workspace whose commands share a container.
pub(super) struct DockerWorkspace {
    site: Site,
    recipe: Recipe,
    /// Taken while a command runs: when that is dropped, so is the container.
    kept: Option<Container>,
    /// Container starts in progress. A start always completes, so a
    /// dropped command leaves no container half started.
    starting: JoinSet<Result<Container, SandboxError>>,
    /// All that were ever started and may still be there: one that was let go takes a moment to end.
    started: Vec<String>,
}

impl Drop for DockerWorkspace {
    fn drop(&mut self) {
        // Finished and then let go, instead of aborted.
        self.starting.detach_all();
    }
}

impl DockerWorkspace {
    /// Returns a workspace whose container is ready.
    pub(super) async fn open(site: Site, recipe: Recipe) -> Result<Self, SandboxError> {
        let mut workspace = Self { site, recipe, kept: None, starting: JoinSet::new(), started: Vec::new() };
        let recipe = workspace.recipe.clone();
        workspace.kept = Some(workspace.start(recipe, Limits::default()).await?);
        Ok(workspace)
    }

    /// Starts a new container, after the unfinished starts of earlier ones.
    async fn start(&mut self, recipe: Recipe, limits: Limits) -> Result<Container, SandboxError> {
        self.finish_starts().await?;
        let docker = self.site.docker.clone();
        self.starting.spawn(async move { Container::start(&docker, &recipe, &limits).await });
        let mut container = match self.starting.join_next().await {
            Some(Ok(started)) => started?,
            Some(Err(_)) | None => {
                return Err(SandboxError::Failed { doing: "starting a container", source: "it was given up".into() });
            }
        };
        self.started.push(container.id.clone());
        let checked = match container.status().await {
            Ok(status) => doors::require_of_keeper(&status),
            Err(source) => Err(SandboxError::Failed { doing: "asking a container's keeper", source: source.into() }),
        };
        if let Err(refusal) = checked {
            container.remove().await?;
            return Err(refusal);
        }
        Ok(container)
    }

    /// Removes the containers whose command was dropped before they were ready.
    async fn finish_starts(&mut self) -> Result<(), SandboxError> {
        while let Some(started) = self.starting.join_next().await {
            if let Ok(Ok(container)) = started {
                container.remove().await?;
            }
        }
        Ok(())
    }

    /// Returns the kept container if it can still be used, else a new one.
    async fn container(&mut self, limits: &Limits) -> Result<Container, SandboxError> {
        if let Some(mut kept) = self.kept.take() {
            if kept.is_alive().await && kept.limit(limits).await.is_ok() {
                return Ok(kept);
            }
            tracing::warn!(
                container = kept.id,
                "the container of a workspace has ended or cannot be limited; making a new one"
            );
            kept.remove().await?;
        }
        self.start(self.recipe.clone(), *limits).await
    }
}

impl Site {
    /// Runs a command to its end; gives the container back if it is still of use.
    async fn execute(
        &self,
        container: Container,
        command: &Command,
    ) -> Result<(Outcome, Option<Container>), SandboxError> {
        let (mut execution, streams) = self.begin(container, command).await?;
        let output = Output::new(command.limits.output);
        let streams = streams.pump(&command.stdin, &output);
        let (end, duration) = supervise(&mut execution, streams, &command.limits).await?;
        Ok((Outcome::new(end, duration, output), execution.container))
    }

    /// Starts a command in the container.
    async fn begin(&self, container: Container, command: &Command) -> Result<(Execution, Streams), SandboxError> {
        let options = CreateExecOptions {
            attach_stdin: Some(true),
            attach_stdout: Some(true),
            attach_stderr: Some(true),
            env: Some(command.environment.iter().map(|(name, value)| format!("{name}={value}")).collect()),
            // By way of a shell, a program that is not there is exit 127 whatever the engine's version.
            cmd: Some(
                ["/bin/sh", "-c", "exec \"$@\"", "sh"]
                    .into_iter()
                    .map(str::to_owned)
                    .chain(command.argv.iter().cloned())
                    .collect(),
            ),
            user: Some(format!("{}:{}", self.user.0, self.user.1)),
            working_dir: Some(self.inside.join(&command.directory).to_string_lossy().into_owned()),
            ..CreateExecOptions::default()
        };
        let (id, streams) = exec(&self.docker, &container.id, options)
            .await
            .map_err(|error| failed("starting a command in the container", error))?;
        let disk = DiskWatch::new(Arc::clone(&self.space), command.limits.disk);
        Ok((Execution { docker: self.docker.clone(), id, container: Some(container), disk, hit: None }, streams))
    }
}

/// Starts a command; its id, and its streams.
async fn exec(
    docker: &Docker,
    container: &str,
    options: CreateExecOptions<String>,
) -> Result<(String, Streams), Error> {
    let exec = docker.create_exec(container, options).await?;
    match docker.start_exec(&exec.id, None).await? {
        StartExecResults::Attached { output, input } => Ok((exec.id, Streams { output, input })),
        StartExecResults::Detached => Err(Error::from(std::io::Error::other("the engine did not attach"))),
    }
}

struct Streams {
    output: Pin<Box<dyn Stream<Item = Result<LogOutput, Error>> + Send>>,
    input: Pin<Box<dyn AsyncWrite + Send>>,
}

impl Streams {
    async fn pump(mut self, input: &[u8], output: &Output) -> Result<(), Overflow> {
        let feed = async {
            // A command may end without having read its input.
            let _: std::io::Result<()> = self.input.write_all(input).await;
            let _: std::io::Result<()> = self.input.shutdown().await;
            Ok(())
        };
        let drain = async {
            while let Some(Ok(said)) = self.output.next().await {
                output.push(pipe_of(&said), said.as_ref())?;
            }
            Ok(())
        };
        tokio::try_join!(feed, drain)?;
        Ok(())
    }
}

fn pipe_of(said: &LogOutput) -> Pipe {
    match said {
        LogOutput::StdErr { .. } => Pipe::Stderr,
        LogOutput::StdOut { .. } | LogOutput::StdIn { .. } | LogOutput::Console { .. } => Pipe::Stdout,
    }
}

/// A command that was started in a container.
struct Execution {
    docker: Docker,
    id: String,
    container: Option<Container>,
    disk: DiskWatch,
    hit: Option<Limit>,
}

/// Waits until the engine reports that the command has ended, and returns its exit status.
async fn status(docker: &Docker, id: &str) -> Result<i32, SandboxError> {
    // The engine has no call that waits for a command.
    let mut pause = Duration::from_millis(2);
    let mut without_status = 0;
    loop {
        let seen = docker.inspect_exec(id).await.map_err(|error| failed("watching a command", error))?;
        match (seen.running, seen.exit_code.and_then(|code| i32::try_from(code).ok())) {
            (Some(false), Some(code)) => return Ok(code),
            // It has not begun, or the engine does not know yet how it ended. A status that is made up would be believed.
            (Some(false), None) => without_status += 1,
            (Some(true) | None, _) => without_status = 0,
        }
        if without_status > MOST_WITHOUT_STATUS {
            let source = "the engine does not say how the command ended".into();
            return Err(SandboxError::Failed { doing: "watching a command", source });
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(Duration::from_millis(100));
    }
}

#[async_trait]
impl Running for Execution {
    async fn ended(&mut self) -> Result<Ended, SandboxError> {
        tokio::select! {
            status = status(&self.docker, &self.id) => Ok(Ended::Status(status?)),
            limit = self.disk.hit() => Ok(Ended::Limit(limit)),
        }
    }

    async fn stop(&mut self) -> Result<(), SandboxError> {
        let Some(mut container) = self.container.take() else { return Ok(()) };
        match container.clean().await {
            Ok(cleaned) => {
                self.hit = cleaned.hit;
                if cleaned.is_empty {
                    self.container = Some(container);
                    return Ok(());
                }
                tracing::debug!("something in the container cannot be ended: it is removed with its command");
            }
            Err(error) => tracing::debug!(%error, "the container is removed with its command"),
        }
        container.remove().await
    }

    async fn close(&mut self) -> Result<(), SandboxError> {
        match self.container.take() {
            Some(container) => container.remove().await,
            None => Ok(()),
        }
    }

    async fn wrote_too_much(&mut self) -> Option<Limit> {
        self.disk.at_end().await
    }

    async fn limit_hit(&mut self) -> Option<Limit> {
        self.hit
    }
}

#[async_trait]
impl Workspace for DockerWorkspace {
    async fn run(&mut self, command: &Command) -> Result<Outcome, SandboxError> {
        self.site.space.check()?;
        match &command.network {
            Network::None => {
                let container = self.container(&command.limits).await?;
                let (outcome, container) = self.site.execute(container, command).await?;
                self.kept = container;
                Ok(outcome)
            }
            Network::Registries(access) => {
                let registries = Registries::open(access, self.site.user).map_err(|error| SandboxError::Failed {
                    doing: "opening the way to the registries",
                    source: error.into(),
                })?;
                let mut recipe = self.recipe.clone();
                recipe
                    .mounts
                    .extend(registries.mounts().iter().map(|mount| bind(&mount.host, &mount.inside, mount.writable)));
                let container = self.start(recipe, command.limits).await?;
                let (outcome, container) = self.site.execute(container, &registries.wrap(command)).await?;
                if let Some(container) = container {
                    container.remove().await?;
                }
                Ok(registries::redact(access, outcome))
            }
        }
    }

    async fn session(&mut self, command: &Command) -> Result<Box<dyn Session>, SandboxError> {
        session::refuse_network(command)?;
        self.site.space.check()?;
        // In a separate container: leftovers of other commands are ended without it.
        let container = self.start(self.recipe.clone(), command.limits).await?;
        let (execution, mut streams) = self.site.begin(container, command).await?;
        // Without a failure to report: a command that does not read its input is noticed later.
        let _: std::io::Result<()> = streams.input.write_all(&command.stdin).await;
        let (sender, said) = session::channel();
        let mut listeners = JoinSet::new();
        listeners.spawn(streams.output.for_each(move |piece| {
            let sender = sender.clone();
            async move {
                if let Ok(piece) = piece {
                    let _: Result<(), _> = sender.send((pipe_of(&piece), piece.as_ref().to_vec())).await;
                }
            }
        }));
        Ok(Box::new(Conversation::new(execution, streams.input, said, listeners, command.limits)))
    }

    async fn close(mut self: Box<Self>) -> Result<(), SandboxError> {
        self.finish_starts().await?;
        for id in std::mem::take(&mut self.started) {
            remove(&self.site.docker, &id).await?;
        }
        Ok(())
    }
}
