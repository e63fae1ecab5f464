//! Measurements.

pub(crate) mod queue;
