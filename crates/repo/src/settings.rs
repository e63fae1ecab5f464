//! Settings of this machine.

use std::path::PathBuf;
use std::sync::Arc;

use autoheal_forge::SizeLimits;
use autoheal_forge::host::CodeHosts;
use autoheal_llm::Models;
use autoheal_sandbox::{RegistryAccess, Sandbox};

use crate::caches::CacheLimits;
use crate::prompt_limits::PromptLimits;

/// Default of [`HealSettings::drift_environments`].
pub const DRIFT_ENVIRONMENTS: u32 = 40;

/// Settings of the workflow that depend on its machine.
#[derive(Clone)]
pub struct HealSettings {
    /// Folder for the clones of runs and the caches of installs.
    pub data_dir: PathBuf,
    /// Sandbox for commands of repositories.
    pub sandbox: Arc<dyn Sandbox>,
    /// Clients of the code hosts, with their tokens.
    pub hosts: CodeHosts,
    /// Registries that an install may reach, and the credentials for them.
    pub registries: RegistryAccess,
    /// Language models that are used when rules and search find nothing; `None`: no models.
    pub models: Option<Models>,
    /// Limits on the content of prompts.
    pub prompt_limits: PromptLimits,
    /// Limits on the size of a repository.
    pub git_limits: SizeLimits,
    /// Maximum number of environments that the search for drifted dependencies makes in a run; 0: it does not search.
    pub drift_environments: u32,
    /// Limits on the caches that installs leave for later runs.
    pub caches: CacheLimits,
}
