//! Request of a run: the context of a `HEAL_REPO` task.

use std::time::Duration;

use autoheal_sandbox::{Disk, Limits};
use serde::{Deserialize, Serialize};

use crate::repo_config::Overrides;

/// A request to heal one repository (spec `HealRequest`, with the settings of the command line).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HealRequest {
    /// A path, or `https://github.com/owner/repo`.
    pub repository: String,
    /// Name of the team, the first half of the branch's name.
    #[serde(default = "default_team")]
    pub team_name: String,
    /// Name of the leader, the second half of the branch's name.
    #[serde(default = "default_leader")]
    pub leader_name: String,
    /// Maximum number of rounds after the first.
    #[serde(default = "default_retry_limit")]
    pub retry_limit: u32,
    /// Kind of verification of the result.
    #[serde(default)]
    pub ci: CiMode,
    /// Destination of the fixes.
    #[serde(default)]
    pub delivery: Delivery,
    /// The branch to heal; `None`: the one that a clone checks out.
    #[serde(default)]
    pub branch: Option<String>,
    /// Full id of the commit to heal; a repository that is at another commit is refused. `None`: any commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Do nothing when the newest commit is one of ours, in a local folder, too; for a remote repository this always applies.
    #[serde(default)]
    pub refuse_own_commits: bool,
    /// Actions at the host in addition to pushing.
    #[serde(default)]
    pub hosting: HostingRequest,
    /// Let the repository's own settings make protected files editable (see [`crate::repo_config`]).
    #[serde(default)]
    pub trust_config: bool,
    /// Include the uncommitted changes of a local checkout.
    #[serde(default)]
    pub include_uncommitted: bool,
    /// Query a language server of this machine about a failing tree, if there is one.
    #[serde(default)]
    pub lsp: bool,
    /// Reject repairs found by search if other changes pass the tests, too.
    #[serde(default)]
    pub strict: bool,
    /// Repeat the tests with each version of an interpreter that CI names and this machine has.
    #[serde(default)]
    pub all_versions: bool,
    /// Test command that replaces the detected one, as argv, without a shell.
    #[serde(default)]
    pub test_command: Option<Vec<String>>,
    /// Install command that replaces the detected one, as argv, without a shell.
    #[serde(default)]
    pub install_command: Option<Vec<String>>,
    /// Settings that only the repository itself can define.
    #[serde(default, rename = "wanted")]
    pub overrides: Overrides,
    /// Limits for each command of the repository, and for the run.
    #[serde(default)]
    pub limits: CommandLimits,
}

fn default_team() -> String {
    "autoheal".to_owned()
}

fn default_leader() -> String {
    "bot".to_owned()
}

const fn default_retry_limit() -> u32 {
    HealRequest::DEFAULT_RETRY_LIMIT
}

impl HealRequest {
    /// The spec's default of `retry_limit`.
    pub const DEFAULT_RETRY_LIMIT: u32 = 5;

    /// A request with every default.
    pub fn new(repository: impl Into<String>) -> Self {
        Self {
            repository: repository.into(),
            team_name: default_team(),
            leader_name: default_leader(),
            retry_limit: default_retry_limit(),
            ci: CiMode::default(),
            delivery: Delivery::default(),
            branch: None,
            commit: None,
            refuse_own_commits: false,
            hosting: HostingRequest::default(),
            trust_config: false,
            include_uncommitted: false,
            lsp: false,
            strict: false,
            all_versions: false,
            test_command: None,
            install_command: None,
            overrides: Overrides::default(),
            limits: CommandLimits::default(),
        }
    }
}

/// Verification of the result: by the CI of the host, locally, or not at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CiMode {
    /// The best that is there: `Host` for a repository on a code host whose branch is pushed, else `Local`.
    #[default]
    Auto,
    /// As `Local`, and then by the CI that runs at the host for the pushed commit.
    #[serde(alias = "github")]
    Host,
    /// A fresh clone of the branch in a fresh sandbox, tests again.
    Local,
    /// Not verified beyond the acceptance of each patch; a run then never reports PASSED after a change.
    None,
}

/// Actions at the host in addition to pushing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HostingRequest {
    /// Open a pull request, or bring it up to date.
    pub pull_request: bool,
    /// Start the workflows that can be started by hand when none starts by itself.
    pub dispatch_workflows: bool,
    /// Start failed jobs again, once for each commit, when what failed may be flaky.
    pub rerun_failed: bool,
    /// Time limit for CI, in seconds.
    pub ci_seconds: u64,
    /// Time limit until the first sign of a CI run, in seconds.
    pub grace_seconds: u64,
    /// Delay between two polls of CI, in milliseconds.
    pub poll_millis: u64,
}

impl Default for HostingRequest {
    /// Ten minutes for CI, two until it must have begun, ten seconds between two looks (spec "Polling Logic").
    fn default() -> Self {
        Self {
            pull_request: false,
            dispatch_workflows: false,
            rerun_failed: true,
            ci_seconds: 600,
            grace_seconds: 120,
            poll_millis: 10_000,
        }
    }
}

/// Destination of the fixes: a pushed branch, a branch in the clone, or a patch. Later variants are more careful.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// A branch, pushed to where the clone came from.
    #[default]
    Push,
    /// A branch in the run's own clone.
    NoPush,
    /// A patch and a report, no branch.
    DryRun,
}

/// Limits for each command of the repository, and for the run; the defaults are the sandbox's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CommandLimits {
    /// Wall time of one test-suite run, in seconds.
    pub test_seconds: u64,
    /// Wall time of the whole run, in seconds; what was accepted by then is kept.
    pub run_seconds: u64,
    /// Wall time of the search for the repair of one fault of logic, in seconds; 0: nothing is searched for.
    pub search_seconds: u64,
    /// Wall time of asking language servers about one tree, in seconds.
    pub lsp_seconds: u64,
    /// Wall time of one install, in seconds.
    pub install_seconds: u64,
    /// Memory of one command, in MiB.
    pub memory_mib: u64,
    /// Processes and threads at one time.
    pub processes: u32,
    /// Disk space in the folders that a command may write, in MiB.
    pub disk_mib: u64,
}

impl CommandLimits {
    /// The longest that a step which heeds the time of the run may take: it ends behind the commands that it is in the middle of. A fix that
    /// is accepted last is installed once more, and its tests run before it, after it, with another expectation, and in a fresh clone.
    pub(crate) const fn longest_step(&self) -> Duration {
        let commands = self.install_seconds.saturating_add(self.test_seconds.saturating_mul(4));
        Duration::from_secs(self.run_seconds.saturating_add(commands))
    }
}

impl Default for CommandLimits {
    fn default() -> Self {
        Self {
            test_seconds: 600,
            run_seconds: 3600,
            search_seconds: 60,
            lsp_seconds: 30,
            install_seconds: 900,
            memory_mib: 4096,
            processes: 512,
            disk_mib: Disk::default().bytes >> 20,
        }
    }
}

impl CommandLimits {
    /// The limits of a command that may take `time`.
    pub fn within(&self, time: Duration) -> Limits {
        let disk = Disk { bytes: self.disk_mib.saturating_mul(1 << 20), ..Disk::default() };
        Limits { time, memory: self.memory_mib << 20, processes: self.processes, disk, ..Limits::default() }
    }
}
