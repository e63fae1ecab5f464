//! The processes of one command: a shell script that is started before the command is known, and its process tree.
//!
//! Limits are applied between the start and the command: no part of the command runs without them.

mod words;

pub(crate) use self::words::{WAITING_SCRIPT, words_of};

use std::io;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use autoheal_engine::RunId;
use rustix::process::Resource;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use tokio::task::JoinSet;

use crate::limits::Limiter;
use crate::limits::cgroup::Group;
use crate::limits::disk::{DiskWatch, Space};
use crate::limits::watch::{backstop, watch};
use crate::outcome::{Limit, SandboxError};
use crate::process::Process;
use crate::session::{self, Conversation, Session};
use crate::spawn::{Launch, Started, spawn};
use crate::spec::Limits;
use crate::supervise::{Ended, Pipe, Running};

/// Maximum time to start a process tree.
const START: Duration = Duration::from_secs(20);

/// Enclosure of a process tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Around {
    /// bubblewrap, which waits outside of a namespace, and the namespace's first process, which ends all others when it ends.
    Namespace,
    /// Nothing but a process group.
    ProcessGroup,
}

/// A process tree whose script waits for a command.
pub(crate) struct Prepared {
    pub(crate) tree: ProcessTree,
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

/// The processes of a command. Dropping it ends them.
pub(crate) struct ProcessTree {
    keeper: Keeper,
    child: Child,
    /// The process that waits for the command's arguments, and becomes the command.
    script: Process,
    /// True if the command runs as another user and limits itself (see [`limiting_words`]).
    is_other_user: bool,
    limits: Limits,
    disk: DiskWatch,
}

/// Handle that ends a process tree when it is dropped.
struct Keeper {
    around: Around,
    /// The process at the top of the tree.
    top: Process,
    /// Control group, where groups can be made. Dropped after the processes were killed.
    group: Option<Group>,
}

impl Keeper {
    /// Returns the processes to kill and to wait for.
    fn targets(&self) -> Vec<Process> {
        match self.around {
            Around::Namespace => vec![self.top],
            Around::ProcessGroup => {
                self.top.kill_group();
                self.top.tree()
            }
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        for process in self.targets() {
            process.kill_and_wait();
        }
    }
}

impl Prepared {
    /// Starts a process tree and waits until it is ready.
    pub(crate) async fn start(
        launch: Launch,
        around: Around,
        limiter: &Limiter,
        space: &Arc<Space>,
        run: RunId,
    ) -> Result<Self, SandboxError> {
        let is_other_user = launch.user.is_some();
        // In this order, for the group is dropped first then: as long as the child was not waited for, its number is its own.
        let Started { mut child, group } = spawn(launch).await.map_err(failed)?;
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(mut stdout), Some(mut stderr)) = streams else {
            return Err(failed(io::Error::other("a pipe is missing")));
        };
        let mut ready = [0];
        let said = tokio::time::timeout(START, stdout.read(&mut ready)).await;
        if !matches!(said, Ok(Ok(1))) {
            let mut complaint = String::new();
            drop(group);
            let _: io::Result<usize> = (&mut stderr).take(4096).read_to_string(&mut complaint).await;
            return Err(failed(io::Error::other(complaint.trim().to_owned())));
        }
        let root = child.id().and_then(|pid| Process::of(i32::try_from(pid).ok()?));
        let tree = root.map(Process::tree).unwrap_or_default();
        let (top, script) = match (around, tree.as_slice()) {
            (Around::Namespace, [_bwrap, first, script]) => (*first, *script),
            (Around::ProcessGroup, [script]) => (*script, *script),
            (Around::Namespace | Around::ProcessGroup, _) => {
                return Err(failed(io::Error::other("its processes cannot be seen in /proc")));
            }
        };
        let keeper = Keeper { around, top, group: Group::create(limiter, run).map_err(failed)? };
        if let Some(group) = &keeper.group {
            // Only these exist, and all wait: nothing can slip out between the moves.
            [top, script].into_iter().try_for_each(|process| group.add(process)).map_err(failed)?;
        }
        group.release();
        let limits = Limits::default();
        let disk = DiskWatch::new(Arc::clone(space), limits.disk);
        Ok(Self { tree: ProcessTree { keeper, child, script, is_other_user, limits, disk }, stdin, stdout, stderr })
    }

    /// Sends the command's arguments and starts a session with it.
    pub(crate) async fn converse(mut self, words: Vec<u8>, limits: &Limits) -> Result<Box<dyn Session>, SandboxError> {
        self.tree.limit(limits)?;
        self.stdin.write_all(&words).await.map_err(failed)?;
        let (sender, said) = session::channel();
        let mut listeners = JoinSet::new();
        listeners.spawn(session::listen(self.stdout, Pipe::Stdout, sender.clone()));
        listeners.spawn(session::listen(self.stderr, Pipe::Stderr, sender));
        Ok(Box::new(Conversation::new(self.tree, Box::pin(self.stdin), said, listeners, *limits)))
    }

    /// The process that becomes the command, as the kernel describes it in /proc.
    pub(crate) fn status(&self) -> io::Result<String> {
        std::fs::read_to_string(format!("/proc/{}/status", self.tree.script.pid()))
    }

    /// Returns whether it can still take a command.
    pub(crate) fn is_ready(&mut self) -> bool {
        matches!(self.tree.child.try_wait(), Ok(None)) && self.tree.keeper.top.is_alive()
    }
}

impl ProcessTree {
    /// Applies the limits; must be called before the command's arguments are sent.
    pub(crate) fn limit(&mut self, limits: &Limits) -> Result<(), SandboxError> {
        self.limits = *limits;
        self.disk.limit(limits.disk);
        if let Some(group) = &self.keeper.group {
            group.limit(limits).map_err(failed)?;
        }
        if self.is_other_user {
            return Ok(());
        }
        let resources = resources(limits, self.keeper.group.is_some(), self.keeper.around);
        resources.into_iter().try_for_each(|(resource, most)| self.script.limit(resource, most)).map_err(failed)
    }
}

/// The resource limits of each process of a command.
fn resources(limits: &Limits, has_group: bool, around: Around) -> Vec<(Resource, u64)> {
    let mut resources = vec![
        (Resource::Fsize, limits.disk.bytes),
        // No core files. Of 0 a program that the machine pipes them to would hear, and it runs outside.
        (Resource::Core, 1),
    ];
    if !has_group {
        resources.extend(backstop(limits, around == Around::Namespace));
    }
    // An administrator may have set less for this process, whose children cannot have more.
    let own = |resource| rustix::process::getrlimit(resource).maximum.unwrap_or(u64::MAX);
    resources.into_iter().map(|(resource, most)| (resource, most.min(own(resource)))).collect()
}

/// Returns the `prlimit` arguments for a command that limits itself: root without `CAP_SYS_RESOURCE` cannot limit the
/// processes of another user.
pub(crate) fn limiting_words(limits: &Limits, limiter: &Limiter) -> Vec<String> {
    let has_group = *limiter != Limiter::ResourceLimits;
    let named = resources(limits, has_group, Around::Namespace).into_iter().filter_map(|(resource, most)| {
        let name = match resource {
            Resource::Fsize => "fsize",
            Resource::Core => "core",
            Resource::Data => "data",
            Resource::Nproc => "nproc",
            _ => return None,
        };
        Some((name, most))
    });
    std::iter::once("prlimit".to_owned()).chain(autoheal_process::prlimit_options(named)).collect()
}

#[async_trait]
impl Running for ProcessTree {
    async fn ended(&mut self) -> Result<Ended, SandboxError> {
        let watched = self.keeper.group.is_none();
        let (root, in_memory) = (self.keeper.top, self.keeper.around == Around::Namespace);
        tokio::select! {
            status = self.child.wait() => {
                let status = status.map_err(failed)?;
                let signal = std::os::unix::process::ExitStatusExt::signal(&status).unwrap_or(0);
                Ok(Ended::Status(status.code().unwrap_or(128 + signal)))
            }
            limit = watch(root, self.limits, in_memory), if watched => Ok(Ended::Limit(limit)),
            limit = self.disk.hit() => Ok(Ended::Limit(limit)),
        }
    }

    async fn stop(&mut self) -> Result<(), SandboxError> {
        for process in self.keeper.targets() {
            process.kill_and_await().await;
        }
        if let Some(group) = &self.keeper.group {
            group.kill_and_await().await;
        }
        self.child.wait().await.map_err(failed)?;
        Ok(())
    }

    async fn close(&mut self) -> Result<(), SandboxError> {
        self.stop().await
    }

    async fn wrote_too_much(&mut self) -> Option<Limit> {
        self.disk.at_end().await
    }

    async fn limit_hit(&mut self) -> Option<Limit> {
        self.keeper.group.as_ref().and_then(Group::hit)
    }
}

fn failed(source: io::Error) -> SandboxError {
    SandboxError::Failed { doing: "starting the processes of a command", source: source.into() }
}
