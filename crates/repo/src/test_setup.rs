//! Setup of a repository's tests: its commands, and the interpreter for them.

mod repeats;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use autoheal_code::LanguageId;
use autoheal_engine::ErrorCode;
use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_sandbox::SandboxKind;

use crate::checkout::{Checkout, DefaultBranch};
use crate::ci_commands::{self, LintStep, TestStep};
use crate::external_files::ExternalFiles;
use crate::language_server;
use crate::lint;
use crate::lint::tools;
use crate::project::survey::survey_in;
use crate::project::{MainLanguage, Project};
use crate::repo_config::{self, RepoConfig, RepoConfigError};
use crate::request::HealRequest;
use crate::settings::HealSettings;
use crate::setup::{Interpreter, LintCommand, OldFindings, Setup, Suite, TestCommand, Tools};
use crate::state::{HealState, ModelEnd};
use crate::step_error::forge_error;
use crate::test_runner::TestRunner;
use crate::toolchain::{OtherVersion, Search};
use crate::toolchains;

/// Finds out how the repository is tested.
pub(crate) async fn prepare(
    state: &mut HealState,
    checkout: &Checkout,
    settings: &HealSettings,
    context: &StepContext,
) -> Result<Setup, StepError> {
    let tree = checkout.folders.tree();
    let own = repo_config(state, checkout, context).await?;
    let mut project = survey_in(&tree, own.directory.as_deref());
    let language = language_of(&project)?;
    let mut green = ci_commands::green_commands(&tree, &project.directory, project.runner.as_ref());
    if let Some(words) = state.request.test_command.as_deref() {
        // A person says what green means.
        green.other_tests.clear();
        green.checks.clear();
        green.not_understood.clear();
        let named = toolchains::of(language).named_runner(words);
        let known = named.map(|(runner, arguments)| (step(runner, words, &arguments), None));
        let known = known.or_else(|| {
            let (test, builds) = ci_commands::named_command(&tree, words, NAMED)?;
            Some((test, Some(builds)))
        });
        let (test, builds) = known.unwrap_or_else(|| (step(TestRunner::OPAQUE, words, words), None));
        green.test = Some(test);
        if let Some(builds) = builds {
            green.builds = builds;
        }
    }
    if let Some(commands) = own.lint_words().map_err(|error| invalid(&error))? {
        let (linters, unknown) = ci_commands::named_linters(&tree, &commands, &project.directory, repo_config::FILE);
        green.lint = linters;
        state
            .warnings
            .extend(unknown.iter().map(|step| format!("{} names what is not run here: {step}", repo_config::FILE)));
    }
    let mut tests = green.test.ok_or_else(|| no_test_command(&project, language))?;
    // A repository may hold several languages, and its command may test another one than most of its files are in.
    let language = tests.command.runner.language.unwrap_or(language);
    let is_own = |step: &&TestStep| step.command.runner.language.is_none_or(|it| it == language);
    project.add(&tree, green.other_tests.iter().filter(is_own).map(|step| step.directory.as_str()));
    if tests.found == NAMED && !project.directory.is_empty() && own.directory.is_some() {
        tests.directory.clone_from(&project.directory);
    }
    let found = tests.found.clone();
    let mut setup = Setup {
        main_tools: Tools::of(language),
        other_tools: Vec::new(),
        roots: project.roots.clone(),
        main_suite: suite_of(tests, String::new()),
        other_suites: labelled(green.other_tests),
        at: 0,
        builds: green.builds,
        checks: green.checks,
        broken_files: BTreeSet::new(),
        not_run: green.not_understood,
        linters: green.lint.into_iter().map(|step| lint_command(step, language, &tree)).collect(),
        language_servers: Vec::new(),
        protected_tests: BTreeSet::new(),
        holding_tests: BTreeSet::new(),
        redefined: Vec::new(),
        protect: own.protect,
        old_findings: OldFindings::default(),
        external_files: ExternalFiles::default(),
    };
    context.note("analyzed", format!("tests: {} ({found})", setup.main_suite.tests.words.join(" ")));
    let search = Search { setup: &setup, project: &project, checkout, settings, context };
    setup.main_tools.interpreter = toolchains::of(language).find_interpreter(search, state).await?;
    Box::pin(add_other_tools(&mut setup, state, checkout, settings, context)).await?;
    Box::pin(repeats::add(&mut setup, &project, state, checkout, settings, context)).await?;
    lint::programs::find_programs(&mut setup, &tree);
    let (found, absent) = setup.linters.into_iter().partition(|linter| !linter.program.as_os_str().is_empty());
    setup.linters = found;
    let absent: Vec<LintCommand> = absent;
    for linter in absent {
        let told = format!("`{}` is not installed here", linter.words.join(" "));
        if linter.is_required {
            setup.not_run.push(told);
        } else {
            state.warnings.push(format!("{told}, so what it would find is not known"));
        }
    }
    if state.request.lsp {
        setup.language_servers = language_server::find(language, &setup.suite().directory, setup.interpreter(), &tree);
    }
    Ok(setup)
}

/// Finds the tools of further languages whose tests CI runs. What cannot run here is not run, and told.
async fn add_other_tools(
    setup: &mut Setup,
    state: &mut HealState,
    checkout: &Checkout,
    settings: &HealSettings,
    context: &StepContext,
) -> Result<(), StepError> {
    let own = setup.main_tools.language;
    let others: BTreeSet<LanguageId> = setup.suites().map(|suite| setup.language_of(suite)).collect();
    for language in others.into_iter().filter(|language| *language != own) {
        let suites = std::mem::take(&mut setup.other_suites);
        let (theirs, kept): (Vec<Suite>, Vec<Suite>) =
            suites.into_iter().partition(|suite| setup.language_of(suite) == language);
        setup.other_suites = kept;
        match Box::pin(other_setup(setup, language, &theirs, state, checkout, settings, context)).await {
            Ok(other) => {
                setup.other_tools.push(other.main_tools);
                setup.other_suites.extend(theirs);
                let new: Vec<String> = other.roots.into_iter().filter(|root| !setup.roots.contains(root)).collect();
                setup.roots.extend(new);
            }
            Err(StepError::Permanent { message, .. }) => {
                setup.not_run.extend(theirs.iter().map(|suite| format!("`{}`: {message}", suite.command_line())));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The setup of the suites of another language, as if they were all there is.
async fn other_setup(
    setup: &Setup,
    language: LanguageId,
    suites: &[Suite],
    state: &mut HealState,
    checkout: &Checkout,
    settings: &HealSettings,
    context: &StepContext,
) -> Result<Setup, StepError> {
    if settings.sandbox.kind() == SandboxKind::Docker {
        let message =
            "a container has the tools of one language; with --sandbox bubblewrap the tests of both run".to_owned();
        return Err(StepError::Permanent { code: ErrorCode::TestExecutionFailed, message });
    }
    let Some((first, rest)) = suites.split_first() else { return Ok(setup.clone()) };
    let (mut other, project) = setup_of(setup, language, first, rest, checkout);
    let search = Search { setup: &other, project: &project, checkout, settings, context };
    // A command of the user's installs what the main suite needs.
    let command = state.request.install_command.take();
    let interpreter = toolchains::of(language).find_interpreter(search, state).await;
    state.request.install_command = command;
    other.main_tools.interpreter = interpreter?;
    Ok(other)
}

/// The setup of some suites alone, whose interpreter is not found yet, and the project that they belong to.
fn setup_of(
    setup: &Setup,
    language: LanguageId,
    first: &Suite,
    rest: &[Suite],
    checkout: &Checkout,
) -> (Setup, Project) {
    let tree = checkout.folders.tree();
    let mut project = survey_in(&tree, Some(&first.directory));
    project.add(&tree, rest.iter().map(|suite| suite.directory.as_str()));
    let other = Setup {
        main_tools: Tools::of(language),
        other_tools: Vec::new(),
        main_suite: first.clone(),
        other_suites: rest.to_vec(),
        roots: project.roots.clone(),
        ..setup.clone()
    };
    (other, project)
}

/// Returns the command of a linter; its program is not found yet.
fn lint_command(step: LintStep, language: LanguageId, tree: &Path) -> LintCommand {
    let tool = tools::of(step.linter);
    let homes = tool.map_or(&[][..], |tool| tool.homes);
    let distribution = tool.and_then(|tool| tool.distribution);
    let requirement = distribution
        .and_then(|distribution| homes.iter().find_map(|home| toolchains::of(*home).requirement(tree, distribution)));
    LintCommand {
        linter: step.linter,
        language: homes.first().copied().unwrap_or(language),
        is_required: step.is_required,
        directory: step.directory,
        program: PathBuf::new(),
        words: step.words,
        arguments: step.arguments,
        requirement,
    }
}

/// Returns the repository's own settings, applied to the request; exceptions from protection are left out unless the settings are trusted.
async fn repo_config(
    state: &mut HealState,
    checkout: &Checkout,
    context: &StepContext,
) -> Result<RepoConfig, StepError> {
    let (Some(mut own), overruled) = settings_of(checkout, &state.request).await? else {
        return Ok(RepoConfig::default());
    };
    context.note("analyzed", format!("the repository has settings of its own: {}", repo_config::FILE));
    if !overruled.is_empty() {
        state.warnings.push(format!(
            "{} defines what green means, so it counts as it is on the default branch; what this branch says of {} is not obeyed: merge it, \
             name the command with --test-command, or obey the branch with --trust-config",
            repo_config::FILE,
            overruled.join(", ")
        ));
    }
    own.narrow(&mut state.request, &mut state.warnings).map_err(|error| invalid(&error))?;
    if own.policy.model == Some(false) {
        state.models.end = Some(ModelEnd::Unavailable);
    }
    if !state.request.trust_config {
        own.protect.except.clear();
    }
    Ok(own)
}

/// The repository's settings, and the keys that the branch sets otherwise than the default branch, which counts: unless the branch is trusted,
/// or the default branch is not known.
async fn settings_of(
    checkout: &Checkout,
    request: &HealRequest,
) -> Result<(Option<RepoConfig>, Vec<&'static str>), StepError> {
    let tree = checkout.folders.tree();
    let own = RepoConfig::read(&tree).map_err(|error| invalid(&error))?;
    let default = match checkout.default_branch().await? {
        DefaultBranch::Other(default) if !request.trust_config => default,
        DefaultBranch::Other(_) | DefaultBranch::Healed | DefaultBranch::Unknown => return Ok((own, Vec::new())),
    };
    let clone = checkout.folders.clone_folder();
    let text = checkout.git.file(&clone, &default, repo_config::FILE).await.map_err(|error| forge_error(&error))?;
    let text = text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    if own.is_none() && text.is_none() {
        return Ok((None, Vec::new()));
    }
    let default = RepoConfig::parse(&text.unwrap_or_default(), &tree).map_err(|error| StepError::Permanent {
        code: ErrorCode::InvalidInput,
        message: format!("on the default branch, whose settings count: {error}"),
    })?;
    let mut own = own.unwrap_or_default();
    let overruled = own.defined_by(default);
    Ok((Some(own), overruled))
}

fn invalid(error: &RepoConfigError) -> StepError {
    StepError::Permanent { code: ErrorCode::InvalidInput, message: error.to_string() }
}

/// The project of the main suite, by the tree at hand.
pub(crate) async fn project_of(setup: &Setup, state: &HealState, checkout: &Checkout) -> Result<Project, StepError> {
    let tree = checkout.folders.tree();
    let own = settings_of(checkout, &state.request).await?.0.unwrap_or_default();
    let mut project = survey_in(&tree, own.directory.as_deref());
    let is_main = |suite: &&Suite| setup.language_of(suite) == setup.main_tools.language;
    project.add(&tree, setup.other_suites.iter().filter(is_main).map(|suite| suite.directory.as_str()));
    Ok(project)
}

/// The interpreters for the tree as it stands, as [`Setup::interpreters`] has them: others than before when its manifests ask for more.
pub(crate) async fn interpreters_for(
    setup: &Setup,
    state: &mut HealState,
    checkout: &Checkout,
    settings: &HealSettings,
    context: &StepContext,
) -> Result<Vec<Interpreter>, StepError> {
    let of = |language: LanguageId| setup.other_suites.iter().filter(move |suite| setup.language_of(suite) == language);
    let language = setup.main_tools.language;
    let project = project_of(setup, state, checkout).await?;
    let search = Search { setup, project: &project, checkout, settings, context };
    let mut found = vec![toolchains::of(language).find_interpreter(search, state).await?];
    for tools in &setup.other_tools {
        if let Some(version) = tools.repeating_with {
            let suites = setup.suites().filter(|suite| suite.repeated_with == Some(version)).cloned().collect();
            let repeat = repeats::Repeat { language: tools.language, version, suites };
            // Where the new manifests cannot be installed, the tests say what is missing.
            found.push(match repeat.find(search, state).await? {
                OtherVersion::Here(interpreter) => interpreter,
                OtherVersion::Unusable(_) | OtherVersion::Absent => tools.interpreter.clone(),
            });
            continue;
        }
        let suites: Vec<Suite> = of(tools.language).cloned().collect();
        let other = Box::pin(other_setup(setup, tools.language, &suites, state, checkout, settings, context)).await?;
        found.push(other.main_tools.interpreter);
    }
    Ok(found)
}

fn no_test_command(project: &Project, language: LanguageId) -> StepError {
    let is_known = matches!(project.language, Some(MainLanguage::Known(_)));
    let looked_for = Some(toolchains::of(language).looked_for()).filter(|text| is_known && !text.is_empty());
    let looked_for = looked_for.map_or_else(String::new, |text| format!(": {text}"));
    let message = format!("no test framework was recognised{looked_for}; say how the tests run with --test-command");
    StepError::Permanent { code: ErrorCode::TestDiscoveryFailed, message }
}

/// The language that the tests are in.
fn language_of(project: &Project) -> Result<LanguageId, StepError> {
    let of_tests = project.runner.as_ref().and_then(|detected| detected.runner.language);
    match (of_tests, project.language) {
        (Some(language), _) | (None, Some(MainLanguage::Known(language))) => Ok(language),
        (None, Some(MainLanguage::Other(other))) => Err(StepError::Permanent {
            code: ErrorCode::TestExecutionFailed,
            message: format!(
                "{} is recognised and not supported yet: what is missing is {}",
                other.name, other.missing
            ),
        }),
        (None, None) => Ok(toolchains::ALL[0].language()),
    }
}

const NAMED: &str = "--test-command";

fn suite_of(step: TestStep, label: String) -> Suite {
    let TestStep { command: tests, directory, environment, found: _, versions: ci_versions } = step;
    Suite { directory, environment, tests, label, ci_versions, repeated_with: None }
}

/// Further suites. Each is called by its folder; where several share one, by a number, too.
fn labelled(steps: Vec<TestStep>) -> Vec<Suite> {
    let label = |(number, step): (usize, &TestStep)| match step.directory.as_str() {
        "" => format!("suite {}: ", number + 2),
        directory => format!("suite {} in {directory}: ", number + 2),
    };
    let labels: Vec<String> = steps.iter().enumerate().map(label).collect();
    steps.into_iter().zip(labels).map(|(step, label)| suite_of(step, label)).collect()
}

/// A step of a command that the user named.
fn step(runner: TestRunner, words: &[String], arguments: &[String]) -> TestStep {
    TestStep {
        command: TestCommand { runner, words: words.to_vec(), arguments: arguments.to_vec() },
        directory: String::new(),
        environment: BTreeMap::new(),
        found: NAMED.to_owned(),
        versions: BTreeSet::new(),
    }
}
