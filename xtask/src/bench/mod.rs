//! Measurements.

pub(crate) mod heal;
pub(crate) mod queue;
