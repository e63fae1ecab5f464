//! The name of a field.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The longest name, in characters.
const LONGEST: usize = 64;

/// The name of a field: an ASCII letter or underscore, then letters, digits, `_` and `-`, 64 at most. It may become a column, a
/// key or a file's name without being escaped.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FieldName(String);

/// Error for a text that is not a valid field name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{name:?} is no field name: begin with a letter, go on with letters, digits, `_` or `-`, {LONGEST} characters at most"
)]
pub struct InvalidFieldName {
    /// The rejected text, or its beginning.
    name: String,
}

impl FieldName {
    /// Checks a name.
    ///
    /// # Errors
    ///
    /// When it has other characters, or is too long.
    pub fn parse(name: &str) -> Result<Self, InvalidFieldName> {
        let begins = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        let continues = name.chars().all(|character| character.is_ascii_alphanumeric() || "_-".contains(character));
        if begins && continues && name.len() <= LONGEST {
            Ok(Self(name.to_owned()))
        } else {
            Err(InvalidFieldName { name: crate::value::quote(name) })
        }
    }

    /// Returns the name as a string slice.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for FieldName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for FieldName {
    type Error = InvalidFieldName;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        Self::parse(&name)
    }
}

impl From<FieldName> for String {
    fn from(name: FieldName) -> Self {
        name.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_could_be_paths_are_refused() {
        for name in ["title", "_x", "cook-time_2", "A"] {
            assert_eq!(FieldName::parse(name).unwrap().as_str(), name);
        }
        for name in ["", "../../x", "a/b", "a.b", "1st", "-a", "tïtle", "a b", "a\0", &"x".repeat(65)] {
            assert!(FieldName::parse(name).is_err(), "{name}");
        }
    }
}
