//! Fields with many values.

mod candidates;
mod features;
mod looks;
mod names;
mod promotion;
mod stated;
mod weights;

pub(crate) use candidates::groups;
pub(crate) use features::{Comparison, List};
pub(crate) use promotion::is_promotion;
