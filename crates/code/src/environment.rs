//! What the interpreters that run the tests know, as told by probes that run in the sandbox.

use serde::{Deserialize, Serialize};

use crate::javascript::environment::NodeEnvironment;
use crate::python::environment::PythonEnvironment;

/// A part for each language; what was not asked about is empty.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Environment {
    /// What Python can import.
    pub python: PythonEnvironment,
    /// What Node can load.
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
