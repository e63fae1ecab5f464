//! Test runners.

use autoheal_code::LanguageId;
use serde::{Serialize, Serializer};

/// A test runner (spec: `TestFramework`), and the format of its reports. Each toolchain has its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TestRunner {
    /// Name of the runner, such as `pytest`; one word, for states that are kept, and for our programs that run in the sandbox.
    pub name: &'static str,
    /// Language of its tests; `None`: not known.
    pub language: Option<LanguageId>,
    /// Command that runs a suite where nothing else is known, as a user would type it, as argv (Property 22).
    pub command: &'static [&'static str],
}

impl TestRunner {
    /// A command of the user's that writes no report we know: its exit status and output are all that is seen.
    pub const OPAQUE: Self = Self { name: "opaque", language: None, command: &[] };
}

impl Serialize for TestRunner {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}
