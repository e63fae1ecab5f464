//! Fields with one value.

mod candidates;
mod features;
mod weights;

pub(crate) use candidates::{Candidate, Wanted, candidates, of_attribute, of_chain};
pub(crate) use features::{Comparison, Single};
