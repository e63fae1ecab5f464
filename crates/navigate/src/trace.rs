//! Record of the steps taken, reported as they are taken, within the limit on steps.

use crate::progress::Progress;
use crate::result::PathStep;

/// The steps of one navigation.
pub(crate) struct Trace<'a> {
    progress: &'a dyn Progress,
    most: u32,
    steps: Vec<PathStep>,
}

impl<'a> Trace<'a> {
    pub(crate) fn new(progress: &'a dyn Progress, most: u32) -> Self {
        Self { progress, most, steps: Vec::new() }
    }

    /// Returns whether steps are left.
    pub(crate) fn may_go_on(&self) -> bool {
        self.taken() < self.most
    }

    /// Returns the number of steps left.
    pub(crate) fn left(&self) -> u32 {
        self.most.saturating_sub(self.taken())
    }

    /// Returns the number of steps taken.
    pub(crate) fn taken(&self) -> u32 {
        u32::try_from(self.steps.len()).unwrap_or(u32::MAX)
    }

    /// Takes note of a step.
    pub(crate) fn step(&mut self, action: String, result_hint: String) {
        let step = PathStep { action, result_hint };
        self.steps.push(step);
        if let Some(step) = self.steps.last() {
            self.progress.step(self.taken(), step);
        }
    }

    /// Returns at most `most` of the last steps, the latest last.
    pub(crate) fn last(&self, most: usize) -> &[PathStep] {
        &self.steps[self.steps.len().saturating_sub(most)..]
    }

    pub(crate) fn into_steps(self) -> Vec<PathStep> {
        self.steps
    }
}
