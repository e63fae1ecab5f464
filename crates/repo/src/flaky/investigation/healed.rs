//! Tests that failed and pass by now: whether they do so each time, and otherwise, too.

use std::collections::BTreeSet;

use autoheal_engine::workflow::StepError;

use super::super::conditions::Conditions;
use super::super::signs::{self, Sign};
use super::super::suspect::{SURE, Suspect, Tally};
use super::super::{FlakyKind, FlakyTest, Healing};
use super::Investigation;

impl Investigation<'_> {
    /// The flaky ones of these, which pass with all tests: each is run without the others, and under other conditions as far as it depends on
    /// them.
    pub(in crate::flaky) async fn run_healed(&mut self, suspects: &[Suspect]) -> Result<Vec<FlakyTest>, StepError> {
        let watched = Conditions { is_watched: true, ..Conditions::default() };
        let mut found = Vec::new();
        for suspect in suspects {
            if !self.has_time() {
                break;
            }
            let first = self.rerun(vec![suspect.selector.clone()], &watched).await?;
            let signs = signs::of(&first.touched, &self.files_of(suspect), self.session.sources());
            let flaky = match suspect.state_in(&first.result) {
                Some(true) => self.healed_by_accident(suspect, &signs).await?,
                Some(false) => Some(self.healed_among_others(suspect, &signs).await?),
                None => None,
            };
            found.extend(flaky);
        }
        Ok(found)
    }

    /// A test that passes, and may not do so under other conditions.
    async fn healed_by_accident(
        &mut self,
        suspect: &Suspect,
        signs: &BTreeSet<Sign>,
    ) -> Result<Option<FlakyTest>, StepError> {
        const FEW: usize = 3;
        for (kind, tried) in self.variations(signs) {
            for conditions in tried.into_iter().take(FEW) {
                let mut varied = Tally::default();
                while varied.passed == 0 && varied.count() < SURE && self.has_time() {
                    varied.add(self.alone(suspect, &conditions).await?);
                }
                if !varied.is_always(false) {
                    continue;
                }
                let evidence =
                    vec!["passes with the fix".to_owned(), format!("{} with {conditions}", varied.words(false))];
                let mut flaky = self.flaky(suspect, kind, evidence, Healing::Anything);
                flaky.reproduction = self.command_under(suspect, signs, &conditions, true);
                return Ok(Some(flaky));
            }
        }
        Ok(None)
    }

    /// A test that passes with all tests, and failed once without the others.
    async fn healed_among_others(&mut self, suspect: &Suspect, signs: &BTreeSet<Sign>) -> Result<FlakyTest, StepError> {
        let mut alone = Tally { passed: 0, failed: 1 };
        while alone.count() < SURE && self.has_time() {
            alone.add(self.alone(suspect, &Conditions::default()).await?);
        }
        let (kind, because) = if alone.is_always(false) {
            (FlakyKind::Order, "passes with the fix when all tests run".to_owned())
        } else {
            let (kind, because) = signs::likeliest(signs);
            (kind, because.to_owned())
        };
        let evidence = vec![format!("{} alone", alone.words(false)), because];
        Ok(self.flaky(suspect, kind, evidence, Healing::Never))
    }
}
