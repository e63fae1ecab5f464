//! Exit codes, and the classification of errors by cause.

use std::process::ExitCode;

/// Outcome of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Healed, or nothing to do, or the question is answered.
    Fine,
    /// It could not be healed.
    NotHealed,
    /// The input is invalid.
    BadInput,
    /// Something that is needed is missing on this machine.
    EnvironmentMissing,
    /// A fault of this program or its database.
    InternalFault,
    /// All checks that were run here pass, but CI requires more checks than these.
    PartlyChecked,
    /// The user cancelled the command.
    Cancelled,
}

impl Exit {
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::NotHealed => 1,
            Self::BadInput => 2,
            Self::EnvironmentMissing => 3,
            Self::InternalFault => 4,
            Self::PartlyChecked => 5,
            Self::Cancelled => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// An error with the exit code it leads to.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) error: anyhow::Error,
}

impl Failure {
    /// Returns a failure for invalid input; `message` describes valid input.
    pub(crate) fn bad_input(message: impl Into<String>) -> Self {
        Self { exit: Exit::BadInput, error: anyhow::anyhow!(message.into()) }
    }
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    /// Attributes an error without a known cause to this program.
    fn from(error: E) -> Self {
        Self { exit: Exit::InternalFault, error: error.into() }
    }
}

/// Attributes errors to their cause, which determines the exit code.
pub(crate) trait Blame<T> {
    /// Attributes the error to the input.
    fn bad_input(self) -> Result<T, Failure>;

    /// Attributes the error to the machine.
    fn environment(self) -> Result<T, Failure>;
}

impl<T, E: Into<anyhow::Error>> Blame<T> for Result<T, E> {
    fn bad_input(self) -> Result<T, Failure> {
        self.map_err(|error| Failure { exit: Exit::BadInput, error: error.into() })
    }

    fn environment(self) -> Result<T, Failure> {
        self.map_err(|error| Failure { exit: Exit::EnvironmentMissing, error: error.into() })
    }
}
