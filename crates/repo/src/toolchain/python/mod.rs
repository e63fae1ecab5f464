//! Python: pytest and unittest, pip in a virtual environment.

pub(crate) mod installation;
pub(crate) mod suite;
pub(crate) mod varied;

use autoheal_code::python::probe;
use autoheal_code::report::compile;
use autoheal_engine::diagnostics::Finding;
use autoheal_sandbox::Outcome;

use super::Place;
use crate::folders::{self, Folders};
use crate::setup::Setup;

pub(super) fn environment(folders: &Folders, setup: &Setup) -> Vec<(String, String)> {
    let bin = setup.interpreter().program.parent().map(|bin| bin.display().to_string()).unwrap_or_default();
    let ours = [
        ("PATH", format!("{bin}:/usr/local/bin:/usr/bin:/bin")),
        // The patch decides what is imported: never an installed copy, and never another checkout's.
        (
            "PYTHONPATH",
            [import_path(folders, setup), vec![folders.python_modules().display().to_string()]].concat().join(":"),
        ),
        // Two candidates of one size within one second would share their cached byte code.
        ("PYTHONDONTWRITEBYTECODE", "1".to_owned()),
        // Looks are compared test by test: parameters that come from a set must come in one order.
        ("PYTHONHASHSEED", "0".to_owned()),
    ];
    ours.map(|(name, value)| (name.to_owned(), value)).to_vec()
}

/// The folders that the import path begins at.
fn import_path(folders: &Folders, setup: &Setup) -> Vec<String> {
    setup.roots.iter().map(|root| folders.tree().join(root).display().to_string()).collect()
}

pub(super) fn probe_words(place: &Place<'_>, findings: &[Finding]) -> Vec<String> {
    let mut words = vec![place.program(), place.tool(folders::PROBE)];
    for root in import_path(place.folders, place.setup) {
        words.extend(["--path".to_owned(), root]);
    }
    words.extend(probe::modules_of_interest(place.sources, findings));
    words
}

pub(super) fn syntax_check_words(place: &Place<'_>, files: &[String]) -> Vec<String> {
    let ours = [place.program(), place.tool(folders::COMPILE_CHECK)];
    ours.into_iter().chain(files.iter().cloned()).collect()
}

pub(super) fn syntax_check_findings(outcome: &Outcome) -> Vec<Finding> {
    compile::findings(&String::from_utf8_lossy(&outcome.stdout))
}
