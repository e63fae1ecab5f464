//! Modules that Node can load where the tests run, as reported by a probe that runs in the sandbox.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// Node's version, its builtins and the packages that it can load.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct NodeEnvironment {
    /// Major and minor version.
    pub version: (u16, u16),
    /// Modules that Node brings itself, without `node:`.
    pub builtins: BTreeSet<String>,
    /// Packages that can be loaded from the repository's root.
    pub installed: BTreeSet<String>,
    /// Public names of the queried modules, by the specifier that imports them.
    pub exports: BTreeMap<String, BTreeSet<String>>,
    /// Names that every file sees.
    pub globals: BTreeSet<String>,
    /// Members of the built-in types and objects, by their names: `Array`, `Math`.
    pub members: BTreeMap<String, BTreeSet<String>>,
}
