//! The one place of this crate that starts a process.

use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use bytes::Bytes;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, Command};

/// How much of what the browser says about itself is kept: the end.
const SAID_LIMIT: usize = 2 << 10;

/// How long what it said is waited for after its end.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A browser to be started.
pub(super) struct Launch<'run> {
    pub(super) program: &'run Path,
    pub(super) arguments: Vec<String>,
    /// Its home and working folder.
    pub(super) home: &'run Path,
    pub(super) output_limit: u64,
}

/// What it left.
pub(super) struct Output {
    pub(super) document: Bytes,
    /// Whether the document is longer than the limit.
    pub(super) is_cut: bool,
    /// The end of what it said on standard error.
    pub(super) said: String,
}

/// Ends a process and all that it started.
struct Group(Pid);

impl Drop for Group {
    fn drop(&mut self) {
        // An error means that nobody is left.
        let _ = killpg(self.0, Signal::SIGKILL);
    }
}

/// Runs it until it closes its output or that is too long. Dropping the future ends it.
pub(super) async fn run(launch: Launch<'_>) -> io::Result<Output> {
    let mut child = start(&launch)?;
    let leader =
        child.id().and_then(|id| i32::try_from(id).ok()).ok_or_else(|| io::Error::other("it ended at once"))?;
    let group = Group(Pid::from_raw(leader));
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (Some(stdout), Some(stderr)) = (stdout, stderr) else { return Err(io::Error::other("it has no output")) };

    // Ends by itself when nobody is left who could say something.
    let listening = tokio::spawn(keep_end(stderr));
    let mut document = Vec::new();
    stdout.take(launch.output_limit.saturating_add(1)).read_to_end(&mut document).await?;
    // The leader is not yet waited for, so its number still belongs to this group.
    drop(group);
    child.wait().await?;
    // Whoever left the group may hold standard error open.
    let said = tokio::time::timeout(LAST_WORDS, listening).await.ok().and_then(Result::ok).unwrap_or_default();
    let is_cut = u64::try_from(document.len()).is_ok_and(|length| length > launch.output_limit);
    Ok(Output { document: document.into(), is_cut, said: String::from_utf8_lossy(&said).trim().to_owned() })
}

/// Reads to the end and keeps the last part.
async fn keep_end(mut stream: impl AsyncRead + Unpin) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut piece = [0_u8; 4096];
    while let Ok(length @ 1..) = stream.read(&mut piece).await {
        kept.extend_from_slice(&piece[..length]);
        let surplus = kept.len().saturating_sub(SAID_LIMIT);
        kept.drain(..surplus);
    }
    kept
}

#[expect(clippy::disallowed_methods, reason = "rendering is one of those that start processes, and does so only here")]
fn start(launch: &Launch<'_>) -> io::Result<Child> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    Command::new(launch.program)
        .args(&launch.arguments)
        .env_clear()
        .env("PATH", path)
        .env("HOME", launch.home)
        .env("TMPDIR", launch.home)
        .current_dir(launch.home)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
}
