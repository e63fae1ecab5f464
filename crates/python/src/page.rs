//! A page that a program asks.

use std::borrow::Cow;
use std::sync::Arc;

use autoheal_page::document::decode;
use autoheal_scraper::Visit;
use autoheal_source::SelectorLanguage;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};
use url::Url;

use crate::selection::SelectorList;
use crate::shared::{OnBreak, Shared, dictionary};
use crate::site::site;
use crate::stores;

/// A page of HTML, which answers selectors.
#[pyclass(module = "autoheal", frozen)]
pub(crate) struct Page {
    shared: Arc<Shared>,
    url: Option<String>,
}

#[pymethods]
impl Page {
    #[new]
    #[pyo3(signature = (html, url=None, *, store=None, name=None, on_break=None))]
    fn new(
        py: Python<'_>,
        html: &Bound<'_, PyAny>,
        url: Option<String>,
        store: Option<Bound<'_, PyAny>>,
        name: Option<String>,
        on_break: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let on_break = OnBreak::of(py, on_break)?;
        let parsed = address_of(url.as_deref())?;
        let place = PyModule::import(py, "autoheal._site")?.getattr("store_place")?.call1((store,))?;
        let scraper = stores::open(py, &place.extract::<String>()?)?;
        let html = text_of(html)?;
        let visit = py.detach(|| Visit::new(scraper, html, parsed).named(name));
        Ok(Self { shared: Shared::new(visit, on_break), url })
    }

    /// The address of the page, as it was given.
    #[getter]
    fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// The page as text.
    #[getter]
    fn html<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        PyString::new(py, &self.shared.visit.read(|page| Arc::clone(page.html())))
    }

    /// The matches of a CSS selector, with the pseudo-elements `::text` and `::attr(name)`.
    #[pyo3(signature = (query, *, name=None, _frame=None, _heal=true))]
    fn css(
        &self,
        py: Python<'_>,
        query: &str,
        name: Option<&str>,
        _frame: Option<Bound<'_, PyAny>>,
        _heal: bool,
    ) -> PyResult<SelectorList> {
        let site = site(py, query, SelectorLanguage::Css, name, _frame)?;
        SelectorList::of(py, &self.shared, &site, None, _heal)
    }

    /// The matches of an XPath expression; it may end in `/text()`, `//text()` or `/@name`.
    #[pyo3(signature = (query, *, name=None, _frame=None, _heal=true))]
    fn xpath(
        &self,
        py: Python<'_>,
        query: &str,
        name: Option<&str>,
        _frame: Option<Bound<'_, PyAny>>,
        _heal: bool,
    ) -> PyResult<SelectorList> {
        let site = site(py, query, SelectorLanguage::XPath, name, _frame)?;
        SelectorList::of(py, &self.shared, &site, None, _heal)
    }

    /// The outcome for each field that the program has read, as a list of dictionaries.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let report = py.detach(|| self.shared.visit.report());
        let fields: Vec<_> = report.iter().map(|field| dictionary(py, field)).collect::<PyResult<_>>()?;
        PyList::new(py, fields)
    }

    /// Ends the page: what was found on it is learnt. Done by itself when the page is no longer used.
    fn close(&self, py: Python<'_>) {
        py.detach(|| self.shared.visit.finish());
    }

    fn __enter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    #[pyo3(signature = (*_args))]
    fn __exit__(&self, py: Python<'_>, _args: &Bound<'_, PyAny>) {
        self.close(py);
    }

    fn __repr__(&self) -> String {
        format!("<autoheal.Page url={:?}>", self.url.as_deref().unwrap_or_default())
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // While the store is busy, other threads of the program continue. Of a program that ends, the pages are finished before.
        _ = Python::try_attach(|py| py.detach(|| self.shared.visit.finish()));
    }
}

/// The address of a page, if it is given.
pub(crate) fn address_of(url: Option<&str>) -> PyResult<Option<Url>> {
    url.map(Url::parse)
        .transpose()
        .map_err(|error| PyValueError::new_err(format!("`url` is not an absolute address: {error}")))
}

/// The text of a page. Bytes are decoded as browsers do, by what the page declares.
pub(crate) fn text_of(html: &Bound<'_, PyAny>) -> PyResult<Arc<str>> {
    if let Ok(text) = html.cast::<PyString>() {
        // Half of a surrogate pair is not text: it is replaced, as browsers do.
        let text: Cow<'_, str> = text.to_string_lossy();
        return Ok(text.into());
    }
    match html.cast::<PyBytes>() {
        Ok(bytes) => Ok(decode(bytes.as_bytes()).into()),
        Err(_) => Err(PyTypeError::new_err("`html` is a `str` or `bytes`; of a response write `Page.of(response)`")),
    }
}
