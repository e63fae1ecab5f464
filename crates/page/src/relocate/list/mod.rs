//! Fields with many values.

mod candidates;
mod features;
mod looks;
mod names;
mod stated;
mod weights;

pub(crate) use candidates::groups;
pub(crate) use features::{Comparison, List};
