//! The one place of this crate that starts processes.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::mpsc;
use std::sync::{Mutex, OnceLock, PoisonError};

use nix::unistd::{AccessFlags, access};
use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::process::Process;

/// A process of the host to be started, its three streams piped and its environment only what is said here.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) argv: Vec<OsString>,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) directory: PathBuf,
    /// The user and group to become; only root can.
    pub(crate) user: Option<(u32, u32)>,
}

/// A process that was started.
pub(crate) struct Started {
    /// To be dropped first: as long as the process was not waited for, its number is nobody else's.
    pub(crate) group: GroupGuard,
    pub(crate) child: Child,
}

/// Ends a process group when it is dropped. The first process inside of bubblewrap asks to be ended with bubblewrap only when that has let it
/// go on: if bubblewrap alone were ended before, it would wait for ever.
pub(crate) struct GroupGuard(Option<Process>);

impl GroupGuard {
    /// Something else ends the processes from here on.
    pub(crate) fn release(mut self) {
        self.0 = None;
    }
}

impl Drop for GroupGuard {
    fn drop(&mut self) {
        if let Some(leader) = self.0.filter(|leader| Process::of(leader.pid()) == Some(*leader)) {
            leader.kill_group();
        }
    }
}

struct Request {
    launch: Launch,
    runtime: Handle,
    reply: oneshot::Sender<io::Result<Started>>,
}

/// Starts it.
///
/// A dedicated thread forks: `--die-with-parent` of bubblewrap asks the kernel for a signal at the death of the *thread*
/// that forked, and threads of a runtime come and go.
pub(crate) async fn spawn(launch: Launch) -> io::Result<Started> {
    let (reply, answer) = oneshot::channel();
    let gone = || io::Error::other("the thread that starts processes has ended");
    {
        let sender = spawner()?.lock().unwrap_or_else(PoisonError::into_inner).clone();
        sender.send(Request { launch, runtime: Handle::current(), reply }).map_err(|_| gone())?;
    }
    answer.await.map_err(|_| gone())?
}

/// Where a program is, by this process's `PATH`.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|file| file.is_absolute() && access(file, AccessFlags::X_OK).is_ok() && file.is_file())
}

fn spawner() -> io::Result<&'static Mutex<mpsc::Sender<Request>>> {
    static SPAWNER: OnceLock<Mutex<mpsc::Sender<Request>>> = OnceLock::new();
    if let Some(spawner) = SPAWNER.get() {
        return Ok(spawner);
    }
    let (sender, requests) = mpsc::channel::<Request>();
    std::thread::Builder::new().name("sandbox-spawner".to_owned()).spawn(move || {
        for Request { launch, runtime, reply } in requests {
            let _context = runtime.enter();
            // When nobody waits any more it is dropped, and thereby killed.
            let _: Result<(), _> = reply.send(start(launch));
        }
    })?;
    Ok(SPAWNER.get_or_init(|| Mutex::new(sender)))
}

#[expect(clippy::disallowed_methods, reason = "this crate is one of those that start processes, and does so only here")]
fn start(launch: Launch) -> io::Result<Started> {
    let mut argv = launch.argv.into_iter();
    let program = argv.next().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no program was named"))?;
    let mut command = Command::new(program);
    command
        .args(argv)
        .env_clear()
        .envs(launch.environment)
        .current_dir(launch.directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        // One of its own: whoever ends it early reaches what it has started by then.
        .process_group(0);
    if let Some((user, group)) = launch.user {
        command.uid(user).gid(group);
    }
    let child = command.spawn()?;
    let leader = child.id().and_then(|pid| Process::of(i32::try_from(pid).ok()?));
    Ok(Started { group: GroupGuard(leader), child })
}
