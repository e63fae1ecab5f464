//! What is told while it goes on.

use crate::result::PathStep;

/// Somebody who is told of every step.
pub trait Progress: Send + Sync {
    /// Step `number`, from 1, was done.
    fn step(&self, number: u32, step: &PathStep);
}

/// Nobody.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn step(&self, _number: u32, _step: &PathStep) {}
}
