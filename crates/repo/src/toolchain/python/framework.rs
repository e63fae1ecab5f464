//! The test runner of a Python project.

use std::sync::LazyLock;

use autoheal_code::{LanguageId, python};
use regex::Regex;

use super::dependencies::requirement_files;
use super::runners::{PYTEST, UNITTEST};
use crate::project::{Detected, Manifests, ini_section, is_folder, join, read_text};
use crate::test_runner::TestRunner;
use crate::toolchain::Survey;

/// Maximum number of test files that are read to see what they import.
const ENOUGH_FILES: usize = 200;

static IMPORTS_PYTEST: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?m)^\s*(import|from)\s+pytest\b").ok());
static IMPORTS_UNITTEST: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)^\s*(import\s+(unittest|django\.test)\b|from\s+(unittest|django\.test)\b)").ok());
static TEST_FUNCTION: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?m)^(async\s+)?def\s+test_").ok());
static MENTIONS_PYTEST: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)(^|[^A-Za-z0-9._-])(pytest|py\.test)\b").ok());

fn matches(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// Returns the runner that the settings of one name. pytest wins over unittest, since it runs both.
pub(super) fn configured(survey: &Survey<'_>) -> Option<Detected> {
    if let Some(evidence) = pytest_configuration(survey.manifests) {
        return Some(Detected::new(PYTEST, evidence));
    }
    let mut files = survey.files_inside();
    let file = files.find(|file| file.rsplit('/').next() == Some("conftest.py"))?;
    Some(Detected::new(PYTEST, file))
}

/// Returns the runner by what the manifests ask for, then by what the tests import.
pub(super) fn detected(survey: &Survey<'_>) -> Option<Detected> {
    if let Some(name) = mention_of_pytest(survey.manifests) {
        return Some(Detected::new(PYTEST, format!("pytest is named in {name}")));
    }
    let mut tests = survey.tests_in(python::ID).peekable();
    tests.peek()?;
    let (mut unittest, mut functions) = (None, None);
    for file in tests.take(ENOUGH_FILES) {
        let Some(text) = read_text(survey.tree, file) else { continue };
        if matches(&IMPORTS_PYTEST, &text) {
            return Some(Detected::new(PYTEST, format!("{file} imports pytest")));
        }
        if matches(&IMPORTS_UNITTEST, &text) {
            unittest.get_or_insert(file);
        } else if matches(&TEST_FUNCTION, &text) {
            functions.get_or_insert(file);
        }
    }
    Some(match (functions, unittest) {
        (Some(file), _) => Detected::new(PYTEST, format!("{file} has test functions outside of a class")),
        (None, Some(file)) => Detected::new(UNITTEST, format!("{file} imports unittest")),
        (None, None) => Detected::new(PYTEST, "nothing else is said"),
    })
}

/// Returns the words after the plain command of a runner: discovery of unittest enters packages only, so a folder without `__init__.py` has
/// to be named, and so has a pattern that finds `a_test.py`.
pub(super) fn default_arguments(runner: TestRunner, survey: &Survey<'_>) -> Vec<String> {
    if runner != UNITTEST {
        return Vec::new();
    }
    let Survey { tree, directory, files, .. } = *survey;
    // It is one of unittest's arguments.
    let mut words = vec!["discover".to_owned()];
    let folder = ["tests", "test"].into_iter().find(|folder| is_folder(tree, &join(directory, folder)));
    let is_package = |folder: &str| files.contains(&join(directory, &format!("{folder}/__init__.py")));
    if let Some(folder) = folder.filter(|folder| !is_package(folder)) {
        words.extend(["-s".to_owned(), folder.to_owned()]);
    }
    let mut names = files.iter().filter_map(|file| file.rsplit('/').next());
    let is_found = |name: &str| name.starts_with("test") && LanguageId::of(name) == Some(python::ID);
    if !names.clone().any(is_found) && names.any(|name| name.ends_with("_test.py")) {
        words.extend(["-p".to_owned(), "*_test.py".to_owned()]);
    }
    words
}

fn pytest_configuration(manifests: &Manifests) -> Option<&'static str> {
    for name in ["pytest.ini", ".pytest.ini"] {
        if manifests.text(name).is_some() {
            return Some(if name == "pytest.ini" { "pytest.ini" } else { ".pytest.ini" });
        }
    }
    if manifests.toml("pyproject.toml").get("tool").and_then(|tool| tool.get("pytest")).is_some() {
        return Some("[tool.pytest] in pyproject.toml");
    }
    if manifests.text("tox.ini").is_some_and(|text| ini_section(text, "pytest").is_some()) {
        return Some("[pytest] in tox.ini");
    }
    if manifests.text("setup.cfg").is_some_and(|text| ini_section(text, "tool:pytest").is_some()) {
        return Some("[tool:pytest] in setup.cfg");
    }
    None
}

/// The manifest that names pytest as something to install or to run.
fn mention_of_pytest(manifests: &Manifests) -> Option<String> {
    let named = ["pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "Pipfile", "environment.yml"];
    let texts = named.iter().filter_map(|name| Some((*name, manifests.text(name)?)));
    texts
        .chain(requirement_files(manifests))
        .find(|(_, text)| {
            text.lines().any(|line| !line.trim_start().starts_with('#') && matches(&MENTIONS_PYTEST, line))
        })
        .map(|(name, _)| name.to_owned())
}
