//! The folders that a Python project's import path begins at.

use std::sync::LazyLock;

use autoheal_code::{LanguageId, python};
use regex::Regex;

use crate::project::{Manifests, ini_section, ini_value, join};
use crate::toolchain::Survey;

static PACKAGE_DIR: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"package_dir\s*=\s*(?:\{|dict\()\s*["']{2}\s*[:=]\s*["']([\w./-]+)["']"#).ok());
static FIND_PACKAGES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"find_(?:namespace_)?packages\(\s*(?:where\s*=\s*)?["']([\w./-]+)["']"#).ok());

/// Returns the folders, relative to the project: those of the manifests, and `src` if it contains modules and is not a module itself.
pub(super) fn of(survey: &Survey<'_>) -> Vec<String> {
    let mut roots: Vec<String> = declared(survey.manifests);
    let source = join(survey.directory, "src");
    let holds_modules = survey.files.iter().any(|file| {
        let inside = file.strip_prefix(&source).and_then(|rest| rest.strip_prefix('/'));
        inside.is_some_and(|rest| LanguageId::of(rest) == Some(python::ID) && rest.matches('/').count() <= 2)
    });
    if holds_modules && !survey.files.contains(&join(&source, "__init__.py")) {
        roots.push("src".to_owned());
    }
    roots
}

/// The folders that the manifests name.
fn declared(manifests: &Manifests) -> Vec<String> {
    let mut roots = Vec::new();
    let pyproject = manifests.toml("pyproject.toml");
    let tool = |path: &[&str]| path.iter().try_fold(pyproject.get("tool")?, |value, key| value.get(key));
    let mut push = |value: Option<&toml::Value>| match value {
        Some(toml::Value::String(text)) => roots.extend(text.split_whitespace().map(str::to_owned)),
        Some(toml::Value::Array(list)) => {
            roots.extend(list.iter().filter_map(|value| value.as_str().map(str::to_owned)));
        }
        Some(_) | None => {}
    };
    push(tool(&["setuptools", "package-dir", ""]));
    push(tool(&["setuptools", "packages", "find", "where"]));
    push(tool(&["pytest", "ini_options", "pythonpath"]));
    push(tool(&["pytest", "pythonpath"]));
    push(tool(&["pdm", "build", "package-dir"]));
    for package in tool(&["poetry", "packages"]).and_then(toml::Value::as_array).into_iter().flatten() {
        push(package.get("from"));
    }
    for package in
        tool(&["hatch", "build", "targets", "wheel", "packages"]).and_then(toml::Value::as_array).into_iter().flatten()
    {
        // A package is named by its folder: the import path begins above it.
        roots
            .extend(package.as_str().map(|folder| folder.rsplit_once('/').map_or("", |(parent, _)| parent).to_owned()));
    }
    if let Some(text) = manifests.text("setup.cfg") {
        let package_dir = ini_value(text, "options", "package_dir").unwrap_or_default();
        roots.extend(
            package_dir.lines().filter_map(|line| line.trim().strip_prefix('=')).map(|root| root.trim().to_owned()),
        );
        roots.extend(ini_value(text, "options.packages.find", "where"));
    }
    let ini =
        [("pytest.ini", "pytest"), (".pytest.ini", "pytest"), ("tox.ini", "pytest"), ("setup.cfg", "tool:pytest")];
    for (name, section) in ini {
        let values = manifests.text(name).and_then(|text| ini_section(text, section)).unwrap_or_default();
        let paths =
            values.iter().filter(|(key, _)| key == "pythonpath").flat_map(|(_, value)| value.split_whitespace());
        roots.extend(paths.map(str::to_owned));
    }
    if let Some(text) = manifests.text("setup.py") {
        let named = [&PACKAGE_DIR, &FIND_PACKAGES].into_iter().filter_map(|pattern| pattern.as_ref()?.captures(text));
        roots.extend(named.map(|captures| captures[1].to_owned()));
    }
    roots
}
