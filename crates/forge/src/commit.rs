//! Commits: their names, who made them, and what a new one is made of.

use std::collections::BTreeMap;
use std::fmt;

use autoheal_engine::Timestamp;
use serde::{Deserialize, Serialize};

use crate::ForgeError;

/// The full hash of a commit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CommitId(String);

impl CommitId {
    /// The hash that `text` writes: 40 (SHA-1) or 64 (SHA-256) hexadecimal digits.
    ///
    /// # Errors
    ///
    /// [`ForgeError::InvalidCommit`].
    pub fn parse(text: &str) -> Result<Self, ForgeError> {
        let text = text.trim();
        if matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            Ok(Self(text.to_ascii_lowercase()))
        } else {
            Err(ForgeError::InvalidCommit { text: text.chars().take(80).collect() })
        }
    }

    /// Returns the hash, as hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first 12 digits, for people.
    pub fn short(&self) -> &str {
        &self.0[..12]
    }
}

impl fmt::Display for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for CommitId {
    type Error = ForgeError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<CommitId> for String {
    fn from(id: CommitId) -> Self {
        id.0
    }
}

/// Name and mail address of an author or committer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Name of the author or committer.
    pub name: String,
    /// Mail address of the author or committer.
    pub email: String,
}

impl Default for Identity {
    /// Returns the program's own identity, `AutoHeal <autoheal@users.noreply.github.com>`.
    fn default() -> Self {
        Self { name: "AutoHeal".to_owned(), email: "autoheal@users.noreply.github.com".to_owned() }
    }
}

/// A commit to be made. The same request on the same parent gives the same hash, today and on another machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitRequest {
    /// Files by their path in the repository (`/` between parts): the new content, or `None` to delete the file.
    /// A file that exists keeps its mode; a new one is an ordinary file.
    pub files: BTreeMap<String, Option<Vec<u8>>>,
    /// Commit message, with subject and body.
    pub message: String,
    /// Its author. The committer is always [`Identity::default`]: that is how commits of ours are known again.
    pub author: Identity,
    /// Author and committer date; whole seconds count.
    pub at: Timestamp,
}

/// A commit as the log shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitInfo {
    /// Hash of the commit.
    pub id: CommitId,
    /// Hashes of the parent commits.
    pub parents: Vec<CommitId>,
    /// Author of the commit.
    pub author: Identity,
    /// Committer of the commit.
    pub committer: Identity,
    /// Author date of the commit.
    pub at: Timestamp,
    /// The whole message, without trailing blank lines.
    pub message: String,
}
