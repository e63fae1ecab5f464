//! A JavaScript or TypeScript project: its `package.json`, its package manager, and where its packages install.

use std::collections::BTreeMap;
use std::path::Path;

use autoheal_sandbox::untrusted::UntrustedFolder;
use serde_json::Value;

use super::runners::{JEST, MOCHA, NODE_TEST, VITEST};
use crate::project::{Detected, join, read_text};
use crate::test_runner::TestRunner;
use crate::toolchain::Survey;

/// Package manager of a JavaScript project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PackageManager {
    /// npm: `package-lock.json`, `npm-shrinkwrap.json`, or no other evidence.
    Npm,
    /// pnpm: `pnpm-lock.yaml`.
    Pnpm,
    /// yarn 1: `yarn.lock` in its format.
    YarnClassic,
    /// yarn 2 and later: `yarn.lock` in their format.
    Yarn,
}

/// Lock files, the surest evidence first.
const LOCKS: &[(&str, PackageManager)] = &[
    ("pnpm-lock.yaml", PackageManager::Pnpm),
    ("yarn.lock", PackageManager::YarnClassic),
    ("package-lock.json", PackageManager::Npm),
    ("npm-shrinkwrap.json", PackageManager::Npm),
];

/// Test runners by the word that starts them in a script.
const RUNNERS: &[(&str, TestRunner)] = &[("jest", JEST), ("vitest", VITEST), ("mocha", MOCHA), ("ts-mocha", MOCHA)];

/// Package manager of a project, and the files that it installs from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packages {
    /// The folder with the lock file, or of the workspaces: packages are installed from here. Relative to the repository.
    pub root: String,
    /// Package manager that installs the packages.
    pub manager: PackageManager,
    /// The manager's version as `packageManager` or the lock file asks for it: `8.6.0`, `8`.
    pub manager_version: Option<String>,
    /// The lock file's name; `None`: nothing holds versions.
    pub lock: Option<String>,
    /// Every folder with a `package.json` that installs together, `root` first.
    pub folders: Vec<String>,
    /// True if any of them has dependencies.
    pub has_dependencies: bool,
    /// The major version of Node that the project asks for.
    pub node_major: Option<u8>,
}

impl Packages {
    /// Those of the project in `directory`; `None`: it has no `package.json`.
    pub fn of(tree: &Path, directory: &str) -> Option<Self> {
        Self::read(tree, directory, &crate::discovery::files(tree))
    }

    /// Reads what the project in `directory` installs; `None`: it has no `package.json`.
    pub fn read(tree: &Path, directory: &str, files: &[String]) -> Option<Self> {
        read_text(tree, &join(directory, "package.json"))?;
        let root = root(tree, directory);
        let package = json(tree, &root).unwrap_or_default();
        let has = |name: &str| files.contains(&join(&root, name));
        let found = LOCKS.iter().find(|(name, _)| has(name));
        let (mut manager, mut version) = (found.map_or(PackageManager::Npm, |(_, manager)| *manager), None::<String>);
        let named = package.get("packageManager").and_then(Value::as_str).and_then(|text| text.split_once('@'));
        if let Some((name, asked)) = named {
            let asked = asked.split('+').next().unwrap_or(asked);
            manager = match name {
                "pnpm" => PackageManager::Pnpm,
                "yarn" if asked.starts_with("1.") => PackageManager::YarnClassic,
                "yarn" => PackageManager::Yarn,
                _ => manager,
            };
            version = (matches!(name, "pnpm" | "yarn") && is_version(asked)).then(|| asked.to_owned());
        }
        if manager == PackageManager::YarnClassic
            && (has(".yarnrc.yml")
                || read_text(tree, &join(&root, "yarn.lock")).is_some_and(|text| text.contains("__metadata:")))
        {
            manager = PackageManager::Yarn;
        }
        if manager == PackageManager::Pnpm && version.is_none() {
            version = read_text(tree, &join(&root, "pnpm-lock.yaml")).and_then(|text| pnpm_of_lock(&text));
        }
        let mut folders = vec![root.clone()];
        folders.extend(workspaces(&root, files, is_workspace(tree, &root)));
        let has_dependencies = folders.len() > 1 || dependencies(&package).next().is_some();
        Some(Self {
            node_major: node_major(tree, &root, &package),
            lock: found.map(|(name, _)| (*name).to_owned()),
            manager,
            manager_version: version,
            has_dependencies,
            folders,
            root,
        })
    }
}

/// The nearest folder at or above `directory` with a lock file or workspaces, else `directory`.
fn root(tree: &Path, directory: &str) -> String {
    let mut folder = directory;
    loop {
        let has_lock = LOCKS.iter().any(|(name, _)| has_file(tree, &join(folder, name)));
        if has_lock || is_workspace(tree, folder) {
            return folder.to_owned();
        }
        let Some((above, _)) = folder.rsplit_once('/').or((!folder.is_empty()).then_some(("", ""))) else {
            return directory.to_owned();
        };
        folder = above;
    }
}

fn has_file(tree: &Path, file: &str) -> bool {
    UntrustedFolder::open(tree).is_ok_and(|tree| tree.has_file(file))
}

/// Returns whether a folder is a workspace: its packages are installed together.
pub(super) fn is_workspace(tree: &Path, folder: &str) -> bool {
    has_file(tree, &join(folder, "pnpm-workspace.yaml"))
        || json(tree, folder).is_some_and(|package| package.get("workspaces").is_some())
}

/// Returns whether `scripts.test` of a folder starts a runner itself, instead of delegating to every package.
pub(super) fn starts_a_runner(tree: &Path, folder: &str) -> bool {
    let package = json(tree, folder).unwrap_or_default();
    let script = package.pointer("/scripts/test").and_then(Value::as_str).unwrap_or_default();
    runner_in(script).is_some()
}

/// The folders of packages that install together with `root`, sorted.
pub(crate) fn packages_below(tree: &Path, root: &str) -> Vec<String> {
    let files = crate::discovery::files(tree);
    let mut folders: Vec<String> = workspaces(root, &files, is_workspace(tree, root)).collect();
    folders.sort();
    folders
}

/// The folders of packages below `root`.
fn workspaces<'a>(root: &'a str, files: &'a [String], are_there: bool) -> impl Iterator<Item = String> + 'a {
    let prefix = if root.is_empty() { String::new() } else { format!("{root}/") };
    files.iter().filter(move |_| are_there).filter_map(move |file| {
        let folder = file.strip_suffix("/package.json")?;
        let inside = folder.strip_prefix(prefix.as_str())?;
        let is_data =
            inside.split('/').any(|part| matches!(part, "fixtures" | "__fixtures__" | "test" | "tests" | "__tests__"));
        (!is_data).then(|| folder.to_owned())
    })
}

/// The `package.json` of a folder.
pub(crate) fn json(tree: &Path, folder: &str) -> Option<Value> {
    serde_json::from_str(&read_text(tree, &join(folder, "package.json"))?).ok()
}

/// The scripts of a folder's `package.json`.
pub(crate) fn scripts(tree: &Path, folder: &str) -> BTreeMap<String, String> {
    let package = json(tree, folder).unwrap_or_default();
    let scripts = package.get("scripts").and_then(Value::as_object).into_iter().flatten();
    scripts.filter_map(|(name, script)| Some((name.clone(), script.as_str()?.to_owned()))).collect()
}

/// The names of the packages that a manifest asks for, to run and to develop.
pub(crate) fn dependencies(package: &Value) -> impl Iterator<Item = &str> {
    ["dependencies", "devDependencies"]
        .into_iter()
        .filter_map(|kind| package.get(kind)?.as_object())
        .flat_map(|all| all.keys().map(String::as_str))
}

/// The framework that a script starts.
fn runner_in(script: &str) -> Option<TestRunner> {
    let words: Vec<&str> = script
        .split(|part: char| part.is_whitespace() || "&;|\"'".contains(part))
        .map(|word| word.rsplit('/').next().unwrap_or(word).trim_end_matches(".js"))
        .collect();
    let by_word = words.iter().find_map(|word| RUNNERS.iter().find(|(name, _)| name == word));
    let is_node = || words.contains(&"--test") && words.iter().any(|word| matches!(*word, "node" | "tsx"));
    by_word.map(|(_, runner)| *runner).or_else(|| is_node().then_some(NODE_TEST))
}

/// The test runner of a project, by its scripts, its configuration files, what it asks for, then by what its tests load.
pub(super) fn runner(survey: &Survey<'_>) -> Option<Detected> {
    let Survey { tree, directory, .. } = *survey;
    let package = json(tree, directory)?;
    let scripts = scripts(tree, directory);
    let about_tests = scripts
        .iter()
        .filter(|(name, _)| name.as_str() == "test")
        .chain(scripts.iter().filter(|(name, _)| name.starts_with("test") || name.starts_with("unit")));
    for (name, script) in about_tests {
        if let Some(runner) = runner_in(script) {
            return Some(Detected::new(runner, format!("scripts.{name} in package.json")));
        }
    }
    let begins = [("jest.config.", JEST), ("vitest.config.", VITEST), (".mocharc", MOCHA)];
    for file in survey.files_inside() {
        let name = file.strip_prefix(directory).unwrap_or(file).trim_start_matches('/');
        if let Some((_, runner)) = begins.iter().find(|(start, _)| name.starts_with(start) && !name.contains('/')) {
            return Some(Detected::new(*runner, file));
        }
    }
    if package.get("jest").is_some() {
        return Some(Detected::new(JEST, "jest in package.json"));
    }
    let asked = RUNNERS.iter().find(|(name, _)| dependencies(&package).any(|other| other == *name));
    if let Some((name, runner)) = asked {
        return Some(Detected::new(*runner, format!("{name} in package.json")));
    }
    let loads = |file: &&str| {
        read_text(tree, file).is_some_and(|text| text.contains("'node:test'") || text.contains("\"node:test\""))
    };
    let mut tests = survey.files_inside().filter(|file| crate::discovery::is_test_file(file)).take(100);
    let file = tests.find(loads)?;
    Some(Detected::new(NODE_TEST, format!("{file} loads node:test")))
}

fn is_version(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|part| part.is_ascii_alphanumeric() || ".-".contains(part))
}

/// The major version of pnpm that writes such a lock file.
fn pnpm_of_lock(text: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with("lockfileVersion"))?;
    let version = line.split(':').nth(1)?.trim().trim_matches(['\'', '"']);
    let major = match version.split('.').next()? {
        "5" => "7",
        "6" => "8",
        "9" => "9",
        _ => return None,
    };
    Some(major.to_owned())
}

/// Node's major version by `.nvmrc` or `.node-version`, else by `engines` when that names one alone.
fn node_major(tree: &Path, root: &str, package: &Value) -> Option<u8> {
    let files = [".nvmrc", ".node-version"].into_iter().filter_map(|name| read_text(tree, &join(root, name)));
    let engines = package.pointer("/engines/node").and_then(Value::as_str).map(str::to_owned);
    // `>=14` is no wish for 14.
    let engines = engines.filter(|range| !range.contains(['>', '<', '|', '*', ' ']));
    files.chain(engines).find_map(|text| {
        let text = text.trim().trim_start_matches(['v', '^', '~', '=']);
        text.split('.').next()?.parse().ok()
    })
}
