//! A page with the policy for selectors that break: what all matches on it share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use autoheal_page::NodeId;
use autoheal_scraper::{FieldReport, Found, Status, Visit};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{self, Class};
use crate::site::Site;

/// Policy for selectors that break.
pub(crate) enum OnBreak {
    Heal,
    Raise,
    Nothing,
    Ask(Py<PyAny>),
}

/// The page and the policy that all matches share.
pub(crate) struct Shared {
    pub(crate) visit: Visit,
    on_break: OnBreak,
}

impl Shared {
    pub(crate) fn new(visit: Visit, on_break: OnBreak) -> Arc<Self> {
        let shared = Arc::new(Self { visit, on_break });
        let mut open = open_pages();
        // Each page is looked at once for as many new ones.
        if open.len() == open.capacity() {
            open.retain(|page| page.strong_count() > 0);
        }
        open.push(Arc::downgrade(&shared));
        shared
    }

    /// The matches of a selector, by the policy for selectors that break.
    pub(crate) fn look(
        &self,
        py: Python<'_>,
        site: &Site,
        within: Option<(&Found, NodeId)>,
        may_heal: bool,
    ) -> PyResult<Found> {
        let found = py.detach(|| self.visit.look(&site.place, &site.query, within, may_heal));
        let mut found = found.map_err(|error| errors::of_visit(py, &error))?;
        if found.is_break {
            let is_wanted = self.decide(py, &found)?;
            if !is_wanted && found.status == Status::Healed {
                found.matches.clear();
            }
        }
        Ok(found)
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

/// Pages that the program may still use.
static OPEN: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());

/// Ends all pages that the program still has. Called at the end of the program, which may not free them.
#[pyfunction]
pub(crate) fn finish(py: Python<'_>) {
    py.detach(|| {
        let open = std::mem::take(&mut *open_pages());
        open.iter().filter_map(Weak::upgrade).for_each(|page| page.visit.finish());
    });
}

fn open_pages() -> MutexGuard<'static, Vec<Weak<Shared>>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

impl OnBreak {
    pub(crate) fn of(py: Python<'_>, value: Option<Bound<'_, PyAny>>) -> PyResult<Self> {
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

pub(crate) fn dictionary<'py>(py: Python<'py>, report: &FieldReport) -> PyResult<Bound<'py, PyDict>> {
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
