//! The matches of a selector, in the words of the Python library parsel.

use std::sync::Arc;

use autoheal_page::NodeId;
use autoheal_scraper::Match;
use autoheal_scraper::{Found, Part, Status};
use autoheal_source::SelectorLanguage;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::shared::Shared;
use crate::site::{Site, site};

/// The matches of a selector.
#[pyclass(module = "autoheal", frozen, sequence)]
pub(crate) struct SelectorList {
    shared: Arc<Shared>,
    /// One list, or the lists of selectors within several elements.
    lists: Vec<Arc<Found>>,
}

/// One match of a selector.
#[pyclass(module = "autoheal", frozen)]
pub(crate) struct Selector {
    shared: Arc<Shared>,
    found: Arc<Found>,
    place: usize,
}

impl SelectorList {
    /// The matches of a selector on the page, or within a match.
    pub(crate) fn of(
        py: Python<'_>,
        shared: &Arc<Shared>,
        site: &Site,
        within: Option<(&Found, NodeId)>,
        may_heal: bool,
    ) -> PyResult<Self> {
        let found = shared.look(py, site, within, may_heal)?;
        Ok(Self { shared: Arc::clone(shared), lists: vec![Arc::new(found)] })
    }

    fn all(&self) -> impl Iterator<Item = Selector> {
        self.lists.iter().flat_map(|found| {
            let one = |place| Selector { shared: Arc::clone(&self.shared), found: Arc::clone(found), place };
            (0..found.matches.len()).map(one)
        })
    }

    fn takes_list(&self) {
        for found in &self.lists {
            self.shared.visit.takes_list(found);
        }
    }

    fn within(&self, py: Python<'_>, site: &Arc<Site>, may_heal: bool) -> PyResult<Self> {
        let mut lists = Vec::new();
        for one in self.all() {
            lists.extend(one.within(py, site, may_heal)?.lists);
        }
        Ok(Self { shared: Arc::clone(&self.shared), lists })
    }
}

#[pymethods]
impl SelectorList {
    fn __len__(&self) -> usize {
        self.takes_list();
        self.lists.iter().map(|found| found.matches.len()).sum()
    }

    fn __bool__(&self) -> bool {
        self.lists.iter().any(|found| !found.matches.is_empty())
    }

    fn __getitem__(&self, place: isize) -> PyResult<Selector> {
        if place != 0 {
            self.takes_list();
        }
        let count: usize = self.lists.iter().map(|found| found.matches.len()).sum();
        let place = if place < 0 { count.checked_sub(place.unsigned_abs()) } else { Some(place.unsigned_abs()) };
        let found = place.and_then(|place| self.all().nth(place));
        found.ok_or_else(|| PyIndexError::new_err("list index out of range"))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.takes_list();
        let all: Vec<Selector> = self.all().collect();
        Ok(PyList::new(py, all.into_iter().map(|one| Py::new(py, one)).collect::<PyResult<Vec<_>>>()?)?
            .try_iter()?
            .into_any())
    }

    /// The first text, or `default`.
    #[pyo3(signature = (default=None))]
    fn get(&self, py: Python<'_>, default: Option<Py<PyAny>>) -> PyResult<Option<Py<PyAny>>> {
        for one in self.all() {
            if let Some(text) = one.texts(py).into_iter().next() {
                return Ok(Some(text.into_pyobject(py)?.into_any().unbind()));
            }
        }
        Ok(default)
    }

    /// All texts.
    fn getall(&self, py: Python<'_>) -> Vec<String> {
        self.takes_list();
        self.all().flat_map(|one| one.texts(py)).collect()
    }

    #[pyo3(signature = (query, *, name=None, _frame=None, _heal=true))]
    fn css(
        &self,
        py: Python<'_>,
        query: &str,
        name: Option<&str>,
        _frame: Option<Bound<'_, PyAny>>,
        _heal: bool,
    ) -> PyResult<Self> {
        self.within(py, &site(py, query, SelectorLanguage::Css, name, _frame)?, _heal)
    }

    #[pyo3(signature = (query, *, name=None, _frame=None, _heal=true))]
    fn xpath(
        &self,
        py: Python<'_>,
        query: &str,
        name: Option<&str>,
        _frame: Option<Bound<'_, PyAny>>,
        _heal: bool,
    ) -> PyResult<Self> {
        self.within(py, &site(py, query, SelectorLanguage::XPath, name, _frame)?, _heal)
    }

    /// The attributes of the first element.
    #[getter]
    fn attrib<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.all().next().map_or_else(|| Ok(PyDict::new(py)), |first| first.attrib(py))
    }

    /// The matches of a regular expression in all texts.
    fn re(&self, py: Python<'_>, regex: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
        let mut found = Vec::new();
        for text in self.getall(py) {
            found.extend(matches(py, regex, &text)?);
        }
        Ok(found)
    }

    /// The first match of a regular expression, or `default`.
    #[pyo3(signature = (regex, default=None))]
    fn re_first(
        &self,
        py: Python<'_>,
        regex: &Bound<'_, PyAny>,
        default: Option<Py<PyAny>>,
    ) -> PyResult<Option<Py<PyAny>>> {
        for one in self.all() {
            if let Some(found) = one.re(py, regex)?.into_iter().next() {
                return Ok(Some(found.into_pyobject(py)?.into_any().unbind()));
            }
        }
        Ok(default)
    }

    /// The matches, for adapters: asking for them does not say that the program takes all.
    fn _matches(&self, py: Python<'_>) -> PyResult<Vec<Py<Selector>>> {
        self.all().map(|one| Py::new(py, one)).collect()
    }

    /// Notes that the program takes all matches and not only the first.
    fn _takes_list(&self) {
        self.takes_list();
    }

    /// The outcome in a word: `kept`, `healed`, `doubtful`, `unsure`, `gone`, `unknown` or `blocked`.
    #[getter]
    fn status(&self) -> &'static str {
        self.lists.first().map_or(Status::Unknown, |found| found.status).name()
    }

    /// True if it was found again.
    #[getter]
    fn healed(&self) -> bool {
        self.lists.iter().any(|found| found.status == Status::Healed)
    }

    /// True if nothing is given, not even what the selector finds, for adapters.
    #[getter]
    fn _withheld(&self) -> bool {
        self.lists.iter().any(|found| found.status.is_withheld())
    }

    fn __repr__(&self) -> String {
        let count: usize = self.lists.iter().map(|found| found.matches.len()).sum();
        format!("<autoheal.SelectorList of {count}, {}>", self.status())
    }
}

impl Selector {
    fn texts(&self, py: Python<'_>) -> Vec<String> {
        py.detach(|| self.shared.visit.texts_of(&self.found.matches[self.place]))
    }

    fn node(&self) -> Option<NodeId> {
        match &self.found.matches[self.place] {
            Match::Node(node, Part::Element) => Some(*node),
            Match::Node(..) | Match::Text(_) => None,
        }
    }

    fn within(&self, py: Python<'_>, site: &Arc<Site>, may_heal: bool) -> PyResult<SelectorList> {
        match self.node() {
            Some(node) => SelectorList::of(py, &self.shared, site, Some((&self.found, node)), may_heal),
            None => Ok(SelectorList { shared: Arc::clone(&self.shared), lists: Vec::new() }),
        }
    }
}

#[pymethods]
impl Selector {
    /// The first text.
    fn get(&self, py: Python<'_>) -> Option<String> {
        self.texts(py).into_iter().next()
    }

    /// All texts.
    fn getall(&self, py: Python<'_>) -> Vec<String> {
        self.texts(py)
    }

    #[pyo3(signature = (query, *, name=None, _frame=None, _heal=true))]
    fn css(
        &self,
        py: Python<'_>,
        query: &str,
        name: Option<&str>,
        _frame: Option<Bound<'_, PyAny>>,
        _heal: bool,
    ) -> PyResult<SelectorList> {
        self.within(py, &site(py, query, SelectorLanguage::Css, name, _frame)?, _heal)
    }

    #[pyo3(signature = (query, *, name=None, _frame=None, _heal=true))]
    fn xpath(
        &self,
        py: Python<'_>,
        query: &str,
        name: Option<&str>,
        _frame: Option<Bound<'_, PyAny>>,
        _heal: bool,
    ) -> PyResult<SelectorList> {
        self.within(py, &site(py, query, SelectorLanguage::XPath, name, _frame)?, _heal)
    }

    /// The attributes of the element.
    #[getter]
    fn attrib<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let attributes = PyDict::new(py);
        if let Some(node) = self.node() {
            let all = self.shared.visit.read(|page| {
                let page = page.document();
                page.attributes(node).map(|(name, value)| (name.to_owned(), value.to_owned())).collect::<Vec<_>>()
            });
            for (name, value) in all {
                attributes.set_item(name, value)?;
            }
        }
        Ok(attributes)
    }

    /// The matches of a regular expression in its texts.
    fn re(&self, py: Python<'_>, regex: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
        let mut found = Vec::new();
        for text in self.texts(py) {
            found.extend(matches(py, regex, &text)?);
        }
        Ok(found)
    }

    /// The first match of a regular expression, or `default`.
    #[pyo3(signature = (regex, default=None))]
    fn re_first(
        &self,
        py: Python<'_>,
        regex: &Bound<'_, PyAny>,
        default: Option<Py<PyAny>>,
    ) -> PyResult<Option<Py<PyAny>>> {
        match self.re(py, regex)?.into_iter().next() {
            Some(found) => Ok(Some(found.into_pyobject(py)?.into_any().unbind())),
            None => Ok(default),
        }
    }

    /// True if it was found again.
    #[getter]
    fn healed(&self) -> bool {
        self.found.status == Status::Healed
    }

    /// True if it is an element, false if it is a text or an attribute.
    #[getter]
    fn is_element(&self) -> bool {
        self.node().is_some()
    }

    fn __str__(&self, py: Python<'_>) -> String {
        self.get(py).unwrap_or_default()
    }
}

/// The matches of a regular expression as parsel gives them: the group `extract`, or all groups, or the whole match.
fn matches(py: Python<'_>, regex: &Bound<'_, PyAny>, text: &str) -> PyResult<Vec<String>> {
    PyModule::import(py, "autoheal._site")?.getattr("regex_matches")?.call1((regex, text))?.extract()
}
