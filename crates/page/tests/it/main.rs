//! Behaviour through the public interface.

mod bad_input;
mod bad_pages;
mod fuzz;
mod recipe_reference;
