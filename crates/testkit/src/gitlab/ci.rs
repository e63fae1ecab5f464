//! Pipelines and their jobs, as a commit's plan says.

use super::state::{Progress, State};
use super::{Commit, JobPlan, Shared};
use crate::github::commit_facts;

/// Number of pipelines of a commit, at most.
const PER_COMMIT: u64 = 100;

/// Number of jobs of a pipeline, at most.
const PER_PIPELINE: u64 = 100;

/// A pipeline as it is seen now.
pub(super) struct Seen {
    pub(super) id: u64,
    pub(super) sha: String,
    pub(super) source: String,
    pub(super) status: String,
    pub(super) jobs: Vec<(u64, JobPlan)>,
}

impl Shared {
    /// Makes sure that CI knows what to do for a commit.
    pub(super) fn plan(&self, sha: &str) {
        if self.state().ci.contains_key(sha) || commit_facts(&self.bare(), sha).is_none() {
            return;
        }
        let plan = (self.behaviour.ci)(&Commit { repository: &self.bare(), sha });
        let mut state = self.state();
        let first_pipeline = PER_COMMIT * (state.ci.len() as u64 + 1);
        state.ci.entry(sha.to_owned()).or_insert(Progress { plan, first_pipeline, polls: 0, is_started: false });
    }
}

impl State {
    /// The pipelines of a commit, the oldest first.
    pub(super) fn pipelines(&self, sha: &str) -> Vec<Seen> {
        let Some(progress) = self.ci.get(sha) else { return Vec::new() };
        let is_there = progress.polls > progress.plan.appears_after;
        let is_there = is_there && (!progress.plan.needs_start || progress.is_started);
        let plans = (progress.first_pipeline..).zip(&progress.plan.pipelines).filter(|_| is_there);
        let mut seen: Vec<Seen> = plans
            .map(|(id, plan)| {
                let looks = progress.polls.saturating_sub(progress.plan.appears_after);
                let has_ended = looks > plan.takes;
                let running = if looks == 1 { "pending" } else { "running" };
                let status = if has_ended { self.with_statuses(id, &plan.status) } else { running.to_owned() };
                let jobs = (id * PER_PIPELINE..).zip(plan.jobs.iter().cloned()).collect();
                let source = if progress.is_started { "api".to_owned() } else { plan.source.clone() };
                Seen { id, sha: sha.to_owned(), source, status, jobs }
            })
            .collect();
        let external = progress.first_pipeline + PER_COMMIT - 1;
        let planned = progress.plan.statuses.iter().map(|(_, state)| state.as_str());
        let set = self.statuses.iter().filter(|status| status.pipeline == external).map(|status| status.state.as_str());
        let states: Vec<&str> = planned.chain(set).collect();
        if !states.is_empty() {
            let status = if states.contains(&"failed") { "failed" } else { "success" };
            let (source, sha) = ("external".to_owned(), sha.to_owned());
            seen.push(Seen { id: external, sha, source, status: status.to_owned(), jobs: Vec::new() });
        }
        seen
    }

    /// The status of a pipeline with those that were set in it: each counts as a job.
    fn with_statuses(&self, pipeline: u64, status: &str) -> String {
        let newest = self.statuses.iter().rev().find(|set| set.pipeline == pipeline).map(|set| set.state.as_str());
        match newest {
            Some("failed") => "failed".to_owned(),
            Some("pending" | "running") => "running".to_owned(),
            _ => status.to_owned(),
        }
    }

    /// The pipeline into which a status of a commit goes: the newest, else one for statuses alone.
    pub(super) fn pipeline_for_statuses(&self, sha: &str) -> u64 {
        let external = self.ci.get(sha).map_or(0, |progress| progress.first_pipeline + PER_COMMIT - 1);
        self.pipelines(sha)
            .iter()
            .filter(|seen| seen.source != "external")
            .map(|seen| seen.id)
            .max()
            .unwrap_or(external)
    }

    /// The pipeline of this number.
    pub(super) fn pipeline(&self, id: u64) -> Option<Seen> {
        self.ci.keys().flat_map(|sha| self.pipelines(sha)).find(|seen| seen.id == id)
    }

    /// The log of a job.
    pub(super) fn trace(&self, job: u64) -> Option<String> {
        let seen = self.pipeline(job / PER_PIPELINE)?;
        seen.jobs.into_iter().find(|(id, _)| *id == job).map(|(_, plan)| plan.trace)
    }

    /// Starts the failed jobs of a pipeline again: the plan says how they end then.
    pub(super) fn retry(&mut self, id: u64) -> bool {
        for progress in self.ci.values_mut() {
            let index = id.checked_sub(progress.first_pipeline).and_then(|index| usize::try_from(index).ok());
            let polls = progress.polls.saturating_sub(progress.plan.appears_after);
            let Some(plan) = index.and_then(|index| progress.plan.pipelines.get_mut(index)) else { continue };
            plan.takes = polls + 1;
            if let Some(status) = plan.when_retried.clone() {
                plan.jobs.iter_mut().for_each(|job| job.status.clone_from(&status));
                plan.status = status;
            }
            return true;
        }
        false
    }
}
