//! Files that are never edited: those that decide what green means, and those that belong to tools.
//!
//! A test that is weakened until it passes, or a linter that is configured to ignore a problem, is not a fix; and an edit of the CI
//! configuration by a program is a privilege escalation. The functions here look only at names: links are rejected where files are
//! written, by their type on disk, and [`standing`] knows further files that serve the tests.

pub(crate) mod standing;

use crate::discovery::{is_test_file, is_vendored};

/// Folders in which every file is protected: tests with their data, CI.
const FOLDERS: &[(&str, Protection)] = &[
    ("tests", Protection::Test),
    ("test", Protection::Test),
    ("__tests__", Protection::Test),
    ("__mocks__", Protection::Test),
    ("__snapshots__", Protection::Test),
    ("__fixtures__", Protection::Test),
    ("e2e", Protection::Test),
    (".github", Protection::Ci),
    (".gitlab", Protection::Ci),
    (".circleci", Protection::Ci),
    (".buildkite", Protection::Ci),
    (".azure-pipelines", Protection::Ci),
    (".git", Protection::Git),
];

/// Files that are protected wherever they lie. Compared without regard to case.
const FILES: &[(&str, Protection)] = &[
    ("conftest.py", Protection::Test),
    (".gitlab-ci.yml", Protection::Ci),
    (".travis.yml", Protection::Ci),
    (".cirrus.yml", Protection::Ci),
    (".appveyor.yml", Protection::Ci),
    ("appveyor.yml", Protection::Ci),
    ("azure-pipelines.yml", Protection::Ci),
    ("bitbucket-pipelines.yml", Protection::Ci),
    ("jenkinsfile", Protection::Ci),
    ("makefile", Protection::Ci),
    ("tox.ini", Protection::Configuration),
    ("tox.toml", Protection::Configuration),
    ("noxfile.py", Protection::Configuration),
    ("pytest.ini", Protection::Configuration),
    (".pytest.ini", Protection::Configuration),
    ("pytest.toml", Protection::Configuration),
    ("setup.cfg", Protection::Configuration),
    (".flake8", Protection::Configuration),
    ("ruff.toml", Protection::Configuration),
    (".ruff.toml", Protection::Configuration),
    (".pylintrc", Protection::Configuration),
    ("pylintrc", Protection::Configuration),
    ("mypy.ini", Protection::Configuration),
    (".mypy.ini", Protection::Configuration),
    (".coveragerc", Protection::Configuration),
    (".pre-commit-config.yaml", Protection::Configuration),
    (".eslintignore", Protection::Configuration),
    (".npmrc", Protection::Configuration),
    (".yarnrc", Protection::Configuration),
    (".yarnrc.yml", Protection::Configuration),
    (".nvmrc", Protection::Configuration),
    (".node-version", Protection::Configuration),
    ("pnpm-workspace.yaml", Protection::Configuration),
    (".nycrc", Protection::Configuration),
    (".c8rc.json", Protection::Configuration),
    ("sitecustomize.py", Protection::Configuration),
    ("usercustomize.py", Protection::Configuration),
    ("poetry.lock", Protection::Lock),
    ("uv.lock", Protection::Lock),
    ("pdm.lock", Protection::Lock),
    ("pipfile.lock", Protection::Lock),
    ("pylock.toml", Protection::Lock),
    ("package-lock.json", Protection::Lock),
    ("npm-shrinkwrap.json", Protection::Lock),
    ("pnpm-lock.yaml", Protection::Lock),
    ("yarn.lock", Protection::Lock),
    ("bun.lock", Protection::Lock),
    ("bun.lockb", Protection::Lock),
    ("deno.lock", Protection::Lock),
    (".autoheal.toml", Protection::Configuration),
    (".gitattributes", Protection::Git),
    (".gitmodules", Protection::Git),
    (".gitignore", Protection::Git),
];

/// Prefixes of the names of JavaScript tools' configuration files (`jest.config.ts`, `.eslintrc.json`).
const PREFIXES: &[&str] = &[
    "jest.config.",
    "jest.setup.",
    "jest-setup.",
    "jest.polyfills.",
    "setuptests.",
    "setup-tests.",
    "setupjest.",
    "vitest.config.",
    "vitest.setup.",
    "vitest-setup.",
    "test-setup.",
    "test.setup.",
    "vitest.workspace.",
    // Where vitest has no settings of its own they stand here.
    "vite.config.",
    "karma.conf.",
    "playwright.config.",
    "playwright-ct.config.",
    "cypress.config.",
    "eslint.config.",
    ".eslintrc",
    ".mocharc",
    ".nycrc",
    // How strict the compiler is, and what it makes of the code before tests see it.
    "tsconfig.",
    "tsconfig-",
    "jsconfig.",
    "jsconfig-",
    "babel.config.",
    ".babelrc",
    ".swcrc",
];

/// Tables of `pyproject.toml` that say how tests and linters run, below `tool`.
const TOOL_TABLES: &[&str] =
    &["pytest", "ruff", "flake8", "pylint", "mypy", "pyright", "coverage", "tox", "nox", "hatch"];

/// Keys of `package.json` that say how tests, builds and linters run, and what the package is for those who load it: an edit there
/// changes what is tested.
const PACKAGE_KEYS: &[&str] = &[
    "scripts",
    "jest",
    "mocha",
    "vitest",
    "ava",
    "tap",
    "nyc",
    "c8",
    "eslintConfig",
    "eslintIgnore",
    "standard",
    "xo",
    "babel",
    "type",
    "exports",
    "imports",
    "main",
    "module",
    "bin",
];

/// Reason a file is never edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Protection {
    /// A test, or something that tests load.
    Test,
    /// It says how tests or linters run.
    Configuration,
    /// It says what CI does.
    Ci,
    /// A tool writes it.
    Lock,
    /// It is git's own.
    Git,
    /// The file is third-party code.
    Vendored,
}

/// Returns the reason `file`, relative to the repository, is never edited; `None`: it may be edited.
pub fn protection(file: &str) -> Option<Protection> {
    let lower = file.to_lowercase();
    let mut folders: Vec<&str> = lower.split('/').collect();
    let name = folders.pop().unwrap_or_default();
    let folder = FOLDERS.iter().find(|(folder, _)| folders.contains(folder));
    let named = FILES.iter().find(|(other, _)| *other == name);
    if let Some((_, why)) = folder.or(named) {
        Some(*why)
    } else if is_vendored(file) {
        Some(Protection::Vendored)
    } else if is_test_file(file) {
        Some(Protection::Test)
    } else if PREFIXES.iter().any(|prefix| name.starts_with(prefix)) {
        Some(Protection::Configuration)
    } else {
        None
    }
}

/// Returns whether `file`, relative to the repository, is never edited.
pub fn is_protected(file: &str) -> bool {
    protection(file).is_some()
}

/// Returns whether a file that may be edited can contain settings of tests and linters.
pub fn may_hold_configuration(file: &str) -> bool {
    matches!(file.rsplit('/').next(), Some("pyproject.toml" | "package.json"))
}

/// Returns whether an edit of a file that may be edited keeps the file's settings of tests and linters. `pyproject.toml` and `package.json`
/// contain dependencies, which may be added, and also settings of tools, which must not change.
pub fn keeps_configuration(file: &str, before: &str, after: &str) -> bool {
    match file.rsplit('/').next() {
        Some("pyproject.toml") => is_kept(python_settings(before).as_ref(), python_settings(after).as_ref()),
        Some("package.json") => is_kept(node_settings(before).as_ref(), node_settings(after).as_ref()),
        Some(_) | None => true,
    }
}

/// A manifest that did not parse before has nothing to compare with; one that does not parse now is no edit.
fn is_kept<T: PartialEq>(before: Option<&T>, after: Option<&T>) -> bool {
    after.is_some() && (before.is_none() || before == after)
}

fn python_settings(text: &str) -> Option<Vec<Option<toml::Value>>> {
    let manifest: toml::Table = text.parse().ok()?;
    Some(TOOL_TABLES.iter().map(|name| manifest.get("tool")?.get(name).cloned()).collect())
}

fn node_settings(text: &str) -> Option<Vec<Option<serde_json::Value>>> {
    let manifest: serde_json::Value = serde_json::from_str(text).ok()?;
    Some(PACKAGE_KEYS.iter().map(|key| manifest.get(key).cloned()).collect())
}
