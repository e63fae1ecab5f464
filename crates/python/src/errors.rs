//! The package's exceptions, which are defined in Python (`autoheal/errors.py`), and the errors of the other crates as such.

use std::fmt::Display;

use autoheal_scraper::visit::VisitError;
use autoheal_scraper::{QueryError, ScraperError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// An exception of the package.
#[derive(Clone, Copy)]
pub(crate) enum Class {
    Selector,
    Store,
    Recipe,
    Broken,
}

impl Class {
    const fn name(self) -> &'static str {
        match self {
            Self::Selector => "SelectorError",
            Self::Store => "StoreError",
            Self::Recipe => "RecipeError",
            Self::Broken => "BrokenSelectorError",
        }
    }

    /// The exception with a message.
    pub(crate) fn error(self, py: Python<'_>, message: impl Display) -> PyErr {
        static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
        let module = MODULE.get_or_try_init(py, || PyModule::import(py, "autoheal.errors").map(Bound::unbind));
        let class = module.and_then(|module| Ok(module.bind(py).getattr(self.name())?.cast_into::<PyType>()?));
        match class {
            Ok(class) => PyErr::from_type(class, message.to_string()),
            Err(error) => error,
        }
    }
}

pub(crate) fn of_query(py: Python<'_>, error: &QueryError) -> PyErr {
    Class::Selector.error(py, error)
}

pub(crate) fn of_scraper(py: Python<'_>, error: &ScraperError) -> PyErr {
    Class::Store.error(py, error)
}

pub(crate) fn of_visit(py: Python<'_>, error: &VisitError) -> PyErr {
    match error {
        VisitError::TooMuchWork(error) => Class::Selector.error(py, error),
        VisitError::Scraper(error) => of_scraper(py, error),
    }
}
