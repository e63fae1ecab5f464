//! Installation for Rust: a cargo, and the dependencies of a project.
//!
//! Dependencies are fetched once for each lock file, into a folder outside of the clone, by the one kind of command that has a network. Every
//! run sees them read-only, and builds without a network. No code of the repository or of a dependency runs while they are fetched.

use std::path::{Path, PathBuf};

use autoheal_engine::ErrorCode;
use autoheal_engine::workflow::StepError;
use autoheal_sandbox::untrusted::UntrustedFolder;
use autoheal_sandbox::{Mount, SandboxKind};

use crate::caches::{Begun, Room, hash_of};
use crate::discovery;
use crate::folders::Folders;
use crate::host_programs::is_program;
use crate::project::{join, read_text};
use crate::setup::{InstalledEnvironment, Interpreter, ModuleFolder, Setup};
use crate::state::HealState;
use crate::step_error::{disk, sandbox_error};
use crate::toolchain::{Search, installing};
use crate::workspace;

/// Maximum length of a lock file, in bytes.
const LONGEST_LOCK: u64 = 8 << 20;

/// File that pins the exact versions of dependencies.
const LOCK: &str = "Cargo.lock";

/// Folder that cargo builds into, next to the manifest.
const TARGET: &str = "target";

/// Folder of an installation with the dependencies, as `CARGO_HOME`.
const HOME: &str = "home";

/// Folder of an installation with the lock file that was made for a project without one.
const MADE: &str = "made";

/// The cargo that builds, with the dependencies of the project.
pub(super) async fn find_interpreter(search: Search<'_>, state: &mut HealState) -> Result<Interpreter, StepError> {
    workspace::prepare(&search.checkout.folders)?;
    let cargo = cargo(search, state).await?;
    let directory = search.project.directory.clone();
    let has_manifest = read_text(&search.checkout.folders.tree(), &join(&directory, "Cargo.toml")).is_some();
    if !has_manifest {
        return Ok(cargo);
    }
    fetch(cargo, &directory, search, state).await
}

/// Variables of every command.
pub(super) fn environment(setup: &Setup) -> Vec<(String, String)> {
    let tools = setup.tools().find(|tools| tools.language == autoheal_code::rust::ID);
    let interpreter = tools.map_or_else(|| setup.interpreter(), |tools| &tools.interpreter);
    let bin = interpreter.program.parent().map(|bin| bin.display().to_string()).filter(|bin| !bin.is_empty());
    let path: Vec<String> = bin.into_iter().chain(["/usr/local/bin", "/usr/bin", "/bin"].map(str::to_owned)).collect();
    let mut variables = vec![
        ("PATH".to_owned(), path.join(":")),
        ("CARGO_TERM_COLOR".to_owned(), "never".to_owned()),
        ("CARGO_TERM_PROGRESS_WHEN".to_owned(), "never".to_owned()),
        // Whole backtraces take longer than most tests.
        ("RUST_BACKTRACE".to_owned(), "0".to_owned()),
    ];
    if let Some(installed) = &interpreter.installed {
        variables.push(("CARGO_HOME".to_owned(), installed.folder.join(HOME).display().to_string()));
        variables.push(("CARGO_NET_OFFLINE".to_owned(), "true".to_owned()));
    }
    variables
}

/// Shows each tree its own folder `target`: cargo tells by the time of a file whether it was built, and the files of another tree are older or
/// newer without being the same. A tree whose commit has no lock file gets the one that was made.
pub(super) fn mounts(folders: &Folders, interpreter: &Interpreter) -> Vec<Mount> {
    let mut mounts = Vec::new();
    for project in &interpreter.modules {
        for (tree, name) in [(folders.tree(), "tree"), (folders.before(), "before")] {
            let Ok(untrusted) = UntrustedFolder::open(&tree) else { continue };
            show_lock_file(&untrusted, project);
            let target = join(&project.inside, TARGET);
            let place = format!(
                "{TARGET}-{name}-{}",
                hash_of(std::iter::once(project.inside.as_bytes())).get(..16).unwrap_or_default()
            );
            let made = UntrustedFolder::open(&folders.mounts()).and_then(|mounts| mounts.create_folders(&place));
            if made.is_ok() && untrusted.create_folders(&target).is_ok() {
                mounts.push(Mount { host: folders.mounts().join(place), inside: tree.join(target), writable: true });
            }
        }
    }
    mounts
}

/// Writes the lock file that was made to a tree that lacks one. If that fails, cargo makes it again or reports the error.
fn show_lock_file(tree: &UntrustedFolder, project: &ModuleFolder) {
    let inside = join(&project.inside, LOCK);
    let made = UntrustedFolder::open(&project.host).and_then(|folder| folder.read(LOCK, LONGEST_LOCK));
    if let Ok(text) = made.as_ref()
        && tree.kind(&inside).is_none()
    {
        let _: std::io::Result<()> = tree.write(&inside, text);
    }
}

async fn cargo(search: Search<'_>, state: &HealState) -> Result<Interpreter, StepError> {
    let tree = search.checkout.folders.tree();
    let asked = ["rust-toolchain.toml", "rust-toolchain"].iter().find_map(|name| read_text(&tree, name));
    let asked = asked.as_deref().and_then(channel);
    let candidates = candidates(search, asked.as_deref());
    for candidate in candidates {
        if let Some(version) = installing::version(&candidate, search, state).await? {
            return Ok(Interpreter { version: Some(version), ..candidate });
        }
    }
    Err(StepError::Permanent {
        code: ErrorCode::TestExecutionFailed,
        message: "no cargo was found that runs in the sandbox; install Rust (https://rustup.rs) and a linker"
            .to_owned(),
    })
}

/// The toolchain that a file `rust-toolchain` or `rust-toolchain.toml` asks for.
fn channel(text: &str) -> Option<String> {
    match text.parse::<toml::Table>() {
        Ok(table) => Some(table.get("toolchain")?.get("channel")?.as_str()?.to_owned()),
        Err(_) => text.lines().next().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned),
    }
}

/// Every cargo of this machine: those of rustup, the requested one and the default one first, then one of the system's own. In a container
/// it is the image's.
#[expect(clippy::disallowed_methods, reason = "the host's own programs")]
fn candidates(search: Search<'_>, asked: Option<&str>) -> Vec<Interpreter> {
    let interpreter = |program: PathBuf, folders: Vec<PathBuf>, found: String| Interpreter {
        program,
        folders,
        found,
        ..Interpreter::default()
    };
    if search.settings.sandbox.kind() == SandboxKind::Docker {
        return vec![interpreter("/usr/local/cargo/bin/cargo".into(), Vec::new(), "cargo of the image".to_owned())];
    }
    let rustup = std::env::var_os("RUSTUP_HOME").map(PathBuf::from);
    let rustup = rustup.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".rustup")));
    let settings = rustup.as_ref().and_then(|rustup| std::fs::read_to_string(rustup.join("settings.toml")).ok());
    let settings: toml::Table = settings.and_then(|text| text.parse().ok()).unwrap_or_default();
    let default = settings.get("default_toolchain").and_then(toml::Value::as_str).unwrap_or("stable");
    let mut toolchains: Vec<PathBuf> = rustup
        .and_then(|rustup| std::fs::read_dir(rustup.join("toolchains")).ok())
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.path().canonicalize().ok())
        .collect();
    let name = |folder: &Path| folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let begins = |folder: &Path, wanted: &str| {
        name(folder).strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.']))
    };
    toolchains.sort();
    toolchains.sort_by_key(|folder| {
        let is_asked = asked.is_some_and(|asked| begins(folder, asked));
        // A nightly compiler accepts what others refuse.
        (!is_asked, !begins(folder, default), begins(folder, "nightly"))
    });
    let of_rustup = toolchains.into_iter().map(|folder| {
        let found = format!("cargo of {}", name(&folder));
        interpreter(folder.join("bin/cargo"), vec![folder], found)
    });
    let of_system = interpreter("/usr/bin/cargo".into(), Vec::new(), "cargo of the system".to_owned());
    of_rustup.chain([of_system]).filter(|found| is_program(&found.program)).collect()
}

/// Fetches the dependencies, unless an earlier run has.
async fn fetch(
    cargo: Interpreter,
    directory: &str,
    search: Search<'_>,
    state: &mut HealState,
) -> Result<Interpreter, StepError> {
    let tree = search.checkout.folders.tree();
    let scope = installing::Scope::of(search, state).await?;
    let has_lock = read_lock(&tree, directory).is_some();
    let since = (!has_lock).then(|| installing::resolved_since(search, state));
    let cache = scope.cache(search, Room::Environments, content(&cargo, directory, &tree), false);
    let begun = cache.begin(since, search.context).await?;
    let folder = match begun {
        Begun::Complete(folder) => folder,
        Begun::Empty(installing) => {
            let folder = installing.folder();
            let made = UntrustedFolder::open(&folder).and_then(|root| {
                root.create_folders(HOME)?;
                root.create_folders(MADE)?;
                Ok(root)
            });
            let root = made.map_err(|error| disk("making the folder of dependencies", &error))?;
            run(&cargo, &folder.join(HOME), directory, search, state).await?;
            if !has_lock && let Some(lock) = read_lock(&tree, directory) {
                root.write(format!("{MADE}/{LOCK}"), &lock).map_err(|error| disk("keeping the lock file", &error))?;
            }
            installing::complete(installing, search).await?
        }
    };
    let project =
        ModuleFolder { host: folder.join(MADE), inside: directory.to_owned(), installed: Some(folder.clone()) };
    let mut folders = cargo.folders.clone();
    folders.push(folder.join(HOME));
    Ok(Interpreter {
        found: format!("{}; dependencies fetched for this repository", cargo.found),
        installed: Some(InstalledEnvironment { folder, base: cargo.program.clone() }),
        modules: vec![project],
        folders,
        ..cargo
    })
}

fn read_lock(tree: &Path, directory: &str) -> Option<Vec<u8>> {
    UntrustedFolder::open(tree).and_then(|tree| tree.read(join(directory, LOCK), LONGEST_LOCK)).ok()
}

async fn run(
    cargo: &Interpreter,
    home: &Path,
    directory: &str,
    search: Search<'_>,
    state: &HealState,
) -> Result<(), StepError> {
    search.context.note("installing", format!("dependencies, from {}", join(directory, LOCK)));
    let setup = search.setup.with_interpreter(cargo.clone());
    let mut spec = workspace::spec(search.context.run, &search.checkout.folders, &setup);
    spec.mounts.push(Mount { host: home.to_owned(), inside: home.to_owned(), writable: true });
    spec.environment.insert("CARGO_HOME".to_owned(), home.display().to_string());
    let mut workspace = search.settings.sandbox.open(spec).await.map_err(|error| sandbox_error(&error))?;
    let own = vec![cargo.program.display().to_string(), "fetch".to_owned()];
    let words = state.request.install_command.clone().unwrap_or(own);
    let outcome = installing::run(&mut *workspace, &words, directory, search, state).await?;
    workspace.close().await.map_err(|error| sandbox_error(&error))?;
    if outcome.end.is_success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&outcome.stderr).into_owned();
    let said: Vec<&str> = said.lines().map(str::trim).skip_while(|line| !line.starts_with("error")).take(4).collect();
    Err(StepError::Permanent {
        code: installing::failure(search.settings.sandbox.kind()),
        message: format!(
            "fetching the dependencies failed: `{}` ended with {}: {}; say how with --install-command",
            words.join(" "),
            outcome.end,
            said.join(" / ")
        ),
    })
}

/// Returns what an installation depends on, for its cache key: cargo's version, the lock file, and every manifest.
fn content(cargo: &Interpreter, directory: &str, tree: &Path) -> Vec<String> {
    let mut parts = vec!["cargo".to_owned(), format!("{:?}", cargo.version), directory.to_owned()];
    if let Some(lock) = read_lock(tree, directory) {
        // It says all.
        parts.push(hash_of(std::iter::once(lock.as_slice())));
    }
    for file in discovery::files(tree) {
        let name = file.rsplit('/').next().unwrap_or(&file);
        if name == "Cargo.toml" || file.ends_with(".cargo/config.toml") {
            parts.push(read_text(tree, &file).unwrap_or_default());
            parts.push(file);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_toolchain_is_read_from_both_notations() {
        assert_eq!(channel("[toolchain]\nchannel = \"1.85\"\n").as_deref(), Some("1.85"));
        assert_eq!(channel("nightly-2025-01-01\n").as_deref(), Some("nightly-2025-01-01"));
        assert_eq!(channel(""), None);
    }
}
