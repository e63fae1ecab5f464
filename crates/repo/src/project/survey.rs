//! Looking at the files of a repository.

use std::collections::BTreeSet;
use std::path::Path;

use autoheal_code::{LanguageId, languages};

use super::{Detected, MainLanguage, Manifests, OTHER_LANGUAGES, Project, layout};
use crate::discovery;
use crate::toolchain::{Survey, Toolchain};
use crate::toolchains;

/// Looks at the files in `tree`.
pub fn survey(tree: &Path) -> Project {
    survey_in(tree, None)
}

/// The same, when it is known which folder the project is in.
pub fn survey_in(tree: &Path, directory: Option<&str>) -> Project {
    let files = discovery::files(tree);
    let tests: Vec<&String> = files.iter().filter(|file| discovery::is_test_file(file)).collect();
    let packages = layout::packages(tree, &files);
    let directory = directory.map_or_else(|| layout::directory(&packages, &tests), str::to_owned);
    let manifests = Manifests::read(tree, &directory, &files);
    let survey = Survey { tree, directory: &directory, manifests: &manifests, files: &files };
    Project {
        language: language(&files),
        runner: runner(&survey),
        roots: layout::roots(&survey),
        manifest_hash: manifests.hash(),
        packages: if directory.is_empty() { Vec::new() } else { packages },
        other_directories: Vec::new(),
        directory,
    }
}

impl Project {
    /// Adds what the tests of other folders of the repository need.
    pub(crate) fn add<'a>(&mut self, tree: &Path, directories: impl Iterator<Item = &'a str>) {
        let own = self.directory.clone();
        let others: BTreeSet<&str> = directories.filter(|directory| *directory != own).collect();
        for directory in others {
            let other = survey_in(tree, Some(directory));
            self.manifest_hash.push_str(&other.manifest_hash);
            self.roots.extend(other.roots.into_iter().filter(|root| !root.is_empty()));
            self.other_directories.push(directory.to_owned());
        }
        let mut seen = BTreeSet::new();
        self.roots.retain(|root| seen.insert(root.clone()));
    }
}

/// Returns the hash of the manifests of a tree, equal to [`Project::manifest_hash`] of `directory`. It serves to compare a clone
/// with the checkout in which the user installed packages.
pub fn manifest_hash(tree: &Path, directory: &str) -> String {
    Manifests::of(tree, directory).hash()
}

/// The test runner of a project: by its settings, else by what it asks for and what its tests load, in the language of its tests first.
pub(crate) fn runner(survey: &Survey<'_>) -> Option<Detected> {
    let mut toolchains = toolchains::ALL;
    if let Some(detected) = toolchains.iter().find_map(|toolchain| toolchain.configured_runner(survey)) {
        return Some(detected);
    }
    let has_tests = |toolchain: &dyn Toolchain| survey.tests_in(toolchain.language()).next().is_some();
    toolchains.sort_by_key(|toolchain| !has_tests(*toolchain));
    toolchains.iter().find_map(|toolchain| toolchain.detected_runner(survey))
}

/// Of two with as many files the one that is asked first.
fn language(files: &[String]) -> Option<MainLanguage> {
    let others = OTHER_LANGUAGES.iter().map(MainLanguage::Other);
    let all: Vec<MainLanguage> = languages::all().map(MainLanguage::Known).chain(others).collect();
    let count = |language: &MainLanguage| files.iter().filter(|file| is_in(file, *language)).count();
    let counted = all.into_iter().rev().map(|language| (language, count(&language))).filter(|(_, count)| *count > 0);
    counted.max_by_key(|(_, count)| *count).map(|(language, _)| language)
}

fn is_in(file: &str, language: MainLanguage) -> bool {
    match language {
        MainLanguage::Known(id) => LanguageId::of(file) == Some(id),
        MainLanguage::Other(other) => Path::new(file).extension().is_some_and(|extension| extension == other.extension),
    }
}
