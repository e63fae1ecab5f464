//! Our programs in Python that run in the sandbox.

/// A program: its path below the folder of our programs, and its text.
macro_rules! program {
    ($path:literal) => {
        ($path, include_str!(concat!("../../../programs/python/", $path)))
    };
}

/// Asks the interpreter what it can import.
pub(super) const PROBE: &str = "probe.py";

/// Compiles files without running them.
pub(super) const COMPILE_CHECK: &str = "compile_check.py";

/// Prints what is installed.
pub(super) const INSTALLED: &str = "installed.py";

/// Prints the releases that indexes offer.
pub(super) const RELEASES: &str = "releases.py";

/// Copies a virtual environment.
pub(super) const COPY_ENVIRONMENT: &str = "copy_environment.py";

/// Runs unittest suites in a child process, and writes JUnit XML: `unittest_runner.py REPORT.xml [arguments of python3 -m unittest]`.
pub(super) const UNITTEST_RUNNER: &str = "unittest_runner.py";

/// The runner that tries changes: `__main__.py pytest|unittest JOBS ROOT [arguments of the test runner]`.
pub(super) const WARM: &str = "autoheal_warm/__main__.py";

/// Folder of the module that the interpreter loads by itself, and that sets other conditions.
pub(super) const VARY: &str = "autoheal_vary";

/// Folder of the modules that our programs import and pytest loads; the import path ends with it.
pub(super) const MODULES: &str = "python_modules";

/// The module among them that ends a test that hangs, as a plugin of pytest.
pub(super) const HANG: &str = "autoheal_hang";

/// All of them.
pub(super) const ALL: &[(&str, &str)] = &[
    program!("autoheal_vary/sitecustomize.py"),
    program!("autoheal_warm/__init__.py"),
    program!("autoheal_warm/__main__.py"),
    program!("autoheal_warm/jobs.py"),
    program!("autoheal_warm/loaded.py"),
    program!("autoheal_warm/processes.py"),
    program!("autoheal_warm/project.py"),
    program!("autoheal_warm/server.py"),
    program!("autoheal_warm/suites.py"),
    program!("compile_check.py"),
    program!("copy_environment.py"),
    program!("installed.py"),
    program!("probe.py"),
    program!("python_modules/autoheal_hang.py"),
    program!("releases.py"),
    program!("unittest_runner.py"),
];
