//! The graph of imports of a repository, over all languages: which file loads which.

use std::collections::{BTreeMap, BTreeSet};

use autoheal_engine::diagnostics::Importers;

use crate::languages;
use crate::sources::Sources;

/// Returns the files of the repository that one file may load itself, packages around them included.
pub fn loaded_with<'a>(file: &str, sources: &'a Sources) -> BTreeSet<&'a str> {
    languages::of(file).map(|language| language.loaded_with(file, sources)).unwrap_or_default()
}

/// Files with the files of the repository that they import, packages around them included.
#[derive(Debug, Default)]
pub struct Imports<'a> {
    imported: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> Imports<'a> {
    /// Reads the graph of every program file.
    pub fn new(sources: &'a Sources) -> Self {
        let mut imported: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (file, _) in sources.iter() {
            if languages::of(file).is_some() {
                imported.insert(file, loaded_with(file, sources));
            }
        }
        Self { imported }
    }

    /// Returns all files of the program.
    pub fn files(&self) -> impl Iterator<Item = &'a str> {
        self.imported.keys().copied()
    }

    /// The files that one imports itself.
    pub fn of(&self, file: &str) -> impl Iterator<Item = &'a str> {
        self.imported.get(file).into_iter().flatten().copied()
    }

    /// Returns the number of files that depend on each file, directly or not: the files to repair first are those that most others import.
    pub fn importers(&self) -> Importers {
        let mut needed_by: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (file, imported) in &self.imported {
            for other in imported {
                needed_by.entry(other).or_default().insert(file);
            }
        }
        let count = |file: &str| {
            let mut seen = BTreeSet::from([file]);
            let mut queue: Vec<&str> = vec![file];
            while let Some(current) = queue.pop() {
                queue.extend(needed_by.get(current).into_iter().flatten().filter(|importer| seen.insert(**importer)));
            }
            seen.len() - 1
        };
        needed_by.keys().map(|file| ((*file).to_owned(), count(file))).filter(|(_, count)| *count > 0).collect()
    }

    /// Returns all files that are loaded together with `roots`, the roots included. Imported files for which
    /// `is_closed` is true are skipped.
    pub fn reached(
        &self,
        roots: impl IntoIterator<Item = &'a str>,
        is_closed: impl Fn(&str) -> bool,
    ) -> BTreeSet<&'a str> {
        let mut queue: Vec<&str> = roots.into_iter().collect();
        let mut reached = BTreeSet::new();
        while let Some(file) = queue.pop() {
            if reached.insert(file) {
                queue.extend(self.of(file).filter(|next| !is_closed(next)));
            }
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reached(files: &[(&str, &str)], root: &'static str) -> String {
        let mut sources = Sources::new(vec![String::new()]);
        for (file, text) in files {
            sources.insert(*file, *text, false);
        }
        let imports = Imports::new(&sources);
        let known = sources.iter().map(|(file, _)| file).find(|file| *file == root);
        imports.reached(known, |file| file.contains("closed")).into_iter().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn relative_dotted_and_neighbouring_modules_are_found() {
        let files = [
            ("checks/test_a.py", "import tools\nfrom shop.price import vat\n"),
            ("checks/tools.py", "from . import closed\n"),
            ("checks/closed.py", "import shop.never\n"),
            ("shop/__init__.py", ""),
            ("shop/price.py", "from .rates import RATES\n"),
            ("shop/rates.py", ""),
            ("shop/never.py", ""),
        ];
        let expected = "checks/test_a.py checks/tools.py shop/__init__.py shop/price.py shop/rates.py";
        assert_eq!(reached(&files, "checks/test_a.py"), expected);
    }

    #[test]
    fn aliases_and_packages_of_the_repository_are_found() {
        let files = [
            ("a.test.ts", "import { b } from '@/b';\nimport own from 'own';\nimport x from '@own/x/deep';\n"),
            ("src/b.ts", "export const b = 1;\n"),
            ("package.json", r#"{"name": "own", "main": "dist/main.js"}"#),
            ("src/main.ts", "require('./late');\n"),
            ("src/late.js", ""),
            ("packages/x/package.json", r#"{"name": "@own/x"}"#),
            ("packages/x/src/deep.ts", ""),
        ];
        let expected = "a.test.ts packages/x/src/deep.ts src/b.ts src/late.js src/main.ts";
        assert_eq!(reached(&files, "a.test.ts"), expected);
    }
}
