//! Asking, fetching from and pushing to the repository that a clone came from.

use std::path::Path;

use url::Url;

use crate::clone::remote_error;
use crate::error::Operation;
use crate::{BranchName, CommitId, ForgeError, Git, RepositoryAddress, command};

/// Outcome of a push.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pushed {
    /// The remote branch was moved to the commit.
    Now,
    /// The remote branch was at the commit already, by an earlier push.
    Before,
}

impl Git {
    /// The commit at a branch of a remote repository, if the branch exists.
    ///
    /// # Errors
    ///
    /// The spec's `REPO_*` codes, see [`ForgeError::code`].
    pub async fn ls_remote(
        &self,
        address: &RepositoryAddress,
        branch: &BranchName,
    ) -> Result<Option<CommitId>, ForgeError> {
        let reference = branch.reference();
        let text = self.list(address, &["--refs"], &reference).await?;
        let line = text.lines().find_map(|line| line.strip_suffix(&reference));
        line.map(CommitId::parse).transpose()
    }

    /// The branch that `HEAD` of a remote repository names; `None`: it names a commit or nothing.
    ///
    /// # Errors
    ///
    /// The spec's `REPO_*` codes, see [`ForgeError::code`].
    pub async fn default_branch(&self, address: &RepositoryAddress) -> Result<Option<String>, ForgeError> {
        let text = self.list(address, &["--symref"], "HEAD").await?;
        let named = text.lines().find_map(|line| line.strip_prefix("ref: refs/heads/")?.strip_suffix("\tHEAD"));
        Ok(named.map(str::to_owned))
    }

    /// Name of the server of a working tree's remote `origin`, such as `github.com`; `None`: there is no such remote, or it is a folder.
    ///
    /// # Errors
    ///
    /// See [`ForgeError`].
    pub async fn origin_server(&self, dir: &Path) -> Result<Option<String>, ForgeError> {
        let invocation = self.invocation(Operation::Read).within(dir);
        let output = self.run(invocation.args(["config", "--get", "remote.origin.url"])).await?;
        // Git's status for a key that is not set.
        if output.code() == Some(1) { Ok(None) } else { Ok(server_of(output.text()?.trim())) }
    }

    async fn list(&self, address: &RepositoryAddress, flags: &[&str], what: &str) -> Result<String, ForgeError> {
        let invocation = self.invocation(Operation::LsRemote).with_remote(address).arg("ls-remote").args(flags);
        let serving = format!("--upload-pack={}", command::serving("upload-pack"));
        let output = self.run(invocation.arg(serving).arg("--").arg(address.argument()).arg(what)).await?;
        if output.is_success() { output.text() } else { Err(remote_error(address, &output)) }
    }

    /// Fetches a branch of a remote repository into the clone; the commit, if the branch exists.
    ///
    /// # Errors
    ///
    /// The spec's `REPO_*` codes, see [`ForgeError::code`].
    pub async fn fetch_branch(
        &self,
        dir: &Path,
        address: &RepositoryAddress,
        branch: &BranchName,
    ) -> Result<Option<CommitId>, ForgeError> {
        let Some(commit) = self.ls_remote(address, branch).await? else { return Ok(None) };
        let output = self
            .run(
                self.invocation(Operation::Fetch)
                    .within(dir)
                    .with_remote(address)
                    .args(["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"])
                    .arg(format!("--upload-pack={}", command::serving("upload-pack")))
                    .arg("--")
                    .arg(address.argument())
                    .arg(format!("+{}:refs/autoheal/fetched/{branch}", branch.reference())),
            )
            .await?;
        if output.is_success() { Ok(Some(commit)) } else { Err(remote_error(address, &output)) }
    }

    /// Moves a branch of a remote repository from `expected` (`None`: it must not exist) to `commit`, or creates it.
    ///
    /// Compare-and-set: when the branch is elsewhere, nothing is pushed. Commits on it are never dropped. A branch that is at
    /// `commit` already is a success, so a push may be repeated. In a folder the branch is created without touching the
    /// files there.
    ///
    /// # Errors
    ///
    /// [`ForgeError::ProtectedBranch`] when `branch` is the default branch there, [`ForgeError::RemoteMoved`],
    /// [`ForgeError::WouldRewrite`], [`ForgeError::CheckedOut`], [`ForgeError::PushRejected`], [`ForgeError::AccessDenied`].
    pub async fn push(
        &self,
        dir: &Path,
        address: &RepositoryAddress,
        commit: &CommitId,
        branch: &BranchName,
        expected: Option<&CommitId>,
    ) -> Result<Pushed, ForgeError> {
        if self.default_branch(address).await?.is_some_and(|default| default.eq_ignore_ascii_case(branch.as_str())) {
            return Err(ForgeError::ProtectedBranch { branch: branch.to_string() });
        }
        let found = self.ls_remote(address, branch).await?;
        if found.as_ref() == Some(commit) {
            return Ok(Pushed::Before);
        }
        if found.as_ref() != expected {
            return Err(remote_moved(branch, expected, found.as_ref()));
        }
        if let Some(expected) = expected
            && !self.is_ancestor(dir, expected, commit).await?
        {
            return Err(ForgeError::WouldRewrite {
                branch: branch.to_string(),
                expected: expected.to_string(),
                commit: commit.to_string(),
            });
        }
        let reference = branch.reference();
        let output = self
            .run(
                self.invocation(Operation::Push)
                    .within(dir)
                    .with_remote(address)
                    .args(["push", "--quiet", "--no-verify", "--no-follow-tags", "--no-recurse-submodules"])
                    .arg(format!("--receive-pack={}", command::serving("receive-pack")))
                    .arg(format!("--force-with-lease={reference}:{}", expected.map_or("", CommitId::as_str)))
                    .arg("--")
                    .arg(address.argument())
                    .arg(format!("{commit}:{reference}")),
            )
            .await?;
        if output.is_success() {
            return Ok(Pushed::Now);
        }
        // The branch may have been moved between the check and the push, by an earlier try or by another client.
        let now = self.ls_remote(address, branch).await?;
        if now.as_ref() == Some(commit) {
            Ok(Pushed::Before)
        } else if now.as_ref() != expected {
            Err(remote_moved(branch, expected, now.as_ref()))
        } else {
            Err(push_error(address, branch, &output))
        }
    }
}

fn remote_moved(branch: &BranchName, expected: Option<&CommitId>, found: Option<&CommitId>) -> ForgeError {
    let text = |commit: Option<&CommitId>| commit.map(ToString::to_string);
    ForgeError::RemoteMoved { branch: branch.to_string(), expected: text(expected), found: text(found) }
}

fn push_error(address: &RepositoryAddress, branch: &BranchName, output: &command::Output) -> ForgeError {
    let branch = branch.to_string();
    if output.stderr.contains("branch is currently checked out") || output.stderr.contains("checked out") {
        return ForgeError::CheckedOut { branch, address: address.to_string() };
    }
    match remote_error(address, output) {
        error @ (ForgeError::AccessDenied { .. } | ForgeError::DiskFull { .. }) => error,
        _ => ForgeError::PushRejected { branch, address: address.to_string(), reason: output.reason() },
    }
}

/// The server in a URL, or in the form of scp: `git@github.com:OWNER/NAME`. Nothing else of the address, which may hold a credential.
fn server_of(address: &str) -> Option<String> {
    if address.contains("://") {
        return Url::parse(address).ok()?.host_str().map(str::to_owned);
    }
    let (login, _) = address.split_once(':').filter(|(login, _)| !login.contains('/'))?;
    Some(login.rsplit('@').next().unwrap_or(login).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_is_read_from_every_form_of_address() {
        for (address, server) in [
            ("https://github.com/octo/shop.git", Some("github.com")),
            ("https://user:secret@gitlab.example:8443/group/shop", Some("gitlab.example")),
            ("ssh://git@github.com:22/octo/shop", Some("github.com")),
            ("git@github.com:octo/shop.git", Some("github.com")),
            ("github.com:octo/shop.git", Some("github.com")),
            ("/srv/git/shop.git", None),
            ("../shop:old", None),
            ("file:///srv/git/shop.git", None),
        ] {
            assert_eq!(server_of(address).as_deref(), server, "{address}");
        }
    }
}
