//! Settings of sandboxes, and the choice of one.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

use crate::spec::Image;

/// Sandbox that the user chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// The first that works: Docker, then bubblewrap. Never `None`.
    #[default]
    Auto,
    /// A container of a Docker engine.
    Docker,
    /// Linux namespaces, created by bubblewrap.
    Bubblewrap,
    /// No isolation; never chosen automatically.
    None,
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "docker" => Ok(Self::Docker),
            "bubblewrap" => Ok(Self::Bubblewrap),
            "none" => Ok(Self::None),
            _ => Err(format!("`{text}` is no sandbox; choose auto, docker, bubblewrap or none")),
        }
    }
}

/// Settings that the user can change.
#[derive(Debug, Clone)]
pub struct Settings {
    /// References of the container images, by the names of [`Image`]. Each needs Python, for the relay to the registries.
    pub images: BTreeMap<&'static str, String>,
    /// A folder of this program's own, for small files that sandboxes see (a relay script).
    pub state_dir: PathBuf,
    /// True if commands may run where control groups cannot limit memory and processes, or folders in memory
    /// have no size limit.
    pub allow_weak_limits: bool,
    /// Number of bytes to keep free on the file systems that commands may write.
    pub free_space: u64,
    /// The runtime that Docker is to use for containers, such as `runsc`; else the engine's own default.
    pub docker_runtime: Option<String>,
}

impl Settings {
    /// Default images: public ones.
    pub const DEFAULT_IMAGES: [(Image, &'static str); 2] =
        [(Image::PYTHON, "python:3.11-slim-bookworm"), (Image::NODE, "node:20-bookworm")];

    /// Default number of bytes to keep free on a disk: 1 GiB.
    pub const DEFAULT_FREE_SPACE: u64 = 1 << 30;

    /// The name of the setting that [`Settings::free_space`] comes from.
    pub const FREE_SPACE_SETTING: &'static str = "sandbox.free_space_mib";

    /// The name of the setting that [`Settings::allow_weak_limits`] comes from.
    pub const WEAK_LIMITS_SETTING: &'static str = "sandbox.allow_weak_limits";

    /// Default hosts that an install may reach: those of the package indexes of Python and npm.
    pub const DEFAULT_REGISTRIES: [&'static str; 4] =
        ["pypi.org", "files.pythonhosted.org", "registry.npmjs.org", "registry.yarnpkg.com"];

    /// The defaults, with this folder.
    pub fn new(state_dir: impl Into<PathBuf>) -> Self {
        Self {
            images: Self::DEFAULT_IMAGES.map(|(image, reference)| (image.0, reference.to_owned())).into(),
            state_dir: state_dir.into(),
            allow_weak_limits: false,
            free_space: Self::DEFAULT_FREE_SPACE,
            docker_runtime: None,
        }
    }
}
