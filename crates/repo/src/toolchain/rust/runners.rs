//! Test runners of Rust.

use autoheal_code::rust;

use crate::test_runner::TestRunner;

/// Tests that cargo builds and starts. What CI runs with nextest is run so, too.
pub const CARGO_TEST: TestRunner =
    TestRunner { name: "cargo_test", language: Some(rust::ID), command: &["cargo", "test"] };

/// All of them.
pub(super) const ALL: &[TestRunner] = &[CARGO_TEST];
