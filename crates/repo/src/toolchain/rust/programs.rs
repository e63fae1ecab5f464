//! Our programs that run in the sandbox of a Rust project.

/// Runs a command with all that it prints in one file.
pub(super) const REPORT: &str = "cargo_report.sh";

/// Runs a test program for each of the changes that are built into it.
pub(super) const CHANGES: &str = "run_changes.sh";

/// All of them.
pub(super) const ALL: &[(&str, &str)] = &[
    (REPORT, include_str!("../../../programs/rust/report.sh")),
    (CHANGES, include_str!("../../../programs/rust/run_changes.sh")),
];
