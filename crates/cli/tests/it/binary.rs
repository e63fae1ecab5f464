use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use autoheal_store::{RunFilter, Store};
use tempfile::TempDir;

/// A home of its own for the binary: its data, its settings, and nothing of the machine's.
pub(crate) struct Home {
    pub(crate) folder: TempDir,
}

/// Outcome of a command.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Opens the database that the binary uses.
    pub(crate) async fn store(&self) -> Store {
        let folder = self.path().join(".local/share/autoheal");
        std::fs::create_dir_all(&folder).unwrap();
        Store::open_file(&folder.join("autoheal.db")).await.unwrap()
    }

    /// Returns the number of checkpoints of the newest run.
    pub(crate) async fn checkpoints(&self) -> i64 {
        let store = self.store().await;
        let run = store.runs(&RunFilter::newest(1)).await.unwrap()[0].run;
        store.last_checkpoint(run).await.unwrap().unwrap().seq
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        command_at(self.path(), arguments)
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        Ended::of(&mut self.command(arguments))
    }
}

impl Ended {
    pub(crate) fn of(command: &mut Command) -> Self {
        let output = command.output().unwrap();
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Exit code, standard output and standard error in one text, for a snapshot.
    pub(crate) fn told(&self) -> String {
        format!("exit: {:?}\n--- stdout\n{}--- stderr\n{}", self.code, self.stdout, self.stderr)
    }
}

/// The binary with a home in this folder, and nothing of the environment but what it cannot do without.
#[expect(clippy::disallowed_methods, reason = "starts the binary under test")]
pub(crate) fn command_at(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_autoheal"));
    command.args(arguments).env_clear().env("HOME", home).current_dir(home);
    for name in ["PATH", "TMPDIR", "DOCKER_HOST", "LLVM_PROFILE_FILE"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
}

/// The search path of programs with the binary under test in front.
pub(crate) fn path_with_program() -> OsString {
    let own = Path::new(env!("CARGO_BIN_EXE_autoheal")).parent().unwrap().to_owned();
    let others = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&others))).unwrap()
}

/// The address that a server prints when it listens, with its token behind it, among the lines of its standard error.
pub(crate) fn printed_address(lines: &mut impl Iterator<Item = String>) -> Option<String> {
    lines.find_map(|line| Some(line.split("listening at ").nth(1)?.split(';').next()?.to_owned()))
}

/// The processes that a process, or one that it has started, has started.
pub(crate) fn descendants(of: u32) -> Vec<u32> {
    let threads = std::fs::read_dir(format!("/proc/{of}/task")).into_iter().flatten().flatten();
    let children = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    let children: Vec<u32> =
        children.collect::<String>().split_whitespace().map(|child| child.parse().unwrap()).collect();
    children.into_iter().flat_map(|child| std::iter::once(child).chain(descendants(child))).collect()
}
