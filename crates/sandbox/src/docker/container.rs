//! One container: it ends when its keeper's input does, so also when this process dies without a word.

use std::collections::HashMap;
use std::io;
use std::pin::Pin;
use std::time::Duration;

use bollard::Docker;
use bollard::container::LogOutput;
use bollard::errors::Error;
use bollard::models::{
    ContainerCreateBody, ContainerUpdateBody, HostConfig, HostConfigCgroupnsModeEnum, HostConfigLogConfig,
    Mount as DockerMount, MountType, ResourcesUlimits,
};
use bollard::query_parameters::{AttachContainerOptionsBuilder, RemoveContainerOptionsBuilder};
use futures_util::{Stream, StreamExt as _};
use tokio::io::{AsyncWrite, AsyncWriteExt as _};

use super::{HOME, failed};
use crate::outcome::{Limit, SandboxError};
use crate::spec::Limits;

/// The label with the run's id.
pub(super) const RUN_LABEL: &str = "autoheal.run";
/// The label with the process that made the container.
pub(super) const OWNER_LABEL: &str = "autoheal.owner";
/// Label with the machine, and the part of it, on which to look for that process.
pub(super) const PLACE_LABEL: &str = "autoheal.place";

/// Maximum time for a keeper to respond.
const ANSWER: Duration = Duration::from_secs(20);

/// Number of processes that are not the command's: the keeper, and the one that holds a place for it.
const KEEPERS: i64 = 2;

/// Parameters of a container.
#[derive(Debug, Clone)]
pub(super) struct Recipe {
    pub(super) image: String,
    /// The setting that names it.
    pub(super) setting: String,
    /// The runtime that starts it; else the engine's own.
    pub(super) runtime: Option<String>,
    /// The profile of system calls.
    pub(super) seccomp: String,
    /// The paths that are hidden in it.
    pub(super) masked: Vec<String>,
    pub(super) labels: HashMap<String, String>,
    pub(super) environment: Vec<String>,
    pub(super) mounts: Vec<DockerMount>,
}

/// Returns a bind mount of a host folder.
pub(super) fn bind(host: &std::path::Path, inside: &std::path::Path, writable: bool) -> DockerMount {
    DockerMount {
        typ: Some(MountType::BIND),
        source: Some(host.to_string_lossy().into_owned()),
        target: Some(inside.to_string_lossy().into_owned()),
        read_only: Some(!writable),
        ..DockerMount::default()
    }
}

type Answers = Pin<Box<dyn Stream<Item = Result<LogOutput, Error>> + Send>>;
type Orders = Pin<Box<dyn AsyncWrite + Send>>;

/// A container that runs. Dropping it lets go of the keeper's input: the container ends and the engine removes it.
pub(super) struct Container {
    pub(super) id: String,
    docker: Docker,
    orders: Orders,
    answers: Answers,
    limits: Limits,
    counted: Counters,
}

/// Counters of the container's control group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counters {
    memory_kills: u64,
    refused_processes: u64,
    processes: Option<i64>,
}

impl Counters {
    /// Parses lines of the form `file name number`, or `file number`.
    fn parse(answer: &str) -> Self {
        let mut counters = Self::default();
        for line in answer.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["memory.events" | "memory.oom_control", "oom_kill", count] => {
                    counters.memory_kills = count.parse().unwrap_or(0);
                }
                ["pids.events", "max", count] => counters.refused_processes = count.parse().unwrap_or(0),
                ["pids.current", count] => counters.processes = count.parse().ok(),
                _ => {}
            }
        }
        counters
    }

    /// Returns whether only the keeper is left, as far as is known.
    fn is_empty(&self) -> bool {
        self.processes.is_none_or(|left| left <= KEEPERS)
    }

    /// Returns the limit that was hit since earlier counters.
    fn limit_since(&self, before: Self) -> Option<Limit> {
        if self.memory_kills > before.memory_kills {
            Some(Limit::Memory)
        } else if self.refused_processes > before.refused_processes {
            Some(Limit::Processes)
        } else {
            None
        }
    }
}

/// Result of ending everything in a container.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cleaned {
    /// The limit that was hit since the last time.
    pub(super) hit: Option<Limit>,
    /// True if only the keeper is left; otherwise the container cannot be used again.
    pub(super) is_empty: bool,
}

impl Container {
    /// Makes and starts one.
    pub(super) async fn start(docker: &Docker, recipe: &Recipe, limits: &Limits) -> Result<Self, SandboxError> {
        let created = docker.create_container(None, body(recipe, limits)).await.map_err(|error| match error {
            Error::DockerResponseServerError { status_code: 404, .. } => {
                SandboxError::MissingImage { image: recipe.image.clone(), setting: recipe.setting.clone() }
            }
            error => failed("making a container", error),
        })?;
        // A container that never starts is not removed by the engine.
        let started = async {
            let options = AttachContainerOptionsBuilder::new().stdin(true).stdout(true).stream(true).build();
            let attached = docker.attach_container(&created.id, Some(options)).await?;
            docker.start_container(&created.id, None).await?;
            Ok(attached)
        };
        match started.await {
            Ok(attached) => Ok(Self {
                id: created.id,
                docker: docker.clone(),
                orders: attached.input,
                answers: attached.output,
                limits: *limits,
                counted: Counters::default(),
            }),
            Err(error) => {
                remove(docker, &created.id).await?;
                Err(failed("starting a container", error))
            }
        }
    }

    /// Replaces the container's limits.
    pub(super) async fn limit(&mut self, limits: &Limits) -> Result<(), SandboxError> {
        let same = (self.limits.memory, self.limits.processes) == (limits.memory, limits.processes)
            && nano_cpus(&self.limits) == nano_cpus(limits);
        if !same {
            let update = ContainerUpdateBody {
                memory: Some(bytes(limits.memory)),
                memory_swap: Some(bytes(limits.memory)),
                pids_limit: Some(processes(limits)),
                nano_cpus: Some(nano_cpus(limits)),
                ..ContainerUpdateBody::default()
            };
            self.docker
                .update_container(&self.id, update)
                .await
                .map_err(|error| failed("limiting a container", error))?;
            self.limits = *limits;
        }
        Ok(())
    }

    /// Ends everything in it except the keeper.
    ///
    /// An error means that the keeper does not respond.
    pub(super) async fn clean(&mut self) -> io::Result<Cleaned> {
        let before = self.counted;
        self.counted = self.order("clean").await?;
        // Processes that were ended take a moment to disappear.
        for _ in 0..100 {
            if self.counted.is_empty() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
            self.counted = self.order("clean").await?;
        }
        Ok(Cleaned { hit: self.counted.limit_since(before), is_empty: self.counted.is_empty() })
    }

    /// Returns the status of the keeper, as the kernel reports it.
    pub(super) async fn status(&mut self) -> io::Result<String> {
        self.ask("status").await
    }

    async fn order(&mut self, order: &str) -> io::Result<Counters> {
        Ok(Counters::parse(&self.ask(order).await?))
    }

    async fn ask(&mut self, order: &str) -> io::Result<String> {
        let talk = async {
            self.orders.write_all(format!("{order}\n").as_bytes()).await?;
            self.orders.flush().await?;
            let mut answer = Vec::new();
            while !(answer == b".\n" || answer.ends_with(b"\n.\n")) {
                match self.answers.next().await {
                    Some(Ok(output)) => answer.extend_from_slice(&output.into_bytes()),
                    Some(Err(error)) => return Err(io::Error::other(error)),
                    None => return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the container has ended")),
                }
            }
            Ok(String::from_utf8_lossy(&answer).into_owned())
        };
        tokio::time::timeout(ANSWER, talk).await?
    }

    /// Returns whether its keeper responds.
    pub(super) async fn is_alive(&mut self) -> bool {
        self.order("count").await.is_ok()
    }

    /// Ends it, and returns when the engine has removed it.
    pub(super) async fn remove(self) -> Result<(), SandboxError> {
        remove(&self.docker, &self.id).await
    }
}

/// Removes a container by force, and returns when it is gone.
pub(super) async fn remove(docker: &Docker, id: &str) -> Result<(), SandboxError> {
    let mut last = None;
    for _ in 0..500 {
        let options = RemoveContainerOptionsBuilder::new().force(true).v(true).build();
        match docker.remove_container(id, Some(options)).await {
            // Gone, or about to be: asked again until it is gone.
            Err(Error::DockerResponseServerError { status_code: 404, .. }) => return Ok(()),
            Ok(()) | Err(Error::DockerResponseServerError { status_code: 409, .. }) => {}
            // Also the response if the container ends by itself meanwhile.
            Err(error @ Error::DockerResponseServerError { status_code: 500, .. }) => last = Some(error),
            Err(error) => return Err(failed("removing a container", error)),
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let doing = "removing a container";
    Err(match last {
        Some(error) => failed(doing, error),
        None => SandboxError::Failed { doing, source: "the engine does not remove it".into() },
    })
}

fn body(recipe: &Recipe, limits: &Limits) -> ContainerCreateBody {
    let scratch = "rw,exec,nosuid,nodev,size=1g,mode=1777".to_owned();
    ContainerCreateBody {
        image: Some(recipe.image.clone()),
        labels: Some(recipe.labels.clone()),
        env: Some(recipe.environment.clone()),
        // The keeper is root, so that commands, which are not, can neither trace nor end it; it may do nothing but end them.
        user: Some("0:0".to_owned()),
        entrypoint: Some(["/bin/sh", "-c", include_str!("keeper.sh")].map(str::to_owned).to_vec()),
        cmd: Some(Vec::new()),
        working_dir: Some("/".to_owned()),
        open_stdin: Some(true),
        stdin_once: Some(true),
        attach_stdin: Some(true),
        attach_stdout: Some(true),
        network_disabled: Some(true),
        hostname: Some("autoheal".to_owned()),
        host_config: Some(HostConfig {
            auto_remove: Some(true),
            network_mode: Some("none".to_owned()),
            readonly_rootfs: Some(true),
            tmpfs: Some([("/tmp", &scratch), (HOME, &scratch)].map(|(at, how)| (at.to_owned(), how.clone())).into()),
            cap_drop: Some(vec!["ALL".to_owned()]),
            cap_add: Some(vec!["KILL".to_owned()]),
            security_opt: Some(vec!["no-new-privileges:true".to_owned(), format!("seccomp={}", recipe.seccomp)]),
            masked_paths: Some(recipe.masked.clone()),
            // Of /dev: root's commands could keep files there. Its devices stay what they are.
            readonly_paths: Some(vec!["/proc/sys".to_owned(), "/dev".to_owned()]),
            runtime: recipe.runtime.clone(),
            ulimits: Some(vec![
                ulimit("fsize", bytes(limits.disk.bytes)),
                // No core files. Of 0 a program that the machine pipes them to would hear, and it runs outside.
                ulimit("core", 1),
            ]),
            ipc_mode: Some("private".to_owned()),
            cgroupns_mode: Some(HostConfigCgroupnsModeEnum::PRIVATE),
            memory: Some(bytes(limits.memory)),
            memory_swap: Some(bytes(limits.memory)),
            pids_limit: Some(processes(limits)),
            nano_cpus: Some(nano_cpus(limits)),
            mounts: Some(recipe.mounts.clone()),
            log_config: Some(HostConfigLogConfig { typ: Some("none".to_owned()), config: None }),
            ..HostConfig::default()
        }),
        ..ContainerCreateBody::default()
    }
}

/// A resource limit of every process, which none can raise.
fn ulimit(name: &str, most: i64) -> ResourcesUlimits {
    ResourcesUlimits { name: Some(name.to_owned()), soft: Some(most), hard: Some(most) }
}

fn bytes(memory: u64) -> i64 {
    i64::try_from(memory).unwrap_or(i64::MAX)
}

/// The limit of the command, and the processes of the keeper.
fn processes(limits: &Limits) -> i64 {
    i64::from(limits.processes) + KEEPERS
}

fn nano_cpus(limits: &Limits) -> i64 {
    let share = Duration::from_secs_f64(limits.cpus.clamp(0.01, 10_000.0));
    i64::try_from(share.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_of_both_versions_are_read() {
        let version1 = "pids.events max 3\nmemory.oom_control oom_kill_disable 0\nmemory.oom_control oom_kill 2\npids.current 1\n.\n";
        let version2 = "memory.events oom 9\nmemory.events oom_kill 2\npids.events max 3\npids.current 1\n.\n";
        let expected = Counters { memory_kills: 2, refused_processes: 3, processes: Some(1) };
        assert_eq!(Counters::parse(version1), expected);
        assert_eq!(Counters::parse(version2), expected);
        assert_eq!(Counters::parse(".\n"), Counters::default());
    }
}
