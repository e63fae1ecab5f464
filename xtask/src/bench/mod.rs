//! Measurements.

pub(crate) mod diff;
pub(crate) mod drift;
pub(crate) mod heal;
mod python;
pub(crate) mod queue;
