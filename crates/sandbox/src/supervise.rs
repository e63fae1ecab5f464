//! Supervises one command to its end: feeds it, stores its output up to the cap, and stops it when it takes too long.

use std::io;
use std::pin::pin;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use nix::sys::signal::Signal;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::Instant;

use crate::outcome::{End, Limit, Outcome, SandboxError};
use crate::spec::Limits;

/// A command that was started.
#[async_trait]
pub(crate) trait Running: Send {
    /// Waits until its first process has ended, or until the sandbox saw a limit hit.
    async fn ended(&mut self) -> Result<Ended, SandboxError>;

    /// Ends everything it started, and returns when all of it is gone.
    async fn stop(&mut self) -> Result<(), SandboxError>;

    /// Ends everything, and removes what was made for it alone.
    async fn close(&mut self) -> Result<(), SandboxError>;

    /// Returns the disk limit that it exceeded although it ended by itself; called after [`Running::stop`].
    async fn wrote_too_much(&mut self) -> Option<Limit>;

    /// Returns the limit that ended it without the sandbox; called after [`Running::stop`], and only when the command failed.
    async fn limit_hit(&mut self) -> Option<Limit>;
}

/// Reason that [`Running::ended`] returned.
pub(crate) enum Ended {
    /// The first process ended with this status, 128 + n for signal n.
    Status(i32),
    /// A limit was hit, and it still runs.
    Limit(Limit),
}

/// One of a command's two outputs.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Pipe {
    Stdout,
    Stderr,
}

/// Output of a command, up to the cap of both pipes together.
pub(crate) struct Output {
    cap: usize,
    written: Mutex<(Vec<u8>, Vec<u8>)>,
}

/// The cap of the output was reached.
#[derive(Debug)]
pub(crate) struct Overflow;

impl Output {
    pub(crate) const fn new(cap: usize) -> Self {
        Self { cap, written: Mutex::new((Vec::new(), Vec::new())) }
    }

    /// Appends as many bytes as the cap allows; an error when not all of them fit.
    pub(crate) fn push(&self, pipe: Pipe, bytes: &[u8]) -> Result<(), Overflow> {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let room = self.cap.saturating_sub(written.0.len() + written.1.len());
        let fits = bytes.get(..room).unwrap_or(bytes);
        match pipe {
            Pipe::Stdout => written.0.extend_from_slice(fits),
            Pipe::Stderr => written.1.extend_from_slice(fits),
        }
        if fits.len() == bytes.len() { Ok(()) } else { Err(Overflow) }
    }

    fn into_parts(self) -> (Vec<u8>, Vec<u8>) {
        self.written.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Moves everything between three pipes and memory: to be given to [`supervise`].
pub(crate) async fn pump(
    mut stdin: impl AsyncWrite + Unpin,
    input: &[u8],
    stdout: impl AsyncRead + Unpin,
    stderr: impl AsyncRead + Unpin,
    output: &Output,
) -> Result<(), Overflow> {
    let feed = async {
        // A command may end without having read its input.
        let _: io::Result<()> = stdin.write_all(input).await;
        let _: io::Result<()> = stdin.shutdown().await;
        drop(stdin);
        Ok(())
    };
    tokio::try_join!(feed, drain(stdout, Pipe::Stdout, output), drain(stderr, Pipe::Stderr, output))?;
    Ok(())
}

async fn drain(mut from: impl AsyncRead + Unpin, pipe: Pipe, output: &Output) -> Result<(), Overflow> {
    let mut buffer = vec![0; 16 << 10];
    loop {
        match from.read(&mut buffer).await {
            Ok(0) | Err(_) => return Ok(()),
            Ok(length) => output.push(pipe, buffer.get(..length).unwrap_or_default())?,
        }
    }
}

/// Maximum wait for the rest in the pipes, once every process that could write has ended.
pub(crate) const LAST_WORDS: Duration = Duration::from_secs(5);

/// Follows a command to its end; afterwards nothing of it runs.
///
/// `pump` moves its streams.
pub(crate) async fn supervise(
    running: &mut dyn Running,
    pump: impl Future<Output = Result<(), Overflow>>,
    limits: &Limits,
) -> Result<(End, Duration), SandboxError> {
    let started = Instant::now();
    let mut pump = pin!(pump);
    let mut deadline = pin!(tokio::time::sleep(limits.time));
    let mut pumping = true;
    let ended = loop {
        tokio::select! {
            moved = &mut pump, if pumping => {
                pumping = false;
                if let Err(Overflow) = moved {
                    break Ended::Limit(Limit::Output);
                }
            }
            ended = running.ended() => break ended?,
            () = &mut deadline => break Ended::Limit(Limit::Time),
        }
    };
    let duration = started.elapsed();
    running.stop().await?;
    let overflowed = pumping && matches!(tokio::time::timeout(LAST_WORDS, &mut pump).await, Ok(Err(Overflow)));
    let end = match ended {
        Ended::Limit(limit) => End::LimitHit(limit),
        Ended::Status(_) if overflowed => End::LimitHit(Limit::Output),
        Ended::Status(status) => end_of(running, status).await,
    };
    Ok((end, duration))
}

/// Determines how a command ended that the sandbox did not end.
pub(crate) async fn end_of(running: &mut dyn Running, status: i32) -> End {
    if let Some(limit) = running.wrote_too_much().await {
        return End::LimitHit(limit);
    }
    match status {
        0 => End::Exited(0),
        FILE_TOO_LARGE => End::LimitHit(Limit::Disk),
        _ => running.limit_hit().await.map_or_else(|| by_shell(status), End::LimitHit),
    }
}

/// Exit status after the signal that the kernel sends to a process whose file exceeds the resource limit.
const FILE_TOO_LARGE: i32 = 128 + Signal::SIGXFSZ as i32;

/// The shell's convention: 128 + n is signal n.
const fn by_shell(status: i32) -> End {
    match status {
        129..=192 => End::Signaled(status - 128),
        _ => End::Exited(status),
    }
}

impl Outcome {
    pub(crate) fn new(end: End, duration: Duration, output: Output) -> Self {
        let (stdout, stderr) = output.into_parts();
        Self { end, stdout, stderr, duration }
    }
}
