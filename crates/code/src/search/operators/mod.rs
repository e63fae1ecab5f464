//! The repair operators: each proposes small changes of one kind at a place, weighted against each other; what does not parse is dropped
//! later. A new one is a file here, a line in [`OPERATORS`] and one in the table of priors.
//!
//! They know no language: how it writes what they propose is in its [`Idioms`](super::idioms::Idioms). What only one language can get
//! wrong is proposed by operators in its own folder, for the same kinds of fault or for others.

use super::change::{Change, Changes};
use super::priors::Family;
use super::site::Site;

mod arguments;
pub(crate) mod arithmetic;
mod assignments;
mod attributes;
mod booleans;
mod callees;
mod combinations;
mod comparisons;
mod constants;
mod fallbacks;
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
mod wrappers;

/// One way to change code.
pub(crate) type Operator = fn(&Site<'_>, &mut Changes);

/// Operators, each with the kind of fault that it repairs.
pub(crate) type Operators = &'static [(Family, Operator)];

/// The operators of every language.
const OPERATORS: Operators = &[
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
    (Family::Chaining, fallbacks::propose),
    (Family::Combinations, combinations::propose),
    (Family::Removal, removal::propose),
];

/// Returns the changes that all operators propose at a place, those of its language included, by the kind of fault.
pub(crate) fn changes(site: &Site<'_>, own: Operators) -> Vec<(Family, Vec<Change>)> {
    let mut proposed: Vec<(Family, Changes)> = Vec::new();
    for (family, propose) in OPERATORS.iter().chain(own) {
        let number = proposed.iter().position(|(known, _)| known == family).unwrap_or_else(|| {
            proposed.push((*family, Changes::default()));
            proposed.len() - 1
        });
        if let Some((_, changes)) = proposed.get_mut(number) {
            propose(site, changes);
        }
    }
    proposed.into_iter().map(|(family, changes)| (family, changes.into_list())).collect()
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
