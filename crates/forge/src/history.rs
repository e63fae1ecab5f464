//! Commits and files of a clone.

use std::collections::BTreeMap;
use std::path::Path;

use autoheal_engine::Timestamp;

use crate::command::Invocation;
use crate::error::Operation;
use crate::limits::Admitted;
use crate::{BranchName, CommitId, CommitInfo, CommitRequest, ForgeError, Git, Identity, RepositoryAddress, inside};

/// The mode of an ordinary file.
const ORDINARY: &str = "100644";
/// The mode of a symbolic link.
const LINK: &str = "120000";

impl Git {
    /// Returns the commit that is checked out in the clone `dir`.
    ///
    /// # Errors
    ///
    /// [`ForgeError::Command`] if the clone has no commit.
    pub async fn head(&self, dir: &Path) -> Result<CommitId, ForgeError> {
        self.resolve(dir, "HEAD^{commit}").await
    }

    /// The commit at a branch of the clone, if the branch exists.
    ///
    /// # Errors
    ///
    /// See [`ForgeError`].
    pub async fn branch(&self, dir: &Path, branch: &BranchName) -> Result<Option<CommitId>, ForgeError> {
        let invocation = self.invocation(Operation::Read).within(dir);
        let output = self.run(invocation.args(["rev-parse", "--verify", "--quiet"]).arg(branch.reference())).await?;
        if output.is_success() { CommitId::parse(&output.text()?).map(Some) } else { Ok(None) }
    }

    /// The commit at the default branch of where a clone of `address` came from, as it was when it was cloned. Of a folder that is `main` or
    /// `master`, whatever is checked out there. `None`: it is not known.
    ///
    /// # Errors
    ///
    /// See [`ForgeError`].
    pub async fn default_commit(
        &self,
        dir: &Path,
        address: &RepositoryAddress,
    ) -> Result<Option<CommitId>, ForgeError> {
        let names: &[&str] = if address.path().is_some() { &["main", "master"] } else { &["HEAD"] };
        for name in names {
            let tip = self.cloned_tip(dir, name).await?;
            if tip.is_some() {
                return Ok(tip);
            }
        }
        Ok(None)
    }

    async fn cloned_tip(&self, dir: &Path, name: &str) -> Result<Option<CommitId>, ForgeError> {
        let tip = format!("refs/remotes/origin/{name}^{{commit}}");
        let invocation = self.invocation(Operation::Read).within(dir);
        let output = self.run(invocation.args(["rev-parse", "--verify", "--quiet", &tip])).await?;
        if output.is_success() { CommitId::parse(output.text()?.trim()).map(Some) } else { Ok(None) }
    }

    /// The hash of the tree of a commit: equal for commits with equal files.
    ///
    /// # Errors
    ///
    /// [`ForgeError::Command`] when the clone lacks the commit.
    pub async fn tree_hash(&self, dir: &Path, commit: &CommitId) -> Result<String, ForgeError> {
        Ok(self.resolve(dir, &format!("{commit}^{{tree}}")).await?.into())
    }

    async fn resolve(&self, dir: &Path, what: &str) -> Result<CommitId, ForgeError> {
        let invocation = self.invocation(Operation::Read).within(dir);
        CommitId::parse(&self.run(invocation.args(["rev-parse", "--verify", "--quiet", what])).await?.text()?)
    }

    /// Returns whether `ancestor` is `commit` or lies in its history.
    ///
    /// # Errors
    ///
    /// [`ForgeError::Command`] when the clone lacks one of them.
    pub async fn is_ancestor(&self, dir: &Path, ancestor: &CommitId, commit: &CommitId) -> Result<bool, ForgeError> {
        let invocation = self.invocation(Operation::Read).within(dir);
        let arguments = ["merge-base", "--is-ancestor", ancestor.as_str(), commit.as_str()];
        let output = self.run(invocation.args(arguments)).await?;
        match output.code() {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            Some(_) | None => Err(ForgeError::Command { doing: Operation::Read, reason: output.reason() }),
        }
    }

    /// Returns whether a commit of a clone of `address` lies on the default branch there: the owner of the repository has accepted
    /// the commits on it. For a folder, that is `main` or `master`, whichever branch is checked out; if it has neither, the branch
    /// that is checked out.
    ///
    /// # Errors
    ///
    /// See [`ForgeError`].
    pub async fn is_on_default_branch(
        &self,
        dir: &Path,
        address: &RepositoryAddress,
        commit: &CommitId,
    ) -> Result<bool, ForgeError> {
        let default = match self.default_commit(dir, address).await? {
            Some(default) => Some(default),
            None => self.cloned_tip(dir, "HEAD").await?,
        };
        match default {
            Some(default) => self.is_ancestor(dir, commit, &default).await,
            None => Ok(false),
        }
    }

    /// The first parent of a commit, if it has one and the clone goes back that far.
    ///
    /// # Errors
    ///
    /// See [`ForgeError`].
    pub async fn parent(&self, dir: &Path, commit: &CommitId) -> Result<Option<CommitId>, ForgeError> {
        let parent = format!("{commit}^1^{{commit}}");
        let invocation = self.invocation(Operation::Read).within(dir);
        let output =
            self.run(invocation.args(["rev-parse", "--verify", "--quiet", "--end-of-options", &parent])).await?;
        if output.is_success() { CommitId::parse(output.text()?.trim()).map(Some) } else { Ok(None) }
    }

    /// The commits that `to` has and `from` has not, newest first; with `from = None` the whole history.
    ///
    /// # Errors
    ///
    /// [`ForgeError::Command`] when the clone lacks one of them.
    pub async fn log(&self, dir: &Path, from: Option<&CommitId>, to: &CommitId) -> Result<Vec<CommitInfo>, ForgeError> {
        let until = from.map(|from| format!("^{from}"));
        self.commits(dir, std::iter::once(to.to_string()).chain(until)).await
    }

    /// At most `most` commits of the history of `to` whose messages contain a text, newest first.
    ///
    /// # Errors
    ///
    /// [`ForgeError::Command`] when the clone lacks the commit.
    pub async fn log_with(
        &self,
        dir: &Path,
        to: &CommitId,
        text: &str,
        most: usize,
    ) -> Result<Vec<CommitInfo>, ForgeError> {
        let search = ["--fixed-strings".to_owned(), format!("--grep={text}"), format!("--max-count={most}")];
        self.commits(dir, search.into_iter().chain([to.to_string()])).await
    }

    async fn commits(&self, dir: &Path, chosen: impl Iterator<Item = String>) -> Result<Vec<CommitInfo>, ForgeError> {
        let format = "--format=tformat:%H%x00%P%x00%an%x00%ae%x00%cn%x00%ce%x00%at%x00%B";
        let invocation =
            self.invocation(Operation::Read).within(dir).args(["log", "-z", "--no-show-signature", format]);
        let invocation = chosen.fold(invocation, Invocation::arg);
        let bytes = self.run(invocation.arg("--")).await?.bytes()?;
        let text = String::from_utf8_lossy(&bytes);
        let fields: Vec<&str> = text.split('\0').collect();
        fields.as_chunks::<8>().0.iter().map(commit_info).collect()
    }

    /// Returns the changes from `from` to `to`, as a unified diff that `git apply` accepts (binary files included).
    ///
    /// # Errors
    ///
    /// [`ForgeError::Command`] when the clone lacks one of them.
    pub async fn diff(&self, dir: &Path, from: &CommitId, to: &CommitId) -> Result<String, ForgeError> {
        let arguments = ["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--binary"];
        let invocation = self.invocation(Operation::Read).within(dir).args(arguments);
        let bytes = self.run(invocation.args([from.as_str(), to.as_str(), "--"])).await?.bytes()?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The files that differ between two commits, by path.
    ///
    /// # Errors
    ///
    /// [`ForgeError::Command`] when the clone lacks one of them.
    pub async fn changed_files(&self, dir: &Path, from: &CommitId, to: &CommitId) -> Result<Vec<String>, ForgeError> {
        let arguments =
            ["diff", "--name-only", "-z", "--no-ext-diff", "--no-renames", from.as_str(), to.as_str(), "--"];
        let bytes = self.run(self.invocation(Operation::Read).within(dir).args(arguments)).await?.bytes()?;
        Ok(names(&bytes))
    }

    /// The files of a commit, by path.
    ///
    /// # Errors
    ///
    /// [`ForgeError::Command`] when the clone lacks the commit.
    pub async fn files(&self, dir: &Path, commit: &CommitId) -> Result<Vec<String>, ForgeError> {
        let admitted = self.admit(dir, commit).await?;
        let arguments = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", admitted.as_str()];
        Ok(names(&self.run(self.invocation(Operation::Read).within(dir).args(arguments)).await?.bytes()?))
    }

    /// The content of a file in a commit, if it is there.
    ///
    /// # Errors
    ///
    /// [`ForgeError::Command`] when the clone lacks the commit.
    pub async fn file(&self, dir: &Path, commit: &CommitId, path: &str) -> Result<Option<Vec<u8>>, ForgeError> {
        let Some((_, blob)) = self.entry(dir, commit, path).await? else { return Ok(None) };
        let invocation = self.invocation(Operation::Read).within(dir);
        self.run(invocation.args(["cat-file", "blob", &blob])).await?.bytes().map(Some)
    }

    /// Writes the files of a commit into the folder `into`, without any of git's own: for commands that a repository
    /// controls, which must not reach the clone's `.git`.
    ///
    /// # Errors
    ///
    /// [`ForgeError::TreeTooLarge`], before anything is written; else see [`ForgeError`].
    pub async fn export(&self, dir: &Path, commit: &CommitId, into: &Path) -> Result<(), ForgeError> {
        let admitted = self.admit(dir, commit).await?;
        let failed = |source| ForgeError::Io { doing: Operation::Export, source };
        std::fs::create_dir_all(into).map_err(failed)?;
        let into = into.canonicalize().map_err(failed)?;
        let index = tempfile::tempdir_in(&self.surroundings.home).map_err(failed)?;
        let index_file = index.path().join("index");
        let command = || {
            let invocation = self.invocation(Operation::Export).within(dir).with_work_tree(&into);
            invocation.with_environment("GIT_INDEX_FILE", &index_file)
        };
        self.read_tree(command(), admitted).await?;
        self.run(command().args(["checkout-index", "--all", "--force", "--quiet"])).await?.bytes()?;
        Ok(())
    }

    /// Creates the branch at a commit, or moves it there, and checks it out. Uncommitted changes of the clone are dropped.
    ///
    /// # Errors
    ///
    /// [`ForgeError::Command`] when the clone lacks the commit.
    pub async fn create_branch(&self, dir: &Path, name: &BranchName, at: &CommitId) -> Result<(), ForgeError> {
        let at = self.admit(dir, at).await?;
        let invocation = self.invocation(Operation::Branch).within(dir);
        let arguments = ["checkout", "--quiet", "--force", "--no-track", "-B", name.as_str(), at.as_str(), "--"];
        self.run(invocation.args(arguments)).await?.bytes().map(drop)
    }

    /// Sets the clone's files and its current branch to a commit and removes files that git does not know; those that it
    /// ignores stay. A protected branch is not moved: the clone then has the commit checked out without a branch.
    ///
    /// # Errors
    ///
    /// [`ForgeError::Command`] when the clone lacks the commit.
    pub async fn reset_hard(&self, dir: &Path, commit: &CommitId) -> Result<(), ForgeError> {
        let admitted = self.admit(dir, commit).await?;
        let command = || self.invocation(Operation::Reset).within(dir);
        if self.current_branch(dir).await?.is_some_and(|branch| crate::branch::is_protected(&branch)) {
            let arguments = ["checkout", "--quiet", "--force", "--detach", commit.as_str(), "--"];
            self.run(command().args(arguments)).await?.bytes()?;
        }
        self.check_out(dir, admitted).await?;
        self.run(command().args(["clean", "--quiet", "-d", "--force", "--force"])).await?.bytes().map(drop)
    }

    /// Sets the files and the current branch of a clone to a commit; files that git does not know stay.
    pub(crate) async fn check_out(&self, dir: &Path, commit: Admitted<'_>) -> Result<(), ForgeError> {
        let invocation = self.invocation(Operation::Reset).within(dir);
        self.run(invocation.args(["reset", "--quiet", "--hard", commit.as_str(), "--"])).await?.bytes().map(drop)
    }

    /// Fills the index that `command` names with the tree of a commit.
    pub(crate) async fn read_tree(&self, command: Invocation<'_>, commit: Admitted<'_>) -> Result<(), ForgeError> {
        self.run(command.args(["read-tree", commit.as_str()])).await?.bytes().map(drop)
    }

    /// The branch that is checked out in the clone; `None`: a commit is.
    ///
    /// # Errors
    ///
    /// See [`ForgeError`].
    pub async fn current_branch(&self, dir: &Path) -> Result<Option<String>, ForgeError> {
        let invocation = self.invocation(Operation::Read).within(dir);
        let output = self.run(invocation.args(["symbolic-ref", "--quiet", "--short", "HEAD"])).await?;
        if output.is_success() { Ok(Some(output.text()?.trim().to_owned())) } else { Ok(None) }
    }

    /// Makes a commit on top of `parent`, without touching the clone's files, index or branches. The same parent and request
    /// give the same commit.
    ///
    /// # Errors
    ///
    /// [`ForgeError::NothingToCommit`] when the files are as they were; [`ForgeError::OutsideTree`] for a path that
    /// leaves the repository, passes through a link or is one.
    pub async fn commit_on(
        &self,
        dir: &Path,
        parent: &CommitId,
        request: &CommitRequest,
    ) -> Result<CommitId, ForgeError> {
        let admitted = self.admit(dir, parent).await?;
        let failed = |source| ForgeError::Io { doing: Operation::Commit, source };
        let index = tempfile::tempdir_in(&self.surroundings.home).map_err(failed)?;
        let index_file = index.path().join("index");
        let command = || {
            let invocation = self.invocation(Operation::Commit).within(dir);
            invocation.with_environment("GIT_INDEX_FILE", &index_file)
        };

        let mut changes = Vec::new();
        for (path, content) in &request.files {
            inside(dir, path)?;
            let entry = self.entry(dir, parent, path).await?;
            let mode = match entry {
                Some((mode, _)) if mode == LINK => return Err(ForgeError::OutsideTree { path: path.into() }),
                Some((mode, _)) => mode,
                // A file below a submodule would take the submodule's place.
                None if self.is_below_submodule(dir, parent, path).await? => {
                    return Err(ForgeError::OutsideTree { path: path.into() });
                }
                None => ORDINARY.to_owned(),
            };
            let line = match content {
                Some(content) => {
                    let hash =
                        command().with_stdin(content.as_slice()).args(["hash-object", "-w", "--stdin", "--path", path]);
                    format!("{mode} {}\t{path}\0", self.run(hash).await?.text()?.trim())
                }
                // Mode 0 takes the entry out; the hash must be there and does not count.
                None => format!("0 {}\t{path}\0", "0".repeat(parent.as_str().len())),
            };
            changes.extend_from_slice(line.as_bytes());
        }
        self.read_tree(command(), admitted).await?;
        self.run(command().with_stdin(changes).args(["update-index", "-z", "--index-info"])).await?.bytes()?;
        self.commit_index(dir, parent, &index_file, request).await
    }

    /// Commits what an index holds, on top of `parent`; of the request everything but its files.
    pub(crate) async fn commit_index(
        &self,
        dir: &Path,
        parent: &CommitId,
        index_file: &Path,
        request: &CommitRequest,
    ) -> Result<CommitId, ForgeError> {
        let command = || self.invocation(Operation::Commit).within(dir).with_environment("GIT_INDEX_FILE", index_file);
        let tree = self.run(command().arg("write-tree")).await?.text()?.trim().to_owned();
        if tree == self.tree_hash(dir, parent).await? {
            return Err(ForgeError::NothingToCommit);
        }
        let date = format!("@{} +0000", request.at.as_seconds().max(0));
        let committer = Identity::default();
        let commit = command()
            .with_environment("GIT_AUTHOR_NAME", &request.author.name)
            .with_environment("GIT_AUTHOR_EMAIL", &request.author.email)
            .with_environment("GIT_AUTHOR_DATE", &date)
            .with_environment("GIT_COMMITTER_NAME", &committer.name)
            .with_environment("GIT_COMMITTER_EMAIL", &committer.email)
            .with_environment("GIT_COMMITTER_DATE", &date)
            .with_stdin(request.message.as_bytes())
            .args(["commit-tree", &tree, "-p", parent.as_str(), "-F", "-"]);
        CommitId::parse(&self.run(commit).await?.text()?)
    }

    /// Commits to the branch that is checked out and writes the request's files into the clone; its other files stay as they
    /// are.
    ///
    /// # Errors
    ///
    /// [`ForgeError::ProtectedBranch`] when `main` or `master` is checked out; else see [`Git::commit_on`].
    pub async fn commit(&self, dir: &Path, request: &CommitRequest) -> Result<CommitId, ForgeError> {
        if let Some(branch) = self.current_branch(dir).await? {
            BranchName::parse(&branch)?;
        }
        let parent = self.head(dir).await?;
        let commit = self.commit_on(dir, &parent, request).await?;
        let command = || self.invocation(Operation::Commit).within(dir);
        self.run(command().args(["reset", "--quiet", "--mixed", commit.as_str(), "--"])).await?.bytes()?;
        for (path, content) in &request.files {
            if content.is_some() {
                self.run(command().args(["checkout-index", "--force", "--quiet", "--", path])).await?.bytes()?;
            } else if let Err(source) = std::fs::remove_file(inside(dir, path)?)
                && source.kind() != std::io::ErrorKind::NotFound
            {
                return Err(ForgeError::Io { doing: Operation::Commit, source });
            }
        }
        Ok(commit)
    }

    /// Reads files of a folder for a [`CommitRequest`]; one that is absent becomes a deletion.
    ///
    /// # Errors
    ///
    /// [`ForgeError::OutsideTree`] for a path that leaves the folder or passes through a link.
    pub fn read_files(dir: &Path, paths: &[String]) -> Result<BTreeMap<String, Option<Vec<u8>>>, ForgeError> {
        let mut files = BTreeMap::new();
        for path in paths {
            let content = match std::fs::read(inside(dir, path)?) {
                Ok(content) => Some(content),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
                Err(source) => return Err(ForgeError::Io { doing: Operation::Commit, source }),
            };
            files.insert(path.clone(), content);
        }
        Ok(files)
    }

    async fn is_below_submodule(&self, dir: &Path, commit: &CommitId, path: &str) -> Result<bool, ForgeError> {
        let folders: Vec<&str> = path.match_indices('/').map(|(at, _)| &path[..at]).collect();
        if folders.is_empty() {
            return Ok(false);
        }
        let command =
            self.invocation(Operation::Read).within(dir).args(["ls-tree", "-z", "--full-tree", commit.as_str(), "--"]);
        let bytes = self.run(command.args(folders)).await?.bytes()?;
        Ok(String::from_utf8_lossy(&bytes).split('\0').any(|entry| entry.starts_with("160000 ")))
    }

    /// Mode and blob of a file in a commit.
    async fn entry(&self, dir: &Path, commit: &CommitId, path: &str) -> Result<Option<(String, String)>, ForgeError> {
        let arguments = ["ls-tree", "-z", "--full-tree", commit.as_str(), "--", path];
        let bytes = self.run(self.invocation(Operation::Read).within(dir).args(arguments)).await?.bytes()?;
        let text = String::from_utf8_lossy(&bytes);
        let fields: Vec<&str> = text.split(['\t', '\0']).next().unwrap_or_default().split(' ').collect();
        Ok(match fields.as_slice() {
            [mode, "blob", hash] => Some(((*mode).to_owned(), (*hash).to_owned())),
            _ => None,
        })
    }
}

fn names(bytes: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(bytes).split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn commit_info(
    [id, parents, author, mail, committer, mail_of_committer, at, message]: &[&str; 8],
) -> Result<CommitInfo, ForgeError> {
    let identity = |name: &str, email: &str| Identity { name: name.to_owned(), email: email.to_owned() };
    Ok(CommitInfo {
        id: CommitId::parse(id)?,
        parents: parents.split_whitespace().map(CommitId::parse).collect::<Result<_, _>>()?,
        author: identity(author, mail),
        committer: identity(committer, mail_of_committer),
        at: Timestamp::from_millis(at.parse::<i64>().unwrap_or(0).saturating_mul(1000)),
        message: message.trim_end_matches('\n').to_owned(),
    })
}
