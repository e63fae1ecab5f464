//! Detection of the test framework that a project uses.

use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

use super::manifest::{Manifests, ini_section, read_text};
use super::{Language, TestFramework, node};
use crate::discovery;

/// Maximum number of test files that are read to see what they import.
const ENOUGH_FILES: usize = 200;

/// A framework and the evidence for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detected {
    /// Test framework of the project.
    pub framework: TestFramework,
    /// Evidence for the user: `pytest.ini`, `imports in tests/test_a.py`.
    pub evidence: String,
}

static IMPORTS_PYTEST: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?m)^\s*(import|from)\s+pytest\b").ok());
static IMPORTS_UNITTEST: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)^\s*(import\s+(unittest|django\.test)\b|from\s+(unittest|django\.test)\b)").ok());
static TEST_FUNCTION: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?m)^(async\s+)?def\s+test_").ok());
static MENTIONS_PYTEST: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)(^|[^A-Za-z0-9._-])(pytest|py\.test)\b").ok());

fn matches(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// The framework of the project in `directory`: by its configuration, then by what its manifests ask for, then by what its
/// tests import. pytest wins over unittest, since it runs both.
pub fn detect(tree: &Path, directory: &str, manifests: &Manifests, files: &[String]) -> Option<Detected> {
    let found = |framework, evidence: &str| Some(Detected { framework, evidence: evidence.to_owned() });
    if let Some(evidence) = pytest_configuration(manifests) {
        return found(TestFramework::Pytest, evidence);
    }
    let prefix = if directory.is_empty() { String::new() } else { format!("{directory}/") };
    let inside: Vec<&String> = files.iter().filter(|file| file.starts_with(&prefix)).collect();
    if let Some(file) = inside.iter().find(|file| file.rsplit('/').next() == Some("conftest.py")) {
        return found(TestFramework::Pytest, file);
    }
    let tests: Vec<&&String> = inside.iter().filter(|file| discovery::is_test_file(file)).collect();
    let is_python = tests.iter().any(|file| Language::of_file(file) == Some(Language::Python));
    if !is_python && let Some(detected) = javascript(tree, directory, files) {
        return Some(detected);
    }
    if let Some(name) = mention_of_pytest(manifests) {
        return found(TestFramework::Pytest, &format!("pytest is named in {name}"));
    }
    let (mut unittest, mut functions) = (None, None);
    for file in tests.iter().filter(|file| Language::of_file(file) == Some(Language::Python)).take(ENOUGH_FILES) {
        let Some(text) = read_text(tree, file) else { continue };
        if matches(&IMPORTS_PYTEST, &text) {
            return found(TestFramework::Pytest, &format!("{file} imports pytest"));
        }
        if matches(&IMPORTS_UNITTEST, &text) {
            unittest.get_or_insert(*file);
        } else if matches(&TEST_FUNCTION, &text) {
            functions.get_or_insert(*file);
        }
    }
    match (functions, unittest) {
        (Some(file), _) => found(TestFramework::Pytest, &format!("{file} has test functions outside of a class")),
        (None, Some(file)) => found(TestFramework::Unittest, &format!("{file} imports unittest")),
        (None, None) if is_python => found(TestFramework::Pytest, "nothing else is said"),
        (None, None) => javascript(tree, directory, files),
    }
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
        .chain(manifests.requirement_files())
        .find(|(_, text)| {
            text.lines().any(|line| !line.trim_start().starts_with('#') && matches(&MENTIONS_PYTEST, line))
        })
        .map(|(name, _)| name.to_owned())
}

fn javascript(tree: &Path, directory: &str, files: &[String]) -> Option<Detected> {
    let (framework, evidence) = node::framework(tree, directory, files)?;
    Some(Detected { framework, evidence })
}
