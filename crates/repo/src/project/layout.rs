//! Layout of a project: the locations of its code.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

use autoheal_sandbox::untrusted::UntrustedFolder;
use regex::Regex;

use super::manifest::{Manifests, ini_section, ini_value};
use super::{Language, join, node};

/// Files that make a folder a project of its own.
const PROJECT_FILES: &[&str] = &["pyproject.toml", "setup.py", "setup.cfg", "package.json", "Pipfile"];

/// Maximum depth of the packages of a monorepo.
const DEEPEST: usize = 3;

static PACKAGE_DIR: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"package_dir\s*=\s*(?:\{|dict\()\s*["']{2}\s*[:=]\s*["']([\w./-]+)["']"#).ok());
static FIND_PACKAGES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"find_(?:namespace_)?packages\(\s*(?:where\s*=\s*)?["']([\w./-]+)["']"#).ok());

/// The folders that are projects of their own, sorted. The top folder is one when it has a project file, or holds
/// everything there is; not when it only holds workspaces and leaves testing to them.
pub fn packages(tree: &Path, files: &[String]) -> Vec<String> {
    let folders: BTreeSet<String> = files
        .iter()
        .filter_map(|file| {
            let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
            let depth = folder.split('/').filter(|part| !part.is_empty()).count();
            (PROJECT_FILES.contains(&name) && depth <= DEEPEST).then(|| folder.to_owned())
        })
        // Projects that tests work on (`tests/fixtures/demo/setup.py`) and examples are not packages of a monorepo.
        .filter(|folder| {
            !folder.split('/').any(|part| matches!(part, "tests" | "test" | "examples" | "docs" | "fixtures"))
        })
        .collect();
    let top_is_javascript = !files
        .iter()
        .any(|file| !file.contains('/') && PROJECT_FILES.contains(&file.as_str()) && file != "package.json");
    let leaves_testing =
        top_is_javascript && folders.len() > 1 && node::is_workspace(tree, "") && !node::starts_a_runner(tree, "");
    if leaves_testing {
        return folders.into_iter().filter(|folder| !folder.is_empty()).collect();
    }
    if folders.is_empty() || folders.contains("") { vec![String::new()] } else { folders.into_iter().collect() }
}

/// The package to work on: the top folder when it is a project, else the package that has most test files (of several the
/// first by name). When tests lie outside of every package, the top folder.
pub fn directory(packages: &[String], tests: &[&String]) -> String {
    let mut counts: BTreeMap<&String, usize> = packages.iter().map(|package| (package, 0)).collect();
    for test in tests {
        let owner = packages.iter().filter(|package| is_inside(test, package)).max_by_key(|package| package.len());
        match owner {
            Some(package) => *counts.entry(package).or_default() += 1,
            None => return String::new(),
        }
    }
    counts.into_iter().rev().max_by_key(|(_, count)| *count).map(|(package, _)| package.clone()).unwrap_or_default()
}

fn is_inside(file: &str, folder: &str) -> bool {
    folder.is_empty() || file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Returns the folders that the import path begins at, relative to the repository, the most specific first: those of the
/// manifests, `src` if it contains modules and is not a module itself, and always the project's own folder.
pub fn roots(tree: &Path, directory: &str, manifests: &Manifests, files: &[String]) -> Vec<String> {
    let mut roots: Vec<String> = declared(manifests);
    let source = join(directory, "src");
    let holds_modules = files.iter().any(|file| {
        let inside = file.strip_prefix(&source).and_then(|rest| rest.strip_prefix('/'));
        inside.is_some_and(|rest| Language::of_file(rest) == Some(Language::Python) && rest.matches('/').count() <= 2)
    });
    if holds_modules && !files.contains(&join(&source, "__init__.py")) {
        roots.push("src".to_owned());
    }
    roots.push(String::new());
    let mut seen = BTreeSet::new();
    let tree = UntrustedFolder::open(tree).ok();
    roots
        .iter()
        .filter_map(|root| clean(root))
        .map(|root| join(directory, &root))
        .filter(|root| {
            let is_real = root.is_empty() || tree.as_ref().is_some_and(|tree| tree.has_folder(root));
            is_real && seen.insert(root.clone())
        })
        .collect()
}

/// The folder that a manifest names, without `./` and the like; `None` when it leaves the project.
pub(crate) fn clean(folder: &str) -> Option<String> {
    let parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    (!folder.starts_with('/') && !parts.contains(&"..")).then(|| parts.join("/"))
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
