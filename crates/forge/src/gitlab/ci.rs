//! CI results of a commit: pipelines, their jobs and logs, and the statuses of other CI.

use serde::Deserialize;
use serde_json::json;

use super::GitLab;
use crate::host::ci::{self, CONTEXT};
use crate::host::{ApiOperation, Check, CheckState, CommitChecks, HostError, Job, RepositoryName, StatusState};
use crate::{BranchName, CommitId};

/// The source of a pipeline that holds nothing but statuses of other CI.
const EXTERNAL: &str = "external";

/// The most pipelines whose jobs are read for one run: a pipeline, and those that it starts.
const MOST_PIPELINES: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct Pipeline {
    id: u64,
    #[serde(default)]
    project_id: Option<u64>,
    status: String,
    #[serde(default)]
    source: Option<String>,
    #[serde(default)]
    name: Option<String>,
}

#[derive(Debug, Deserialize)]
struct RawJob {
    id: u64,
    name: String,
    status: String,
    #[serde(default)]
    allow_failure: bool,
}

/// A job that starts a pipeline.
#[derive(Debug, Deserialize)]
struct Bridge {
    #[serde(flatten)]
    job: RawJob,
    pipeline: Pipeline,
    #[serde(default)]
    downstream_pipeline: Option<Pipeline>,
}

/// A status of a commit: a job of a pipeline, or the word of another CI.
#[derive(Debug, Deserialize)]
struct Status {
    id: u64,
    name: String,
    #[serde(rename = "status")]
    state: String,
    #[serde(default)]
    allow_failure: bool,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    target_url: Option<String>,
}

/// Returns the state that GitLab's word for a pipeline or job means. Unknown words do not mean success.
fn state_of(status: &str, may_fail: bool) -> CheckState {
    match status {
        "success" => CheckState::Success,
        // A manual job waits for a user; one that may fail does not block the others.
        "failed" | "manual" if may_fail => CheckState::Neutral,
        "failed" => CheckState::Failure,
        "skipped" => CheckState::Neutral,
        "canceled" => CheckState::Inconclusive,
        _ => CheckState::Pending,
    }
}

/// The word that GitLab has for the state of a commit.
const fn status_name(state: StatusState) -> &'static str {
    match state {
        StatusState::Pending => "pending",
        StatusState::Success => "success",
        StatusState::Failure => "failed",
    }
}

impl Pipeline {
    fn state(&self) -> CheckState {
        state_of(&self.status, false)
    }

    fn is_external(&self) -> bool {
        self.source.as_deref() == Some(EXTERNAL)
    }

    fn title(&self) -> String {
        let name = self.name.as_deref().filter(|name| !name.is_empty()).unwrap_or("pipeline");
        match self.source.as_deref() {
            None | Some("push") => name.to_owned(),
            Some(source) => format!("{name} ({source})"),
        }
    }
}

impl GitLab {
    /// Returns all CI results of a commit: the newest pipeline of each source, and the statuses of other CI. Statuses set by this program
    /// are left out, also where GitLab counts them as jobs of a pipeline. Statuses that the token may not read are reported in `unread`.
    pub(super) async fn checks_of(
        &self,
        repository: &RepositoryName,
        commit: &CommitId,
    ) -> Result<CommitChecks, HostError> {
        let query = [("sha", commit.as_str()), ("per_page", "100")];
        let url = self.url(repository, &["pipelines"], &query)?;
        let pipelines: Vec<Pipeline> = self.connection.list(ApiOperation::WatchCi, &url, None).await?;
        let (mut checks, mut unread) = (Vec::new(), None);
        for pipeline in newest(pipelines) {
            if pipeline.is_external() {
                match self.statuses(repository, commit, &[("pipeline_id", &pipeline.id.to_string())]).await {
                    Ok(statuses) => {
                        checks.extend(statuses.into_iter().filter(|said| said.name != CONTEXT).map(of_status));
                    }
                    Err(error @ (HostError::Forbidden { .. } | HostError::NotFound { .. })) => unread = Some(error),
                    Err(error) => return Err(error),
                }
                continue;
            }
            let state = match pipeline.state() {
                CheckState::Failure => self.state_without_us(repository, commit, &pipeline).await?,
                state => state,
            };
            checks.push(Check {
                name: pipeline.title(),
                state,
                url: Some(format!("{}/-/pipelines/{}", self.site.page(repository), pipeline.id)),
                run: Some(pipeline.id),
            });
        }
        Ok(CommitChecks::sorted(checks, unread))
    }

    /// The state of a red pipeline without the status that this program may have put into it: GitLab has a place for the word of others
    /// in pipelines only, and a failure there turns the pipeline red.
    async fn state_without_us(
        &self,
        repository: &RepositoryName,
        commit: &CommitId,
        pipeline: &Pipeline,
    ) -> Result<CheckState, HostError> {
        let statuses = match self.statuses(repository, commit, &[("pipeline_id", &pipeline.id.to_string())]).await {
            Ok(statuses) => statuses,
            Err(HostError::Forbidden { .. } | HostError::NotFound { .. }) => return Ok(CheckState::Failure),
            Err(error) => return Err(error),
        };
        let (ours, others): (Vec<_>, Vec<_>) = statuses.iter().partition(|status| status.name == CONTEXT);
        let others: Vec<_> = others.into_iter().map(|status| state_of(&status.state, status.allow_failure)).collect();
        let have_we_failed = ours.iter().any(|status| state_of(&status.state, false) == CheckState::Failure);
        if !have_we_failed || others.contains(&CheckState::Failure) {
            return Ok(CheckState::Failure);
        }
        // Any job of the pipeline can have the name of our status.
        let jobs = self.jobs_below(repository, pipeline.id).await?;
        if jobs.iter().any(|job| job.state == CheckState::Failure) {
            return Ok(CheckState::Failure);
        }
        let has = |state: CheckState| others.contains(&state);
        Ok(if has(CheckState::Pending) {
            CheckState::Pending
        } else if has(CheckState::Inconclusive) {
            CheckState::Inconclusive
        } else if has(CheckState::Success) {
            CheckState::Success
        } else {
            CheckState::Neutral
        })
    }

    /// The latest statuses of a commit.
    async fn statuses(
        &self,
        repository: &RepositoryName,
        commit: &CommitId,
        query: &[(&str, &str)],
    ) -> Result<Vec<Status>, HostError> {
        let query = [query, &[("per_page", "100")]].concat();
        let url = self.url(repository, &["repository", "commits", commit.as_str(), "statuses"], &query)?;
        self.connection.list(ApiOperation::WatchCi, &url, None).await
    }

    /// The jobs of a pipeline and of the failed ones that it started in the same project. Of a pipeline in another project there is the
    /// job that started it.
    pub(super) async fn jobs_below(&self, repository: &RepositoryName, pipeline: u64) -> Result<Vec<Job>, HostError> {
        let mut jobs = Vec::new();
        let (mut waiting, mut seen) = (vec![pipeline], std::collections::BTreeSet::new());
        while let Some(id) = waiting.pop() {
            if !seen.insert(id) || seen.len() > MOST_PIPELINES {
                continue;
            }
            let (id, query) = (id.to_string(), [("per_page", "100")]);
            let url = self.url(repository, &["pipelines", &id, "jobs"], &query)?;
            let own: Vec<RawJob> = self.connection.list(ApiOperation::WatchCi, &url, None).await?;
            jobs.extend(own.into_iter().map(of_job));
            let url = self.url(repository, &["pipelines", &id, "bridges"], &query)?;
            let bridges: Vec<Bridge> = self.connection.list(ApiOperation::WatchCi, &url, None).await?;
            for bridge in bridges {
                let is_here =
                    |below: &&Pipeline| below.project_id.is_some() && below.project_id == bridge.pipeline.project_id;
                let job = of_job(bridge.job);
                match bridge.downstream_pipeline.as_ref().filter(is_here) {
                    Some(below) if job.state == CheckState::Failure => waiting.push(below.id),
                    Some(_) | None => jobs.push(job),
                }
            }
        }
        Ok(jobs)
    }

    /// The log of a job as GitLab stores it; of a long one its beginning and its end.
    pub(super) async fn trace(&self, repository: &RepositoryName, job: u64) -> Result<String, HostError> {
        let url = self.url(repository, &["jobs", &job.to_string(), "trace"], &[])?;
        self.connection.text(ApiOperation::ReadLog, &url).await
    }

    pub(super) async fn start_pipeline(
        &self,
        repository: &RepositoryName,
        branch: &BranchName,
    ) -> Result<(), HostError> {
        let url = self.url(repository, &["pipeline"], &[])?;
        self.connection.tell(ApiOperation::StartCi, &url, &json!({ "ref": branch.as_str() })).await
    }

    /// Starts the failed and cancelled jobs of a pipeline again.
    pub(super) async fn retry(&self, repository: &RepositoryName, pipeline: u64) -> Result<(), HostError> {
        let url = self.url(repository, &["pipelines", &pipeline.to_string(), "retry"], &[])?;
        self.connection.tell(ApiOperation::RerunJobs, &url, &json!({})).await
    }

    /// Sets the status of a commit, unless it has that status already. A pending one is not set: it would be a job of the very pipeline
    /// that is watched, or of a pipeline of its own that never ends.
    pub(super) async fn say(
        &self,
        repository: &RepositoryName,
        commit: &CommitId,
        state: StatusState,
        description: &str,
    ) -> Result<(), HostError> {
        const LONGEST: usize = 140;
        if state == StatusState::Pending {
            return Ok(());
        }
        let description: String = description.chars().take(LONGEST).collect();
        let said = self.statuses(repository, commit, &[("name", CONTEXT)]).await?;
        let newest = said.iter().filter(|status| status.name == CONTEXT).max_by_key(|status| status.id);
        let is_said = newest.is_some_and(|status| {
            status.state == status_name(state) && status.description.as_deref() == Some(description.as_str())
        });
        if is_said {
            return Ok(());
        }
        let url = self.url(repository, &["statuses", commit.as_str()], &[])?;
        let body = json!({ "state": status_name(state), "name": CONTEXT, "description": description });
        self.connection.tell(ApiOperation::CommitStatus, &url, &body).await
    }
}

/// Returns the newest pipeline of each source. One that was skipped has no verdict: it replaces an earlier one only if that was
/// skipped, too.
fn newest(pipelines: Vec<Pipeline>) -> Vec<Pipeline> {
    let is_same = |one: &Pipeline, other: &Pipeline| one.source == other.source;
    ci::newest(pipelines, is_same, |pipeline| (pipeline.state() != CheckState::Neutral, pipeline.id))
}

fn of_job(job: RawJob) -> Job {
    Job { id: job.id, name: job.name, state: state_of(&job.status, job.allow_failure) }
}

fn of_status(status: Status) -> Check {
    let state = state_of(&status.state, status.allow_failure);
    Check { name: status.name, state, url: status.target_url, run: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pipeline(id: u64, status: &str, source: &str) -> Pipeline {
        let (status, source) = (status.to_owned(), Some(source.to_owned()));
        Pipeline { id, project_id: Some(1), status, source, name: None }
    }

    #[test]
    fn the_newest_pipeline_of_each_source_counts() {
        let kept = |pipelines| newest(pipelines).iter().map(|pipeline: &Pipeline| pipeline.id).collect::<Vec<_>>();
        assert_eq!(kept(vec![pipeline(3, "success", "push"), pipeline(1, "failed", "push")]), [3]);
        assert_eq!(kept(vec![pipeline(3, "success", "web"), pipeline(1, "failed", "push")]), [3, 1]);
        assert_eq!(kept(vec![pipeline(2, "skipped", "push"), pipeline(1, "failed", "push")]), [1]);
        assert_eq!(kept(vec![pipeline(1, "skipped", "push"), pipeline(2, "skipped", "push")]), [2]);
    }

    #[test]
    fn only_success_is_success() {
        for (status, may_fail, expected) in [
            ("success", false, CheckState::Success),
            ("failed", false, CheckState::Failure),
            ("failed", true, CheckState::Neutral),
            ("skipped", false, CheckState::Neutral),
            ("canceled", false, CheckState::Inconclusive),
            ("manual", false, CheckState::Pending),
            ("manual", true, CheckState::Neutral),
        ] {
            assert_eq!(state_of(status, may_fail), expected, "{status}");
        }
        for status in
            ["created", "waiting_for_resource", "preparing", "pending", "running", "canceling", "scheduled", "new"]
        {
            assert_eq!(state_of(status, true), CheckState::Pending, "{status}");
        }
    }
}
