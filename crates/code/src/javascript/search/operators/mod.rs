//! The repair operators of JavaScript alone, for kinds of fault of every language and of its own.

use crate::search::operators::Operators;
use crate::search::priors::Family;

mod chaining;
mod constructors;
mod defaults;
mod keys;
mod loops;
mod patterns;
mod pieces;
mod updates;

/// Every operator, with the kind of fault that it repairs.
pub(super) const OPERATORS: Operators = &[
    (Family::Attributes, keys::propose),
    (Family::OffByOne, updates::moment),
    (Family::Indexing, pieces::propose),
    (Family::InitialValues, defaults::propose),
    (Family::Assignments, updates::direction),
    (Family::Guards, constructors::propose),
    (Family::Loops, loops::propose),
    (Family::Chaining, chaining::propose),
    (Family::Patterns, patterns::propose),
];
