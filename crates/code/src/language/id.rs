//! Identity of a language.

use std::fmt;

use serde::Serialize;

/// Identity of a language whose text is understood: its name, such as `python`. Each language has one, `ID` in its module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct LanguageId(&'static str);

impl LanguageId {
    /// The identity of the language of that name.
    pub(crate) const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// Name of the language in lower case, such as `python`.
    pub const fn name(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for LanguageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
