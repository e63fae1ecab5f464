//! The time that a command costs beyond its own work, under each sandbox of this machine.
//!
//! `at once`: commands one after the other, each waiting for its namespace to be set up. `prepared`: commands with a pause between them,
//! in which the namespace of the next one is set up.
//!
//! Arguments: `--commands N`.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program for people")]

use std::time::{Duration, Instant};

use autoheal_engine::RunId;
use autoheal_sandbox::{Choice, Command, Image, Settings, Workspace, WorkspaceSpec};

#[tokio::main]
async fn main() {
    let mut words = std::env::args().skip_while(|word| word != "--commands").skip(1);
    let commands = words.next().map_or(50, |number| number.parse().unwrap());
    for choice in [Choice::Bubblewrap, Choice::Docker, Choice::None] {
        let (state, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let settings = Settings {
            images: Settings::DEFAULT_IMAGES.map(|(image, _)| (image.0, format!("autoheal-{}:local", image.0))).into(),
            ..Settings::new(state.path())
        };
        let sandbox = match autoheal_sandbox::select(choice, &settings).await {
            Ok(sandbox) => sandbox,
            Err(error) => {
                println!("{choice:?}: not measured: {error}");
                continue;
            }
        };
        let spec = WorkspaceSpec {
            run: RunId(uuid::Uuid::now_v7()),
            root: folder.path().to_owned(),
            inside: WorkspaceSpec::DEFAULT_INSIDE.into(),
            mounts: Vec::new(),
            environment: std::collections::BTreeMap::new(),
            image: Image::PYTHON,
        };
        let mut workspace = sandbox.open(spec).await.unwrap();
        let at_once = measure(workspace.as_mut(), commands, Duration::ZERO).await;
        let prepared = measure(workspace.as_mut(), commands, Duration::from_millis(100)).await;
        println!("{choice:?}: {commands} commands `true`, median: at once {at_once:.1?}, prepared {prepared:.1?}");
        workspace.close().await.unwrap();
    }
}

/// The median time of a command that does nothing.
async fn measure(workspace: &mut dyn Workspace, commands: usize, pause: Duration) -> Duration {
    let mut times = Vec::new();
    for _ in 0..commands {
        tokio::time::sleep(pause).await;
        let begun = Instant::now();
        assert!(workspace.run(&Command::new(["true"])).await.unwrap().end.is_success());
        times.push(begun.elapsed());
    }
    times.sort();
    times[times.len() / 2]
}
