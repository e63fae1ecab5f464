//! Open stores of the process, by address.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use autoheal_scraper::{Scraper, ScraperError};
use pyo3::prelude::*;

use crate::errors;

static OPEN: Mutex<Option<HashMap<String, Arc<Scraper>>>> = Mutex::new(None);

/// The store at an address (`sqlite://` or `postgres://`) or in a file.
pub(crate) fn open(py: Python<'_>, place: &str) -> PyResult<Arc<Scraper>> {
    py.detach(|| open_here(place)).map_err(|error| errors::of_scraper(py, &error))
}

fn open_here(place: &str) -> Result<Arc<Scraper>, ScraperError> {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let open = open.get_or_insert_with(HashMap::new);
    if let Some(scraper) = open.get(place) {
        return Ok(Arc::clone(scraper));
    }
    let is_address = place.contains("://") || place.starts_with("sqlite:");
    let scraper = if is_address { Scraper::open(place)? } else { Scraper::open_file(place.as_ref())? };
    let scraper = Arc::new(scraper);
    open.insert(place.to_owned(), Arc::clone(&scraper));
    Ok(scraper)
}

fn for_all(py: Python<'_>, work: impl Fn(&Scraper) -> Result<(), ScraperError> + Sync) -> PyResult<()> {
    let result = py.detach(|| {
        let scrapers: Vec<Arc<Scraper>> = {
            let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
            open.iter().flat_map(HashMap::values).cloned().collect()
        };
        scrapers.iter().map(|scraper| work(scraper)).fold(Ok(()), Result::and)
    });
    result.map_err(|error| errors::of_scraper(py, &error))
}

/// Waits until everything that was learnt is stored.
#[pyfunction]
pub(crate) fn flush(py: Python<'_>) -> PyResult<()> {
    for_all(py, Scraper::flush)
}

/// Stores everything and closes all stores until they are wanted again. Called before each fork, which neither threads nor
/// connections survive, and at the end of the program.
#[pyfunction]
pub(crate) fn suspend(py: Python<'_>) -> PyResult<()> {
    for_all(py, Scraper::suspend)
}
