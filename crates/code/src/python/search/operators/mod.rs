//! The repair operators: each proposes small changes of one kind at a place. A new one is a file here, a line in
//! [`operators`] and one in the table of priors.

use super::site::Site;
use crate::search::change::Changes;
use crate::search::priors::Family;

mod arguments;
mod arithmetic;
mod assignments;
mod attributes;
mod booleans;
mod callees;
mod combinations;
mod comparisons;
mod constants;
mod guards;
mod indexing;
mod initial_values;
mod insertion;
mod jumps;
mod loops;
mod names;
mod off_by_one;
mod placement;
mod removal;
mod returns;
mod separators;
mod wrappers;

/// One way to change code.
pub(super) trait RepairOperator: Sync {
    /// The kind of fault that it repairs.
    fn family(&self) -> Family;

    /// Changes of the place, weighted against each other; what does not parse is dropped later.
    fn propose(&self, site: &Site<'_>, changes: &mut Changes);
}

/// Returns all repair operators.
pub(super) fn operators() -> &'static [&'static dyn RepairOperator] {
    &[
        &names::Names,
        &attributes::Attributes,
        &callees::Callees,
        &constants::Constants,
        &comparisons::Comparisons,
        &booleans::Booleans,
        &off_by_one::OffByOne,
        &arithmetic::Arithmetic,
        &arguments::Arguments,
        &wrappers::Wrappers,
        &indexing::Indexing,
        &returns::Returns,
        &initial_values::InitialValues,
        &assignments::Assignments,
        &guards::Guards,
        &placement::Placement,
        &insertion::Insertion,
        &jumps::Jumps,
        &loops::Loops,
        &combinations::Combinations,
        &separators::Separators,
        &removal::Removal,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_has_its_own_family() {
        let families: std::collections::BTreeSet<_> = operators().iter().map(|operator| operator.family()).collect();
        assert_eq!(families.len(), operators().len());
    }
}
