//! The repair operators: each proposes small changes of one kind at a place, weighted against each other; what does not parse is dropped
//! later. A new one is a file here, a line in [`OPERATORS`] and one in the table of priors.

use std::ops::RangeInclusive;

use super::site::Site;
use crate::search::change::{Change, Changes};
use crate::search::priors::Family;
use crate::search::site::{self, Text};

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
type Operator = fn(&Site<'_>, &mut Changes);

/// Every operator, by the kind of fault that it repairs.
const OPERATORS: [(Family, Operator); 22] = [
    (Family::Names, names::propose),
    (Family::Attributes, attributes::propose),
    (Family::Callees, callees::propose),
    (Family::Constants, constants::propose),
    (Family::Comparisons, comparisons::propose),
    (Family::Booleans, booleans::propose),
    (Family::OffByOne, off_by_one::propose),
    (Family::Arithmetic, arithmetic::propose),
    (Family::Arguments, arguments::propose),
    (Family::Wrappers, wrappers::propose),
    (Family::Indexing, indexing::propose),
    (Family::Returns, returns::propose),
    (Family::InitialValues, initial_values::propose),
    (Family::Assignments, assignments::propose),
    (Family::Guards, guards::propose),
    (Family::Placement, placement::propose),
    (Family::Insertion, insertion::propose),
    (Family::Jumps, jumps::propose),
    (Family::Loops, loops::propose),
    (Family::Combinations, combinations::propose),
    (Family::Separators, separators::propose),
    (Family::Removal, removal::propose),
];

impl<'a> site::Site<'a> for Site<'a> {
    fn text(&self) -> &'a dyn Text {
        self.file
    }

    fn lines(&self) -> RangeInclusive<u32> {
        let module = self.file.module;
        module.line_of(self.head.start)..=module.line_of(self.head.end.saturating_sub(1))
    }

    fn size(&self) -> usize {
        self.nodes().len()
    }

    fn changes(&self) -> Vec<(Family, Vec<Change>)> {
        let proposed = OPERATORS.iter().map(|(family, propose)| {
            let mut changes = Changes::default();
            propose(self, &mut changes);
            (*family, changes.into_list())
        });
        proposed.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_has_its_own_family() {
        let families: std::collections::BTreeSet<_> = OPERATORS.iter().map(|(family, _)| *family).collect();
        assert_eq!(families.len(), OPERATORS.len());
    }
}
