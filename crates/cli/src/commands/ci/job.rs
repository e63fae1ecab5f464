//! The job of GitHub Actions in which this runs, by its environment.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use serde_json::Value;
use url::Url;

/// The longest event that is read, in bytes.
const LONGEST_EVENT: u64 = 32 << 20;

/// Context of a job, from its environment.
#[derive(Debug)]
pub(super) struct Job {
    /// Folder of the checkout.
    pub(super) workspace: PathBuf,
    /// File to which the summary of the job is appended.
    pub(super) summary: Option<PathBuf>,
    /// File to which the outputs of the step are appended.
    pub(super) output: Option<PathBuf>,
    /// GitHub's API, where it is not that of github.com.
    pub(super) api: Option<Url>,
    /// The commit for which the job runs.
    pub(super) commit: Option<String>,
    server: Option<String>,
    repository: Option<String>,
    reference: Option<String>,
    event_name: Option<String>,
    event: Value,
}

impl Job {
    /// Reads the job from the environment variables of GitHub Actions.
    ///
    /// # Errors
    ///
    /// When the process does not run in such a job, or the workspace is not a git repository.
    pub(super) fn of_environment() -> anyhow::Result<Self> {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        if variable("GITHUB_ACTIONS").as_deref() != Some("true") {
            bail!("this is not a job of GitHub Actions (GITHUB_ACTIONS is not `true`); use `autoheal heal .` instead");
        }
        let workspace = variable("GITHUB_WORKSPACE")
            .map(PathBuf::from)
            .filter(|folder| folder.join(".git").exists())
            .context("GITHUB_WORKSPACE is not a git repository; add a step with actions/checkout")?;
        let api = variable("GITHUB_API_URL").map(|text| text.parse().context("GITHUB_API_URL is not an address"));
        Ok(Self {
            workspace,
            summary: variable("GITHUB_STEP_SUMMARY").map(PathBuf::from),
            output: variable("GITHUB_OUTPUT").map(PathBuf::from),
            api: api.transpose()?,
            commit: variable("GITHUB_SHA"),
            server: variable("GITHUB_SERVER_URL"),
            repository: variable("GITHUB_REPOSITORY"),
            reference: variable("GITHUB_REF"),
            event_name: variable("GITHUB_EVENT_NAME"),
            event: variable("GITHUB_EVENT_PATH").map(|path| event(Path::new(&path))).transpose()?.unwrap_or_default(),
        })
    }

    /// Returns the URL of the repository: `https://github.com/OWNER/NAME`.
    pub(super) fn repository_url(&self) -> anyhow::Result<String> {
        let server = self.server.as_deref().unwrap_or("https://github.com");
        let repository = self.repository.as_deref().context("GITHUB_REPOSITORY is not set")?;
        Ok(format!("{}/{repository}", server.trim_end_matches('/')))
    }

    /// The branch that the job is about, and the commit that it was at: the head of the pull request, or what was pushed. Other events run
    /// with more rights than what they are about has earned, or are about no commit.
    pub(super) fn head_to_push(&self) -> anyhow::Result<Head> {
        match self.event_name.as_deref().unwrap_or_default() {
            "pull_request" => {
                let head = &self.event["pull_request"]["head"];
                if head["repo"]["full_name"].as_str() != self.repository.as_deref() {
                    bail!("cannot push to the fork that the pull request comes from; remove --push");
                }
                let text = |name: &str| head[name].as_str().map(str::to_owned);
                let named = text("ref").zip(text("sha"));
                named
                    .map(|(branch, commit)| Head { branch, commit })
                    .context("the event has no head branch; remove --push")
            }
            "push" => {
                let reference = self.reference.as_deref().unwrap_or_default();
                let branch = reference.strip_prefix("refs/heads/").map(str::to_owned);
                let named = branch.zip(self.commit.clone());
                named.map(|(branch, commit)| Head { branch, commit }).with_context(|| {
                    format!("the job is about no branch (GITHUB_REF is `{reference}`): leave --push out")
                })
            }
            other => bail!("--push supports the events push and pull_request, not `{other}`; remove --push"),
        }
    }
}

/// Commit of a branch at the beginning of the job.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) branch: String,
    pub(super) commit: String,
}

fn event(path: &Path) -> anyhow::Result<Value> {
    use std::io::Read as _;
    let mut text = String::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(LONGEST_EVENT).read_to_string(&mut text))
        .with_context(|| format!("cannot read the event {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("the event {} is not JSON", path.display()))
}
