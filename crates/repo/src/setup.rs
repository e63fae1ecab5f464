//! Setup of a repository's tests: the interpreter and the commands. `analyze` determines it once; the run keeps it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use autoheal_code::LanguageId;
use autoheal_engine::diagnostics::Key;
use autoheal_sandbox::Mount;
use serde::{Deserialize, Serialize};

use crate::external_files::ExternalFiles;
use crate::lint::tool::Linter;
use crate::repo_config::Protect;
use crate::repo_config::Version;
use crate::test_runner::TestRunner;

/// Setup of a repository's tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setup {
    /// Tools that run the main suite.
    #[serde(flatten)]
    pub main_tools: Tools,
    /// Tools of further languages and versions with which CI runs tests, too. Those of a language come before those of its other versions.
    #[serde(default)]
    pub other_tools: Vec<Tools>,
    /// The folders that the import path begins at, relative to the repository (`""`, `src`).
    pub roots: Vec<String>,
    /// The suite of tests whose success is half of what green means.
    pub main_suite: Suite,
    /// Further suites that CI runs.
    #[serde(default)]
    pub other_suites: Vec<Suite>,
    /// The number of the suite at hand, of which commands and reports are: 0 for the main one.
    #[serde(default)]
    pub at: usize,
    /// Commands that build, or compile as a check, before the tests run; a failure makes the tree red.
    #[serde(default)]
    pub builds: Vec<BuildCommand>,
    /// Programs of the repository that CI runs in addition, and that have to succeed.
    #[serde(default)]
    pub checks: Vec<BuildCommand>,
    /// Files that do not parse since the last commit, whether tests load them or not. Set by `diagnose`.
    #[serde(default)]
    pub broken_files: BTreeSet<String>,
    /// Commands that CI runs and that are not run here, each with the reason: while there are any, nothing is green.
    #[serde(default)]
    pub not_run: Vec<String>,
    /// The linters: those that CI runs must find nothing new for the other half.
    pub linters: Vec<LintCommand>,
    /// The language servers of this machine, the one to be asked first before others; none where they are not wanted.
    #[serde(default)]
    pub language_servers: Vec<LanguageServer>,
    /// Files that tests were collected from, or that the test command names, whatever they are called: they decide what green means
    /// and are never edited. Set by `diagnose`.
    #[serde(default)]
    pub protected_tests: BTreeSet<String>,
    /// Files of the program that tests were collected from: these tests are never edited, and the rest of the file may be. Set by `diagnose`.
    #[serde(default)]
    pub holding_tests: BTreeSet<String>,
    /// Files that say what green means and are others on the default branch: the branch that is healed defines it itself.
    #[serde(default)]
    pub redefined: Vec<String>,
    /// Patterns of the repository's settings that protect files, and exceptions, as far as they are trusted.
    #[serde(default)]
    pub protect: Protect,
    /// Findings of the linters that the commit before had, too; set by `diagnose`.
    #[serde(default)]
    pub old_findings: OldFindings,
    /// Submodules and other contents of the tree that its commit does not contain.
    #[serde(default)]
    pub external_files: ExternalFiles,
}

/// The tools of a language, and the interpreter that runs its tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tools {
    /// The language.
    pub language: LanguageId,
    /// Interpreter that runs the tests, with what is installed for them.
    pub interpreter: Interpreter,
    /// The version with which suites are repeated; `None`: the tools that run the language's tests first.
    #[serde(default)]
    pub repeating_with: Option<Version>,
}

/// Linter findings that the commit before had: they are not what broke. A linter also finds more as it grows older than the
/// project, and which version CI runs is not known here.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OldFindings {
    /// Findings that are worth a fix but do not make the tree red.
    pub advice: BTreeSet<Key>,
    /// Findings that are left alone.
    pub ignored: BTreeSet<Key>,
    /// The number of those of linters that CI runs: with them it is red.
    #[serde(default)]
    pub uncounted: usize,
}

impl Tools {
    /// The tools of a language, whose interpreter is not found yet.
    pub(crate) fn of(language: LanguageId) -> Self {
        Self { language, interpreter: Interpreter::default(), repeating_with: None }
    }
}

impl Setup {
    /// Every suite, the main one first.
    pub fn suites(&self) -> impl Iterator<Item = &Suite> {
        std::iter::once(&self.main_suite).chain(&self.other_suites)
    }

    /// The suite at hand.
    pub fn suite(&self) -> &Suite {
        self.suites().nth(self.at).unwrap_or(&self.main_suite)
    }

    /// The tools of every language and version, those of the main suite first.
    pub fn tools(&self) -> impl Iterator<Item = &Tools> {
        std::iter::once(&self.main_tools).chain(&self.other_tools)
    }

    /// The tools of one language; those of the main suite if there are none.
    pub fn tools_of(&self, language: LanguageId) -> &Tools {
        self.tools().find(|tools| tools.language == language).unwrap_or(&self.main_tools)
    }

    /// The language of the suite at hand.
    pub fn language(&self) -> LanguageId {
        self.language_of(self.suite())
    }

    /// The interpreter of the suite at hand.
    pub fn interpreter(&self) -> &Interpreter {
        let suite = self.suite();
        let runs =
            |tools: &&Tools| tools.language == self.language_of(suite) && tools.repeating_with == suite.repeated_with;
        &self.tools().find(runs).unwrap_or(&self.main_tools).interpreter
    }

    /// The language of a suite.
    pub(crate) fn language_of(&self, suite: &Suite) -> LanguageId {
        suite.tests.runner.language.unwrap_or(self.main_tools.language)
    }

    /// The language whose tools read a file: its own, if there are tools for it; that of the main suite for all others.
    pub(crate) fn language_for(&self, file: &str) -> LanguageId {
        self.tools_of(LanguageId::of(file).unwrap_or(self.main_tools.language)).language
    }

    /// The language of the tests in a folder; that of the main suite if there are none.
    pub(crate) fn language_in(&self, directory: &str) -> LanguageId {
        let suite = self.suites().find(|suite| suite.directory == directory);
        self.language_of(suite.unwrap_or(&self.main_suite))
    }

    /// The number of the first suite of a language; 0 if there is none.
    pub(crate) fn suite_in(&self, language: LanguageId) -> usize {
        self.suites().position(|suite| self.language_of(suite) == language).unwrap_or_default()
    }

    /// The interpreters of every language and version, that of the main suite first.
    pub(crate) fn interpreters(&self) -> Vec<Interpreter> {
        self.tools().map(|tools| tools.interpreter.clone()).collect()
    }

    /// Goes on with these interpreters, in the same order.
    pub(crate) fn use_interpreters(&mut self, interpreters: Vec<Interpreter>) {
        let tools = std::iter::once(&mut self.main_tools).chain(&mut self.other_tools);
        tools.zip(interpreters).for_each(|(tools, interpreter)| tools.interpreter = interpreter);
    }

    /// The same setup with another interpreter for the main suite.
    pub(crate) fn with_interpreter(&self, interpreter: Interpreter) -> Self {
        let main_tools = Tools { interpreter, ..self.main_tools };
        Self { main_tools, ..self.clone() }
    }

    /// Returns the command lines that decide what green is, for the user.
    pub fn command_lines(&self) -> Vec<String> {
        let required = self.linters.iter().filter(|linter| linter.is_required);
        let builds = self.builds.iter().map(|build| build.words.join(" "));
        let lints = required.map(|linter| linter.words.join(" "));
        let suites = self.suites().map(Suite::command_line);
        let checks = self.checks.iter().map(|check| check.words.join(" "));
        builds.chain(suites).chain(checks).chain(lints).collect()
    }

    /// The selectors by their suite, each as its runner understands it.
    pub(crate) fn by_suite(&self, selectors: &[String]) -> BTreeMap<usize, Vec<String>> {
        let mut sorted: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for selector in selectors {
            let labelled = self.suites().enumerate().skip(1);
            let own =
                |(number, suite): (usize, &Suite)| Some((number, selector.strip_prefix(&suite.label)?.to_owned()));
            // Of two labels of which one begins like the other, the longer.
            let found = labelled.filter_map(own).min_by_key(|(_, own)| own.len());
            let (number, own) = found.unwrap_or_else(|| (0, selector.clone()));
            sorted.entry(number).or_default().push(own);
        }
        sorted
    }
}

/// Tests that one command runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suite {
    /// The folder that the tests start in, relative to the repository: `""`, or a package of a monorepo.
    pub directory: String,
    /// Variables that CI sets for the tests.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Command that runs the tests.
    pub tests: TestCommand,
    /// Stands before the names of its tests, so that those of two suites differ; empty for the first.
    #[serde(default)]
    pub label: String,
    /// Versions of the interpreter that CI runs it with.
    #[serde(default)]
    pub ci_versions: BTreeSet<Version>,
    /// The suite repeats another one with the tools of this version; `None`: it repeats none.
    #[serde(default)]
    pub repeated_with: Option<Version>,
}

impl Suite {
    /// Returns whether another suite repeats this one.
    pub(crate) fn is_repeated_by(&self, other: &Self) -> bool {
        other.repeated_with.is_some() && self.tests == other.tests && self.directory == other.directory
    }

    /// Returns the command line with its folder, for the user.
    pub fn command_line(&self) -> String {
        let words = self.tests.words.join(" ");
        let folder = (!self.directory.is_empty()).then(|| format!("in {}", self.directory));
        let version = self.repeated_with.map(|version| format!("with version {version}"));
        let notes: Vec<String> = folder.into_iter().chain(version).collect();
        if notes.is_empty() { words } else { format!("{words} ({})", notes.join(", ")) }
    }
}

/// The interpreter that runs the tests.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Interpreter {
    /// Absolute path of the program.
    pub program: PathBuf,
    /// Host folders that it needs, seen read-only inside at the same path.
    pub folders: Vec<PathBuf>,
    /// Real paths of those folders that are reached through a link. They were resolved with the interpreter, before any command ran.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub links: BTreeMap<PathBuf, PathBuf>,
    /// The environment that was installed for the repository; `None`: it is this machine's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub installed: Option<InstalledEnvironment>,
    /// Major and minor version that the interpreter reports; `None`: not queried yet.
    #[serde(default)]
    pub version: Option<(u8, u8)>,
    /// Installed packages, seen read-only in the tree.
    #[serde(default)]
    pub modules: Vec<ModuleFolder>,
    /// Source of the interpreter, for the report: `.venv of the checkout`, `VIRTUAL_ENV`, `python3 on PATH`, `installed for this run`.
    pub found: String,
}

impl Interpreter {
    /// The mounts that show it.
    pub(crate) fn mounts(&self) -> Vec<Mount> {
        let real = |folder: &PathBuf| self.links.get(folder).unwrap_or(folder).clone();
        let mount = |folder: &PathBuf| Mount { host: real(folder), inside: folder.clone(), writable: false };
        self.folders.iter().map(mount).collect()
    }
}

/// An environment that was installed for the repository. Code of the repository may have run in it: no link of it leads anywhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstalledEnvironment {
    /// Path of the environment.
    pub folder: PathBuf,
    /// The interpreter that it was made with.
    pub base: PathBuf,
}

/// A folder of installed packages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleFolder {
    /// Path of the folder on this machine.
    pub host: PathBuf,
    /// Path at which the tests expect the folder, relative to the repository: `node_modules`.
    pub inside: String,
    /// The installation that it is part of; `None`: it is the user's own checkout's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub installed: Option<PathBuf>,
}

/// A command that builds, or compiles as a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildCommand {
    /// The command in words.
    pub words: Vec<String>,
    /// The folder it starts in, relative to the repository.
    pub directory: String,
    /// Variables that CI or the script sets for it.
    pub environment: BTreeMap<String, String>,
}

/// The command that runs the tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestCommand {
    /// Runner of the tests, which determines the report that the command writes.
    pub runner: TestRunner,
    /// Command line as a user would type it, as argv.
    pub words: Vec<String>,
    /// The words after the runner (`-m pytest`, `-m unittest`); for an opaque command all of them, the program first.
    pub arguments: Vec<String>,
}

/// A language server of this machine, and the command that starts it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LanguageServer {
    /// Name of the server, for the user.
    pub name: String,
    /// The command that starts it.
    pub words: Vec<String>,
    /// Paths of this machine that the server needs, mounted read-only in the sandbox at the same path.
    pub mounts: Vec<PathBuf>,
    /// Settings that the server receives when it starts (`initializationOptions` of the protocol).
    pub options: serde_json::Value,
    /// Settings that the server receives afterwards (`workspace/didChangeConfiguration`); `null`: none.
    pub settings: serde_json::Value,
}

/// A command of CI or of the project that runs a linter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LintCommand {
    /// Linter that the command runs.
    pub linter: Linter,
    /// Language whose tools run it: where its program was found.
    pub language: LanguageId,
    /// CI runs it, so its findings are red. Of one that is only configured they are worth a fix and hold up nothing.
    pub is_required: bool,
    /// The folder it starts in, relative to the repository.
    pub directory: String,
    /// The program on the host, absolute; seen read-only inside at the same path. Empty until it was found.
    pub program: PathBuf,
    /// Command line as a user would type it, as argv.
    pub words: Vec<String>,
    /// The words after the program (`check .`).
    pub arguments: Vec<String>,
    /// Requirement of the linter for pip: `black`, `black==24.1.0`; `None`: the linter is one of the project's own packages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requirement: Option<String>,
}

impl LintCommand {
    /// Returns whether the version that runs here is the one that CI runs: the repository says which, or its own packages hold it.
    pub(crate) fn is_pinned(&self) -> bool {
        self.requirement.as_ref().is_none_or(|requirement| requirement.contains("=="))
    }
}
