//! Tests of the parts of the kit that do more than set up.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod site;
