//! The fewest tests that change the outcome of another.

use std::collections::VecDeque;

/// Reduction of a list of tests to as few as possible (delta debugging). It runs nothing: it returns the tests to try next, and
/// records their outcome.
pub(super) struct Reduction {
    tests: Vec<String>,
    /// Number of parts into which the tests are cut.
    parts: usize,
    /// Lists of tests to try next, each with the number of parts to cut it into afterwards.
    open: VecDeque<(Vec<String>, usize)>,
}

impl Reduction {
    pub(super) fn new(tests: Vec<String>) -> Self {
        let mut reduction = Self { tests, parts: 2, open: VecDeque::new() };
        reduction.cut();
        reduction
    }

    /// The part itself, the nearest first, then everything but it.
    fn cut(&mut self) {
        self.open.clear();
        if self.tests.len() < 2 {
            return;
        }
        let size = self.tests.len().div_ceil(self.parts);
        let chunks: Vec<&[String]> = self.tests.chunks(size).collect();
        self.open.extend(chunks.iter().rev().map(|part| (part.to_vec(), 2)));
        if chunks.len() > 2 {
            let without = |left_out: usize| {
                let parts = chunks.iter().enumerate().filter(|(number, _)| *number != left_out);
                parts.flat_map(|(_, part)| part.to_vec()).collect()
            };
            let next = (self.parts - 1).max(2);
            let rests: Vec<_> = (0..chunks.len()).rev().map(|number| (without(number), next)).collect();
            self.open.extend(rests);
        }
    }

    /// The tests to try next; `None`: no fewer will do.
    pub(super) fn next(&self) -> Option<Vec<String>> {
        self.open.front().map(|(tests, _)| tests.clone())
    }

    /// Takes whether the outcome was the same with these.
    pub(super) fn take(&mut self, is_same: bool) {
        let Some((tests, next)) = self.open.pop_front() else { return };
        if is_same {
            (self.tests, self.parts) = (tests, next);
            self.cut();
        } else if self.open.is_empty() && self.parts < self.tests.len() {
            self.parts = (self.parts * 2).min(self.tests.len());
            self.cut();
        }
    }

    /// The fewest that are known.
    pub(super) fn fewest(self) -> Vec<String> {
        self.tests
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fewest_of(count: usize, needed: &[&str]) -> Vec<String> {
        let mut reduction = Reduction::new((0..count).map(|number| number.to_string()).collect());
        while let Some(tests) = reduction.next() {
            reduction.take(needed.iter().all(|one| tests.iter().any(|test| test == one)));
        }
        reduction.fewest()
    }

    #[test]
    fn those_that_matter_are_found_in_their_order() {
        assert_eq!(fewest_of(100, &["37"]), ["37"]);
        assert_eq!(fewest_of(33, &["2", "30"]), ["2", "30"]);
        assert_eq!(fewest_of(1, &["0"]), ["0"]);
        assert_eq!(fewest_of(3, &["0", "1", "2"]), ["0", "1", "2"]);
    }
}
