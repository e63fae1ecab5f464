//! A process of this program that does untrusted work for another one: the same binary, in a separate control group.
//!
//! It is not confined like a repository's commands: it needs the database, the network and the sandboxes. The separation
//! contains its faults: a stack overflow, a hang or exhausted memory ends only the worker process. It may make the system
//! calls of ordinary programs and those that build sandboxes ([`confine`]).

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::time::Duration;

use autoheal_engine::RunId;
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use tokio::time::sleep;

use crate::limits::Limiter;
use crate::limits::cgroup::Group;
use crate::outcome::Limit;
use crate::process::Process;
use crate::seccomp;
use crate::spawn::{GroupGuard, Launch, Started, spawn};

/// Interval between two measurements of the memory, where no control group enforces the limit.
const INTERVAL: Duration = Duration::from_millis(250);

/// Bytes of standard error that are kept to explain how the process ended.
const LAST_WORDS: usize = 4096;

/// Gives up, for this thread and all that it starts, the system calls that neither ordinary programs nor sandboxes need, and the rights that
/// programs with a set-user-ID bit would have.
///
/// # Errors
///
/// The reason for which this machine has no such filter.
pub fn confine() -> Result<(), String> {
    seccomp::confine()
}

/// A running worker process. Dropping it kills the process.
pub struct WorkerProcess {
    // In this order: the process group is killed first, then the control group is emptied and removed.
    _guard: GroupGuard,
    group: Option<Group>,
    child: Child,
    process: Option<Process>,
    memory: u64,
}

/// The streams of a worker process.
#[derive(Debug)]
pub struct WorkerStreams {
    /// Carries orders to the process. Closing it ends the process.
    pub stdin: ChildStdin,
    /// Carries reports from the process.
    pub stdout: ChildStdout,
    /// Carries the process's log.
    pub stderr: ChildStderr,
}

/// The way a worker process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerExit {
    /// The exit code; `None` when a signal ended the process.
    pub code: Option<i32>,
    /// The signal that ended the process.
    pub signal: Option<i32>,
    /// The limit that was exceeded.
    pub limit: Option<Limit>,
}

impl WorkerProcess {
    /// Starts this program again with other arguments, limited to `memory` bytes. The environment is that of this process.
    ///
    /// # Errors
    ///
    /// When the process cannot be started, or its control group cannot be made.
    pub async fn start(arguments: &[&str], memory: u64) -> io::Result<(Self, WorkerStreams)> {
        // This very program, also when its file was replaced meanwhile: both sides must speak the same version.
        let mut argv = vec![OsString::from("/proc/self/exe")];
        argv.extend(arguments.iter().map(OsString::from));
        let environment: BTreeMap<String, String> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let launch = Launch { argv, environment, directory: std::env::current_dir()?, user: None, files: Vec::new() };
        let Started { group: guard, mut child } = spawn(launch).await?;
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
            return Err(io::Error::other("a pipe is missing"));
        };
        let process = child.id().and_then(|pid| Process::of(i32::try_from(pid).ok()?));
        let group = Group::create(&Limiter::detect_or_resource_limits(), RunId(uuid::Uuid::nil()))?;
        if let (Some(group), Some(process)) = (&group, process) {
            group.limit_memory(memory)?;
            // The process waits for its first order: it has started nothing that could stay outside.
            group.add(process)?;
        }
        Ok((Self { _guard: guard, group, child, process, memory }, WorkerStreams { stdin, stdout, stderr }))
    }

    /// Returns when the process exceeds its memory and no control group prevents that; never otherwise.
    pub async fn exceeds_memory(&self) {
        while self.group.is_some() || self.process.is_none_or(|process| process.memory() <= self.memory) {
            sleep(INTERVAL).await;
        }
    }

    /// Waits until the process has ended, and kills the processes it left. `has_exceeded`: true if it was killed for its memory.
    pub async fn ended(&mut self, has_exceeded: bool) -> WorkerExit {
        let status = self.child.wait().await.ok();
        self.kill();
        let limit = if has_exceeded { Some(Limit::Memory) } else { self.group.as_ref().and_then(Group::hit) };
        WorkerExit {
            code: status.and_then(|status| status.code()),
            signal: status.and_then(|status| status.signal()),
            limit,
        }
    }

    /// Kills the process and everything that it started.
    pub fn kill(&mut self) {
        // An error says that it has ended already.
        let _: io::Result<()> = self.child.start_kill();
        if let Some(group) = &self.group {
            group.kill();
        }
    }
}

/// Copies the log of a worker process to this process's standard error; returns its last bytes, as text, at its end.
pub async fn forward_log(mut stderr: ChildStderr) -> String {
    let mut last: Vec<u8> = Vec::new();
    let mut buffer = vec![0; 8192];
    while let Ok(count @ 1..) = stderr.read(&mut buffer).await {
        let bytes = &buffer[..count];
        // Nothing can be done about a log that cannot be written.
        let _: io::Result<()> = io::Write::write_all(&mut io::stderr(), bytes);
        last.extend_from_slice(bytes);
        let surplus = last.len().saturating_sub(LAST_WORDS);
        last.drain(..surplus);
    }
    String::from_utf8_lossy(&last).into_owned()
}
