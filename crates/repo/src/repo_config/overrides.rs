//! Settings for the healing that only the repository defines, not the request: versions of interpreters, the author of commits.

use std::fmt;

use autoheal_forge::Identity;
use serde::{Deserialize, Serialize};

/// Settings that replace what is otherwise detected or the default: versions of interpreters, the author of commits.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Overrides {
    /// The Python that runs the tests.
    pub python: Option<Version>,
    /// The Node that runs the tests.
    pub node: Option<Version>,
    /// The author of commits; the committer is always ours.
    pub author: Option<Identity>,
}

/// A version, or every version that begins like it: `3.11`, `20`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Version {
    /// Major version number.
    pub major: u8,
    /// Minor version number; `None`: any.
    pub minor: Option<u8>,
}

impl Version {
    /// Returns whether an interpreter with this major and minor version matches.
    pub fn fits(self, (major, minor): (u8, u8)) -> bool {
        self.major == major && self.minor.is_none_or(|wanted| wanted == minor)
    }
}

impl TryFrom<String> for Version {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let invalid = || format!("`{text}` is no version such as \"3.11\" or \"20\"");
        let mut numbers = text.split('.').map(|number| number.parse::<u8>().map_err(|_| invalid()));
        let major = numbers.next().ok_or_else(invalid)??;
        let minor = numbers.next().transpose()?;
        // Patch releases come and go on a machine; what differs between them is seldom what a project means.
        if numbers.next().is_some() { Err(invalid()) } else { Ok(Self { major, minor }) }
    }
}

impl From<Version> for String {
    fn from(version: Version) -> Self {
        version.to_string()
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.major)?;
        self.minor.map_or(Ok(()), |minor| write!(f, ".{minor}"))
    }
}

/// `Name <mail@example.org>` as git has it.
pub(crate) fn identity(text: &str) -> Option<Identity> {
    let (name, email) = text.trim().strip_suffix('>')?.split_once('<')?;
    let (name, email) = (name.trim(), email.trim());
    let is_plain = |part: &str| !part.is_empty() && !part.contains(['<', '>']) && !part.contains(char::is_control);
    let is_address = email.contains('@') && !email.contains(char::is_whitespace);
    let is_identity = is_plain(name) && is_plain(email) && is_address && text.len() <= 256;
    is_identity.then(|| Identity { name: name.to_owned(), email: email.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_one_or_two_numbers() {
        let version = |text: &str| Version::try_from(text.to_owned());
        assert!(version("3.11").unwrap().fits((3, 11)));
        assert!(!version("3.11").unwrap().fits((3, 1)));
        assert!(version("20").unwrap().fits((20, 9)));
        assert_eq!(version("3.11").unwrap().to_string(), "3.11");
        for text in ["", "3.", "3.11.4", ">=3.11", "v20", "300", "-1"] {
            assert!(version(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_author_is_a_name_and_an_address() {
        let team = identity("The Team <team@example.org>").unwrap();
        assert_eq!((team.name.as_str(), team.email.as_str()), ("The Team", "team@example.org"));
        for text in ["", "Team", "<a@b>", "Team <>", "Team <a b@c>", "Te\nam <a@b>", "Team <a@b> <c@d>", "Team <a>"] {
            assert_eq!(identity(text), None, "{text}");
        }
    }
}
