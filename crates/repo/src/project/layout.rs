//! Layout of a project: the locations of its code.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use autoheal_code::languages;
use autoheal_sandbox::untrusted::UntrustedFolder;

use crate::paths::{clean, join};
use crate::toolchain::{Survey, Toolchain};
use crate::toolchains;

/// Maximum depth of the packages of a monorepo.
const DEEPEST: usize = 3;

/// The folders that are projects of their own, sorted. The top folder is one when it has a project file, or holds
/// everything there is; not when it only holds workspaces and leaves testing to them.
pub fn packages(tree: &Path, files: &[String]) -> Vec<String> {
    let folders: BTreeSet<String> = files
        .iter()
        .filter_map(|file| {
            let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
            let depth = folder.split('/').filter(|part| !part.is_empty()).count();
            (is_project_file(name) && depth <= DEEPEST).then(|| folder.to_owned())
        })
        // Projects that tests work on (`tests/fixtures/demo/setup.py`) and examples are not packages of a monorepo.
        .filter(|folder| {
            !folder.split('/').any(|part| matches!(part, "tests" | "test" | "examples" | "docs" | "fixtures"))
        })
        .collect();
    let of_top = languages::all().map(toolchains::of).zip(languages::known_files());
    let tops: Vec<&dyn Toolchain> = of_top
        .filter(|(_, known)| known.projects.iter().any(|name| files.iter().any(|file| file == name)))
        .map(|(toolchain, _)| toolchain)
        .collect();
    let leaves_testing = folders.len() > 1
        && !tops.is_empty()
        && tops.iter().all(|toolchain| toolchain.leaves_testing_to_packages(tree));
    if leaves_testing {
        return folders.into_iter().filter(|folder| !folder.is_empty()).collect();
    }
    if folders.is_empty() || folders.contains("") { vec![String::new()] } else { folders.into_iter().collect() }
}

fn is_project_file(name: &str) -> bool {
    languages::known_files().any(|known| known.projects.contains(&name))
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

/// Returns the folders that the import path begins at, relative to the repository, the most specific first: those that the languages of the
/// project know, and always the project's own folder.
pub(crate) fn roots(survey: &Survey<'_>) -> Vec<String> {
    let known = toolchains::ALL.into_iter().flat_map(|toolchain| toolchain.roots(survey));
    let mut seen = BTreeSet::new();
    let tree = UntrustedFolder::open(survey.tree).ok();
    known
        .chain([String::new()])
        .filter_map(|root| clean(&root))
        .map(|root| join(survey.directory, &root))
        .filter(|root| {
            let is_real = root.is_empty() || tree.as_ref().is_some_and(|tree| tree.has_folder(root));
            is_real && seen.insert(root.clone())
        })
        .collect()
}
