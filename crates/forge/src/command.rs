//! The one place that starts git.
//!
//! Git ignores the configuration of the user and of the machine, and runs nothing that a repository brings (hooks, file
//! system monitors, filters, textconv, helpers). It never prompts, and each command may use at most one transport.
//! The program and all its child processes are killed when it takes too long, writes too much, its future is dropped, or
//! this process dies. The kernel limits its memory and the size of the files that it writes.

use std::ffi::{OsStr, OsString};
use std::io;
use std::ops::ControlFlow;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use autoheal_process::{Limits, Program, Started};
use nix::sys::signal::Signal;
use secrecy::ExposeSecret as _;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};

use crate::error::Operation;
use crate::{ForgeError, HostToken, RepositoryAddress};

/// Configuration that overrides whatever a repository says, for git itself and for the git that serves a folder.
const OVERRIDES: &[&str] = &[
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.attributesFile=/dev/null",
    "core.alternateRefsCommand=true",
    "core.sshCommand=false",
    "core.gitProxy=",
    "core.editor=false",
    "core.pager=cat",
    "core.quotePath=false",
    "credential.helper=",
    "commit.gpgSign=false",
    "push.gpgSign=false",
    "gpg.program=false",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "push.recurseSubmodules=no",
    "diff.external=",
    "gc.auto=0",
    "maintenance.auto=false",
    "receive.autogc=false",
    "receive.denyCurrentBranch=refuse",
    "receive.denyNonFastForwards=true",
    "receive.denyDeletes=true",
    // A repository must not determine how much memory git needs: larger files are streamed, and each thread has a stack.
    "core.bigFileThreshold=64m",
    "pack.threads=4",
    // The user named the folder, so it is read regardless of its owner; the lines above make that safe.
    "safe.directory=*",
];

/// Of the host's environment: where programs are, and how this network reaches the outside.
const PASSED_ON: &[&str] =
    &["PATH", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR"];

/// Answers git's question for a user and a password, for one origin only: a redirect elsewhere gets no answer. User and
/// token come by the environment, never by an argument, a URL or a file.
pub(crate) const ASKPASS: &str = r#"#!/bin/sh
case "$1" in
  "Username for '$AUTOHEAL_ORIGIN': ") printf '%s\n' "$AUTOHEAL_USER" ;;
  "Password for '$AUTOHEAL_ORIGIN_OF_USER': ") printf '%s\n' "$AUTOHEAL_TOKEN" ;;
  *) exit 1 ;;
esac
"#;

/// Maximum output of git that is kept, in bytes.
const OUTPUT_LIMIT: usize = 256 << 20;
const ERROR_LIMIT: u64 = 64 << 10;

/// Interval between checks of the size of a growing clone.
const SIZE_POLL: Duration = Duration::from_millis(100);

/// State that all commands of one [`Git`](crate::Git) share.
#[derive(Debug)]
pub(crate) struct Surroundings {
    /// An empty folder that git takes for the user's home.
    pub(crate) home: PathBuf,
    /// The script that answers for a token.
    pub(crate) askpass: PathBuf,
    pub(crate) tokens: Vec<HostToken>,
    /// Of every process of git.
    pub(crate) limits: Limits,
}

/// The most that a folder may hold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FolderLimit {
    pub(crate) bytes: u64,
    pub(crate) entries: u64,
}

/// One git command: its arguments, environment and limits.
#[derive(Debug)]
pub(crate) struct Invocation<'a> {
    doing: Operation,
    arguments: Vec<OsString>,
    directory: Option<&'a Path>,
    work_tree: Option<&'a Path>,
    remote: Option<&'a RepositoryAddress>,
    environment: Vec<(&'static str, OsString)>,
    stdin: Vec<u8>,
    timeout: Duration,
    watch: Option<(&'a Path, FolderLimit)>,
    is_anonymous: bool,
}

impl<'a> Invocation<'a> {
    pub(crate) fn new(doing: Operation, timeout: Duration) -> Self {
        Self {
            doing,
            arguments: Vec::new(),
            directory: None,
            work_tree: None,
            remote: None,
            environment: Vec::new(),
            stdin: Vec::new(),
            timeout,
            watch: None,
            is_anonymous: false,
        }
    }

    /// Works in the clone `directory`.
    pub(crate) fn within(mut self, directory: &'a Path) -> Self {
        self.directory = Some(directory);
        self
    }

    /// Uses another folder for the files than the clone's own.
    pub(crate) fn with_work_tree(mut self, work_tree: &'a Path) -> Self {
        self.work_tree = Some(work_tree);
        self
    }

    /// Lets the command connect to `remote`, and to nothing else.
    pub(crate) fn with_remote(mut self, remote: &'a RepositoryAddress) -> Self {
        self.remote = Some(remote);
        self
    }

    /// Accesses the remote without a token, as an anonymous client.
    pub(crate) fn without_token(mut self) -> Self {
        self.is_anonymous = true;
        self
    }

    pub(crate) fn with_environment(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.environment.push((name, value.into()));
        self
    }

    pub(crate) fn with_stdin(mut self, stdin: impl Into<Vec<u8>>) -> Self {
        self.stdin = stdin.into();
        self
    }

    /// Ends the command when `folder` grows beyond `limit`.
    pub(crate) fn with_size_limit(mut self, folder: &'a Path, limit: FolderLimit) -> Self {
        self.watch = Some((folder, limit));
        self
    }

    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    pub(crate) fn args<A: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }
}

/// Result of a command.
#[derive(Debug)]
pub(crate) struct Output {
    doing: Operation,
    status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    /// Standard error, with credentials redacted.
    pub(crate) stderr: String,
}

impl Output {
    pub(crate) fn is_success(&self) -> bool {
        self.status.success()
    }

    /// The exit status, unless a signal ended it.
    pub(crate) fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// Returns whether git, or a program that it started, was stopped because a file exceeded the kernel's limit.
    pub(crate) fn wrote_too_long_a_file(&self) -> bool {
        let signal = Signal::SIGXFSZ as i32;
        self.status.signal() == Some(signal)
            || self.code() == Some(128 + signal)
            || self.stderr.contains(&format!("died of signal {signal}"))
            || self.stderr.contains("File too large")
    }

    /// Returns the error if the disk of this machine is full. (Lines of the remote begin with `remote:`.)
    pub(crate) fn disk_full(&self) -> Option<ForgeError> {
        const FULL: [&str; 2] = ["No space left on device", "Disk quota exceeded"];
        let is_about_it = |line: &str| !line.starts_with("remote:") && FULL.iter().any(|text| line.contains(text));
        let is_full = self.stderr.lines().any(is_about_it);
        is_full.then(|| ForgeError::DiskFull { doing: self.doing, reason: self.reason() })
    }

    /// Returns the last lines of the messages of git, on one line.
    pub(crate) fn reason(&self) -> String {
        let lines: Vec<&str> = self.stderr.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let said = lines[lines.len().saturating_sub(6)..].join("; ");
        if said.is_empty() { format!("git ended with {}", self.status) } else { said.chars().take(1000).collect() }
    }

    /// The output as text, or an error when git failed.
    pub(crate) fn text(self) -> Result<String, ForgeError> {
        let doing = self.doing;
        let stdout = self.bytes()?;
        String::from_utf8(stdout)
            .map_err(|_| ForgeError::Command { doing, reason: "git wrote text that is not UTF-8".to_owned() })
    }

    /// The output, or an error when git failed.
    pub(crate) fn bytes(self) -> Result<Vec<u8>, ForgeError> {
        if self.is_success() {
            Ok(self.stdout)
        } else {
            Err(self.disk_full().unwrap_or_else(|| ForgeError::Command { doing: self.doing, reason: self.reason() }))
        }
    }
}

/// The program that serves a folder to git, with its repository's configuration overridden. The text is constant: git
/// passes it to a shell.
pub(crate) fn serving(program: &str) -> String {
    let mut line = String::from("git");
    for setting in OVERRIDES {
        line.push_str(" -c '");
        line.push_str(setting);
        line.push('\'');
    }
    line.push(' ');
    line.push_str(program);
    line
}

impl Surroundings {
    /// Runs one command to its end and keeps what it writes. A status other than 0 is not an error here.
    pub(crate) async fn run(&self, invocation: Invocation<'_>) -> Result<Output, ForgeError> {
        let doing = invocation.doing;
        let mut stdout = Vec::new();
        let mut is_cut = false;
        let keep = &mut |piece: &[u8]| {
            is_cut = stdout.len() + piece.len() > OUTPUT_LIMIT;
            if is_cut {
                return ControlFlow::Break(());
            }
            stdout.extend_from_slice(piece);
            ControlFlow::Continue(())
        };
        let output = self.stream(invocation, keep).await?;
        if is_cut {
            let reason = format!("git wrote more than {OUTPUT_LIMIT} bytes; a smaller repository is needed");
            return Err(ForgeError::Command { doing, reason });
        }
        Ok(Output { stdout, ..output })
    }

    /// Runs one command and gives `take` each piece of what it writes; the command is ended when that breaks. The output has no
    /// standard output.
    pub(crate) async fn stream(
        &self,
        invocation: Invocation<'_>,
        take: &mut (dyn FnMut(&[u8]) -> ControlFlow<()> + Send),
    ) -> Result<Output, ForgeError> {
        let Invocation { doing, timeout, watch, .. } = invocation;
        let missing = |source| ForgeError::GitMissing { source };
        let command = self.command(&invocation).map_err(missing)?;
        tracing::debug!(arguments = ?invocation.arguments, directory = ?invocation.directory, "git");
        let Started { group, mut child } = autoheal_process::start(command).await.map_err(missing)?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let feed = async {
            if let Some(mut stdin) = stdin {
                // A command that ends without reading its input is judged by its status.
                let _ = stdin.write_all(&invocation.stdin).await;
            }
        };
        let listen = async {
            if pieces(stdout, take).await?.is_break() {
                // The output is no longer read: git would wait forever.
                drop(group);
            }
            Ok::<_, io::Error>(())
        };
        let talk = async {
            let ((), stdout, stderr) = tokio::join!(feed, listen, capped(stderr, ERROR_LIMIT));
            let status = child.wait().await;
            stdout?;
            Ok::<_, io::Error>((stderr?, status?))
        };
        let ended = tokio::select! {
            ended = talk => ended,
            () = tokio::time::sleep(timeout) => return Err(ForgeError::TimedOut { doing, after: timeout }),
            limit = outgrown(watch) => {
                let address = invocation.remote.map(ToString::to_string).unwrap_or_default();
                return Err(ForgeError::TooLarge { address, limit: limit.bytes });
            }
        };
        let (stderr, status) = ended.map_err(|source| ForgeError::Io { doing, source })?;
        Ok(Output { doing, status, stdout: Vec::new(), stderr: self.redact(&String::from_utf8_lossy(&stderr)) })
    }

    fn command(&self, invocation: &Invocation<'_>) -> io::Result<tokio::process::Command> {
        let mut command = Program::on_path("git")?.limited(&self.limits)?;
        command.env_clear();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        for name in PASSED_ON {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
            .env("LANG", "C.UTF-8")
            .env("LC_ALL", "C.UTF-8")
            .env("TZ", "UTC")
            .env("HOME", &self.home)
            .env("XDG_CONFIG_HOME", &self.home)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_ATTR_NOSYSTEM", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_LITERAL_PATHSPECS", "1")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_ALLOW_PROTOCOL", invocation.remote.map_or("", RepositoryAddress::protocol));
        let origin = invocation.remote.and_then(RepositoryAddress::origin);
        let fitting = |token: &&HostToken| !invocation.is_anonymous && Some(&token.origin) == origin.as_ref();
        if let Some(HostToken { origin, user, secret }) = self.tokens.iter().find(fitting) {
            let origin_of_user = origin.replacen("://", &format!("://{user}@"), 1);
            command
                .env("GIT_ASKPASS", &self.askpass)
                .env("AUTOHEAL_ORIGIN", origin)
                .env("AUTOHEAL_ORIGIN_OF_USER", origin_of_user)
                .env("AUTOHEAL_USER", user)
                .env("AUTOHEAL_TOKEN", secret.expose_secret());
        }
        for (name, value) in &invocation.environment {
            command.env(name, value);
        }
        for setting in OVERRIDES {
            command.arg("-c").arg(setting);
        }
        if let Some(directory) = invocation.directory {
            // Named, not searched for: git must not find a repository above a folder that is not a repository.
            command.arg("--git-dir").arg(directory.join(".git"));
            command.arg("--work-tree").arg(invocation.work_tree.unwrap_or(directory));
            command.current_dir(invocation.work_tree.unwrap_or(directory));
        } else {
            command.current_dir(&self.home);
        }
        command.args(&invocation.arguments);
        Ok(command)
    }

    /// Returns `text` without the tokens, and without the user information before an `@` in a URL.
    fn redact(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for HostToken { secret, .. } in &self.tokens {
            if !secret.expose_secret().is_empty() {
                text = text.replace(secret.expose_secret(), "***");
            }
        }
        mask_users(&text)
    }
}

/// Replaces `://user:password@` by `://***@`.
fn mask_users(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        masked.push_str(before);
        let end = after.find(|c: char| c == '/' || c == '\'' || c == '"' || c.is_whitespace()).unwrap_or(after.len());
        rest = match after[..end].rfind('@') {
            Some(user) => {
                masked.push_str("***");
                &after[user..]
            }
            None => after,
        };
    }
    masked.push_str(rest);
    masked
}

/// Hands on each piece of what comes, until the end or until that is enough.
async fn pieces(
    pipe: Option<impl AsyncRead + Unpin>,
    take: &mut (dyn FnMut(&[u8]) -> ControlFlow<()> + Send),
) -> io::Result<ControlFlow<()>> {
    let Some(mut pipe) = pipe else { return Ok(ControlFlow::Continue(())) };
    let mut piece = vec![0_u8; 64 << 10];
    loop {
        let length = pipe.read(&mut piece).await?;
        if length == 0 {
            return Ok(ControlFlow::Continue(()));
        }
        if take(&piece[..length]).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
}

async fn capped(pipe: Option<impl AsyncRead + Unpin>, limit: u64) -> io::Result<Vec<u8>> {
    let mut kept = Vec::new();
    if let Some(mut pipe) = pipe {
        (&mut pipe).take(limit).read_to_end(&mut kept).await?;
        // The rest is read and dropped, so that the program does not die of a closed pipe; the timeout bounds it.
        tokio::io::copy(&mut pipe, &mut tokio::io::sink()).await?;
    }
    Ok(kept)
}

/// Waits until the watched folder has outgrown its limit; without a watched folder, waits forever.
async fn outgrown(watch: Option<(&Path, FolderLimit)>) -> FolderLimit {
    let Some((folder, limit)) = watch else { return std::future::pending().await };
    loop {
        let folder = folder.to_owned();
        let began = Instant::now();
        let is_within = tokio::task::spawn_blocking(move || folder_size(&folder, limit).is_some()).await;
        if !is_within.unwrap_or(true) {
            return limit;
        }
        // No more than half of the time is spent looking, however large the folder is.
        tokio::time::sleep(began.elapsed().max(SIZE_POLL)).await;
    }
}

/// Returns the number of bytes in all files below `folder`; `None`: more than `limit` allows. Files that vanish meanwhile do not
/// count, links are not followed.
pub(crate) fn folder_size(folder: &Path, limit: FolderLimit) -> Option<u64> {
    let (mut bytes, mut entries) = (0_u64, 0_u64);
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        let Ok(listed) = std::fs::read_dir(&folder) else { continue };
        for entry in listed.flatten() {
            entries += 1;
            match entry.metadata() {
                Ok(metadata) if metadata.is_dir() => waiting.push(entry.path()),
                Ok(metadata) => bytes = bytes.saturating_add(metadata.len()),
                Err(_) => {}
            }
            if bytes > limit.bytes || entries > limit.entries {
                return None;
            }
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::ExitStatus;

    use autoheal_engine::ErrorCode;

    use super::{Operation, Output, mask_users};

    #[test]
    fn a_full_disk_of_this_machine_is_a_disk_error() {
        let code = |stderr: &str| {
            let (status, stderr) = (ExitStatus::from_raw(128 << 8), stderr.to_owned());
            let output = Output { doing: Operation::Commit, status, stdout: Vec::new(), stderr };
            output.bytes().unwrap_err().code()
        };
        assert_eq!(code("fatal: write error: No space left on device"), ErrorCode::DiskFailed);
        assert_eq!(code("error: file write error: Disk quota exceeded"), ErrorCode::DiskFailed);
        assert_eq!(code("remote: fatal: No space left on device"), ErrorCode::GitPushFailed);
        assert_eq!(code("fatal: bad object"), ErrorCode::GitPushFailed);
    }

    #[test]
    fn users_in_urls_are_masked() {
        assert_eq!(mask_users("fatal: https://a:b@h/x and http://h/y@z"), "fatal: https://***@h/x and http://h/y@z");
        assert_eq!(mask_users("'https://t@h'"), "'https://***@h'");
        assert_eq!(mask_users("no url, a@b"), "no url, a@b");
    }
}
