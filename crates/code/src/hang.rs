//! Tests that hang: modules for Python and Node that end them one by one, as plugins of the test runners.

use crate::report::TestCase;

/// For Python: its name is [`PYTHON_PLUGIN`], and it lies in [`PYTHON_FOLDER`].
pub const PYTHON: (&str, &str) = ("python_modules/autoheal_hang.py", include_str!("python/autoheal_hang.py"));

/// The folder of [`PYTHON`], which has to be on the import path.
pub const PYTHON_FOLDER: &str = "python_modules";

/// The name by which pytest loads [`PYTHON`].
pub const PYTHON_PLUGIN: &str = "autoheal_hang";

/// For Node: a module that `--require` loads.
pub const NODE: (&str, &str) = ("autoheal_hang/hang.cjs", include_str!("javascript/autoheal_hang/hang.cjs"));

/// For vitest: a module that it loads before each file of tests, beside [`NODE`].
pub const VITEST: (&str, &str) = ("autoheal_hang/vitest.mjs", include_str!("javascript/autoheal_hang/vitest.mjs"));

/// Environment variable with the time limit of one test, in seconds.
pub const SECONDS: &str = "AUTOHEAL_ONE_TEST_SECONDS";

/// Returns whether the test was ended by one of these modules.
pub fn hung(case: &TestCase) -> bool {
    case.outcome.is_red() && case.text.contains("TestHangs: the test did not end")
}
