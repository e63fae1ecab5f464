//! Behaviour through the public interface.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bad_input;
mod bad_pages;
mod fuzz;
#[cfg(test)]
mod pills;
mod recipe_reference;
mod relocate_anything;
mod relocation;
