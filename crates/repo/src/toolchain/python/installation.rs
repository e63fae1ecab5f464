//! Choice of the Python that runs the tests, and installation of what it lacks.
//!
//! An existing installation is used first: the user's own test runs use it, too. Only when none of them can
//! run the tests, a virtual environment is made, once per manifest, by the one kind of command that has a
//! network.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use autoheal_code::python::{distributions, probe};
use autoheal_engine::ErrorCode;
use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_sandbox::untrusted::UntrustedFolder;
use autoheal_sandbox::{Command, Mount, SandboxKind, Workspace};

use super::dependencies::Dependencies;
use super::runners::PYTEST;
use super::{interpreter, linters};
use crate::caches::{Begun, InUse, Room};
use crate::checkout::Checkout;
use crate::project::Project;
use crate::repo_config::Version;
use crate::settings::HealSettings;
use crate::setup::{InstalledEnvironment, Interpreter, Setup};
use crate::state::HealState;
use crate::step_error::{disk, ran, sandbox_error};
use crate::toolchain::{OtherVersion, Search, installing};
use crate::tree;
use crate::workspace;

/// Script that prints the version, then those of its arguments that are missing, one per line. An argument is a module, or
/// `name==version` for a distribution of exactly that version.
const MISSING_MODULES: &str = "import importlib.util, sys\n\
    print(*sys.version_info[:2])\n\
    def has(name):\n    \
        distribution, pinned, version = name.partition('==')\n    \
        if not pinned:\n        \
            return importlib.util.find_spec(name) is not None\n    \
        from importlib import metadata\n    \
        try:\n        \
            return metadata.version(distribution) == version\n    \
        except metadata.PackageNotFoundError:\n        \
            return False\n\
    for name in sys.argv[1:]:\n    \
        if not has(name):\n        \
            print(name)";

/// Finding out whether an interpreter works may take this long.
const CHECK_TIME: Duration = Duration::from_mins(1);

/// An interpreter and what it lacks of what the tests need.
struct Fitting {
    interpreter: Interpreter,
    missing: Vec<String>,
    /// Nothing has to be installed.
    is_complete: bool,
}

/// The versions that are here, where no Python can be used.
type Others = Vec<(u8, u8)>;

pub(crate) async fn find_interpreter(search: Search<'_>, state: &mut HealState) -> Result<Interpreter, StepError> {
    let wanted = state.request.overrides.python;
    let dependencies = Dependencies::of(&search.checkout.folders.tree(), search.project);
    let best = fitting(search, &dependencies, state, wanted).await?.map_err(|others| {
        let message = match wanted {
            Some(wanted) => installing::not_here("Python", wanted, &others),
            None => "no Python was found that runs in the sandbox; install python3, or activate a virtual environment"
                .to_owned(),
        };
        StepError::Permanent { code: ErrorCode::TestExecutionFailed, message }
    })?;
    if best.is_complete {
        return Ok(best.interpreter);
    }
    match install(&best.interpreter, search, &dependencies, state).await? {
        Ok(installed) => {
            if !dependencies.for_conda.is_empty() {
                let names = dependencies.for_conda.join(", ");
                state.warnings.push(format!(
                    "not installed: {names}; an environment of conda names them, and conda does not run here: if the tests need them, name \
                     the command that installs them with --install-command"
                ));
            }
            Ok(installed)
        }
        // The tests may get far without it; what they say then is the better error.
        Err(reason) if !best.missing.iter().any(|module| module == "pytest") => {
            state.warnings.push(format!(
                "{} lacks {}, and installing failed: {reason}",
                best.interpreter.found,
                best.missing.join(", ")
            ));
            Ok(best.interpreter)
        }
        Err(reason) => Err(StepError::Permanent {
            code: installing::failure(search.settings.sandbox.kind()),
            message: format!(
                "no Python here has {}, and installing failed: {reason}; install it yourself, or say how with \
                 --install-command",
                best.missing.join(", ")
            ),
        }),
    }
}

/// The same with a Python of this version.
pub(crate) async fn find_version(
    search: Search<'_>,
    state: &HealState,
    version: Version,
) -> Result<OtherVersion, StepError> {
    if search.settings.sandbox.kind() == SandboxKind::Docker {
        return Ok(OtherVersion::Absent);
    }
    let dependencies = Dependencies::of(&search.checkout.folders.tree(), search.project);
    let Ok(best) = fitting(search, &dependencies, state, Some(version)).await? else { return Ok(OtherVersion::Absent) };
    if best.is_complete {
        return Ok(OtherVersion::Here(best.interpreter));
    }
    let installed = install(&best.interpreter, search, &dependencies, state).await?;
    Ok(installed.map_or_else(OtherVersion::Unusable, OtherVersion::Here))
}

/// The Python of this version that lacks the least.
async fn fitting(
    search: Search<'_>,
    dependencies: &Dependencies,
    state: &HealState,
    wanted: Option<Version>,
) -> Result<Result<Fitting, Others>, StepError> {
    let Search { setup, project, checkout, settings, context } = search;
    workspace::prepare(&checkout.folders)?;
    let needed = needed_modules(setup, dependencies, checkout);
    // With a command that installs, what is missing does not count.
    let (needed, is_installed) = match state.request.install_command {
        Some(_) => (BTreeSet::new(), false),
        None => (needed, true),
    };
    let mut best: Option<Fitting> = None;
    let mut others = Vec::new();
    for interpreter in candidates(project, checkout, settings, wanted) {
        let mut candidate = setup.with_interpreter(interpreter);
        let (pinned, absent): (BTreeSet<String>, BTreeSet<String>) = match state.request.install_command {
            Some(_) => (BTreeSet::new(), BTreeSet::new()),
            None => linters::requirements(setup, candidate.interpreter())
                .partition(|requirement| requirement.contains("==")),
        };
        let needed = needed.iter().cloned().chain(pinned).collect();
        let Some(answer) = ask(&candidate, &needed, state, checkout, settings, context).await? else { continue };
        candidate.main_tools.interpreter.version = answer.version;
        if let Some(wanted) = wanted
            && !answer.version.is_some_and(|version| wanted.fits(version))
        {
            others.extend(answer.version);
            continue;
        }
        let missing: Vec<String> = answer.missing.into_iter().chain(absent).collect();
        let is_complete = missing.is_empty() && is_installed;
        if is_complete || best.as_ref().is_none_or(|best| missing.len() < best.missing.len()) {
            best = Some(Fitting { interpreter: candidate.main_tools.interpreter, missing, is_complete });
        }
        if is_complete || !is_installed {
            break;
        }
    }
    Ok(best.ok_or(others))
}

fn candidates(
    project: &Project,
    checkout: &Checkout,
    settings: &HealSettings,
    wanted: Option<Version>,
) -> Vec<Interpreter> {
    let around = interpreter::Surroundings::of_this_process(wanted);
    let tree = checkout.folders.tree();
    let mut found = interpreter::candidates(checkout.address.path(), &tree, &project.directory, &around);
    if settings.sandbox.kind() == SandboxKind::Docker {
        // Where images have it, whatever this machine has: Python's own, and those of distributions.
        found.extend(["/usr/local/bin/python3", "/usr/bin/python3"].map(|program| Interpreter {
            program: PathBuf::from(program),
            found: "python3 of the image".to_owned(),
            ..Interpreter::default()
        }));
    }
    found
}

/// The modules without which the tests cannot run: the runner with its plugins, and the declared requirements that some file imports.
fn needed_modules(setup: &Setup, dependencies: &Dependencies, checkout: &Checkout) -> BTreeSet<String> {
    let sources = tree::read(&checkout.folders.tree(), setup);
    let imported: BTreeSet<String> = probe::modules_of_interest(&sources, &[])
        .into_iter()
        .filter_map(|module| module.split('.').next().map(str::to_owned))
        .collect();
    let declared = dependencies.requirements.iter().chain(&dependencies.stated_in_files);
    let declared = declared.map(|requirement| distributions::module_of(requirement));
    let is_plugin = |name: &str| name.starts_with("pytest_") && has_pytest(setup);
    let mut needed: BTreeSet<String> = declared.filter(|name| imported.contains(name) || is_plugin(name)).collect();
    if has_pytest(setup) {
        needed.insert("pytest".to_owned());
    }
    needed
}

pub(super) fn has_pytest(setup: &Setup) -> bool {
    setup.suites().any(|suite| suite.tests.runner == PYTEST)
}

/// Version of an interpreter, and the modules that it lacks.
struct Answer {
    version: Option<(u8, u8)>,
    missing: Vec<String>,
}

/// Asks the interpreter of `setup` for its version and which of `modules` it lacks; `None`: it does not run
/// at all.
async fn ask(
    setup: &Setup,
    modules: &BTreeSet<String>,
    state: &HealState,
    checkout: &Checkout,
    settings: &HealSettings,
    context: &StepContext,
) -> Result<Option<Answer>, StepError> {
    let spec = workspace::spec(context.run, &checkout.folders, setup);
    let mut workspace = settings.sandbox.open(spec).await.map_err(|error| sandbox_error(&error))?;
    let program = setup.interpreter().program.display().to_string();
    let words = [program, "-c".to_owned(), MISSING_MODULES.to_owned()].into_iter().chain(modules.iter().cloned());
    let command = Command {
        directory: checkout.folders.tree().join(&setup.suite().directory),
        limits: state.request.limits.within(CHECK_TIME),
        ..Command::new(words)
    };
    let outcome = ran(workspace.run(&command).await)?;
    workspace.close().await.map_err(|error| sandbox_error(&error))?;
    let stdout = String::from_utf8_lossy(&outcome.stdout);
    let mut lines = stdout.lines();
    let version = lines.next().and_then(|line| {
        let (major, minor) = line.split_once(' ')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    });
    let answer = Answer { version, missing: lines.map(str::to_owned).collect() };
    Ok(outcome.end.is_success().then_some(answer))
}

/// Makes a virtual environment on top of `base` with everything the manifests ask for; the reason when that fails.
async fn install(
    base: &Interpreter,
    search: Search<'_>,
    dependencies: &Dependencies,
    state: &HealState,
) -> Result<Result<Interpreter, String>, StepError> {
    let Search { setup, context, .. } = search;
    let scope = installing::Scope::of(search, state).await?;
    let content = content(base, search, dependencies, state);
    let runs_code = state.request.install_command.is_some() || dependencies.run_code;
    let since = Some(installing::resolved_since(search, state));
    let installing = match scope.cache(search, Room::Environments, content, runs_code).begin(since, context).await? {
        Begun::Complete(environment) => return Ok(Ok(installed_in(base, environment))),
        Begun::Empty(installing) => installing,
    };
    let environment = installing.folder();
    let found = &dependencies.found;
    let what = if found.is_empty() {
        "what runs the tests".to_owned()
    } else {
        format!("dependencies, from {}", found.join(", "))
    };
    context.note("installing", what);
    let (mut workspace, _downloads) = open(base, &environment, &scope, search).await?;
    let hold = LockedEnvironment::hold(dependencies, &environment, state)?;
    let words = hold.iter().flat_map(LockedEnvironment::words).collect::<Vec<String>>();
    let commands = install_commands(base, &environment, setup, dependencies, &words, state);
    let mut failure = run_all(&mut *workspace, commands, &environment, search, state).await?;
    if let (Some(hold), Some(reason)) = (hold, &failure) {
        context
            .note("warning", format!("{} cannot be installed here, so the newest versions are: {reason}", hold.file));
        hold.release()?;
        let commands = install_commands(base, &environment, setup, dependencies, &[], state);
        failure = run_all(&mut *workspace, commands, &environment, search, state).await?;
    }
    // Without its linters an environment is still one that runs the tests; what is absent is told.
    if failure.is_none()
        && let Some(words) = tools_command(base, &environment, setup, state)
    {
        installing::run(&mut *workspace, &words, &setup.suite().directory, search, state).await?;
    }
    workspace.close().await.map_err(|error| sandbox_error(&error))?;
    if let Some(reason) = failure {
        return Ok(Err(reason));
    }
    Ok(Ok(installed_in(base, installing::complete(installing, search).await?)))
}

/// Opens the sandbox in which an environment is made. The guard that is returned with it keeps the downloads.
pub(super) async fn open(
    base: &Interpreter,
    environment: &Path,
    scope: &installing::Scope,
    search: Search<'_>,
) -> Result<(Box<dyn Workspace>, Option<InUse>), StepError> {
    let Search { setup, checkout, settings, context, .. } = search;
    let mut spec = workspace::spec(context.run, &checkout.folders, &setup.with_interpreter(base.clone()));
    spec.mounts.push(Mount { host: environment.to_owned(), inside: environment.to_owned(), writable: true });
    spec.environment.insert("PATH".to_owned(), format!("{}/bin:/usr/local/bin:/usr/bin:/bin", environment.display()));
    spec.environment.insert("VIRTUAL_ENV".to_owned(), environment.display().to_string());
    spec.environment.remove("PYTHONPATH");
    let downloads = scope.show_downloads(&mut spec, "PIP_CACHE_DIR", search)?;
    Ok((settings.sandbox.open(spec).await.map_err(|error| sandbox_error(&error))?, downloads))
}

/// Runs the commands of an installation up to the first that fails; returns the reason then.
pub(super) async fn run_all(
    workspace: &mut dyn Workspace,
    commands: Vec<Vec<String>>,
    environment: &Path,
    search: Search<'_>,
    state: &HealState,
) -> Result<Option<String>, StepError> {
    for words in commands {
        let outcome = installing::run(workspace, &words, &search.setup.suite().directory, search, state).await?;
        if !outcome.end.is_success() {
            let shown = words.join(" ").replace(&format!("{}/bin/", environment.display()), "");
            return Ok(Some(format!("`{shown}` ended with {}", outcome.end)));
        }
    }
    Ok(None)
}

fn installed_in(base: &Interpreter, environment: PathBuf) -> Interpreter {
    Interpreter {
        program: environment.join("bin/python3"),
        folders: base.folders.iter().cloned().chain([environment.clone()]).collect(),
        links: base.links.clone(),
        installed: Some(InstalledEnvironment { folder: environment, base: base.program.clone() }),
        version: base.version,
        modules: Vec::new(),
        found: "installed for this repository".to_owned(),
    }
}

/// An environment that is installed in the versions of a lock file. Those are in a file of the environment, which shows later that it is one.
struct LockedEnvironment<'a> {
    /// Name of the lock file.
    file: &'a str,
    environment: &'a Path,
}

/// Name of the file with the versions, in the environment.
const VERSIONS: &str = "locked-versions.txt";

impl<'a> LockedEnvironment<'a> {
    /// Writes the versions; `None`: no lock file counts.
    fn hold(
        dependencies: &'a Dependencies,
        environment: &'a Path,
        state: &HealState,
    ) -> Result<Option<Self>, StepError> {
        let Some(locked) = dependencies.locked.as_ref().filter(|_| state.request.install_command.is_none()) else {
            return Ok(None);
        };
        let text = locked.constraints.join("\n") + "\n";
        let written = UntrustedFolder::open(environment).and_then(|folder| folder.write(VERSIONS, text.as_bytes()));
        written.map_err(|error| disk("writing the locked versions", &error))?;
        Ok(Some(Self { file: locked.file, environment }))
    }

    /// The options of pip that hold the versions.
    fn words(&self) -> [String; 2] {
        ["--constraint".to_owned(), self.environment.join(VERSIONS).display().to_string()]
    }

    /// Holds the versions no longer.
    fn release(self) -> Result<(), StepError> {
        let removed = UntrustedFolder::open(self.environment).and_then(|folder| folder.remove_file(VERSIONS));
        removed.map_err(|error| disk("removing the locked versions", &error))
    }
}

/// Returns whether an environment was installed in the versions of a lock file.
pub(super) fn is_locked(environment: &Path) -> bool {
    UntrustedFolder::open(environment).is_ok_and(|folder| folder.file(VERSIONS).is_ok())
}

/// `options`: of every install by pip.
fn install_commands(
    base: &Interpreter,
    environment: &Path,
    setup: &Setup,
    dependencies: &Dependencies,
    options: &[String],
    state: &HealState,
) -> Vec<Vec<String>> {
    let base = base.program.display().to_string();
    let mut commands = vec![vec![base, "-m".to_owned(), "venv".to_owned(), environment.display().to_string()]];
    if let Some(command) = &state.request.install_command {
        commands.push(command.clone());
        return commands;
    }
    let runner = has_pytest(setup).then(|| "pytest".to_owned());
    let others = dependencies.pip_words().unwrap_or_default();
    let first: Vec<String> = others.into_iter().chain(runner).collect();
    let pip_install = |words: Vec<String>| pip_install(environment, options.iter().cloned().chain(words));
    if !first.is_empty() {
        commands.push(pip_install(first));
    }
    commands.extend(dependencies.project_word().map(|word| pip_install(vec![word])));
    commands
}

/// The command that installs `what` into an environment.
pub(super) fn pip_install(environment: &Path, what: impl IntoIterator<Item = String>) -> Vec<String> {
    let python = environment.join("bin/python3").display().to_string();
    let pip = [&python, "-m", "pip", "install", "--disable-pip-version-check", "--no-input"].map(str::to_owned);
    pip.into_iter().chain(what).collect()
}

/// Returns the command that installs the linters that CI runs and the base lacks; `None`: it lacks no linter.
fn tools_command(base: &Interpreter, environment: &Path, setup: &Setup, state: &HealState) -> Option<Vec<String>> {
    let tools: BTreeSet<String> = linters::requirements(setup, base).collect();
    if tools.is_empty() || state.request.install_command.is_some() {
        return None;
    }
    Some(pip_install(environment, tools))
}

/// Returns what an installation depends on, for its cache key.
pub(super) fn content(
    base: &Interpreter,
    search: Search<'_>,
    dependencies: &Dependencies,
    state: &HealState,
) -> Vec<String> {
    vec![
        dependencies.pip_words().unwrap_or_default().join("\0"),
        dependencies.project_word().unwrap_or_default(),
        search.project.manifest_hash.clone(),
        base.program.display().to_string(),
        format!("{:?}", has_pytest(search.setup)),
        linters::requirements(search.setup, base).collect::<Vec<_>>().join("\0"),
        state.request.install_command.clone().unwrap_or_default().join("\0"),
        search.settings.registries.indexes().join("\0"),
    ]
}
