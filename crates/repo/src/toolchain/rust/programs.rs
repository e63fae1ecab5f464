//! Our programs that run in the sandbox of a Rust project.

/// Runs a command with all that it prints in one file.
pub(super) const REPORT: &str = "cargo_report.sh";

/// All of them.
pub(super) const ALL: &[(&str, &str)] = &[(REPORT, include_str!("../../../programs/rust/report.sh"))];
