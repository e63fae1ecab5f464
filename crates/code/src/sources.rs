//! Texts of the repository's files, and which of them may be changed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use crate::edit::{Candidate, FileEdit};
use crate::javascript::{self, components};
use crate::language::{self, Language};
use crate::python::index::Index;
use crate::test_regions::{self, Surroundings, TestRegions};

/// For each file that contains tests, its surroundings and the regions of the tests.
type Regions = BTreeMap<String, (Surroundings, TestRegions)>;

/// The text files of a repository that fixers may read, and which of them may be changed.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    files: BTreeMap<String, Arc<str>>,
    protected: BTreeSet<String>,
    /// Files of which only the names are known.
    others: BTreeSet<String>,
    /// Files of the program that tests were collected from.
    collected: BTreeSet<String>,
    roots: Vec<String>,
    regions: OnceLock<Arc<Regions>>,
    index: OnceLock<Arc<Index>>,
    javascript_index: OnceLock<Arc<javascript::index::Index>>,
}

impl Sources {
    /// No files yet; `roots`: the folders that Python's import path begins at, relative to the repository (`""`, `src`).
    pub fn new(roots: Vec<String>) -> Self {
        Self { roots, ..Self::default() }
    }

    /// Adds or replaces a file. A protected one (a test, CI configuration, a lock file) may be read and never changed.
    pub fn insert(&mut self, file: impl Into<String>, text: impl Into<Arc<str>>, protected: bool) {
        let file = file.into();
        if protected {
            self.protected.insert(file.clone());
        } else {
            self.protected.remove(&file);
        }
        self.files.insert(file, text.into());
        self.regions = OnceLock::new();
        self.index = OnceLock::new();
        self.javascript_index = OnceLock::new();
    }

    /// Adds a file by its name only: programs may refer to it.
    pub fn note(&mut self, file: impl Into<String>) {
        self.others.insert(file.into());
        self.javascript_index = OnceLock::new();
    }

    /// The files that are known by their names only, in order.
    pub fn noted(&self) -> impl Iterator<Item = &str> {
        self.others.iter().map(String::as_str)
    }

    /// Protects a file: it can be read but not changed from now on.
    pub fn protect(&mut self, file: &str) {
        if self.files.contains_key(file) {
            self.protected.insert(file.to_owned());
            self.regions = OnceLock::new();
        }
    }

    /// Protects the parts of a file that look like tests; the rest of the file can still be changed.
    pub fn protect_tests_in(&mut self, file: &str) {
        if self.collected.insert(file.to_owned()) {
            self.regions = OnceLock::new();
        }
    }

    /// Returns the regions of tests in a file of the program; `None` if the file is not one with tests.
    pub fn test_regions(&self, file: &str) -> Option<&TestRegions> {
        self.regions().get(file).map(|(_, regions)| regions)
    }

    /// Returns whether a file that tests were collected from also contains the program that they are about.
    pub fn holds_program(&self, file: &str) -> bool {
        let Some(text) = self.text(file) else { return false };
        // Of a text that does not parse the statements are not known, but that a block of tests begins in it.
        if Language::of(file) == Some(Language::JavaScript) && language::check(file, text).is_err() {
            return test_regions::may_hold(file, text);
        }
        let around = Surroundings { is_collected: true, ..self.surroundings(file) };
        let regions = TestRegions::of(file, text, &around);
        // What loads another file of the repository for nothing but its tests is a test, unless the program loads it.
        let is_about_another = || self.imports(file).into_iter().any(|(at, _)| regions.contain(at));
        regions.are_in_program() && !(around.loaded.is_empty() && is_about_another())
    }

    /// Returns whether an edit changes nothing that is protected: no protected file, and in a file of the
    /// program with tests neither a test nor whether it runs. `after`: the file's text with the edit.
    pub fn permits(&self, edit: &FileEdit, after: &str) -> bool {
        let Some(before) = self.text(&edit.file).filter(|_| self.is_editable(&edit.file)) else { return false };
        if components::is_component(&edit.file) && !components::keeps_markup(&edit.file, before, after) {
            return false;
        }
        let may_hold = |text: &str| test_regions::may_hold(&edit.file, text);
        if !self.collected.contains(&edit.file) && !may_hold(before) && !may_hold(after) {
            return true;
        }
        let known = self.regions().get(&edit.file).map(|(around, _)| around.clone());
        test_regions::are_kept(&known.unwrap_or_else(|| self.surroundings(&edit.file)), before, edit, after)
    }

    /// Returns whether a candidate changes the text of a test in a file of the program.
    pub fn touches_test(&self, candidate: &Candidate) -> bool {
        candidate.files.iter().any(|file| {
            let regions = self.test_regions(&file.file);
            regions.is_some_and(|regions| file.edits.iter().any(|edit| regions.are_touched_by(edit)))
        })
    }

    fn regions(&self) -> &Regions {
        self.regions.get_or_init(|| {
            let may_hold = |file: &str, text: &str| self.collected.contains(file) || test_regions::may_hold(file, text);
            let editable = self.iter().filter(|(file, text)| self.is_editable(file) && may_hold(file, text));
            let regions = editable.map(|(file, text)| {
                let around = self.surroundings(file);
                let regions = TestRegions::of(file, text, &around);
                (file.to_owned(), (around, regions))
            });
            Arc::new(regions.filter(|(_, (_, regions))| regions.hold_tests()).collect())
        })
    }

    fn surroundings(&self, file: &str) -> Surroundings {
        let others = self.iter().map(|(other, _)| other).filter(|other| *other != file && self.is_editable(other));
        let loaded = others.flat_map(|other| self.names_loaded(other, file)).collect();
        Surroundings { loaded, is_collected: self.collected.contains(file) }
    }

    /// The names that one file loads from another; `*` where it loads all of it.
    fn names_loaded(&self, from: &str, file: &str) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        match Language::of(from) {
            Some(Language::Python) => {
                let Some(module) = self.index().module(from) else { return names };
                for import in &module.imports {
                    let own = import.names.iter();
                    match self.index().resolve(from, import) {
                        Some(loaded) if self.index().file_of(&loaded) == Some(file) => {
                            names.extend(own.map(|name| name.name.clone()));
                        }
                        Some(package) => {
                            let is_it = |name: &str| self.index().file_of(&format!("{package}.{name}")) == Some(file);
                            if own.clone().any(|name| is_it(&name.name)) {
                                names.extend(module.words.iter().map(|word| word.text.clone()));
                            }
                        }
                        None if own.clone().any(|name| self.index().file_of(&name.name) == Some(file)) => {
                            names.extend(module.words.iter().map(|word| word.text.clone()));
                        }
                        None => {}
                    }
                }
            }
            Some(Language::JavaScript) => {
                let Some(module) = self.javascript_index().module(from) else { return names };
                let index = self.javascript_index();
                for import in &module.imports {
                    if index.resolve(from, &import.specifier) != Some(file) {
                        continue;
                    }
                    let named =
                        |name: &&javascript::module::ImportedName| name.kind == javascript::module::ImportKind::Named;
                    names.extend(import.names.iter().filter(named).map(|name| name.name.clone()));
                    if import.names.is_empty() || !import.names.iter().all(|name| named(&name)) {
                        names.insert("*".to_owned());
                    }
                }
            }
            None => {}
        }
        names
    }

    /// The files of the repository that a file imports, each with the place of the statement.
    fn imports(&self, file: &str) -> Vec<(usize, String)> {
        let python = self.index().module(file).into_iter().flat_map(|module| &module.imports).filter_map(|import| {
            let named = import.names.iter().map(|name| name.name.clone());
            let mut all = self.index().resolve(file, import).into_iter().chain(named.filter(|_| import.from.is_none()));
            let found = all.find_map(|name| self.index().file_of(&name))?;
            Some((import.span.start, found.to_owned()))
        });
        let javascript =
            self.javascript_index().module(file).into_iter().flat_map(|module| &module.imports).filter_map(|import| {
                let found = self.javascript_index().resolve(file, &import.specifier)?;
                Some((import.span.start, found.to_owned()))
            });
        python.chain(javascript).filter(|(_, other)| other != file).collect()
    }

    /// The symbol index of the Python files, made on first use.
    pub fn index(&self) -> &Index {
        self.index.get_or_init(|| Arc::new(Index::new(self)))
    }

    /// The symbol index of the JavaScript and TypeScript files, made on first use.
    pub fn javascript_index(&self) -> &javascript::index::Index {
        self.javascript_index.get_or_init(|| Arc::new(javascript::index::Index::new(self)))
    }

    /// The text of a file.
    pub fn text(&self, file: &str) -> Option<&str> {
        self.files.get(file).map(AsRef::as_ref)
    }

    /// Returns whether the file exists and may be changed.
    pub fn is_editable(&self, file: &str) -> bool {
        self.files.contains_key(file) && !self.protected.contains(file)
    }

    /// Every file with its text, in order of names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(file, text)| (file.as_str(), text.as_ref()))
    }

    /// Every Python file with its text.
    pub fn python(&self) -> impl Iterator<Item = (&str, &str)> {
        self.of(Language::Python)
    }

    /// Every JavaScript and TypeScript file with its text.
    pub fn javascript(&self) -> impl Iterator<Item = (&str, &str)> {
        self.of(Language::JavaScript)
    }

    fn of(&self, language: Language) -> impl Iterator<Item = (&str, &str)> {
        self.iter().filter(move |(file, _)| Language::of(file) == Some(language))
    }

    /// The folders that Python's import path begins at, relative to the repository.
    pub fn roots(&self) -> &[String] {
        &self.roots
    }
}
