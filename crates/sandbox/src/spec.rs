//! Commands, the workspaces in which they run, and the limits on what they may use.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use autoheal_engine::RunId;
use secrecy::{ExposeSecret as _, SecretString};

/// A place in which commands run.
#[derive(Debug, Clone)]
pub struct WorkspaceSpec {
    /// The run it belongs to: the label by which a sweep finds the remains of a killed process.
    pub run: RunId,
    /// The host folder that holds the copy of the repository: the only one that commands may write.
    pub root: PathBuf,
    /// Path of `root` inside the sandbox; absolute.
    pub inside: PathBuf,
    /// Further host folders or files to be seen inside.
    pub mounts: Vec<Mount>,
    /// The environment of every command; nothing of the host's environment is passed on.
    pub environment: BTreeMap<String, String>,
    /// The container image, for the sandbox that needs one.
    pub image: Image,
}

/// Image of a container: one of those that are set ([`Settings::images`](crate::Settings::images)), by its name there. Sandboxes without images
/// show this machine's programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Image(pub &'static str);

impl Image {
    /// The one that runs Python.
    pub const PYTHON: Self = Self("python");

    /// The one that runs Node, and Python, which the relay to the registries needs.
    pub const NODE: Self = Self("node");
}

/// Default search path of programs; the workspace may set another.
pub(crate) const PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

impl WorkspaceSpec {
    /// The host folders that commands may write.
    pub(crate) fn writable(&self) -> Vec<PathBuf> {
        let mounts = self.mounts.iter().filter(|mount| mount.writable).map(|mount| &mount.host);
        std::iter::once(&self.root).chain(mounts).cloned().collect()
    }

    /// Default path of the repository inside the sandbox.
    pub const DEFAULT_INSIDE: &'static str = "/workspace";
}

/// A host folder or file that is seen inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// Path on the host.
    pub host: PathBuf,
    /// Absolute path inside the sandbox.
    pub inside: PathBuf,
    /// True if commands may write it.
    pub writable: bool,
}

impl Mount {
    /// Mounts a path at the same path inside, read-only.
    pub fn read_only(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self { host: path.clone(), inside: path, writable: false }
    }
}

/// A command to run in a workspace.
#[derive(Debug, Clone)]
pub struct Command {
    /// Program and arguments; no shell is involved.
    pub argv: Vec<String>,
    /// The folder to start in, inside; relative to the workspace's `inside`, or absolute.
    pub directory: PathBuf,
    /// Variables added to the workspace's environment.
    pub environment: BTreeMap<String, String>,
    /// Content of its standard input.
    pub stdin: Vec<u8>,
    /// Network access of the command.
    pub network: Network,
    /// Limits on what it may use.
    pub limits: Limits,
}

impl Command {
    /// A command in the workspace's folder, without network or input, with the default limits.
    pub fn new<I, A>(argv: I) -> Self
    where
        I: IntoIterator<Item = A>,
        A: Into<String>,
    {
        Self {
            argv: argv.into_iter().map(Into::into).collect(),
            directory: PathBuf::new(),
            environment: BTreeMap::new(),
            stdin: Vec::new(),
            network: Network::None,
            limits: Limits::default(),
        }
    }
}

/// Network access of a command.
#[derive(Debug, Clone)]
pub enum Network {
    /// Nothing, not even the host's loopback.
    None,
    /// Package registries, for installing dependencies.
    Registries(RegistryAccess),
}

/// The way to package registries.
#[derive(Debug, Clone, Default)]
pub struct RegistryAccess {
    /// Hosts that are reached by HTTPS (port 443); names that resolve to private, loopback, link-local or metadata addresses are
    /// refused.
    pub hosts: Vec<String>,
    /// More hosts, which may have private addresses (RFC 1918, RFC 4193, RFC 6598); the rest is refused for them, too.
    pub private_hosts: Vec<String>,
    /// Variables that name private indexes and hold what opens them. They come to the command by a file that it alone can read: no
    /// argument and no inspection of a container shows them, and what the command writes is without them.
    pub environment: BTreeMap<String, SecretString>,
}

impl RegistryAccess {
    /// Returns the variables without their credentials: `PIP_INDEX_URL=https://index.example/simple`, `NPM_TOKEN=`. Another
    /// index provides other packages.
    pub fn indexes(&self) -> Vec<String> {
        let public = |value: &SecretString| {
            let addresses = value.expose_secret().split_whitespace().filter_map(|word| word.split_once("://"));
            let open = addresses.map(|(scheme, rest)| {
                let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
                let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
                format!("{scheme}://{host}/{path}")
            });
            open.collect::<Vec<_>>().join(" ")
        };
        self.environment.iter().map(|(name, value)| format!("{name}={}", public(value))).collect()
    }
}

/// Limits on what a command may use.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Maximum elapsed (wall-clock) time.
    pub time: Duration,
    /// Maximum memory of all its processes together, in bytes.
    pub memory: u64,
    /// Maximum number of processes and threads at one time.
    pub processes: u32,
    /// Maximum number of processors; may be a fraction.
    pub cpus: f64,
    /// Maximum length of standard output and error together, in bytes.
    pub output: usize,
    /// Maximum number of bytes and entries in the host folders that it may write, all together.
    pub disk: Disk,
}

/// Room on a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disk {
    /// Bytes, as the file system counts them.
    pub bytes: u64,
    /// Files, folders and links.
    pub entries: u64,
}

impl Default for Disk {
    /// 8 GiB in 1,000,000 entries: the largest of usual dependencies take six.
    fn default() -> Self {
        Self { bytes: 8 << 30, entries: 1_000_000 }
    }
}

impl Default for Limits {
    /// 10 minutes, 4 GiB, 512 processes, 2 processors, 16 MiB of output, and the default [`Disk`].
    fn default() -> Self {
        Self {
            time: Duration::from_mins(10),
            memory: 4 << 30,
            processes: 512,
            cpus: 2.0,
            output: 16 << 20,
            disk: Disk::default(),
        }
    }
}
