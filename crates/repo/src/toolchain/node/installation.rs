//! Choice of the Node that runs the tests, and installation of a project's packages.
//!
//! Packages are installed once for each lock file, outside of the clone, by the one kind of command that has
//! a network; every run sees them read-only. The packages that the user's own checkout has installed are used
//! instead when they match the lock file. Install scripts of packages are not run: they fetch from anywhere,
//! and few tests need what they make.

use std::path::{Path, PathBuf};

use autoheal_code::javascript::manifest::FIELDS;
use autoheal_engine::ErrorCode;
use autoheal_engine::workflow::StepError;
use autoheal_sandbox::untrusted::UntrustedFolder;
use autoheal_sandbox::{Mount, SandboxKind};

use super::packages::{PackageManager, Packages};
use super::{SCRATCH, installed, words};
use crate::caches::{Begun, Room, hash_of};
use crate::host_programs::{installation_of, is_program};
use crate::project::join;
use crate::repo_config::Version;
use crate::setup::{Interpreter, ModuleFolder};
use crate::state::HealState;
use crate::step_error::{disk, sandbox_error};
use crate::toolchain::{Search, installing};
use crate::workspace;

/// A folder with more packages is not counted further.
const MOST_PACKAGES: usize = 100_000;

/// A longer lock file says nothing about what is installed: no package manager writes one.
const LONGEST_LOCK: u64 = 256 << 20;

/// The Node that runs the tests, with the packages that they need.
pub(crate) async fn find_interpreter(search: Search<'_>, state: &mut HealState) -> Result<Interpreter, StepError> {
    workspace::prepare(&search.checkout.folders)?;
    let packages = Packages::of(&search.checkout.folders.tree(), &search.project.directory);
    let mut interpreter = node(packages.as_ref(), search, state).await?;
    let Some(packages) = packages else { return Ok(interpreter) };
    let (modules, found) = modules(&interpreter, &packages, search, state).await?;
    interpreter.found = format!("{}; {found}", interpreter.found);
    interpreter.modules = modules;
    Ok(interpreter)
}

async fn node(
    packages: Option<&Packages>,
    search: Search<'_>,
    state: &mut HealState,
) -> Result<Interpreter, StepError> {
    let liked = packages.and_then(|packages| packages.node_major);
    let liked = liked.map(|major| Version { major, minor: None });
    let wanted = state.request.overrides.node;
    let mut others = Vec::new();
    for candidate in candidates(search) {
        let Some(version) = installing::version(&candidate, search, state).await? else { continue };
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
#[expect(clippy::disallowed_methods, reason = "the host's own programs")]
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
        .and_then(|folder| std::fs::read_dir(folder.join("versions/node")).ok())
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
            let folders = installation_of(&program).into_iter().collect();
            let told = format!("node ({})", program.display());
            found.push(interpreter(program, folders, told));
        }
    }
    found
}

fn interpreter(program: PathBuf, folders: Vec<PathBuf>, found: String) -> Interpreter {
    Interpreter { program, folders, found, ..Interpreter::default() }
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
            return Ok((own_modules(own, packages), "packages of the checkout".to_owned()));
        }
    }
    match install(base, packages, search, state).await? {
        Ok(modules) => Ok((modules, "packages installed for this repository".to_owned())),
        Err(reason) => Err(StepError::Permanent {
            code: installing::failure(search.settings.sandbox.kind()),
            message: format!(
                "installing packages failed: {reason}; install them yourself, or say how with --install-command"
            ),
        }),
    }
}

/// The packages that lie in the checkout itself: a link in it could point anywhere on this machine.
#[expect(
    clippy::disallowed_methods,
    reason = "the host's own name of the user's checkout; what is in it is opened without links"
)]
fn own_modules(checkout: &Path, packages: &Packages) -> Vec<ModuleFolder> {
    let Some((real, folder)) = checkout.canonicalize().ok().and_then(|real| {
        let folder = UntrustedFolder::open(&real).ok()?;
        Some((real, folder))
    }) else {
        return Vec::new();
    };
    let modules = packages.folders.iter().map(|package| join(package, "node_modules"));
    let there = modules.filter(|modules| folder.has_folder(modules));
    there.map(|inside| ModuleFolder { host: real.join(&inside), inside, installed: None }).collect()
}

/// Installs what the manifests of the tree say, or finds it installed; the reason when that fails.
pub(super) async fn install(
    base: &Interpreter,
    packages: &Packages,
    search: Search<'_>,
    state: &HealState,
) -> Result<Result<Vec<ModuleFolder>, String>, StepError> {
    let tree = search.checkout.folders.tree();
    let scope = installing::Scope::of(search, state).await?;
    let content = content(base, packages, &tree, state);
    let runs_code = state.request.install_command.is_some();
    let since = packages.lock.is_none().then(|| installing::resolved_since(search, state));
    let begun = scope.cache(search, Room::NodeModules, content, runs_code).begin(since, search.context).await?;
    let folder = match begun {
        Begun::Complete(folder) => folder,
        Begun::Empty(installing) => {
            let folder = installing.folder();
            let root =
                UntrustedFolder::open(&folder).map_err(|error| disk("opening the folder of packages", &error))?;
            let folders = folders_in(&folder, packages);
            for index in 0..folders.len() {
                let made = root.create_folders(format!("{index}/node_modules"));
                made.map_err(|error| disk("making the folder of packages", &error))?;
            }
            if let Some(reason) = run(base, packages, &folders, &scope, search, state).await? {
                return Ok(Err(reason));
            }
            for modules in folders.iter().filter(|modules| is_used(&modules.host)) {
                let modules = UntrustedFolder::open(&modules.host);
                let made = modules.and_then(|modules| SCRATCH.iter().try_for_each(|name| modules.create_folders(name)));
                made.map_err(|error| disk("completing packages", &error))?;
            }
            installing::complete(installing, search).await?
        }
    };
    Ok(Ok(folders_in(&folder, packages).into_iter().filter(|modules| is_used(&modules.host)).collect()))
}

/// Returns the locations of the packages of each folder of the project in an installation.
fn folders_in(installation: &Path, packages: &Packages) -> Vec<ModuleFolder> {
    let folders = packages.folders.iter().enumerate().map(|(index, package)| ModuleFolder {
        host: installation.join(index.to_string()).join("node_modules"),
        inside: join(package, "node_modules"),
        installed: Some(installation.to_owned()),
    });
    folders.collect()
}

/// Returns whether there is a real folder that is not empty.
fn is_used(folder: &Path) -> bool {
    let entries = UntrustedFolder::open(folder).and_then(|folder| folder.entries("", MOST_PACKAGES));
    // More than can be listed is not nothing.
    entries.map_or_else(|error| error.kind() == std::io::ErrorKind::Other, |entries| !entries.is_empty())
}

/// Installs packages; returns the reason when that fails.
async fn run(
    base: &Interpreter,
    packages: &Packages,
    folders: &[ModuleFolder],
    scope: &installing::Scope,
    search: Search<'_>,
    state: &HealState,
) -> Result<Option<String>, StepError> {
    let tree = search.checkout.folders.tree();
    let from = packages.lock.as_deref().unwrap_or("package.json");
    search.context.note("installing", format!("packages, from {}", join(&packages.root, from)));
    let setup = search.setup.with_interpreter(base.clone());
    let mut spec = workspace::spec(search.context.run, &search.checkout.folders, &setup);
    let untrusted = UntrustedFolder::open(&tree).map_err(|error| disk("opening the tree", &error))?;
    for modules in folders {
        let made = untrusted.create_folders(&modules.inside);
        made.map_err(|error| disk("making the folder of packages", &error))?;
        spec.mounts.push(Mount { host: modules.host.clone(), inside: tree.join(&modules.inside), writable: true });
    }
    let mut yarn_settings = None;
    let mut downloads = None;
    if state.request.install_command.is_none() {
        downloads = scope.show_downloads(&mut spec, "npm_config_cache", search)?;
        spec.environment.extend(words::environment());
        if packages.manager == PackageManager::Yarn {
            let settings = words::YarnSettings::write(&untrusted, &packages.root);
            let settings = settings.map_err(|error| disk("writing the settings of yarn", &error))?;
            spec.environment.insert("YARN_RC_FILENAME".to_owned(), settings.name().to_owned());
            yarn_settings = Some(settings);
        }
    }
    let mut workspace = search.settings.sandbox.open(spec).await.map_err(|error| sandbox_error(&error))?;
    let words = state.request.install_command.clone().unwrap_or_else(|| words::install(packages, &untrusted));
    let outcome = installing::run(&mut *workspace, &words, &packages.root, search, state).await?;
    workspace.close().await.map_err(|error| sandbox_error(&error))?;
    drop((yarn_settings, downloads));
    if outcome.end.is_success() {
        return Ok(None);
    }
    let said = format!("{}\n{}", String::from_utf8_lossy(&outcome.stderr), String::from_utf8_lossy(&outcome.stdout));
    let said: Vec<&str> = said.lines().map(str::trim).filter(|line| is_told(line)).take(3).collect();
    Ok(Some(format!("`{}` ended with {}: {}", words.join(" "), outcome.end, said.join(" / "))))
}

fn is_told(line: &str) -> bool {
    !line.is_empty() && !line.contains("npm warn") && !line.contains("A complete log of this run")
}

/// Returns what an installation depends on, for its cache key: the tools that install, the lock file when
/// there is one, and the dependencies in every manifest.
fn content(base: &Interpreter, packages: &Packages, tree: &Path, state: &HealState) -> Vec<String> {
    let text = |file: String| crate::project::read_text(tree, &file).unwrap_or_default();
    let mut parts = vec![
        format!("{:?}", base.version.map(|(major, _)| major)),
        format!("{:?} {:?}", packages.manager, packages.manager_version),
        state.request.install_command.clone().unwrap_or_default().join("\0"),
        text(join(&packages.root, ".npmrc")),
        text(join(&packages.root, ".yarnrc.yml")),
        text(join(&packages.root, ".yarnrc")),
    ];
    if let Some(lock) = &packages.lock {
        let lock = UntrustedFolder::open(tree).and_then(|tree| tree.read(join(&packages.root, lock), LONGEST_LOCK));
        parts.push(hash_of(lock.iter().map(Vec::as_slice)));
    }
    for folder in &packages.folders {
        let manifest = super::packages::json(tree, folder).unwrap_or_default();
        let asked = FIELDS
            .into_iter()
            .chain(["overrides", "resolutions", "pnpm"])
            .map(|name| manifest.get(name).map(ToString::to_string).unwrap_or_default());
        parts.push(folder.clone());
        parts.extend(asked);
    }
    parts
}
