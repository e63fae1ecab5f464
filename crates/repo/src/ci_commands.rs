//! Commands that decide whether a tree is green: those that CI runs, or else those that the manifests suggest.
//!
//! A command is a list of words and is never passed to a shell: a step that needs one is reported as not understood, and
//! words that contain an expression (`${{ }}`) are left out.
//!
//! # Layout
//!
//! - `workflow`: the steps of `.github/workflows/*.yml` that a push or a pull request runs
//! - `script`: a step's script, split into commands
//! - `node`: the commands of JavaScript projects, and the scripts of `package.json`; `node_words`: the names of their programs
//! - `pre_commit`: the commands that its hooks run
//! - `pytest`: the arguments of pytest that matter
//! - `other`: commands of no known tool
//! - `recipes`: the recipes of a `Makefile` or a `justfile`
//! - `recognise`: the kind of a command: tests, a linter, or one that runs other commands (`tox`, `make`)

mod context;
mod node;
pub(crate) mod node_words;
mod other;
mod pre_commit;
mod pytest;
mod recipes;
mod recognise;
mod script;
mod workflow;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::discovery;
use crate::project::framework::{self, Detected};
use crate::project::{Language, Manifests, TestFramework, is_folder, join, layout, read_text};
use crate::setup::{BuildCommand, Linter, TestCommand, TestRunner};
use crate::wanted::Version;

/// The commands that decide what green is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct GreenCommands {
    /// The tests; `None`: neither CI nor the manifests say how, or the framework is not one that can be run here.
    pub test: Option<TestStep>,
    /// Further suites, of any language.
    pub other_tests: Vec<TestStep>,
    /// Programs of the repository that have to end well.
    pub checks: Vec<BuildCommand>,
    /// Commands that build, or compile as a check, before the tests run.
    pub builds: Vec<BuildCommand>,
    /// The linters that must be silent.
    pub lint: Vec<LintStep>,
    /// Other commands that CI runs and that are not run here, each with the reason, for the report.
    pub not_understood: Vec<String>,
}

/// A command that runs tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestStep {
    /// Command that runs the tests.
    pub command: TestCommand,
    /// The folder it starts in, relative to the repository.
    pub directory: String,
    /// Variables that CI sets for it.
    pub environment: BTreeMap<String, String>,
    /// Source of the command, for the report: `.github/workflows/ci.yml, job test`, `pytest.ini`.
    pub found: String,
    /// Versions of its language that CI runs it with.
    pub versions: BTreeSet<Version>,
}

impl TestStep {
    /// Returns whether this step includes every test of the other step, as far as the two command lines show: the same command on another machine,
    /// or one for some of the same files.
    fn covers(&self, other: &Self) -> bool {
        let (own, others) = (&self.command.arguments, &other.command.arguments);
        let is_part = || {
            let runs_all = own.iter().all(|word| word.starts_with('-'));
            let rest = others.strip_prefix(own.as_slice());
            // Without a path the files of a folder of tests are run; others may be left out by the settings.
            runs_all && rest.is_some_and(|rest| rest.iter().all(|word| word.starts_with("test")))
        };
        let is_same = self.command.words == other.command.words;
        self.directory == other.directory
            && self.command.runner == other.command.runner
            && (is_same || self.command.runner != TestRunner::Opaque && is_part())
    }
}

/// A command that runs a linter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LintStep {
    /// Linter that the command runs.
    pub linter: Linter,
    /// CI runs it; else it is only configured.
    pub is_required: bool,
    /// Command line as a user would type it, as argv.
    pub words: Vec<String>,
    /// The words after the program (`check .`).
    pub arguments: Vec<String>,
    /// The folder it starts in, relative to the repository.
    pub directory: String,
    /// Source of the command, for the report.
    pub found: String,
}

/// Triggers of the GitHub Actions workflows, and their use of submodules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workflows {
    /// Files of the workflows that can be started by hand without inputs.
    pub startable: Vec<String>,
    /// True if a push or a pull request starts a workflow.
    pub are_expected: bool,
    /// True if a workflow of a push or a pull request checks out submodules; `None`: this cannot be determined.
    pub have_submodules: Option<bool>,
}

impl Workflows {
    /// Those of a tree.
    pub fn of(tree: &Path) -> Self {
        let workflows = workflow::read(tree, &crate::discovery::files(tree));
        Self {
            startable: workflow::startable(&workflows),
            are_expected: workflow::are_expected(&workflows),
            have_submodules: workflow::have_submodules(&workflows),
        }
    }
}

/// The commands for the project in `directory` of `tree`. `framework`: what its files say it uses.
pub fn green_commands(tree: &Path, directory: &str, framework: Option<&Detected>) -> GreenCommands {
    let files = crate::discovery::files(tree);
    let manifests = Manifests::read(tree, directory, &files);
    let mut found = Collected::default();
    let steps = workflow::steps(tree, &files);
    let is_silent = steps.is_empty();
    for step in &steps {
        found.take(tree, step, step.rank(directory));
    }
    if found.tests.is_empty() && manifests.text("package.json").is_some() {
        // What `npm test` stands for is what its people run.
        let step = workflow::Step::of_command("npm test", directory, "scripts.test in package.json");
        found.take(tree, &step, 0);
    }
    let mut green = found.green(directory);
    if green.test.is_none() {
        green.test = framework.map(|detected| by_framework(tree, directory, &files, detected));
    }
    if is_silent {
        green.other_tests.extend(packages_besides(tree, directory, &files, green.test.as_ref()));
        green.not_understood.extend(other_ci(&files));
        let configured = configured_linters(tree, directory, &manifests, &files);
        let is_new = |step: &LintStep| green.lint.iter().all(|other| other.linter != step.linter);
        let new: Vec<LintStep> = configured.into_iter().filter(is_new).collect();
        green.lint.extend(new);
    }
    green
}

/// The suites of the other packages of a monorepo without CI, in the language of the first.
fn packages_besides(tree: &Path, directory: &str, files: &[String], first: Option<&TestStep>) -> Vec<TestStep> {
    let Some(first) = first else { return Vec::new() };
    let packages = layout::packages(tree, files);
    let others = packages.iter().filter(|package| *package != directory);
    let suites = others.filter_map(|package| {
        let manifests = Manifests::read(tree, package, files);
        let detected = framework::detect(tree, package, &manifests, files)?;
        let prefix = format!("{package}/");
        let has_tests = files.iter().any(|file| file.starts_with(&prefix) && discovery::is_test_file(file));
        let mut found = Collected::default();
        if manifests.text("package.json").is_some() {
            let step = workflow::Step::of_command("npm test", package, "scripts.test in package.json");
            found.take(tree, &step, 0);
        }
        let step = found.green(package).test.unwrap_or_else(|| by_framework(tree, package, files, &detected));
        (has_tests && step.command.runner.language() == first.command.runner.language()).then_some(step)
    });
    suites.collect()
}

/// Settings of CI that are not read.
fn other_ci(files: &[String]) -> Vec<String> {
    const OTHERS: &[&str] = &[
        ".gitlab-ci.yml",
        ".circleci/config.yml",
        "azure-pipelines.yml",
        ".travis.yml",
        "Jenkinsfile",
        "bitbucket-pipelines.yml",
        ".drone.yml",
        ".woodpecker.yml",
        ".buildkite/pipeline.yml",
        "appveyor.yml",
    ];
    let there = files.iter().filter(|file| OTHERS.contains(&file.as_str()));
    there.map(|file| format!("what `{file}` says is not read: only workflows of GitHub Actions are")).collect()
}

/// Returns the tests of a command that the user named, and the builds that belong to it; `None`: its test runner is unknown.
pub fn named_command(tree: &Path, words: &[String], found: &str) -> Option<(TestStep, Vec<BuildCommand>)> {
    let mut collected = Collected::default();
    collected.take(tree, &workflow::Step::of_command(&shell_words::join(words), "", found), 0);
    let green = collected.green("");
    let builds = green.builds;
    green.test.filter(|test| test.command.runner != TestRunner::Opaque).map(|test| (test, builds))
}

/// Returns the linters that the user named, and those of the commands that are not a known linter.
pub fn named_linters(
    tree: &Path,
    commands: &[Vec<String>],
    directory: &str,
    found: &str,
) -> (Vec<LintStep>, Vec<String>) {
    let mut collected = Collected::default();
    for words in commands {
        collected.take(tree, &workflow::Step::of_command(&shell_words::join(words), directory, found), 0);
    }
    (collected.lint, collected.not_understood)
}

/// Commands recognised in the steps, by kind.
#[derive(Default)]
struct Collected {
    tests: Vec<(usize, TestStep)>,
    builds: Vec<(String, BuildCommand)>,
    checks: Vec<BuildCommand>,
    lint: Vec<LintStep>,
    not_understood: Vec<String>,
}

impl Collected {
    fn take(&mut self, tree: &Path, step: &workflow::Step, rank: usize) {
        let context = context::Context { tree, directory: &step.directory };
        for understood in recognise::commands(step, &context) {
            match understood {
                recognise::Understood::Test(test) => self.tests.push((rank, test)),
                recognise::Understood::Build(build) => self.builds.push((step.found.clone(), build)),
                recognise::Understood::Check(check) if !self.checks.contains(&check) => self.checks.push(check),
                recognise::Understood::Lint(lint) if !self.lint.contains(&lint) => self.lint.push(lint),
                recognise::Understood::Not(reason) if !self.not_understood.contains(&reason) => {
                    self.not_understood.push(reason);
                }
                recognise::Understood::Lint(_) | recognise::Understood::Not(_) | recognise::Understood::Check(_) => {}
            }
        }
    }

    fn green(self, directory: &str) -> GreenCommands {
        // The first of the best: `min_by_key` keeps the first of equals. One whose report is read is better than any other.
        let is_opaque = |test: &TestStep| test.command.runner == TestRunner::Opaque;
        let best = self.tests.iter().min_by_key(|(rank, test)| (is_opaque(test), *rank));
        let mut test = best.map(|(_, test)| test.clone());
        let mut not_understood = self.not_understood;
        let mut other_tests: Vec<TestStep> = Vec::new();
        for (_, other) in &self.tests {
            if let Some(suite) = test.iter_mut().chain(&mut other_tests).find(|suite| suite.covers(other)) {
                suite.versions.extend(&other.versions);
                continue;
            }
            let is_read = |test: &TestStep| test.command.runner.language().is_some();
            if is_read(other) && test.as_ref().is_some_and(is_read) {
                other_tests.push(other.clone());
                continue;
            }
            let reason = "one suite is run, and of this one no report would be read";
            let reason = format!("`{}` ({}): {reason}", other.command.words.join(" "), other.found);
            if !not_understood.contains(&reason) {
                not_understood.push(reason);
            }
        }
        let mut builds: Vec<BuildCommand> = Vec::new();
        for (found, build) in self.builds {
            // Of other jobs only what is about the same projects: a site of documentation is built elsewhere.
            let mut tests = test.iter().chain(&other_tests);
            let belongs = build.directory == directory
                || tests.any(|test| test.found == found || test.directory == build.directory);
            if belongs && !builds.contains(&build) {
                builds.push(build);
            }
        }
        GreenCommands { test, other_tests, checks: self.checks, builds, lint: self.lint, not_understood }
    }
}

/// The plain command of a framework.
fn by_framework(tree: &Path, directory: &str, files: &[String], detected: &Detected) -> TestStep {
    let runner = match detected.framework {
        TestFramework::Pytest => TestRunner::Pytest,
        TestFramework::Unittest => TestRunner::Unittest,
        TestFramework::Jest => TestRunner::Jest,
        TestFramework::Mocha => TestRunner::Mocha,
        TestFramework::Vitest => TestRunner::Vitest,
        TestFramework::NodeTest => TestRunner::NodeTest,
    };
    let mut words: Vec<String> = detected.framework.command().iter().map(|word| (*word).to_owned()).collect();
    if runner == TestRunner::Unittest {
        // Discovery enters packages only: a folder without `__init__.py` has to be named.
        let folder = ["tests", "test"].iter().find(|folder| is_folder(tree, &join(directory, folder)));
        let is_package = |folder: &str| files.contains(&join(directory, &format!("{folder}/__init__.py")));
        if let Some(folder) = folder.filter(|folder| !is_package(folder)) {
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
    // Discovery is one of unittest's arguments.
    let own = if runner == TestRunner::Unittest { 3 } else { detected.framework.command().len() };
    let arguments = words[own..].to_vec();
    TestStep {
        command: TestCommand { runner, words, arguments },
        directory: directory.to_owned(),
        environment: BTreeMap::new(),
        found: detected.evidence.clone(),
        versions: BTreeSet::new(),
    }
}

/// Linters that the project has settings for: where there is no CI, they are what its people run.
fn configured_linters(tree: &Path, directory: &str, manifests: &Manifests, files: &[String]) -> Vec<LintStep> {
    let exists = |name: &str| read_text(tree, &join(directory, name)).is_some();
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
    let is_settings = |file: &String| {
        let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
        (folder == directory || folder.is_empty())
            && (name.starts_with("eslint.config.") || name.starts_with(".eslintrc"))
    };
    if files.iter().any(is_settings)
        || manifests.json("package.json").is_some_and(|package| package.get("eslintConfig").is_some())
    {
        linters.push(step(Linter::Eslint, &["eslint", "."], "settings of eslint"));
    }
    linters
}
