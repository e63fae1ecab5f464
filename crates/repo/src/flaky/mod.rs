//! Failures that come and go, or that depend on more than the program. They are reported with the evidence and the smallest reproduction,
//! and not "fixed".
//!
//! A failing test runs again, unchanged, and the things that it depends on and that change from run to run are recorded. Things that it
//! does not depend on are not tried. The others are held constant or varied, one at a time, and a change of the outcome counts when it
//! is repeatable.
//!
//! # Layout
//!
//! - [`FlakyKind`]: the kinds
//! - `conditions`: the conditions that are varied
//! - `signs`: reasons for a suspicion: notes, words in messages and in the tests' text
//! - `suspect`: a test that failed; `investigation`: one failing test, run until it is known what changes its outcome, and one that was healed
//! - `order`: the fewest tests that change the outcome of another

pub(crate) mod conditions;
mod flaky_test;
mod investigation;
mod order;
mod signs;
mod suspect;

use std::collections::BTreeSet;
use std::time::Duration;

use autoheal_engine::diagnostics::{Category, Finding, Key};
use autoheal_engine::workflow::{StepContext, StepError};

use crate::check_result::CheckResult;
use crate::session::Session;
use crate::state::Diagnosis;

pub use flaky_test::{FlakyKind, FlakyTest, Healing};
use investigation::Investigation;
use suspect::Suspect;

impl FlakyTest {
    /// Returns a summary of one line, for the user.
    pub fn summary(&self) -> String {
        let Self { test, kind, evidence, reproduction, .. } = self;
        format!(
            "flaky ({kind}): {test} depends {}: {}; to see it: {reproduction}",
            kind.explanation(),
            evidence.join("; ")
        )
    }

    /// Returns whether changes of the program are not tried against it: it depends on something else.
    pub(crate) fn depends_on_more(&self) -> bool {
        self.healing != Healing::Anything
    }

    /// Returns whether it shows a failure, which these tests show: its messages may differ each time.
    pub(crate) fn shows(&self, key: &Key, tests: &[&str]) -> bool {
        self.key == *key || tests == [self.test.as_str()]
    }
}

/// Component that would repair a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Healer {
    /// Rules, which propose known repairs.
    Rules,
    /// Search, which tries small changes.
    Search,
    /// Older commits, whose lines are restored.
    History,
    /// A language model that writes repairs.
    Model,
}

/// Returns whether this healer leaves a failure alone because it is flaky. Messages may differ each time, so
/// the tests that show the failure count, too.
pub(crate) fn is_left_alone(diagnosis: &Diagnosis, key: &Key, healer: Healer) -> bool {
    let Some(flaky) = of(diagnosis, key) else { return false };
    match flaky.healing {
        Healing::Never => true,
        Healing::Rules => healer != Healer::Rules || key.category == Category::Logic,
        Healing::Anything => false,
    }
}

/// Selectors of the tests that search leaves alone: they fail, whatever is changed, or come and go.
pub(crate) fn tests_left_alone(diagnosis: &Diagnosis) -> Vec<String> {
    diagnosis.flaky.iter().filter(|flaky| flaky.depends_on_more()).map(|flaky| flaky.test.clone()).collect()
}

/// The flaky test that shows this failure.
pub(crate) fn of<'diagnosis>(diagnosis: &'diagnosis Diagnosis, key: &Key) -> Option<&'diagnosis FlakyTest> {
    let selectors = diagnosis.current.as_ref().map(|observed| observed.result.selectors_of(key)).unwrap_or_default();
    let tests: Vec<&str> = selectors.iter().map(String::as_str).collect();
    diagnosis.flaky.iter().find(|flaky| flaky.shows(key, &tests))
}

/// Maximum number of failures that are investigated.
const MOST: usize = 5;

/// Time for the investigation, in addition to the duration of the suite.
const PATIENCE: Duration = Duration::from_secs(45);

/// State of the tests that are investigated: all of them failed in a run of the checks.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Question {
    /// They fail.
    Failing,
    /// They pass by now.
    Healed,
}

/// Runs a few of the tests that failed again, under other conditions, too, and says which of them are flaky.
pub(crate) async fn find(
    question: Question,
    result: &CheckResult,
    diagnosis: &Diagnosis,
    session: &mut Session,
    limit: Duration,
    context: &StepContext,
) -> Result<Vec<FlakyTest>, StepError> {
    let keys: BTreeSet<Key> = result.findings.iter().map(Finding::key).collect();
    let unknown = keys.into_iter().filter(|key| !key.category.hides_others() && of(diagnosis, key).is_none());
    let suspects: Vec<Suspect> = unknown.filter_map(|key| Suspect::of(result, key)).take(MOST).collect();
    let deadline = context.now().plus(PATIENCE + result.duration());
    let names: Vec<String> = suspects.iter().map(|suspect| suspect.selector.clone()).collect();
    let mut flaky = Vec::new();
    for (number, own) in session.setup().by_suite(&names) {
        let suite = session.setup().suites().nth(number);
        let (label, directory) = suite.map(|suite| (suite.label.clone(), suite.directory.clone())).unwrap_or_default();
        let suspects: Vec<Suspect> = suspects
            .iter()
            .filter(|suspect| {
                suspect.selector.strip_prefix(&label).is_some_and(|name| own.iter().any(|own| own == name))
            })
            .map(|suspect| suspect.without(&label))
            .collect();
        let mut investigation =
            Investigation { session, context, number, limit, deadline, suite: result.duration(), is_cut_short: false };
        let mut found = match question {
            Question::Failing => investigation.run(&suspects).await?,
            Question::Healed => investigation.run_healed(&suspects).await?,
        };
        for test in &mut found {
            test.test = format!("{label}{}", test.test);
            if !directory.is_empty() {
                test.reproduction = format!("cd {} && {}", shell_words::quote(&directory), test.reproduction);
            }
        }
        flaky.append(&mut found);
    }
    for test in &flaky {
        context.note("warning", test.summary());
    }
    Ok(flaky)
}
