//! Reports of progress during a navigation.

use crate::result::PathStep;

/// Receiver of reports about every step.
pub trait Progress: Send + Sync {
    /// Reports that step `number`, counted from 1, is done.
    fn step(&self, number: u32, step: &PathStep);

    /// Reports that a crawl has requested `pages` pages, the last one at `url`.
    fn crawled(&self, pages: u64, url: &str) {
        let _ = (pages, url);
    }
}

/// Receiver that ignores all reports.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn step(&self, _number: u32, _step: &PathStep) {}
}
