//! Runs, checks and statuses of CI for a commit.

use std::path::Path;

use super::Shared;
use super::state::Progress;
use crate::repository::isolated_git;

/// A commit as CI sees it.
#[derive(Debug)]
pub struct Commit<'a> {
    /// Folder of the bare repository.
    pub repository: &'a Path,
    /// Hash of the commit.
    pub sha: &'a str,
}

impl Commit<'_> {
    /// Returns the content of a file in it; empty if there is no such file.
    pub fn file(&self, path: &str) -> String {
        show(self.repository, &[&format!("{}:{path}", self.sha)]).unwrap_or_default()
    }
}

/// Runs, checks and statuses that CI makes for a commit.
#[derive(Debug, Clone, Default)]
pub struct CiPlan {
    /// Number of requests for runs before they appear.
    pub appears_after: u32,
    /// True if runs appear only after a workflow was started by hand.
    pub needs_dispatch: bool,
    /// Workflow runs of Actions.
    pub runs: Vec<RunPlan>,
    /// Statuses of other CI: context and state.
    pub statuses: Vec<(String, String)>,
    /// Checks of other CI: name and conclusion.
    pub checks: Vec<(String, String)>,
}

/// A run of Actions.
#[derive(Debug, Clone)]
pub struct RunPlan {
    /// Name of the run.
    pub name: String,
    /// Number of times it is seen in progress, queued first, before it is complete.
    pub takes: u32,
    /// Conclusion of the run.
    pub conclusion: String,
    /// Jobs of the run.
    pub jobs: Vec<JobPlan>,
    /// Conclusion after its failed jobs were started again; `None`: the same.
    pub when_rerun: Option<String>,
}

/// A job of a run.
#[derive(Debug, Clone)]
pub struct JobPlan {
    /// Name of the job.
    pub name: String,
    /// Conclusion of the job.
    pub conclusion: String,
    /// Log of the job.
    pub log: String,
}

impl CiPlan {
    /// One run, `ci`, with one job, `test`, complete at the second look.
    pub fn one_run(conclusion: &str, log: &str) -> Self {
        let job = JobPlan { name: "test".to_owned(), conclusion: conclusion.to_owned(), log: log.to_owned() };
        let (name, conclusion) = ("ci".to_owned(), conclusion.to_owned());
        let run = RunPlan { name, takes: 1, conclusion, jobs: vec![job], when_rerun: None };
        Self { appears_after: 1, runs: vec![run], ..Self::default() }
    }

    /// Returns a plan of one run that succeeds.
    pub fn green() -> Self {
        Self::one_run("success", "2026-01-01T00:00:00.0000000Z all is well\n")
    }

    /// Returns a plan of one run that fails with this log.
    pub fn red(log: &str) -> Self {
        Self::one_run("failure", log)
    }

    /// No CI at all.
    pub fn none() -> Self {
        Self::default()
    }
}

/// Returns the commit at the tip of a branch.
pub(crate) fn branch_tip(repository: &Path, branch: &str) -> Option<String> {
    let reference = format!("refs/heads/{branch}");
    git_text(repository, &["rev-parse", "--verify", "--quiet", &reference])
}

/// A commit's tree, message and time.
pub(crate) fn commit_facts(repository: &Path, sha: &str) -> Option<(String, String, String)> {
    let text = show(repository, &["--no-patch", "--format=%T%n%aI%n%B", sha])?;
    let mut lines = text.splitn(3, '\n').map(str::to_owned);
    Some((lines.next()?, lines.next()?, lines.next().unwrap_or_default().trim_end().to_owned()))
}

/// The branch that `HEAD` names.
pub(crate) fn default_branch(repository: &Path) -> String {
    git_text(repository, &["symbolic-ref", "--short", "HEAD"]).unwrap_or_else(|| "main".to_owned())
}

fn show(repository: &Path, arguments: &[&str]) -> Option<String> {
    let output = isolated_git().current_dir(repository).arg("show").args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn git_text(repository: &Path, arguments: &[&str]) -> Option<String> {
    let output = isolated_git().current_dir(repository).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

impl Shared {
    /// Makes sure that CI knows what to do for a commit.
    pub(super) fn plan(&self, sha: &str) {
        if self.state().ci.contains_key(sha) || commit_facts(&self.bare(), sha).is_none() {
            return;
        }
        let plan = (self.behaviour.ci)(&Commit { repository: &self.bare(), sha });
        let mut state = self.state();
        let first_run = 1000 * (state.ci.len() as u64 + 1);
        for (index, run) in (0_u64..).zip(&plan.runs) {
            for (job_index, job) in (0_u64..).zip(&run.jobs) {
                state.logs.insert((first_run + index) * 100 + job_index, job.log.clone());
            }
        }
        state.ci.entry(sha.to_owned()).or_insert(Progress { plan, first_run, polls: 0, is_dispatched: false });
    }
}
