//! Which Node runs the tests, and installing the packages of a project.
//!
//! Packages are installed once for each lock file, outside of the clone, by the one kind of command that has a network; every run sees them
//! read-only. What the user's own checkout has installed is used instead when it is what the lock file says. Programs that packages
//! bring to be run while they are installed are not run: they fetch from anywhere, and few tests need what they make.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use autoheal_engine::ErrorCode;
use autoheal_engine::workflow::StepError;
use autoheal_sandbox::{Command, Mount, SandboxKind};

use super::{SCRATCH, installed};
use crate::project::interpreter::is_program;
use crate::project::join;
use crate::project::node::{PackageManager, Packages};
use crate::session::{disk, sandbox_error, workspace_spec};
use crate::setup::{Interpreter, ModuleFolder, Setup};
use crate::state::HealState;
use crate::toolchain::{Search, installing};
use crate::wanted::Version;

/// Finding out whether Node works may take this long.
const CHECK_TIME: Duration = Duration::from_mins(1);

/// Versions of package managers that read the lock files of projects that do not say which they want.
const PNPM: &str = "9";
const YARN_CLASSIC: &str = "1.22.22";
const YARN: &str = "4.5.3";

/// The Node that runs the tests, with the packages that they need.
pub(crate) async fn find_interpreter(search: Search<'_>, state: &mut HealState) -> Result<Interpreter, StepError> {
    search.checkout.folders.prepare().map_err(|error| disk("preparing the run's folder", &error))?;
    let mut interpreter = node(search, state).await?;
    let Some(packages) = &search.project.node else { return Ok(interpreter) };
    let (modules, found) = modules(&interpreter, packages, search, state).await?;
    interpreter.found = format!("{}; {found}", interpreter.found);
    interpreter.modules = modules;
    Ok(interpreter)
}

async fn node(search: Search<'_>, state: &mut HealState) -> Result<Interpreter, StepError> {
    let liked = search.project.node.as_ref().and_then(|packages| packages.node_major);
    let liked = liked.map(|major| Version { major, minor: None });
    let wanted = state.request.wanted.node;
    let mut others = Vec::new();
    for candidate in candidates(search) {
        let Some(version) = version(&candidate, search, state).await? else { continue };
        let found = Interpreter { version: Some(version), ..candidate };
        if wanted.or(liked).is_none_or(|liked| liked.fits(version)) {
            return Ok(found);
        }
        others.push(found);
    }
    if let Some(wanted) = wanted {
        let versions: Vec<(u8, u8)> = others.iter().filter_map(|other| other.version).collect();
        let message = installing::not_here("Node", wanted, &versions);
        return Err(StepError::Permanent { code: ErrorCode::TestExecutionFailed, message });
    }
    let Some(best) = others.into_iter().next() else {
        return Err(StepError::Permanent {
            code: ErrorCode::TestExecutionFailed,
            message: "no Node was found that runs in the sandbox; install nodejs and npm".to_owned(),
        });
    };
    if let (Some(liked), Some((major, _))) = (liked, best.version) {
        state
            .warnings
            .push(format!("the project asks for Node {liked}; it is tested with Node {major}, which is here"));
    }
    Ok(best)
}

/// Every Node of this machine: on `PATH`, then those that nvm installed. In a container it is the image's.
fn candidates(search: Search<'_>) -> Vec<Interpreter> {
    if search.settings.sandbox.kind() == SandboxKind::Docker {
        return ["/usr/local/bin/node", "/usr/bin/node"]
            .map(|program| interpreter(program.into(), Vec::new(), "node of the image".to_owned()))
            .to_vec();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|folder| folder.join("node"));
    let nvm = std::env::var_os("NVM_DIR").map(PathBuf::from);
    let nvm = nvm.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".nvm")));
    let mut versions: Vec<PathBuf> = nvm
        .and_then(|folder| fs::read_dir(folder.join("versions/node")).ok())
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path().join("bin/node"))
        .collect();
    versions.sort();
    let programs = on_path.chain(versions.into_iter().rev()).filter_map(|program| program.canonicalize().ok());
    let mut found: Vec<Interpreter> = Vec::new();
    for program in programs.filter(|program| is_program(program)) {
        if !found.iter().any(|other| other.program == program) {
            let folders = folder_of(&program).into_iter().collect();
            let told = format!("node ({})", program.display());
            found.push(interpreter(program, folders, told));
        }
    }
    found
}

fn interpreter(program: PathBuf, folders: Vec<PathBuf>, found: String) -> Interpreter {
    Interpreter { program, folders, version: None, modules: Vec::new(), found }
}

/// The folder of an installation of Node outside of what every sandbox shows: its `bin` lies beside its `lib/node_modules`.
pub(crate) fn folder_of(program: &Path) -> Option<PathBuf> {
    let folder = program.parent()?.parent()?;
    let is_shown = ["/usr", "/bin", "/lib"].iter().any(|shown| program.starts_with(shown));
    (!is_shown && folder.join("lib/node_modules").is_dir()).then(|| folder.to_owned())
}

/// What it says of itself; `None`: it does not run.
async fn version(
    candidate: &Interpreter,
    search: Search<'_>,
    state: &HealState,
) -> Result<Option<(u8, u8)>, StepError> {
    let setup = Setup { interpreter: candidate.clone(), ..search.setup.clone() };
    let spec = workspace_spec(search.context.run, &search.checkout.folders, &setup);
    let mut workspace = search.settings.sandbox.open(spec).await.map_err(|error| sandbox_error(&error))?;
    let program = candidate.program.display().to_string();
    let command =
        Command { limits: state.request.limits.within(CHECK_TIME), ..Command::new([program, "--version".to_owned()]) };
    let outcome = workspace.run(&command).await.map_err(|error| sandbox_error(&error))?;
    workspace.close().await.map_err(|error| sandbox_error(&error))?;
    let said = String::from_utf8_lossy(&outcome.stdout);
    let mut numbers = said.trim().trim_start_matches('v').split('.').map(str::parse::<u8>);
    match (outcome.end.is_success(), numbers.next(), numbers.next()) {
        (true, Some(Ok(major)), Some(Ok(minor))) => Ok(Some((major, minor))),
        _ => Ok(None),
    }
}

/// The folders of installed packages, and where they are from.
async fn modules(
    base: &Interpreter,
    packages: &Packages,
    search: Search<'_>,
    state: &mut HealState,
) -> Result<(Vec<ModuleFolder>, String), StepError> {
    let tree = search.checkout.folders.tree();
    // An empty folder is a place of ours, where packages are shown.
    if is_used(&tree.join(&packages.root).join("node_modules")) {
        return Ok((Vec::new(), "packages of the repository itself".to_owned()));
    }
    if state.request.install_command.is_none() {
        if !packages.has_dependencies {
            return Ok((Vec::new(), "no packages".to_owned()));
        }
        if let Some(own) = search.checkout.address.path().filter(|own| installed::fits(own, &tree, packages)) {
            let folders = packages.folders.iter().map(|folder| ModuleFolder {
                host: own.join(folder).join("node_modules"),
                inside: join(folder, "node_modules"),
            });
            return Ok((
                folders.filter(|folder| lies_in(&folder.host, own)).collect(),
                "packages of the checkout".to_owned(),
            ));
        }
    }
    install(base, packages, search, state)
        .await
        .map(|modules| (modules, "packages installed for this repository".to_owned()))
}

async fn install(
    base: &Interpreter,
    packages: &Packages,
    search: Search<'_>,
    state: &mut HealState,
) -> Result<Vec<ModuleFolder>, StepError> {
    let tree = search.checkout.folders.tree();
    let folder = search.settings.data_dir.join("node_modules").join(key(base, packages, &tree, state));
    let folders: Vec<ModuleFolder> = packages
        .folders
        .iter()
        .enumerate()
        .map(|(index, package)| ModuleFolder {
            host: folder.join(index.to_string()).join("node_modules"),
            inside: join(package, "node_modules"),
        })
        .collect();
    if !folder.join(installing::COMPLETE).is_file() {
        installing::recreate(&folder).map_err(|error| disk("making the folder of packages", &error))?;
        for modules in &folders {
            fs::create_dir_all(&modules.host).map_err(|error| disk("making the folder of packages", &error))?;
        }
        run(base, packages, &folders, search, state).await?;
        for modules in folders.iter().filter(|modules| is_used(&modules.host)) {
            for name in SCRATCH {
                fs::create_dir_all(modules.host.join(name)).map_err(|error| disk("completing packages", &error))?;
            }
        }
        fs::write(folder.join(installing::COMPLETE), "").map_err(|error| disk("completing packages", &error))?;
    }
    Ok(folders.into_iter().filter(|modules| is_used(&modules.host)).collect())
}

/// Whether it is a folder of the checkout itself: a link in it could point anywhere on this machine.
fn lies_in(folder: &Path, checkout: &Path) -> bool {
    let is_folder = folder.symlink_metadata().is_ok_and(|data| data.is_dir());
    let real = folder.canonicalize().ok().zip(checkout.canonicalize().ok());
    is_folder && real.is_some_and(|(folder, checkout)| folder.starts_with(checkout))
}

fn is_used(folder: &Path) -> bool {
    let is_link = folder.symlink_metadata().is_ok_and(|data| data.is_symlink());
    !is_link && fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
}

async fn run(
    base: &Interpreter,
    packages: &Packages,
    folders: &[ModuleFolder],
    search: Search<'_>,
    state: &HealState,
) -> Result<(), StepError> {
    let tree = search.checkout.folders.tree();
    let from = packages.lock.as_deref().unwrap_or("package.json");
    search.context.note("installing", format!("packages, from {}", join(&packages.root, from)));
    let setup = Setup { interpreter: base.clone(), ..search.setup.clone() };
    let mut spec = workspace_spec(search.context.run, &search.checkout.folders, &setup);
    for modules in folders {
        let inside = tree.join(&modules.inside);
        fs::create_dir_all(&inside).map_err(|error| disk("making the folder of packages", &error))?;
        spec.mounts.push(Mount { host: modules.host.clone(), inside, writable: true });
    }
    if state.request.install_command.is_none() {
        // What was fetched once is not fetched again; for this repository alone, as code of it may run while packages are installed,
        // and could leave something for the next.
        let repository = installing::key(&[search.checkout.address.to_string()]);
        let cache = search.settings.data_dir.join("npm-cache").join(repository);
        fs::create_dir_all(&cache).map_err(|error| disk("making the cache of packages", &error))?;
        spec.environment.insert("npm_config_cache".to_owned(), cache.display().to_string());
        spec.mounts.push(Mount { host: cache.clone(), inside: cache, writable: true });
    }
    let mut workspace = search.settings.sandbox.open(spec).await.map_err(|error| sandbox_error(&error))?;
    let words = state.request.install_command.clone().unwrap_or_else(|| install_words(packages, &tree));
    let outcome = installing::run(&mut *workspace, &words, &packages.root, search, state).await?;
    workspace.close().await.map_err(|error| sandbox_error(&error))?;
    if outcome.end.is_success() {
        return Ok(());
    }
    let said = format!("{}\n{}", String::from_utf8_lossy(&outcome.stderr), String::from_utf8_lossy(&outcome.stdout));
    let said: Vec<&str> = said.lines().map(str::trim).filter(|line| is_told(line)).take(3).collect();
    Err(StepError::Permanent {
        code: installing::failure(search.settings.sandbox.kind()),
        message: format!(
            "installing packages failed: `{}` ended with {}: {}; install them yourself, or say how with --install-command",
            words.join(" "),
            outcome.end,
            said.join(" / ")
        ),
    })
}

fn is_told(line: &str) -> bool {
    !line.is_empty() && !line.contains("npm warn") && !line.contains("A complete log of this run")
}

/// The command that installs what the lock file holds; without one, what the manifest asks for.
fn install_words(packages: &Packages, tree: &Path) -> Vec<String> {
    let asked = |default: &str| packages.manager_version.clone().unwrap_or_else(|| default.to_owned());
    let has_lock = packages.lock.is_some();
    let words: Vec<String> = match packages.manager {
        PackageManager::Npm if has_lock => ["npm", "ci"].map(str::to_owned).to_vec(),
        PackageManager::Npm => ["npm", "install", "--no-package-lock"].map(str::to_owned).to_vec(),
        PackageManager::Pnpm => {
            let frozen = if has_lock { "--frozen-lockfile" } else { "--no-lockfile" };
            ["npx", "--yes", &format!("pnpm@{}", asked(PNPM)), "install", frozen].map(str::to_owned).to_vec()
        }
        PackageManager::YarnClassic => {
            let frozen = if has_lock { "--frozen-lockfile" } else { "--no-lockfile" };
            let yarn = format!("yarn@{}", asked(YARN_CLASSIC));
            ["npx", "--yes", &yarn, "install", frozen, "--non-interactive"].map(str::to_owned).to_vec()
        }
        PackageManager::Yarn => {
            let frozen = if has_lock { "--immutable" } else { "--no-immutable" };
            let words: Vec<String> = if let Some(program) = committed_yarn(packages, tree) {
                vec!["node".to_owned(), program]
            } else {
                let package = format!("--package=@yarnpkg/cli-dist@{}", asked(YARN));
                ["npx", "--yes", &package, "yarn"].map(str::to_owned).to_vec()
            };
            let install = ["install", frozen, "--mode=skip-build"].map(str::to_owned);
            return words.into_iter().chain(install).collect();
        }
    };
    words.into_iter().chain(["--ignore-scripts".to_owned()]).collect()
}

/// Yarn 2 and later is often committed.
fn committed_yarn(packages: &Packages, tree: &Path) -> Option<String> {
    let folder = tree.join(&packages.root).join(".yarn/releases");
    let mut names: Vec<String> =
        fs::read_dir(folder).ok()?.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names.pop().map(|name| format!(".yarn/releases/{name}"))
}

/// Equal keys need no new installation: the lock file when there is one, else every manifest.
fn key(base: &Interpreter, packages: &Packages, tree: &Path, state: &HealState) -> String {
    let text = |file: String| crate::project::read_text(tree, &file).unwrap_or_default();
    let mut parts = vec![
        format!("{:?}", base.version.map(|(major, _)| major)),
        format!("{:?} {:?}", packages.manager, packages.manager_version),
        state.request.install_command.clone().unwrap_or_default().join("\0"),
        text(join(&packages.root, ".npmrc")),
        text(join(&packages.root, ".yarnrc.yml")),
    ];
    if let Some(lock) = &packages.lock {
        parts.push(text(join(&packages.root, lock)));
    }
    for folder in &packages.folders {
        let manifest = crate::project::node::json(tree, folder).unwrap_or_default();
        let asked =
            ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies", "overrides", "resolutions"]
                .map(|name| manifest.get(name).map(ToString::to_string).unwrap_or_default());
        parts.push(folder.clone());
        parts.extend(asked);
    }
    installing::key(&parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packages(manager: PackageManager, lock: Option<&str>) -> Packages {
        Packages {
            root: String::new(),
            manager,
            manager_version: None,
            lock: lock.map(str::to_owned),
            folders: vec![String::new()],
            has_dependencies: true,
            node_major: None,
        }
    }

    #[test]
    fn what_is_locked_is_what_is_installed_and_no_script_is_run() {
        let words = |manager, lock| install_words(&packages(manager, lock), Path::new("/nowhere")).join(" ");
        assert_eq!(words(PackageManager::Npm, Some("package-lock.json")), "npm ci --ignore-scripts");
        assert_eq!(words(PackageManager::Npm, None), "npm install --no-package-lock --ignore-scripts");
        assert_eq!(
            words(PackageManager::Pnpm, Some("pnpm-lock.yaml")),
            "npx --yes pnpm@9 install --frozen-lockfile --ignore-scripts"
        );
        assert_eq!(
            words(PackageManager::Yarn, Some("yarn.lock")),
            "npx --yes --package=@yarnpkg/cli-dist@4.5.3 yarn install --immutable --mode=skip-build"
        );
    }
}
