//! What is particular to a language's tools: which variables commands get, the words that run a part of the suite, how its report is read,
//! how an interpreter is found and what it lacks installed. Everything else of a run is the same for every language.
//!
//! # Layout
//!
//! - [`python`]: pytest and unittest
//! - [`node`]: jest, mocha, vitest and node:test
//! - `installing`: what every installation has in common
//!
//! A language is a folder here, and an arm in each `match` of this file.

pub(crate) mod installing;
pub(crate) mod node;
pub(crate) mod python;

use std::path::PathBuf;

use autoheal_code::javascript::probe as probe_of_node;
use autoheal_code::python::probe as probe_of_python;
use autoheal_code::report::{TestCase, TestReport};
use autoheal_code::vary;
use autoheal_code::{Environment, Sources};
use autoheal_engine::diagnostics::Finding;
use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_sandbox::{Image, Mount, Outcome};
use serde::{Deserialize, Serialize};

use crate::checkout::Checkout;
use crate::flaky::conditions::{Conditions, Moment};
use crate::folders::Folders;
use crate::project::Project;
use crate::session::Scope;
use crate::setup::{Interpreter, Setup};
use crate::state::HealState;
use crate::workflow::HealSettings;

/// The tools of one language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Toolchain {
    /// Python: pip, pytest, unittest.
    #[default]
    Python,
    /// JavaScript and TypeScript: npm, pnpm, yarn; jest, mocha, vitest, node:test.
    Node,
}

/// A repository as its tools see it: where it lies, and how it is tested.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    /// The tree, our scripts and the reports on this machine; the same paths inside.
    pub(crate) folders: &'a Folders,
    /// How the repository is tested.
    pub(crate) setup: &'a Setup,
    /// Its text.
    pub(crate) sources: &'a Sources,
}

impl Place<'_> {
    /// The interpreter as a command's word.
    pub(crate) fn program(&self) -> String {
        self.setup.interpreter.program.display().to_string()
    }

    /// One of our scripts as a command's word.
    pub(crate) fn tool(&self, name: &str) -> String {
        self.folders.tools().join(name).display().to_string()
    }

    /// Where the test report goes.
    pub(crate) fn report_path(&self) -> PathBuf {
        self.folders.report()
    }

    /// The prefixes that absolute names of the repository's files have inside.
    pub(crate) fn prefixes(&self) -> Vec<String> {
        vec![self.folders.tree().display().to_string()]
    }
}

/// What is needed to look for an interpreter, or to install.
#[derive(Clone, Copy)]
pub(crate) struct Search<'a> {
    /// How the repository is tested; its interpreter is what is looked for.
    pub(crate) setup: &'a Setup,
    /// What its manifests say.
    pub(crate) project: &'a Project,
    /// Where it lies.
    pub(crate) checkout: &'a Checkout,
    /// This machine.
    pub(crate) settings: &'a HealSettings,
    /// Where progress is told.
    pub(crate) context: &'a StepContext,
}

impl Toolchain {
    /// The container image that has its interpreter.
    pub(crate) fn image(self) -> Image {
        match self {
            Self::Python => Image::Python,
            Self::Node => Image::Node,
        }
    }

    /// Variables of every command, besides those that CI sets. `PATH` is among them.
    pub(crate) fn environment(self, folders: &Folders, setup: &Setup) -> Vec<(String, String)> {
        match self {
            Self::Python => python::environment(folders, setup),
            Self::Node => node::environment(folders, setup),
        }
    }

    /// The interpreter with everything that the tests need, installed when it has to be.
    pub(crate) async fn find_interpreter(
        self,
        search: Search<'_>,
        state: &mut HealState,
    ) -> Result<Interpreter, StepError> {
        match self {
            Self::Python => python::installation::find_interpreter(search, state).await,
            Self::Node => node::installation::find_interpreter(search, state).await,
        }
    }

    /// The command line that runs as much of the suite as `scope` says and leaves a report.
    pub(crate) fn test_words(self, place: &Place<'_>, scope: &Scope) -> Vec<String> {
        match self {
            Self::Python => python::suite::words(place, scope),
            Self::Node => node::suite::words(place, scope),
        }
    }

    /// The command line that does the same under other conditions, as far as they are told by words.
    pub(crate) fn varied_words(self, place: &Place<'_>, scope: &Scope, conditions: &Conditions) -> Vec<String> {
        match self {
            Self::Python => python::varied::words(place, scope, conditions),
            Self::Node => node::varied::words(place, scope, conditions),
        }
    }

    /// The variables that make other conditions, besides those of every command.
    pub(crate) fn varied_environment(self, place: &Place<'_>, conditions: &Conditions) -> Vec<(String, String)> {
        let tree = if conditions.is_before { place.folders.before() } else { place.folders.tree() };
        let touched = || place.folders.touched().display().to_string();
        let varied = [
            (vary::TREE, Some(tree.display().to_string())),
            (vary::TOUCHED, conditions.is_watched.then(touched)),
            (vary::CLOCK, conditions.clock.map(Moment::seconds)),
            (vary::SEED, conditions.seed.map(|seed| seed.to_string())),
            (vary::THREADS, conditions.threads.map(|threads| threads.word().to_owned())),
            (vary::ORDER, conditions.shuffle.map(|_| "reversed".to_owned())),
            ("TZ", conditions.zone.map(str::to_owned)),
        ];
        let own = match self {
            Self::Python => python::varied::environment(place, conditions),
            Self::Node => node::varied::environment(place),
        };
        varied.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).chain(own).collect()
    }

    /// The command that a person runs these tests with, and nothing else.
    pub(crate) fn own_command(self, place: &Place<'_>, selectors: &[String]) -> String {
        match self {
            Self::Python => python::varied::own_command(place, selectors),
            Self::Node => node::varied::own_command(place, selectors),
        }
    }

    /// The command that starts the runner that tries changes ([`autoheal_code::warm`]); `None`: there is none for this test runner.
    pub(crate) fn warm_words(self, place: &Place<'_>) -> Option<Vec<String>> {
        match self {
            Self::Python => python::suite::warm_words(place),
            Self::Node => node::suite::warm_words(place),
        }
    }

    /// Whether a selector stands for the test that the runner that tries changes calls so.
    pub(crate) fn is_selected(self, selector: &str, test: &str) -> bool {
        match self {
            Self::Python => test.strip_prefix(selector).is_some_and(|rest| rest.is_empty() || rest.starts_with('[')),
            Self::Node => node::suite::is_selected(selector, test),
        }
    }

    /// What a test has in common with those beside it.
    pub(crate) fn neighbourhood(self, test: &str) -> &str {
        match self {
            Self::Python => test.rsplit_once([':', '.']).map_or("", |(group, _)| group),
            Self::Node => test.split_once(node::suite::SEPARATOR).map_or("", |(file, _)| file),
        }
    }

    /// The report that the test command left; `None`: none that can be read.
    pub(crate) fn test_report(self, place: &Place<'_>, outcome: &Outcome) -> Option<TestReport> {
        match self {
            Self::Python => python::suite::report(place, outcome),
            Self::Node => node::suite::report(place, outcome),
        }
    }

    /// One finding for each red case of a report, in its order.
    pub(crate) fn findings(self, place: &Place<'_>, report: &TestReport) -> Vec<Finding> {
        match self {
            Self::Python => python::suite::findings(place, report),
            Self::Node => node::suite::findings(place, report),
        }
    }

    /// At least one finding in the output of a test command that failed and left none in a report.
    pub(crate) fn findings_in_output(self, place: &Place<'_>, outcome: &Outcome) -> Vec<Finding> {
        match self {
            Self::Python => python::suite::findings_in_output(place, outcome),
            Self::Node => node::suite::findings_in_output(place, outcome),
        }
    }

    /// The file of the repository that a test was collected from.
    pub(crate) fn file_of(self, place: &Place<'_>, case: &TestCase) -> Option<String> {
        match self {
            Self::Python => python::suite::file_of(place, case),
            Self::Node => node::suite::file_of(place, case),
        }
    }

    /// How the runner is told to run this case, and as little else as can be said safely.
    pub(crate) fn selector(self, place: &Place<'_>, case: &TestCase) -> Option<String> {
        match self {
            Self::Python => python::suite::selector(place, case),
            Self::Node => node::suite::selector(place, case),
        }
    }

    /// Whether the interpreter says better where a file does not parse than the runner's reports do.
    pub(crate) const fn explains_syntax(self) -> bool {
        match self {
            Self::Python => true,
            Self::Node => false,
        }
    }

    /// The commands that say which files do not parse, without running them.
    pub(crate) fn parse_check_words(self, place: &Place<'_>, files: &[String]) -> Vec<Vec<String>> {
        match self {
            Self::Python => vec![python::syntax_check_words(place, files)],
            Self::Node => node::parse_check_words(place, files),
        }
    }

    /// What one of them said.
    pub(crate) fn parse_check_findings(self, place: &Place<'_>, outcome: &Outcome) -> Vec<Finding> {
        match self {
            Self::Python => python::syntax_check_findings(outcome),
            Self::Node => node::parse_check_findings(place, outcome),
        }
    }

    /// The command that asks the interpreter what it can import.
    pub(crate) fn probe_words(self, place: &Place<'_>, findings: &[Finding]) -> Vec<String> {
        match self {
            Self::Python => python::probe_words(place, findings),
            Self::Node => node::probe_words(place, findings),
        }
    }

    /// Takes what that command said.
    ///
    /// # Errors
    ///
    /// Why it cannot be read.
    pub(crate) fn take_probe(self, said: &str, environment: &mut Environment) -> Result<(), String> {
        match self {
            Self::Python => environment.python = probe_of_python::parse(said).map_err(|error| error.to_string())?,
            Self::Node => environment.node = probe_of_node::parse(said).map_err(|error| error.to_string())?,
        }
        Ok(())
    }

    /// What is to be seen inside besides the tree, the interpreter and our own folders.
    pub(crate) fn mounts(self, folders: &Folders, setup: &Setup) -> Vec<Mount> {
        match self {
            Self::Python => Vec::new(),
            Self::Node => node::mounts(folders, &setup.interpreter),
        }
    }
}
