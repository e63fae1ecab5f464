//! Errors of a step, from those of the parts that it uses.

use autoheal_engine::workflow::StepError;
use autoheal_engine::{ErrorCode, with_causes};
use autoheal_forge::ForgeError;
use autoheal_sandbox::{End, Limit, Outcome, SandboxError};

/// Returns the error of a step that cannot use git or its host.
pub(crate) fn forge_error(error: &ForgeError) -> StepError {
    let (code, message) = (error.code(), with_causes(error));
    if error.is_passing() { StepError::Passing { code, message } } else { StepError::Permanent { code, message } }
}

/// Returns the error of a step that cannot use the sandbox.
pub(crate) fn sandbox_error(error: &SandboxError) -> StepError {
    let message = with_causes(error);
    match error {
        SandboxError::Failed { .. } | SandboxError::NoSpace { .. } => {
            StepError::Passing { code: error.code(), message }
        }
        SandboxError::Unavailable { .. }
        | SandboxError::NoLimits { .. }
        | SandboxError::MissingImage { .. }
        | SandboxError::UnsafeMount { .. }
        | SandboxError::OpenDoor { .. } => StepError::Permanent { code: error.code(), message },
    }
}

/// Returns the error of a step that cannot use the disk.
pub(crate) fn disk(doing: &str, error: &std::io::Error) -> StepError {
    StepError::Permanent { code: ErrorCode::DiskFailed, message: format!("{doing} failed: {error}") }
}

/// Returns the outcome of a command, or an error if the run cannot continue after it.
pub(crate) fn ran(outcome: Result<Outcome, SandboxError>) -> Result<Outcome, StepError> {
    let outcome = outcome.map_err(|error| sandbox_error(&error))?;
    let (code, message) = match outcome.end {
        End::LimitHit(Limit::Disk) => (
            ErrorCode::TestExecutionFailed,
            "a command wrote more than it may, and what it left was removed; if it needs that much, raise `heal.disk_mib`",
        ),
        End::LimitHit(Limit::FreeSpace) => (
            ErrorCode::DiskFailed,
            "the disk got full while a command ran, and what it left was removed; make room, or lower `sandbox.free_space_mib`",
        ),
        End::LimitHit(Limit::Time | Limit::Memory | Limit::Processes | Limit::Output)
        | End::Exited(_)
        | End::Signaled(_) => return Ok(outcome),
    };
    Err(StepError::Permanent { code, message: message.to_owned() })
}

/// Returns whether a command was ended because it filled the disk.
pub(crate) fn has_filled_the_disk(outcome: &Outcome) -> bool {
    matches!(outcome.end, End::LimitHit(Limit::Disk | Limit::FreeSpace))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn only_a_full_disk_costs_a_run_its_folders() {
        let outcome = |end| Outcome { end, stdout: Vec::new(), stderr: Vec::new(), duration: Duration::ZERO };
        for limit in [Limit::Disk, Limit::FreeSpace] {
            assert!(
                has_filled_the_disk(&outcome(End::LimitHit(limit))) && ran(Ok(outcome(End::LimitHit(limit)))).is_err()
            );
        }
        for end in [End::LimitHit(Limit::Memory), End::Exited(1), End::Signaled(9)] {
            assert!(!has_filled_the_disk(&outcome(end)) && ran(Ok(outcome(end))).is_ok());
        }
    }
}
