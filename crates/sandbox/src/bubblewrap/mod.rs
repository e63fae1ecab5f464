//! Linux namespaces by bubblewrap: a new one for every command, so that nothing of a finished command survives.
//!
//! The warm path: while one command runs, or the caller thinks, the namespace of the next one is already set up and waits
//! for its arguments (see `waiting.sh`). A command therefore pays neither the start of bubblewrap nor of a process.

mod mounts;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use autoheal_engine::with_causes;
use nix::unistd::{getegid, geteuid};
use tokio::io::AsyncReadExt as _;
use tokio::task::JoinSet;

use self::mounts::{Arguments, HOME};
use crate::doors::{self, Claims};
use crate::limits::Limiter;
use crate::limits::disk::Space;
use crate::mount_sources;
use crate::outcome::{Outcome, SandboxError};
use crate::process_tree::{Around, Prepared, WAITING_SCRIPT, limiting_words, words_of};
use crate::registries::{self, Registries};
use crate::seccomp::Filters;
use crate::session::{self, Session};
use crate::settings::Settings;
use crate::spawn::{FIRST_FILE, Launch, Started, spawn};
use crate::spec::{Command, Image, Mount, Network, WorkspaceSpec};
use crate::supervise::{Output, pump, supervise};
use crate::{Sandbox, SandboxKind, Workspace};

/// Size of each folder in memory, in bytes. Its content counts as memory of the command, too.
const SCRATCH: u64 = 1 << 30;

/// The same where memory is only counted by periodic checks.
const WEAK_SCRATCH: u64 = 256 << 20;

const TOO_OLD: &str = "this `bwrap` is older than 0.8 and cannot limit folders in memory; install a later one";

/// The bit of a program's mode that gives it the rights of its owner.
const SET_USER_ID: u32 = 0o4000;

const RAISES_RIGHTS: &str = "`bwrap` has the set-user-ID bit, which has no effect in worker processes; remove it (`chmod u-s`) and allow \
                             ordinary users to make user namespaces";

/// The user and group that root's commands see themselves as.
const UNPRIVILEGED: u32 = 1000;

/// A `bwrap` that works.
#[derive(Debug)]
pub(crate) struct Bubblewrap {
    program: PathBuf,
    /// True if it can limit the size of a folder in memory, and keep a
    /// command from making namespaces (both since 0.8).
    is_recent: bool,
    state_dir: PathBuf,
    allow_weak_limits: bool,
    free_space: u64,
    /// The number of filters of system calls that every command has from this process.
    inherited_filters: u32,
}

impl Bubblewrap {
    /// Finds the program and tries it.
    pub(crate) async fn find(settings: &Settings) -> Result<Self, SandboxError> {
        Self::locate(settings).await?.tried().await
    }

    /// Finds the program and checks its version and permissions, without running a command in it.
    pub(crate) async fn locate(settings: &Settings) -> Result<Self, SandboxError> {
        let program = crate::spawn::on_path("bwrap")
            .ok_or_else(|| unavailable("the program `bwrap` is not installed; install the package `bubblewrap`"))?;
        let mode = fs::metadata(&program).map_err(|error| unavailable(&error.to_string()))?.mode();
        if mode & SET_USER_ID != 0 && !geteuid().is_root() {
            return Err(unavailable(RAISES_RIGHTS));
        }
        let help = help_of(&program).await.map_err(|error| unavailable(&error.to_string()))?;
        if !help.contains("--add-seccomp-fd") {
            return Err(unavailable(TOO_OLD));
        }
        let is_recent = help.contains("--disable-userns") && help.contains("--size");
        if !is_recent && !settings.allow_weak_limits {
            return Err(unavailable(&format!("{TOO_OLD}, or set `{} = true`", Settings::WEAK_LIMITS_SETTING)));
        }
        let Settings { state_dir, allow_weak_limits, free_space, .. } = settings.clone();
        Limiter::detect(geteuid().as_raw(), allow_weak_limits)?;
        let inherited_filters = doors::own_filters();
        Ok(Self { program, is_recent, state_dir, allow_weak_limits, free_space, inherited_filters })
    }

    /// Checks that it works by opening one workspace.
    async fn tried(self) -> Result<Self, SandboxError> {
        let folder = tempfile::tempdir().map_err(|error| unavailable(&error.to_string()))?;
        let spec = WorkspaceSpec {
            run: autoheal_engine::RunId(uuid::Uuid::nil()),
            root: folder.path().to_owned(),
            inside: WorkspaceSpec::DEFAULT_INSIDE.into(),
            mounts: Vec::new(),
            environment: BTreeMap::new(),
            image: Image::PYTHON,
        };
        let sandbox = Arc::new(self);
        let tried = match Plan::new(&sandbox, spec) {
            Ok(plan) => plan.prepare(&[]).await.map(drop),
            Err(error) => Err(error),
        };
        match (tried, Arc::try_unwrap(sandbox)) {
            (Ok(()), Ok(found)) => Ok(found),
            (Err(error), _) => Err(unavailable(&with_causes(&error))),
            (Ok(()), Err(_)) => Err(unavailable("it is still being tried")),
        }
    }
}

impl Bubblewrap {
    /// The mechanisms that it uses.
    pub(crate) fn claims(&self) -> Result<Claims, SandboxError> {
        let limiter = Limiter::detect(geteuid().as_raw(), self.allow_weak_limits)?;
        Ok(Claims {
            limits: limiter.to_string(),
            are_limits_weak: limiter == Limiter::ResourceLimits,
            limits_processors: limiter.limits_processors(),
            runtime: self.program.display().to_string(),
            inherited_filters: self.inherited_filters,
        })
    }
}

fn preparing(source: io::Error) -> SandboxError {
    SandboxError::Failed { doing: "preparing the workspace", source: source.into() }
}

fn unavailable(reason: &str) -> SandboxError {
    SandboxError::Unavailable { kind: SandboxKind::Bubblewrap, reason: reason.to_owned() }
}

async fn help_of(program: &Path) -> io::Result<String> {
    let launch = Launch {
        argv: vec![program.into(), "--help".into()],
        environment: BTreeMap::new(),
        directory: "/".into(),
        user: None,
        files: Vec::new(),
    };
    // Ended when this is over, whatever it does.
    let Started { mut child, group: _group } = spawn(launch).await?;
    let mut text = String::new();
    if let Some(stdout) = child.stdout.take() {
        tokio::time::timeout(Duration::from_secs(10), stdout.take(1 << 16).read_to_string(&mut text)).await??;
    }
    Ok(text)
}

#[async_trait]
impl Sandbox for Arc<Bubblewrap> {
    fn kind(&self) -> SandboxKind {
        SandboxKind::Bubblewrap
    }

    async fn open(&self, spec: WorkspaceSpec) -> Result<Box<dyn Workspace>, SandboxError> {
        let plan = Arc::new(Plan::new(self, spec)?);
        plan.space.check()?;
        // Waited for, so that a workspace that cannot work fails here.
        let first = plan.prepare(&[]).await?;
        let mut next = JoinSet::new();
        next.spawn(std::future::ready(Ok(first)));
        Ok(Box::new(BubblewrapWorkspace { plan, next }))
    }
}

/// Blueprint for the namespaces of one workspace.
struct Plan {
    bubblewrap: Arc<Bubblewrap>,
    spec: WorkspaceSpec,
    limiter: Limiter,
    /// The user that commands are, when it is not ours.
    drop_to: Option<(u32, u32)>,
    /// The user and group that commands see themselves as: never root.
    inside: (u32, u32),
    empty: PathBuf,
    environment: BTreeMap<String, String>,
    filters: Filters,
    space: Arc<Space>,
}

impl Plan {
    fn new(bubblewrap: &Arc<Bubblewrap>, spec: WorkspaceSpec) -> Result<Self, SandboxError> {
        let owner = fs::metadata(&spec.root).map_err(preparing)?;
        let mut user = (geteuid().as_raw(), getegid().as_raw());
        // autoheal as root does not need root to run a user's tests.
        let drop_to = (user.0 == 0 && owner.uid() != 0).then_some((owner.uid(), owner.gid()));
        user = drop_to.unwrap_or(user);
        let limiter = Limiter::detect(user.0, bubblewrap.allow_weak_limits)?;
        let filters = Filters::new(&limiter).map_err(|reason| unavailable(&reason))?;
        let unprivileged = |id: u32| if id == 0 { UNPRIVILEGED } else { id };
        let inside = (unprivileged(user.0), unprivileged(user.1));
        let space = Space::new(spec.writable(), bubblewrap.free_space).map_err(preparing)?;
        let empty = mounts::empty(&bubblewrap.state_dir).map_err(preparing)?;
        let mut environment = spec.environment.clone();
        for (name, value) in [("PATH", crate::spec::PATH), ("HOME", HOME), ("LANG", "C.UTF-8")] {
            environment.entry(name.to_owned()).or_insert_with(|| value.to_owned());
        }
        Ok(Self {
            bubblewrap: Arc::clone(bubblewrap),
            spec,
            limiter,
            drop_to,
            inside,
            empty,
            environment,
            filters,
            space,
        })
    }

    async fn prepare(&self, more: &[Mount]) -> Result<Prepared, SandboxError> {
        // Each time: commands have run since.
        mount_sources::verify(&self.spec)?;
        let prepared = Prepared::start(
            self.launch(more).map_err(preparing)?,
            Around::Namespace,
            &self.limiter,
            &self.space,
            self.spec.run,
        )
        .await?;
        doors::require(&prepared.status().map_err(preparing)?, 0, self.bubblewrap.inherited_filters)?;
        Ok(prepared)
    }

    fn launch(&self, more: &[Mount]) -> io::Result<Launch> {
        let mut arguments = Arguments::default();
        arguments.push(["--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]);
        arguments.push(["--uid", &self.inside.0.to_string(), "--gid", &self.inside.1.to_string()]);
        arguments.push(["--hostname", "autoheal", "--chdir", "/"]);
        if self.bubblewrap.is_recent {
            arguments.push(["--disable-userns"]);
        }
        for program in self.filters.programs() {
            let number = arguments.file(program.clone());
            arguments.push(["--add-seccomp-fd", &number]);
        }
        let scratch = match self.limiter {
            Limiter::Version1 { .. } | Limiter::Version2 { .. } => SCRATCH,
            Limiter::ResourceLimits => WEAK_SCRATCH,
        };
        arguments.system(self.inside, &self.empty, self.bubblewrap.is_recent.then_some(scratch))?;
        arguments.workspace(&self.spec, more);
        // bubblewrap is the first process inside, and its words are seen there: what is shown of the host comes by a file.
        let mut argv = vec![self.bubblewrap.program.clone().into_os_string()];
        argv.extend(
            ["--args", &FIRST_FILE.to_string(), "--", "/bin/sh", "-c", WAITING_SCRIPT, "sh"].map(OsString::from),
        );
        Ok(Launch {
            argv,
            environment: BTreeMap::new(),
            directory: PathBuf::from("/"),
            user: self.drop_to,
            files: arguments.into_files(),
        })
    }

    /// Runs a command to its end.
    async fn execute(&self, prepared: Prepared, command: &Command) -> Result<Outcome, SandboxError> {
        let input = self.words(command)?;
        let Prepared { mut tree, stdin, stdout, stderr } = prepared;
        tree.limit(&command.limits)?;
        let output = Output::new(command.limits.output);
        let streams = pump(stdin, &input, stdout, stderr, &output);
        let (end, duration) = supervise(&mut tree, streams, &command.limits).await?;
        Ok(Outcome::new(end, duration, output))
    }

    /// The command as the waiting script reads it.
    fn words(&self, command: &Command) -> Result<Vec<u8>, SandboxError> {
        let before = self.drop_to.map(|_| limiting_words(&command.limits, &self.limiter)).unwrap_or_default();
        words_of(&self.spec.inside, command, &self.environment, before)
    }

    /// The user and group that commands are.
    fn user(&self) -> (u32, u32) {
        self.drop_to.unwrap_or_else(|| (geteuid().as_raw(), getegid().as_raw()))
    }
}

struct BubblewrapWorkspace {
    plan: Arc<Plan>,
    /// The namespace of the next command, in the making or ready. At most one.
    next: JoinSet<Result<Prepared, SandboxError>>,
}

impl BubblewrapWorkspace {
    fn arm_next(&mut self) {
        let plan = Arc::clone(&self.plan);
        self.next.spawn(async move { plan.prepare(&[]).await });
    }

    /// Returns a namespace that is ready for a command.
    async fn prepared(&mut self) -> Result<Prepared, SandboxError> {
        if let Some(Ok(Ok(mut prepared))) = self.next.join_next().await
            && prepared.is_ready()
        {
            return Ok(prepared);
        }
        self.plan.prepare(&[]).await
    }
}

#[async_trait]
impl Workspace for BubblewrapWorkspace {
    async fn run(&mut self, command: &Command) -> Result<Outcome, SandboxError> {
        self.plan.space.check()?;
        match &command.network {
            Network::None => {
                let prepared = self.prepared().await?;
                let outcome = self.plan.execute(prepared, command).await?;
                self.arm_next();
                Ok(outcome)
            }
            Network::Registries(access) => {
                let registries = Registries::open(access, self.plan.user()).map_err(preparing)?;
                let prepared = self.plan.prepare(&registries.mounts()).await?;
                let outcome = self.plan.execute(prepared, &registries.wrap(command)).await?;
                Ok(registries::redact(access, outcome))
            }
        }
    }

    async fn session(&mut self, command: &Command) -> Result<Box<dyn Session>, SandboxError> {
        session::refuse_network(command)?;
        self.plan.space.check()?;
        let prepared = self.prepared().await?;
        let session = prepared.converse(self.plan.words(command)?, &command.limits).await?;
        self.arm_next();
        Ok(session)
    }

    async fn close(mut self: Box<Self>) -> Result<(), SandboxError> {
        self.next.shutdown().await;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use autoheal_engine::RunId;

    use super::*;
    use crate::End;
    use crate::registries::tests::village;

    /// A sandbox and a workspace in `folder`; nothing, after having said so, where bubblewrap does not work.
    async fn plan(state: &Path, folder: &Path, what: &str) -> Option<Plan> {
        let sandbox = match Bubblewrap::find(&Settings::new(state)).await {
            Ok(found) => Arc::new(found),
            Err(error) => {
                autoheal_testkit::skip(what, &error.to_string());
                return None;
            }
        };
        let spec = WorkspaceSpec {
            run: RunId(uuid::Uuid::now_v7()),
            root: folder.to_owned(),
            inside: WorkspaceSpec::DEFAULT_INSIDE.into(),
            mounts: Vec::new(),
            environment: BTreeMap::new(),
            image: Image::PYTHON,
        };
        Some(Plan::new(&sandbox, spec).unwrap())
    }

    #[tokio::test]
    async fn nothing_runs_without_a_filter_of_system_calls() {
        let (state, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let Some(mut plan) = plan(state.path(), folder.path(), "bubblewrap without a filter").await else { return };
        drop(plan.prepare(&[]).await.unwrap());
        plan.filters = Filters::none();
        let refused = plan.prepare(&[]).await.map(drop).unwrap_err();
        assert!(matches!(refused, SandboxError::OpenDoor { door: "system calls", .. }), "{refused}");
    }

    #[tokio::test]
    async fn a_registry_is_reached_through_relay_and_proxy() {
        let (state, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let Some(plan) = plan(state.path(), folder.path(), "registries with bubblewrap").await else { return };
        let mut servers = tokio::task::JoinSet::new();
        let registries = village(plan.user(), &mut servers).await;
        let script = "import urllib.error, urllib.request\n\
             print(urllib.request.urlopen('https://registry.example/simple/').read().decode())\n\
             try: urllib.request.urlopen('https://registry.example/loot', data=b'loot')\n\
             except urllib.error.HTTPError as error: print(error.code)\n\
             exit(7)";
        let command = Command { network: Network::None, ..Command::new(["python3", "-c", script]) };
        let prepared = plan.prepare(&registries.mounts()).await.unwrap();
        let outcome = plan.execute(prepared, &registries.wrap(&command)).await.unwrap();
        let said = String::from_utf8_lossy(&outcome.stdout);
        assert!(
            said.starts_with("registry.example: GET /simple/ HTTP/1.1") && said.ends_with("405\n"),
            "{said} {outcome:?}"
        );
        assert_eq!(outcome.end, End::Exited(7));
    }
}
