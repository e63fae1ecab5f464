//! unittest suites: a runner of ours writes the same XML as pytest does, so that [`super::junit`] reads both.

/// The runner: `python3 unittest_runner.py REPORT.xml [arguments of python3 -m unittest]`, such as
/// `unittest_runner.py /out/report.xml discover -s tests -t .`. The tests run in a child process; when that dies, the
/// report names the test it died in. Exit code 0: green, 1: red, 5: no tests.
pub const RUNNER: &str = include_str!("../python/unittest_runner.py");
