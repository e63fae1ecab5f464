//! Working data of a run in this process: the tree on disk, the warm sandbox, the repository's text.
//!
//! A session is a cache. Everything in it can be made again from the state, on any machine: the tree is the start commit
//! with the accepted fixes written over it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use autoheal_code::environment::Runtime;
use autoheal_code::hang;
use autoheal_code::report::{self, TestOutcome, TestReport};
use autoheal_code::{Environment, LanguageId, Sources};
use autoheal_engine::RunId;
use autoheal_engine::diagnostics::Finding;
use autoheal_engine::output;
use autoheal_engine::workflow::{OutputRecord, Record, StepContext, StepError};
use autoheal_sandbox::untrusted::{UntrustedFolder, remove_tree};
use autoheal_sandbox::{Command, Outcome, Sandbox, Workspace};

use crate::caches::InUse;
use crate::check_result::millis;
use crate::flaky::conditions::Conditions;
use crate::folders::Folders;
use crate::request::CommandLimits;
use crate::setup::{BuildCommand, Interpreter, OldFindings, Setup, Suite};
use crate::state::{FileText, TestRuns};
use crate::step_error::{disk, has_filled_the_disk, ran, sandbox_error};
use crate::toolchain::Place;
use crate::toolchains;
use crate::{tree, workspace};

/// A command of ours (the probe, the compile check) may take this long.
const OWN_COMMAND: Duration = Duration::from_mins(2);

/// Minimum for the time limit of a single test, which is otherwise the limit of the suite divided by `TESTS_IN_A_SUITE`. A test that
/// takes longer hangs. The limit becomes shorter when the tests that pass turn out to be fast.
const ONE_TEST: Duration = Duration::from_secs(20);
const TESTS_IN_A_SUITE: u64 = 30;

/// The tree, the sandbox around it, and the text in it.
pub(crate) struct Session {
    folders: Folders,
    pub(crate) setup: Setup,
    limits: CommandLimits,
    workspace: Box<dyn Workspace>,
    /// Guards that keep installed environments from being removed while they are used.
    installed: Vec<InUse>,
    sources: Sources,
    environment: Environment,
    is_probed: bool,
    /// Time limit of a single test, where the runner can end one alone.
    test_time: Duration,
    /// Output of the linters at the latest check, which includes the changes that they propose for their findings.
    lint_outputs: Vec<String>,
    pub(crate) test_runs: TestRuns,
}

impl Session {
    /// Opens a session on the tree in `folders`, which is there already.
    pub(crate) async fn open(
        run: RunId,
        folders: Folders,
        setup: Setup,
        limits: CommandLimits,
        sandbox: &Arc<dyn Sandbox>,
    ) -> Result<Self, StepError> {
        workspace::prepare(&folders)?;
        let sources = tree::read(&folders.tree(), &setup);
        let installed = workspace::in_use(&setup);
        let spec = workspace::spec(run, &folders, &setup);
        let workspace = sandbox.open(spec).await.map_err(|error| sandbox_error(&error))?;
        let mut environment = Environment::default();
        for toolchain in toolchains::ALL {
            let language = toolchain.language();
            let version = setup.tools_of(language).interpreter.version.unwrap_or_default();
            environment = environment.with(language, Runtime { version, ..Runtime::default() });
        }
        Ok(Self {
            folders,
            setup,
            limits,
            workspace,
            installed,
            sources,
            environment,
            is_probed: false,
            test_time: Duration::from_secs(limits.test_seconds / TESTS_IN_A_SUITE).max(ONE_TEST),
            lint_outputs: Vec::new(),
            test_runs: TestRuns::default(),
        })
    }

    /// Goes on with other interpreters on the same tree.
    pub(crate) async fn use_interpreters(
        &mut self,
        interpreters: Vec<Interpreter>,
        run: RunId,
        sandbox: &Arc<dyn Sandbox>,
    ) -> Result<(), StepError> {
        if interpreters == self.setup.interpreters() {
            return Ok(());
        }
        self.setup.use_interpreters(interpreters);
        crate::lint::programs::find_programs(&mut self.setup, &self.folders.tree());
        self.is_probed = false;
        // What was used before stays as well: the next candidate may want it again.
        self.installed.extend(workspace::in_use(&self.setup));
        let spec = workspace::spec(run, &self.folders, &self.setup);
        let workspace = sandbox.open(spec).await.map_err(|error| sandbox_error(&error))?;
        let old = std::mem::replace(&mut self.workspace, workspace);
        old.close().await.map_err(|error| sandbox_error(&error))
    }

    /// Ends what is kept warm.
    pub(crate) async fn close(self) -> Result<(), StepError> {
        self.workspace.close().await.map_err(|error| sandbox_error(&error))
    }

    /// Returns how often the tests were run since this was last asked.
    pub(crate) fn take_test_runs(&mut self) -> TestRuns {
        std::mem::take(&mut self.test_runs)
    }

    pub(crate) fn sources(&self) -> &Sources {
        &self.sources
    }

    pub(crate) fn environment(&self) -> &Environment {
        &self.environment
    }

    pub(crate) fn setup(&self) -> &Setup {
        &self.setup
    }

    pub(crate) fn lint_outputs(&self) -> &[String] {
        &self.lint_outputs
    }

    /// Protects files that define what green means.
    pub(crate) fn protect_tests(&mut self, files: &BTreeSet<String>) {
        for file in files {
            self.sources.protect(file);
        }
        self.setup.protected_tests.extend(files.iter().cloned());
    }

    /// Files of the program whose tests say what green means.
    pub(crate) fn keep_tests_in(&mut self, files: &BTreeSet<String>) {
        for file in files {
            self.sources.protect_tests_in(file);
        }
        self.setup.holding_tests.extend(files.iter().cloned());
    }

    pub(crate) fn keep_old_findings(&mut self, old: OldFindings) {
        self.setup.old_findings = old;
    }

    pub(crate) fn tree(&self) -> PathBuf {
        self.folders.tree()
    }

    /// The tree of the commit before, if there is one and it was written.
    pub(crate) fn tree_before(&self) -> Option<PathBuf> {
        Some(self.folders.before()).filter(|folder| UntrustedFolder::open(folder).is_ok())
    }

    pub(crate) fn keep_lint_outputs(&mut self, outputs: Vec<String>) {
        self.lint_outputs = outputs;
    }

    /// Once a test hung, it is known how long one takes that does not: later runs wait no longer for it. Returns how much sooner such a run ends.
    pub(crate) fn learn_patience(&mut self, report: &TestReport) -> Duration {
        const PATIENCE: u32 = 20;
        const SHORTEST: Duration = Duration::from_secs(1);
        let hung: Vec<Duration> =
            report.cases.iter().filter(|case| hang::hung(case)).map(|case| case.duration).collect();
        if hung.is_empty() {
            return Duration::ZERO;
        }
        let passed = report.cases.iter().filter(|case| case.outcome == TestOutcome::Passed);
        let slowest = passed.map(|case| case.duration).max().unwrap_or_default();
        self.test_time = (slowest * PATIENCE).clamp(SHORTEST, self.test_time);
        hung.iter().map(|took| took.saturating_sub(self.test_time)).sum()
    }

    /// The prefixes that absolute names of the repository's files have inside.
    pub(crate) fn prefixes(&self) -> Vec<String> {
        self.place().prefixes()
    }

    /// Writes files and returns what they held: writing that again takes the change back. All or nothing.
    pub(crate) fn write(&mut self, files: &[FileText]) -> Result<Vec<FileText>, StepError> {
        let undo = tree::write(&self.folders.tree(), files).map_err(|error| disk("writing a candidate", &error))?;
        for file in files {
            let protected = !self.sources.is_editable(&file.file);
            self.sources.insert(file.file.clone(), file.text.clone(), protected);
        }
        Ok(undo)
    }

    /// Asks the interpreter what it can import; once per session, and only when something is wrong.
    pub(crate) async fn probe(&mut self, findings: &[Finding], context: &StepContext) -> Result<(), StepError> {
        if std::mem::replace(&mut self.is_probed, true) {
            return Ok(());
        }
        let languages: BTreeSet<LanguageId> = self.setup.tools().map(|tools| tools.language).collect();
        for language in languages {
            let left = self.enter(language);
            let words = toolchains::of(language).probe_words(&self.place(), findings);
            if words.is_empty() {
                self.setup.at = left;
                continue;
            }
            // Ours, long, and asked again by whoever resumes: not kept with the run.
            let directory = self.setup.suite().directory.clone();
            let outcome = self.execute(&directory, words, OWN_COMMAND).await;
            self.setup.at = left;
            let said = String::from_utf8_lossy(&outcome?.stdout).into_owned();
            if let Err(why) = self.environment.read(language, &said) {
                // Fixers that need it give fewer candidates; the rest works.
                context.note("warning", format!("the interpreter could not be asked what it can import: {why}"));
            }
        }
        Ok(())
    }

    /// Runs one of our commands in the tests' folder. Its output is long and can be had again, so it is not kept with the run.
    pub(crate) async fn query(&mut self, words: Vec<String>) -> Result<Outcome, StepError> {
        let directory = self.setup.suite().directory.clone();
        self.execute(&directory, words, OWN_COMMAND).await
    }

    /// Runs one command in the tests' folder.
    pub(crate) async fn run(
        &mut self,
        words: Vec<String>,
        time: Duration,
        context: &StepContext,
    ) -> Result<Outcome, StepError> {
        let directory = self.setup.suite().directory.clone();
        self.run_in(&directory, words, time, context).await
    }

    /// Runs one command in a folder of the tree and keeps its output with the run.
    pub(crate) async fn run_in(
        &mut self,
        directory: &str,
        words: Vec<String>,
        time: Duration,
        context: &StepContext,
    ) -> Result<Outcome, StepError> {
        let outcome = self.execute(directory, words.clone(), time).await?;
        context.record(output_record(context, &words, &outcome));
        Ok(outcome)
    }

    /// Runs one command with the tools of a language in a folder of the tree, and keeps its output with the run.
    pub(crate) async fn run_with(
        &mut self,
        language: LanguageId,
        directory: &str,
        words: Vec<String>,
        time: Duration,
        context: &StepContext,
    ) -> Result<Outcome, StepError> {
        let left = self.enter(language);
        let outcome = self.run_in(directory, words, time, context).await;
        self.setup.at = left;
        outcome
    }

    /// Makes a suite of this language the one at hand, where there is one. Returns the number of the one that is left.
    fn enter(&mut self, language: LanguageId) -> usize {
        let left = self.setup.at;
        if self.setup.language() != language {
            self.setup.at = self.setup.suite_in(language);
        }
        left
    }

    /// Runs a command of tests under other conditions, in the tests' folder of the tree that they name.
    pub(crate) async fn run_under(
        &mut self,
        conditions: &Conditions,
        words: Vec<String>,
        time: Duration,
        context: &StepContext,
    ) -> Result<Outcome, StepError> {
        let mut command = self.command(&self.setup.suite().directory, words.clone(), time);
        if conditions.is_before {
            command.directory = self.folders.before().join(&self.setup.suite().directory);
        }
        command.environment.extend(conditions.variables(&self.folders));
        let toolchain = toolchains::of(self.setup.language());
        command.environment.extend(toolchain.varied_environment(&self.place(), conditions));
        let outcome = ran(self.workspace.run(&command).await)?;
        context.record(output_record(context, &words, &outcome));
        Ok(outcome)
    }

    /// Starts a command in the tests' folder that is kept and talked to; `time`: how long one answer may take.
    pub(crate) async fn converse(
        &mut self,
        words: Vec<String>,
        time: Duration,
    ) -> Result<Box<dyn autoheal_sandbox::Session>, StepError> {
        let folder = self.folders.tree().join(&self.setup.suite().directory);
        self.converse_in(&folder, words, time).await
    }

    /// The same in another folder that is seen inside.
    pub(crate) async fn converse_in(
        &mut self,
        folder: &Path,
        words: Vec<String>,
        time: Duration,
    ) -> Result<Box<dyn autoheal_sandbox::Session>, StepError> {
        let command = self.command(&folder.display().to_string(), words, time);
        self.workspace.session(&command).await.map_err(|error| sandbox_error(&error))
    }

    fn command(&self, directory: &str, words: Vec<String>, time: Duration) -> Command {
        let mut environment = workspace::of_suite(&self.folders, &self.setup);
        environment.insert(hang::SECONDS.to_owned(), self.test_time.as_secs_f64().to_string());
        Command {
            directory: self.folders.tree().join(directory),
            environment,
            limits: self.limits.within(time),
            ..Command::new(words)
        }
    }

    async fn execute(&mut self, directory: &str, words: Vec<String>, time: Duration) -> Result<Outcome, StepError> {
        let command = self.command(directory, words, time);
        let outcome = self.workspace.run(&command).await;
        if outcome.as_ref().is_ok_and(has_filled_the_disk) {
            // Whatever filled the disk is not to stay there until the run is forgotten. What cannot be removed now is swept later.
            for folder in [self.folders.tree(), self.folders.scratch(), self.folders.reports()] {
                let _: std::io::Result<()> = remove_tree(&folder);
            }
        }
        ran(outcome)
    }

    /// Makes the suite that these tests belong to the one at hand; without tests, the main one. Returns the tests as its runner calls them; of
    /// several suites, those of the first.
    pub(crate) fn enter_suite_of(&mut self, selectors: &[String]) -> Vec<String> {
        let (number, own) = self.setup.by_suite(selectors).pop_first().unwrap_or_default();
        self.setup.at = number;
        own
    }

    /// Sets files that are checked in addition, whether tests load them or not.
    pub(crate) fn keep_broken(&mut self, files: &BTreeSet<String>) {
        self.setup.broken_files.clone_from(files);
    }

    /// Continues with only these further suites and programs.
    pub(crate) fn keep_fit(&mut self, suites: Vec<Suite>, checks: Vec<BuildCommand>) {
        (self.setup.other_suites, self.setup.checks) = (suites, checks);
    }

    /// The findings of files that do not parse, as the interpreter says, whether any test loads them or not.
    pub(crate) async fn parse_check(
        &mut self,
        files: &[String],
        context: &StepContext,
    ) -> Result<Vec<Finding>, StepError> {
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let mut by_language: BTreeMap<LanguageId, Vec<String>> = BTreeMap::new();
        for file in files {
            by_language.entry(self.setup.language_for(file)).or_default().push(file.clone());
        }
        let mut findings = Vec::new();
        for (language, files) in by_language {
            let toolchain = toolchains::of(language);
            let left = self.enter(language);
            let commands = toolchain.parse_check_words(&self.place(), &files);
            self.setup.at = left;
            for words in commands {
                let outcome = self.run_with(language, "", words, OWN_COMMAND, context).await?;
                findings.extend(toolchain.parse_check_findings(&self.place(), &outcome));
            }
        }
        Ok(findings)
    }

    /// The repository as its tools see it.
    pub(crate) fn place(&self) -> Place<'_> {
        Place { folders: &self.folders, setup: &self.setup, sources: &self.sources }
    }
}

/// Reads the report that a command wrote.
pub(crate) fn read_report(folders: &Folders) -> std::io::Result<String> {
    folders.read_report(u64::try_from(report::junit::MAX_BYTES).unwrap_or(u64::MAX))
}

/// Returns the record of a command that the run keeps.
pub(crate) fn output_record(context: &StepContext, words: &[String], outcome: &Outcome) -> Record {
    Record::Output(OutputRecord {
        node: context.node.to_owned(),
        command: words.join(" "),
        ended: outcome.end.to_string(),
        output: output::text_of(&outcome.stdout, &outcome.stderr, output::MOST),
        millis: millis(outcome.duration),
    })
}
