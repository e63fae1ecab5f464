//! What the parts of the kit do that are more than setting up.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod site;
