//! The agents, one file each: `run` reads the shared state, does one job, and changes the state.

pub(crate) mod analyze;
pub(crate) mod commit;
pub(crate) mod diagnose;
pub(crate) mod discover;
pub(crate) mod fix;
pub(crate) mod monitor;
pub(crate) mod patch;
pub(crate) mod plan;
