//! Texts of the repository's files, and which of them may be changed.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use elsa::sync::FrozenVec;

/// Values that are worked out once, at most one of each type. Copies share them.
#[derive(Clone, Default)]
struct Derived(Arc<FrozenVec<Box<dyn Any + Send + Sync>>>);

impl Derived {
    fn get_or_make<T: Send + Sync + 'static>(&self, make: impl Fn() -> T) -> &T {
        loop {
            // Where two threads made one each, both see the first.
            if let Some(value) = self.0.iter().find_map(|value| value.downcast_ref()) {
                return value;
            }
            self.0.push(Box::new(make()));
        }
    }
}

impl fmt::Debug for Derived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Derived").finish_non_exhaustive()
    }
}

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
    derived: Derived,
    derived_from_protection: Derived,
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
        self.derived = Derived::default();
        self.derived_from_protection = Derived::default();
    }

    /// Adds a file by its name only: programs may refer to it.
    pub fn note(&mut self, file: impl Into<String>) {
        self.others.insert(file.into());
        self.derived = Derived::default();
    }

    /// The files that are known by their names only, in order.
    pub fn noted(&self) -> impl Iterator<Item = &str> {
        self.others.iter().map(String::as_str)
    }

    /// Protects a file: it can be read but not changed from now on.
    pub fn protect(&mut self, file: &str) {
        if self.files.contains_key(file) {
            self.protected.insert(file.to_owned());
            self.derived_from_protection = Derived::default();
        }
    }

    /// Protects the parts of a file that look like tests; the rest of the file can still be changed.
    pub fn protect_tests_in(&mut self, file: &str) {
        if self.collected.insert(file.to_owned()) {
            self.derived_from_protection = Derived::default();
        }
    }

    /// Returns what is worked out from the texts, once: the same value until a text is added or replaced.
    pub(crate) fn derived<T: Send + Sync + 'static>(&self, make: impl Fn(&Self) -> T) -> &T {
        self.derived.get_or_make(|| make(self))
    }

    /// Returns what is worked out from the texts and from which of them are protected, once.
    pub(crate) fn derived_from_protection<T: Send + Sync + 'static>(&self, make: impl Fn(&Self) -> T) -> &T {
        self.derived_from_protection.get_or_make(|| make(self))
    }

    /// Returns whether tests were collected from a file.
    pub(crate) fn is_collected(&self, file: &str) -> bool {
        self.collected.contains(file)
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

    /// Every file with one of these extensions, with its text.
    pub fn with_extension(&self, extensions: &'static [&'static str]) -> impl Iterator<Item = (&str, &str)> {
        let has_one = |file: &str| file.rsplit_once('.').is_some_and(|(_, extension)| extensions.contains(&extension));
        self.iter().filter(move |(file, _)| has_one(file))
    }

    /// The folders that Python's import path begins at, relative to the repository.
    pub fn roots(&self) -> &[String] {
        &self.roots
    }
}
