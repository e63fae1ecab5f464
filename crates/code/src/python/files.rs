//! Files that Python's tools read and write.

use serde_json::Value;

use crate::language::files::KnownFiles;

/// Files of pip, pytest, ruff and their like.
pub(super) static KNOWN: KnownFiles = KnownFiles {
    tests: &["test_*.py", "*_test.py", "tests/**/*.py", "__tests__/**/*.py"],
    foreign_folders: &[
        "venv",
        ".venv",
        "virtualenv",
        "site-packages",
        "dist-packages",
        "_vendor",
        "_vendored",
        ".tox",
        ".nox",
        ".eggs",
        "__pycache__",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
    ],
    projects: &["pyproject.toml", "setup.py", "setup.cfg", "Pipfile"],
    manifests: &[
        "pyproject.toml",
        "setup.cfg",
        "setup.py",
        "tox.ini",
        "pytest.ini",
        ".pytest.ini",
        "Pipfile",
        "Pipfile.lock",
        "poetry.lock",
        "uv.lock",
        "pdm.lock",
        "pylock.toml",
        "environment.yml",
        "environment.yaml",
        "environment-*.yml",
        "environment-*.yaml",
        "requirements*.txt",
        "*requirements.txt",
        "requirements/*.txt",
        "reqs/*.txt",
    ],
    settings_only: &["tox.ini", "pytest.ini", ".pytest.ini"],
    dependency_lists: &["pyproject.toml", "requirements*.txt", "*requirements.txt"],
    installers: &["setup.py", "setup.cfg", "Pipfile"],
    texts: &[
        "pyproject.toml",
        "setup.cfg",
        "setup.py",
        "Pipfile",
        "pytest.ini",
        "tox.ini",
        "requirements*.txt",
        "*requirements.txt",
        "constraints*.txt",
        "environment.yml",
        "environment.yaml",
        "environment-*.yml",
        "environment-*.yaml",
    ],
    locks: &["poetry.lock", "uv.lock", "pdm.lock", "pipfile.lock", "pylock.toml"],
    test_support: &["conftest.py"],
    settings: &[
        "tox.ini",
        "tox.toml",
        "noxfile.py",
        "pytest.ini",
        ".pytest.ini",
        "pytest.toml",
        "setup.cfg",
        ".flake8",
        "ruff.toml",
        ".ruff.toml",
        ".pylintrc",
        "pylintrc",
        "mypy.ini",
        ".mypy.ini",
        ".coveragerc",
        "sitecustomize.py",
        "usercustomize.py",
    ],
    settings_prefixes: &[],
    mixed: &[("pyproject.toml", settings)],
};

/// Tables of `pyproject.toml` that say how tests and linters run, below `tool`.
const TOOL_TABLES: &[&str] =
    &["pytest", "ruff", "flake8", "pylint", "mypy", "pyright", "coverage", "tox", "nox", "hatch"];

fn settings(text: &str) -> Option<Value> {
    let manifest: toml::Table = text.parse().ok()?;
    let table = |name: &&str| manifest.get("tool")?.get(name);
    serde_json::to_value(TOOL_TABLES.iter().map(table).collect::<Vec<_>>()).ok()
}
