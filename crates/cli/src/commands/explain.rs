use std::fmt::Write as _;

use autoheal_engine::ErrorCode;

use crate::args::Explain;
use crate::exit::{Exit, Failure};
use crate::printer::Printer;

macro_rules! pages {
    ($($code:ident = $name:literal),+ $(,)?) => {
        /// The page about a code, Markdown. A code without a page does not compile.
        const fn page(code: ErrorCode) -> &'static str {
            match code {
                $(ErrorCode::$code => include_str!(concat!("../../../../docs/errors/", $name, ".md")),)+
            }
        }
    };
}

pages! {
    RepoCloneFailed = "REPO_CLONE_FAILED",
    RepoNotFound = "REPO_NOT_FOUND",
    RepoAccessDenied = "REPO_ACCESS_DENIED",
    TestDiscoveryFailed = "TEST_DISCOVERY_FAILED",
    TestExecutionFailed = "TEST_EXECUTION_FAILED",
    DockerBuildFailed = "DOCKER_BUILD_FAILED",
    DockerRunFailed = "DOCKER_RUN_FAILED",
    LlmApiError = "LLM_API_ERROR",
    LlmTimeout = "LLM_TIMEOUT",
    PatchApplyFailed = "PATCH_APPLY_FAILED",
    SyntaxValidationFailed = "SYNTAX_VALIDATION_FAILED",
    GitPushFailed = "GIT_PUSH_FAILED",
    CiTimeout = "CI_TIMEOUT",
    RetryLimitReached = "RETRY_LIMIT_REACHED",
    InvalidInput = "INVALID_INPUT",
    StoreUnavailable = "STORE_UNAVAILABLE",
    DiskFailed = "DISK_FAILED",
    StepFailed = "STEP_FAILED",
}

/// Explains one code, or lists all.
pub(super) fn run(arguments: &Explain, printer: &Printer) -> Result<Exit, Failure> {
    match arguments.code {
        Some(code) => printer.data(page(code))?,
        None => printer.data(&list())?,
    }
    Ok(Exit::Fine)
}

fn list() -> String {
    let mut text = String::new();
    for code in ErrorCode::ALL {
        let _ = writeln!(text, "{:<26} {}", code.name(), code.summary());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_about_its_own_code() {
        for &code in ErrorCode::ALL {
            assert!(page(code).starts_with(&format!("# {code}\n")), "{code}");
        }
    }
}
