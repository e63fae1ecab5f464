//! How a repository is tested: its commands, and the interpreter for them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use autoheal_engine::ErrorCode;
use autoheal_engine::workflow::{StepContext, StepError};

use crate::checkout::Checkout;
use crate::ci_commands::{self, TestStep};
use crate::lint;
use crate::project::{self, Project, TestFramework};
use crate::setup::{Interpreter, LintCommand, OldFindings, Setup, TestCommand, TestRunner};
use crate::state::HealState;
use crate::toolchain::{Search, Toolchain};
use crate::workflow::HealSettings;

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
        toolchain: Toolchain::Python,
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
    let search = Search { setup: &setup, project: &project, checkout, settings, context };
    setup.interpreter = setup.toolchain.find_interpreter(search, state).await?;
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
    let search = Search { setup, project: &project, checkout, settings, context };
    setup.toolchain.find_interpreter(search, state).await
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
