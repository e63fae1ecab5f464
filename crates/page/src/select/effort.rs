//! Limit for the cost of a selector on a page.

use std::cell::Cell;

/// Maximum cost of a selector on any page, in steps from one element to another.
const STEPS: usize = 20_000_000;
/// Additional cost that is allowed for each element of the page, in steps.
const STEPS_OF_AN_ELEMENT: usize = 64;

/// Budget of steps. A request for more steps than are left uses up the budget.
pub(super) struct Effort {
    left: Cell<usize>,
    is_spent: Cell<bool>,
}

impl Effort {
    /// Returns the budget for a page with this number of elements.
    pub(super) const fn for_page(elements: usize) -> Self {
        let left = elements.saturating_mul(STEPS_OF_AN_ELEMENT).saturating_add(STEPS);
        Self { left: Cell::new(left), is_spent: Cell::new(false) }
    }

    /// Spends some steps. Returns false if the budget is used up.
    pub(super) fn spend(&self, steps: usize) -> bool {
        let left = self.left.get().checked_sub(steps);
        self.left.set(left.unwrap_or(0));
        self.is_spent.set(self.is_spent.get() || left.is_none());
        !self.is_spent.get()
    }

    /// Returns whether more steps were requested than were left. The matches are then incomplete and may be
    /// wrong.
    pub(super) const fn is_spent(&self) -> bool {
        self.is_spent.get()
    }
}
