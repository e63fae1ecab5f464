//! The symbol index of a repository's Rust: its files, what each defines, and which of them it imports.

use std::collections::{BTreeMap, BTreeSet};

use super::crates::{self, Package};
use super::grammar::GRAMMAR;
use super::module::{Function, Module};
use super::{EXTENSIONS, ID};
use crate::language::outline::{FunctionAround, Imported, Outline};
use crate::repair::ngram::Model;
use crate::sources::Sources;
use crate::span::Span;

/// Symbol index of the repository's Rust files.
pub(crate) struct Index {
    modules: BTreeMap<String, Module>,
    packages: Vec<Package>,
    model: Model,
}

impl Index {
    /// The index of a repository's files, made on first use.
    pub(crate) fn of(sources: &Sources) -> &Self {
        sources.derived(Self::new)
    }

    pub(crate) fn new(sources: &Sources) -> Self {
        let mut index =
            Self { modules: BTreeMap::new(), packages: crates::packages(sources), model: Model::new(&GRAMMAR) };
        for (file, text) in sources.with_extension(EXTENSIONS) {
            index.model.learn(text);
            index.modules.insert(file.to_owned(), Module::read(text));
        }
        index
    }

    pub(crate) fn module(&self, file: &str) -> Option<&Module> {
        self.modules.get(file)
    }

    /// All files with what is in them.
    pub(crate) fn modules(&self) -> impl Iterator<Item = (&str, &Module)> {
        self.modules.iter().map(|(file, module)| (file.as_str(), module))
    }

    /// The naturalness model of the repository's text.
    pub(crate) const fn model(&self) -> &Model {
        &self.model
    }

    /// The package that a file belongs to.
    pub(crate) fn package_of(&self, file: &str) -> Option<&Package> {
        crates::package_of(&self.packages, file)
    }

    /// The files of the package that a file belongs to: all that may be built with it.
    pub(crate) fn files_of_package<'i>(&'i self, file: &str) -> BTreeSet<&'i str> {
        let package = self.package_of(file);
        let files = self.modules.keys().map(String::as_str);
        files.filter(|other| self.package_of(other) == package).collect()
    }

    /// The file of the module that a path names in a file, and how many parts of the path name modules.
    fn resolve(&self, from: &str, path: &[String]) -> Option<(&str, usize)> {
        let package = self.package_of(from)?;
        let first = path.first()?.as_str();
        let own = crates::folder_of_modules(from);
        let (mut folder, mut taken) = match first {
            "crate" => (crates::root_of(package, from), 1),
            "self" => (own, 1),
            "super" => {
                let up = path.iter().take_while(|part| *part == "super").count();
                let parent =
                    |folder: String| folder.rsplit_once('/').map_or_else(String::new, |(parent, _)| parent.to_owned());
                ((0..up).fold(own, |folder, _| parent(folder)), up)
            }
            name => match self.packages.iter().find(|package| package.crate_name == name) {
                Some(other) => (join(&other.folder, "src"), 1),
                None => (own, 0),
            },
        };
        let mut found = if taken > 0 { self.file_of(&folder) } else { None };
        let mut depth = taken;
        while let Some(part) = path.get(taken) {
            folder = join(&folder, part);
            taken += 1;
            match self.file_of(&folder) {
                Some(file) => (found, depth) = (Some(file), taken),
                None => break,
            }
        }
        found.map(|file| (file, depth))
    }

    /// The file of the module whose own modules lie in that folder.
    fn file_of(&self, folder: &str) -> Option<&str> {
        let has = |file: String| self.modules.get_key_value(&file).map(|(file, _)| file.as_str());
        has(format!("{folder}.rs"))
            .or_else(|| ["mod.rs", "lib.rs", "main.rs"].iter().find_map(|name| has(join(folder, name))))
    }
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index").field("language", &ID).field("packages", &self.packages).finish_non_exhaustive()
    }
}

impl Outline for Index {
    fn known(&self, file: &str) -> Option<&str> {
        self.modules.get_key_value(file).map(|(name, _)| name.as_str())
    }

    fn line_of(&self, file: &str, at: usize) -> u32 {
        self.module(file).map_or(1, |module| module.line_of(at))
    }

    fn function_at(&self, file: &str, at: usize) -> Option<FunctionAround> {
        let Function { span, definition, parameters_span, .. } = self.module(file)?.function_at(at)?;
        Some(FunctionAround { span: *span, definition: *definition, parameters_end: parameters_span.end })
    }

    /// Nothing runs when a crate is loaded.
    fn loaded_lines(&self, _: &str) -> Vec<u32> {
        Vec::new()
    }

    fn names_in(&self, file: &str, span: Span) -> Vec<&str> {
        let words = self.module(file).map(|module| module.words.as_slice()).unwrap_or_default();
        words.iter().filter(|word| span.contains(word.span)).map(|word| word.text.as_str()).collect()
    }

    fn namesakes(&self, name: &str) -> Vec<(&str, Span)> {
        let found = self.modules().flat_map(|(file, module)| {
            let functions = module.functions.iter().filter(|function| function.name == name);
            let types = module.definitions.iter().filter(|definition| definition.is_type && definition.name == name);
            let spans = functions.map(|function| function.span).chain(types.map(|definition| definition.span));
            spans.map(move |span| (file, span)).collect::<Vec<_>>()
        });
        found.collect()
    }

    /// A `use ... as` names one thing in one file: the definition is found by its own name.
    fn imported_as(&self, _: &str) -> Vec<(&str, Span)> {
        Vec::new()
    }

    fn functions(&self, file: &str) -> Vec<&str> {
        let functions = self.module(file).into_iter().flat_map(|module| &module.functions);
        functions.map(|function| function.name.as_str()).collect()
    }

    fn holds_only_values(&self, file: &str) -> bool {
        self.module(file).is_some_and(|module| {
            let has_types = module.definitions.iter().any(|definition| definition.is_type);
            !module.definitions.is_empty() && !has_types && module.functions.is_empty()
        })
    }

    fn words(&self, file: &str) -> Vec<&str> {
        self.module(file).into_iter().flat_map(|module| &module.words).map(|word| word.text.as_str()).collect()
    }

    fn imports(&self, file: &str) -> Vec<Imported<'_>> {
        let Some(module) = self.module(file) else { return Vec::new() };
        let all = module.uses.iter().chain(&module.modules);
        let found = all.filter_map(|import| {
            let (loaded, depth) = self.resolve(file, &import.path)?;
            let name = import.path.get(depth).map(String::as_str);
            Some(Imported { file: loaded, at: import.at, names: vec![name.unwrap_or("*")], is_whole: name.is_none() })
        });
        found.filter(|import| import.file != file).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_files_of_the_workspace() {
        let mut sources = Sources::new(Vec::new());
        for (file, text) in [
            ("Cargo.toml", "[workspace]\nmembers = ['shop']\n"),
            ("shop/Cargo.toml", "[package]\nname = 'the-shop'\n"),
            ("shop/src/lib.rs", "pub mod cart;\n"),
            ("shop/src/cart.rs", "mod line;\npub struct Cart;\nuse self::line::Line;\n"),
            ("shop/src/cart/line.rs", "use super::Cart;\nuse crate::cart::Cart as C;\npub struct Line;\n"),
            ("shop/tests/it.rs", "use the_shop::cart::{Cart, line::Line};\nmod common;\n"),
            ("shop/tests/common/mod.rs", "pub fn shop() {}\n"),
        ] {
            sources.insert(file, text, false);
        }
        let index = Index::new(&sources);
        let imports = |file: &str| -> Vec<String> {
            let imports = index.imports(file).into_iter();
            imports.map(|import| format!("{} {}", import.file, import.names.join(" "))).collect()
        };
        assert_eq!(imports("shop/src/lib.rs"), ["shop/src/cart.rs *"]);
        assert_eq!(imports("shop/src/cart.rs"), ["shop/src/cart/line.rs Line", "shop/src/cart/line.rs *"]);
        assert_eq!(imports("shop/src/cart/line.rs"), ["shop/src/cart.rs Cart", "shop/src/cart.rs Cart"]);
        assert_eq!(
            imports("shop/tests/it.rs"),
            ["shop/src/cart.rs Cart", "shop/src/cart/line.rs Line", "shop/tests/common/mod.rs *"]
        );
        assert_eq!(index.files_of_package("shop/src/lib.rs").len(), 5);
    }
}
