//! Our programs in JavaScript that run in the sandbox.

/// A program: its path below the folder of our programs, and its text.
macro_rules! program {
    ($path:literal) => {
        ($path, include_str!(concat!("../../../programs/node/", $path)))
    };
}

/// Asks Node what it can load.
pub(super) const PROBE: &str = "probe.js";

/// Prints what is installed.
pub(super) const INSTALLED: &str = "installed.cjs";

/// Prints the releases that registries offer.
pub(super) const RELEASES: &str = "releases.cjs";

/// Reporters for the test runners.
pub(super) const MOCHA_REPORTER: &str = "mocha_reporter.cjs";
pub(super) const VITEST_REPORTER: &str = "vitest_reporter.mjs";
pub(super) const NODE_TEST_REPORTER: &str = "node_test_reporter.mjs";

/// The runner that tries changes: `main.cjs RUNNER JOBS ROOT [arguments of the test runner]`.
pub(super) const WARM: &str = "autoheal_warm_node/main.cjs";

/// Sets other conditions, loaded before anything else.
pub(super) const VARY: &str = "autoheal_vary.cjs";

/// Ends a test that hangs, loaded before anything else.
pub(super) const HANG: &str = "autoheal_hang/hang.cjs";

/// All of them.
pub(super) const ALL: &[(&str, &str)] = &[
    program!("autoheal_hang/hang.cjs"),
    program!("autoheal_hang/vitest.mjs"),
    program!("autoheal_vary.cjs"),
    program!("autoheal_warm_node/changed_module.cjs"),
    program!("autoheal_warm_node/changed_text.cjs"),
    program!("autoheal_warm_node/coverage.cjs"),
    program!("autoheal_warm_node/identity.cjs"),
    program!("autoheal_warm_node/jest.cjs"),
    program!("autoheal_warm_node/jest_runner.cjs"),
    program!("autoheal_warm_node/jobs.cjs"),
    program!("autoheal_warm_node/main.cjs"),
    program!("autoheal_warm_node/mocha.cjs"),
    program!("autoheal_warm_node/module_hooks.cjs"),
    program!("autoheal_warm_node/node_test.cjs"),
    program!("autoheal_warm_node/node_test_process.cjs"),
    program!("autoheal_warm_node/outliving.cjs"),
    program!("autoheal_warm_node/process.cjs"),
    program!("autoheal_warm_node/project.cjs"),
    program!("autoheal_warm_node/registry.cjs"),
    program!("autoheal_warm_node/server.cjs"),
    program!("autoheal_warm_node/vitest.cjs"),
    program!("autoheal_warm_node/vitest_watch.mjs"),
    program!("autoheal_warm_node/worker.cjs"),
    program!("installed.cjs"),
    program!("mocha_reporter.cjs"),
    program!("node_test_reporter.mjs"),
    program!("probe.js"),
    program!("releases.cjs"),
    program!("vitest_reporter.mjs"),
];
