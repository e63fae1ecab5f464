//! The place of a program that asks: the frame above, looked at once for each place.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use autoheal_scraper::{Place, Query};
use autoheal_source::SelectorLanguage;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyAny;

use crate::errors;

/// A place of a program with the selector that it asks with.
pub(crate) struct Site {
    pub(crate) place: Place,
    pub(crate) query: Query,
}

/// A place is known by its code object, which is kept alive, and the instruction in it; a loop may ask with several selectors there.
type Key = (usize, i32, SelectorLanguage);

struct Known {
    /// Keeps the address of the code object from being used for another one.
    _code: Py<PyAny>,
    selector: String,
    name: Option<String>,
    site: Arc<Site>,
}

static SITES: Mutex<Option<HashMap<Key, Vec<Known>>>> = Mutex::new(None);

/// Maximum number of selectors that are remembered for one place: programs may compute them.
const MOST_SELECTORS: usize = 64;

/// The site of the calling frame, or of `frame`.
pub(crate) fn site(
    py: Python<'_>,
    selector: &str,
    language: SelectorLanguage,
    name: Option<&str>,
    frame: Option<Bound<'_, PyAny>>,
) -> PyResult<Arc<Site>> {
    let frame = frame.map_or_else(|| calling_frame(py), Ok)?;
    let code = frame.getattr("f_code")?;
    let key = (code.as_ptr() as usize, frame.getattr("f_lasti")?.extract()?, language);
    let is_it = |known: &&Known| known.selector == selector && known.name.as_deref() == name;
    {
        let sites = SITES.lock().unwrap_or_else(PoisonError::into_inner);
        let known = sites.as_ref().and_then(|sites| sites.get(&key)).and_then(|known| known.iter().find(is_it));
        if let Some(known) = known {
            return Ok(Arc::clone(&known.site));
        }
    }
    let query = Query::parse(selector, language).map_err(|error| errors::of_query(py, &error))?;
    let describe = PyModule::import(py, "autoheal._site")?.getattr("describe")?;
    let (function, file, line, variable): (String, String, u32, String) = describe.call1((frame,))?.extract()?;
    let place = Place { function, file, line, name: name.map_or(variable, str::to_owned) };
    let site = Arc::new(Site { place, query });
    let known = Known {
        _code: code.unbind(),
        selector: selector.to_owned(),
        name: name.map(str::to_owned),
        site: Arc::clone(&site),
    };
    let mut sites = SITES.lock().unwrap_or_else(PoisonError::into_inner);
    let here = sites.get_or_insert_with(HashMap::new).entry(key).or_default();
    if here.len() < MOST_SELECTORS {
        here.push(known);
    }
    Ok(site)
}

/// The frame of the program: compiled functions have no frame.
fn calling_frame(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    static GET_FRAME: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let sys = || PyModule::import(py, "sys").and_then(|sys| sys.getattr("_getframe")).map(Bound::unbind);
    GET_FRAME.get_or_try_init(py, sys)?.bind(py).call0()
}
