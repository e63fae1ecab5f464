//! The one place of this crate that starts processes.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::mpsc;
use std::sync::{Mutex, OnceLock, PoisonError};

use command_fds::{CommandFdExt as _, FdMapping};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::unistd::{AccessFlags, access};
use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::process::Process;

/// A host process to start, with its three streams piped and only the environment given here.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) argv: Vec<OsString>,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) directory: PathBuf,
    /// The user and group to become; only root can.
    pub(crate) user: Option<(u32, u32)>,
    /// Content of the process's open files, from [`FIRST_FILE`] on.
    pub(crate) files: Vec<Vec<u8>>,
}

/// The number of the first of [`Launch::files`] in the process.
pub(crate) const FIRST_FILE: usize = 3;

/// A started process and the guard of its process group.
pub(crate) struct Started {
    /// Dropped first: until the process is waited for, its ID is not reused.
    pub(crate) group: GroupGuard,
    pub(crate) child: Child,
}

/// Ends a process group when it is dropped. The first process inside bubblewrap asks to be ended with bubblewrap only after
/// bubblewrap lets it continue: if bubblewrap alone were ended before that, the process would wait forever.
pub(crate) struct GroupGuard(Option<Process>);

impl GroupGuard {
    /// Disarms the guard: the processes are ended by another mechanism from here on.
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

/// Starts the process and returns it with the guard of its process group.
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

/// Finds a program in this process's `PATH`.
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
    // Children do not need the files that this program inherited.
    close_fds::set_fds_cloexec_threadsafe(3, &[]);
    std::thread::Builder::new().name("sandbox-spawner".to_owned()).spawn(move || {
        for Request { launch, runtime, reply } in requests {
            let _context = runtime.enter();
            // If the caller no longer waits, the process is dropped, and thereby killed.
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
        // A separate group: ending it early reaches all processes that it has started by then.
        .process_group(0);
    if let Some((user, group)) = launch.user {
        command.uid(user).gid(group);
    }
    if !launch.files.is_empty() {
        let files = (FIRST_FILE..).zip(&launch.files);
        let mappings = files.map(|(number, bytes)| {
            let child_fd = i32::try_from(number).map_err(io::Error::other)?;
            Ok(FdMapping { parent_fd: in_memory(bytes)?.into(), child_fd })
        });
        command.fd_mappings(mappings.collect::<io::Result<_>>()?).map_err(io::Error::other)?;
    }
    leave_keyring();
    let child = command.spawn()?;
    let leader = child.id().and_then(|pid| Process::of(i32::try_from(pid).ok()?));
    Ok(Started { group: GroupGuard(leader), child })
}

/// A file without a name that holds these bytes, to be read from its beginning.
fn in_memory(bytes: &[u8]) -> io::Result<File> {
    let mut file = File::from(memfd_create(c"autoheal", MFdFlags::MFD_CLOEXEC)?);
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file)
}

/// Gives this thread, and so the next process that it starts, an empty session keyring. Keyrings are not in a namespace, and
/// the session keyring of the user who started this program may hold keys to file systems and accounts.
fn leave_keyring() {
    if let Err(error) = keyutils::Keyring::join_anonymous_session() {
        // No kernel with keyrings, or a container in which they are shut already.
        tracing::debug!(%error, "no session keyring for a new process");
    }
}
