//! The commands that find out how well doors are shut, in a workspace as repositories have it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;

use autoheal_engine::RunId;
use serde::Deserialize;
use uuid::Uuid;

use super::limits::{EXCESSES, Excess, Overrun};
use super::status::Status;
use super::{Claims, Door, Facts, judge};
use crate::outcome::SandboxError;
use crate::settings::Settings;
use crate::spec::{Command, Image, Limits, Network, RegistryAccess, WorkspaceSpec};
use crate::{Sandbox, Workspace};

const PROBE: &str = include_str!("probe.py");

/// Asks for a host that is on no list.
const ASK: &str = "import urllib.request\n\
    try: print('reached', urllib.request.urlopen('https://registry.invalid/', timeout=10).status)\n\
    except OSError as error: print('refused:', getattr(error, 'reason', error))";

/// Folders of the system, of which none may be written.
const FOLDERS: &[&str] = &["/", "/usr", "/etc", "/dev", "/proc", "/sys", "/var", "/root", "/home"];

/// The report of the probe.
#[derive(Debug, Deserialize)]
pub(super) struct Inside {
    status: String,
    pub(super) kernel: String,
    pub(super) namespaces: BTreeMap<String, String>,
    pub(super) interfaces: Vec<String>,
    /// The error that refused each attempt; nothing where it succeeded.
    pub(super) network: BTreeMap<String, Option<String>>,
    pub(super) writing: BTreeMap<String, Option<String>>,
    pub(super) calls: BTreeMap<String, Option<String>>,
    pub(super) terminal: Option<String>,
    /// The entries of /proc that are not about processes and hold anything.
    pub(super) proc: Vec<String>,
}

impl Inside {
    /// The lines of `/proc/self/status`.
    pub(super) fn status(&self) -> Status {
        Status::parse(&self.status)
    }

    /// The effective user as seen inside.
    pub(super) fn user(&self) -> Option<u32> {
        self.status().value("Uid").split_whitespace().nth(1)?.parse().ok()
    }
}

/// Tries all doors of a sandbox.
pub(crate) async fn probe(sandbox: &dyn Sandbox, claims: Claims) -> Result<Vec<Door>, SandboxError> {
    let folder = tempfile::tempdir().map_err(probing)?;
    let mut workspace = open(sandbox, folder.path()).await?;
    let report = python(workspace.as_mut(), PROBE, FOLDERS, Limits::default()).await?;
    let owner = fs::symlink_metadata(folder.path().join("owner")).ok().map(|made| made.uid());
    let inside = serde_json::from_str(&report.said).map_err(|error| {
        let said = if report.said.is_empty() { report.end.to_string() } else { error.to_string() };
        probing(format!(
            "the probe, a program in Python, gave no report ({said}); install python3 where the sandbox sees it"
        ))
    })?;
    let mut overruns = BTreeMap::new();
    for Excess { name, script, limits } in EXCESSES {
        overruns.insert(*name, python(workspace.as_mut(), script, &[], limits(Limits::default())).await?);
    }
    let network = Network::Registries(RegistryAccess::default());
    let asking = Command { network, ..Command::new(["python3", "-c", ASK]) };
    let asked = workspace.run(&asking).await?;
    workspace.close().await?;
    let facts = Facts {
        claims,
        namespaces: own_namespaces().map_err(probing)?,
        kernel: fs::read_to_string("/proc/version").map_err(probing)?,
        inside,
        owner,
        overruns,
        registries: String::from_utf8_lossy(&asked.stdout).trim().to_owned(),
    };
    Ok(judge(&facts))
}

/// A workspace, with the image of whichever language is there.
async fn open(sandbox: &dyn Sandbox, root: &std::path::Path) -> Result<Box<dyn Workspace>, SandboxError> {
    let spec = |image| WorkspaceSpec {
        run: RunId(Uuid::nil()),
        root: root.to_owned(),
        inside: WorkspaceSpec::DEFAULT_INSIDE.into(),
        mounts: Vec::new(),
        environment: BTreeMap::new(),
        image,
    };
    let mut opened = sandbox.open(spec(Image::PYTHON)).await;
    for (image, _) in Settings::DEFAULT_IMAGES {
        if !matches!(opened, Err(SandboxError::MissingImage { .. })) {
            break;
        }
        opened = sandbox.open(spec(image)).await;
    }
    opened
}

async fn python(
    workspace: &mut dyn Workspace,
    script: &str,
    arguments: &[&str],
    limits: Limits,
) -> Result<Overrun, SandboxError> {
    let argv = ["python3", "-c", script].into_iter().chain(arguments.iter().copied());
    let outcome = workspace.run(&Command { limits, ..Command::new(argv) }).await?;
    let said = String::from_utf8_lossy(&outcome.stdout).into_owned();
    Ok(Overrun { end: outcome.end, said })
}

/// The namespaces of this process.
fn own_namespaces() -> std::io::Result<BTreeMap<String, String>> {
    let entries = fs::read_dir("/proc/self/ns")?.flatten();
    let namespace = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        Some((name, fs::read_link(entry.path()).ok()?.to_string_lossy().into_owned()))
    };
    Ok(entries.filter_map(namespace).collect())
}

fn probing(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> SandboxError {
    SandboxError::Failed { doing: "trying the doors of the sandbox", source: source.into() }
}
