//! Everything that decides the colour of a tree, run together: linters, builds, and every suite.

use std::time::Duration;

use autoheal_engine::diagnostics::Finding;
use autoheal_engine::workflow::{StepContext, StepError};

use crate::check_result::CheckResult;
use crate::flaky::conditions::Conditions;
use crate::session::Session;
use crate::setup::Suite;
use crate::suite::{self, Rerun};
use crate::test_scope::Scope;
use crate::{build, lint};

impl Session {
    /// Runs the checks on the tree as it is.
    pub(crate) async fn run_checks(
        &mut self,
        scope: &Scope,
        limit: Duration,
        context: &StepContext,
    ) -> Result<CheckResult, StepError> {
        let mut linted = lint::Linted::default();
        if matches!(scope, Scope::All | Scope::UntilFirstFailure) {
            linted = lint::run(self, context).await?;
            if !linted.findings.is_empty() && *scope == Scope::UntilFirstFailure {
                return Ok(CheckResult { findings: linted.findings, advice: linted.advice, ..CheckResult::default() });
            }
        }
        let built = build::run(self, limit, context).await?;
        if !built.is_empty() && matches!(scope, Scope::UntilFirstFailure | Scope::Only(_)) {
            return Ok(CheckResult { findings: built, advice: linted.advice, ..CheckResult::default() });
        }
        match scope {
            Scope::All | Scope::UntilFirstFailure => self.test_runs.whole += 1,
            Scope::Only(_) | Scope::Again(_) => self.test_runs.part += 1,
        }
        let mut result = self.suites(scope, limit, context).await?;
        if *scope == Scope::All || *scope == Scope::UntilFirstFailure && result.findings.is_empty() {
            result.findings.append(&mut build::check(self, limit, context).await?);
            let broken: Vec<String> = self.setup.broken_files.iter().cloned().collect();
            result.add_unread(self.parse_check(&broken, context).await?);
        }
        // A linter may meet the errors of the build, too.
        for finding in built.into_iter().chain(linted.findings) {
            let is_it = |known: &Finding| known.key() == finding.key() && known.location == finding.location;
            if !result.findings.iter().any(is_it) {
                result.findings.push(finding);
            }
        }
        result.advice = linted.advice;
        Ok(result)
    }

    /// Runs every suite that `scope` is about. The main one is at hand afterwards.
    async fn suites(
        &mut self,
        scope: &Scope,
        limit: Duration,
        context: &StepContext,
    ) -> Result<CheckResult, StepError> {
        let of_each = |selectors: &[String], scope: fn(Vec<String>) -> Scope| -> Vec<(usize, Scope)> {
            self.setup.by_suite(selectors).into_iter().map(|(number, own)| (number, scope(own))).collect()
        };
        let parts = match scope {
            Scope::All | Scope::UntilFirstFailure => {
                (0..self.setup.suites().count()).map(|number| (number, scope.clone())).collect()
            }
            Scope::Only(selectors) => of_each(selectors, Scope::Only),
            Scope::Again(selectors) => of_each(selectors, Scope::Again),
        };
        let suites: Vec<Suite> = self.setup.suites().cloned().collect();
        let mut result = CheckResult::default();
        for (number, scope) in parts {
            let Some(Suite { label, repeated_with, .. }) = suites.get(number) else { continue };
            // What fails with one version is not tried with the others, too: they are of use once it is healed.
            if repeated_with.is_some() && scope == Scope::All && !result.findings.is_empty() {
                result.not_repeated.insert(label.clone());
                continue;
            }
            let seen = self.check_suite(number, &scope, limit, context).await?;
            if repeated_with.is_some() && !seen.findings.is_empty() {
                context.note("finding", format!("{label}{} failures, with this version first", seen.findings.len()));
            }
            result.add_suite(seen, label);
            if !result.findings.is_empty() && matches!(scope, Scope::UntilFirstFailure | Scope::Only(_)) {
                break;
            }
        }
        Ok(result)
    }

    /// Runs one suite alone, by its number.
    pub(crate) async fn check_suite(
        &mut self,
        number: usize,
        scope: &Scope,
        limit: Duration,
        context: &StepContext,
    ) -> Result<CheckResult, StepError> {
        self.setup.at = number;
        let result = suite::run(self, scope, limit, context).await;
        self.setup.at = 0;
        result
    }

    /// Runs a part of the suite of this number under other conditions.
    pub(crate) async fn rerun(
        &mut self,
        number: usize,
        scope: &Scope,
        conditions: &Conditions,
        limit: Duration,
        context: &StepContext,
    ) -> Result<Rerun, StepError> {
        self.setup.at = number;
        let rerun = suite::rerun(self, scope, conditions, limit, context).await;
        self.setup.at = 0;
        rerun
    }
}
