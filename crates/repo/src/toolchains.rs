//! The registry of toolchains: the one file that names all of them, and the functions that choose by language.

use autoheal_code::LanguageId;
use autoheal_sandbox::Image;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::test_runner::TestRunner;
use crate::toolchain::Toolchain;
use crate::toolchain::node::Node;
use crate::toolchain::python::Python;
use crate::toolchain::rust::Cargo;

/// Every toolchain, in the order in which shared code asks them.
pub(crate) static ALL: [&dyn Toolchain; 3] = [&Python, &Node, &Cargo];

/// The tools of a language.
pub(crate) fn of(language: LanguageId) -> &'static dyn Toolchain {
    // Every language has them: a test goes through them.
    ALL.into_iter().find(|toolchain| toolchain.language() == language).unwrap_or(ALL[0])
}

/// The container image that has a language's interpreter.
pub fn image(language: LanguageId) -> Image {
    of(language).image()
}

/// All test runners that write reports.
pub fn test_runners() -> impl Iterator<Item = TestRunner> {
    ALL.into_iter().flat_map(Toolchain::runners).copied()
}

impl<'de> Deserialize<'de> for TestRunner {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let known = test_runners().chain([Self::OPAQUE]).find(|runner| runner.name == name);
        known.ok_or_else(|| D::Error::custom(format!("unknown test runner `{name}`")))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use autoheal_code::languages;

    use super::*;

    #[test]
    fn every_language_has_tools() {
        assert!(languages::all().all(|language| of(language).language() == language));
    }

    #[test]
    fn runners_and_linters_have_names_of_their_own() {
        let runners: Vec<&str> = test_runners().map(|runner| runner.name).collect();
        assert_eq!(runners.iter().collect::<BTreeSet<_>>().len(), runners.len());
        assert!(test_runners().all(|runner| runner.language.is_some() && !runner.command.is_empty()));
        let linters: Vec<&str> = ALL.into_iter().flat_map(Toolchain::linters).map(|tool| tool.linter.name()).collect();
        assert_eq!(linters.iter().collect::<BTreeSet<_>>().len(), linters.len());
    }
}
