//! Which interpreter runs the tests, and installing what it lacks.
//!
//! What is already installed is used first: it is what the user's own test runs use. Only when none of it can run the tests
//! a virtual environment is made, once per manifest, by the one kind of command that has a network.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use autoheal_code::python::{distributions, probe};
use autoheal_engine::ErrorCode;
use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_sandbox::{Command, Mount, Network, Outcome, SandboxKind, Workspace};
use sha2::{Digest as _, Sha256};

use crate::checkout::Checkout;
use crate::ci_commands::{self, TestStep};
use crate::lint;
use crate::project::{self, Project, TestFramework, interpreter};
use crate::session::{disk, output_record, sandbox_error, workspace_spec};
use crate::setup::{Interpreter, LintCommand, OldFindings, Setup, TestCommand, TestRunner};
use crate::state::HealState;
use crate::tree;
use crate::workflow::HealSettings;

/// Prints the version, then those of the modules it is given that cannot be found, one a line.
const MISSING_MODULES: &str = "import importlib.util, sys\n\
    print(*sys.version_info[:2])\n\
    for name in sys.argv[1:]:\n    \
        if importlib.util.find_spec(name) is None:\n        \
            print(name)";

/// Finding out whether an interpreter works may take this long.
const CHECK_TIME: Duration = Duration::from_mins(1);

/// Written into an environment when everything is installed.
const COMPLETE: &str = "autoheal-complete";

/// Finds out how the repository is tested.
pub(crate) async fn prepare(
    state: &mut HealState,
    checkout: &Checkout,
    settings: &HealSettings,
    context: &StepContext,
) -> Result<Setup, StepError> {
    let tree = checkout.folders.tree();
    let project = project::survey(&tree);
    refuse_what_is_not_supported(&project)?;
    let green = ci_commands::green_commands(&tree, &project.directory, project.framework.as_ref());
    for step in &green.not_understood {
        state.warnings.push(format!("CI also runs what is not run here: {step}"));
    }
    let tests =
        state.request.test_command.as_deref().map(named_by_the_user).or(green.test).ok_or_else(no_test_command)?;
    let mut setup = Setup {
        roots: project.roots.clone(),
        directory: tests.directory,
        environment: tests.environment,
        interpreter: Interpreter { program: PathBuf::new(), folders: Vec::new(), version: None, found: String::new() },
        tests: tests.command,
        linters: Vec::new(),
        judges: BTreeSet::new(),
        old_findings: OldFindings::default(),
    };
    context.note("analyzed", format!("tests: {} ({})", setup.tests.words.join(" "), tests.found));
    setup.interpreter = find_interpreter(state, &setup, &project, checkout, settings, context).await?;
    for step in green.lint {
        match lint::locate(step.linter, &setup.interpreter) {
            Some(program) => setup.linters.push(LintCommand {
                linter: step.linter,
                is_required: step.is_required,
                directory: step.directory,
                program,
                words: step.words,
                arguments: step.arguments,
            }),
            None => state.warnings.push(format!(
                "`{}` ({}) is not installed here: what it would find is not known",
                step.words.join(" "),
                step.found
            )),
        }
    }
    Ok(setup)
}

/// The interpreter for the tree as it stands: another one than before when its manifests ask for more.
pub(crate) async fn interpreter_for(
    setup: &Setup,
    state: &mut HealState,
    checkout: &Checkout,
    settings: &HealSettings,
    context: &StepContext,
) -> Result<Interpreter, StepError> {
    let project = project::survey(&checkout.folders.tree());
    find_interpreter(state, setup, &project, checkout, settings, context).await
}

fn no_test_command() -> StepError {
    StepError::Permanent {
        code: ErrorCode::TestDiscoveryFailed,
        message: "no test framework was recognised; say how the tests run with --test-command".to_owned(),
    }
}

fn refuse_what_is_not_supported(project: &Project) -> Result<(), StepError> {
    let framework = project.framework.as_ref().map(|detected| detected.framework);
    let reason = match (project.language, framework) {
        (_, Some(TestFramework::Jest | TestFramework::Mocha)) | (Some(project::Language::JavaScript), None) => {
            "JavaScript repositories are not healed yet: only Python's pytest and unittest are"
        }
        (Some(project::Language::Java), _) => {
            "Java repositories are not healed yet: no Java test framework is known here"
        }
        (Some(project::Language::Python) | None, _) | (_, Some(TestFramework::Pytest | TestFramework::Unittest)) => {
            return Ok(());
        }
    };
    Err(StepError::Permanent { code: ErrorCode::TestExecutionFailed, message: reason.to_owned() })
}

/// An interpreter and what it lacks of what the tests need.
struct Fitting {
    interpreter: Interpreter,
    missing: Vec<String>,
}

async fn find_interpreter(
    state: &mut HealState,
    setup: &Setup,
    project: &Project,
    checkout: &Checkout,
    settings: &HealSettings,
    context: &StepContext,
) -> Result<Interpreter, StepError> {
    checkout.folders.prepare().map_err(|error| disk("preparing the run's folder", &error))?;
    let needed = needed_modules(setup, project, checkout);
    let mut best: Option<Fitting> = None;
    if state.request.install_command.is_none() {
        for interpreter in candidates(project, checkout, settings) {
            let mut candidate = Setup { interpreter, ..setup.clone() };
            let Some(answer) = ask(&candidate, &needed, state, checkout, settings, context).await? else { continue };
            candidate.interpreter.version = answer.version;
            let missing = answer.missing;
            if missing.is_empty() {
                return Ok(candidate.interpreter);
            }
            if best.as_ref().is_none_or(|best| missing.len() < best.missing.len()) {
                best = Some(Fitting { interpreter: candidate.interpreter, missing });
            }
        }
    } else {
        let first = candidates(project, checkout, settings).into_iter().next();
        best = first.map(|interpreter| Fitting { interpreter, missing: Vec::new() });
    }
    let Some(best) = best else {
        return Err(StepError::Permanent {
            code: ErrorCode::TestExecutionFailed,
            message: "no Python was found that runs in the sandbox; install python3, or activate a virtual environment"
                .to_owned(),
        });
    };
    match install(&best.interpreter, setup, project, state, checkout, settings, context).await? {
        Ok(installed) => Ok(installed),
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
            code: ErrorCode::TestExecutionFailed,
            message: format!(
                "no Python here has {}, and installing failed: {reason}; install it yourself, or say how with \
                 --install-command",
                best.missing.join(", ")
            ),
        }),
    }
}

fn candidates(project: &Project, checkout: &Checkout, settings: &HealSettings) -> Vec<Interpreter> {
    let around = interpreter::Surroundings::of_this_process();
    let tree = checkout.folders.tree();
    let mut found = interpreter::candidates(checkout.address.path(), &tree, &project.directory, &around);
    if settings.sandbox.kind() == SandboxKind::Docker {
        let program = PathBuf::from("/usr/local/bin/python3");
        found.push(Interpreter {
            program,
            folders: Vec::new(),
            version: None,
            found: "python3 of the image".to_owned(),
        });
    }
    found
}

/// The modules without which the tests cannot run: the runner, and the declared requirements that some file imports.
fn needed_modules(setup: &Setup, project: &Project, checkout: &Checkout) -> BTreeSet<String> {
    let sources = tree::read(&checkout.folders.tree(), &setup.roots);
    let imported: BTreeSet<String> = probe::modules_of_interest(&sources, &[])
        .into_iter()
        .filter_map(|module| module.split('.').next().map(str::to_owned))
        .collect();
    let declared = project.dependencies.requirements.iter().map(|requirement| distributions::module_of(requirement));
    let mut needed: BTreeSet<String> = declared.filter(|name| imported.contains(name)).collect();
    if setup.tests.runner == TestRunner::Pytest {
        needed.insert("pytest".to_owned());
    }
    needed
}

/// What an interpreter says of itself.
struct Answer {
    version: Option<(u8, u8)>,
    missing: Vec<String>,
}

/// Which of `modules` the interpreter of `setup` lacks; `None`: it does not run at all.
async fn ask(
    setup: &Setup,
    modules: &BTreeSet<String>,
    state: &HealState,
    checkout: &Checkout,
    settings: &HealSettings,
    context: &StepContext,
) -> Result<Option<Answer>, StepError> {
    let spec = workspace_spec(context.run, &checkout.folders, setup);
    let mut workspace = settings.sandbox.open(spec).await.map_err(|error| sandbox_error(&error))?;
    let program = setup.interpreter.program.display().to_string();
    let words = [program, "-c".to_owned(), MISSING_MODULES.to_owned()].into_iter().chain(modules.iter().cloned());
    let command = Command {
        directory: checkout.folders.tree().join(&setup.directory),
        limits: state.request.limits.within(CHECK_TIME),
        ..Command::new(words)
    };
    let outcome = workspace.run(&command).await.map_err(|error| sandbox_error(&error))?;
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
    setup: &Setup,
    project: &Project,
    state: &HealState,
    checkout: &Checkout,
    settings: &HealSettings,
    context: &StepContext,
) -> Result<Result<Interpreter, String>, StepError> {
    let key = cache_key(base, setup, project, state);
    let environment = settings.data_dir.join("environments").join(key);
    let installed = Interpreter {
        program: environment.join("bin/python3"),
        folders: base.folders.iter().cloned().chain([environment.clone()]).collect(),
        version: base.version,
        found: "installed for this repository".to_owned(),
    };
    if environment.join(COMPLETE).is_file() {
        return Ok(Ok(installed));
    }
    context.note("installing", format!("dependencies, from {}", project.dependencies.found.join(", ")));
    recreate(&environment).map_err(|error| disk("making the folder of an environment", &error))?;
    let mut spec =
        workspace_spec(context.run, &checkout.folders, &Setup { interpreter: base.clone(), ..setup.clone() });
    spec.mounts.push(Mount { host: environment.clone(), inside: environment.clone(), writable: true });
    spec.environment.insert("PATH".to_owned(), format!("{}/bin:/usr/local/bin:/usr/bin:/bin", environment.display()));
    spec.environment.insert("VIRTUAL_ENV".to_owned(), environment.display().to_string());
    spec.environment.remove("PYTHONPATH");
    let mut workspace = settings.sandbox.open(spec).await.map_err(|error| sandbox_error(&error))?;
    let mut failure = None;
    for words in install_commands(base, &environment, setup, project, state) {
        let outcome = run(&mut *workspace, &words, setup, state, checkout, settings, context).await?;
        if !outcome.end.is_success() {
            failure = Some(format!("`{}` ended with {}", words.join(" "), outcome.end));
            break;
        }
    }
    workspace.close().await.map_err(|error| sandbox_error(&error))?;
    if let Some(reason) = failure {
        return Ok(Err(reason));
    }
    fs::write(environment.join(COMPLETE), "").map_err(|error| disk("completing an environment", &error))?;
    Ok(Ok(installed))
}

fn install_commands(
    base: &Interpreter,
    environment: &Path,
    setup: &Setup,
    project: &Project,
    state: &HealState,
) -> Vec<Vec<String>> {
    let python = environment.join("bin/python3").display().to_string();
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
    let pip = words(&[&python, "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]);
    let base = base.program.display().to_string();
    let mut commands = vec![words(&[&base, "-m", "venv", &environment.display().to_string()])];
    if let Some(command) = &state.request.install_command {
        commands.push(command.clone());
        return commands;
    }
    let runner = (setup.tests.runner == TestRunner::Pytest).then(|| "pytest".to_owned());
    let others = project.dependencies.pip_words().unwrap_or_default();
    let first: Vec<String> = others.into_iter().chain(runner).collect();
    if !first.is_empty() {
        commands.push(pip.iter().cloned().chain(first).collect());
    }
    commands.extend(project.dependencies.project_word().map(|word| pip.iter().cloned().chain([word]).collect()));
    commands
}

async fn run(
    workspace: &mut dyn Workspace,
    words: &[String],
    setup: &Setup,
    state: &HealState,
    checkout: &Checkout,
    settings: &HealSettings,
    context: &StepContext,
) -> Result<Outcome, StepError> {
    context.progress(words.join(" "));
    let command = Command {
        directory: checkout.folders.tree().join(&setup.directory),
        limits: state.request.limits.within(Duration::from_secs(state.request.limits.install_seconds)),
        network: Network::Registries(settings.registries.clone()),
        ..Command::new(words.to_vec())
    };
    let outcome = workspace.run(&command).await.map_err(|error| sandbox_error(&error))?;
    context.record(output_record(context, words, &outcome));
    Ok(outcome)
}

/// Equal keys need no new installation.
fn cache_key(base: &Interpreter, setup: &Setup, project: &Project, state: &HealState) -> String {
    let mut hasher = Sha256::new();
    let parts = [
        project.manifest_hash.clone(),
        base.program.display().to_string(),
        format!("{:?}", setup.tests.runner),
        state.request.install_command.clone().unwrap_or_default().join("\0"),
    ];
    for part in parts {
        hasher.update(part.as_bytes());
        hasher.update([0]);
    }
    crate::tree::hexadecimal(&hasher.finalize())
}

fn recreate(folder: &Path) -> std::io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    fs::create_dir_all(folder)
}

/// A command that the user named: a known runner when its words say so, else opaque.
fn named_by_the_user(words: &[String]) -> TestStep {
    let plain: Vec<&str> = words.iter().map(String::as_str).collect();
    let (runner, skip) = match plain.as_slice() {
        ["pytest" | "py.test", ..] => (TestRunner::Pytest, 1),
        ["python" | "python3", "-m", "pytest", ..] => (TestRunner::Pytest, 3),
        ["python" | "python3", "-m", "unittest", ..] => (TestRunner::Unittest, 3),
        _ => (TestRunner::Opaque, 0),
    };
    let arguments = words.get(skip..).unwrap_or_default().to_vec();
    TestStep {
        command: TestCommand { runner, words: words.to_vec(), arguments },
        directory: String::new(),
        environment: BTreeMap::new(),
        found: "--test-command".to_owned(),
    }
}
