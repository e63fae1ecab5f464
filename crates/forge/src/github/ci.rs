//! CI results of a commit: runs of Actions, their jobs and logs, and the checks and statuses of other CI.

use serde::Deserialize;
use serde_json::json;

use super::GitHub;
use crate::host::ci::{self, CONTEXT};
use crate::host::{
    ApiOperation, Check, CheckState, CommitChecks, HostError, Job, RepositoryName, StartableCi, StatusState,
};
use crate::{BranchName, CommitId};

/// The app that runs Actions. Its checks duplicate workflow runs, which are requested separately.
const ACTIONS_APP: &str = "github-actions";

/// Returns the state that GitHub's `status` and `conclusion` mean. Unknown words do not mean success.
fn state_of(status: Option<&str>, conclusion: Option<&str>) -> CheckState {
    match (status, conclusion) {
        (Some("completed"), Some("success")) => CheckState::Success,
        (Some("completed"), Some("failure" | "timed_out" | "startup_failure")) => CheckState::Failure,
        (Some("completed"), Some("skipped" | "neutral")) => CheckState::Neutral,
        // It waits for a user.
        (Some("completed"), Some("action_required")) => CheckState::Pending,
        (Some("completed"), _) => CheckState::Inconclusive,
        _ => CheckState::Pending,
    }
}

/// The word that GitHub has for the state of a commit.
const fn status_name(state: StatusState) -> &'static str {
    match state {
        StatusState::Pending => "pending",
        StatusState::Success => "success",
        StatusState::Failure => "failure",
    }
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

#[derive(Debug, Deserialize)]
struct RawJob {
    id: u64,
    name: String,
    status: Option<String>,
    conclusion: Option<String>,
}

/// Workflow of Actions in a repository.
#[derive(Debug, Deserialize)]
struct WorkflowFile {
    id: u64,
    /// Path of the workflow's file, from the repository's top.
    path: String,
    /// `active`, or the reason it is not.
    state: String,
}

impl GitHub {
    /// Returns all CI results of a commit: the newest run of each workflow and event, and the checks and statuses of other CI. Statuses
    /// set by this program are left out. Some kinds of token may read Actions only: that is reported in `unread` and is not an error.
    pub(super) async fn checks_of(
        &self,
        repository: &RepositoryName,
        commit: &CommitId,
    ) -> Result<CommitChecks, HostError> {
        let doing = ApiOperation::WatchCi;
        let query = [("head_sha", commit.as_str()), ("per_page", "100")];
        let url = self.url(repository, &["actions", "runs"], &query)?;
        let runs: Vec<Run> = self.connection.list(doing, &url, Some("workflow_runs")).await?;
        let mut checks: Vec<Check> = newest(runs).into_iter().map(of_run).collect();

        let mut unread = None;
        let mut seen = |found: Result<Vec<Check>, HostError>| match found {
            Ok(found) => {
                checks.extend(found);
                Ok(())
            }
            Err(error @ (HostError::Forbidden { .. } | HostError::NotFound { .. })) => {
                unread = Some(error);
                Ok(())
            }
            Err(error) => Err(error),
        };
        seen(self.other_checks(repository, commit).await)?;
        let statuses = self.statuses(repository, commit).await;
        let is_other = |status: &Status| status.context != CONTEXT;
        seen(statuses.map(|all| all.into_iter().filter(is_other).map(of_status).collect()))?;
        Ok(CommitChecks::sorted(checks, unread))
    }

    /// The checks of other CI than Actions.
    async fn other_checks(&self, repository: &RepositoryName, commit: &CommitId) -> Result<Vec<Check>, HostError> {
        let url = self.url(repository, &["commits", commit.as_str(), "check-runs"], &[("per_page", "100")])?;
        let all: Vec<CheckRun> = self.connection.list(ApiOperation::WatchCi, &url, Some("check_runs")).await?;
        let is_other = |run: &CheckRun| run.app.as_ref().and_then(|app| app.slug.as_deref()) != Some(ACTIONS_APP);
        Ok(all.into_iter().filter(is_other).map(of_check_run).collect())
    }

    /// The newest status of each context.
    async fn statuses(&self, repository: &RepositoryName, commit: &CommitId) -> Result<Vec<Status>, HostError> {
        let url = self.url(repository, &["commits", commit.as_str(), "status"], &[("per_page", "100")])?;
        self.connection.list(ApiOperation::WatchCi, &url, Some("statuses")).await
    }

    /// The jobs of a run's latest attempt.
    pub(super) async fn jobs_of(&self, repository: &RepositoryName, run: u64) -> Result<Vec<Job>, HostError> {
        let run = run.to_string();
        let url = self.url(repository, &["actions", "runs", &run, "jobs"], &[("per_page", "100")])?;
        let jobs: Vec<RawJob> = self.connection.list(ApiOperation::WatchCi, &url, Some("jobs")).await?;
        let job = |raw: RawJob| {
            let state = state_of(raw.status.as_deref(), raw.conclusion.as_deref());
            Job { id: raw.id, name: raw.name, state }
        };
        Ok(jobs.into_iter().map(job).collect())
    }

    /// The log of a job as GitHub stores it; of a long one its beginning and its end.
    pub(super) async fn log_of(&self, repository: &RepositoryName, job: u64) -> Result<String, HostError> {
        let url = self.url(repository, &["actions", "jobs", &job.to_string(), "logs"], &[])?;
        self.connection.text_behind(ApiOperation::ReadLog, &url).await
    }

    /// The active workflows at these paths.
    pub(super) async fn workflows(
        &self,
        repository: &RepositoryName,
        files: &[String],
    ) -> Result<Vec<StartableCi>, HostError> {
        let url = self.url(repository, &["actions", "workflows"], &[("per_page", "100")])?;
        let known: Vec<WorkflowFile> = self.connection.list(ApiOperation::StartCi, &url, Some("workflows")).await?;
        let startable = known.into_iter().filter(|known| known.state == "active" && files.contains(&known.path));
        Ok(startable.map(|known| StartableCi { id: known.id, name: known.path }).collect())
    }

    /// Starts a workflow on a branch; it must have the trigger `workflow_dispatch`, else [`HostError::Refused`].
    pub(super) async fn dispatch(
        &self,
        repository: &RepositoryName,
        workflow: u64,
        branch: &BranchName,
    ) -> Result<(), HostError> {
        let url = self.url(repository, &["actions", "workflows", &workflow.to_string(), "dispatches"], &[])?;
        self.connection.tell(ApiOperation::StartCi, &url, &json!({ "ref": branch.as_str() })).await
    }

    /// Starts the failed jobs of a run again. [`HostError::Forbidden`] when the token may not write Actions, or the run is too old.
    pub(super) async fn rerun(&self, repository: &RepositoryName, run: u64) -> Result<(), HostError> {
        let url = self.url(repository, &["actions", "runs", &run.to_string(), "rerun-failed-jobs"], &[])?;
        self.connection.tell(ApiOperation::RerunJobs, &url, &json!({})).await
    }

    /// Sets the status of a commit, unless it has that status already.
    pub(super) async fn say(
        &self,
        repository: &RepositoryName,
        commit: &CommitId,
        state: StatusState,
        description: &str,
    ) -> Result<(), HostError> {
        const LONGEST: usize = 140;
        let description: String = description.chars().take(LONGEST).collect();
        let said = self.statuses(repository, commit).await?;
        let is_said = |status: &Status| {
            let same = status.description.as_deref() == Some(description.as_str());
            status.context == CONTEXT && status.state == status_name(state) && same
        };
        if said.iter().any(is_said) {
            return Ok(());
        }
        let url = self.url(repository, &["statuses", commit.as_str()], &[])?;
        let body = json!({ "state": status_name(state), "context": CONTEXT, "description": description });
        self.connection.tell(ApiOperation::CommitStatus, &url, &body).await
    }
}

/// Returns the newest run of each workflow and event. A skipped run has no verdict: it replaces an earlier run only if that was
/// skipped, too.
fn newest(runs: Vec<Run>) -> Vec<Run> {
    let is_same = |one: &Run, other: &Run| one.workflow_id == other.workflow_id && one.event == other.event;
    ci::newest(runs, is_same, |run| (run.state() != CheckState::Neutral, run.id))
}

impl Run {
    fn state(&self) -> CheckState {
        state_of(self.status.as_deref(), self.conclusion.as_deref())
    }
}

fn of_run(run: Run) -> Check {
    Check {
        state: run.state(),
        name: run.name.unwrap_or_else(|| format!("workflow {}", run.workflow_id)),
        url: run.html_url,
        run: Some(run.id),
    }
}

fn of_check_run(run: CheckRun) -> Check {
    let state = state_of(run.status.as_deref(), run.conclusion.as_deref());
    Check { name: run.name, state, url: run.html_url, run: None }
}

fn of_status(status: Status) -> Check {
    let state = match status.state.as_str() {
        "success" => CheckState::Success,
        "failure" | "error" => CheckState::Failure,
        _ => CheckState::Pending,
    };
    Check { name: status.context, state, url: status.target_url, run: None }
}

#[cfg(test)]
mod tests {
    use super::{CheckState, Run, newest, state_of};

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
            assert_eq!(state_of(Some("completed"), Some(conclusion)), CheckState::Failure);
        }
        for conclusion in ["cancelled", "stale", "a word of tomorrow"] {
            assert_eq!(state_of(Some("completed"), Some(conclusion)), CheckState::Inconclusive);
        }
        for status in ["queued", "in_progress", "waiting", "requested", "pending", "a word of tomorrow"] {
            assert_eq!(state_of(Some(status), None), CheckState::Pending);
            assert_eq!(state_of(Some(status), Some("success")), CheckState::Pending);
        }
        assert_eq!(state_of(None, None), CheckState::Pending);
        assert_eq!(state_of(Some("completed"), None), CheckState::Inconclusive);
        assert_eq!(state_of(Some("completed"), Some("action_required")), CheckState::Pending);
        assert_eq!(state_of(Some("completed"), Some("success")), CheckState::Success);
    }
}
