//! The commands that decide what green is: those that CI really runs, else those that the manifests suggest.
//!
//! A command is a list of words. Nothing is ever given to a shell: a step that needs one is reported as not understood, and
//! words that hold an expression (`${{ }}`) are left out.
//!
//! # Layout
//!
//! - `workflow`: the steps of `.github/workflows/*.yml` that a push or a pull request runs
//! - `script`: a step's script as commands in words
//! - `recognise`: what a command is: tests, a linter, something that stands for other commands (`tox`, `make`)

mod recognise;
mod script;
mod workflow;

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::project::framework::Detected;
use crate::project::{Language, Manifests, TestFramework};
use crate::setup::{Linter, TestCommand, TestRunner};

/// The commands that decide what green is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct GreenCommands {
    /// The tests; `None`: neither CI nor the manifests say how, or the framework is not one that can be run here.
    pub test: Option<TestStep>,
    /// The linters that must be silent.
    pub lint: Vec<LintStep>,
    /// What CI runs besides and is not run here, with the reason, for the report.
    pub not_understood: Vec<String>,
}

/// A command that runs tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestStep {
    /// The command.
    pub command: TestCommand,
    /// The folder it starts in, relative to the repository.
    pub directory: String,
    /// Variables that CI sets for it.
    pub environment: BTreeMap<String, String>,
    /// Where it was found: `.github/workflows/ci.yml, job test`, `pytest.ini`.
    pub found: String,
}

/// A command that runs a linter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LintStep {
    /// Which linter.
    pub linter: Linter,
    /// CI runs it; else it is only configured.
    pub is_required: bool,
    /// The command as a person would type it, in words.
    pub words: Vec<String>,
    /// The words after the program (`check .`).
    pub arguments: Vec<String>,
    /// The folder it starts in, relative to the repository.
    pub directory: String,
    /// Where it was found.
    pub found: String,
}

/// The files of the workflows of GitHub Actions that can be started by hand without being told anything.
pub fn startable_workflows(tree: &Path) -> Vec<String> {
    workflow::startable(tree, &crate::discovery::files(tree))
}

/// The commands for the project in `directory` of `tree`. `framework`: what its files say it uses.
pub fn green_commands(tree: &Path, directory: &str, framework: Option<&Detected>) -> GreenCommands {
    let files = crate::discovery::files(tree);
    let manifests = Manifests::read(tree, directory, &files);
    let mut green = GreenCommands::default();
    let steps = workflow::steps(tree, &files);
    let is_silent = steps.is_empty();
    let mut tests: Vec<(usize, TestStep)> = Vec::new();
    for step in steps {
        let context = recognise::Context { tree, directory: &step.directory };
        for understood in recognise::commands(&step, &context) {
            match understood {
                recognise::Understood::Test(test) => tests.push((step.rank(directory), test)),
                recognise::Understood::Lint(lint) if !green.lint.contains(&lint) => green.lint.push(lint),
                recognise::Understood::Not(reason) if !green.not_understood.contains(&reason) => {
                    green.not_understood.push(reason);
                }
                recognise::Understood::Lint(_) | recognise::Understood::Not(_) => {}
            }
        }
    }
    // The first of the best: `min_by_key` keeps the first of equals.
    green.test = tests.into_iter().min_by_key(|(rank, _)| *rank).map(|(_, test)| test);
    if green.test.is_none() {
        green.test = framework.and_then(|detected| by_framework(tree, directory, &files, detected));
    }
    if is_silent {
        green.lint = configured_linters(tree, directory, &manifests);
    }
    green
}

/// The plain command of a framework.
fn by_framework(tree: &Path, directory: &str, files: &[String], detected: &Detected) -> Option<TestStep> {
    let runner = match detected.framework {
        TestFramework::Pytest => TestRunner::Pytest,
        TestFramework::Unittest => TestRunner::Unittest,
        // Their suites are recognised and not run yet.
        TestFramework::Jest | TestFramework::Mocha => return None,
    };
    let mut words: Vec<String> = detected.framework.command().iter().map(|word| (*word).to_owned()).collect();
    if runner == TestRunner::Unittest {
        // Discovery enters packages only: a folder without `__init__.py` has to be named.
        let top = tree.join(directory);
        let folder = ["tests", "test"].iter().find(|folder| top.join(folder).is_dir());
        if let Some(folder) = folder.filter(|folder| !top.join(folder).join("__init__.py").exists()) {
            words.extend(["-s".to_owned(), (*folder).to_owned()]);
        }
        // Nor does it find `a_test.py` unless it is told to.
        let mut names = files.iter().filter_map(|file| file.rsplit('/').next());
        let is_found =
            names.clone().any(|name| name.starts_with("test") && Language::of_file(name) == Some(Language::Python));
        if !is_found && names.any(|name| name.ends_with("_test.py")) {
            words.extend(["-p".to_owned(), "*_test.py".to_owned()]);
        }
    }
    let arguments = words[3..].to_vec();
    Some(TestStep {
        command: TestCommand { runner, words, arguments },
        directory: directory.to_owned(),
        environment: BTreeMap::new(),
        found: detected.evidence.clone(),
    })
}

/// Linters that the project has settings for: where there is no CI, they are what its people run.
fn configured_linters(tree: &Path, directory: &str, manifests: &Manifests) -> Vec<LintStep> {
    let exists = |name: &str| tree.join(directory).join(name).is_file();
    let pyproject = manifests.toml("pyproject.toml");
    let has_ruff = pyproject.get("tool").is_some_and(|tool| tool.get("ruff").is_some());
    let has_flake8 = ["setup.cfg", "tox.ini"]
        .iter()
        .any(|name| manifests.text(name).is_some_and(|text| text.lines().any(|line| line.trim() == "[flake8]")));
    let step = |linter, words: &[&str], found: &str| LintStep {
        linter,
        is_required: false,
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        arguments: words[1..].iter().map(|word| (*word).to_owned()).collect(),
        directory: directory.to_owned(),
        found: found.to_owned(),
    };
    let mut linters = Vec::new();
    if has_ruff || exists("ruff.toml") || exists(".ruff.toml") {
        linters.push(step(Linter::Ruff, &["ruff", "check", "."], "settings of ruff"));
    }
    if has_flake8 || exists(".flake8") {
        linters.push(step(Linter::Flake8, &["flake8"], "settings of flake8"));
    }
    linters
}
