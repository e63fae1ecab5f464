//! Python: pytest and unittest, pip in a virtual environment.
//!
//! # Layout
//!
//! - `framework`: the test runner of a project; `roots`: the folders that its import path begins at
//! - `commands`: commands of CI; `pytest_arguments`: those of its arguments that matter
//! - `interpreter`, `dependencies`, `ci_installs`, `locked`, `installation`: the Python that runs the tests, and what it needs; `bounds`: older
//!   releases of that, `complaints`: evidence against it
//! - `suite`, `varied`: running the tests, as they are and under other conditions
//! - `programs`: what runs in the sandbox
//! - `linters`, `linter_versions`, `language_servers`: other tools

mod bounds;
mod ci_installs;
mod commands;
mod complaints;
pub mod dependencies;
mod framework;
mod installation;
pub mod interpreter;
mod language_servers;
mod linter_versions;
mod linters;
mod locked;
mod programs;
mod pytest_arguments;
mod requirement;
mod roots;
mod runners;
mod suite;
mod varied;

use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use autoheal_code::python::{self, probe, report::compile};
use autoheal_code::report::{TestCase, TestReport};
use autoheal_code::{LanguageId, Sources};
use autoheal_engine::diagnostics::Finding;
use autoheal_engine::workflow::StepError;
use autoheal_sandbox::{Image, Mount, Outcome};

use super::package_manager::PackageManager;
use super::{OtherVersion, Place, SchemataResult, Search, Survey, Toolchain};
use crate::ci_commands::context::Context;
use crate::ci_commands::meaning::{Meaning, Prefixes};
use crate::flaky::conditions::Conditions;
use crate::folders::Folders;
use crate::host_programs;
use crate::language_server::server::Server;
use crate::lint::tool::Tool;
use crate::project::Detected;
use crate::repo_config::Version;
use crate::setup::{Interpreter, Setup};
use crate::state::HealState;
use crate::test_runner::TestRunner;
use crate::test_scope::Scope;

pub use runners::{PYTEST, UNITTEST};

/// The tools of Python.
pub(crate) struct Python;

#[async_trait]
impl Toolchain for Python {
    fn language(&self) -> LanguageId {
        python::ID
    }

    fn name(&self) -> &'static str {
        "Python"
    }

    fn image(&self) -> Image {
        Image::PYTHON
    }

    fn programs(&self) -> &'static [(&'static str, &'static str)] {
        programs::ALL
    }

    fn configured_runner(&self, survey: &Survey<'_>) -> Option<Detected> {
        framework::configured(survey)
    }

    fn detected_runner(&self, survey: &Survey<'_>) -> Option<Detected> {
        framework::detected(survey)
    }

    fn own_script(&self, _survey: &Survey<'_>) -> Option<(&'static str, &'static str)> {
        None
    }

    fn default_arguments(&self, runner: TestRunner, survey: &Survey<'_>) -> Vec<String> {
        framework::default_arguments(runner, survey)
    }

    fn leaves_testing_to_packages(&self, _tree: &Path) -> bool {
        false
    }

    fn roots(&self, survey: &Survey<'_>) -> Vec<String> {
        roots::of(survey)
    }

    fn finds_tests_by_name(&self) -> bool {
        true
    }

    fn looked_for(&self) -> &'static str {
        ""
    }

    fn runners(&self) -> &'static [TestRunner] {
        runners::ALL
    }

    fn linters(&self) -> &'static [Tool] {
        &linters::TOOLS
    }

    fn language_servers(&self) -> &'static [Server] {
        &language_servers::KNOWN
    }

    fn setup_actions(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("actions/setup-python", "python-version"),
            ("astral-sh/setup-uv", "python-version"),
            ("conda-incubator/setup-miniconda", "python-version"),
        ]
    }

    fn prefixes(&self) -> &'static Prefixes {
        &commands::PREFIXES
    }

    fn checks(&self) -> &'static [&'static str] {
        commands::CHECKS
    }

    fn inner_command(&self, words: &[String]) -> Option<Vec<String>> {
        commands::inner_command(words)
    }

    fn meaning(&self, words: &[String], whole: &[String], context: &Context<'_>) -> Option<Vec<Meaning>> {
        commands::meaning(words, whole, context)
    }

    fn named_runner(&self, words: &[String]) -> Option<(TestRunner, Vec<String>)> {
        commands::named_runner(words)
    }

    fn configured_linters(&self, survey: &Survey<'_>) -> Vec<(&'static [&'static str], &'static str)> {
        linters::configured(survey)
    }

    fn environment(&self, folders: &Folders, setup: &Setup) -> Vec<(String, String)> {
        environment(folders, setup)
    }

    fn mounts(&self, _folders: &Folders, _interpreter: &Interpreter) -> Vec<Mount> {
        Vec::new()
    }

    async fn find_interpreter(&self, search: Search<'_>, state: &mut HealState) -> Result<Interpreter, StepError> {
        installation::find_interpreter(search, state).await
    }

    async fn find_version(
        &self,
        search: Search<'_>,
        state: &HealState,
        version: Version,
    ) -> Result<OtherVersion, StepError> {
        installation::find_version(search, state, version).await
    }

    fn has_versions(&self) -> bool {
        true
    }

    fn package_manager(&self) -> Option<&'static dyn PackageManager> {
        Some(&bounds::Pip)
    }

    fn requirement(&self, tree: &Path, distribution: &str) -> Option<String> {
        Some(linter_versions::requirement(tree, distribution))
    }

    fn program(&self, name: &str, _directory: &str, interpreter: &Interpreter, _tree: &Path) -> Option<PathBuf> {
        program(name, interpreter)
    }

    fn test_words(&self, place: &Place<'_>, scope: &Scope) -> Vec<String> {
        suite::words(place, scope)
    }

    fn detail_options(&self, runner: TestRunner) -> &'static [&'static str] {
        if runner == runners::PYTEST { &["-vv"] } else { &[] }
    }

    fn varied_words(&self, place: &Place<'_>, scope: &Scope, conditions: &Conditions) -> Vec<String> {
        varied::words(place, scope, conditions)
    }

    fn varied_environment(&self, place: &Place<'_>, conditions: &Conditions) -> Vec<(String, String)> {
        varied::environment(place, conditions)
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn has_hash_seed(&self) -> bool {
        true
    }

    fn own_command(&self, place: &Place<'_>, selectors: &[String]) -> String {
        varied::own_command(place, selectors)
    }

    fn warm_words(&self, place: &Place<'_>) -> Option<Vec<String>> {
        suite::warm_words(place)
    }

    fn schemata_words(&self, _: &Place<'_>, _: &[String], _: &[usize], _: Duration) -> Option<Vec<String>> {
        None
    }

    fn schemata_result(&self, _: &Place<'_>) -> SchemataResult {
        SchemataResult::Unknown
    }

    fn is_selected(&self, selector: &str, test: &str) -> bool {
        test.strip_prefix(selector).is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
    }

    fn neighbourhood<'t>(&self, test: &'t str) -> &'t str {
        test.rsplit_once([':', '.']).map_or("", |(group, _)| group)
    }

    fn test_report(&self, place: &Place<'_>, outcome: &Outcome) -> Option<TestReport> {
        suite::report(place, outcome)
    }

    fn findings(&self, place: &Place<'_>, report: &TestReport) -> Vec<Finding> {
        suite::findings(place, report)
    }

    fn findings_in_output(&self, place: &Place<'_>, outcome: &Outcome) -> Vec<Finding> {
        suite::findings_in_output(place, outcome)
    }

    fn file_of(&self, place: &Place<'_>, case: &TestCase) -> Option<String> {
        suite::file_of(place, case)
    }

    fn selector(&self, place: &Place<'_>, case: &TestCase) -> Option<String> {
        suite::selector(place, case)
    }

    fn name_broken_files(&self, _sources: &Sources, _findings: &mut [Finding]) {}

    fn starts(&self, program: &str) -> bool {
        program.starts_with("python")
    }

    fn explains_syntax(&self) -> bool {
        true
    }

    fn parse_check_words(&self, place: &Place<'_>, files: &[String]) -> Vec<Vec<String>> {
        let ours = [place.program(), place.tool(programs::COMPILE_CHECK)];
        vec![ours.into_iter().chain(files.iter().cloned()).collect()]
    }

    fn parse_check_findings(&self, _place: &Place<'_>, outcome: &Outcome) -> Vec<Finding> {
        compile::findings(&String::from_utf8_lossy(&outcome.stdout))
    }

    fn probe_words(&self, place: &Place<'_>, findings: &[Finding]) -> Vec<String> {
        let paths = import_path(place.folders, place.setup).into_iter().flat_map(|root| ["--path".to_owned(), root]);
        let ours = [place.program(), place.tool(programs::PROBE)];
        ours.into_iter().chain(paths).chain(probe::modules_of_interest(place.sources, findings)).collect()
    }

    fn protocol_name(&self, _file: &str) -> Option<&'static str> {
        Some("python")
    }
}

fn environment(folders: &Folders, setup: &Setup) -> Vec<(String, String)> {
    let bin = setup.interpreter().program.parent().map(|bin| bin.display().to_string()).unwrap_or_default();
    let ours = [
        ("PATH", format!("{bin}:/usr/local/bin:/usr/bin:/bin")),
        // The patch decides what is imported: never an installed copy, and never another checkout's.
        (
            "PYTHONPATH",
            [import_path(folders, setup), vec![python_modules(folders).display().to_string()]].concat().join(":"),
        ),
        // Two candidates of one size within one second would share their cached byte code.
        ("PYTHONDONTWRITEBYTECODE", "1".to_owned()),
        // Looks are compared test by test: parameters that come from a set must come in one order.
        ("PYTHONHASHSEED", "0".to_owned()),
    ];
    ours.map(|(name, value)| (name.to_owned(), value)).to_vec()
}

/// The folders that the import path begins at.
fn import_path(folders: &Folders, setup: &Setup) -> Vec<String> {
    setup.roots.iter().map(|root| folders.tree().join(root).display().to_string()).collect()
}

/// Folder of our modules, which our programs import and pytest loads; the import path ends with it.
fn python_modules(folders: &Folders) -> PathBuf {
    folders.tools().join(programs::MODULES)
}

/// Finds a program beside the interpreter, where the project's own version would be, else on `PATH`. Only a real program counts there; of
/// a script the interpreter that it names may not be seen inside.
fn program(name: &str, interpreter: &Interpreter) -> Option<PathBuf> {
    host_programs::beside(interpreter, name).or_else(|| host_programs::on_path(name))
}
