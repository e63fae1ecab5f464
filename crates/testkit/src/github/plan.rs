//! Plans of CI: the runs, checks and statuses of a commit.

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
    /// One run, `ci`, with one job, `test`, complete at the second request.
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
