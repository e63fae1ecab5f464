//! The Python package `autoheal`: pages whose selectors are found again when a site changes. `docs/python.md` is the user's
//! reference; `crates/scraper` does the work.
//!
//! # Layout
//!
//! - `page`: a page, `selection`: the matches of a selector, `shared`: the page and its policy for both
//! - `site`: the place of a program that asks
//! - `stores`: open stores of the process
//! - `functions`: relocation, recipes, extraction and diffs without a store
//! - `errors`: the package's exceptions

#![expect(
    clippy::used_underscore_binding,
    reason = "arguments that only the package itself gives begin with an underscore"
)]

mod errors;
mod functions;
mod page;
mod selection;
mod shared;
mod site;
mod stores;

/// The part of the package `autoheal` that is compiled.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::functions::{apply_recipe, diff, extract, relocate};
    #[pymodule_export]
    use crate::page::Page;
    #[pymodule_export]
    use crate::selection::{Selector, SelectorList};
    #[pymodule_export]
    use crate::shared::finish;
    #[pymodule_export]
    use crate::stores::{flush, suspend};
}
