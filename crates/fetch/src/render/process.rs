//! Starting the browser, and its leftovers.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use autoheal_process::{Limits, Program, Started};
use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::watch;

/// Size of the end of the browser's messages that is kept, in bytes.
const SAID_LIMIT: usize = 8 << 10;

/// Time to wait for the rest of its messages after the browser has exited.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// The longest file that it may write, in bytes.
const FILE: u64 = 256 << 20;

/// A browser to be started.
pub(super) struct Launch<'run> {
    pub(super) program: Program,
    pub(super) arguments: Vec<OsString>,
    /// Its home, as it sees it.
    pub(super) home: &'run Path,
    /// Its folder, as this process sees it.
    pub(super) directory: &'run Path,
    pub(super) output_limit: u64,
    /// Memory of all its processes together, in bytes; each alone has the same limit.
    pub(super) memory: u64,
}

/// Output of the browser.
pub(super) struct Output {
    pub(super) document: Bytes,
    /// Limit that the page exceeded, if any.
    pub(super) excess: Option<Excess>,
    /// The end of its output on standard error.
    pub(super) said: String,
}

/// Quantity that is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Excess {
    /// The document is longer than the limit.
    Document,
    /// The browser used more memory than the limit.
    Memory,
}

/// Runs it until it closes its output or that, or its memory, is too much. Dropping the future ends it.
pub(super) async fn run(launch: Launch<'_>) -> io::Result<Output> {
    let mut command = launch.program.limited(&Limits { memory: launch.memory, file: FILE })?;
    command.args(&launch.arguments).env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", launch.home).env("TMPDIR", launch.home).current_dir(launch.directory);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let Started { group, mut child } = autoheal_process::start(command).await?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (Some(stdout), Some(stderr), Some(leader)) = (stdout, stderr, child.id()) else {
        return Err(io::Error::other("it has no output"));
    };

    // Ends when no process holds standard error open.
    let listening = tokio::spawn(keep_end(stderr));
    let mut document = Vec::new();
    let mut stdout = stdout.take(launch.output_limit.saturating_add(1));
    let is_too_large = tokio::select! {
        read = stdout.read_to_end(&mut document) => read.map(|_| false)?,
        () = watch::outgrown(leader, launch.memory) => true,
    };
    drop(group);
    child.wait().await?;
    // A process that left the group may hold standard error open.
    let said = tokio::time::timeout(LAST_WORDS, listening).await.ok().and_then(Result::ok).unwrap_or_default();
    let is_cut = u64::try_from(document.len()).is_ok_and(|length| length > launch.output_limit);
    let excess = if is_too_large { Some(Excess::Memory) } else { is_cut.then_some(Excess::Document) };
    Ok(Output { document: document.into(), excess, said: String::from_utf8_lossy(&said).trim().to_owned() })
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
