//! A sandbox with a workspace, for tests.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use autoheal_engine::RunId;
use autoheal_sandbox::{
    Choice, Command, Disk, Image, Limits, Network, Outcome, Sandbox, SandboxError, Settings, Workspace, WorkspaceSpec,
};
use uuid::Uuid;

/// A workspace in a folder of its own.
pub(crate) struct Place {
    pub(crate) workspace: Box<dyn Workspace>,
    pub(crate) folder: tempfile::TempDir,
    pub(crate) run: RunId,
    _state: tempfile::TempDir,
}

impl Place {
    /// Opens a workspace, or prints loudly why this kind is not tested here.
    pub(crate) async fn open(choice: Choice) -> Option<Self> {
        Self::open_for(choice, RunId(Uuid::now_v7()), tempfile::tempdir().unwrap()).await
    }

    pub(crate) async fn open_for(choice: Choice, run: RunId, folder: tempfile::TempDir) -> Option<Self> {
        Self::open_image(choice, run, folder, Image::PYTHON).await
    }

    /// Opens one in Docker with the image for Node.
    pub(crate) async fn open_node() -> Option<Self> {
        Self::open_image(Choice::Docker, RunId(Uuid::now_v7()), tempfile::tempdir().unwrap(), Image::NODE).await
    }

    async fn open_image(choice: Choice, run: RunId, folder: tempfile::TempDir, image: Image) -> Option<Self> {
        let state = tempfile::tempdir().unwrap();
        // Readable when commands are another user.
        std::fs::set_permissions(state.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let sandbox = sandbox(choice, &settings(state.path())).await?;
        let opened = sandbox.open(WorkspaceSpec { image, ..spec(run, folder.path()) }).await;
        if let Err(error @ SandboxError::MissingImage { .. }) = &opened {
            autoheal_testkit::skip(&format!("sandbox tests with {choice:?}"), &error.to_string());
            return None;
        }
        Some(Self { workspace: opened.unwrap(), folder, run, _state: state })
    }

    /// Runs a command with small limits.
    pub(crate) async fn run(&mut self, argv: &[&str]) -> Outcome {
        self.workspace.run(&command(argv)).await.unwrap()
    }

    pub(crate) async fn python(&mut self, script: &str) -> Outcome {
        self.run(&["python3", "-c", script]).await
    }
}

/// The sandbox, or nothing after having said why.
pub(crate) async fn sandbox(choice: Choice, settings: &Settings) -> Option<std::sync::Arc<dyn Sandbox>> {
    match autoheal_sandbox::select(choice, settings).await {
        Ok(sandbox) => Some(sandbox),
        Err(error) => {
            autoheal_testkit::skip(&format!("sandbox tests with {choice:?}"), &error.to_string());
            None
        }
    }
}

pub(crate) fn settings(state: &Path) -> Settings {
    Settings {
        images: Settings::DEFAULT_IMAGES.map(|(image, _)| (image.0, format!("autoheal-{}:local", image.0))).into(),
        // The tests of an ordinary user, who has no control groups here, are to show what holds for that one.
        allow_weak_limits: true,
        ..Settings::new(state)
    }
}

pub(crate) fn spec(run: RunId, root: &Path) -> WorkspaceSpec {
    WorkspaceSpec {
        run,
        root: root.to_owned(),
        inside: WorkspaceSpec::DEFAULT_INSIDE.into(),
        mounts: Vec::new(),
        environment: BTreeMap::from([("FROM_WORKSPACE".to_owned(), "yes".to_owned())]),
        image: Image::PYTHON,
    }
}

/// With limits that cannot endanger the machine that tests.
pub(crate) fn command(argv: &[&str]) -> Command {
    Command {
        network: Network::None,
        limits: Limits {
            time: Duration::from_secs(30),
            memory: 256 << 20,
            processes: 64,
            cpus: 1.0,
            output: 1 << 20,
            disk: Disk { bytes: 64 << 20, entries: 10_000 },
        },
        ..Command::new(argv.iter().copied())
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end().to_owned()
}
