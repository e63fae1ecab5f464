//! Properties of the interpreters that run the tests, as reported by probes that run in the sandbox.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::language::LanguageId;

/// The marker before a probe's JSON: modules may print while they are loaded.
const MARKER: &str = "AUTOHEAL-PROBE ";

/// Reason the probe's answer cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// The script printed no answer.
    #[error("the probe printed no answer; its standard error tells why")]
    Silent,
    /// The answer is not what the script prints.
    #[error("the probe printed something unreadable: {0}")]
    Unreadable(String),
}

/// Facts about an interpreter. A probe reports those that its language has.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct Runtime {
    /// Major and minor version.
    pub version: (u8, u8),
    /// Modules that the interpreter brings itself.
    pub standard_library: BTreeSet<String>,
    /// Modules or packages that can be loaded and are neither the interpreter's nor the repository's.
    pub installed: BTreeSet<String>,
    /// Public names of the queried modules, by the name that imports them.
    pub exports: BTreeMap<String, BTreeSet<String>>,
    /// Names that every file sees.
    pub builtins: BTreeSet<String>,
    /// Members of built-in and queried types and objects, by the name that messages use.
    pub members: BTreeMap<String, BTreeSet<String>>,
}

/// Facts about the interpreter of each language.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Environment(BTreeMap<LanguageId, Runtime>);

impl Environment {
    /// Facts about the interpreter of a language; empty if it was not queried.
    pub fn of(&self, language: LanguageId) -> &Runtime {
        static UNKNOWN: Runtime = Runtime {
            version: (0, 0),
            standard_library: BTreeSet::new(),
            installed: BTreeSet::new(),
            exports: BTreeMap::new(),
            builtins: BTreeSet::new(),
            members: BTreeMap::new(),
        };
        self.0.get(&language).unwrap_or(&UNKNOWN)
    }

    /// Sets the facts about the interpreter of a language.
    #[must_use]
    pub fn with(mut self, language: LanguageId, runtime: Runtime) -> Self {
        self.0.insert(language, runtime);
        self
    }

    /// Reads the output of a language's probe.
    ///
    /// # Errors
    ///
    /// [`ProbeError`] when there is no answer in it.
    pub fn read(&mut self, language: LanguageId, output: &str) -> Result<(), ProbeError> {
        let answer = output.lines().rev().find_map(|line| line.strip_prefix(MARKER)).ok_or(ProbeError::Silent)?;
        let runtime = serde_json::from_str(answer).map_err(|error| ProbeError::Unreadable(error.to_string()))?;
        self.0.insert(language, runtime);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_answer_counts() {
        let (mut environment, language) = (Environment::default(), LanguageId::new("x"));
        let output = "hello\nAUTOHEAL-PROBE {\"version\":[20,1],\"builtins\":[\"fs\"],\"exports\":{\"a\":[\"b\"]}}\n";
        environment.read(language, output).unwrap();
        let runtime = environment.of(language);
        assert_eq!(runtime.version, (20, 1));
        assert!(runtime.exports["a"].contains("b") && runtime.builtins.contains("fs"));
        assert!(matches!(environment.read(language, "hello"), Err(ProbeError::Silent)));
        assert!(matches!(environment.read(language, "AUTOHEAL-PROBE {"), Err(ProbeError::Unreadable(_))));
    }
}
