//! Tests of the crate through its public interface, against real git and real git over HTTP.
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod address;
mod branch;
mod clone;
mod github;
mod gitlab;
mod history;
mod hostile;
mod limits;
mod push;
mod token;
mod uncommitted;

use std::path::{Path, PathBuf};
use std::time::Duration;

use autoheal_engine::Timestamp;
use autoheal_forge::{
    CloneOptions, CommitId, CommitRequest, Git, GitSettings, HostToken, Identity, RepositoryAddress, SizeLimits,
};
use autoheal_testkit::repository::TestRepository;
use secrecy::SecretString;

fn git() -> Git {
    Git::new(GitSettings::default()).expect("a folder for git")
}

fn git_with(limits: SizeLimits) -> Git {
    Git::new(GitSettings { limits, ..GitSettings::default() }).expect("a folder for git")
}

/// `web`: where the token may go.
fn git_with_token(web: &str, token: &str) -> Git {
    let tokens = vec![HostToken::new(&web.parse().expect("an address"), "x-access-token", SecretString::from(token))];
    Git::new(GitSettings { tokens, timeout: Duration::from_secs(20), ..GitSettings::default() })
        .expect("a folder for git")
}

fn address(path: &Path) -> RepositoryAddress {
    RepositoryAddress::from_path(path).expect("a folder")
}

fn id(text: &str) -> CommitId {
    CommitId::parse(text).expect("a commit id")
}

/// A request that writes these files at a fixed time.
fn request(files: &[(&str, Option<&str>)]) -> CommitRequest {
    CommitRequest {
        files: files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), text.map(|text| text.as_bytes().to_vec())))
            .collect(),
        message: "[AI-AGENT] Fix SYNTAX error in a.py line 1".to_owned(),
        author: Identity::default(),
        at: Timestamp::from_millis(1_700_000_000_999),
    }
}

/// A clone of a test repository, in a folder of its own.
struct Cloned {
    folder: tempfile::TempDir,
    head: CommitId,
}

impl Cloned {
    async fn of(git: &Git, repository: &TestRepository) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let clone = folder.path().join("clone");
        git.clone(&address(&repository.path()), &clone, &CloneOptions::default()).await.expect("the clone");
        let head = git.head(&clone).await.expect("its head");
        Self { folder, head }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("clone")
    }
}
