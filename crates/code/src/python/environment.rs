//! Modules and names that the interpreter of the tests can import, as reported by a probe that runs in the sandbox.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// Facts about the interpreter that runs the tests.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PythonEnvironment {
    /// Major and minor version.
    pub version: (u8, u8),
    /// Top-level modules of the standard library.
    pub standard_library: BTreeSet<String>,
    /// Top-level modules that can be imported and are neither the standard library's nor the repository's.
    pub installed: BTreeSet<String>,
    /// For an importable top-level module, the distribution that brought it (`yaml` -> `PyYAML`).
    pub distributions: BTreeMap<String, String>,
    /// Public names of the queried modules.
    pub exports: BTreeMap<String, BTreeSet<String>>,
    /// Names of the `builtins` module.
    pub builtins: BTreeSet<String>,
    /// Attributes of the built-in types and of the queried types, by the name that messages use.
    pub type_attributes: BTreeMap<String, BTreeSet<String>>,
}
