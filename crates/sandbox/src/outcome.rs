//! How a command ended.

use std::fmt;
use std::time::Duration;

use autoheal_engine::ErrorCode;

/// What a command came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// What it wrote to standard output, up to the cap.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error, up to the cap.
    pub stderr: Vec<u8>,
    /// Wall time.
    pub duration: Duration,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By itself, with this exit status.
    Exited(i32),
    /// By this signal, which was not sent by the sandbox.
    Signaled(i32),
    /// The sandbox ended it (or the kernel did) because of this limit.
    LimitHit(Limit),
}

impl End {
    /// Exit status 0.
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
    /// Wall time.
    Time,
    /// Memory.
    Memory,
    /// Processes.
    Processes,
    /// Output.
    Output,
    /// What lies in the folders that it may write.
    Disk,
    /// What must stay free on their file systems, whoever used it up.
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

/// Why a command could not be run at all.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// This kind of sandbox does not work on this machine.
    #[error("the {kind} sandbox cannot be used: {reason}")]
    Unavailable {
        /// Which.
        kind: super::SandboxKind,
        /// Why, and what to do about it.
        reason: String,
    },
    /// No limits can be enforced here.
    #[error("limits cannot be enforced: {reason}")]
    NoLimits {
        /// Why, and what to do about it.
        reason: String,
    },
    /// The container image is not there.
    #[error(
        "the image {image} is missing; fetch it with `docker pull`, set `{setting}` to one that exists, or make one in a clone of \
         autoheal with `cargo xtask image python` or `cargo xtask image node`"
    )]
    MissingImage {
        /// Its name.
        image: String,
        /// The setting that names it.
        setting: &'static str,
    },
    /// What is to be shown inside could be anything else than it says.
    #[error("{} cannot be shown in the sandbox: {reason}", path.display())]
    UnsafeMount {
        /// On the host.
        path: std::path::PathBuf,
        /// Why, and what to do about it.
        reason: String,
    },
    /// A process inside is not shut in as it has to be.
    #[error("the sandbox is not used, for its door \"{door}\" is open: {found}; {remedy}")]
    OpenDoor {
        /// The door.
        door: &'static str,
        /// The finding.
        found: String,
        /// The way to shut it.
        remedy: String,
    },
    /// There is too little room on a disk to start anything.
    #[error(
        "only {} MiB are free where {} lies, and {} MiB are to stay free; make room there, or lower `{}`",
        free >> 20, folder.display(), floor >> 20, crate::Settings::FREE_SPACE_SETTING
    )]
    NoSpace {
        /// A folder that commands may write.
        folder: std::path::PathBuf,
        /// Free bytes.
        free: u64,
        /// The bytes that are to stay free.
        floor: u64,
    },
    /// The engine, a namespace or a pipe failed.
    #[error("{doing} failed")]
    Failed {
        /// What was being done.
        doing: &'static str,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl SandboxError {
    /// The spec's code for it.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::MissingImage { .. } => ErrorCode::DockerBuildFailed,
            Self::Unavailable { .. }
            | Self::NoLimits { .. }
            | Self::NoSpace { .. }
            | Self::OpenDoor { .. }
            | Self::UnsafeMount { .. }
            | Self::Failed { .. } => ErrorCode::DockerRunFailed,
        }
    }
}
