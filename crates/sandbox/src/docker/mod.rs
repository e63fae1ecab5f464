//! Containers by a Docker engine: one for each workspace, kept between commands, with nothing of a finished command left in it.

mod container;
mod run;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;

use async_trait::async_trait;
use bollard::Docker;
use bollard::models::SystemInfo;
use bollard::query_parameters::ListContainersOptionsBuilder;

use self::container::{OWNER_LABEL, PLACE_LABEL, RUN_LABEL, Recipe, bind};
use self::run::{DockerWorkspace, Site};
use crate::doors::Claims;
use crate::limits::disk::Space;
use crate::machine;
use crate::mount_sources;
use crate::outcome::SandboxError;
use crate::process::Process;
use crate::settings::Settings;
use crate::spec::{Image, WorkspaceSpec};
use crate::{Sandbox, SandboxKind, Workspace, seccomp};

/// The folder of the user inside, empty and in memory.
const HOME: &str = "/home/autoheal";

fn failed(doing: &'static str, source: bollard::errors::Error) -> SandboxError {
    SandboxError::Failed { doing, source: source.into() }
}

fn unavailable(reason: String) -> SandboxError {
    SandboxError::Unavailable { kind: SandboxKind::Docker, reason }
}

/// An engine that answers.
#[derive(Debug)]
pub(crate) struct Engine {
    docker: Docker,
    /// True if the engine runs as an ordinary user; root inside a container is then that user.
    is_rootless: bool,
    /// Information that the engine reports about itself.
    info: SystemInfo,
    allow_weak_limits: bool,
    images: BTreeMap<&'static str, String>,
    runtime: Option<String>,
    free_space: u64,
}

impl Engine {
    /// Finds an engine: by `DOCKER_HOST`, at the usual path, or the user's own; and checks whether it has the image of a language.
    pub(crate) async fn find(settings: &Settings) -> Result<Self, SandboxError> {
        let engine = Self::reach(settings).await?;
        check_limits(&engine.info, engine.allow_weak_limits)?;
        // The language is not known yet. If its image is missing, opening the repository returns the error.
        for image in engine.images.values() {
            if engine.has(image).await? {
                return Ok(engine);
            }
        }
        let (image, setting) = engine.reference(Image::PYTHON);
        Err(SandboxError::MissingImage { image, setting })
    }

    /// The mechanisms that it uses.
    pub(crate) fn claims(&self) -> Claims {
        let info = &self.info;
        let version = info.cgroup_version.map_or_else(|| "?".to_owned(), |version| version.to_string());
        Claims {
            limits: format!("control groups of the engine, version {version}"),
            are_limits_weak: check_limits(info, false).is_err(),
            limits_processors: info.cpu_cfs_quota != Some(false),
            runtime: self.runtime.clone().or_else(|| info.default_runtime.clone()).unwrap_or_else(|| "runc".to_owned()),
            // The engine starts them.
            inherited_filters: 0,
        }
    }

    async fn has(&self, image: &str) -> Result<bool, SandboxError> {
        match self.docker.inspect_image(image).await {
            Ok(_) => Ok(true),
            Err(bollard::errors::Error::DockerResponseServerError { status_code: 404, .. }) => Ok(false),
            Err(error) => Err(failed("looking for an image", error)),
        }
    }

    /// Finds an engine, whatever images it has.
    pub(crate) async fn reach(settings: &Settings) -> Result<Self, SandboxError> {
        let mut reason = String::new();
        for host in hosts() {
            match connect(&host).await {
                Ok((docker, info)) => {
                    return Ok(Self {
                        docker,
                        is_rootless: is_rootless(&info),
                        info,
                        allow_weak_limits: settings.allow_weak_limits,
                        images: settings.images.clone(),
                        runtime: settings.docker_runtime.clone(),
                        free_space: settings.free_space,
                    });
                }
                Err(error) => reason = format!("{host}: {error}"),
            }
        }
        Err(unavailable(format!("no Docker engine answers ({reason}); start one, or set DOCKER_HOST to its socket")))
    }

    /// Removes the containers of processes that have ended; returns their number.
    pub(crate) async fn sweep(&self) -> Result<usize, SandboxError> {
        let filter = HashMap::from([("label".to_owned(), vec![format!("{PLACE_LABEL}={}", place())])]);
        let options = ListContainersOptionsBuilder::new().all(true).filters(&filter).build();
        let listed =
            self.docker.list_containers(Some(options)).await.map_err(|error| failed("listing containers", error))?;
        let mut removed = 0;
        for summary in listed {
            let owner = summary.labels.as_ref().and_then(|labels| labels.get(OWNER_LABEL)?.parse::<Process>().ok());
            if let (Some(id), Some(owner)) = (summary.id, owner)
                && !owner.is_alive()
            {
                container::remove(&self.docker, &id).await?;
                removed += 1;
            }
        }
        Ok(removed)
    }
}

fn hosts() -> Vec<String> {
    if let Ok(host) = std::env::var("DOCKER_HOST") {
        return vec![host];
    }
    let own = std::env::var("XDG_RUNTIME_DIR").ok().map(|folder| format!("unix://{folder}/docker.sock"));
    std::iter::once("unix:///var/run/docker.sock".to_owned()).chain(own).collect()
}

async fn connect(host: &str) -> Result<(Docker, SystemInfo), bollard::errors::Error> {
    let docker = Docker::connect_with_host(host)?.negotiate_version().await?;
    let info = docker.info().await?;
    Ok((docker, info))
}

/// Returns whether the engine runs as an ordinary user.
fn is_rootless(info: &SystemInfo) -> bool {
    info.security_options.iter().flatten().any(|option| option.starts_with("name=rootless"))
}

/// Refuses an engine that does not limit memory and processes, as it reports itself, unless weak limits are allowed.
fn check_limits(info: &SystemInfo, allow_weak_limits: bool) -> Result<(), SandboxError> {
    let missing: Vec<_> = [("memory", info.memory_limit), ("processes", info.pids_limit)]
        .into_iter()
        .filter(|(_, can)| *can == Some(false))
        .map(|(what, _)| what)
        .collect();
    if missing.is_empty() || allow_weak_limits {
        return Ok(());
    }
    Err(SandboxError::NoLimits {
        reason: format!(
            "the Docker engine cannot limit {}; give it control groups (a rootless engine needs version 2 and systemd), or set `{} = \
             true` to run commands without",
            missing.join(" and "),
            Settings::WEAK_LIMITS_SETTING
        ),
    })
}

/// Returns the scope in which our process ids are valid: this boot of the
/// machine, and the PID namespace that we are in.
fn place() -> String {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let part = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    format!("{}/{}", boot.trim(), part.display())
}

/// Returns the paths that are hidden in a container. A list replaces the engine's own, so this one contains
/// all of that.
fn masked() -> io::Result<Vec<String>> {
    let hidden = machine::hidden()?.into_iter().map(|path| path.to_string_lossy().into_owned());
    Ok(hidden.chain(["/sys/firmware".to_owned(), "/sys/devices/virtual/powercap".to_owned()]).collect())
}

#[async_trait]
impl Sandbox for Engine {
    fn kind(&self) -> SandboxKind {
        SandboxKind::Docker
    }

    async fn open(&self, spec: WorkspaceSpec) -> Result<Box<dyn Workspace>, SandboxError> {
        let (site, recipe) = self.prepare(spec)?;
        Ok(Box::new(DockerWorkspace::open(site, recipe).await?))
    }
}

impl Engine {
    /// The place of a workspace's commands, and the recipe of its containers.
    /// The reference of an image, and the setting that it comes from.
    fn reference(&self, image: Image) -> (String, String) {
        (self.images.get(image.0).cloned().unwrap_or_default(), format!("sandbox.{}_image", image.0))
    }

    fn prepare(&self, spec: WorkspaceSpec) -> Result<(Site, Recipe), SandboxError> {
        let io_failed =
            |source: io::Error| SandboxError::Failed { doing: "preparing the workspace", source: source.into() };
        mount_sources::verify(&spec)?;
        let owner = fs::metadata(&spec.root).map_err(io_failed)?;
        let owner_label =
            Process::current().ok_or_else(|| io_failed(io::Error::other("/proc is not mounted")))?.to_string();
        let user = if self.is_rootless { (0, 0) } else { (owner.uid(), owner.gid()) };
        let environment = BTreeMap::from([("HOME", HOME), ("LANG", "C.UTF-8")])
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .chain(spec.environment.clone())
            .collect::<BTreeMap<_, _>>();
        let mut mounts = vec![bind(&spec.root, &spec.inside, true)];
        mounts.extend(spec.mounts.iter().map(|mount| bind(&mount.host, &mount.inside, mount.writable)));
        let space = Space::new(spec.writable(), self.free_space).map_err(io_failed)?;
        space.check()?;
        let (image, setting) = self.reference(spec.image);
        let recipe = Recipe {
            image,
            setting,
            runtime: self.runtime.clone(),
            seccomp: seccomp::docker_profile().map_err(|error| io_failed(error.into()))?,
            masked: masked().map_err(io_failed)?,
            labels: HashMap::from([
                (RUN_LABEL.to_owned(), spec.run.to_string()),
                (OWNER_LABEL.to_owned(), owner_label),
                (PLACE_LABEL.to_owned(), place()),
            ]),
            environment: environment.iter().map(|(name, value)| format!("{name}={value}")).collect(),
            mounts,
        };
        let site = Site { docker: self.docker.clone(), user, inside: spec.inside, space };
        Ok((site, recipe))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn no_container_is_used_without_a_filter_of_system_calls() {
        let (state, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let images = BTreeMap::from([(Image::PYTHON.0, "autoheal-python:local".to_owned())]);
        let settings = Settings { images, ..Settings::new(state.path()) };
        let engine = match Engine::find(&settings).await {
            Ok(engine) => engine,
            Err(error) => return autoheal_testkit::skip("Docker without a filter", &error.to_string()),
        };
        let spec = WorkspaceSpec {
            run: autoheal_engine::RunId(uuid::Uuid::now_v7()),
            root: folder.path().to_owned(),
            inside: WorkspaceSpec::DEFAULT_INSIDE.into(),
            mounts: Vec::new(),
            environment: BTreeMap::new(),
            image: Image::PYTHON,
        };
        let (site, recipe) = engine.prepare(spec.clone()).unwrap();
        match DockerWorkspace::open(site, recipe).await {
            Err(error @ SandboxError::MissingImage { .. }) => {
                return autoheal_testkit::skip("Docker without a filter", &error.to_string());
            }
            opened => Box::new(opened.unwrap()).close().await.unwrap(),
        }
        let (site, recipe) = engine.prepare(spec).unwrap();
        let recipe = Recipe { seccomp: "unconfined".to_owned(), ..recipe };
        let refused = DockerWorkspace::open(site, recipe).await.map(drop).unwrap_err();
        assert!(matches!(refused, SandboxError::OpenDoor { door: "system calls", .. }), "{refused}");
    }

    #[test]
    fn an_engine_without_limits_is_refused_unless_a_setting_accepts_it() {
        let without = SystemInfo { memory_limit: Some(true), pids_limit: Some(false), ..SystemInfo::default() };
        let refused = check_limits(&without, false).unwrap_err().to_string();
        assert!(
            refused.contains("cannot limit processes") && refused.contains(Settings::WEAK_LIMITS_SETTING),
            "{refused}"
        );
        check_limits(&without, true).unwrap();
        check_limits(&SystemInfo { pids_limit: Some(true), ..without }, false).unwrap();
    }
}
