//! Outcomes and errors of commands.

use std::fmt;
use std::time::Duration;

use autoheal_engine::ErrorCode;

/// Outcome of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The way it ended.
    pub end: End,
    /// Bytes that it wrote to standard output, up to the cap.
    pub stdout: Vec<u8>,
    /// Bytes that it wrote to standard error, up to the cap.
    pub stderr: Vec<u8>,
    /// Elapsed (wall-clock) time.
    pub duration: Duration,
}

impl Outcome {
    /// Returns what the command printed on its standard output and its standard error, as text.
    pub fn text(&self) -> (String, String) {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&self.stdout), text(&self.stderr))
    }
}

/// The way a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Exited by itself, with this status.
    Exited(i32),
    /// Ended by this signal, which was not sent by the sandbox.
    Signaled(i32),
    /// The sandbox ended it (or the kernel did) because of this limit.
    LimitHit(Limit),
}

impl End {
    /// Returns whether it exited with status 0.
    pub const fn is_success(self) -> bool {
        matches!(self, Self::Exited(0))
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(status) => write!(f, "exit {status}"),
            Self::Signaled(signal) => write!(f, "signal {signal}"),
            Self::LimitHit(limit) => write!(f, "{limit} limit"),
        }
    }
}

/// A limit that was hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Elapsed (wall-clock) time.
    Time,
    /// Memory of all processes together.
    Memory,
    /// Number of processes and threads.
    Processes,
    /// Bytes of standard output and error together.
    Output,
    /// Bytes and entries in the folders that it may write.
    Disk,
    /// Space to keep free on their file systems, whichever process used it up.
    FreeSpace,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Time => "time",
            Self::Memory => "memory",
            Self::Processes => "process",
            Self::Output => "output",
            Self::Disk => "disk",
            Self::FreeSpace => "free space",
        })
    }
}

/// Reason a command could not be run at all.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// This kind of sandbox does not work on this machine.
    #[error("the {kind} sandbox cannot be used: {reason}")]
    Unavailable {
        /// Kind of the sandbox.
        kind: super::SandboxKind,
        /// Reason, and what to do about it.
        reason: String,
    },
    /// No limits can be enforced here.
    #[error("limits cannot be enforced: {reason}")]
    NoLimits {
        /// Reason, and what to do about it.
        reason: String,
    },
    /// The container image does not exist locally.
    #[error(
        "the image {image} is missing; fetch it with `docker pull`, set `{setting}` to one that exists, or make one in a clone of \
         autoheal with `cargo xtask image python` or `cargo xtask image node`"
    )]
    MissingImage {
        /// Name of the image.
        image: String,
        /// The setting that names it.
        setting: String,
    },
    /// A path to be mounted could lead to something else than it names.
    #[error("{} cannot be shown in the sandbox: {reason}", path.display())]
    UnsafeMount {
        /// Path on the host.
        path: std::path::PathBuf,
        /// Reason, and what to do about it.
        reason: String,
    },
    /// The isolation is incomplete: a process inside can pass one of the doors.
    #[error("the sandbox is not used, for its door \"{door}\" is open: {found}; {remedy}")]
    OpenDoor {
        /// Name of the door.
        door: &'static str,
        /// Result of the check, which shows that it is open.
        found: String,
        /// The way to shut it.
        remedy: String,
    },
    /// Too little disk space is free to start a command.
    #[error(
        "only {} MiB are free where {} lies, and {} MiB are to stay free; make room there, or lower `{}`",
        free >> 20, folder.display(), floor >> 20, crate::Settings::FREE_SPACE_SETTING
    )]
    NoSpace {
        /// A folder that commands may write.
        folder: std::path::PathBuf,
        /// Free space, in bytes.
        free: u64,
        /// Minimum free space, in bytes.
        floor: u64,
    },
    /// The engine, a namespace or a pipe failed.
    #[error("{doing} failed")]
    Failed {
        /// Operation that failed, as the subject of the message.
        doing: &'static str,
        /// Cause of the failure.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl SandboxError {
    /// Its code.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::MissingImage { .. } => ErrorCode::DockerBuildFailed,
            Self::Unavailable { .. }
            | Self::NoLimits { .. }
            | Self::OpenDoor { .. }
            | Self::UnsafeMount { .. }
            | Self::Failed { .. } => ErrorCode::DockerRunFailed,
            Self::NoSpace { .. } => ErrorCode::DiskFailed,
        }
    }
}
