//! Test reports and linter output as findings.
