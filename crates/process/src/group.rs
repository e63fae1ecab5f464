//! Starting a program so that it, and everything it starts, ends with this process.
//!
//! Each program is in a process group led by a *keeper*: a shell that waits for the end of its input and then ends the group.
//! Only this process holds the other end of that input, so the kernel closes it however this process ends, even by `SIGKILL`.
//! The keeper starts before the program, so the program is never without it; and until the keeper is waited for, the ID of
//! the group is not reused.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::mpsc;
use std::sync::{Mutex, OnceLock, PoisonError};

use nix::sys::resource::{Resource, getrlimit};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::{AccessFlags, Pid, access};
use tokio::process::{Child, ChildStdin, Command};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// The whole program of a keeper. Its input never has a line: `read` returns at its end.
const KEEPER: &str = "read -r nothing; kill -KILL 0";

/// Limits that the kernel keeps for each process of a program (`setrlimit(2)`), in bytes. None of them leaves a core dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Private memory that a process may write. Files that it reads by mapping them do not count.
    pub memory: u64,
    /// The longest file that it may write.
    pub file: u64,
}

/// A program of this machine to be started, by its absolute path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program(PathBuf);

impl Program {
    /// The program at this path.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// The first program of this name on `PATH`.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::NotFound`]: it is not installed.
    pub fn on_path(name: &str) -> io::Result<Self> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| is_program(file));
        let missing = || {
            io::Error::new(io::ErrorKind::NotFound, format!("the program `{name}` is not on PATH; install its package"))
        };
        found.map(Self).ok_or_else(missing)
    }

    /// Returns the path of the program.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The program as a command with these limits.
    ///
    /// # Errors
    ///
    /// The program `prlimit` (of util-linux) is missing.
    pub fn limited(&self, limits: &Limits) -> io::Result<Command> {
        let prlimit = Self::on_path("prlimit").map_err(|_| {
            io::Error::new(io::ErrorKind::NotFound, "no program `prlimit`; install the package util-linux")
        })?;
        let mut command = prlimit.unlimited();
        let limits = [
            ("core", 0),
            ("data", at_most(Resource::RLIMIT_DATA, limits.memory)),
            ("fsize", at_most(Resource::RLIMIT_FSIZE, limits.file)),
        ];
        command.args(prlimit_options(limits)).arg(&self.0);
        Ok(command)
    }

    /// The program as a command without limits.
    #[expect(
        clippy::disallowed_methods,
        reason = "this crate starts programs for those that may, and does so only here"
    )]
    pub fn unlimited(&self) -> Command {
        Command::new(&self.0)
    }
}

/// Returns a limit, or what an administrator has set for us if that is less: nothing can ask for more than that.
fn at_most(resource: Resource, limit: u64) -> u64 {
    getrlimit(resource).map_or(limit, |(_, own)| limit.min(own))
}

/// Returns the options between `prlimit` (of util-linux) and a command that it starts with these limits.
pub fn prlimit_options(limits: impl IntoIterator<Item = (&'static str, u64)>) -> impl Iterator<Item = String> {
    let options = limits.into_iter().map(|(name, most)| format!("--{name}={most}:{most}"));
    options.chain(std::iter::once("--".to_owned()))
}

/// Returns whether this file is executable.
pub fn is_program(file: &Path) -> bool {
    file.is_absolute() && file.is_file() && access(file, AccessFlags::X_OK).is_ok()
}

/// A program that was started.
#[derive(Debug)]
pub struct Started {
    /// Ends the program and all that it started when it is dropped.
    pub group: Group,
    /// Handle of the program itself.
    pub child: Child,
}

/// The process group of a program. Dropping it ends every process in it.
#[derive(Debug)]
pub struct Group {
    leader: Option<Pid>,
    /// Not waited for before the group is ended, so that its ID is not reused.
    _keeper: Child,
    input: Option<ChildStdin>,
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(leader) = self.leader {
            // The keeper is in the group, so the group is not empty.
            let _: nix::Result<()> = killpg(leader, Signal::SIGKILL);
        }
        drop(self.input.take());
    }
}

struct Request {
    command: Command,
    runtime: Handle,
    reply: oneshot::Sender<io::Result<Started>>,
}

/// Starts a program. Dropping the result ends it.
///
/// A dedicated thread forks: a program may ask the kernel for a signal at the death of its parent (`bwrap
/// --die-with-parent` does), and the kernel means the *thread*; the threads of a runtime come and go.
///
/// # Errors
///
/// The program, or the keeper (`/bin/sh`), cannot be started.
pub async fn start(command: Command) -> io::Result<Started> {
    let (reply, answer) = oneshot::channel();
    let gone = || io::Error::other("the thread that starts programs has ended");
    {
        let sender = spawner()?.lock().unwrap_or_else(PoisonError::into_inner).clone();
        sender.send(Request { command, runtime: Handle::current(), reply }).map_err(|_| gone())?;
    }
    answer.await.map_err(|_| gone())?
}

fn spawner() -> io::Result<&'static Mutex<mpsc::Sender<Request>>> {
    static SPAWNER: OnceLock<Mutex<mpsc::Sender<Request>>> = OnceLock::new();
    if let Some(spawner) = SPAWNER.get() {
        return Ok(spawner);
    }
    let (sender, requests) = mpsc::channel::<Request>();
    std::thread::Builder::new().name("program-spawner".to_owned()).spawn(move || {
        for Request { command, runtime, reply } in requests {
            let _context = runtime.enter();
            // When the caller is gone it is dropped, and thereby ended.
            let _: Result<(), _> = reply.send(start_here(command));
        }
    })?;
    Ok(SPAWNER.get_or_init(|| Mutex::new(sender)))
}

fn start_here(mut command: Command) -> io::Result<Started> {
    let mut keeper = Program::at("/bin/sh").unlimited();
    keeper.args(["-c", KEEPER]).env_clear().current_dir("/").process_group(0).kill_on_drop(true);
    keeper.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut keeper = keeper.spawn()?;
    let leader = keeper.id().and_then(|id| i32::try_from(id).ok());
    let leader = leader.ok_or_else(|| io::Error::other("the keeper of the process group ended at once"))?;
    let group = Group { leader: Some(Pid::from_raw(leader)), input: keeper.stdin.take(), _keeper: keeper };
    let child = command.process_group(leader).kill_on_drop(true).spawn()?;
    Ok(Started { group, child })
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};

    use super::*;
    use crate::Owner;

    fn shell(script: &str) -> Command {
        let mut command = Program::at("/bin/sh").unlimited();
        command.args(["-c", script]).stdin(Stdio::null()).stdout(Stdio::piped());
        command
    }

    /// A program that starts another and prints its number; returns both.
    async fn parent_and_child() -> (Started, Owner, Owner) {
        let mut started = start(shell("sleep 600 & echo $!; wait")).await.unwrap();
        let mut lines = BufReader::new(started.child.stdout.take().unwrap()).lines();
        let pid = lines.next_line().await.unwrap().unwrap().parse().unwrap();
        let parent = Owner::of(started.child.id().unwrap()).unwrap();
        (started, parent, Owner::of(pid).unwrap())
    }

    async fn gone(owner: Owner) {
        while owner.is_alive() {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    }

    #[tokio::test]
    async fn what_is_dropped_ends_with_everything_it_started() {
        let (started, parent, child) = parent_and_child().await;
        assert!(parent.is_alive() && child.is_alive());
        drop(started.group);
        gone(parent).await;
        gone(child).await;
    }

    #[tokio::test]
    async fn the_death_of_this_process_is_the_end_of_the_group() {
        let (mut started, parent, child) = parent_and_child().await;
        // What the kernel does when a process dies: nothing of it runs, its files are closed.
        started.group.leader = None;
        drop(started.group.input.take());
        gone(parent).await;
        gone(child).await;
    }

    #[tokio::test]
    async fn limits_are_in_place_before_the_program_runs() {
        let mut command = Program::at("/bin/sh").limited(&Limits { memory: 64 << 20, file: 4096 }).unwrap();
        command.args(["-c", "ulimit -d; ulimit -f; ulimit -c"]).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut started = start(command).await.unwrap();
        let mut text = String::new();
        started.child.stdout.take().unwrap().read_to_string(&mut text).await.unwrap();
        assert_eq!(text, "65536\n8\n0\n");
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = Program::on_path("no-such-program-of-autoheal").unwrap_err();
        assert!(error.to_string().contains("no-such-program-of-autoheal"), "{error}");
    }
}
