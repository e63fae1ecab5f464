//! Tests that hang: a module of Python that ends them one by one, as a plugin of pytest and for our runner of unittest.

use crate::report::TestCase;

/// The folder that has to be on the import path.
pub const FOLDER: &str = "python_modules";

/// The module, where it has to lie.
pub const FILE: &str = "python_modules/autoheal_hang.py";

/// Source code of the module.
pub const TEXT: &str = include_str!("autoheal_hang.py");

/// Its name, by which pytest loads it.
pub const PLUGIN: &str = "autoheal_hang";

/// Environment variable with the time limit of one test, in seconds.
pub const SECONDS: &str = "AUTOHEAL_ONE_TEST_SECONDS";

/// Returns whether the test was ended by it.
pub fn hung(case: &TestCase) -> bool {
    case.outcome.is_red() && case.text.contains("TestHangs: the test did not end")
}
