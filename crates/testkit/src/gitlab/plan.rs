//! Pipelines and statuses of CI for a commit.

/// Pipelines and statuses that CI makes for a commit.
#[derive(Debug, Clone, Default)]
pub struct CiPlan {
    /// Number of requests for pipelines before they appear.
    pub appears_after: u32,
    /// True if pipelines appear only after one was started by hand.
    pub needs_start: bool,
    /// Pipelines of the commit.
    pub pipelines: Vec<PipelinePlan>,
    /// Statuses of other CI, in a separate pipeline: name and state.
    pub statuses: Vec<(String, String)>,
}

/// A pipeline.
#[derive(Debug, Clone)]
pub struct PipelinePlan {
    /// Reason it exists: `push`, `merge_request_event`.
    pub source: String,
    /// Number of times it is seen unfinished before it ends.
    pub takes: u32,
    /// Status at its end.
    pub status: String,
    /// Jobs of the pipeline.
    pub jobs: Vec<JobPlan>,
    /// Status after its failed jobs were started again; `None`: the same.
    pub when_retried: Option<String>,
}

/// A job of a pipeline.
#[derive(Debug, Clone)]
pub struct JobPlan {
    /// Name of the job.
    pub name: String,
    /// Status at its end.
    pub status: String,
    /// True if the pipeline succeeds without it.
    pub allow_failure: bool,
    /// Log of the job.
    pub trace: String,
}

impl CiPlan {
    /// One pipeline with one job, `test`, that ends at the second look.
    pub fn one_pipeline(status: &str, trace: &str) -> Self {
        let (status, trace) = (status.to_owned(), trace.to_owned());
        let job = JobPlan { name: "test".to_owned(), status: status.clone(), allow_failure: false, trace };
        let source = "push".to_owned();
        let pipeline = PipelinePlan { source, takes: 1, status, jobs: vec![job], when_retried: None };
        Self { appears_after: 1, pipelines: vec![pipeline], ..Self::default() }
    }

    /// Returns a plan of one pipeline that succeeds.
    pub fn green() -> Self {
        Self::one_pipeline("success", "all is well\n")
    }

    /// Returns a plan of one pipeline that fails with this log.
    pub fn red(trace: &str) -> Self {
        Self::one_pipeline("failed", trace)
    }

    /// No CI at all.
    pub fn none() -> Self {
        Self::default()
    }
}
