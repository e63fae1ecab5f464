//! The repository's text.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use crate::javascript;
use crate::language::Language;
use crate::python::index::Index;

/// The text files of a repository that fixers may read, and which of them may be changed.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    files: BTreeMap<String, Arc<str>>,
    protected: BTreeSet<String>,
    roots: Vec<String>,
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
        self.index = OnceLock::new();
        self.javascript_index = OnceLock::new();
    }

    /// From now on the file may be read and never changed.
    pub fn protect(&mut self, file: &str) {
        if self.files.contains_key(file) {
            self.protected.insert(file.to_owned());
        }
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

    /// Whether the file is there and may be changed.
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
