//! Tests that hang: plugins of the test runners end them one by one.

use crate::report::TestCase;

/// Environment variable with the time limit of one test, in seconds.
pub const SECONDS: &str = "AUTOHEAL_ONE_TEST_SECONDS";

/// Returns whether the test was ended by one of these plugins.
pub fn hung(case: &TestCase) -> bool {
    case.outcome.is_red() && case.text.contains("TestHangs: the test did not end")
}
