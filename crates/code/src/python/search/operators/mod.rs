//! The repair operators of Python alone, for kinds of fault of every language and of its own.

use crate::search::operators::Operators;
use crate::search::priors::Family;

mod comprehensions;
mod iterables;
mod jumps;
mod keywords;
mod separators;
mod slices;

/// Every operator, with the kind of fault that it repairs.
pub(super) const OPERATORS: Operators = &[
    (Family::Arguments, keywords::propose),
    (Family::Arguments, comprehensions::entries),
    (Family::Wrappers, iterables::propose),
    (Family::Indexing, slices::propose),
    (Family::Jumps, jumps::propose),
    (Family::Combinations, comprehensions::conditions),
    (Family::Separators, separators::propose),
];
