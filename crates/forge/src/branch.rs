//! The name of a branch that this program may write.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ForgeError;

/// Branches that belong to people, in whatever case.
const PROTECTED: [&str; 2] = ["main", "master"];

/// The longest name, in bytes: a branch is a file with `.lock` after it, and file names end at 255.
const LONGEST: usize = 244;

/// A valid branch name that is neither `main` nor `master`, in whatever case (spec, Property 16).
///
/// There is no other way to name a branch to commit or push to, so callers cannot forget the protection.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BranchName(String);

impl BranchName {
    /// The branch that `name` names, without `refs/heads/`. The rules are those of `git check-ref-format --branch`.
    ///
    /// # Errors
    ///
    /// [`ForgeError::InvalidBranch`], or [`ForgeError::ProtectedBranch`] for `main` and `master`.
    pub fn parse(name: &str) -> Result<Self, ForgeError> {
        if is_protected(name) {
            return Err(ForgeError::ProtectedBranch { branch: name.to_owned() });
        }
        match fault(name) {
            Some(reason) => Err(ForgeError::InvalidBranch { name: name.chars().take(80).collect(), reason }),
            None => Ok(Self(name.to_owned())),
        }
    }

    /// The name, without `refs/heads/`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name of the reference.
    pub fn reference(&self) -> String {
        format!("refs/heads/{}", self.0)
    }
}

impl fmt::Display for BranchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for BranchName {
    type Error = ForgeError;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        Self::parse(&name)
    }
}

impl From<BranchName> for String {
    fn from(name: BranchName) -> Self {
        name.0
    }
}

/// Returns whether `name` means `main` or `master`, also when it is written as a reference or in another case.
pub(crate) fn is_protected(name: &str) -> bool {
    let bare = ["refs/heads/", "heads/"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
    PROTECTED.iter().any(|protected| bare.eq_ignore_ascii_case(protected))
}

/// The first rule of `git check-ref-format` that `name` breaks.
pub(crate) fn fault(name: &str) -> Option<&'static str> {
    let bad = |character: char| character.is_ascii_control() || " ~^:?*[\\".contains(character);
    if name.is_empty() {
        Some("it is empty")
    } else if name.len() > LONGEST {
        Some("it is too long")
    } else if name == "HEAD" || name == "@" || name.starts_with("refs/") {
        Some("git gives it another meaning")
    } else if name.starts_with('-') {
        Some("it begins with a dash")
    } else if name.chars().any(bad) {
        Some("it holds a character that git forbids")
    } else if name.contains("..") || name.contains("@{") {
        Some("it holds `..` or `@{`")
    } else if name.ends_with('.') {
        Some("it ends in a dot")
    } else if name.split('/').any(|part| {
        // git compares `.lock` exactly; case-insensitive file systems do not.
        part.is_empty() || part.starts_with('.') || part.to_ascii_lowercase().ends_with(".lock")
    }) {
        Some("a part of it is empty, begins with a dot, or ends in `.lock`")
    } else {
        None
    }
}
