//! A long-running child that exchanges lines, or a number of bytes, with the caller: test workers, language servers.

use std::pin::Pin;

use async_trait::async_trait;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::outcome::{End, Limit, Outcome, SandboxError};
use crate::spec::{Command, Limits, Network};
use crate::supervise::{Ended, LAST_WORDS, Pipe, Running, end_of};

/// A long-running command that answers requests.
///
/// The limits are those of the command, with two exceptions: `time` limits one answer, and `output` limits the length of
/// one answer and of the standard error that is kept. Dropping a session ends everything that the command started.
#[async_trait]
pub trait Session: Send {
    /// Writes bytes to its standard input. If the command has stopped reading, the next [`Session::line`] reports it.
    async fn send(&mut self, bytes: &[u8]);

    /// Returns the next line of its standard output.
    ///
    /// # Errors
    ///
    /// See [`SandboxError`]; a command that ended or hit a limit is a [`Line::Ended`].
    async fn line(&mut self) -> Result<Line, SandboxError>;

    /// Returns the next `count` bytes of its standard output, which may contain line ends. Exceeding the limit of the output ends
    /// the command.
    ///
    /// # Errors
    ///
    /// As for [`Session::line`].
    async fn bytes(&mut self, count: usize) -> Result<Line, SandboxError>;

    /// Ends the command and everything it started.
    ///
    /// # Errors
    ///
    /// See [`SandboxError`].
    async fn close(self: Box<Self>) -> Result<(), SandboxError>;
}

/// Result of [`Session::line`] and [`Session::bytes`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// A line, without its end; or the requested number of bytes.
    Text(Vec<u8>),
    /// There will be no more: the command is gone. Its standard output is what was left without a line's end.
    Ended(Outcome),
}

/// Sessions have no network.
pub(crate) fn refuse_network(command: &Command) -> Result<(), SandboxError> {
    match command.network {
        Network::None => Ok(()),
        Network::Registries(_) => {
            Err(SandboxError::Failed { doing: "starting a session", source: "sessions have no network".into() })
        }
    }
}

/// Output of a command: bytes on one of its two pipes.
pub(crate) type Said = (Pipe, Vec<u8>);

/// Maximum number of pieces of output that wait to be read.
const WAITING: usize = 16;

/// Creates a channel for the output of a command.
pub(crate) fn channel() -> (mpsc::Sender<Said>, mpsc::Receiver<Said>) {
    mpsc::channel(WAITING)
}

/// Moves what comes out of a pipe into the channel.
pub(crate) async fn listen(mut from: impl AsyncRead + Unpin, pipe: Pipe, to: mpsc::Sender<Said>) {
    let mut buffer = vec![0; 16 << 10];
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        if to.send((pipe, buffer.get(..length).unwrap_or_default().to_vec())).await.is_err() {
            return;
        }
    }
}

/// Keeps a piece; of standard error no more than `most` bytes in all.
fn hear((pipe, bytes): Said, stdout: &mut Vec<u8>, stderr: &mut Vec<u8>, most: usize) {
    match pipe {
        Pipe::Stdout => stdout.extend_from_slice(&bytes),
        Pipe::Stderr => {
            let room = most.saturating_sub(stderr.len());
            stderr.extend_from_slice(bytes.get(..room).unwrap_or(&bytes));
        }
    }
}

/// A session with anything that runs.
pub(crate) struct Conversation<R> {
    running: R,
    stdin: Pin<Box<dyn AsyncWrite + Send>>,
    said: mpsc::Receiver<Said>,
    /// Moves the outputs into `said`.
    _listeners: JoinSet<()>,
    limits: Limits,
    started: Instant,
    stdout: Vec<u8>,
    /// Number of leading bytes of `stdout` that are known to hold no end of a line.
    searched: usize,
    stderr: Vec<u8>,
    ended: Option<End>,
}

impl<R: Running> Conversation<R> {
    pub(crate) fn new(
        running: R,
        stdin: Pin<Box<dyn AsyncWrite + Send>>,
        said: mpsc::Receiver<Said>,
        listeners: JoinSet<()>,
        limits: Limits,
    ) -> Self {
        Self {
            running,
            stdin,
            said,
            _listeners: listeners,
            limits,
            started: Instant::now(),
            stdout: Vec::new(),
            searched: 0,
            stderr: Vec::new(),
            ended: None,
        }
    }

    fn hear(&mut self, piece: Said) {
        hear(piece, &mut self.stdout, &mut self.stderr, self.limits.output);
    }

    /// Removes and returns the first whole line of the output received so far.
    fn take_line(&mut self) -> Option<Vec<u8>> {
        let unsearched = self.stdout.get(self.searched..).unwrap_or_default();
        let Some(end) = unsearched.iter().position(|byte| *byte == b'\n') else {
            self.searched = self.stdout.len();
            return None;
        };
        let rest = self.stdout.split_off(self.searched + end + 1);
        let mut line = std::mem::replace(&mut self.stdout, rest);
        self.searched = 0;
        line.pop();
        Some(line)
    }

    /// Removes and returns the first `count` bytes of the output received so far.
    fn take_bytes(&mut self, count: usize) -> Option<Vec<u8>> {
        if self.stdout.len() < count {
            return None;
        }
        self.searched = 0;
        let rest = self.stdout.split_off(count);
        Some(std::mem::replace(&mut self.stdout, rest))
    }

    /// Waits until `take` finds something in the output, and returns it. More than `most` bytes without a
    /// match exceed the output limit.
    async fn answer(
        &mut self,
        most: usize,
        take: impl Fn(&mut Self) -> Option<Vec<u8>> + Send,
    ) -> Result<Line, SandboxError> {
        let deadline = Instant::now() + self.limits.time;
        loop {
            if let Some(answer) = take(self) {
                return Ok(Line::Text(answer));
            }
            if let Some(end) = self.ended {
                let duration = self.started.elapsed();
                let (stdout, stderr) = (std::mem::take(&mut self.stdout), std::mem::take(&mut self.stderr));
                return Ok(Line::Ended(Outcome { end, stdout, stderr, duration }));
            }
            let ended = if self.stdout.len() > most {
                Ended::Limit(Limit::Output)
            } else {
                tokio::select! {
                    biased;
                    Some(piece) = self.said.recv() => {
                        self.hear(piece);
                        continue;
                    }
                    ended = self.running.ended() => ended?,
                    () = tokio::time::sleep_until(deadline) => Ended::Limit(Limit::Time),
                }
            };
            self.ended = Some(self.end(ended).await?);
        }
    }

    /// Ends the command, reads the rest of its output, and determines why it ended.
    async fn end(&mut self, ended: Ended) -> Result<End, SandboxError> {
        self.running.stop().await?;
        // Everything that could write is gone, so this comes to an end; a line that is too long is not waited for.
        let deadline = Instant::now() + LAST_WORDS;
        while self.stdout.len() <= self.limits.output
            && let Ok(Some(piece)) = tokio::time::timeout_at(deadline, self.said.recv()).await
        {
            self.hear(piece);
        }
        Ok(match ended {
            Ended::Limit(limit) => End::LimitHit(limit),
            Ended::Status(status) => end_of(&mut self.running, status).await,
        })
    }
}

#[async_trait]
impl<R: Running> Session for Conversation<R> {
    async fn send(&mut self, bytes: &[u8]) {
        // A command that does not read must not hold us for ever; that it has ended, or does not answer, is seen in `line`. One that writes
        // before it reads is heard meanwhile: else each would wait for the other.
        let Self { stdin, said, stdout, stderr, limits, .. } = self;
        let write = async {
            stdin.write_all(bytes).await?;
            stdin.flush().await
        };
        let mut write = std::pin::pin!(tokio::time::timeout(limits.time, write));
        let written = loop {
            tokio::select! {
                biased;
                written = &mut write => break written,
                Some(piece) = said.recv(), if stdout.len() <= limits.output => hear(piece, stdout, stderr, limits.output),
            }
        };
        if !matches!(written, Ok(Ok(()))) {
            tracing::debug!("a session does not take its input");
        }
    }

    async fn line(&mut self) -> Result<Line, SandboxError> {
        self.answer(self.limits.output, Self::take_line).await
    }

    async fn bytes(&mut self, count: usize) -> Result<Line, SandboxError> {
        if count > self.limits.output && self.ended.is_none() {
            // A line that exceeds the limit of output ends the session.
            self.ended = Some(self.end(Ended::Limit(Limit::Output)).await?);
        }
        self.answer(usize::MAX, move |this| this.take_bytes(count)).await
    }

    async fn close(mut self: Box<Self>) -> Result<(), SandboxError> {
        self.running.close().await
    }
}
