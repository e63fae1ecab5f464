//! Open stores of the process, by address. A store has a thread, which a fork does not copy: a child opens its own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use autoheal_scraper::{Scraper, ScraperError};
use pyo3::prelude::*;

use crate::errors;

#[derive(Default)]
struct Open {
    process: u32,
    by_address: HashMap<String, Arc<Scraper>>,
}

static OPEN: Mutex<Option<Open>> = Mutex::new(None);

/// The store at an address (`sqlite://` or `postgres://`) or in a file.
pub(crate) fn open(py: Python<'_>, place: &str) -> PyResult<Arc<Scraper>> {
    py.detach(|| open_here(place)).map_err(|error| errors::of_scraper(py, &error))
}

fn open_here(place: &str) -> Result<Arc<Scraper>, ScraperError> {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if open.as_ref().is_some_and(|open| open.process != process) {
        // The parent's threads are not here: waiting for them would never end.
        std::mem::forget(open.take());
    }
    let open = open.get_or_insert_with(|| Open { process, ..Open::default() });
    if let Some(scraper) = open.by_address.get(place) {
        return Ok(Arc::clone(scraper));
    }
    let is_address = place.contains("://") || place.starts_with("sqlite:");
    let scraper = if is_address { Scraper::open(place)? } else { Scraper::open_file(place.as_ref())? };
    let scraper = Arc::new(scraper);
    open.by_address.insert(place.to_owned(), Arc::clone(&scraper));
    Ok(scraper)
}

/// Waits until everything that was learnt is stored. Called at the end of the program as well.
#[pyfunction]
pub(crate) fn flush(py: Python<'_>) -> PyResult<()> {
    let flushed = py.detach(|| {
        let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let here = open.as_ref().filter(|open| open.process == std::process::id());
        let scrapers: Vec<Arc<Scraper>> = here.into_iter().flat_map(|open| open.by_address.values().cloned()).collect();
        drop(open);
        scrapers.iter().try_for_each(|scraper| scraper.flush())
    });
    flushed.map_err(|error| errors::of_scraper(py, &error))
}
