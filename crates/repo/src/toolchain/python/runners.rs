//! Python's test runners.

use autoheal_code::python;

use crate::test_runner::TestRunner;

/// pytest, which runs suites of unittest too.
pub const PYTEST: TestRunner =
    TestRunner { name: "pytest", language: Some(python::ID), command: &["python", "-m", "pytest"] };

/// unittest, of the standard library.
pub const UNITTEST: TestRunner =
    TestRunner { name: "unittest", language: Some(python::ID), command: &["python", "-m", "unittest", "discover"] };

/// All of them.
pub(super) const ALL: &[TestRunner] = &[PYTEST, UNITTEST];
