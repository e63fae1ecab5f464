//! Error codes, those of the spec first, and the format in which an error is reported.

use serde::{Deserialize, Serialize};

use crate::Timestamp;

macro_rules! error_codes {
    ($($variant:ident = $name:literal, $summary:literal;)+) => {
        /// A code that users, scripts and the API can rely on: the fifteen of the spec (`autoheal-ci.md`, "Error Codes"), and
        /// those of faults of this machine that the spec has no code for.
        /// Each has a page under `docs/errors/`, shown by `autoheal explain CODE`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum ErrorCode {
            $(#[doc = $summary] #[serde(rename = $name)] $variant,)+
        }

        impl ErrorCode {
            /// Every code, those of the spec in its order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The code as it is written.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// The meaning in one line.
            pub const fn summary(self) -> &'static str {
                match self { $(Self::$variant => $summary,)+ }
            }
        }
    };
}

error_codes! {
    RepoCloneFailed = "REPO_CLONE_FAILED", "Repository cloning failed";
    RepoNotFound = "REPO_NOT_FOUND", "Repository does not exist";
    RepoAccessDenied = "REPO_ACCESS_DENIED", "No permission to access repository";
    TestDiscoveryFailed = "TEST_DISCOVERY_FAILED", "No test files found";
    TestExecutionFailed = "TEST_EXECUTION_FAILED", "Tests could not be executed";
    DockerBuildFailed = "DOCKER_BUILD_FAILED", "Docker image build failed";
    DockerRunFailed = "DOCKER_RUN_FAILED", "Docker container execution failed";
    LlmApiError = "LLM_API_ERROR", "LLM API request failed";
    LlmTimeout = "LLM_TIMEOUT", "LLM response timeout";
    PatchApplyFailed = "PATCH_APPLY_FAILED", "Code patch could not be applied";
    SyntaxValidationFailed = "SYNTAX_VALIDATION_FAILED", "Patched code has syntax errors";
    GitPushFailed = "GIT_PUSH_FAILED", "Failed to push to remote repository";
    CiTimeout = "CI_TIMEOUT", "CI pipeline did not complete in time";
    RetryLimitReached = "RETRY_LIMIT_REACHED", "Maximum retry iterations reached";
    InvalidInput = "INVALID_INPUT", "User input validation failed";
    StoreUnavailable = "STORE_UNAVAILABLE", "The database could not be used";
    DiskFailed = "DISK_FAILED", "A file operation failed, or the disk is full";
    StepFailed = "STEP_FAILED", "A step of autoheal itself failed";
}

impl ErrorCode {
    /// The code that `name` writes.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.name() == name)
    }
}

impl std::fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// An error in the spec's response format (`{"code", "message", "details", "timestamp"}`, RFC 3339 time).
///
/// The code that creates the error masks its details: they contain names and reasons, never a credential.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{code}: {message}")]
pub struct CodedError {
    /// Code of the error.
    pub code: ErrorCode,
    /// Description of the error, for the user.
    pub message: String,
    /// Operation that failed and its object, for debugging.
    pub details: serde_json::Map<String, serde_json::Value>,
    /// Time of the error, RFC 3339.
    pub timestamp: String,
}

impl CodedError {
    /// An error that happened at `at`.
    pub fn new(code: ErrorCode, message: impl Into<String>, at: Timestamp) -> Self {
        Self { code, message: message.into(), details: serde_json::Map::new(), timestamp: at.to_rfc3339() }
    }

    /// Returns the same error with one more detail.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<serde_json::Value>) -> Self {
        self.details.insert(key.to_owned(), value.into());
        self
    }
}
