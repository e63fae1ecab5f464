//! Test frameworks.

use serde::{Deserialize, Serialize};

use super::Language;

/// A test framework (spec: `TestFramework`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TestFramework {
    /// Python's pytest; runs suites of unittest too.
    Pytest,
    /// unittest, of Python's standard library.
    Unittest,
    /// jest, for JavaScript.
    Jest,
    /// mocha, for JavaScript.
    Mocha,
    /// vitest, for JavaScript.
    Vitest,
    /// The test runner that Node itself contains.
    #[serde(rename = "node:test")]
    NodeTest,
}

impl TestFramework {
    /// All supported frameworks.
    pub const ALL: [Self; 6] = [Self::Pytest, Self::Unittest, Self::Jest, Self::Mocha, Self::Vitest, Self::NodeTest];

    /// Returns the command that runs a suite where nothing else is known, as a user would type it, as argv (Property 22).
    pub const fn command(self) -> &'static [&'static str] {
        match self {
            Self::Pytest => &["python", "-m", "pytest"],
            Self::Unittest => &["python", "-m", "unittest", "discover"],
            Self::Jest => &["npx", "--no-install", "jest"],
            Self::Mocha => &["npx", "--no-install", "mocha"],
            Self::Vitest => &["npx", "--no-install", "vitest", "run"],
            Self::NodeTest => &["node", "--test"],
        }
    }

    /// The language of its tests.
    pub const fn language(self) -> Language {
        match self {
            Self::Pytest | Self::Unittest => Language::Python,
            Self::Jest | Self::Mocha | Self::Vitest | Self::NodeTest => Language::JavaScript,
        }
    }
}
