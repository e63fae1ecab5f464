//! Interface to the tools of a language: how its tests, linters and builds run, what their reports say, and how what they need is
//! installed. Everything else of a run is the same for every language.
//!
//! # Layout
//!
//! - [`python`]: pip, pytest, unittest
//! - [`node`]: npm, pnpm, yarn; jest, mocha, vitest, node:test
//! - [`rust`]: cargo, clippy, rustfmt
//! - `installing`: common parts of all installations; `package_manager`: older releases of dependencies
//!
//! To add a language, implement [`Toolchain`] in a folder here, and add it to `toolchains`.

pub(crate) mod installing;
pub mod node;
pub(crate) mod package_manager;
pub mod python;
pub mod rust;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use autoheal_code::report::{Look, TestCase, TestReport};
use autoheal_code::{LanguageId, Sources};
use autoheal_engine::diagnostics::Finding;
use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_sandbox::{Image, Mount, Outcome};

use self::package_manager::PackageManager;
use crate::checkout::Checkout;
use crate::ci_commands::context::Context;
use crate::ci_commands::meaning::{Meaning, Prefixes};
use crate::discovery;
use crate::flaky::conditions::Conditions;
use crate::folders::Folders;
use crate::language_server::server::Server;
use crate::lint::tool::Tool;
use crate::project::{Detected, Manifests, Project};
use crate::repo_config::Version;
use crate::settings::HealSettings;
use crate::setup::{Interpreter, Setup};
use crate::state::HealState;
use crate::test_runner::TestRunner;
use crate::test_scope::Scope;

/// A repository as its tools see it: where it lies, and how it is tested.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    /// The tree, our scripts and the reports on this machine; the same paths inside.
    pub(crate) folders: &'a Folders,
    /// Test setup of the repository.
    pub(crate) setup: &'a Setup,
    /// Text files of the repository.
    pub(crate) sources: &'a Sources,
}

impl Place<'_> {
    /// The interpreter as a command's word.
    pub(crate) fn program(&self) -> String {
        self.setup.interpreter().program.display().to_string()
    }

    /// One of our scripts as a command's word.
    pub(crate) fn tool(&self, name: &str) -> String {
        self.folders.tools().join(name).display().to_string()
    }

    /// Returns the path of the test report.
    pub(crate) fn report_path(&self) -> PathBuf {
        self.folders.report()
    }

    /// The prefixes that absolute names of the repository's files have inside.
    pub(crate) fn prefixes(&self) -> Vec<String> {
        vec![self.folders.tree().display().to_string()]
    }

    /// Returns the context for reading what the suite prints.
    pub(crate) fn look<'p>(&'p self, prefixes: &'p [String]) -> Look<'p> {
        Look { prefixes, directory: &self.setup.suite().directory, sources: self.sources }
    }
}

/// Input of the search for an interpreter, and of installations.
#[derive(Clone, Copy)]
pub(crate) struct Search<'a> {
    /// Test setup of the repository; its interpreter is to be found.
    pub(crate) setup: &'a Setup,
    /// Content of its manifests.
    pub(crate) project: &'a Project,
    /// Checkout of the repository.
    pub(crate) checkout: &'a Checkout,
    /// Settings of this machine.
    pub(crate) settings: &'a HealSettings,
    /// Context that progress is reported to.
    pub(crate) context: &'a StepContext,
}

/// An interpreter of a version that the main suite does not run with.
pub(crate) enum OtherVersion {
    /// It has everything that the tests need.
    Here(Interpreter),
    /// Its packages could not be installed, and why.
    Unusable(String),
    /// This machine does not have it, or its packages cannot be shown beside those of the main one.
    Absent,
}

/// A project's files, before anything of it is run.
#[derive(Clone, Copy)]
pub(crate) struct Survey<'a> {
    /// Root folder of the repository's tree.
    pub(crate) tree: &'a Path,
    /// The project's folder, relative to the repository.
    pub(crate) directory: &'a str,
    /// Manifests of the project.
    pub(crate) manifests: &'a Manifests,
    /// All files of the repository.
    pub(crate) files: &'a [String],
}

impl<'a> Survey<'a> {
    /// The files of the project.
    pub(crate) fn files_inside(&self) -> impl Iterator<Item = &'a str> {
        let prefix = if self.directory.is_empty() { String::new() } else { format!("{}/", self.directory) };
        self.files.iter().map(String::as_str).filter(move |file| file.starts_with(&prefix))
    }

    /// The test files of the project in a language, by their names.
    pub(crate) fn tests_in(&self, language: LanguageId) -> impl Iterator<Item = &'a str> {
        self.files_inside().filter(move |file| discovery::is_test_file(file) && LanguageId::of(file) == Some(language))
    }
}

/// Result of building many changes at once, and of running the tests with each.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) enum SchemataResult {
    /// The compiler refused some of it: files and bytes of its errors.
    Refused(BTreeSet<(String, usize)>),
    /// The tests ran: the ends of each change's runs, one for each test program.
    Ran(BTreeMap<usize, Vec<RunEnd>>),
    /// Nothing is known.
    #[default]
    Unknown,
}

/// End of a run of a test program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunEnd {
    /// Its tests passed.
    Passed,
    /// A test failed.
    Failed,
    /// It took too long.
    Late,
}

/// The tools of a language.
///
/// `words` are always a command line as argv, with paths as they are inside the sandbox. Selectors name tests as the runner's command line
/// takes them.
#[async_trait]
pub(crate) trait Toolchain: Sync {
    /// The language.
    fn language(&self) -> LanguageId;

    /// Name of its interpreter, for the user.
    fn name(&self) -> &'static str;

    /// The container image that has its interpreter.
    fn image(&self) -> Image;

    /// Our programs that run in the sandbox: path below the folder of our tools, and text.
    fn programs(&self) -> &'static [(&'static str, &'static str)];

    // The project.

    /// Returns the test runner that the settings of one name; `None`: there are no such settings.
    fn configured_runner(&self, survey: &Survey<'_>) -> Option<Detected>;

    /// Returns the test runner by what the project asks for, and by what its tests load.
    fn detected_runner(&self, survey: &Survey<'_>) -> Option<Detected>;

    /// Returns the project's own command for its tests, and the evidence; `None`: its manifest has none.
    fn own_script(&self, survey: &Survey<'_>) -> Option<(&'static str, &'static str)>;

    /// Returns the words after the plain command of a runner that suit a project without any command of its own.
    fn default_arguments(&self, runner: TestRunner, survey: &Survey<'_>) -> Vec<String>;

    /// Returns whether the project at the top of a tree leaves testing to its packages.
    fn leaves_testing_to_packages(&self, tree: &Path) -> bool;

    /// Returns the folders that the import path begins at, relative to the project, the most specific first; the project's own follows.
    fn roots(&self, survey: &Survey<'_>) -> Vec<String>;

    /// Returns whether a suite without test files by name is one without tests. Other runners are told where their tests are.
    fn finds_tests_by_name(&self) -> bool;

    /// Addition to the message that no test runner was recognised: what was looked for. Empty: nothing to add.
    fn looked_for(&self) -> &'static str;

    // Commands of CI and of the user.

    /// Test runners.
    fn runners(&self) -> &'static [TestRunner];

    /// Linters, formatters and type checkers.
    fn linters(&self) -> &'static [Tool];

    /// Language servers that know types come before those that do not.
    fn language_servers(&self) -> &'static [Server];

    /// Actions of GitHub that set up the interpreter, with the input that names its version.
    fn setup_actions(&self) -> &'static [(&'static str, &'static str)];

    /// Programs before a command that do not change what it does.
    fn prefixes(&self) -> &'static Prefixes;

    /// Names of further programs that decide the colour: where they are met and are not run, CI may be red for their reasons.
    fn checks(&self) -> &'static [&'static str];

    /// Returns the command inside of another one that starts it in a way that prefixes cannot tell (`python -m pytest`); `None`: it starts none.
    fn inner_command(&self, words: &[String]) -> Option<Vec<String>>;

    /// Returns what a command means that is one of the language's programs. `whole`: the words before prefixes were taken off.
    fn meaning(&self, words: &[String], whole: &[String], context: &Context<'_>) -> Option<Vec<Meaning>>;

    /// Returns the command of a suite that the user named; `None`: its words name no known runner.
    fn named_runner(&self, words: &[String]) -> Option<(TestRunner, Vec<String>)>;

    /// Returns the command lines of the linters that a project has settings for, with the evidence: where there is no CI, they are what its people run.
    fn configured_linters(&self, survey: &Survey<'_>) -> Vec<(&'static [&'static str], &'static str)>;

    // Installation.

    /// Returns the variables of every command, in addition to those that CI sets. `PATH` is among them.
    fn environment(&self, folders: &Folders, setup: &Setup) -> Vec<(String, String)>;

    /// Returns the mounts that are needed in addition to the tree, the interpreter and our own folders.
    fn mounts(&self, folders: &Folders, interpreter: &Interpreter) -> Vec<Mount>;

    /// Finds the interpreter with everything that the tests need, installed when it has to be.
    async fn find_interpreter(&self, search: Search<'_>, state: &mut HealState) -> Result<Interpreter, StepError>;

    /// Finds the same with an interpreter of this version.
    async fn find_version(
        &self,
        search: Search<'_>,
        state: &HealState,
        version: Version,
    ) -> Result<OtherVersion, StepError>;

    /// Returns whether [`find_version`](Self::find_version) can find one.
    fn has_versions(&self) -> bool;

    /// Returns the package manager by which older releases are tried; `None`: none is known.
    fn package_manager(&self) -> Option<&'static dyn PackageManager>;

    /// Returns the requirement by which a distribution is installed, with the version that the repository pins; `None`: nothing is installed so.
    fn requirement(&self, tree: &Path, distribution: &str) -> Option<String>;

    /// Finds a program: among the project's packages, beside the interpreter, or on `PATH`.
    fn program(&self, name: &str, directory: &str, interpreter: &Interpreter, tree: &Path) -> Option<PathBuf>;

    // Suites.

    /// Returns the command line that runs as much of the suite as `scope` says and leaves a report.
    fn test_words(&self, place: &Place<'_>, scope: &Scope) -> Vec<String>;

    /// Returns the options of a runner, behind all others, with which failed assertions show values whole; empty: there are none.
    fn detail_options(&self, runner: TestRunner) -> &'static [&'static str];

    /// Returns the command line that does the same under other conditions, as far as options can set them.
    fn varied_words(&self, place: &Place<'_>, scope: &Scope, conditions: &Conditions) -> Vec<String>;

    /// Returns the variables that set other conditions, in addition to those of every command and of every language.
    fn varied_environment(&self, place: &Place<'_>, conditions: &Conditions) -> Vec<(String, String)>;

    /// Returns whether tests that are listed run in that order.
    fn keeps_order(&self) -> bool;

    /// Returns whether the order in sets and the like depends on a seed.
    fn has_hash_seed(&self) -> bool;

    /// Returns the command with which the user runs these tests, and nothing else.
    fn own_command(&self, place: &Place<'_>, selectors: &[String]) -> String;

    /// Returns the command that starts the runner that tries changes ([`autoheal_code::warm`]); `None`: this test runner has no such
    /// runner.
    fn warm_words(&self, place: &Place<'_>) -> Option<Vec<String>>;

    /// Returns the command that builds the tests with [many changes in them](autoheal_code::schemata) and runs those of `selectors` once for
    /// each of `changes`, each run for `limit` at most; `None`: these tests are not built.
    fn schemata_words(
        &self,
        place: &Place<'_>,
        selectors: &[String],
        changes: &[usize],
        limit: Duration,
    ) -> Option<Vec<String>>;

    /// Returns what became of the changes in the command of [`schemata_words`](Self::schemata_words).
    fn schemata_result(&self, place: &Place<'_>) -> SchemataResult;

    /// Returns whether a selector covers the test that the runner that tries changes calls `test`.
    fn is_selected(&self, selector: &str, test: &str) -> bool;

    /// Returns the group that a test shares with its neighbours, such as its class or its file.
    fn neighbourhood<'t>(&self, test: &'t str) -> &'t str;

    /// The report that the test command left; `None`: none that can be read.
    fn test_report(&self, place: &Place<'_>, outcome: &Outcome) -> Option<TestReport>;

    /// One finding for each red case of a report, in its order.
    fn findings(&self, place: &Place<'_>, report: &TestReport) -> Vec<Finding>;

    /// At least one finding in the output of a test command that failed and left none in a report.
    fn findings_in_output(&self, place: &Place<'_>, outcome: &Outcome) -> Vec<Finding>;

    /// The file of the repository that a test was collected from.
    fn file_of(&self, place: &Place<'_>, case: &TestCase) -> Option<String>;

    /// Returns the selector that makes the runner run this case, and as little else as can be expressed
    /// safely.
    fn selector(&self, place: &Place<'_>, case: &TestCase) -> Option<String>;

    // Builds, and questions to the interpreter.

    /// Corrects the files of syntax faults in findings: some tools report the importing file instead of the file that does not parse. Does
    /// nothing for a language whose tools report the right one.
    fn name_broken_files(&self, sources: &Sources, findings: &mut [Finding]);

    /// Returns whether a program of the repository is started by the interpreter, by the first word of its command.
    fn starts(&self, program: &str) -> bool;

    /// Returns whether the interpreter locates syntax errors more precisely than the runner's reports do.
    fn explains_syntax(&self) -> bool;

    /// The commands that say which files do not parse, without running them.
    fn parse_check_words(&self, place: &Place<'_>, files: &[String]) -> Vec<Vec<String>>;

    /// Returns the findings in the output of a command of `parse_check_words`.
    fn parse_check_findings(&self, place: &Place<'_>, outcome: &Outcome) -> Vec<Finding>;

    /// The command that asks the interpreter what it can import; no words: there is nothing to ask.
    fn probe_words(&self, place: &Place<'_>, findings: &[Finding]) -> Vec<String>;

    /// Name of the notation of a file in the Language Server Protocol; `None`: servers read none of that kind.
    fn protocol_name(&self, file: &str) -> Option<&'static str>;
}
