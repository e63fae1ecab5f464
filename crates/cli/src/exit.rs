//! What a script sees: the exit code, and who is to blame for it.

use std::process::ExitCode;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Healed, or nothing to do, or the question is answered.
    Fine,
    /// It could not be healed.
    NotHealed,
    /// What was asked makes no sense.
    BadInput,
    /// Something that is needed is missing on this machine.
    EnvironmentMissing,
    /// A fault of this program or its database.
    InternalFault,
    /// What was run passes, and CI decides by more than was run here.
    PartlyChecked,
    /// A person ended it.
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
    /// What was asked makes no sense: `message` says what would.
    pub(crate) fn bad_input(message: impl Into<String>) -> Self {
        Self { exit: Exit::BadInput, error: anyhow::anyhow!(message.into()) }
    }
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    /// Whoever does not say who is to blame takes the blame.
    fn from(error: E) -> Self {
        Self { exit: Exit::InternalFault, error: error.into() }
    }
}

/// Says who is to blame for an error.
pub(crate) trait Blame<T> {
    /// What was asked.
    fn bad_input(self) -> Result<T, Failure>;

    /// The machine.
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
