//! Test runners of JavaScript and TypeScript.

use autoheal_code::javascript;

use crate::test_runner::TestRunner;

const fn runner(name: &'static str, command: &'static [&'static str]) -> TestRunner {
    TestRunner { name, language: Some(javascript::ID), command }
}

/// jest.
pub const JEST: TestRunner = runner("jest", &["npx", "--no-install", "jest"]);

/// mocha, with our reporter.
pub const MOCHA: TestRunner = runner("mocha", &["npx", "--no-install", "mocha"]);

/// vitest, with our reporter.
pub const VITEST: TestRunner = runner("vitest", &["npx", "--no-install", "vitest", "run"]);

/// The test runner that Node itself contains, with our reporter.
pub const NODE_TEST: TestRunner = runner("node_test", &["node", "--test"]);

/// All of them.
pub(super) const ALL: &[TestRunner] = &[JEST, MOCHA, VITEST, NODE_TEST];
