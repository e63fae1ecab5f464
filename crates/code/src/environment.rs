//! Properties of the interpreters that run the tests, as reported by probes that run in the sandbox.

use serde::{Deserialize, Serialize};

use crate::javascript::environment::NodeEnvironment;
use crate::python::environment::PythonEnvironment;

/// Properties of the interpreters, one part per language; parts that were not queried are empty.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Environment {
    /// Modules that Python can import.
    pub python: PythonEnvironment,
    /// Modules that Node can load.
    pub node: NodeEnvironment,
}

impl From<PythonEnvironment> for Environment {
    fn from(python: PythonEnvironment) -> Self {
        Self { python, ..Self::default() }
    }
}

impl From<NodeEnvironment> for Environment {
    fn from(node: NodeEnvironment) -> Self {
        Self { node, ..Self::default() }
    }
}
