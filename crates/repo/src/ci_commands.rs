//! Commands that decide whether a tree is green: those that CI runs, or else those that the manifests suggest.
//!
//! A command is a list of words and is never passed to a shell: a step that needs one is reported as not understood, and
//! words that contain an expression (`${{ }}`) are left out.
//!
//! # Layout
//!
//! - `triggers`: what starts the workflows of GitHub Actions; `workflow`: the steps of `.github/workflows/*.yml` that a push or a pull request runs
//! - `script`: a step's script, split into commands
//! - `meaning`: what the tools of a language know of a command; `context`: where it runs
//! - `pre_commit`: the commands that its hooks run
//! - `other`: commands of no known tool
//! - `recipes`: the recipes of a `Makefile` or a `justfile`
//! - `recognise`: the kind of a command: tests, a linter, or one that runs other commands (`tox`, `make`)

pub(crate) mod context;
pub(crate) mod meaning;
mod other;
mod pre_commit;
mod recipes;
mod recognise;
pub(crate) mod script;
mod triggers;
mod workflow;

pub use triggers::Workflows;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::discovery;
use crate::lint::tool::{Call, Linter};
use crate::lint::tools;
use crate::project::{Detected, Manifests, layout, survey};
use crate::repo_config::Version;
use crate::setup::{BuildCommand, TestCommand};
use crate::test_runner::TestRunner;
use crate::toolchain::Survey;
use crate::toolchains;

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
            && (is_same || self.command.runner != TestRunner::OPAQUE && is_part())
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

/// The commands for the project in `directory` of `tree`. `detected`: the test runner that its files suggest.
pub fn green_commands(tree: &Path, directory: &str, detected: Option<&Detected>) -> GreenCommands {
    let files = crate::discovery::files(tree);
    let manifests = Manifests::read(tree, directory, &files);
    let survey = Survey { tree, directory, manifests: &manifests, files: &files };
    let mut found = Collected::default();
    let steps = workflow::steps(tree, &files);
    let is_silent = steps.is_empty();
    for step in &steps {
        found.take(tree, step, step.rank(directory));
    }
    if found.tests.is_empty() {
        found.take_own_script(&survey);
    }
    let mut green = found.green(directory);
    if green.test.is_none() {
        green.test = detected.map(|detected| by_runner(&survey, detected));
    }
    if is_silent {
        green.other_tests.extend(packages_besides(&survey, green.test.as_ref()));
        green.not_understood.extend(other_ci(&files));
        let configured = configured_linters(&survey);
        let is_new = |step: &LintStep| green.lint.iter().all(|other| other.linter != step.linter);
        let new: Vec<LintStep> = configured.into_iter().filter(is_new).collect();
        green.lint.extend(new);
    }
    green
}

/// The commands of the jobs of CI that run tests, each with its folder; `None`: the words of one cannot be read without a shell.
pub(crate) fn commands_of_tests(tree: &Path) -> Vec<(String, Option<Vec<String>>)> {
    let steps = workflow::steps(tree, &crate::discovery::files(tree));
    let names_runner =
        |step: &workflow::Step| ["pytest", "unittest", "tox", "nox"].iter().any(|it| step.script.contains(it));
    let jobs: BTreeSet<&String> = steps.iter().filter(|step| names_runner(step)).map(|step| &step.found).collect();
    let of_tests = steps.iter().filter(|step| jobs.contains(&step.found));
    let commands =
        of_tests.flat_map(|step| script::commands(&step.script).into_iter().map(move |command| (step, command)));
    let words = |command| match command {
        script::Command::Words(words) => {
            Some(words).filter(|words: &Vec<String>| !words.iter().any(|word| word.contains(script::EXPRESSION)))
        }
        script::Command::NeedsShell(_) => None,
    };
    commands.map(|(step, command)| (step.directory.clone(), words(command))).collect()
}

/// The suites of the other packages of a monorepo without CI, in the language of the first.
fn packages_besides(whole: &Survey<'_>, first: Option<&TestStep>) -> Vec<TestStep> {
    let Some(first) = first else { return Vec::new() };
    let packages = layout::packages(whole.tree, whole.files);
    let others = packages.iter().filter(|package| *package != whole.directory);
    let suites = others.filter_map(|package| {
        let manifests = Manifests::read(whole.tree, package, whole.files);
        let survey = Survey { directory: package, manifests: &manifests, ..*whole };
        let detected = survey::runner(&survey)?;
        let has_tests = survey.files_inside().any(discovery::is_test_file);
        let mut found = Collected::default();
        found.take_own_script(&survey);
        let step = found.green(package).test.unwrap_or_else(|| by_runner(&survey, &detected));
        (has_tests && step.command.runner.language == first.command.runner.language).then_some(step)
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
    green.test.filter(|test| test.command.runner != TestRunner::OPAQUE).map(|test| (test, builds))
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
    /// Takes the project's own command for its tests, which is what its people run.
    fn take_own_script(&mut self, survey: &Survey<'_>) {
        for (command, found) in toolchains::ALL.iter().filter_map(|toolchain| toolchain.own_script(survey)) {
            self.take(survey.tree, &workflow::Step::of_command(command, survey.directory, found), 0);
        }
    }

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
        let is_opaque = |test: &TestStep| test.command.runner == TestRunner::OPAQUE;
        let best = self.tests.iter().min_by_key(|(rank, test)| (is_opaque(test), *rank));
        let mut test = best.map(|(_, test)| test.clone());
        let mut not_understood = self.not_understood;
        let mut other_tests: Vec<TestStep> = Vec::new();
        for (_, other) in &self.tests {
            if let Some(suite) = test.iter_mut().chain(&mut other_tests).find(|suite| suite.covers(other)) {
                suite.versions.extend(&other.versions);
                continue;
            }
            let is_read = |test: &TestStep| test.command.runner.language.is_some();
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

/// The plain command of a runner.
fn by_runner(survey: &Survey<'_>, detected: &Detected) -> TestStep {
    let runner = detected.runner;
    let toolchain = runner.language.map(toolchains::of);
    let arguments = toolchain.map(|toolchain| toolchain.default_arguments(runner, survey)).unwrap_or_default();
    let own = runner.command.iter().map(|word| (*word).to_owned());
    let words = own.take_while(|word| arguments.first() != Some(word)).chain(arguments.iter().cloned()).collect();
    TestStep {
        command: TestCommand { runner, words, arguments },
        directory: survey.directory.to_owned(),
        environment: BTreeMap::new(),
        found: detected.evidence.clone(),
        versions: BTreeSet::new(),
    }
}

/// Linters that the project has settings for: where there is no CI, they are what its people run.
fn configured_linters(survey: &Survey<'_>) -> Vec<LintStep> {
    let configured = toolchains::ALL.iter().flat_map(|toolchain| toolchain.configured_linters(survey));
    let step = |(words, found): (&[&str], &str)| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let (program, arguments) = words.split_first()?;
        match tools::call(program, arguments, |_| true)? {
            Call::Checks { linter, arguments, words } => Some(LintStep {
                linter,
                is_required: false,
                words,
                arguments,
                directory: survey.directory.to_owned(),
                found: found.to_owned(),
            }),
            Call::NeverRed => None,
        }
    };
    configured.filter_map(step).collect()
}
