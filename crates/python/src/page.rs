//! A page that a program asks.

use std::borrow::Cow;
use std::sync::Arc;

use autoheal_page::NodeId;
use autoheal_page::document::decode;
use autoheal_scraper::{FieldReport, Found, Status, Visit};
use autoheal_source::SelectorLanguage;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};
use url::Url;

use crate::errors::{self, Class};
use crate::selection::SelectorList;
use crate::site::{Site, site};
use crate::stores;

/// What is done when a selector breaks.
enum OnBreak {
    Heal,
    Raise,
    Nothing,
    Ask(Py<PyAny>),
}

/// What all matches on a page share.
pub(crate) struct Shared {
    pub(crate) visit: Visit,
    on_break: OnBreak,
}

/// A page of HTML that is asked with selectors.
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
        let parsed = url.as_deref().map(Url::parse).transpose();
        let parsed =
            parsed.map_err(|error| PyValueError::new_err(format!("`url` is not an absolute address: {error}")))?;
        let place = PyModule::import(py, "autoheal._site")?.getattr("store_place")?.call1((store,))?;
        let scraper = stores::open(py, &place.extract::<String>()?)?;
        let html = text_of(html)?;
        let visit = py.detach(|| Visit::new(scraper, html, parsed).named(name));
        Ok(Self { shared: Arc::new(Shared { visit, on_break }), url })
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
        self.shared.look(py, &site, None, _heal)
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
        self.shared.look(py, &site, None, _heal)
    }

    /// The outcome for each field that was asked for, as a list of dictionaries.
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
        self.shared.visit.finish();
    }
}

impl Shared {
    /// The matches of a selector, by the policy for selectors that break.
    pub(crate) fn look(
        self: &Arc<Self>,
        py: Python<'_>,
        site: &Arc<Site>,
        within: Option<(&Found, NodeId)>,
        may_heal: bool,
    ) -> PyResult<SelectorList> {
        let found = py.detach(|| self.visit.look(&site.place, &site.query, within, may_heal));
        let mut found = found.map_err(|error| errors::of_visit(py, &error))?;
        if found.is_break {
            let is_wanted = self.decide(py, &found)?;
            if !is_wanted && found.status == Status::Healed {
                found.matches.clear();
            }
        }
        Ok(SelectorList::new(Arc::clone(self), Arc::new(found)))
    }

    /// Returns whether what was found again is taken.
    fn decide(&self, py: Python<'_>, found: &Found) -> PyResult<bool> {
        let Some(report) = self.visit.field_report(found) else { return Ok(true) };
        let warn = |message: &str| -> PyResult<()> {
            PyModule::import(py, "autoheal._site")?.getattr("warn_once")?.call1((message,))?;
            Ok(())
        };
        match &self.on_break {
            OnBreak::Heal => {
                warn(&message(&report))?;
                Ok(true)
            }
            OnBreak::Nothing => Ok(false),
            OnBreak::Raise => {
                let error = Class::Broken.error(py, message(&report));
                error.value(py).setattr("field", dictionary(py, &report)?)?;
                Err(error)
            }
            OnBreak::Ask(ask) => ask.bind(py).call1((dictionary(py, &report)?,))?.is_truthy(),
        }
    }
}

impl OnBreak {
    fn of(py: Python<'_>, value: Option<Bound<'_, PyAny>>) -> PyResult<Self> {
        let value = match value {
            Some(value) => value,
            None => PyModule::import(py, "autoheal._site")?.getattr("default_on_break")?.call0()?,
        };
        if value.is_callable() {
            return Ok(Self::Ask(value.unbind()));
        }
        let word: String = value.extract().unwrap_or_default();
        match word.as_str() {
            "heal" => Ok(Self::Heal),
            "raise" => Ok(Self::Raise),
            "none" => Ok(Self::Nothing),
            _ => Err(PyValueError::new_err("`on_break` is \"heal\", \"raise\", \"none\" or a function")),
        }
    }
}

/// The text of a page. Bytes are decoded as browsers do, by what the page declares.
pub(crate) fn text_of(html: &Bound<'_, PyAny>) -> PyResult<Arc<str>> {
    if let Ok(text) = html.cast::<PyString>() {
        // Half of a surrogate pair is no text: it is replaced, as browsers do.
        let text: Cow<'_, str> = text.to_string_lossy();
        return Ok(text.into());
    }
    match html.cast::<PyBytes>() {
        Ok(bytes) => Ok(decode(bytes.as_bytes()).into()),
        Err(_) => Err(PyTypeError::new_err("`html` is a `str` or `bytes`; of a response write `Page.of(response)`")),
    }
}

fn message(report: &FieldReport) -> String {
    let FieldReport { field, file, line, selector, confidence, .. } = report;
    let outcome = match (report.status, &report.healed_selector) {
        (Status::Healed, Some(healed)) => format!("found again by `{healed}` (confidence {confidence:.2})"),
        (Status::Healed, None) => format!("found again by its value (confidence {confidence:.2})"),
        (Status::Doubtful, _) => "it finds something that is not like the values before".to_owned(),
        (Status::Gone, _) => "the field is no longer on the page".to_owned(),
        (Status::Blocked, _) => "the page is not the page".to_owned(),
        _ => "nothing on the page is sure enough to be it".to_owned(),
    };
    let why = if report.evidence.is_empty() { String::new() } else { format!(": {}", report.evidence.join("; ")) };
    format!("{file}:{line}: `{field}`: `{selector}` is broken: {outcome}{why}")
}

fn dictionary<'py>(py: Python<'py>, report: &FieldReport) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    fields.set_item("field", &report.field)?;
    fields.set_item("status", report.status.name())?;
    fields.set_item("file", &report.file)?;
    fields.set_item("line", report.line)?;
    fields.set_item("selector", &report.selector)?;
    fields.set_item("healed_selector", &report.healed_selector)?;
    fields.set_item("values", &report.values)?;
    fields.set_item("confidence", report.confidence)?;
    fields.set_item("evidence", &report.evidence)?;
    Ok(fields)
}
