//! Limits on memory, processes and processors: enforced by control groups where they can be made, else by resource limits
//! of each process and a watch over all of them.

pub(crate) mod cgroup;
pub(crate) mod disk;
pub(crate) mod watch;

use std::fmt;
use std::path::PathBuf;

use crate::outcome::SandboxError;
use crate::settings::Settings;

/// The way that works here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Limiter {
    /// Control groups, version 1: one folder per controller. Memory, processes, and processors where there is that one.
    Version1 { memory: PathBuf, processes: PathBuf, cpu: Option<PathBuf> },
    /// Control groups, version 2: one folder, below which groups can be made.
    Version2 { base: PathBuf, cpu: bool },
    /// `setrlimit(2)` and a watch. The kernel exempts root from the limit on processes, so it is for ordinary users only.
    ResourceLimits,
}

impl fmt::Display for Limiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Version1 { .. } => "control groups, version 1",
            Self::Version2 { .. } => "control groups, version 2",
            Self::ResourceLimits => "resource limits of each process, and a watch over all of them",
        })
    }
}

impl Limiter {
    /// Returns whether it limits processors.
    pub(crate) fn limits_processors(&self) -> bool {
        match self {
            Self::Version1 { cpu, .. } => cpu.is_some(),
            Self::Version2 { cpu, .. } => *cpu,
            Self::ResourceLimits => false,
        }
    }

    /// Detects the strongest limits that work here, for commands without a sandbox.
    pub(crate) fn detect_or_resource_limits() -> Self {
        cgroup::detect().unwrap_or(Self::ResourceLimits)
    }

    /// Detects the limits that work here for commands of `user`. Returns an error if no limit works, or if there are only
    /// resource limits and `allow_weak` is not set: no command runs in a sandbox without limits.
    pub(crate) fn detect(user: u32, allow_weak: bool) -> Result<Self, SandboxError> {
        let why_not = match cgroup::detect() {
            Ok(limiter) => return Ok(limiter),
            Err(reason) => reason,
        };
        if user == 0 {
            return Err(SandboxError::NoLimits {
                reason: format!(
                    "no control group can be made ({why_not}) and resource limits do not bind root; run autoheal as an \
                     ordinary user, or where /sys/fs/cgroup is writable"
                ),
            });
        }
        if !allow_weak {
            return Err(SandboxError::NoLimits {
                reason: format!(
                    "no control group can be made ({why_not}); start autoheal in one of its own, by `systemd-run --user --scope -p \
                     Delegate=yes autoheal ...`, or set `{} = true` to run commands under resource limits, which are weaker",
                    Settings::WEAK_LIMITS_SETTING
                ),
            });
        }
        tracing::debug!(%why_not, "no control groups, using resource limits");
        Ok(Self::ResourceLimits)
    }
}
