//! Commits as CI sees them, and the start of CI for one.

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
