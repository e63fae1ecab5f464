//! The name of the branch that the fixes go to (spec: "Branch Naming").

use autoheal_forge::{BranchName, ForgeError};

/// The longest team and leader parts together, in bytes: the whole must fit a file name.
const LONGEST: usize = 200;

/// Reason a team and a leader give no valid branch name; the spec's `INVALID_INPUT`.
#[derive(Debug, thiserror::Error)]
pub enum BranchNameError {
    /// Nothing is left of a part.
    #[error("the {part} name holds no letter or digit that a branch name may have; use A-Z, a-z and 0-9")]
    Empty {
        /// Part of the branch name that is empty: `team` or `leader`.
        part: &'static str,
    },
    /// Too much is left of them.
    #[error("the team and leader names are too long for a branch name; together at most {LONGEST} characters")]
    TooLong,
    /// git does not take it.
    #[error(transparent)]
    Invalid(#[from] ForgeError),
}

/// `TEAM_NAME_LEADER_NAME_AI_Fix`: upper case, spaces become underscores, every character that is not a letter of A-Z, a
/// digit or an underscore is dropped (`RIFT Organisers`, `Saiyam Kumar` -> `RIFT_ORGANISERS_SAIYAM_KUMAR_AI_Fix`).
///
/// # Errors
///
/// See [`BranchNameError`].
pub fn create_branch_name(team: &str, leader: &str) -> Result<BranchName, BranchNameError> {
    numbered_branch_name(team, leader, 1)
}

/// The branch of the run with this number, from 1. The first has the plain name; later ones carry the number in the
/// team part, so that the name keeps its form: `TEAM_2_LEADER_AI_Fix`.
///
/// # Errors
///
/// See [`BranchNameError`].
pub fn numbered_branch_name(team: &str, leader: &str, number: u32) -> Result<BranchName, BranchNameError> {
    let (team, leader) = (clean(team, "team")?, clean(leader, "leader")?);
    if team.len() + leader.len() > LONGEST {
        return Err(BranchNameError::TooLong);
    }
    let number = if number > 1 { format!("_{number}") } else { String::new() };
    Ok(BranchName::parse(&format!("{team}{number}_{leader}_AI_Fix"))?)
}

fn clean(name: &str, part: &'static str) -> Result<String, BranchNameError> {
    let upper = name.to_uppercase().replace(' ', "_");
    let kept: String = upper.chars().filter(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || *c == '_').collect();
    if kept.chars().any(|c| c.is_ascii_alphanumeric()) { Ok(kept) } else { Err(BranchNameError::Empty { part }) }
}
