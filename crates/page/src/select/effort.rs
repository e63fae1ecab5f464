//! How much a selector may cost on a page.

use std::cell::Cell;

/// What a selector may cost on any page, in steps from one element to another.
const STEPS: usize = 20_000_000;
/// What it may cost besides for each element of the page.
const STEPS_OF_AN_ELEMENT: usize = 64;

/// The steps that are left. When a step is asked for that is not there, nothing is left.
pub(super) struct Effort {
    left: Cell<usize>,
    is_spent: Cell<bool>,
}

impl Effort {
    /// The effort for a page of so many elements.
    pub(super) const fn for_page(elements: usize) -> Self {
        let left = elements.saturating_mul(STEPS_OF_AN_ELEMENT).saturating_add(STEPS);
        Self { left: Cell::new(left), is_spent: Cell::new(false) }
    }

    /// Takes some steps, if they are left.
    pub(super) fn spend(&self, steps: usize) -> bool {
        let left = self.left.get().checked_sub(steps);
        self.left.set(left.unwrap_or(0));
        self.is_spent.set(self.is_spent.get() || left.is_none());
        !self.is_spent.get()
    }

    /// Whether more was asked for than there was: what was found is not all there is, and may be wrong.
    pub(super) const fn is_spent(&self) -> bool {
        self.is_spent.get()
    }
}
