//! CI results of a commit: runs of Actions, their jobs and logs, and the checks and statuses of other CI.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{ApiOperation, GitHub, GitHubError, RepositoryName};
use crate::{BranchName, CommitId};

/// The context of the statuses that this program sets.
pub const CONTEXT: &str = "autoheal";

/// The app that runs Actions. Its checks duplicate workflow runs, which are requested separately.
const ACTIONS_APP: &str = "github-actions";

/// State of a check, run or job of CI: pending, or its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckState {
    /// It has not ended yet.
    Pending,
    /// It ended with success.
    Success,
    /// It failed, timed out, or could not start.
    Failure,
    /// It ended without a verdict by design: skipped or neutral.
    Neutral,
    /// It ended without a usable verdict: cancelled, stale, or with an unknown conclusion.
    Inconclusive,
}

impl CheckState {
    /// The state that GitHub's `status` and `conclusion` mean. Words that are not known are no success.
    fn of(status: Option<&str>, conclusion: Option<&str>) -> Self {
        match (status, conclusion) {
            (Some("completed"), Some("success")) => Self::Success,
            (Some("completed"), Some("failure" | "timed_out" | "startup_failure")) => Self::Failure,
            (Some("completed"), Some("skipped" | "neutral")) => Self::Neutral,
            // It waits for a person.
            (Some("completed"), Some("action_required")) => Self::Pending,
            (Some("completed"), _) => Self::Inconclusive,
            _ => Self::Pending,
        }
    }
}

/// One thing that CI does for a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// Name of the check, run or status.
    pub name: String,
    /// State of the check.
    pub state: CheckState,
    /// URL of its page, if it has one.
    pub url: Option<String>,
    /// The run of Actions that it is, which has jobs and logs; `None`: another CI.
    pub run: Option<u64>,
}

/// Everything that CI does for a commit, as far as the token may see it.
#[derive(Debug, Default)]
pub struct CommitChecks {
    /// Checks, sorted by name.
    pub checks: Vec<Check>,
    /// Error from reading the results of other CI, if they could not be read.
    pub unread: Option<GitHubError>,
}

#[derive(Debug, Deserialize)]
struct Run {
    id: u64,
    name: Option<String>,
    status: Option<String>,
    conclusion: Option<String>,
    html_url: Option<String>,
    workflow_id: u64,
    event: String,
}

#[derive(Debug, Deserialize)]
struct CheckRun {
    name: String,
    status: Option<String>,
    conclusion: Option<String>,
    html_url: Option<String>,
    app: Option<App>,
}

#[derive(Debug, Deserialize)]
struct App {
    slug: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Status {
    context: String,
    state: String,
    target_url: Option<String>,
    description: Option<String>,
}

/// A job of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Id of the job.
    pub id: u64,
    /// Name of the job.
    pub name: String,
    /// State of the job.
    pub state: CheckState,
}

#[derive(Debug, Deserialize)]
struct RawJob {
    id: u64,
    name: String,
    status: Option<String>,
    conclusion: Option<String>,
}

/// Workflow of Actions in a repository.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct WorkflowFile {
    /// Id of the workflow.
    pub id: u64,
    /// Path of the workflow's file, from the repository's top.
    pub path: String,
    /// State of the workflow: `active`, or the reason it is not.
    pub state: String,
}

impl WorkflowFile {
    /// Returns whether the workflow can be started.
    pub fn is_active(&self) -> bool {
        self.state == "active"
    }
}

/// State of a commit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusState {
    /// CI has not finished yet.
    Pending,
    /// All checks pass.
    Success,
    /// Some checks fail, or the run failed.
    Failure,
}

impl StatusState {
    /// The word that GitHub has for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Success => "success",
            Self::Failure => "failure",
        }
    }
}

impl GitHub {
    /// Returns all CI results of a commit: the newest run of each workflow and event, and the checks and statuses of other CI. Statuses
    /// set by this program are left out. Some kinds of token may read Actions only: that is reported in `unread` and is not an error.
    ///
    /// # Errors
    ///
    /// See [`GitHubError`].
    pub async fn checks(&self, repository: &RepositoryName, commit: &CommitId) -> Result<CommitChecks, GitHubError> {
        let doing = ApiOperation::WatchCi;
        let query = [("head_sha", commit.as_str()), ("per_page", "100")];
        let url = self.url(repository, &["actions", "runs"], &query)?;
        let runs: Vec<Run> = self.connection.list(doing, &url, Some("workflow_runs")).await?;
        let mut checks: Vec<Check> = newest(runs).into_iter().map(Check::of_run).collect();

        let mut unread = None;
        let mut seen = |found: Result<Vec<Check>, GitHubError>| match found {
            Ok(found) => {
                checks.extend(found);
                Ok(())
            }
            Err(error @ (GitHubError::Forbidden { .. } | GitHubError::NotFound { .. })) => {
                unread = Some(error);
                Ok(())
            }
            Err(error) => Err(error),
        };
        seen(self.other_checks(repository, commit).await)?;
        let statuses = self.statuses(repository, commit).await;
        let is_other = |status: &Status| status.context != CONTEXT;
        seen(statuses.map(|all| all.into_iter().filter(is_other).map(Check::of_status).collect()))?;
        checks.sort_by(|one, other| (&one.name, one.run).cmp(&(&other.name, other.run)));
        Ok(CommitChecks { checks, unread })
    }

    /// The checks of other CI than Actions.
    async fn other_checks(&self, repository: &RepositoryName, commit: &CommitId) -> Result<Vec<Check>, GitHubError> {
        let url = self.url(repository, &["commits", commit.as_str(), "check-runs"], &[("per_page", "100")])?;
        let all: Vec<CheckRun> = self.connection.list(ApiOperation::WatchCi, &url, Some("check_runs")).await?;
        let is_other = |run: &CheckRun| run.app.as_ref().and_then(|app| app.slug.as_deref()) != Some(ACTIONS_APP);
        Ok(all.into_iter().filter(is_other).map(Check::of_check_run).collect())
    }

    /// The newest status of each context.
    async fn statuses(&self, repository: &RepositoryName, commit: &CommitId) -> Result<Vec<Status>, GitHubError> {
        let url = self.url(repository, &["commits", commit.as_str(), "status"], &[("per_page", "100")])?;
        self.connection.list(ApiOperation::WatchCi, &url, Some("statuses")).await
    }

    /// The jobs of a run's latest attempt.
    ///
    /// # Errors
    ///
    /// See [`GitHubError`].
    pub async fn jobs(&self, repository: &RepositoryName, run: u64) -> Result<Vec<Job>, GitHubError> {
        let run = run.to_string();
        let url = self.url(repository, &["actions", "runs", &run, "jobs"], &[("per_page", "100")])?;
        let jobs: Vec<RawJob> = self.connection.list(ApiOperation::WatchCi, &url, Some("jobs")).await?;
        let job = |raw: RawJob| {
            let state = CheckState::of(raw.status.as_deref(), raw.conclusion.as_deref());
            Job { id: raw.id, name: raw.name, state }
        };
        Ok(jobs.into_iter().map(job).collect())
    }

    /// The log of a job as text; of a long one its beginning and its end.
    ///
    /// # Errors
    ///
    /// See [`GitHubError`]; [`GitHubError::NotFound`] for a log that GitHub has removed.
    pub async fn job_log(&self, repository: &RepositoryName, job: u64) -> Result<String, GitHubError> {
        let url = self.url(repository, &["actions", "jobs", &job.to_string(), "logs"], &[])?;
        self.connection.text_behind(ApiOperation::ReadLog, &url).await
    }

    /// The workflows of a repository.
    ///
    /// # Errors
    ///
    /// See [`GitHubError`].
    pub async fn workflows(&self, repository: &RepositoryName) -> Result<Vec<WorkflowFile>, GitHubError> {
        let url = self.url(repository, &["actions", "workflows"], &[("per_page", "100")])?;
        self.connection.list(ApiOperation::StartWorkflow, &url, Some("workflows")).await
    }

    /// Starts a workflow on a branch; it must have the trigger `workflow_dispatch`.
    ///
    /// # Errors
    ///
    /// See [`GitHubError`]; [`GitHubError::Refused`] when the workflow has no such trigger.
    pub async fn dispatch(
        &self,
        repository: &RepositoryName,
        workflow: u64,
        branch: &BranchName,
    ) -> Result<(), GitHubError> {
        let url = self.url(repository, &["actions", "workflows", &workflow.to_string(), "dispatches"], &[])?;
        self.connection.tell(ApiOperation::StartWorkflow, &url, &json!({ "ref": branch.as_str() })).await
    }

    /// Starts the failed jobs of a run again, on the same commit. The run keeps its id.
    ///
    /// # Errors
    ///
    /// See [`GitHubError`]; [`GitHubError::Forbidden`] when the token may not write Actions, or the run is too old.
    pub async fn rerun_failed_jobs(&self, repository: &RepositoryName, run: u64) -> Result<(), GitHubError> {
        let url = self.url(repository, &["actions", "runs", &run.to_string(), "rerun-failed-jobs"], &[])?;
        self.connection.tell(ApiOperation::RerunJobs, &url, &json!({})).await
    }

    /// Sets the status of a commit, unless it has that status already.
    ///
    /// # Errors
    ///
    /// See [`GitHubError`].
    pub async fn set_status(
        &self,
        repository: &RepositoryName,
        commit: &CommitId,
        state: StatusState,
        description: &str,
    ) -> Result<(), GitHubError> {
        const LONGEST: usize = 140;
        let description: String = description.chars().take(LONGEST).collect();
        let said = self.statuses(repository, commit).await?;
        let is_said = |status: &Status| {
            let same = status.description.as_deref() == Some(description.as_str());
            status.context == CONTEXT && status.state == state.name() && same
        };
        if said.iter().any(is_said) {
            return Ok(());
        }
        let url = self.url(repository, &["statuses", commit.as_str()], &[])?;
        let body = json!({ "state": state.name(), "context": CONTEXT, "description": description });
        self.connection.tell(ApiOperation::CommitStatus, &url, &body).await
    }
}

/// Returns the newest run of each workflow and event. A skipped run has no verdict: it replaces an earlier run only if that was
/// skipped, too.
fn newest(runs: Vec<Run>) -> Vec<Run> {
    let weight = |run: &Run| (run.state() != CheckState::Neutral, run.id);
    let mut newest: Vec<Run> = Vec::new();
    for run in runs {
        match newest.iter_mut().find(|other| other.workflow_id == run.workflow_id && other.event == run.event) {
            Some(other) if weight(other) < weight(&run) => *other = run,
            Some(_) => {}
            None => newest.push(run),
        }
    }
    newest
}

impl Run {
    fn state(&self) -> CheckState {
        CheckState::of(self.status.as_deref(), self.conclusion.as_deref())
    }
}

impl Check {
    fn of_run(run: Run) -> Self {
        Self {
            state: run.state(),
            name: run.name.unwrap_or_else(|| format!("workflow {}", run.workflow_id)),
            url: run.html_url,
            run: Some(run.id),
        }
    }

    fn of_check_run(run: CheckRun) -> Self {
        let state = CheckState::of(run.status.as_deref(), run.conclusion.as_deref());
        Self { name: run.name, state, url: run.html_url, run: None }
    }

    fn of_status(status: Status) -> Self {
        let state = match status.state.as_str() {
            "success" => CheckState::Success,
            "failure" | "error" => CheckState::Failure,
            _ => CheckState::Pending,
        };
        Self { name: status.context, state, url: status.target_url, run: None }
    }
}

#[cfg(test)]
mod tests {
    use super::{CheckState, Run, newest};

    #[test]
    fn a_skipped_run_hides_no_failure() {
        let run = |id, conclusion: &str| Run {
            id,
            name: None,
            status: Some("completed".to_owned()),
            conclusion: Some(conclusion.to_owned()),
            html_url: None,
            workflow_id: 1,
            event: "push".to_owned(),
        };
        let kept = |runs| newest(runs).iter().map(|run| run.id).collect::<Vec<_>>();
        assert_eq!(kept(vec![run(2, "skipped"), run(1, "failure")]), [1]);
        assert_eq!(kept(vec![run(1, "failure"), run(2, "neutral")]), [1]);
        assert_eq!(kept(vec![run(1, "failure"), run(3, "success"), run(2, "skipped")]), [3]);
        assert_eq!(kept(vec![run(1, "skipped"), run(2, "skipped")]), [2]);
    }

    #[test]
    fn only_success_is_success() {
        for conclusion in ["failure", "timed_out", "startup_failure"] {
            assert_eq!(CheckState::of(Some("completed"), Some(conclusion)), CheckState::Failure);
        }
        for conclusion in ["cancelled", "stale", "a word of tomorrow"] {
            assert_eq!(CheckState::of(Some("completed"), Some(conclusion)), CheckState::Inconclusive);
        }
        for status in ["queued", "in_progress", "waiting", "requested", "pending", "a word of tomorrow"] {
            assert_eq!(CheckState::of(Some(status), None), CheckState::Pending);
            assert_eq!(CheckState::of(Some(status), Some("success")), CheckState::Pending);
        }
        assert_eq!(CheckState::of(None, None), CheckState::Pending);
        assert_eq!(CheckState::of(Some("completed"), None), CheckState::Inconclusive);
        assert_eq!(CheckState::of(Some("completed"), Some("action_required")), CheckState::Pending);
        assert_eq!(CheckState::of(Some("completed"), Some("success")), CheckState::Success);
    }
}
