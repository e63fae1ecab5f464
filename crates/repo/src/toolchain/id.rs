//! Identity of a toolchain.

use serde::{Deserialize, Serialize};

use crate::project::Language;

/// The tools of one language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Toolchain {
    /// Python: pip, pytest, unittest.
    #[default]
    Python,
    /// JavaScript and TypeScript: npm, pnpm, yarn; jest, mocha, vitest, node:test.
    Node,
}

impl Toolchain {
    /// The tools of a language; `None`: it is not supported.
    pub(crate) const fn of(language: Language) -> Option<Self> {
        match language {
            Language::Python => Some(Self::Python),
            Language::JavaScript => Some(Self::Node),
            Language::Java => None,
        }
    }
}
