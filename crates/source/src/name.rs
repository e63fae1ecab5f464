//! The name of a source.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use url::Url;

/// The longest name, in bytes.
const LONGEST: usize = 64;

/// Reserved names, which refer to all sources in places where a source's name could be: `/api/sources/statistics`.
const TAKEN: [&str; 1] = ["statistics"];

/// A name that can be part of an address, a file name and a command line: small letters, digits, `-`, `_` and `.`, beginning with a
/// letter or a digit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SourceName(String);

/// Error for a text that is not a valid name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} cannot be the name of a source: write up to {LONGEST} small letters, digits, `-`, `_` or `.`, the first a letter or a digit, and not `statistics`"
)]
pub struct InvalidSourceName(String);

impl SourceName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A name for the page at `url`: its host and the last part of its path.
    pub fn suggested(url: &Url) -> Option<Self> {
        let host = url.host_str().unwrap_or("page").trim_start_matches("www.");
        let last = url.path_segments().and_then(|mut parts| parts.rfind(|part| !part.is_empty())).unwrap_or("");
        let text: String = format!("{host}-{last}").to_lowercase().chars().map(plain).collect();
        let text = text.trim_matches(['-', '.']).chars().take(LONGEST).collect::<String>();
        text.parse().ok()
    }
}

fn plain(char: char) -> char {
    if is_allowed(char) { char } else { '-' }
}

fn is_allowed(char: char) -> bool {
    char.is_ascii_lowercase() || char.is_ascii_digit() || matches!(char, '-' | '_' | '.')
}

impl FromStr for SourceName {
    type Err = InvalidSourceName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let begins = text.chars().next().is_some_and(|char| char.is_ascii_lowercase() || char.is_ascii_digit());
        let is_name = !TAKEN.contains(&text)
            && begins
            && text.len() <= LONGEST
            && text.chars().all(is_allowed)
            && !text.contains("..");
        if is_name { Ok(Self(text.to_owned())) } else { Err(InvalidSourceName(text.to_owned())) }
    }
}

impl TryFrom<String> for SourceName {
    type Error = InvalidSourceName;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<SourceName> for String {
    fn from(name: SourceName) -> Self {
        name.0
    }
}

impl fmt::Display for SourceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_could_be_paths_are_refused() {
        for name in ["news", "a.example-article_1", "9"] {
            assert_eq!(name.parse::<SourceName>().unwrap().as_str(), name);
        }
        for name in ["", "../../x", "a/b", "a..b", ".a", "-a", "A", "ä", "a b", "a\0", &"x".repeat(65)] {
            assert!(name.parse::<SourceName>().is_err(), "{name}");
        }
    }

    #[test]
    fn a_page_suggests_a_name() {
        let of = |url: &str| SourceName::suggested(&Url::parse(url).unwrap()).unwrap().0;
        assert_eq!(of("https://www.Example.com/Recipes/Best%20Soup/"), "example.com-best-20soup");
        assert_eq!(of("http://127.0.0.1:80/"), "127.0.0.1");
    }
}
